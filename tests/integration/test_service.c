// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad as a service: what a reload changes, what the policy allows, what the manager is told.

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "protocol.h"
#include "text_names.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

static struct path config;

static void write_config(const char *text)
{
    config = temp_path("docad.conf");
    cleanup_file FILE *f = fopen(config.s, "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
}

static struct daemon *start(const char *role, const char *peer, const char *text)
{
    write_config(text);
    return daemon_start(
        &(struct daemon_options){.role = role, .peers = {peer}, .config = config.s});
}

// Waits for a notification with this text in it.
static void wait_notified(const struct daemon *daemon, const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct pollfd p = {.fd = daemon->notify, .events = POLLIN};
    char got[1024] = "";
    while (!strstr(got, text)) {
        ck_assert_msg(poll(&p, 1, deadline_left(deadline)) == 1, "not told: %s", text);
        ssize_t n = recv(daemon->notify, got, sizeof(got) - 1, 0);
        got[n > 0 ? n : 0] = '\0';
    }
}

static void reload(struct daemon *daemon, const char *text)
{
    write_config(text);
    kill(daemon->pid, SIGHUP);
    wait_notified(daemon, "RELOADING=1");
    wait_notified(daemon, "READY=1");
}

static void stop(struct daemon *daemon)
{
    daemon_stop(daemon);
    remove(config.s);
}

static size_t list_functions(int sock, char names[8][32])
{
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST;
    request.function_list = &list;
    cleanup_message Docad__Message *reply =
        raw_expect(sock, &request, DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY);
    const Docad__FunctionListReply *r = reply->function_list_reply;
    ck_assert_uint_le(r->n_functions, 8);
    for (size_t i = 0; i < r->n_functions; i++)
        snprintf(names[i], 32, "%u %s", r->functions[i]->id, r->functions[i]->name);
    return r->n_functions;
}

// Returns the code of the answer; its text goes to `text` (256 bytes, may be NULL).
static uint32_t try_open(int sock, uint32_t id, char *text)
{
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    open.function_id = id;
    request.body_case = DOCAD__MESSAGE__BODY_FUNCTION_OPEN;
    request.function_open = &open;
    cleanup_message Docad__Message *reply = raw_call(sock, &request, NULL, 0, NULL);
    if (reply->body_case == DOCAD__MESSAGE__BODY_OK)
        return DOCA_SUCCESS;
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_ERROR);
    if (text)
        snprintf(text, 256, "%s", reply->error->text);
    return reply->error->code;
}

#define PF0 "function \"pf0\" {\n type = pf\n pci = \"0000:0b:00.0\"\n port = 0\n}\n"
#define VF0 "function \"pf0vf0\" {\n type = vf\n pci = \"0000:0b:00.2\"\n port = 0\n}\n"
#define PF1 "function \"pf1\" {\n type = pf\n pci = \"0000:0b:00.1\"\n port = 1\n}\n"

// A function keeps its id whatever comes and goes in front of it.
START_TEST(functions_come_and_go)
{
    char names[8][32];
    struct daemon *daemon = start("host", NULL, PF0 VF0);
    int sock = raw_hello(daemon->socket.s);
    ck_assert_uint_eq(list_functions(sock, names), 2);
    ck_assert_uint_eq(try_open(sock, 1, NULL), DOCA_SUCCESS);
    reload(daemon, PF1 VF0);
    ck_assert_uint_eq(list_functions(sock, names), 2);
    ck_assert_str_eq(names[0], "2 pf0vf0");
    ck_assert_str_eq(names[1], "3 pf1"); // pf0 is still open, and its place not free
    ck_assert_uint_eq(try_open(sock, 1, NULL), DOCA_ERROR_NOT_FOUND);
    ck_assert_uint_eq(try_open(sock, 3, NULL), DOCA_SUCCESS);
    reload(daemon, PF0 VF0 PF1);
    ck_assert_uint_eq(list_functions(sock, names), 3);
    ck_assert_str_eq(names[0], "1 pf0");
    ck_assert_str_eq(names[1], "2 pf0vf0");
    ck_assert_str_eq(names[2], "3 pf1");
    close(sock);
    stop(daemon);
}
END_TEST

#define NOWHERE "function \"s\" {\n backing = verbs\n ibdev = nosuch\n}\n"

// A function whose ibverbs device is not there takes a place and offers nothing.
START_TEST(functions_of_absent_devices_come_and_go)
{
    char names[8][32];
    struct daemon *daemon = start("host", NULL, PF0);
    int sock = raw_hello(daemon->socket.s);
    ck_assert_uint_eq(try_open(sock, 1, NULL), DOCA_SUCCESS);
    reload(daemon, PF0 NOWHERE);
    ck_assert_uint_eq(list_functions(sock, names), 1);
    ck_assert_uint_eq(try_open(sock, 2, NULL), DOCA_ERROR_NOT_FOUND);
    reload(daemon, PF0 NOWHERE PF1);
    ck_assert_uint_eq(list_functions(sock, names), 2);
    ck_assert_str_eq(names[0], "1 pf0");
    reload(daemon, PF0);
    ck_assert_uint_eq(list_functions(sock, names), 1);
    close(sock);
    stop(daemon);
}
END_TEST

// Waits until the DPU has so many representors; writes down the id and name of the last.
static uint64_t wait_representors(const struct daemon *dpu, size_t n, char name[32])
{
    int sock = raw_hello(dpu->socket.s);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (;;) {
        cleanup_message Docad__Message *reply = raw_list(sock, DOCAD__LIST__KIND__REPRESENTORS, 0);
        const Docad__ListReply *list = reply->list_reply;
        if (list->n_representors == n) {
            close(sock);
            snprintf(name, 32, "%s", n ? list->representors[n - 1]->name : "");
            return n ? list->representors[0]->id : 0;
        }
        ck_assert_msg(deadline_pause(deadline), "%zu representors", list->n_representors);
    }
}

START_TEST(peers_see_functions_come_and_go)
{
    char name[32];
    struct daemon *host = start("host", NULL, PF0 VF0);
    struct daemon *dpu =
        daemon_start(&(struct daemon_options){.role = "dpu", .peers = {host->socket.s}});
    size_t own = 2; // of the built-in SFs
    uint64_t first = wait_representors(dpu, own + 2, name);
    ck_assert_str_eq(name, "hpf0vf0");
    reload(host, PF0);
    ck_assert_uint_eq(wait_representors(dpu, own + 1, name), first);
    ck_assert_str_eq(name, "hpf0");
    reload(host, PF0 PF1);
    ck_assert_uint_eq(wait_representors(dpu, own + 2, name), first);
    ck_assert_str_eq(name, "hpf1");
    daemon_stop(dpu);
    stop(host);
}
END_TEST

START_TEST(what_cannot_change_says_so)
{
    struct daemon *daemon = start("host", NULL, "");
    int sock = raw_hello(daemon->socket.s);
    reload(daemon, "engine {\n threads = 2\n}\nsocket_mode = 0600\nlimits {\n "
                   "queue_pairs_per_session = 1\n}\n");
    ck_assert(daemon_logged(daemon, "the engine section cannot change"));
    ck_assert(daemon_logged(daemon, "socket_mode cannot change"));
    ck_assert(daemon_logged(daemon, "limits.queue_pairs_per_session = 1 (was 4096)"));
    reload(daemon, "policy \"p\" {\n open = { \"pf7\" }\n}\n");
    ck_assert(daemon_logged(daemon, "policy \"p\" is new"));
    ck_assert(daemon_logged(daemon, "open = \"pf7\": no function of this node"));
    reload(daemon, "engine {\n thraeds = 2\n}\n");
    ck_assert(daemon_logged(daemon, "the configuration is unchanged"));
    ck_assert(daemon_logged(daemon, "docad.conf --check-config tells what"));
    char names[8][32];
    ck_assert_uint_eq(list_functions(sock, names), 5);
    close(sock);
    stop(daemon);
}
END_TEST

static const struct {
    const char *text, *what;
} staying[] = {
    {"metrics_socket = none\n", "metrics_socket"},
    {"engine {\n spin_us = 1\n}\n", "the engine section"},
    {"engine {\n cpus = \"0\"\n}\n", "the engine section"},
    {"engine {\n copies_over = 2M\n}\n", "the engine section"},
};

START_TEST(each_that_cannot_change_says_so)
{
    char says[128];
    struct daemon *daemon = start("host", NULL, "");
    reload(daemon, staying[_i].text);
    snprintf(says, sizeof(says), "configuration: %s cannot change", staying[_i].what);
    ck_assert_msg(daemon_logged(daemon, says), "%s", says);
    stop(daemon);
}
END_TEST

START_TEST(peers_are_dialled_and_left)
{
    char text[256];
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    struct daemon *dpu = start("dpu", NULL, "");
    snprintf(text, sizeof(text), "peer \"h\" {\n socket = \"%s\"\n}\n", host->socket.s);
    reload(dpu, text);
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
    reload(dpu, text);
    daemon_wait_links(host, 1);
    reload(dpu, "");
    daemon_wait_links(host, 0);
    daemon_stop(host);
    stop(dpu);
}
END_TEST

START_TEST(manager_is_told)
{
    setenv("WATCHDOG_USEC", "30000", 1);
    struct daemon *daemon = start("host", NULL, "");
    unsetenv("WATCHDOG_USEC");
    wait_notified(daemon, "WATCHDOG=1");
    int sock = raw_hello(daemon->socket.s);
    wait_notified(daemon, "5 functions, 1 session, 0 nodes linked");
    close(sock);
    wait_notified(daemon, "5 functions, 0 sessions");
    stop(daemon);
}
END_TEST

// ---- policy ---------------------------------------------------------------------------

START_TEST(policy_names_the_rule)
{
    char text[256], rules[512];
    snprintf(rules, sizeof(rules),
             "policy \"mine\" {\n users = {\"%u\"}\n open = {\"pf0vf*\"}\n}\n", (unsigned)getuid());
    struct daemon *daemon = start("host", NULL, rules);
    int sock = raw_hello(daemon->socket.s);
    ck_assert_uint_eq(try_open(sock, 1, text), DOCA_ERROR_NOT_PERMITTED);
    assert_names(text, "mine"); // the rule
    ck_assert_uint_eq(try_open(sock, 2, text), DOCA_SUCCESS);
    reload(daemon, "policy \"others\" {\n users = {\"54321\"}\n}\n");
    ck_assert_uint_eq(try_open(sock, 2, text), DOCA_ERROR_NOT_PERMITTED);
    snprintf(rules, sizeof(rules),
             "policy \"nobody\" {\n users = {\"54321\"}\n}\n"
             "policy \"group\" {\n groups = {\"%u\"}\n}\n",
             (unsigned)getgid());
    reload(daemon, rules);
    ck_assert_uint_eq(try_open(sock, 1, text), DOCA_SUCCESS);
    close(sock);
    stop(daemon);
}
END_TEST

static uint8_t memory[64];

static doca_error_t try_export(int sock, uint32_t function, Docad__ExportTarget target)
{
    Docad__ExportCreate create = DOCAD__EXPORT_CREATE__INIT;
    create.region_id = register_brokered(
        sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE | DOCA_ACCESS_RDMA_READ, function);
    create.function_id = function;
    create.target = target;
    return call(sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &create);
}

#define NO_ACCOUNTS "subuids = \"/dev/null/subuid\"\n"
#define NOTHING     "policy \"nothing\" {\nopen = {}\n}\n"

// docad does not start with such a policy, either.
START_TEST(a_policy_needs_accounts)
{
    struct daemon *daemon = start("host", NULL, NO_ACCOUNTS PF0);
    int sock = raw_hello(daemon->socket.s);
    reload(daemon, NO_ACCOUNTS PF0 PF1 NOTHING);
    ck_assert_uint_eq(try_open(sock, 1, NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(try_open(sock, 2, NULL), DOCA_ERROR_NOT_FOUND); // nothing has changed
    reload(daemon, NO_ACCOUNTS PF0 PF1);
    ck_assert_uint_eq(try_open(sock, 2, NULL), DOCA_SUCCESS);
    reload(daemon, PF0 PF1 NOTHING);
    close(sock);
    sock = raw_hello(daemon->socket.s);
    ck_assert_uint_eq(try_open(sock, 1, NULL), DOCA_ERROR_NOT_PERMITTED);
    // What was read stays.
    reload(daemon, NO_ACCOUNTS PF0 PF1 VF0 NOTHING);
    ck_assert_uint_eq(try_open(sock, 3, NULL), DOCA_ERROR_NOT_PERMITTED);
    close(sock);
    stop(daemon);
}
END_TEST

START_TEST(policy_of_exports)
{
    struct daemon *daemon = start("host", NULL, "policy \"r\" {\n export = {\"rdma\"}\n}\n");
    struct raw_session s = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    ck_assert_int_eq(try_export(s.sock, f, DOCAD__EXPORT_TARGET__TARGET_RDMA), DOCA_SUCCESS);
    ck_assert_int_eq(try_export(s.sock, f, DOCAD__EXPORT_TARGET__TARGET_DPU),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_names(answer->error->text, "r"); // the rule
    reload(daemon, "policy \"r\" {\n export = {}\n}\n");
    ck_assert_int_eq(try_export(s.sock, f, DOCAD__EXPORT_TARGET__TARGET_RDMA),
                     DOCA_ERROR_NOT_PERMITTED);
    answer_drop();
    session_end(&s);
    stop(daemon);
}
END_TEST

// `to_users` also applies to users of a linked node. The name of the export stays published.
START_TEST(policy_of_imports)
{
    struct daemon *host = start("host", NULL, "policy \"r\" {\n to_users = {\"54321\"}\n}\n");
    struct daemon *dpu =
        daemon_start(&(struct daemon_options){.role = "dpu", .peers = {host->socket.s}});
    daemon_wait_links(dpu, 1);
    struct raw_session owner = session_start(host), importer = session_start(dpu);
    uint32_t f = open_function(owner.sock, "pf0"), p0 = open_function(importer.sock, "p0");
    uint64_t region =
        register_brokered(owner.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE, f);
    struct descriptor d = export_to(owner.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(publish(importer.sock, "there", &d), DOCA_SUCCESS);
    ck_assert_int_eq(import_on(importer.sock, &d, p0), DOCA_ERROR_NOT_PERMITTED);
    assert_names(answer->error->text, "r"); // the rule
    ck_assert_int_eq(lookup(importer.sock, "there", 0), DOCA_SUCCESS);
    char rules[256];
    snprintf(rules, sizeof(rules), "policy \"r\" {\n to_groups = {\"%u\"}\n}\n",
             (unsigned)getgid());
    reload(host, rules);
    ck_assert_int_eq(import_on(importer.sock, &d, p0), DOCA_SUCCESS);
    answer_drop();
    session_end(&importer);
    session_end(&owner);
    daemon_stop(dpu);
    stop(host);
}
END_TEST

// Objects on a function end with it.
START_TEST(exports_go_with_their_function)
{
    struct daemon *daemon = start("host", NULL, PF0 PF1);
    struct raw_session s = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    uint64_t region = register_brokered(s.sock, memory, sizeof(memory), DOCA_ACCESS_RDMA_READ, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    uint32_t pf1 = open_function(s.sock, "pf1");
    ck_assert_int_eq(import_on(s.sock, &d, pf1), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_LIVE);
    reload(daemon, PF1);
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_REVOKED);
    answer_drop();
    session_end(&s);
    stop(daemon);
}
END_TEST

START_TEST(printed_configuration_is_right)
{
    struct command_result result;
    write_config(
        "role = dpu\npeer \"h\" {\n socket = \"/x\"\n}\npolicy \"p\" {\n groups = {\"0\"}\n"
        "open = {}\n export = {\"dpu\", \"sync_event\"}\n}\nengine {\n spin_us = 7\n}\n");
    command_run(
        NULL,
        (const char *[]){"docad", "--socket", "/s", "--config", config.s, "--print-config", NULL},
        &result);
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.out, "\nrole = dpu\n"));
    ck_assert_ptr_nonnull(strstr(result.out, "export = {\"dpu\", \"sync_event\"}"));
    ck_assert_ptr_nonnull(strstr(result.out, "open = {}"));
    ck_assert_ptr_nonnull(strstr(result.out, "spin_us = 7"));
    write_config(result.out);
    command_run(
        NULL,
        (const char *[]){"docad", "--socket", "/s", "--config", config.s, "--check-config", NULL},
        &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    remove(config.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("service");
    TCase *tcase = tcase_create("service");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, functions_come_and_go);
    tcase_add_test(tcase, functions_of_absent_devices_come_and_go);
    tcase_add_test(tcase, peers_see_functions_come_and_go);
    tcase_add_test(tcase, what_cannot_change_says_so);
    tcase_add_loop_test(tcase, each_that_cannot_change_says_so, 0, ARRAY_SIZE(staying));
    tcase_add_test(tcase, peers_are_dialled_and_left);
    tcase_add_test(tcase, manager_is_told);
    tcase_add_test(tcase, policy_names_the_rule);
    tcase_add_test(tcase, a_policy_needs_accounts);
    tcase_add_test(tcase, policy_of_exports);
    tcase_add_test(tcase, policy_of_imports);
    tcase_add_test(tcase, exports_go_with_their_function);
    tcase_add_test(tcase, printed_configuration_is_right);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
