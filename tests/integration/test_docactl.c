// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl against two linked nodes: what it lists of nodes and of their programs.

#include "docactl_run.h"

#include "cleanup.h"
#include "text_names.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- the node ----------------------------------------------------------------------------------

START_TEST(status_and_ping)
{
    RUN_OK(nodes.host, "status", "--json");
    struct json_object *status = printed();
    check_table("status", status);
    ck_assert_str_eq(text_of(status, "node_name"), "host");
    ck_assert_str_eq(text_of(status, "role"), "host");
    ck_assert_uint_eq(strlen(text_of(status, "node")), 32);
    ck_assert_str_eq(text_of(status, "socket"), nodes.host->socket.s);
    ck_assert_uint_eq(number_of(status, "pid"), (uint64_t)nodes.host->pid);
    ck_assert_uint_eq(number_of(status, "uid"), getuid());
    ck_assert_uint_eq(number_of(status, "functions"), 5);
    ck_assert_uint_eq(number_of(status, "peers_linked"), 1);
    json_object_put(status);
    RUN_OK(nodes.host, "status");
    assert_names(result.out, nodes.host->socket.s);

    RUN_OK(nodes.dpu, "ping", "--json");
    struct json_object *ping = printed();
    check_table("ping", ping);
    ck_assert_str_eq(text_of(ping, "node_name"), "dpu");
    number_of(ping, "round_trip_us");
    json_object_put(ping);
    // The option takes precedence over the environment.
    RUN_OK(nodes.dpu, "--socket", nodes.host->socket.s, "ping");
    assert_names(result.out, "host");
}
END_TEST

static int pings(struct child *self, void *arg)
{
    (void)self;
    const char *const argv[] = {"docactl", "--socket", arg,        "ping",
                                "--wait",  "600",      "--linked", NULL};
    command_run(nodes.host, argv, &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
    assert_names(result.out, "late");
    return 0;
}

// It waits for the daemon, and for its link.
START_TEST(ping_waits)
{
    struct path socket = temp_path("late.sock");
    struct child *child = child_start(nodes.host, "ping", pings, socket.s);
    struct daemon *late = daemon_start(&(struct daemon_options){.role = "dpu",
                                                                .name = "late",
                                                                .label = "late",
                                                                .socket = socket.s,
                                                                .peers = {nodes.host->socket.s}});
    child_join(child);
    daemon_stop(late);
    ck_assert_int_eq(RUN(nodes.host, "--socket", socket.s, "ping", "--wait", "0.1"), 3);
    assert_names(result.err, socket.s);
    ck_assert_int_eq(RUN(nodes.host, "ping", "--wait", "soon"), 2);
    struct daemon *alone =
        daemon_start(&(struct daemon_options){.role = "host", .name = "alone", .label = "alone"});
    ck_assert_int_eq(RUN(alone, "ping", "--linked"), 4);
    assert_names(result.err, "alone");
    daemon_stop(alone);
}
END_TEST

START_TEST(misspelt_commands)
{
    static const struct {
        const char *words[2], *wrong;
    } rows[] = {{{"nothing"}, "nothing"},
                {{"certificates"}, "certificates"},
                {{"certificates", "made"}, "made"},
                {{"exports", "made"}, "made"},
                {{"certificate", "noed"}, "noed"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *const argv[] = {"docactl", rows[i].words[0], rows[i].words[1], NULL};
        command_run(nodes.host, argv, &result);
        ck_assert_int_eq(result.status, 2);
        assert_names(result.err, rows[i].wrong);
    }
}
END_TEST

START_TEST(devices)
{
    struct json_object *list = list_of(nodes.host, "devices", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 5);
    struct json_object *pf0 = pick(list, "name", "pf0");
    ck_assert_str_eq(text_of(pf0, "pci_address"), "0000:0b:00.0");
    ck_assert_str_eq(text_of(pf0, "type"), "pf");
    ck_assert_str_eq(text_of(pf0, "backing"), "shm");
    ck_assert_str_eq(text_of(pf0, "ipv4"), "192.168.100.1");
    ck_assert_uint_eq(strlen(text_of(pf0, "mac")), 17);
    ck_assert_uint_eq(number_of(pf0, "port"), 0);
    ck_assert(has_text(pf0, "capabilities", "dma"));
    ck_assert(has_text(pf0, "capabilities", "export_dpu"));
    ck_assert(!has_text(pf0, "capabilities", "import_dpu"));
    json_object_put(list);

    list = list_of(nodes.dpu, "devices", NULL);
    ck_assert(has_text(pick(list, "name", "p0"), "capabilities", "import_dpu"));
    json_object_put(list);
    RUN_OK(nodes.dpu, "devices");
    ck_assert_int_eq(strncmp(result.out, "NAME", 4), 0);
    assert_names(result.out, "0000:03:00.0");
}
END_TEST

START_TEST(representors_and_peers)
{
    struct json_object *list = list_of(nodes.dpu, "representors", NULL);
    struct json_object *vf = pick(list, "name", "hpf0vf1");
    ck_assert_str_eq(text_of(vf, "pci_address"), "0000:0b:00.3");
    ck_assert_str_eq(text_of(vf, "type"), "vf");
    ck_assert_str_eq(text_of(vf, "parent"), "p0");
    json_object_put(list);
    list = list_of(nodes.host, "representors", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 0);
    json_object_put(list);

    list = list_of(nodes.host, "peers", NULL);
    struct json_object *dpu = pick(list, "name", "dpu");
    ck_assert_str_eq(text_of(dpu, "state"), "linked");
    ck_assert_str_eq(text_of(dpu, "role"), "dpu");
    ck_assert_uint_ge(number_of(dpu, "functions"), 4);
    json_object_put(list);
    RUN_OK(nodes.dpu, "peers");
    assert_names(result.out, "linked");
}
END_TEST

// ---- what programs have ------------------------------------------------------------------------

START_TEST(programs_and_their_memory)
{
    struct host_program p = start_host_program();

    struct json_object *list = list_of(nodes.host, "sessions", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 1); // no tools
    struct json_object *session = json_object_array_get_idx(list, 0);
    ck_assert_uint_eq(number_of(session, "pid"), (uint64_t)p.child->pid);
    ck_assert_uint_eq(number_of(session, "uid"), getuid());
    ck_assert_uint_eq(number_of(session, "regions"), 1);
    ck_assert_uint_eq(number_of(session, "region_bytes"), MEMORY_SIZE);
    ck_assert_uint_eq(number_of(session, "exports"), 1);
    uint64_t session_id = number_of(session, "id");
    json_object_put(list);
    RUN_OK(nodes.host, "sessions", "--all", "--json");
    assert_names(result.out, "docactl");

    list = list_of(nodes.host, "regions", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 1);
    struct json_object *region = json_object_array_get_idx(list, 0);
    ck_assert_uint_eq(number_of(region, "address"), p.address);
    ck_assert_uint_eq(number_of(region, "length"), MEMORY_SIZE);
    ck_assert_uint_eq(number_of(region, "mapped_bytes") + number_of(region, "brokered_bytes"),
                      MEMORY_SIZE);
    ck_assert_uint_eq(number_of(region, "session_id"), session_id);
    ck_assert(has_text(region, "access", "dpu_read_only"));
    ck_assert(has_text(region, "functions", "pf0"));
    json_object_put(list);

    list = list_of(nodes.host, "exports", NULL);
    struct json_object *export = pick(list, "id", p.id);
    ck_assert_uint_eq(number_of(export, "length"), MEMORY_SIZE);
    ck_assert_str_eq(text_of(export, "target"), "dpu");
    ck_assert_str_eq(text_of(export, "function"), "pf0");
    ck_assert_uint_eq(json_object_array_length(get(export, "importers", json_type_array)), 0);
    json_object_put(list);

    const char *const commands[] = {"sessions", "regions", "exports"};
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)p.child->pid);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        RUN_OK(nodes.host, commands[i]);
        ck_assert_msg(text_names(result.out, pid), "%s: %s", commands[i], result.out);
    }
    end_host_program(&p);
}
END_TEST

START_TEST(show_one_export)
{
    struct host_program p = start_host_program();
    RUN_OK(nodes.host, "exports", "show", p.id, "--json");
    struct json_object *export = printed();
    ck_assert_str_eq(text_of(export, "id"), p.id);
    ck_assert_uint_eq(number_of(export, "address"), p.address);
    ck_assert_str_eq(text_of(export, "pci_address"), "0000:0b:00.0");
    json_object_put(export);
    RUN_OK(nodes.host, "exports", "show", p.id);
    assert_names(result.out, p.id);

    ck_assert_int_eq(RUN(nodes.host, "exports", "show", "1"), 1);
    assert_names(result.err, "0000000000000001");
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "show", p.id, "--json"), 1); // another node's
    assert_names(result.err, "DOCA_ERROR_NOT_FOUND");
    end_host_program(&p);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1);
    Suite *suite = suite_create("docactl");
    TCase *tcase = tcase_create("docactl");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, status_and_ping);
    tcase_add_test(tcase, ping_waits);
    tcase_add_test(tcase, misspelt_commands);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, representors_and_peers);
    tcase_add_test(tcase, programs_and_their_memory);
    tcase_add_test(tcase, show_one_export);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
