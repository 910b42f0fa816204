// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What programs that start a docad of their own share: where docad is, a directory for its sockets,
// and what it reports. It needs the C library and nothing else.

#ifndef PRIVATE_DOCAD_H
#define PRIVATE_DOCAD_H

#include <limits.h>
#include <stdbool.h>

#define PRIVATE_PATH_MAX 108 // of a socket address

// Returns the program to execute: `given` if it is not empty, else the executable in the directory
// of this one (`name`) or at `installed` from there, else `name`, which is to be found in PATH.
const char *private_find_program(const char *name, const char *installed, const char *given,
                                 char path[PATH_MAX]);

// Makes the directory PREFIX.XXXXXX in $TMPDIR, or in /tmp where that name would be too long for
// the addresses of sockets. Returns false, with errno, if it cannot; `path` has the name then, too.
bool private_directory_make(const char *prefix, char path[PRIVATE_PATH_MAX]);

// Removes the directory and its files. It contains no directories.
void private_directory_remove(const char *path);

// Makes the name of a file of the directory, whose own name is short enough.
void private_directory_name(const char *directory, const char *name, const char *suffix,
                            char path[PRIVATE_PATH_MAX]);

// Opens a socket for sd_notify(3) in the directory, which no other user can enter, and writes its
// path. Returns -1 with errno on failure. The socket does not block.
int private_notify_open(const char *directory, const char *name, char path[PRIVATE_PATH_MAX]);

// What docad has reported so far.
struct private_reports {
    bool ready;
    bool is_older;   // than reports of links, which it never makes
    unsigned linked; // nodes that it is linked with
};

// Reads some of the available reports; the others keep the socket readable.
void private_notify_read(int notify, struct private_reports *reports);

struct private_docad {
    const char *program; // of private_find_program()
    const char *role, *socket, *config;
    const char *faults; // rules; NULL: none
    const char *peer;   // the socket of the node to dial, or NULL
    const char *notify; // the path of private_notify_open()
    int output;         // for standard output and error; -1: those of the caller
};

// Becomes docad, in a child. Nothing of the environment configures it. If docad cannot be executed,
// this writes why to standard error, and exits with 127.
_Noreturn void private_docad_become(const struct private_docad *docad);

#endif
