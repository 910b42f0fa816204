// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sources.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define LANES 4

#define ALL_UNTIL 1024 // tasks of a context whose sources are summed; then those of one in EACH
#define EACH      16

static pid_t own_pid; // getpid() is a system call

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
#pragma GCC unroll 4
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

// Reads the ends of the bytes, or all of them, by a system call: the memory may be gone, and a
// sanitizer may watch it.
static bool sum_of(const struct stretch *bytes, uint64_t *sum)
{
    unsigned char part[2 * SUMMED_ENDS];
    uint64_t length = bytes->end - bytes->start;
    bool whole = length <= sizeof(part);
    size_t read = whole ? (size_t)length : sizeof(part);
    struct iovec here = {part, read};
    struct iovec there[] = {
        {(void *)(uintptr_t)bytes->start, whole ? read : SUMMED_ENDS}, // NOLINT
        {(void *)(uintptr_t)(bytes->end - SUMMED_ENDS), SUMMED_ENDS},  // NOLINT
    };
    int saved = errno;
    bool known = process_vm_readv(own_pid, &here, 1, there, whole ? 1 : 2, 0) == (ssize_t)read;
    errno = saved;
    if (known)
        *sum = add_words(1, part, read);
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

void sources_in_child(void)
{
    own_pid = 0;
}

// Summing costs as much as everything else for a task. A program that changes a source in flight
// does so again.
static bool is_chosen(const struct flight *flight)
{
    struct entry *of = flight->context ? flight->context : flight->queue;
    uint64_t number = of ? of->submissions++ : 0;
    return number < ALL_UNTIL || number % EACH == 0;
}

void sources_sum(struct flight *flight)
{
    own_pid = own_pid ? own_pid : getpid();
    struct summing summing = {flight, 0};
    if (flight->source_count && !flight->may_be_disturbed && is_chosen(flight))
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
