// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which checksums of decompressed bytes the process can request. They take half as long as LZ4
// does, and many programs that decompress use none: then no loaded object refers to the functions
// that return them. A program that has got such a function in another way (dlsym()) is detected
// when it calls it, see compress_late.c. Checksums of compressed bytes are always computed, which
// is a small part of the work.

#ifndef CLIENT_COMPRESS_TASKS_COMPRESS_ASKED_H
#define CLIENT_COMPRESS_TASKS_COMPRESS_ASKED_H

#include "compress/codec.h"

// Examines the loaded objects, if they have changed.
void compress_asked_update(void);

// The checksums that can be requested of tasks of a kind, of CODEC_SUMS.
unsigned compress_asked(enum codec_kind kind);

// Requests this one from now on.
void compress_ask(enum codec_kind kind, unsigned sums);

#endif
