// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a program of Comch may have, end to end: servers, connections, consumers, and what
// producers need for each consumer; and the descriptors of the process. Whoever wants more gets an
// error, and one line that names the limit; the others do not notice, and what was given back can
// be had again.

#include "child.h"
#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "text_names.h"

#include <doca_log.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ALLOWED 3
#define NAME    "limited"

// ---- what the library says ---------------------------------------------------------------------

static char line[1024], named[64];
static unsigned n_named;

static void read_line(char *text)
{
    n_named += text_names(text, named);
}

// Counts the lines that name this limit, from now on.
static void listen_for(const char *option)
{
    static struct doca_log_backend *backend;
    if (!backend)
        OK(doca_log_backend_create_with_buf_sdk(line, sizeof(line), read_line, &backend));
    snprintf(named, sizeof(named), "%s", option);
    n_named = 0;
}

// ---- nodes -------------------------------------------------------------------------------------

// The program on one side has a limit, the other one has none.
static void start_nodes(bool apart, const char *of_host, const char *of_dpu)
{
    char config[512];
    snprintf(config, sizeof(config), "limits { %s }\n", of_host);
    struct path host = temp_file("host.conf", config);
    nodes.apart = apart;
    nodes.host = daemon_start(&(struct daemon_options){.role = "host", .config = host.s});
    snprintf(config, sizeof(config), "limits { %s }\npeer \"host\" { socket = \"%s\"\n %s }\n",
             of_dpu, nodes.host->socket.s, apart ? "descriptors = no" : "");
    struct path dpu = temp_file("dpu.conf", config);
    nodes.dpu = daemon_start(&(struct daemon_options){.role = "dpu", .config = dpu.s});
    unlink(host.s); // they have read them
    unlink(dpu.s);
    daemon_wait_links(nodes.host, 1);
    daemon_wait_links(nodes.dpu, 1);
}

static void assert_nothing_left(void)
{
    const struct daemon *both[] = {nodes.host, nodes.dpu};
    for (int i = 0; i < 2; i++) {
        assert_baseline(both[i]);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_channels"), 0);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_rdma_endpoints"), 0);
    }
}

// ---- connections -------------------------------------------------------------------------------

static void say_nothing(struct doca_comch_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void hear_nothing(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                         struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len, (void)from;
}

static void stop_client(struct end *e)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
}

static void make_client(struct end *e)
{
    end_make_client(e, NAME);
    OK(doca_comch_client_task_send_set_conf(e->client, say_nothing, say_nothing, 1));
    OK(doca_comch_client_event_msg_recv_register(e->client, hear_nothing));
}

// Twice, so that what the first round had is available again.
static int connects_often(struct child *self, void *arg)
{
    struct end ends[ALLOWED + 1];
    (void)self, (void)arg;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i <= ALLOWED; i++)
            make_client(&ends[i]);
        for (int i = 0; i < ALLOWED; i++)
            (void)end_start_client(&ends[i]);
        listen_for("channels_per_session");
        REFUSED(DOCA_ERROR_INITIALIZATION, doca_ctx_start(ends[ALLOWED].ctx));
        ck_assert_int_eq(ends[ALLOWED].state, DOCA_CTX_STATE_IDLE);
        ck_assert(round > 0 || n_named == 1); // what is said again within a second is counted
        stop_client(&ends[0]);
        (void)end_start_client(&ends[ALLOWED]);
        for (int i = 1; i <= ALLOWED; i++)
            stop_client(&ends[i]);
        for (int i = 0; i <= ALLOWED; i++)
            end_destroy(&ends[i]);
    }
    return 0;
}

static void make_server(struct end *e, const char *name)
{
    end_make_server(e, name);
    OK(doca_comch_server_task_send_set_conf(e->server, say_nothing, say_nothing, 1));
    OK(doca_comch_server_event_msg_recv_register(e->server, hear_nothing));
}

static unsigned n_left;

static void come(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && c && successful);
}

static void leave(struct doca_comch_event_connection_status_changed *event,
                  struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && c && successful);
    n_left++;
}

// The connections of a server are its clients': its own limit counts servers.
static int serves(struct child *self, void *arg)
{
    struct end e[ALLOWED + 1];
    (void)arg;
    for (int i = 0; i <= ALLOWED; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%s%.0d", NAME, i);
        make_server(&e[i], name);
    }
    OK(doca_comch_server_event_connection_status_changed_register(e[0].server, come, leave));
    for (int i = 0; i < ALLOWED; i++)
        OK(doca_ctx_start(e[i].ctx));
    listen_for("channels_per_session");
    REFUSED(DOCA_ERROR_INITIALIZATION, doca_ctx_start(e[ALLOWED].ctx));
    ck_assert_uint_eq(n_named, 1);
    OK(doca_ctx_stop(e[1].ctx));
    OK(doca_ctx_start(e[ALLOWED].ctx));
    child_tell(self, "serves");
    UNTIL(&e[0], n_left == 2 * (ALLOWED + 1));
    for (int i = 0; i <= ALLOWED; i++) {
        if (i != 1)
            OK(doca_ctx_stop(e[i].ctx));
        end_destroy(&e[i]);
    }
    return 0;
}

START_TEST(too_many_connections)
{
    start_nodes(_i, "channels_per_session = 3", "channels_per_session = 3");
    struct child *server = child_start(nodes.dpu, "server", serves, NULL);
    child_wait(server, "serves");
    child_join(child_start(nodes.host, "clients", connects_often, NULL));
    child_join(server);
    assert_nothing_left();
}
END_TEST

// ---- consumers ---------------------------------------------------------------------------------

// Where the limit is, and where the consumers are, which is on the server.
enum whose { OF_CONSUMER, OF_PRODUCERS };

static enum whose whose;

static void start_receivers(struct receiver *r, struct end *e, struct doca_comch_connection *c)
{
    for (int i = 0; i <= ALLOWED; i++)
        receiver_make(&r[i], e, c, e->pe);
    for (int i = 0; i < ALLOWED; i++)
        receiver_start(&r[i]);
}

// It starts if the limit is of the other side: then that one's answer ends it.
static void start_in_vain(struct receiver *r)
{
    if (whose == OF_CONSUMER) {
        REFUSED(DOCA_ERROR_INITIALIZATION, doca_ctx_start(r->ctx));
    } else {
        REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r->ctx));
        PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_IDLE);
    }
    ck_assert_int_eq(r->state, DOCA_CTX_STATE_IDLE);
}

static int consumes(struct child *self, void *arg)
{
    struct receiver r[ALLOWED + 1];
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    start_receivers(r, &e, c);
    listen_for("queue_pairs_per_session");
    start_in_vain(&r[ALLOWED]);
    if (whose == OF_CONSUMER)
        ck_assert_uint_eq(n_named, 1);
    post(&r[1], 0, LONGEST);
    doca_pe_progress(e.pe);
    child_tell(self, "refused");
    PROGRESS_UNTIL(e.pe, r[1].got == 1); // it does not notice
    if (doca_ctx_stop(r[0].ctx) != DOCA_SUCCESS)
        PROGRESS_UNTIL(e.pe, r[0].state == DOCA_CTX_STATE_IDLE);
    doca_pe_progress(e.pe); // tells the other side
    child_wait(self, "expired");
    receiver_start(&r[ALLOWED]);
    child_tell(self, "runs");
    for (int i = 1; i <= ALLOWED; i++)
        if (doca_ctx_stop(r[i].ctx) != DOCA_SUCCESS)
            PROGRESS_UNTIL(e.pe, r[i].state == DOCA_CTX_STATE_IDLE);
    doca_pe_progress(e.pe);
    for (int i = 0; i <= ALLOWED; i++) {
        OK(doca_comch_consumer_destroy(r[i].consumer));
        memory_end(&r[i].memory);
    }
    part(self, &e);
    return 0;
}

static int produces(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    listen_for("queue_pairs_per_session");
    sender_make(&s, &e, c);
    while (!child_hears(self))
        doca_pe_progress(e.pe); // answers, whatever comes
    child_wait(self, "send");
    if (whose == OF_PRODUCERS)
        ck_assert_uint_eq(n_named, 1);
    UNTIL(&e, known.came == ALLOWED);
    send_posted(&s, 2, 1, LONGEST, NULL);
    PROGRESS_UNTIL(s.pe, s.sent == 1);
    known.consumer = 1;
    UNTIL(&e, known.expired == 1);
    known.any_expires = true;
    child_tell(self, "expired");
    sender_end(&s);
    while (!child_hears(self))
        doca_pe_progress(e.pe);
    part(self, &e);
    return 0;
}

// Producers have memory of the other side that docad must reach, if it is not far: its engine has a
// queue pair for each of the two contexts.
START_TEST(too_many_consumers)
{
    struct child *server, *client;
    bool apart = _i >= 2;
    char limit[64];
    whose = _i % 2 ? OF_PRODUCERS : OF_CONSUMER;
    snprintf(limit, sizeof(limit), "queue_pairs_per_session = %d",
             ALLOWED + (whose == OF_PRODUCERS && !apart ? 2 : 0));
    start_nodes(apart, whose == OF_PRODUCERS ? limit : "", whose == OF_CONSUMER ? limit : "");
    start_both(&server, consumes, &client, produces);
    child_wait(server, "refused");
    child_tell(client, "send");
    child_wait(client, "expired");
    child_tell(server, "expired");
    child_wait(server, "runs");
    end_both(server, client);
    assert_nothing_left();
}
END_TEST

// ---- engines -----------------------------------------------------------------------------------

#define ENGINES 300u // more than there are places on an activity page

// Clients touch no imported memory, so each may have an engine of its own.
static int has_many_engines(struct child *self, void *arg)
{
    static struct end ends[ENGINES];
    (void)self, (void)arg;
    for (unsigned i = 0; i < ENGINES; i++) {
        make_client(&ends[i]);
        REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ends[i].ctx));
    }
    for (unsigned i = 0; i < ENGINES; i++) {
        OK(doca_ctx_stop(ends[i].ctx)); // there is no server
        end_destroy(&ends[i]);
    }
    return 0;
}

START_TEST(many_engines)
{
    start_nodes(false, "", "");
    child_join(child_start(nodes.host, "engines", has_many_engines, NULL));
    assert_nothing_left();
}
END_TEST

// ---- descriptors -------------------------------------------------------------------------------

#define LEAST 16  // descriptors that the program may have more, and then one more each time:
#define MOST  32  // each of those that a client takes is missing once
#define CROWD 16u // clients need more than these
#define TRIES 3

static rlim_t allow(rlim_t open_files)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = open_files;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return before;
}

static rlim_t first_free(void)
{
    int fd = dup(0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    return (rlim_t)fd;
}

static unsigned connect_all(struct end *ends)
{
    doca_error_t e;
    unsigned n = 0;
    while ((e = doca_ctx_start(ends[n].ctx)) == DOCA_ERROR_IN_PROGRESS) {
        int64_t limit = deadline_in(HARNESS_LIMIT_MS);
        while (ends[n].state != DOCA_CTX_STATE_RUNNING) {
            ck_assert_msg(now_ms() < limit, "client %u does not connect", n);
            doca_pe_progress(ends[n].pe);
        }
        ck_assert_uint_lt(++n, CROWD);
    }
    ck_assert_int_eq(e, DOCA_ERROR_INITIALIZATION);
    return n;
}

// The others stay connected, and the one that was refused can connect when there is room.
static int connects_until_it_is_full(struct child *self, void *arg)
{
    struct end ends[CROWD];
    (void)self, (void)arg;
    for (unsigned i = 0; i < CROWD; i++)
        make_client(&ends[i]);
    listen_for("open files");
    for (rlim_t few = LEAST; few <= MOST; few++) {
        rlim_t before = allow(first_free() + few);
        unsigned n = connect_all(ends);
        ck_assert_uint_gt(n, 0);
        allow(before);
        for (unsigned i = 0; i < n; i++) {
            doca_pe_progress(ends[i].pe);
            ck_assert_int_eq(ends[i].state, DOCA_CTX_STATE_RUNNING);
        }
        (void)end_start_client(&ends[n]);
        for (unsigned i = 0; i <= n; i++)
            stop_client(&ends[i]);
    }
    ck_assert_uint_gt(n_named, 0);
    for (unsigned i = 0; i < CROWD; i++)
        end_destroy(&ends[i]);
    return 0;
}

// It has no descriptor for its client, which tries again, until it has.
static int serves_when_it_can(struct child *self, void *arg)
{
    struct end e;
    make_server(&e, NAME);
    OK(doca_comch_server_event_connection_status_changed_register(e.server, come, leave));
    OK(doca_ctx_start(e.ctx));
    listen_for("ulimit");
    child_tell(self, "serves");
    if (arg) {
        UNTIL(&e, n_left == 1); // it has been connected: what is made once is there
        rlim_t before = allow(first_free());
        child_tell(self, "full");
        int64_t limit = deadline_in(HARNESS_LIMIT_MS);
        while (n_named == 0) {
            ck_assert_msg(now_ms() < limit, "it does not say what it lacks");
            doca_pe_progress(e.pe);
        }
        allow(before);
    }
    while (!child_hears(self))
        doca_pe_progress(e.pe);
    child_wait(self, "end");
    if (doca_ctx_stop(e.ctx) != DOCA_SUCCESS) // a client has not left yet
        UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    end_destroy(&e);
    return 0;
}

static int connects_once(struct child *self, void *arg)
{
    struct end e;
    (void)self, (void)arg;
    make_client(&e);
    (void)end_start_client(&e);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

// Whether the server is the one that is full.
START_TEST(no_descriptors)
{
    bool of_server = _i % 2;
    start_nodes(_i >= 2, "", "");
    struct child *server =
        child_start(nodes.dpu, "server", serves_when_it_can, of_server ? &nodes : NULL);
    child_wait(server, "serves");
    if (of_server) {
        child_join(child_start(nodes.host, "first", connects_once, NULL));
        child_wait(server, "full");
    }
    child_join(child_start(nodes.host, "client",
                           of_server ? connects_once : connects_until_it_is_full, NULL));
    child_tell(server, "end");
    child_join(server);
    assert_nothing_left();
}
END_TEST

// It starts while one of the docads is full, or nearly so, and keeps trying until there is room. It
// sleeps, so each turn is a try.
static int tries_until_there_is_room(struct child *self, void *arg)
{
    const rlim_t *room = arg;
    struct end e;
    make_client(&e);
    (void)end_start_client(&e); // it has what a session takes once
    stop_client(&e);
    child_tell(self, "made");
    child_wait(self, "start");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e.ctx));
    for (int tries = 0; tries < TRIES; tries++) {
        if (e.state == DOCA_CTX_STATE_STARTING)
            end_sleep(&e);
        while (doca_pe_progress(e.pe))
            ;
        ck_assert_int_ne(e.state, DOCA_CTX_STATE_IDLE);
    }
    ck_assert(*room > 0 || e.state == DOCA_CTX_STATE_STARTING);
    child_tell(self, "tried");
    UNTIL(&e, e.state == DOCA_CTX_STATE_RUNNING);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

// It has been started, and so keeps trying, also while its own process is full.
static int tries_though_it_is_full(struct child *self, void *arg)
{
    struct end e;
    (void)arg;
    make_client(&e);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e.ctx)); // there is no server
    end_sleep(&e);
    rlim_t before = allow(first_free());
    listen_for("ulimit");
    for (int tries = 0; tries < TRIES; tries++) {
        end_sleep(&e);
        while (doca_pe_progress(e.pe))
            ;
        ck_assert_int_eq(e.state, DOCA_CTX_STATE_STARTING);
    }
    ck_assert_uint_gt(n_named, 0);
    allow(before);
    child_tell(self, "tried");
    UNTIL(&e, e.state == DOCA_CTX_STATE_RUNNING);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

START_TEST(no_descriptors_between_tries)
{
    start_nodes(false, "", "");
    struct child *client = child_start(nodes.host, "client", tries_though_it_is_full, NULL);
    child_wait(client, "tried");
    struct child *server = child_start(nodes.dpu, "server", serves_when_it_can, NULL);
    child_wait(server, "serves");
    child_join(client);
    child_tell(server, "end");
    child_join(server);
    assert_nothing_left();
}
END_TEST

static rlim_t first_free_of(const struct daemon *daemon)
{
    char path[48];
    rlim_t fd = 0;
    do
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)daemon->pid, (int)fd++);
    while (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    return fd - 1;
}

static void allow_docad(const struct daemon *daemon, rlim_t open_files, struct rlimit *before)
{
    struct rlimit limit;
    ck_assert_int_eq(prlimit(daemon->pid, RLIMIT_NOFILE, NULL, before), 0);
    limit = *before;
    limit.rlim_cur = open_files;
    ck_assert_int_eq(prlimit(daemon->pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

// Whose docad is the one that is full, and whether they are apart.
START_TEST(no_descriptors_of_docad)
{
    struct rlimit before;
    start_nodes(_i >= 2, "", "");
    struct daemon *full = _i % 2 ? nodes.host : nodes.dpu;
    struct child *server = child_start(nodes.dpu, "server", serves_when_it_can, NULL);
    child_wait(server, "serves");
    for (rlim_t room = 0; room < 8; room++) {
        struct child *client = child_start(nodes.host, "client", tries_until_there_is_room, &room);
        child_wait(client, "made");
        allow_docad(full, first_free_of(full) + room, &before);
        child_tell(client, "start");
        child_wait(client, "tried");
        ck_assert_int_eq(prlimit(full->pid, RLIMIT_NOFILE, &before, NULL), 0);
        child_join(client);
    }
    child_tell(server, "end");
    child_join(server);
    assert_nothing_left();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_limits");
    TCase *limits = tcase_create("limits");
    tcase_add_checked_fixture(limits, env_setup, env_teardown);
    tcase_add_loop_test(limits, too_many_connections, 0, 2);
    tcase_add_loop_test(limits, too_many_consumers, 0, 4);
    tcase_add_test(limits, many_engines);
    tcase_add_loop_test(limits, no_descriptors, 0, 4);
    tcase_add_test(limits, no_descriptors_between_tries);
    tcase_add_loop_test(limits, no_descriptors_of_docad, 0, 4);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
