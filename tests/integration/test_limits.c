// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Quotas end to end: going over one is an error for that client alone, and what was
// given back can be had again. Many that ask at once, a full descriptor table, two uids.

#include "protocol.h"

#include "call.h"
#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "text_names.h"

#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NOBODY 65534

static char memory[64];

static struct daemon *start(const char *limits)
{
    char text[256];
    snprintf(text, sizeof(text), "limits { %s }\n", limits);
    struct path file = temp_file("docad.conf", text);
    struct daemon *daemon =
        daemon_start(&(struct daemon_options){.role = "host", .config = file.s});
    unlink(file.s); // it has read it
    return daemon;
}

static void assert_code(doca_error_t r, doca_error_t expected)
{
    ck_assert_msg(r == expected, "%s, not %s", doca_get_error_name(r),
                  doca_get_error_name(expected));
}

// Over the limit, and the text says which option raises it.
static void assert_over(doca_error_t r, const char *option)
{
    assert_code(r, DOCA_ERROR_NO_MEMORY);
    assert_names(answer->error->text, option);
}

// ---- one thing after the other until there are too many -------------------------------------

struct user {
    struct raw_session session;
    uint32_t function;
    struct descriptor d;
};

static doca_error_t add_region(struct user *u, int i)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    (void)i;
    m.address = segment.address = 0x1000;
    m.length = segment.length = 100;
    m.segments = &list;
    m.n_segments = 1;
    return call(u->session.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m);
}

static doca_error_t add_export(struct user *u, int i)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    (void)i;
    if (u->d.size == 0) {
        u->d.size = 1;
        register_brokered(u->session.sock, memory, 64, DOCA_ACCESS_RDMA_READ, u->function);
    }
    m.region_id = u->session.id + 1;
    m.function_id = u->function;
    m.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    return call(u->session.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m);
}

static const struct descriptor *own_export(struct user *u)
{
    if (u->d.size == 0) {
        uint64_t region =
            register_brokered(u->session.sock, memory, 64, DOCA_ACCESS_RDMA_READ, u->function);
        u->d = export_to(u->session.sock, region, u->function, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    }
    return &u->d;
}

static doca_error_t add_import(struct user *u, int i)
{
    (void)i;
    return import_on(u->session.sock, own_export(u), u->function);
}

static doca_error_t add_queue_pair(struct user *u, int i)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    (void)i;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, u->session.node};
    return call(u->session.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m);
}

static doca_error_t add_publication(struct user *u, int i)
{
    char name[16];
    snprintf(name, sizeof(name), "name%d", i);
    return publish(u->session.sock, name, own_export(u));
}

static const struct {
    const char *option, *limits;
    doca_error_t (*add)(struct user *u, int i);
    int allowed;
} kinds[] = {
    {"regions_per_session", "regions_per_session = 3", add_region, 3},
    {"region_bytes_per_uid", "region_bytes_per_uid = 350", add_region, 3},
    {"exports_per_session", "exports_per_session = 3", add_export, 3},
    {"imports_per_session", "imports_per_session = 3", add_import, 3},
    {"queue_pairs_per_session", "queue_pairs_per_session = 3", add_queue_pair, 3},
    {"publications_per_uid", "publications_per_uid = 3", add_publication, 3},
    {"state_slots_per_uid", "state_slots_per_uid = 3", add_import, 3},
    {"state_slots_per_uid", "state_slots_per_uid = 3", add_queue_pair, 3},
    {"descriptors_per_uid", "descriptors_per_uid = 7", add_queue_pair, 3},
};

static struct user user_start(const struct daemon *daemon)
{
    struct user u = {.session = session_start(daemon)};
    u.function = open_function(u.session.sock, "pf0");
    return u;
}

// All of it is available again once the session has gone, hence the second round.
START_TEST(too_many)
{
    struct daemon *daemon = start(kinds[_i].limits);
    for (int round = 0; round < 2; round++) {
        struct user u = user_start(daemon);
        for (int i = 0; i < kinds[_i].allowed; i++)
            assert_code(kinds[_i].add(&u, i), DOCA_SUCCESS);
        for (int i = 0; i < 3; i++)
            assert_over(kinds[_i].add(&u, kinds[_i].allowed + i), kinds[_i].option);
        session_end(&u.session);
        assert_baseline(daemon);
    }
}
END_TEST

// Connections without a hello count, too. The log says what to do.
START_TEST(too_many_connections)
{
    enum { N = 40 };
    struct daemon *daemon = start("sessions_per_uid = 4");
    int socks[N];
    for (int i = 0; i < N; i++)
        socks[i] = raw_connect(daemon->socket.s);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(daemon, "has 36 connections; end programs (docactl sessions), or raise "
                                  "sessions_per_uid"))
        ck_assert(deadline_pause(deadline));
    ck_assert(!daemon_logged(daemon, "file descriptors"));
    for (int i = 0; i < N; i++)
        close(socks[i]);
}
END_TEST

// The program, too, is told what to do, although docad did not wait for its hello.
START_TEST(who_is_one_too_many_learns_why)
{
    enum { N = 36 };
    struct daemon *daemon = start("sessions_per_uid = 4");
    int socks[N];

    for (int i = 0; i < N; i++)
        socks[i] = raw_connect(daemon->socket.s);
    for (int i = 0; i < 50; i++) { // docad's end may come before or after the hello
        cleanup_message Docad__Message *hello = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        struct call_line line;
        ck_assert_int_eq(
            call_open(&line, daemon->socket.s, false, HARNESS_LIMIT_MS, 0, &hello, &fds),
            CALL_DONE);
        ck_assert_int_eq(hello->body_case, DOCAD__MESSAGE__BODY_ERROR);
        ck_assert_uint_eq(hello->error->code, DOCA_ERROR_NO_MEMORY);
        assert_names(hello->error->text, "sessions_per_uid");
        call_close(&line);
    }
    struct command_result result;
    command_run(daemon, (const char *const[]){"docactl", "check", NULL}, &result);
    assert_names(result.out, "sessions_per_uid");
    ck_assert_ptr_null(strstr(result.out, "systemctl")); // it runs
    for (int i = 0; i < N; i++)
        close(socks[i]);
}
END_TEST

static int comes_again(struct child *self, void *path)
{
    cleanup_message Docad__Message *hello = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct call_line line;

    child_wait(self, "connect");
    ck_assert_int_eq(
        call_open(&line, path, false, HARNESS_LIMIT_MS, HARNESS_LIMIT_MS, &hello, &fds), CALL_DONE);
    ck_assert_int_eq(hello->body_case, DOCAD__MESSAGE__BODY_HELLO_REPLY);
    call_close(&line);
    return 0;
}

// Others may only be about to end.
START_TEST(who_is_one_too_many_comes_again)
{
    enum { N = 36 };
    struct daemon *daemon = start("sessions_per_uid = 4");
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    int socks[N];

    struct child *program = child_start(daemon, "program", comes_again, daemon->socket.s);
    for (int i = 0; i < N; i++) // the program has none of them
        socks[i] = raw_connect(daemon->socket.s);
    child_tell(program, "connect");
    while (!daemon_logged(daemon, "a connection was refused"))
        ck_assert(deadline_pause(deadline));
    for (int i = 0; i < N; i++)
        close(socks[i]);
    child_join(program);
}
END_TEST

START_TEST(too_many_sessions)
{
    struct daemon *daemon = start("sessions_per_uid = 4");
    struct raw_session s[4];
    for (int i = 0; i < 4; i++)
        s[i] = session_start(daemon);
    for (int i = 0; i < 3; i++) {
        int sock = raw_connect(daemon->socket.s);
        Docad__Hello hello = DOCAD__HELLO__INIT;
        hello.version_min = hello.version_max = 1;
        assert_over(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello), "sessions_per_uid");
        raw_expect_closed(sock);
        close(sock);
    }
    session_end(&s[0]);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    int sock;
    for (;;) {
        sock = raw_connect(daemon->socket.s);
        if (call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello) == DOCA_SUCCESS)
            break;
        close(sock);
        ck_assert(deadline_pause(deadline));
    }
    close(sock);
    for (int i = 1; i < 4; i++)
        session_end(&s[i]);
}
END_TEST

START_TEST(too_many_lookups)
{
    struct daemon *daemon = start("lookups_per_session = 3");
    struct user u = user_start(daemon);
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)"later";
    m.timeout_ms = HARNESS_LIMIT_MS;
    for (int i = 0; i < 3; i++)
        post(u.session.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
    assert_over(call(u.session.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m), "lookups_per_session");
    assert_code(publish(u.session.sock, "other", own_export(&u)), DOCA_SUCCESS);
    Docad__Publish p = DOCAD__PUBLISH__INIT;
    p.name = (char *)"later";
    p.descriptor = (ProtobufCBinaryData){u.d.size, u.d.bytes};
    post(u.session.sock, DOCAD__MESSAGE__BODY_PUBLISH, &p);
    for (int i = 0; i < 4; i++) // three answers and the ok
        receive_any(u.session.sock);
    m.timeout_ms = 1;
    m.name = (char *)"never";
    assert_code(call(u.session.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m), DOCA_ERROR_TIME_OUT);
    session_end(&u.session);
}
END_TEST

// ---- many that ask all the time --------------------------------------------------------------

#define BUSY     100
#define REQUESTS 32 // of each, more than are read at a time

// How many requests the daemon has answered before those of this session that it knows of.
static unsigned long lists_before(const struct raw_session *s)
{
    receive_any(s->sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_METRICS_REPLY);
    const char *line = strstr(answer->metrics_reply->text, "requests_total{request=\"List\"}");
    return line ? strtoul(strchr(line, '}') + 1, NULL, 10) : 0;
}

// A latecomer is not served after everything that came before: a round serves a little of each.
START_TEST(busy_sessions)
{
    struct daemon *daemon = start("");
    struct raw_session busy[BUSY], last = session_start(daemon);
    Docad__List list = DOCAD__LIST__INIT;
    Docad__Metrics metrics = DOCAD__METRICS__INIT;
    list.kind = DOCAD__LIST__KIND__SESSIONS;
    for (int i = 0; i < BUSY; i++)
        busy[i] = session_start(daemon);
    daemon_freeze(daemon);
    for (int i = 0; i < BUSY; i++)
        for (int k = 0; k < REQUESTS; k++)
            post(busy[i].sock, DOCAD__MESSAGE__BODY_LIST, &list);
    post(last.sock, DOCAD__MESSAGE__BODY_METRICS, &metrics);
    daemon_thaw(daemon);
    unsigned long before = lists_before(&last);
    ck_assert_msg(before < BUSY * 8, "%lu requests of others came first", before);
    for (int i = 0; i < BUSY; i++)
        session_end(&busy[i]);
    session_end(&last);
}
END_TEST

// ---- all of docad's descriptors are in use ----------------------------------------------------

static double cpu_seconds(const struct daemon *daemon)
{
    char path[32], text[512];
    unsigned long user, system;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)daemon->pid);
    cleanup_file FILE *f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
    ck_assert_int_eq(sscanf(strrchr(text, ')'),
                            ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                            &system),
                     2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

START_TEST(full_descriptor_table)
{
    enum { N = 300 };
    int socks[N];
    struct daemon *daemon = daemon_start(
        &(struct daemon_options){.role = "host", .wrapper = {"prlimit", "--nofile=200:200"}});
    struct user u = user_start(daemon);
    for (int i = 0; i < N; i++)
        socks[i] = raw_connect(daemon->socket.s);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(daemon, "a connection was refused"))
        ck_assert(deadline_pause(deadline));

    // It neither spins nor stops serving, and still has room for those who are in.
    double before = cpu_seconds(daemon);
    int64_t since = now_ms();
    for (int i = 0; i < 10; i++)
        assert_code(add_queue_pair(&u, i), DOCA_SUCCESS);
    while (now_ms() - since < 1000)
        deadline_pause(deadline);
    ck_assert_double_lt(cpu_seconds(daemon) - before, 0.5);

    unsigned full = daemon_descriptors(daemon);
    for (int i = 0; i < N; i++)
        close(socks[i]);
    while (daemon_descriptors(daemon) > full - 40) // until it has seen that most have gone
        ck_assert(deadline_pause(deadline));
    struct raw_session late = session_start(daemon);
    session_end(&late);
    session_end(&u.session);
}
END_TEST

// ---- two uids -------------------------------------------------------------------------------

// Becomes nobody; the test's directory lets it in.
static void become_nobody(void)
{
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
}

static struct daemon *start_for_all(const char *limits)
{
    struct daemon *daemon = start(limits);
    daemon_let_everybody_in(daemon);
    return daemon;
}

struct plan {
    const struct daemon *daemon;
    uint64_t export_id;
    struct descriptor d;
};

static size_t count_listed(int sock, Docad__List__Kind kind)
{
    cleanup_message Docad__Message *m = raw_list(sock, kind, 0);
    const Docad__ListReply *r = m->list_reply;
    return r->n_sessions + r->n_regions + r->n_exports + r->n_imports + r->n_queue_pairs;
}

static int nobody_looks(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    (void)self;
    become_nobody();
    struct raw_session s = session_start(plan->daemon);
    ck_assert_uint_eq(count_listed(s.sock, DOCAD__LIST__KIND__SESSIONS), 1);
    ck_assert_uint_eq(count_listed(s.sock, DOCAD__LIST__KIND__REGIONS), 0);
    ck_assert_uint_eq(count_listed(s.sock, DOCAD__LIST__KIND__EXPORTS), 0);
    ck_assert_uint_eq(count_listed(s.sock, DOCAD__LIST__KIND__IMPORTS), 0);
    ck_assert_uint_eq(count_listed(s.sock, DOCAD__LIST__KIND__QUEUE_PAIRS), 0);
    Docad__ExportGet get = DOCAD__EXPORT_GET__INIT;
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    get.export_id = revoke.export_id = plan->export_id;
    assert_code(call(s.sock, DOCAD__MESSAGE__BODY_EXPORT_GET, &get), DOCA_ERROR_NOT_PERMITTED);
    assert_code(call(s.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke),
                DOCA_ERROR_NOT_PERMITTED);
    assert_code(unpublish(s.sock, "roots"), DOCA_ERROR_NOT_FOUND);
    assert_code(unpublish(s.sock, "0/roots"), DOCA_ERROR_NOT_FOUND); // one that it cannot know of
    // The descriptor suffices for that.
    assert_code(import_on(s.sock, &plan->d, open_function(s.sock, "pf0")), DOCA_SUCCESS);
    assert_code(publish(s.sock, "nobodys", &plan->d), DOCA_SUCCESS);
    session_end(&s);
    return 0;
}

START_TEST(another_uid_sees_its_own)
{
    struct daemon *daemon = start_for_all("");
    struct user u = user_start(daemon);
    struct plan plan = {.daemon = daemon, .d = *own_export(&u)};
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(plan.d.bytes, plan.d.size, &desc, NULL), DOCA_SUCCESS);
    plan.export_id = desc.export_id;
    assert_code(add_import(&u, 0), DOCA_SUCCESS);
    assert_code(add_queue_pair(&u, 0), DOCA_SUCCESS);
    assert_code(publish(u.session.sock, "roots", &plan.d), DOCA_SUCCESS);
    child_join(child_start(daemon, "nobody", nobody_looks, &plan));
    assert_code(unpublish(u.session.sock, "65534/nobodys"), DOCA_SUCCESS); // root may
    session_end(&u.session);
}
END_TEST

static int nobody_fills(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    become_nobody();
    struct user u = user_start(plan->daemon);
    for (int i = 0; i < 3; i++)
        assert_code(add_queue_pair(&u, i), DOCA_SUCCESS);
    assert_over(add_queue_pair(&u, 3), "state_slots_per_uid");
    child_tell(self, "full");
    child_wait(self, "go");
    session_end(&u.session);
    return 0;
}

START_TEST(one_uid_over_its_quota)
{
    struct daemon *daemon = start_for_all("state_slots_per_uid = 3");
    struct plan plan = {.daemon = daemon};
    struct child *child = child_start(daemon, "nobody", nobody_fills, &plan);
    child_wait(child, "full");
    struct user u = user_start(daemon);
    for (int i = 0; i < 3; i++)
        assert_code(add_queue_pair(&u, i), DOCA_SUCCESS);
    session_end(&u.session);
    child_tell(child, "go");
    child_join(child);
}
END_TEST

static int nobody_links(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    (void)self;
    become_nobody();
    int sock = raw_connect(plan->daemon->socket.s);
    Docad__PeerHello hello = fake_hello_fields();
    assert_code(fake_hello(sock, &hello), DOCA_ERROR_NOT_PERMITTED);
    assert_names(answer->error->text, "peer_uids");
    raw_expect_closed(sock);
    answer_drop();
    close(sock);
    return 0;
}

START_TEST(another_uid_may_not_link)
{
    struct daemon *daemon = start_for_all("");
    struct plan plan = {.daemon = daemon};
    child_join(child_start(daemon, "nobody", nobody_links, &plan));
}
END_TEST

static void let_everybody_in(void)
{
    env_setup();
    // Only the way in: what is below keeps its own modes.
    struct path dir = temp_path("");
    for (char *end; (end = strrchr(dir.s, '/')) && end != dir.s && strcmp(dir.s, "/tmp") != 0;
         *end = '\0')
        chmod(dir.s, 0711);
}

int main(void)
{
    Suite *suite = suite_create("limits");
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, too_many, 0, ARRAY_SIZE(kinds));
    tcase_add_test(tcase, too_many_connections);
    tcase_add_test(tcase, who_is_one_too_many_learns_why);
    tcase_add_test(tcase, who_is_one_too_many_comes_again);
    tcase_add_test(tcase, too_many_sessions);
    tcase_add_test(tcase, too_many_lookups);
    tcase_add_test(tcase, busy_sessions);
    tcase_add_test(tcase, full_descriptor_table);
    suite_add_tcase(suite, tcase);
    if (geteuid() == 0) {
        TCase *uids = tcase_create("uids");
        tcase_add_checked_fixture(uids, let_everybody_in, env_teardown);
        tcase_add_test(uids, another_uid_sees_its_own);
        tcase_add_test(uids, one_uid_over_its_quota);
        tcase_add_test(uids, another_uid_may_not_link);
        suite_add_tcase(suite, uids);
    } else {
        puts("two uids are tested as root only");
    }
    return run_suite(suite);
}
