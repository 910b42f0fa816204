// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_nodes.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
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
    char name[320]; // the name of any file in a folder
    snprintf(name, sizeof(name), "%s/%s", dir, file);
    return temp_path(name);
}

static void make_in(const char *path)
{
    docactl_done("certificates", "authority", path, NULL);
    docactl_done("certificates", "node", "host", path);
    docactl_done("certificates", "node", "dpu", path);
}

void certificates_make(const char *dir)
{
    make_in(temp_path(dir).s);
}

static struct path prepared; // the directory; "": none

void certificates_prepare(void)
{
    if (prepared.s[0])
        return;
    snprintf(prepared.s, sizeof(prepared.s), "%s/certificates", getenv("DOCAD_TEST_DIR"));
    make_in(prepared.s);
}

static void copy_file(const char *from, const char *to)
{
    struct stat st;
    cleanup_fd int in = open(from, O_RDONLY | O_CLOEXEC);
    ck_assert_msg(in >= 0 && fstat(in, &st) == 0, "%s: %s", from, strerror(errno));
    cleanup_fd int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
    ck_assert_msg(out >= 0, "%s: %s", to, strerror(errno));
    ck_assert_int_eq(sendfile(out, in, NULL, (size_t)st.st_size), st.st_size);
}

static void copy_prepared(const char *dir)
{
    ck_assert_int_eq(mkdir(temp_path(dir).s, 0700), 0);
    DIR *files = opendir(prepared.s);
    ck_assert_ptr_nonnull(files);
    for (struct dirent *file; (file = readdir(files));) {
        char from[sizeof(prepared.s) + sizeof(file->d_name)];
        snprintf(from, sizeof(from), "%s/%s", prepared.s, file->d_name);
        if (file->d_name[0] != '.')
            copy_file(from, certificates_file(dir, file->d_name).s);
    }
    closedir(files);
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
    if (prepared.s[0])
        copy_prepared("good");
    else
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
