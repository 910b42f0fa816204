// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Ways of measuring for `compare`: SHA jobs against OpenSSL, and what a graph adds to the
// jobs of its nodes.

#include "clock.h"
#include "device.h"
#include "rows.h"

#include <doca_graph.h>
#include <doca_sha.h>

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define GIB (1024.0 * 1024 * 1024)

// ---- SHA --------------------------------------------------------------------------------

// OpenSSL keeps the state of a digest: all calls of a digest are compared.
struct digest {
    struct memory source;
    uint8_t ours[DOCA_SHA256_BYTE_COUNT], theirs[DOCA_SHA256_BYTE_COUNT];
    struct doca_dev *dev;
    struct doca_sha *sha;
    struct doca_workq *workq;
    struct doca_mmap *source_map, *response_map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    bool started, attached;
    EVP_MD *algorithm;
};

static bool map(struct digest *d, struct doca_mmap **out, void *at, size_t size,
                struct problem *problem)
{
    DOCA_TRY(problem, doca_mmap_create, NULL, out);
    DOCA_TRY(problem, doca_mmap_set_memrange, *out, at, size);
    DOCA_TRY(problem, doca_mmap_dev_add, *out, d->dev);
    DOCA_TRY(problem, doca_mmap_start, *out);
    return true;
}

static bool make_buffers(struct digest *d, size_t size, struct problem *problem)
{
    if (!memory_open(&d->source, MEMORY_MAPPED, size, problem) ||
        !map(d, &d->source_map, d->source.at, size, problem) ||
        !map(d, &d->response_map, d->ours, sizeof(d->ours), problem))
        return false;
    for (size_t i = 0; i < size; i++)
        d->source.at[i] = (char)(i * 7 + i / 4096);
    DOCA_TRY(problem, doca_buf_inventory_create, NULL, 2, DOCA_BUF_EXTENSION_NONE, &d->inventory);
    DOCA_TRY(problem, doca_buf_inventory_start, d->inventory);
    DOCA_TRY(problem, doca_buf_inventory_buf_by_data, d->inventory, d->source_map, d->source.at,
             size, &d->from);
    DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, d->inventory, d->response_map, d->ours,
             sizeof(d->ours), &d->to);
    return true;
}

static bool open_digest(struct trial *trial)
{
    struct problem *problem = trial->problem;
    struct digest *d = trial->digest = calloc(1, sizeof(*d));

    if (!d || !(d->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL)))
        return problem_set(problem, "out of memory");
    if (!device_open(&d->dev, DEVICE_COPIES, problem) ||
        !make_buffers(d, trial->row->size, problem))
        return false;
    DOCA_TRY(problem, doca_sha_create, &d->sha);
    DOCA_TRY(problem, doca_ctx_dev_add, doca_sha_as_ctx(d->sha), d->dev);
    DOCA_TRY(problem, doca_ctx_start, doca_sha_as_ctx(d->sha));
    d->started = true;
    DOCA_TRY(problem, doca_workq_create, 1, &d->workq);
    DOCA_TRY(problem, doca_ctx_workq_add, doca_sha_as_ctx(d->sha), d->workq);
    d->attached = true;
    return true;
}

static double rate(const struct trial *trial, uint64_t before)
{
    double ns = ticks_to_ns(ticks_now() - before);
    return (double)trial->row->size * (double)trial->row->jobs / ns * 1e9 / GIB;
}

static bool ours_digest(struct trial *trial, double *value)
{
    struct digest *d = trial->digest;
    struct doca_sha_job job = {
        .base = {.type = DOCA_SHA_JOB_SHA256, .ctx = doca_sha_as_ctx(d->sha)},
        .req_buf = d->from,
        .resp_buf = d->to,
    };
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->row->jobs; i++) {
        struct doca_event event;
        doca_error_t result;
        DOCA_TRY(trial->problem, doca_workq_submit, d->workq, &job.base);
        while ((result = doca_workq_progress_retrieve(
                    d->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN)
            ;
        if (result != DOCA_SUCCESS)
            return problem_doca(trial->problem, "doca_workq_progress_retrieve", result);
    }
    *value = rate(trial, before);
    return true;
}

static bool theirs_digest(struct trial *trial, double *value)
{
    struct digest *d = trial->digest;
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->row->jobs; i++)
        if (EVP_Digest(d->source.at, trial->row->size, d->theirs, NULL, d->algorithm, NULL) != 1)
            return problem_set(trial->problem, "EVP_Digest failed");
    *value = rate(trial, before);
    return true;
}

static bool verify_digest(struct trial *trial)
{
    struct digest *d = trial->digest;
    return memcmp(d->ours, d->theirs, sizeof(d->ours)) == 0 ||
           problem_set(trial->problem, "the digest is not OpenSSL's");
}

static void close_digest(struct trial *trial)
{
    struct digest *d = trial->digest;

    if (!d)
        return;
    if (d->attached)
        doca_ctx_workq_rm(doca_sha_as_ctx(d->sha), d->workq);
    if (d->workq)
        doca_workq_destroy(d->workq);
    if (d->started)
        doca_ctx_stop(doca_sha_as_ctx(d->sha));
    doca_sha_destroy(d->sha);
    if (d->from)
        doca_buf_refcount_rm(d->from, NULL);
    if (d->to)
        doca_buf_refcount_rm(d->to, NULL);
    if (d->inventory)
        doca_buf_inventory_destroy(d->inventory);
    if (d->source_map)
        doca_mmap_destroy(d->source_map);
    if (d->response_map)
        doca_mmap_destroy(d->response_map);
    if (d->dev)
        doca_dev_close(d->dev);
    memory_close(&d->source);
    EVP_MD_free(d->algorithm);
    free(d);
}

const struct method method_sha = {open_digest, ours_digest, theirs_digest, verify_digest,
                                  close_digest};

// ---- graphs -----------------------------------------------------------------------------

#define NODES 8 // one after the other

struct chain {
    struct doca_graph *graph;
    struct doca_graph_node *nodes[NODES];
    struct doca_graph_instance *instance;
    struct rig_job *jobs[NODES];
    bool started, attached;
};

static bool make_chain(struct chain *c, struct rig *rig, struct problem *problem)
{
    DOCA_TRY(problem, doca_graph_create, &c->graph);
    for (int i = 0; i < NODES; i++) {
        DOCA_TRY(problem, doca_graph_ctx_node_create, c->graph, DOCA_DMA_JOB_MEMCPY, rig->ctx,
                 &c->nodes[i]);
        if (i > 0)
            DOCA_TRY(problem, doca_graph_add_dependency, c->graph, c->nodes[i - 1], c->nodes[i]);
    }
    DOCA_TRY(problem, doca_graph_start, c->graph);
    c->started = true;
    DOCA_TRY(problem, doca_graph_workq_add, c->graph, rig->workq);
    c->attached = true;
    DOCA_TRY(problem, doca_graph_instance_create, c->graph, &c->instance);
    for (int i = 0; i < NODES; i++) {
        c->jobs[i] = &rig->jobs[i];
        DOCA_TRY(problem, doca_graph_instance_set_ctx_node_data, c->instance, c->nodes[i],
                 &c->jobs[i]->job.base, NULL);
    }
    return true;
}

static bool open_chain(struct trial *trial)
{
    struct rig_plan plan = {.path = PATH_LOCAL,
                            .memory = trial->row->memory,
                            .size = trial->row->size,
                            .footprint = trial->row->size,
                            .depth = trial->row->batch};
    trial->chain = calloc(1, sizeof(*trial->chain));
    if (!trial->chain)
        return problem_set(trial->problem, "out of memory");
    return rig_open(&trial->rig, &plan, trial->run) &&
           make_chain(trial->chain, &trial->rig, trial->problem);
}

static bool retrieve(struct trial *trial)
{
    struct doca_event event;
    doca_error_t result;
    while ((result = doca_workq_progress_retrieve(
                trial->rig.workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN)
        ;
    return result == DOCA_SUCCESS ||
           problem_doca(trial->problem, "doca_workq_progress_retrieve", result);
}

static bool ours_chain(struct trial *trial, double *value)
{
    struct chain *c = trial->chain;
    uint64_t before = ticks_now();
    for (uint64_t n = 0; n < trial->row->jobs; n += NODES) {
        for (int i = 0; i < NODES; i++)
            doca_buf_reset_data_len(c->jobs[i]->to);
        DOCA_TRY(trial->problem, doca_workq_graph_submit, trial->rig.workq, c->instance,
                 (union doca_data){.u64 = n});
        if (!retrieve(trial))
            return false;
    }
    *value = ticks_to_ns(ticks_now() - before) / (double)trial->row->jobs;
    return true;
}

static bool theirs_chain(struct trial *trial, double *value)
{
    struct chain *c = trial->chain;
    uint64_t before = ticks_now();
    for (uint64_t n = 0; n < trial->row->jobs; n++) {
        struct rig_job *job = c->jobs[n % NODES];
        doca_buf_reset_data_len(job->to);
        if (!rig_submit(&trial->rig, job, trial->problem) || !retrieve(trial))
            return false;
    }
    *value = ticks_to_ns(ticks_now() - before) / (double)trial->row->jobs;
    return true;
}

static bool verify_chain(struct trial *trial)
{
    return memcmp(trial->rig.from, trial->rig.target.at, trial->row->size) == 0 ||
           problem_set(trial->problem, "the nodes have not copied");
}

static void close_chain(struct trial *trial)
{
    struct chain *c = trial->chain;
    if (c && c->instance)
        doca_graph_instance_destroy(c->instance);
    if (c && c->attached)
        doca_graph_workq_rm(c->graph, trial->rig.workq);
    if (c && c->started)
        doca_graph_stop(c->graph);
    if (c && c->graph)
        doca_graph_destroy(c->graph);
    rig_close(&trial->rig);
    free(c);
}

const struct method method_graph = {open_chain, ours_chain, theirs_chain, verify_chain,
                                    close_chain};
