// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions that are called when the process calls exit(), or returns from main(), and has run
// everything else: handlers of atexit(), static destructors of C++, and destructors of libraries,
// which may still use DOCA. The loader runs destructors of a preloaded library before those of the
// program's own libraries.

#ifndef WORKBENCH_LAST_EXIT_H
#define WORKBENCH_LAST_EXIT_H

// Adds a function, which gets the exit status. To be called in constructors: what is registered
// first is called last. Where the C library has no on_exit() the function is called by a destructor
// of this library, with status 0.
void last_exit_add(void (*function)(int status));

#endif
