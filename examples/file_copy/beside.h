// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// memcpy beside a copy that is done by DMA: each round of jobs is followed by as many calls of
// memcpy(), from memory of the same kind and size to the same target. What disturbs one disturbs
// the other, so that the ratio of the two tells something on a busy machine too.

#ifndef EXAMPLES_FILE_COPY_BESIDE_H
#define EXAMPLES_FILE_COPY_BESIDE_H

#include <stddef.h>
#include <stdint.h>

struct beside {
    uint8_t *from;
    size_t size;                         // of what is copied in all
    double *fetched, *copied, *relation; // rates of each round in GiB/s, and how they relate
    size_t n, max;
};

// Gets memory for a copy of `size` bytes in so many rounds.
void beside_begin(struct beside *b, size_t size, size_t rounds);

// Brings the target of a round into the cache: both ways begin alike.
void beside_warm(uint8_t *to, size_t size);

// A round of `size` bytes from `offset` on took the jobs so many seconds: does it in calls of
// `chunk` bytes.
void beside_round(struct beside *b, double seconds, uint8_t *to, size_t offset, size_t size,
                  size_t chunk);

// Prints the medians, and gives the memory back.
void beside_end(struct beside *b);

double now(void); // in seconds

#endif
