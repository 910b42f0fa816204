// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The rows of `compare`: what is measured, against what, and what the goal is. The table
// is in rows.c, the ways of measuring are in trials.c.

#ifndef PERFTEST_ROWS_H
#define PERFTEST_ROWS_H

#include "compute_rig.h"
#include "duet.h"
#include "ping.h"
#include "pools.h"
#include "rdma_rig.h"
#include "rig.h"
#include "tls_pair.h"

enum goal_kind {
    GOAL_RATIO_MIN,  // ours to theirs, at least
    GOAL_RATIO_MAX,  // at most
    GOAL_OVER_MAX,   // ours minus theirs, at most
    GOAL_OURS_MAX,   // ours alone, at most
    GOAL_RATIO_NEAR, // ours to theirs, at most so far from 1
};

struct trial;

// One way of measuring. Each of `ours` and `theirs` takes a few milliseconds, and gives
// one value in the row's unit; NAN where the machine does not allow it.
struct method {
    bool (*open)(struct trial *trial); // close is due also after a failure
    bool (*ours)(struct trial *trial, double *value);
    bool (*theirs)(struct trial *trial, double *value);
    bool (*verify)(struct trial *trial);
    void (*close)(struct trial *trial);
};

extern const struct method method_copy;          // jobs against memcpy
extern const struct method method_busy;          // jobs of a busy engine against process_vm_readv
extern const struct method method_asleep;        // of a sleeping one, against waking a thread
extern const struct method method_first;         // import and first copy against process_vm_readv
extern const struct method method_first_touched; // against memcpy of touched pages
extern const struct method method_crowd;   // the rate of many threads compared with that of one
extern const struct method method_link;    // jobs over a TLS link against a bare TLS connection
extern const struct method method_buffers; // get and put against malloc and free
extern const struct method method_chunks;  // jobs on many chunks against one
extern const struct method method_wake;    // a job against an eventfd, as wake-up calls
extern const struct method method_sync;    // sync events against a bare word
extern const struct method method_channel; // the Comm Channel against a bare socket pair
extern const struct method method_channel_link; // over a TLS link against a bare TLS connection
extern const struct method method_comch;        // send tasks of Comch against the same
extern const struct method method_sha;          // SHA jobs against OpenSSL
extern const struct method method_compute;      // tasks that compute against libraries
extern const struct method method_overlap;      // the same against one after the other
extern const struct method method_submit;       // submitting one, until that returns
extern const struct method method_graph;        // nodes of a graph against their jobs
extern const struct method method_start;        // starting a map against copying the memory

extern const struct method method_card; // tasks with the times of a card against published ones

extern const struct method method_traced;  // calls in a trace against those that are not
extern const struct method method_checked; // a program with --check=rules against one without

extern const struct method method_task_pairs; // a task allocated and freed
extern const struct method
    method_task_contexts; // tasks of several contexts compared with those of one

extern const struct method method_ucx;         // RDMA jobs against ucx_perftest
extern const struct method method_fabric;      // RDMA jobs against fi_pingpong
extern const struct method method_rdma_copy;   // RDMA jobs against memcpy
extern const struct method method_path;        // from producer to consumer against ucx_perftest
extern const struct method method_path_copy;   // against memcpy
extern const struct method method_one_core;    // both ends of RDMA on one core
extern const struct method method_connections; // RDMA by many connections against one

struct row {
    const char *name, *unit, *against;
    const struct method *method;
    enum goal_kind kind;
    double goal;
    enum path path;
    enum node node; // where it is measured
    enum memory_kind memory;
    size_t size;
    size_t footprint;     // 0: one job's
    uint32_t batch;       // also the depth
    unsigned contexts;    // of DOCA 3, with tasks or as a sync event; 0: jobs
    unsigned connections; // RDMA connections of the context
    unsigned cpus;        // of a quota for both sides and the baseline; 0: none
    unsigned importers;   // threads with work queues of their own
    bool rate;            // GiB/s instead of ns
    bool far;             // the two nodes are linked by TLS, as on two machines
    unsigned rounds;      // 0: the usual number
    // RDMA: ours, theirs, and how many jobs a round has.
    enum rdma_test rdma;
    const char *ucx, *ucx_tls;
    uint64_t jobs;
    enum compute_kind compute;
    const char *program; // an example, and its argument
    const char *card;    // that is imitated, with its times
    double published_ns; // of it
    // The values with --quick, if they differ.
    struct {
        const char *name;
        size_t size, footprint;
        unsigned rounds;
    } quick;
};

// Row `i`, counted from 0, as it is with or without --quick. Returns false if there are fewer.
bool row_get(size_t i, bool quick, struct row *row);

struct trial {
    const struct row *row;
    struct run *run;
    bool quick;
    struct problem *problem;
    uint64_t n; // jobs of one measurement
    struct rig rig, other_rig;
    struct memory source; // of the same kind as an importer's mapping
    size_t at;
    struct pool pool;
    struct chunk_map *many, *one;
    struct ping ping;
    struct tls_pair *tls;
    struct duet *duet;
    struct digest *digest;
    struct compute *compute;
    const char *absent; // set by open(): what the row needs and is missing, which is not a failure
    struct chain *chain;
    struct importers *importers;
    struct traced *traced;
    struct rdma_rig *rdma, *other_rdma;
};

// A run of ucx_perftest, with the row's settings.
bool trial_ucx(struct trial *trial, double *value);

#endif
