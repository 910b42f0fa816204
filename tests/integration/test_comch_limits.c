// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a program of Comch may have, end to end: servers, connections, consumers, and what
// producers need for each consumer; and the descriptors of the process. Whoever wants more gets an
// error, and one line that names the limit; the others do not notice, and what was given back can
// be had again.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "text_names.h"

#include <doca_log.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ALLOWED 3
#define NAME    "limited"

// ---- what the library says

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

// ---- connections

static const struct end_plan client_plan = {.name = NAME};

// Twice, so that what the first round had is available again.
static int connects_often(struct child *self, void *arg)
{
    struct end ends[ALLOWED + 1];
    (void)self, (void)arg;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i <= ALLOWED; i++)
            end_make(&ends[i], &client_plan);
        for (int i = 0; i < ALLOWED; i++)
            (void)end_start_client(&ends[i]);
        listen_for("channels_per_session");
        REFUSED(DOCA_ERROR_INITIALIZATION, doca_ctx_start(ends[ALLOWED].ctx));
        ck_assert_int_eq(ends[ALLOWED].state, DOCA_CTX_STATE_IDLE);
        ck_assert(round > 0 || n_named == 1); // what is said again within a second is counted
        end_stop(&ends[0]);
        (void)end_start_client(&ends[ALLOWED]);
        for (int i = 1; i <= ALLOWED; i++)
            end_stop(&ends[i]);
        for (int i = 0; i <= ALLOWED; i++)
            end_destroy(&ends[i]);
    }
    return 0;
}

// The connections of a server are its clients': its own limit counts servers.
static int serves(struct child *self, void *arg)
{
    struct end e[ALLOWED + 1];
    (void)arg;
    for (int i = 0; i <= ALLOWED; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%s%.0d", NAME, i);
        end_make(&e[i], &(struct end_plan){.name = name, .serves = true});
    }
    for (int i = 0; i < ALLOWED; i++)
        OK(doca_ctx_start(e[i].ctx));
    listen_for("channels_per_session");
    REFUSED(DOCA_ERROR_INITIALIZATION, doca_ctx_start(e[ALLOWED].ctx));
    ck_assert_uint_eq(n_named, 1);
    OK(doca_ctx_stop(e[1].ctx));
    OK(doca_ctx_start(e[ALLOWED].ctx));
    child_tell(self, "serves");
    UNTIL(&e[0], e[0].left == 2 * (ALLOWED + 1));
    for (int i = 0; i <= ALLOWED; i++) {
        if (i != 1)
            OK(doca_ctx_stop(e[i].ctx));
        end_destroy(&e[i]);
    }
    return 0;
}

START_TEST(too_many_connections)
{
    nodes = node_pair_start_with("limits { channels_per_session = 3 }", _i);
    struct child *server = child_start(nodes.dpu, "server", serves, NULL);
    child_wait(server, "serves");
    child_join(child_start(nodes.host, "clients", connects_often, NULL));
    child_join(server);
    assert_nothing_left();
}
END_TEST

// ---- consumers

// Where the limit is, and where the consumers are, which is on the server.
enum whose { OF_CONSUMER, OF_PRODUCERS };

static enum whose whose;

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

static void consumes(struct end *e)
{
    struct receiver r[ALLOWED + 1];
    for (int i = 0; i <= ALLOWED; i++)
        receiver_make(&r[i], e, e->connection, e->pe);
    for (int i = 0; i < ALLOWED; i++)
        receiver_start(&r[i]);
    listen_for("queue_pairs_per_session");
    start_in_vain(&r[ALLOWED]);
    if (whose == OF_CONSUMER)
        ck_assert_uint_eq(n_named, 1);
    post(&r[1], 0, LONGEST);
    doca_pe_progress(e->pe);
    child_tell(e->self, "refused");
    PROGRESS_UNTIL(e->pe, r[1].got == 1); // it does not notice
    if (doca_ctx_stop(r[0].ctx) != DOCA_SUCCESS)
        PROGRESS_UNTIL(e->pe, r[0].state == DOCA_CTX_STATE_IDLE);
    doca_pe_progress(e->pe); // tells the other side
    child_wait(e->self, "expired");
    receiver_start(&r[ALLOWED]);
    child_tell(e->self, "runs");
    for (int i = 1; i <= ALLOWED; i++)
        if (doca_ctx_stop(r[i].ctx) != DOCA_SUCCESS)
            PROGRESS_UNTIL(e->pe, r[i].state == DOCA_CTX_STATE_IDLE);
    doca_pe_progress(e->pe);
    for (int i = 0; i <= ALLOWED; i++) {
        OK(doca_comch_consumer_destroy(r[i].consumer));
        memory_end(&r[i].memory);
    }
}

static void produces(struct end *e)
{
    struct sender s;
    listen_for("queue_pairs_per_session");
    sender_make(&s, e, e->connection);
    end_progress_until(e, "send"); // answers, whatever comes
    if (whose == OF_PRODUCERS)
        ck_assert_uint_eq(n_named, 1);
    UNTIL(e, known.came == ALLOWED);
    send_posted(&s, 2, 1, LONGEST, NULL);
    PROGRESS_UNTIL(s.pe, s.sent == 1);
    known.consumer = 1;
    UNTIL(e, known.expired == 1);
    known.any_expires = true;
    child_tell(e->self, "expired");
    sender_end(&s);
    while (!child_hears(e->self))
        doca_pe_progress(e->pe);
}

// Producers have memory of the other side that docad must reach, if it is not far: its engine has a
// queue pair for each of the two contexts.
START_TEST(too_many_consumers)
{
    bool apart = _i >= 2;
    char limit[64];
    whose = _i % 2 ? OF_PRODUCERS : OF_CONSUMER;
    snprintf(limit, sizeof(limit), "limits { queue_pairs_per_session = %d }",
             ALLOWED + (whose == OF_PRODUCERS && !apart ? 2 : 0));
    nodes = node_pair_start_each(whose == OF_PRODUCERS ? limit : "",
                                 whose == OF_CONSUMER ? limit : "", apart);
    struct pair pair = pair_start(MEETS(consumes), MEETS(produces));
    child_wait(pair.server, "refused");
    child_tell(pair.client, "send");
    child_wait(pair.client, "expired");
    child_tell(pair.server, "expired");
    child_wait(pair.server, "runs");
    pair_end(&pair);
    assert_nothing_left();
}
END_TEST

// ---- engines

#define ENGINES 300u // more than there are first places on an activity page

// Clients touch no imported memory, so each may have an engine of its own.
static int has_many_engines(struct child *self, void *arg)
{
    static struct end ends[ENGINES];
    (void)self, (void)arg;
    for (unsigned i = 0; i < ENGINES; i++) {
        end_make(&ends[i], &client_plan);
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
    nodes = node_pair_start();
    child_join(child_start(nodes.host, "engines", has_many_engines, NULL));
    assert_nothing_left();
}
END_TEST

// ---- descriptors

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
        end_make(&ends[i], &client_plan);
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
            end_stop(&ends[i]);
    }
    ck_assert_uint_gt(n_named, 0);
    for (unsigned i = 0; i < CROWD; i++)
        end_destroy(&ends[i]);
    return 0;
}

static const struct end_plan server_plan = {.name = NAME, .serves = true};

// It serves until the test says so.
static void serves_when_it_can(struct end *e)
{
    end_progress_until(e, "end");
    if (doca_ctx_stop(e->ctx) != DOCA_SUCCESS) // a client has not left yet
        UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
}

// It has no descriptor for its client, which tries again, until it has.
static void serves_when_it_has_room(struct end *e)
{
    listen_for("ulimit");
    UNTIL(e, e->left == 1); // it has been connected: what is made once is there
    rlim_t before = allow(first_free());
    child_tell(e->self, "full");
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    while (n_named == 0) {
        ck_assert_msg(now_ms() < limit, "it does not say what it lacks");
        doca_pe_progress(e->pe);
    }
    allow(before);
    serves_when_it_can(e);
}

static void connects_once(struct end *e)
{
    (void)end_start_client(e);
}

// Whether the server is the one that is full.
START_TEST(no_descriptors)
{
    bool of_server = _i % 2;
    nodes = node_pair_start_with("", _i >= 2);
    struct child *server = end_start_in(&server_plan, "server",
                                        of_server ? serves_when_it_has_room : serves_when_it_can);
    if (of_server) {
        child_join(end_make_in(&client_plan, "first", connects_once));
        child_wait(server, "full");
        child_join(end_make_in(&client_plan, "client", connects_once));
    } else {
        child_join(child_start(nodes.host, "client", connects_until_it_is_full, NULL));
    }
    child_tell(server, "end");
    child_join(server);
    assert_nothing_left();
}
END_TEST

// It starts while one of the docads is full, or nearly so, and keeps trying until there is room. It
// sleeps, so each turn is a try.
static rlim_t room; // of docad, for descriptors

static void tries_until_there_is_room(struct end *e)
{
    end_stop(e); // it has been connected: it has what a session takes once
    child_tell(e->self, "made");
    child_wait(e->self, "start");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
    for (int tries = 0; tries < TRIES; tries++) {
        if (e->state == DOCA_CTX_STATE_STARTING)
            end_sleep(e);
        while (doca_pe_progress(e->pe))
            ;
        ck_assert_int_ne(e->state, DOCA_CTX_STATE_IDLE);
    }
    ck_assert(room > 0 || e->state == DOCA_CTX_STATE_STARTING);
    child_tell(e->self, "tried");
    UNTIL(e, e->state == DOCA_CTX_STATE_RUNNING);
}

// It has been started, and so keeps trying, also while its own process is full.
static void tries_though_it_is_full(struct end *e)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx)); // there is no server
    end_sleep(e);
    rlim_t before = allow(first_free());
    listen_for("ulimit");
    for (int tries = 0; tries < TRIES; tries++) {
        end_sleep(e);
        while (doca_pe_progress(e->pe))
            ;
        ck_assert_int_eq(e->state, DOCA_CTX_STATE_STARTING);
    }
    ck_assert_uint_gt(n_named, 0);
    allow(before);
    child_tell(e->self, "tried");
    UNTIL(e, e->state == DOCA_CTX_STATE_RUNNING);
}

START_TEST(no_descriptors_between_tries)
{
    nodes = node_pair_start();
    struct child *client = end_make_in(&client_plan, "client", tries_though_it_is_full);
    child_wait(client, "tried");
    struct child *server = end_start_in(&server_plan, "server", serves_when_it_can);
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
    nodes = node_pair_start_with("", _i >= 2);
    struct daemon *full = _i % 2 ? nodes.host : nodes.dpu;
    struct child *server = end_start_in(&server_plan, "server", serves_when_it_can);
    for (room = 0; room < 8; room++) {
        struct child *client = end_start_in(&client_plan, "client", tries_until_there_is_room);
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

// ---- a card

static int has_less(struct child *self, void *arg)
{
    struct end e;
    uint32_t n;
    (void)self;
    ck_assert_int_eq(setenv("DOCAD_CARD", arg, 1), 0);
    end_make(&e, &client_plan);
    const struct doca_devinfo *info = doca_dev_as_devinfo(e.dev);
    OK(doca_comch_cap_get_max_msg_size(info, &n));
    ck_assert_uint_eq(n, 1000);
    OK(doca_comch_client_get_max_msg_size(e.client, &n));
    ck_assert_uint_eq(n, 1000);
    OK(doca_comch_client_set_max_msg_size(e.client, 1000));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(e.client, 1001));
    OK(doca_comch_client_set_recv_queue_size(e.client, 16));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(e.client, 17));
    OK(doca_comch_client_task_send_set_conf(e.client, end_over, end_over, 4));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_comch_client_task_send_set_conf(e.client, end_over, end_over, 5));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_is_supported(info));
    end_destroy(&e);
    return 0;
}

START_TEST(less_on_a_card)
{
    struct path card = temp_file("less.conf", "comch.max_msg_size = 1000\n"
                                              "comch.max_recv_queue_size = 16\n"
                                              "comch.max_send_tasks = 4\n"
                                              "comch.fast_path = no\n");
    nodes = node_pair_start();
    child_join(child_start(nodes.host, "card", has_less, card.s));
    unlink(card.s);
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
    tcase_add_test(limits, less_on_a_card);
    tcase_add_loop_test(limits, no_descriptors, 0, 4);
    tcase_add_test(limits, no_descriptors_between_tries);
    tcase_add_loop_test(limits, no_descriptors_of_docad, 0, 4);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
