// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two linked nodes, and the lists that a daemon reports.

#include "cleanup.h"
#include "daemon.h"
#include "deadline.h"
#include "request.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct node_pair node_pair_start(void)
{
    struct node_pair pair = {0};
    pair.host = daemon_start(&(struct daemon_options){.role = "host"});
    pair.dpu =
        daemon_start(&(struct daemon_options){.role = "dpu", .peers = {pair.host->socket.s}});
    daemon_wait_links(pair.host, 1);
    daemon_wait_links(pair.dpu, 1);
    return pair;
}

// Lies among the logs, which stay, so that the daemon can be started again.
static struct path kept_file(const char *name, const char *content)
{
    struct path path = log_path(name);
    cleanup_file FILE *file = fopen(path.s, "we");
    ck_assert_msg(file && fputs(content, file) >= 0, "%s: %s", path.s, strerror(errno));
    return path;
}

struct node_pair node_pair_start_with(const char *both, bool apart)
{
    return node_pair_start_each(both, both, apart);
}

struct node_pair node_pair_start_each(const char *of_host, const char *of_dpu, bool apart)
{
    struct node_pair pair = {.apart = apart};
    char config[1024];
    struct path file = kept_file("host.conf", of_host);
    pair.host = daemon_start(&(struct daemon_options){.role = "host", .config = file.s});
    snprintf(config, sizeof(config), "%s\npeer \"host\" { socket = \"%s\"\n descriptors = %s }\n",
             of_dpu, pair.host->socket.s, apart ? "no" : "yes");
    file = kept_file("dpu.conf", config);
    pair.dpu = daemon_start(&(struct daemon_options){.role = "dpu", .config = file.s});
    daemon_wait_links(pair.host, 1);
    daemon_wait_links(pair.dpu, 1);
    return pair;
}

struct node_pair node_pair_start_apart(const char *both)
{
    return node_pair_start_with(both, true);
}

static unsigned count_links(int sock)
{
    unsigned links = 0;
    uint64_t after = 0;
    bool more = true;
    while (more) {
        cleanup_message Docad__Message *reply = raw_list(sock, DOCAD__LIST__KIND__PEERS, after);
        for (size_t i = 0; i < reply->list_reply->n_peers; i++)
            links += strcmp(reply->list_reply->peers[i]->state, "linked") == 0;
        more = reply->list_reply->more;
        after = reply->list_reply->last;
    }
    return links;
}

void daemon_wait_links(const struct daemon *daemon, unsigned links)
{
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    int64_t deadline = deadline_in(daemon->limit_ms);
    while (count_links(sock) != links)
        if (!deadline_pause(deadline))
            ck_abort_msg("%s: %u links, not %u", daemon->socket.s, count_links(sock), links);
}

static unsigned count_sessions(int sock)
{
    unsigned sessions = 0;
    uint64_t after = 0;
    bool more = true;
    while (more) {
        cleanup_message Docad__Message *reply = raw_list(sock, DOCAD__LIST__KIND__SESSIONS, after);
        for (size_t i = 0; i < reply->list_reply->n_sessions; i++)
            sessions += !reply->list_reply->sessions[i]->tool;
        more = reply->list_reply->more;
        after = reply->list_reply->last;
    }
    return sessions;
}

static void count(int sock, struct daemon_counts *out)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_STATUS;
    request.status = &status;
    cleanup_message Docad__Message *reply =
        raw_expect(sock, &request, DOCAD__MESSAGE__BODY_STATUS_REPLY);
    const Docad__StatusReply *s = reply->status_reply;
    *out = (struct daemon_counts){
        .sessions = count_sessions(sock),
        .regions = s->regions,
        .exports = s->exports,
        .imports = s->imports,
        .queue_pairs = s->queue_pairs,
        .publications = s->publications,
    };
}

void daemon_counts(const struct daemon *daemon, struct daemon_counts *out)
{
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    count(sock, out);
}

static uint64_t metric(int sock, const char *name)
{
    Docad__Metrics metrics = DOCAD__METRICS__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_METRICS;
    request.metrics = &metrics;
    cleanup_message Docad__Message *reply =
        raw_expect(sock, &request, DOCAD__MESSAGE__BODY_METRICS_REPLY);
    const char *line = reply->metrics_reply->text;
    size_t length = strlen(name);
    while (line && (strncmp(line, name, length) != 0 || line[length] != ' '))
        line = (line = strchr(line, '\n')) ? line + 1 : NULL;
    return line ? strtoull(line + length, NULL, 10) : 0;
}

uint64_t daemon_metric(const struct daemon *daemon, const char *name)
{
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    return metric(sock, name);
}

void daemon_wait_metric(const struct daemon *daemon, const char *name, uint64_t least)
{
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    int64_t deadline = deadline_in(daemon->limit_ms);
    while (metric(sock, name) < least)
        if (!deadline_pause(deadline))
            ck_abort_msg("%s: %s is not %llu", daemon->socket.s, name, (unsigned long long)least);
}

void assert_baseline(const struct daemon *daemon)
{
    static const struct daemon_counts zero;
    struct daemon_counts counts;
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    int64_t deadline = deadline_in(daemon->limit_ms);
    for (;;) {
        count(sock, &counts);
        if (memcmp(&counts, &zero, sizeof(zero)) == 0)
            return;
        if (!deadline_pause(deadline))
            break;
    }
    ck_abort_msg("%s: left behind: %u sessions, %u regions, %u exports, %u imports, "
                 "%u queue pairs, %u publications",
                 daemon->socket.s, counts.sessions, counts.regions, counts.exports, counts.imports,
                 counts.queue_pairs, counts.publications);
}
