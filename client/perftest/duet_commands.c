// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The commands sync_lat and cc_rate, and the rows of `compare` for the same.

#include "clock.h"
#include "commands.h"
#include "duet.h"
#include "rows.h"
#include "stats.h"

#include <stdlib.h>

#define ROUND      1000u // signals of the first round of a run that lasts for a time
#define ROUND_NS   50000000u
#define GIB        (1024.0 * 1024 * 1024)
#define ROUNDS_MAX 1024u

// Repeats as often as set, or for a time: the median of rounds.
static bool play_long(struct duet *duet, enum duet_piece piece, const struct options *options,
                      uint64_t *iters, double *ns)
{
    uint64_t begin = clock_ns(), done = 0, round = ROUND;
    double took[ROUNDS_MAX];
    size_t rounds = 0;

    *iters = options->iters;
    if (!options->seconds)
        return duet_play(duet, piece, *iters, ns);
    while (clock_ns() - begin < options->seconds * 1000000000) {
        uint64_t before = clock_ns();
        if (!duet_play(duet, piece, round, &took[rounds++ % ROUNDS_MAX]))
            return false;
        done += round;
        if (clock_ns() - before < ROUND_NS)
            round *= 2;
    }
    *iters = done;
    *ns = median(took, rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX);
    return true;
}

static bool measure_both(struct run *run, bool channels, uint64_t *iters, double *ours,
                         double *bare)
{
    const struct options *options = run->options;
    enum duet_piece piece = channels ? DUET_CHANNEL : DUET_EVENT;
    struct duet duet;
    double warm;

    bool ok = duet_open(&duet, run, channels ? DUET_BY_CHANNEL : DUET_BY_EVENT, options->size, 1,
                        &run->result->problem) &&
              (options->warmup == 0 || duet_play(&duet, piece, options->warmup, &warm)) &&
              play_long(&duet, piece, options, iters, ours) &&
              (options->server || // there is no bare memory between machines
               duet_play(&duet, channels ? DUET_SOCKET : DUET_WORD, *iters, bare));
    duet_close(&duet);
    return ok;
}

bool run_sync_lat(struct run *run)
{
    double ours, bare;
    uint64_t iters;
    if (!measure_both(run, false, &iters, &ours, &bare))
        return false;
    result_add(run->result, "iterations", "#iterations", (double)iters, 0);
    result_add(run->result, "one_way_ns", "one way[ns]", ours, 1);
    if (!run->options->server) {
        result_add(run->result, "bare_one_way_ns", "bare[ns]", bare, 1);
        result_add(run->result, "ratio", "ratio", ours / bare, 3);
    }
    return run->result->verified = true;
}

bool run_cc_rate(struct run *run)
{
    double ours, bare;
    uint64_t iters;
    if (!measure_both(run, true, &iters, &ours, &bare))
        return false;
    result_add(run->result, "bytes", "#bytes", (double)run->options->size, 0);
    result_add(run->result, "iterations", "#iterations", (double)iters, 0);
    result_add(run->result, "message_rate_mpps", "MsgRate[Mpps]", 1e3 / ours, 6);
    if (!run->options->server) {
        result_add(run->result, "bare_rate_mpps", "bare[Mpps]", 1e3 / bare, 6);
        result_add(run->result, "ratio", "ratio", bare / ours, 3);
    }
    return run->result->verified = true;
}

bool check_duet(struct options *options, struct problem *problem)
{
    if (options->size == 0 || options->size > DUET_MESSAGE_MAX)
        return problem_set(problem, "--size must be 1 to %d bytes here", DUET_MESSAGE_MAX);
    return true;
}

// ---- rows -----------------------------------------------------------------------------

static enum duet_piece first_piece(const struct trial *trial)
{
    switch (trial->duet->means) {
    case DUET_BY_CHANNEL:
        return DUET_CHANNEL;
    case DUET_BY_COMCH:
        return DUET_COMCH;
    case DUET_BY_COMCH_PATH:
        return trial->row->rdma == RDMA_SEND_LAT ? DUET_PATH_PING : DUET_PATH_STREAM;
    default:
        return DUET_EVENT;
    }
}

static bool open(struct trial *trial, enum duet_means means)
{
    double warm;
    trial->duet = malloc(sizeof(*trial->duet));
    if (!trial->duet)
        return problem_set(trial->problem, "out of memory");
    return duet_open(trial->duet, trial->run, means, trial->row->size, trial->row->batch,
                     trial->problem) &&
           duet_play(trial->duet, first_piece(trial), 1000, &warm);
}

static bool value_of(struct trial *trial, enum duet_piece piece, double *value)
{
    double ns;
    if (!duet_play(trial->duet, piece, trial->row->jobs, &ns))
        return false;
    bool messages = trial->duet->means == DUET_BY_CHANNEL || trial->duet->means == DUET_BY_COMCH;
    *value = messages ? 1e3 / ns : ns;
    return true;
}

static bool open_sync(struct trial *trial)
{
    return open(trial, trial->row->contexts ? DUET_BY_EVENT_3 : DUET_BY_EVENT);
}

static bool ours_sync(struct trial *trial, double *value)
{
    return value_of(trial, DUET_EVENT, value);
}

static bool theirs_sync(struct trial *trial, double *value)
{
    return value_of(trial, DUET_WORD, value);
}

static bool open_channel(struct trial *trial)
{
    return open(trial, DUET_BY_CHANNEL);
}

static bool ours_channel(struct trial *trial, double *value)
{
    return value_of(trial, DUET_CHANNEL, value);
}

static bool theirs_channel(struct trial *trial, double *value)
{
    return value_of(trial, DUET_SOCKET, value);
}

// The answer to the last message confirms that all have come.
static bool open_channel_link(struct trial *trial)
{
    const struct tls_plan plan = {trial->row->size, 1, (uint32_t)trial->row->jobs};
    return tls_pair_open(&trial->tls, &plan, trial->problem) && open_channel(trial);
}

static bool theirs_channel_link(struct trial *trial, double *value)
{
    uint64_t n = trial->row->jobs, before = ticks_now();
    if (!tls_pair_run(trial->tls, n, (uint32_t)n, trial->problem))
        return false;
    *value = (double)n / ticks_to_ns(ticks_now() - before) * 1e3;
    return true;
}

static bool open_comch(struct trial *trial)
{
    return open(trial, DUET_BY_COMCH);
}

static bool ours_comch(struct trial *trial, double *value)
{
    return value_of(trial, DUET_COMCH, value);
}

static bool open_path(struct trial *trial)
{
    return open(trial, DUET_BY_COMCH_PATH);
}

// As ucx_perftest counts. A signal in one direction is half the round-trip time already.
static bool ours_path(struct trial *trial, double *value)
{
    const struct row *row = trial->row;
    uint64_t n = trial->quick ? row->jobs / 20 : row->jobs;
    double ns;

    if (!duet_play(trial->duet, first_piece(trial), n, &ns))
        return false;
    *value = row->rate                    ? (double)row->size / ns * 1e9 / GIB
             : row->rdma == RDMA_SEND_LAT ? ns
                                          : 1e3 / ns;
    return true;
}

static bool theirs_path_copy(struct trial *trial, double *value)
{
    uint64_t n = trial->row->jobs, before = ticks_now();
    comch_rig_copy(trial->duet->comch, n);
    double ns = ticks_to_ns(ticks_now() - before) / (double)n;
    *value = (double)trial->row->size / ns * 1e9 / GIB;
    return true;
}

static bool verify(struct trial *trial)
{
    (void)trial; // each side waits for messages of the other one
    return true;
}

static void close_duet(struct trial *trial)
{
    if (trial->duet)
        duet_close(trial->duet);
    free(trial->duet);
}

static void close_channel_link(struct trial *trial)
{
    tls_pair_close(trial->tls);
    close_duet(trial);
}

const struct method method_sync = {open_sync, ours_sync, theirs_sync, verify, close_duet};
const struct method method_channel = {open_channel, ours_channel, theirs_channel, verify,
                                      close_duet};
const struct method method_channel_link = {open_channel_link, ours_channel, theirs_channel_link,
                                           verify, close_channel_link};
const struct method method_comch = {open_comch, ours_comch, theirs_channel, verify, close_duet};
const struct method method_path = {open_path, ours_path, trial_ucx, verify, close_duet};
const struct method method_path_copy = {open_path, ours_path, theirs_path_copy, verify, close_duet};
