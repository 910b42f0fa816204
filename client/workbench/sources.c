// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sources.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PART  4096
#define LANES 4

// Rights of others to write: RDMA_WRITE, RDMA_ATOMIC and PCI_READ_WRITE of enum doca_access_flag,
// which have the same numbers in 2.2.
#define OTHERS_WRITE (4 | 8 | 32)

static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    return sum ^ sum >> 29;
}

// LANES sums at a time: each waits for its multiplication only.
static uint64_t add_words(uint64_t sum, const unsigned char *bytes, size_t length)
{
    uint64_t lanes[LANES] = {sum}, words[LANES];
    size_t at = 0;
    for (; length - at >= sizeof(words); at += sizeof(words)) {
        memcpy(words, bytes + at, sizeof(words));
        for (unsigned i = 0; i < LANES; i++)
            lanes[i] = add_word(lanes[i], words[i]);
    }
    for (; at < length; at += sizeof(uint64_t)) {
        size_t left = length - at;
        words[0] = 0;
        memcpy(words, bytes + at, left < sizeof(*words) ? left : sizeof(*words));
        lanes[0] = add_word(lanes[0], words[0]);
    }
    for (unsigned i = 1; i < LANES; i++)
        lanes[0] = add_word(lanes[0], lanes[i]);
    return lanes[0];
}

// Reads by a system call: the memory may be gone, and a sanitizer may watch it.
static bool add_part(uint64_t start, uint64_t end, uint64_t *sum)
{
    unsigned char part[PART];
    for (uint64_t at = start; at < end;) {
        size_t length = end - at < PART ? (size_t)(end - at) : PART;
        struct iovec here = {part, length};
        struct iovec there = {(void *)(uintptr_t)at, length}; // NOLINT(performance-no-int-to-ptr)
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)length)
            return false;
        *sum = add_words(*sum, part, length);
        at += length;
    }
    return true;
}

static bool sum_of(const struct stretch *bytes, uint64_t *sum)
{
    int saved = errno;
    bool whole = bytes->end - bytes->start <= (uint64_t)2 * SUMMED_ENDS;
    *sum = 1;
    bool known = whole ? add_part(bytes->start, bytes->end, sum)
                       : add_part(bytes->start, bytes->start + SUMMED_ENDS, sum) &&
                             add_part(bytes->end - SUMMED_ENDS, bytes->end, sum);
    errno = saved;
    return known;
}

struct summing {
    struct flight *flight;
    unsigned number;
};

static bool sum_element(const struct element *element, void *of)
{
    struct summing *summing = of;
    struct source *source = &summing->flight->sources[summing->number++];
    const struct entry *map = element->map;
    if (element->space == SPACE_OWN && !(map->exported && (map->permissions & OTHERS_WRITE)) &&
        source->bytes.start < source->bytes.end)
        source->summed = sum_of(&source->bytes, &source->sum);
    return summing->number < summing->flight->source_count;
}

void sources_sum(struct flight *flight)
{
    struct summing summing = {flight, 0};
    if (flight->source_count && !flight->may_be_disturbed)
        buffers_each(flight->buffers[USE_SOURCE - 1], sum_element, &summing);
}

const struct source *sources_changed(const struct flight *flight)
{
    for (unsigned i = 0; i < flight->source_count && !flight->may_be_disturbed; i++) {
        const struct source *source = &flight->sources[i];
        uint64_t sum;
        if (source->summed && sum_of(&source->bytes, &sum) && sum != source->sum)
            return source;
    }
    return NULL;
}
