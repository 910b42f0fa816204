// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl against daemons that a real one never is: lists in pages, hostile names,
// refusals, silence, nonsense, sudden ends.

#include "fake_docad.h"

#include "cleanup.h"
#include "text_names.h"

#include <doca_error.h>
#include <string.h>
#include <sys/socket.h>

// ---- pages ---------------------------------------------------------------------------------

START_TEST(all_pages_are_fetched)
{
    struct fake fake = {.answer = pages};
    ck_assert_int_eq(RUN(&fake, "sessions", "--json"), 0);
    struct json_object *array = parsed(result.out);
    ck_assert_uint_eq(json_object_array_length(array), PAGES);
    ck_assert_str_eq(member(json_object_array_get_idx(array, 2), "program"), "program-2");
    struct json_object *id = json_object_object_get(json_object_array_get_idx(array, 2), "id");
    ck_assert(json_object_is_type(id, json_type_int));
    ck_assert_int_eq(json_object_get_int64(id), 30);
    json_object_put(array);

    ck_assert_int_eq(RUN(&fake, "sessions"), 0);
    assert_names(result.out, "PROGRAM");
    assert_names(result.out, "program-2");
    assert_names(result.out, "256 MiB");
    ck_assert_ptr_null(strchr(result.out, '\033')); // no terminal, no colours
}
END_TEST

START_TEST(a_list_without_end_is_an_error)
{
    struct fake fake = {.answer = endless};
    ck_assert_int_eq(RUN(&fake, "regions"), 3);
    ck_assert_str_eq(result.out, "");
}
END_TEST

// ---- hostile text --------------------------------------------------------------------------

static bool hostile(const Docad__Message *request, Docad__Message *reply, int conn)
{
    pages(request, reply, conn);
    reply->list_reply->more = false;
    reply->list_reply->sessions[0]->program = (char *)"\033]0;owned\007\n\xff\"x";
    return true;
}

START_TEST(names_of_programs_cannot_write_to_the_terminal)
{
    struct fake fake = {.answer = hostile};
    ck_assert_int_eq(RUN(&fake, "sessions"), 0);
    ck_assert_ptr_null(strchr(result.out, '\033'));
    ck_assert_ptr_null(strchr(result.out, '\007'));
    ck_assert_ptr_nonnull(strstr(result.out, "\\x1b]0;owned\\x07\\x0a"));

    ck_assert_int_eq(RUN(&fake, "sessions", "--json"), 0);
    ck_assert_ptr_null(strchr(result.out, '\033'));
    struct json_object *array = parsed(result.out);
    ck_assert_str_eq(member(json_object_array_get_idx(array, 0), "program"),
                     "\033]0;owned\007\n\357\277\275\"x");
    json_object_put(array);
}
END_TEST

// ---- refusals --------------------------------------------------------------------------------

START_TEST(refusals_are_passed_on)
{
    struct fake fake = {.answer = refuse};
    docad__error__init(&refusal);
    refusal.code = DOCA_ERROR_NOT_PERMITTED;
    refusal.text = (char *)"not\033 yours";
    ck_assert_int_eq(RUN(&fake, "exports", "revoke", "0x12"), 1);
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(result.err, "docactl exports revoke: not\\x1b yours\n");

    ck_assert_int_eq(RUN(&fake, "--json", "exports", "revoke", "0x12"), 1);
    struct json_object *object = parsed(result.err);
    ck_assert_str_eq(member(object, "error"), "DOCA_ERROR_NOT_PERMITTED");
    ck_assert_str_eq(member(object, "text"), "not\033 yours");
    json_object_put(object);

    refusal.code = DOCA_ERROR_TIME_OUT;
    refusal.text = (char *)""; // even so something is said
    ck_assert_int_eq(RUN(&fake, "exports", "lookup", "x", "-t0.1", "--json"), 4);
    object = parsed(result.err);
    ck_assert_str_eq(member(object, "error"), "DOCA_ERROR_TIME_OUT");
    ck_assert_str_ne(member(object, "text"), "");
    json_object_put(object);
}
END_TEST

// ---- no answer, or none that makes sense ---------------------------------------------------

static bool silent(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)reply;
    (void)conn;
    return false;
}

START_TEST(silence_ends_in_time)
{
    struct fake fake = {.answer = silent};
    ck_assert_int_eq(RUN(&fake, "--timeout", "0.05", "status"), 4);
    ck_assert_int_eq(RUN(&fake, "--timeout", "0", "ping"), 4);
}
END_TEST

static bool hang_up(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)reply;
    shutdown(conn, SHUT_RDWR);
    return false;
}

START_TEST(a_lost_connection_is_said)
{
    struct fake fake = {.answer = hang_up, .connections = 2};
    ck_assert_int_eq(RUN(&fake, "--json", "peers"), 3);
    struct json_object *object = parsed(result.err);
    ck_assert_str_eq(member(object, "error"), "DOCA_ERROR_NOT_CONNECTED");
    json_object_put(object);
}
END_TEST

static bool nonsense(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)reply;
    ck_assert_int_eq(packet_send(conn, "\xff\xff\xff", 3, NULL, 0, 0), 0);
    return false;
}

START_TEST(nonsense_is_said)
{
    struct fake fake = {.answer = nonsense};
    ck_assert_int_eq(RUN(&fake, "status"), 3);
    fake.answer = another_answer;
    ck_assert_int_eq(RUN(&fake, "devices"), 3);
}
END_TEST

// ---- ibverbs devices -----------------------------------------------------------------------

static bool verbs_devices(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static Docad__FunctionListReply body = DOCAD__FUNCTION_LIST_REPLY__INIT;
    static Docad__Function functions[2] = {DOCAD__FUNCTION__INIT, DOCAD__FUNCTION__INIT};
    static Docad__Function *list[2] = {&functions[0], &functions[1]};
    static Docad__FunctionVerbs ports[2] = {DOCAD__FUNCTION_VERBS__INIT,
                                            DOCAD__FUNCTION_VERBS__INIT};
    static uint8_t raw[16] = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 7};
    static Docad__VerbsGid gid = DOCAD__VERBS_GID__INIT;
    static Docad__VerbsGid *gids[1] = {&gid};
    (void)request;
    (void)conn;
    gid.index = 3;
    gid.gid = (ProtobufCBinaryData){sizeof(raw), raw};
    gid.type = 2;
    ports[0].active = ports[0].ethernet = ports[0].atomics = true;
    ports[0].port = 1;
    ports[0].mtu = 5;
    ports[0].max_queue = 8192;
    ports[0].timeout = 14;
    ports[0].gids = gids;
    ports[0].n_gids = 1;
    ports[1].mtu = 77; // what no MTU is
    for (unsigned i = 0; i < 2; i++) {
        functions[i].id = i + 1;
        functions[i].name = (char *)(i ? "rxe1" : "rxe0");
        functions[i].backing = DOCAD__BACKING__VERBS;
        functions[i].verbs = &ports[i];
    }
    body.functions = list;
    body.n_functions = 2;
    reply->body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY;
    reply->function_list_reply = &body;
    return true;
}

START_TEST(ports_of_ibverbs_devices)
{
    struct fake fake = {.answer = verbs_devices};
    ck_assert_int_eq(RUN(&fake, "devices", "--json"), 0);
    struct json_object *list = parsed(result.out), *port, *gids;
    struct json_object *rxe0 = json_object_array_get_idx(list, 0);
    ck_assert_str_eq(member(rxe0, "state"), "active");
    ck_assert(json_object_object_get_ex(rxe0, "verbs", &port));
    ck_assert_str_eq(member(port, "mtu"), "4096");
    ck_assert_str_eq(member(port, "link_layer"), "ethernet");
    ck_assert_str_eq(member(port, "max_queue"), "8192");
    ck_assert_str_eq(member(port, "atomics"), "true");
    ck_assert_str_eq(member(port, "timeout"), "14");
    ck_assert_str_eq(member(port, "address"), "");
    ck_assert(json_object_object_get_ex(port, "gids", &gids));
    struct json_object *gid = json_object_array_get_idx(gids, 0);
    ck_assert_str_eq(member(gid, "index"), "3");
    ck_assert_str_eq(member(gid, "gid"), "::ffff:10.0.0.7");
    ck_assert_str_eq(member(gid, "type"), "roce_v2");
    struct json_object *rxe1 = json_object_array_get_idx(list, 1);
    ck_assert_str_eq(member(rxe1, "state"), "down");
    ck_assert(json_object_object_get_ex(rxe1, "verbs", &port));
    ck_assert_str_eq(member(port, "mtu"), "0");
    json_object_put(list);
    ck_assert_int_eq(RUN(&fake, "devices"), 0);
    assert_names(result.out, "STATE");
    assert_names(result.out, "down");
}
END_TEST

// ---- restarts ------------------------------------------------------------------------------

// docad was restarted in the midst of it: the first request was not answered.
static bool resumed(const Docad__Message *request, Docad__Message *reply, int conn)
{
    Docad__Resumed body = DOCAD__RESUMED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    if (request->again == 7)
        return pages(request, reply, conn);
    ck_assert_uint_eq(request->again, 0);
    body.restart = 7;
    message.body_case = DOCAD__MESSAGE__BODY_RESUMED;
    message.resumed = &body;
    message_send(conn, &message, NULL, 0, 0);
    return false;
}

START_TEST(asks_again_after_a_restart)
{
    struct fake fake = {.answer = resumed};
    ck_assert_int_eq(RUN(&fake, "sessions"), 0);
    for (unsigned page = 0; page < PAGES; page++) {
        char program[32];
        snprintf(program, sizeof(program), "program-%u", page);
        assert_names(result.out, program);
    }
}
END_TEST

// The connection was not kept: the second page is asked of the next docad.
static bool lost_once(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static bool lost;
    if (lost || request->list->after == 0)
        return pages(request, reply, conn);
    lost = true;
    shutdown(conn, SHUT_RDWR);
    return false;
}

static bool loses(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)reply;
    shutdown(conn, SHUT_RDWR);
    return false;
}

START_TEST(connects_again_to_ask)
{
    struct fake fake = {.answer = lost_once, .connections = 2};
    ck_assert_int_eq(RUN(&fake, "sessions"), 0);
    assert_names(result.out, "program-0");
    assert_names(result.out, "program-2");
    // Once, and not for what changes something.
    fake = (struct fake){.answer = loses, .connections = 2};
    ck_assert_int_eq(RUN(&fake, "status"), 3);
    fake.connections = 1;
    ck_assert_int_eq(RUN(&fake, "exports", "revoke", "1"), 3);
}
END_TEST

// The next docad is there, and says why it does not answer.
START_TEST(connects_again_and_is_refused)
{
    struct fake fake = {.answer = loses, .connections = 2, .refuses = true};
    docad__error__init(&refusal);
    refusal.code = DOCA_ERROR_NO_MEMORY;
    refusal.text = (char *)"uid 7 has 36 connections";
    ck_assert_int_eq(RUN(&fake, "status"), 1);
    assert_names(result.err, "uid 7 has 36 connections");
}
END_TEST

// A descriptor with nothing in it is no descriptor: nothing of it is shown as one.
static bool empty_descriptor(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static Docad__ExportGetReply get = DOCAD__EXPORT_GET_REPLY__INIT;
    (void)request;
    (void)conn;
    reply->body_case = DOCAD__MESSAGE__BODY_EXPORT_GET_REPLY;
    reply->export_get_reply = &get;
    return true;
}

START_TEST(an_empty_descriptor_is_refused)
{
    struct fake fake = {.answer = empty_descriptor};
    ck_assert_int_eq(RUN(&fake, "exports", "get", "1", "--json"), 1);
    ck_assert_str_eq(result.out, "");
}
END_TEST

// ---- usage -------------------------------------------------------------------------------------

static int plain(const char *const words[])
{
    const char *argv[16] = {"docactl"};
    size_t n = 1;
    while (*words)
        argv[n++] = *words++;
    command_run(NULL, argv, &result);
    return result.status;
}

#define PLAIN(...) plain((const char *const[]){__VA_ARGS__, NULL})

START_TEST(help_comes_from_the_table)
{
    ck_assert_int_eq(PLAIN("help"), 0);
    assert_names(result.out, "exports lookup PUBLISHED");
    ck_assert_int_eq(PLAIN("--help"), 0);
    assert_names(result.out, "exports lookup PUBLISHED");

    static char topic[sizeof(result.out)];
    ck_assert_int_eq(PLAIN("help", "exports", "put"), 0);
    strcpy(topic, result.out);
    assert_names(topic, "docactl exports put [OPTION...] FILE");
    assert_names(topic, "--name NAME");
    ck_assert_int_eq(PLAIN("exports", "put", "--help"), 0);
    ck_assert_str_eq(result.out, topic);

    ck_assert_int_eq(PLAIN("help", "exports"), 0);
    assert_names(result.out, "exports revoke [ID]");
    ck_assert_int_eq(PLAIN("--version"), 0);
    ck_assert_int_eq(strncmp(result.out, "docactl (docad) ", 16), 0);
}
END_TEST

START_TEST(wrong_usage_is_named)
{
    static const char *const lines[][5] = {
        {NULL},
        {"nothing"},
        {"exports", "shw"},
        {"exports", "show"},
        {"exports", "show", "1", "2"},
        {"exports", "show", "one"},
        {"exports", "revoke", "-5"},
        {"exports", "put", "file"},
        {"exports", "publish", "1"},
        {"exports", "lookup", "x", "--timeout", "soon"},
        {"--timeout", "-1", "status"},
        {"status", "--all"},
        {"sessions", "extra"},
        {"--socket", "", "status"},
        {"help", "nothing"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *words[6] = {0};
        memcpy(words, lines[i], sizeof(lines[i]));
        ck_assert_msg(plain(words) == 2, "line %zu: status %d", i, result.status);
        ck_assert_str_eq(result.out, "");
        char *end = strchr(result.err, '\n');
        ck_assert_msg(end && !end[1], "not one line: %s", result.err);
    }
    ck_assert_int_eq(PLAIN("nothing", "--json"), 2);
    ck_assert_int_eq(PLAIN("--json", "nothing"), 2);
    struct json_object *object = parsed(result.err);
    ck_assert_str_eq(member(object, "error"), "DOCA_ERROR_INVALID_VALUE");
    json_object_put(object);
}
END_TEST

START_TEST(no_daemon_is_said)
{
    struct path path = temp_path("nobody.sock");
    ck_assert_int_eq(PLAIN("--socket", path.s, "status"), 3);
    assert_names(result.err, path.s);
}
END_TEST

START_TEST(files_that_are_no_descriptors_are_refused)
{
    struct path text = temp_file("text", "this is no descriptor");
    ck_assert_int_eq(PLAIN("exports", "put", text.s, "--name", "x"), 1);
    assert_names(result.err, text.s);
    unlink(text.s);
    ck_assert_int_eq(PLAIN("exports", "put", text.s, "--name", "x"), 1);
    assert_names(result.err, text.s);
    ck_assert_int_eq(PLAIN("exports", "put", "-", "-n", "x", "--json"), 1); // empty
    assert_names(result.err, "DOCA_ERROR_INVALID_VALUE");
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1); // what prints does not depend on who runs the test
    Suite *suite = suite_create("docactl_answers");
    TCase *tcase = tcase_create("docactl");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, all_pages_are_fetched);
    tcase_add_test(tcase, a_list_without_end_is_an_error);
    tcase_add_test(tcase, names_of_programs_cannot_write_to_the_terminal);
    tcase_add_test(tcase, refusals_are_passed_on);
    tcase_add_test(tcase, silence_ends_in_time);
    tcase_add_test(tcase, a_lost_connection_is_said);
    tcase_add_test(tcase, nonsense_is_said);
    tcase_add_test(tcase, an_empty_descriptor_is_refused);
    tcase_add_test(tcase, ports_of_ibverbs_devices);
    tcase_add_test(tcase, asks_again_after_a_restart);
    tcase_add_test(tcase, connects_again_to_ask);
    tcase_add_test(tcase, connects_again_and_is_refused);
    tcase_add_test(tcase, help_comes_from_the_table);
    tcase_add_test(tcase, wrong_usage_is_named);
    tcase_add_test(tcase, no_daemon_is_said);
    tcase_add_test(tcase, files_that_are_no_descriptors_are_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
