// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory files: anonymous, sealed against resizing, never named in a file system.

#ifndef COMMON_MEMFD_H
#define COMMON_MEMFD_H

#include <stddef.h>
#include <stdint.h>

// Makes a memory file of `size` bytes that can neither shrink nor grow, and that only its holders
// can open (mode 0600). Returns the descriptor or -errno.
int memfd_create_sealed(const char *name, size_t size);

// Opens a second descriptor of the same file, for reading only. -errno on failure (only the file's
// owner, or root, may do this).
int memfd_reopen_readonly(int fd);

// From now on no new writable mapping and no write(2); existing writable mappings
// stay. Returns 0 or -errno.
int memfd_seal_future_write(int fd);

// Forbids further seals from now on. Returns 0 or -errno.
int memfd_seal_seals(int fd);

// Checks that `fd`, which came from another process, is a memory file of exactly `size` bytes of
// ordinary pages that cannot be resized, opened for writing (or only for reading). 0, or -errno:
// -EBADF not a memory file, -EINVAL wrong size, -EPERM not sealed, -EACCES wrong mode.
int memfd_check(int fd, uint64_t size, int writable);

// Returns whether both descriptors name the same file: 1 or 0.
int memfd_same_file(int a, int b);

#endif
