// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "jobs.h"

#include <string.h>

#define WORDS_MAX     3 // that follow the beginning of a job
#define LIBRARY_SHIFT 16

enum library {
    LIBRARY_DMA = 1,
    LIBRARY_SHA = 9,
    LIBRARY_COMPRESS = 10,
    LIBRARY_RDMA = 13,
    LIBRARY_EC = 17
};

enum {
    NONE,
    SOURCE = USE_SOURCE,
    DESTINATION = USE_DESTINATION,
    RESULT = USE_RESULT,
    MATRIX,
    LENGTH
};

// The words after the beginning of each job, in 2.2, 1.5 and 1.3.
static const struct {
    int type;
    const char *name;
    unsigned char words[WORDS_MAX];
} jobs[] = {
    {LIBRARY_DMA << LIBRARY_SHIFT | 1, "dma_job_memcpy", {DESTINATION, SOURCE}},
    {LIBRARY_DMA << LIBRARY_SHIFT | 0x130,
     "dma_job_memcpy",
     {DESTINATION, SOURCE, LENGTH}}, // of 1.3
    {LIBRARY_SHA << LIBRARY_SHIFT | 1, "sha_job", {SOURCE, DESTINATION}},
    {LIBRARY_SHA << LIBRARY_SHIFT | 2, "sha_job", {SOURCE, DESTINATION}},
    {LIBRARY_SHA << LIBRARY_SHIFT | 3, "sha_job", {SOURCE, DESTINATION}},
    {LIBRARY_SHA << LIBRARY_SHIFT | 4, "sha_partial_job", {SOURCE, DESTINATION}},
    {LIBRARY_SHA << LIBRARY_SHIFT | 5, "sha_partial_job", {SOURCE, DESTINATION}},
    {LIBRARY_SHA << LIBRARY_SHIFT | 6, "sha_partial_job", {SOURCE, DESTINATION}},
    {LIBRARY_COMPRESS << LIBRARY_SHIFT | 1, "compress_deflate_job", {DESTINATION, SOURCE}},
    {LIBRARY_COMPRESS << LIBRARY_SHIFT | 2, "decompress_deflate_job", {DESTINATION, SOURCE}},
    {LIBRARY_COMPRESS << LIBRARY_SHIFT | 3, "decompress_lz4_job", {DESTINATION, SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 1, "rdma_job_recv", {DESTINATION}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 2, "rdma_job_send", {SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 3, "rdma_job_send", {SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 4, "rdma_job_read", {DESTINATION, SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 5, "rdma_job_write", {DESTINATION, SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 6, "rdma_job_write", {DESTINATION, SOURCE}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 7, "rdma_job_atomic", {DESTINATION, RESULT}},
    {LIBRARY_RDMA << LIBRARY_SHIFT | 8, "rdma_job_atomic", {DESTINATION, RESULT}},
    {LIBRARY_EC << LIBRARY_SHIFT | 1, "ec_job", {MATRIX, SOURCE, DESTINATION}},
    {LIBRARY_EC << LIBRARY_SHIFT | 2, "ec_job_create", {MATRIX, SOURCE, DESTINATION}},
    {LIBRARY_EC << LIBRARY_SHIFT | 3, "ec_job_update", {MATRIX, SOURCE, DESTINATION}},
    {LIBRARY_EC << LIBRARY_SHIFT | 4, "ec_job_recover", {MATRIX, SOURCE, DESTINATION}},
};

// struct doca_job of all generations that have it.
struct beginning {
    int type, flags;
    uint64_t context, user_data;
};

_Static_assert(sizeof(struct beginning) + WORDS_MAX * sizeof(uint64_t) == JOB_BYTES_MAX, "fits");

static struct beginning read_beginning(uint64_t address)
{
    struct beginning beginning;
    memcpy(&beginning, (const void *)(uintptr_t)address, sizeof(beginning)); // NOLINT
    return beginning;
}

size_t job_bytes(uint64_t address)
{
    struct beginning beginning = read_beginning(address);
    size_t words = 0;
    for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
        for (unsigned w = 0; jobs[i].type == beginning.type && w < WORDS_MAX; w++)
            words = jobs[i].words[w] == NONE ? words : w + 1;
    return sizeof(beginning) + words * sizeof(uint64_t);
}

void job_read(uint64_t address, struct job *job)
{
    const unsigned char *from = (const unsigned char *)(uintptr_t)address; // NOLINT
    struct beginning beginning = read_beginning(address);
    *job = (struct job){.context = beginning.context,
                        .user_data = beginning.user_data,
                        .number = beginning.type,
                        .length = UINT64_MAX};
    for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
        if (jobs[i].type != beginning.type)
            continue;
        job->type = jobs[i].name;
        for (unsigned w = 0; w < WORDS_MAX; w++) {
            uint64_t word;
            if (jobs[i].words[w] == NONE)
                continue;
            memcpy(&word, from + sizeof(beginning) + w * sizeof(word), sizeof(word));
            if (jobs[i].words[w] == MATRIX)
                job->matrix = word;
            else if (jobs[i].words[w] == LENGTH)
                job->length = word;
            else
                job->buffers[jobs[i].words[w] - 1] = word;
        }
        return;
    }
}
