// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_nodes.h"

#include "child.h"
#include "deadline.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char tls_host_ip[16];

static struct command_result result;

// ---- certificates -----------------------------------------------------------------------

void docactl_done(const char *a, const char *b, const char *c, const char *d)
{
    command_run(NULL, (const char *const[]){"docactl", a, b, c, d, NULL}, &result);
    ck_assert_msg(result.status == 0, "docactl %s %s: %s", a, b, result.err);
}

struct path certificates_file(const char *dir, const char *file)
{
    char name[64];
    snprintf(name, sizeof(name), "%s/%s", dir, file);
    return temp_path(name);
}

void certificates_make(const char *dir)
{
    struct path path = temp_path(dir);
    docactl_done("certificates", "authority", path.s, NULL);
    docactl_done("certificates", "node", "host", path.s);
    docactl_done("certificates", "node", "dpu", path.s);
}

struct daemon_options tls_options(const struct tls_plan *plan, const char *config_name)
{
    const char *own = plan->certificate ? plan->certificate : plan->role;
    const char *trusted = plan->authority_dir ? plan->authority_dir : plan->certificates;
    char text[2048], listen[64] = "", peer[128] = "", revoked[512] = "";
    static struct path config;

    if (!plan->dial)
        snprintf(listen, sizeof(listen), "    listen = \"%s:%d\"\n", tls_host_ip, TLS_PORT);
    else
        snprintf(peer, sizeof(peer), "peer \"%s\" {\n    address = \"%s:%d\"\n}\n", plan->dial,
                 tls_host_ip, TLS_PORT);
    if (plan->revoked_dir)
        snprintf(revoked, sizeof(revoked), "    revoked = \"%s/authority.crl\"\n",
                 temp_path(plan->revoked_dir).s);
    // A node that goes without a goodbye is waited for, for longer than the tests wait.
    int n = snprintf(text, sizeof(text),
                     "peer_grace_ms = %d\ntls {\n%s    certificate = \"%s/%s.crt\"\n"
                     "    key = \"%s/%s.key\"\n    authority = \"%s/authority.crt\"\n%s}\n%s",
                     2 * HARNESS_LIMIT_MS, listen, temp_path(plan->certificates).s, own,
                     temp_path(plan->certificates).s, own, temp_path(trusted).s, revoked, peer);
    ck_assert_int_lt(n, (int)sizeof(text));
    config = temp_file(config_name, text);
    return (struct daemon_options){.role = plan->role, .config = config.s};
}

struct daemon *tls_node_start(const struct tls_plan *plan)
{
    char name[48];
    snprintf(name, sizeof(name), "good/%s.conf", plan->role);
    struct daemon_options options = tls_options(plan, name);
    return daemon_start(&options);
}

void tls_setup(void)
{
    unsigned pid = (unsigned)getpid();
    env_setup();
    snprintf(tls_host_ip, sizeof(tls_host_ip), "127.%u.%u.%u", 1 + (pid >> 16) % 250,
             (pid >> 8) & 255, 1 + pid % 250);
    certificates_make("good");
}

void tls_teardown(void)
{
    remove_tree(temp_path("good").s);
    remove_tree(temp_path("bad").s);
    env_teardown();
}

struct node_pair tls_nodes_start(void)
{
    struct node_pair nodes = {
        .apart = true,
        .host = tls_node_start(&(struct tls_plan){.role = "host", .certificates = "good"}),
        .dpu = tls_node_start(
            &(struct tls_plan){.role = "dpu", .certificates = "good", .dial = "host"})};
    daemon_wait_links(nodes.host, 1);
    daemon_wait_links(nodes.dpu, 1);
    return nodes;
}

void tls_assert_start_refused(const struct tls_plan *plan, const char *name)
{
    char log[4096];
    struct daemon_options options = tls_options(plan, "good/bad.conf");
    ck_assert_int_eq(daemon_refused(&options, log, sizeof(log)), 1);
    assert_names(log, name);
}
