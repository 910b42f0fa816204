// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which checksums of decompressed bytes the process can ask for. They take half as long as LZ4
// does, and many programs that decompress want none: then nothing that is loaded refers to the
// functions that return them. A program that has found such a function in another way (dlsym())
// is seen when it calls it, see compress_late.c. What is compressed is always summed up, which is
// a small part of the work.

#ifndef CLIENT_COMPRESS_TASKS_COMPRESS_ASKED_H
#define CLIENT_COMPRESS_TASKS_COMPRESS_ASKED_H

#include "compress/codec.h"

// Looks at what is loaded, if that has changed.
void compress_asked_look(void);

// What can be asked for of tasks of a kind: of CODEC_SUMS.
unsigned compress_asked(enum codec_kind kind);

// Makes it this from now on.
void compress_ask(enum codec_kind kind, unsigned sums);

#endif
