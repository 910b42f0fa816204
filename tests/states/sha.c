// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA contexts; their sessions, of 2.2, and their tasks, of DOCA 3.

#include "task_world.h"

#include <doca_sha.h>
#include <string.h>

enum { SESSIONS = STARTED + 1 };

static struct {
    struct doca_sha *sha;
    struct doca_sha_partial_session *sessions[2];
} w;

static struct doca_ctx *ctx(void)
{
    return w.sha ? doca_sha_as_ctx(w.sha) : NULL;
}

static void create(void)
{
    BEFORE_3(ck_assert_success(doca_sha_create(&w.sha));)
    OF_3(ck_assert_success(doca_sha_create(tw.dev, &w.sha));)
}

#if GENERATION == 3
TASK_CALLBACK(hash_over, doca_sha_task_hash)
TASK_CALLBACK(part_over, doca_sha_task_partial_hash)

static void configure(void)
{
    ck_assert_success(doca_sha_task_hash_set_conf(w.sha, hash_over, hash_over, 1));
    ck_assert_success(doca_sha_task_partial_hash_set_conf(w.sha, part_over, part_over, 1));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    struct doca_sha_task_hash *hash;
    struct doca_sha_task_partial_hash *part;
    ck_assert_success(doca_sha_task_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256, tw.src,
                                                    tw.dst, data, &hash));
    ck_assert_success(doca_sha_task_partial_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256,
                                                            tw.src, tw.dst, data, &part));
    tw.tasks[tw.n_tasks++] = doca_sha_task_hash_as_task(hash);
    tw.tasks[tw.n_tasks++] = doca_sha_task_partial_hash_as_task(part);
}
#endif

static const struct lifetime lifetimes[] = {
    {"doca_sha_create", "doca_sha_destroy", &w.sha},
    {NULL},
};

TASK_LIBRARY

#if GENERATION == 3
static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool partial = strstr(function, "_partial_hash_");

    if (same(param, "sha"))
        return GIVE(w.sha);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(tw.tasks[partial]);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return partial ? GIVE(part_over) : GIVE(hash_over);
    *value = DOCA_SHA_ALGORITHM_SHA256; // 1, a good number of everything else as well
    return same(param, "algorithm") || same(param, "log_num_tasks") || same(param, "user_data")
               ? GIVEN
               : GIVEN_NONE;
}
#else
static void enter_sessions(unsigned state)
{
    enter_ctx(state == SESSIONS ? RUNNING : state);
    for (unsigned i = 0; i < 2 && state == SESSIONS; i++)
        ck_assert_success(doca_sha_partial_session_create(w.sha, tw.workq, &w.sessions[i]));
}

static void end_session(struct doca_sha_partial_session *session)
{
    ck_assert_success(doca_sha_partial_session_destroy(w.sha, tw.workq, session));
}

static void leave_sessions(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (w.sessions[i])
            end_session(w.sessions[i]);
        w.sessions[i] = NULL;
    }
    leave();
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "ctx"))
        return GIVE(w.sha);
    if (same(param, "workq"))
        return GIVE(tw.workq);
    if (same(param, "session") && same(function, "doca_sha_partial_session_create"))
        return GIVEN_NONE;
    if (same(param, "session") || same(param, "from_session"))
        return GIVE_OBJECT(w.sessions[0]);
    if (same(param, "to_session"))
        return GIVE_OBJECT(w.sessions[1]);
    *value = DOCA_SHA_JOB_SHA256;
    return same(param, "job_type") ? GIVEN : task_world_argument(param, value);
}

static void session_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_sha_partial_session_create"))
        end_session(*(struct doca_sha_partial_session **)(uintptr_t)a[2]);
    else if (same(function, "doca_sha_partial_session_destroy"))
        w.sessions[0] = NULL;
}
#endif

#define CONF    OK, OK, STATE, STATE, OK
#define ALLOC   STATE, STATE, OK, OK, STATE
#define SESSION ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, OK

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped, started, with sessions
    {"doca_sha_create", ANY(OK)},
    {"doca_sha_destroy", {OK, OK, IN_USE, IN_USE, OK, OK, IN_USE}},
    {"doca_sha_as_ctx", ANY(OK)},
    {FN(doca_sha_cap_get_max_list_buf_num_elem), ANY(OK)},
    {FN(doca_sha_cap_get_max_src_buf_size), ANY(OK)},
    {FN(doca_sha_cap_get_min_dst_buf_size), ANY(OK)},

    ROW_OF_2_2("doca_sha_job_get_supported", ANY(OK)),
    ROW_OF_2_2("doca_sha_get_hardware_supported", ANY(OK)),
    ROW_OF_2_2("doca_sha_partial_session_create", {INVALID, OK, OK, OK, OK, INVALID, OK}),
    ROW_OF_2_2("doca_sha_partial_session_destroy", {SESSION}),
    ROW_OF_2_2("doca_sha_partial_session_copy", {SESSION}),

    ROW_OF_3("doca_sha_cap_task_hash_get_supported", ANY(OK)),
    ROW_OF_3("doca_sha_cap_task_partial_hash_get_supported", ANY(OK)),
    ROW_OF_3("doca_sha_cap_get_partial_hash_block_size", ANY(OK)),
    ROW_OF_3("doca_sha_cap_get_max_num_tasks", ANY(OK)),
    ROW_OF_3("doca_sha_task_hash_set_conf", {CONF}),
    ROW_OF_3("doca_sha_task_partial_hash_set_conf", {CONF}),
    ROW_OF_3("doca_sha_task_hash_alloc_init", {ALLOC}, "src_buf dst_buf"),
    ROW_OF_3("doca_sha_task_partial_hash_alloc_init", {ALLOC}, "src_buf dst_buf"),
};

GROUP(shas) = {
    .name = "sha",
    .states = {CONTEXT_STATES, EITHER("with sessions", "")},
    ROWS(ctx_rows),
    .probe = EITHER("doca_sha_partial_session_create", "doca_sha_task_hash_set_conf"),
    .enter = EITHER(enter_sessions, enter_ctx),
    .leave = EITHER(leave_sessions, leave),
    .argument = argue,
    .lifetimes = lifetimes,
    .succeeded = EITHER(session_succeeded, NULL),
};

#if GENERATION == 3
static const struct row task_rows[] = {
    // allocated, in flight, done once, freed
    {"doca_sha_task_hash_as_task", ANY(OK)},
    {"doca_sha_task_hash_set_src", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_src", ANY(OK)},
    {"doca_sha_task_hash_set_dst", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_dst", ANY(OK)},
    {"doca_sha_task_hash_set_algorithm", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_algorithm", ANY(OK)},
    {"doca_sha_task_partial_hash_as_task", ANY(OK)},
    {"doca_sha_task_partial_hash_reset", {OK, INVALID, OK, OK}},
    {"doca_sha_task_partial_hash_set_src", {OK, INVALID, OK, OK}},
    {"doca_sha_task_partial_hash_get_src", ANY(OK)},
    {"doca_sha_task_partial_hash_set_dst", {OK, STATE, OK, OK}},
    {"doca_sha_task_partial_hash_get_dst", ANY(OK)},
    {"doca_sha_task_partial_hash_set_algorithm", {OK, STATE, STATE, OK}},
    {"doca_sha_task_partial_hash_get_algorithm", ANY(OK)},
    {"doca_sha_task_partial_hash_set_is_final_buf", {STATE, STATE, OK, STATE}},
    {"doca_sha_task_partial_hash_get_is_final", ANY(OK)},
    {"doca_sha_task_partial_hash_get_has_result", ANY(OK)},
};

GROUP(sha_tasks) = {
    .name = "sha task",
    .states = {TASK_STATES},
    ROWS(task_rows),
    .probe = "doca_sha_task_hash_set_src",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};
#endif
