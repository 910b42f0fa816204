// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "metrics_quotas.h"

#include "config.h"
#include "metric_label.h"
#include "ended_names.h"
#include "node.h"
#include "node_id.h"
#include "peer.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>

static void head(FILE *f, const char *name, const char *help)
{
    fprintf(f, "# TYPE docad_%s gauge\n# HELP docad_%s %s\n", name, name, help);
}

// ---- users --------------------------------------------------------------------------------

struct fullest {
    const struct user *users[METRICS_USERS_MAX];
    double full[METRICS_USERS_MAX]; // of the quota that is nearest to its limit: 0 to 1, or more
    size_t n, all;
};

static double how_full(const struct limits *limits, const struct limit_sums *sums,
                       const struct user *user)
{
    double fullest = 0;
    uint64_t used, most;

    for (int i = 0; i < LIMIT_PEER_FIRST; i++) {
        if (!limit_of_user(limits, (enum limit)i, sums, user, &used, &most) || used == 0)
            continue;
        double full = most ? (double)used / (double)most : 1;
        fullest = full > fullest ? full : fullest;
    }
    return fullest;
}

// Users without any object are left out.
static void add_user(struct fullest *f, const struct user *user, double full)
{
    if (full <= 0)
        return;
    f->all++;
    if (f->n == METRICS_USERS_MAX && full <= f->full[f->n - 1])
        return;
    size_t at = f->n < METRICS_USERS_MAX ? f->n++ : f->n - 1;
    for (; at > 0 && f->full[at - 1] < full; at--) {
        f->users[at] = f->users[at - 1];
        f->full[at] = f->full[at - 1];
    }
    f->users[at] = user;
    f->full[at] = full;
}

static void user_sample(FILE *f, const char *name, const struct user *user, enum limit limit,
                        uint64_t value)
{
    fprintf(f, "docad_%s{uid=\"%u\",quota=\"%s\"} %" PRIu64 "\n", name, (unsigned)user->uid,
            limit_option(limit), value);
}

static void write_users(FILE *f, const struct limits *limits, const struct limit_sums *sums,
                        const struct fullest *fullest, bool limit)
{
    uint64_t used, most;

    for (size_t i = 0; i < fullest->n; i++) {
        for (int j = 0; j < LIMIT_PEER_FIRST; j++) {
            const struct user *user = fullest->users[i];
            if (!limit_of_user(limits, (enum limit)j, sums, user, &used, &most))
                continue;
            if (!limit)
                user_sample(f, "user_quota_used", user, (enum limit)j, used);
            else if (most != LIMIT_UNLIMITED)
                user_sample(f, "user_quota_limit", user, (enum limit)j, most);
        }
    }
}

// ---- all users together -------------------------------------------------------------------

static const struct {
    enum limit limit, of; // of: the corresponding limit of a user
} all_users[] = {
    {LIMIT_ALL_PINNED_BYTES, LIMIT_PINNED_BYTES},
    {LIMIT_ALL_METADATA, LIMIT_METADATA},
    {LIMIT_ALL_DESCRIPTORS, LIMIT_DESCRIPTORS},
};

static void write_all(FILE *f, const struct limits *limits, const struct limit_sums *sums)
{
    head(f, "quota_used", "Usage of shared resources by all users together, by quota.");
    for (size_t i = 0; i < sizeof(all_users) / sizeof(all_users[0]); i++)
        fprintf(f, "docad_quota_used{quota=\"%s\"} %" PRIu64 "\n", limit_option(all_users[i].limit),
                sums->of[all_users[i].of]);
    head(f, "quota_limit", "Limit for all users together; absent: unlimited.");
    for (size_t i = 0; i < sizeof(all_users) / sizeof(all_users[0]); i++)
        if (limits->value[all_users[i].limit] != LIMIT_UNLIMITED)
            fprintf(f, "docad_quota_limit{quota=\"%s\"} %" PRIu64 "\n",
                    limit_option(all_users[i].limit), limits->value[all_users[i].limit]);
}

// ---- linked nodes -------------------------------------------------------------------------

static uint64_t used_by_peer(const struct peer *p, enum limit limit)
{
    switch (limit) {
    case LIMIT_PEER_IMPORTERS:
        return p->held.importers;
    case LIMIT_PEER_GRANTS:
        return p->held.grants;
    case LIMIT_PEER_QUEUE_PAIRS:
        return p->held.qpairs;
    case LIMIT_PEER_PUBLICATIONS:
        return p->names ? p->names->count : 0;
    default:
        return p->held.descriptors;
    }
}

static void write_peers(FILE *f, const struct node *node, const char *name, bool limit)
{
    const struct limits *limits = node_limits(node);
    char id[NODE_ID_TEXT_SIZE];
    const struct peer *p;

    list_for_each (p, &node->peers, in_node) {
        if (!p->known || peer_find((struct node *)node, p->id_there) != p)
            continue; // for a moment it may be in the list twice
        node_id_format(p->id_there, id);
        for (int i = LIMIT_PEER_FIRST; i <= LIMIT_PEER_DESCRIPTORS; i++) {
            uint64_t value = limit ? limits->value[i] : used_by_peer(p, (enum limit)i);
            if (value == LIMIT_UNLIMITED)
                continue;
            fprintf(f, "docad_%s{", name);
            metric_label(f, "peer", p->name);
            fprintf(f, ",peer_id=\"%s\",quota=\"%s\"} %" PRIu64 "\n", id,
                    limit_option((enum limit)i), value);
        }
    }
}

void metrics_write_quotas(FILE *f, const struct node *node)
{
    const struct limits *limits = node_limits(node);
    struct fullest fullest = {.n = 0};
    struct limit_sums sums;
    const struct user *user;

    limit_sum(limits, &sums);
    list_for_each (user, &node->users.list, in_users)
        add_user(&fullest, user, how_full(limits, &sums, user));
    head(f, "users", "Users who own objects.");
    fprintf(f, "docad_users %zu\n", fullest.all);
    head(f, "user_quota_used",
         "Usage by a user, by quota; if there are many users, those who are nearest to a limit.");
    write_users(f, limits, &sums, &fullest, false);
    head(f, "user_quota_limit",
         "Limit of a user at the current usage by others; absent: unlimited.");
    write_users(f, limits, &sums, &fullest, true);
    write_all(f, limits, &sums);
    head(f, "peer_quota_used", "Usage by a linked node, by quota.");
    write_peers(f, node, "peer_quota_used", false);
    head(f, "peer_quota_limit", "Limit of a linked node; absent: unlimited.");
    write_peers(f, node, "peer_quota_limit", true);
}
