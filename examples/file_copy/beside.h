// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// memcpy beside a copy that is done by DMA: each round of jobs is followed by as many calls of
// memcpy(), from memory of the same kind and size to the same target. A disturbance affects both,
// so that their ratio is meaningful on a busy machine, too.

#ifndef EXAMPLES_FILE_COPY_BESIDE_H
#define EXAMPLES_FILE_COPY_BESIDE_H

#include <stddef.h>
#include <stdint.h>

struct beside {
    uint8_t *from;
    size_t size;                         // of everything that is copied
    double *fetched, *copied, *relation; // rates of each round in GiB/s, and how they relate
    size_t n, max;
};

// Gets memory for a copy of `size` bytes in at most `rounds` rounds.
void beside_begin(struct beside *b, size_t size, size_t rounds);

// Brings the target of a round into the cache, so that both ways start under equal conditions.
void beside_warm(uint8_t *to, size_t size);

// The jobs took `seconds` for a round of `size` bytes from `offset` on. Does the same round with
// memcpy() in calls of `chunk` bytes.
void beside_round(struct beside *b, double seconds, uint8_t *to, size_t offset, size_t size,
                  size_t chunk);

// Prints the medians, and gives the memory back.
void beside_end(struct beside *b);

double now(void); // in seconds

#endif
