// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "restarts.h"

#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "repetitions.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct restarted *restarted;
struct node_pair restarted_nodes;

struct daemon *restartable_start(const char *role, const char *peer, const char *config)
{
    return daemon_start(&(struct daemon_options){
        .role = role, .peers = {peer}, .config = config, .run = manager_run});
}

int restart_signal(int i)
{
    return i % 2 ? SIGKILL : SIGTERM;
}

// Read at each start. A busy machine takes longer than docad waits by default.
static struct path write_config(const char *name, const char *peer)
{
    struct path path = log_path(name);
    cleanup_file FILE *file = fopen(path.s, "we");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "peer_grace_ms = %d\n", HARNESS_LIMIT_MS);
    if (peer)
        fprintf(file, "peer \"host\" { socket = \"%s\"\n descriptors = no }\n", peer);
    return path;
}

void restarted_start(bool apart)
{
    restarted =
        mmap(NULL, sizeof(*restarted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(restarted, MAP_FAILED);
    struct path config = write_config("host.conf", NULL);
    struct daemon *host = restartable_start("host", NULL, config.s);
    config = write_config("dpu.conf", apart ? host->socket.s : NULL);
    struct daemon *dpu = restartable_start("dpu", apart ? NULL : host->socket.s, config.s);
    restarted_nodes = (struct node_pair){.host = host, .dpu = dpu};
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
}

void restarted_stop(void)
{
    assert_baseline(restarted_nodes.dpu);
    assert_baseline(restarted_nodes.host);
    manager_wait_kept(restarted_nodes.host, 2); // the records of this node and of the other one
    manager_wait_kept(restarted_nodes.dpu, 2);
    daemon_stop(restarted_nodes.dpu);
    daemon_stop(restarted_nodes.host);
    munmap(restarted, sizeof(*restarted));
}

static void wait_jobs(unsigned programs)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    unsigned before[RESTARTED_JOBS];
    for (unsigned i = 0; i < programs; i++)
        before[i] = restarted->jobs[i];
    for (unsigned i = 0; i < programs; i++)
        while (restarted->jobs[i] < before[i] + 2)
            ck_assert_msg(deadline_pause(deadline), "program %u does not go on", i);
}

static int restarts(void)
{
    const char *wanted = getenv("DOCAD_TEST_RESTARTS");
    if (wanted)
        return atoi(wanted);
    return (int)(DOCAD_SANITIZER[0] ? repetitions(6, 20) : repetitions(20, 100));
}

void restart_often(unsigned programs)
{
    wait_jobs(programs);
    for (int i = 0; i < restarts(); i++) {
        manager_restart(i & 1 ? restarted_nodes.dpu : restarted_nodes.host, restart_signal(i / 2));
        wait_jobs(programs);
    }
    restarted->stop = true;
}

void restarted_wait_stop(void)
{
    while (!restarted->stop)
        usleep(10000);
}
