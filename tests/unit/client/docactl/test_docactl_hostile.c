// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl against what is no docad and means it harm, or to waste its time: it ends with a line
// that says so, and no byte that a terminal obeys gets through.

#include "fake_docad.h"

#include "cleanup.h"
#include "text_names.h"

#include <doca_error.h>
#include <string.h>
#include <unistd.h>

// ---- without end -----------------------------------------------------------------------------

// One page is as good as another, and the last one comes never.
static bool goes_around(const Docad__Message *request, Docad__Message *reply, int conn)
{
    endless(request, reply, conn);
    reply->list_reply->last = request->list->after % 2 + 1;
    return true;
}

static bool goes_on(const Docad__Message *request, Docad__Message *reply, int conn)
{
    // A field that docactl does not know: it counts, and takes no time to look at.
    static uint8_t bytes[60000];
    static ProtobufCMessageUnknownField field = {
        .tag = 15000, .wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, .data = bytes};
    pages(request, reply, conn);
    // Its data begins with the length of what follows, in three bytes.
    size_t length = sizeof(bytes) - 3;
    bytes[0] = (uint8_t)(length | 0x80);
    bytes[1] = (uint8_t)(length >> 7 | 0x80);
    bytes[2] = (uint8_t)(length >> 14);
    field.len = sizeof(bytes);
    reply->list_reply->base.n_unknown_fields = 1;
    reply->list_reply->base.unknown_fields = &field;
    reply->list_reply->last = request->list->after + 1;
    reply->list_reply->more = true;
    return true;
}

START_TEST(a_list_that_goes_on_and_on_is_an_error)
{
    struct fake fake = {.answer = goes_around};
    ck_assert_int_eq(RUN(&fake, "regions"), 3);
    fake.answer = goes_on;
    ck_assert_int_eq(RUN(&fake, "sessions", "--filter", "program=y"), 1);
    ck_assert_str_eq(result.out, "");
}
END_TEST

// ---- control characters ------------------------------------------------------------------------

static void pages_of_one(const Docad__Message *request, Docad__Message *reply, int conn)
{
    pages(request, reply, conn);
    reply->list_reply->more = false;
}

static bool has_controls(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' ? *text != '\n' : (unsigned char)*text == 0x7f)
            return true;
        else if ((unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0)
            return true;
    return false;
}

#define BAD                                                                                        \
    "a\033[31m\007b\x7f\xc2\x9b"                                                                   \
    "31mc"

static bool bad_name(const Docad__Message *request, Docad__Message *reply, int conn)
{
    pages_of_one(request, reply, conn);
    reply->list_reply->sessions[0]->program = (char *)BAD;
    return true;
}

// Terminals that read UTF-8 know control characters beyond ASCII, too.
START_TEST(json_cannot_write_to_the_terminal)
{
    struct fake fake = {.answer = bad_name};
    ck_assert_int_eq(RUN(&fake, "sessions", "--json"), 0);
    ck_assert(!has_controls(result.out));
    struct json_object *array = parsed(result.out);
    ck_assert_str_eq(member(json_object_array_get_idx(array, 0), "program"), BAD);
    json_object_put(array);
    docad__error__init(&refusal);
    refusal.code = DOCA_ERROR_NOT_PERMITTED;
    refusal.text = (char *)BAD;
    fake.answer = refuse;
    ck_assert_int_eq(RUN(&fake, "sessions", "--json"), 1);
    ck_assert(!has_controls(result.err));
    struct json_object *object = parsed(result.err);
    ck_assert_str_eq(member(object, "text"), BAD);
    json_object_put(object);
}
END_TEST

static bool bad_metrics(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static Docad__MetricsReply metrics;
    static char text[] = "# TYPE " BAD " counter\n" BAD "{" BAD "=\"" BAD "\"} " BAD "\n"
                         "good 17\nhalf 0.5\nno 0x10\nnan NaN\n";
    (void)request;
    (void)conn;
    docad__metrics_reply__init(&metrics);
    metrics.text = text;
    reply->body_case = DOCAD__MESSAGE__BODY_METRICS_REPLY;
    reply->metrics_reply = &metrics;
    return true;
}

START_TEST(metrics_cannot_write_to_the_terminal)
{
    struct fake fake = {.answer = bad_metrics};
    ck_assert_int_eq(RUN(&fake, "metrics"), 0);
    ck_assert(!has_controls(result.out));
    assert_names(result.out, "good 17");
    ck_assert_int_eq(RUN(&fake, "metrics", "--json"), 0);
    ck_assert(!has_controls(result.out));
    static const char *const values[] = {NULL, "17", "0.5", NULL, NULL};
    struct json_object *array = parsed(result.out);
    ck_assert_uint_eq(json_object_array_length(array), ARRAY_SIZE(values));
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        const char *value = member(json_object_array_get_idx(array, i), "value");
        ck_assert_msg(values[i] ? value && strcmp(value, values[i]) == 0 : !value, "%zu: %s", i,
                      value ? value : "null");
    }
    json_object_put(array);
}
END_TEST

static void send_alone(int conn, Docad__Message *message, uint64_t serial)
{
    message->serial = serial;
    message_send(conn, message, NULL, 0, 0);
}

static bool bad_event(const Docad__Message *request, Docad__Message *reply, int conn)
{
    Docad__MonitorEvent event = DOCAD__MONITOR_EVENT__INIT;
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    (void)reply;
    event.event = event.name = event.program = event.text = (char *)BAD;
    event.has_owner = true;
    send_alone(conn, message_of(OK, ok, &ok), request->serial);
    send_alone(conn, message_of(MONITOR_EVENT, monitor_event, &event), 0);
    return false;
}

START_TEST(events_cannot_write_to_the_terminal)
{
    struct fake fake = {.answer = bad_event};
    ck_assert_int_eq(RUN(&fake, "monitor", "--count", "1"), 0);
    ck_assert(!has_controls(result.out));
    ck_assert_ptr_nonnull(strstr(result.out, "\\x1b[31m"));
    ck_assert_int_eq(RUN(&fake, "monitor", "--count", "1", "--json"), 0);
    ck_assert(!has_controls(result.out));
}
END_TEST

// ---- other messages ----------------------------------------------------------------------------

// Messages that nobody asked for, until docactl has gone.
static bool chatters(const Docad__Message *request, Docad__Message *reply, int conn)
{
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    (void)request;
    (void)reply;
    while (message_send(conn, message_of(OK, ok, &ok), NULL, 0, 0) == 0)
        ;
    return false;
}

// Another restart each time that the request comes again.
static bool restarts(const Docad__Message *request, Docad__Message *reply, int conn)
{
    Docad__Resumed resumed = DOCAD__RESUMED__INIT;
    (void)reply;
    resumed.restart = request->again + 1;
    send_alone(conn, message_of(RESUMED, resumed, &resumed), 0);
    return false;
}

START_TEST(chatter_is_no_answer)
{
    struct fake fake = {.answer = chatters};
    ck_assert_int_eq(RUN(&fake, "--timeout", "0.05", "status"), 4);
    fake.answer = restarts;
    ck_assert_int_eq(RUN(&fake, "--timeout", "0.05", "status"), 4);
}
END_TEST

// While docactl waits for events, no request waits for an answer.
static bool answers_on(const Docad__Message *request, Docad__Message *reply, int conn)
{
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    (void)reply;
    for (uint64_t serial = request->serial; serial; serial++) {
        Docad__Message *message = message_of(OK, ok, &ok);
        message->serial = serial;
        if (message_send(conn, message, NULL, 0, 0) < 0)
            break;
    }
    return false;
}

START_TEST(a_monitor_that_gets_answers_ends)
{
    struct fake fake = {.answer = answers_on};
    ck_assert_int_eq(RUN(&fake, "monitor"), 3);
}
END_TEST

// Commands, and what they ask for.
static const char *const commands[][5] = {
    {"status"},
    {"devices"},
    {"representors"},
    {"peers"},
    {"sessions"},
    {"regions"},
    {"exports"},
    {"imports"},
    {"queues"},
    {"channels"},
    {"events"},
    {"metrics"},
    {"monitor"},
    {"log-level"},
    {"reload"},
    {"policy", "test", "0", "pf0"},
    {"exports", "names"},
    {"exports", "lookup", "x"},
    {"exports", "get", "1"},
    {"exports", "show", "1"},
    {"exports", "revoke", "1"},
};

// The beginning of a message, with a descriptor that nobody asked for.
static bool cut_short(const Docad__Message *request, Docad__Message *reply, int conn)
{
    uint8_t packed[256];
    int fd = STDERR_FILENO;
    fill_hello(reply);
    reply->serial = request->serial;
    size_t size = docad__message__pack(reply, packed);
    packet_send(conn, packed, size - 1, &fd, 1, 0);
    return false;
}

START_TEST(other_answers_are_said)
{
    struct fake fake = {.answer = another_answer};
    ck_assert_int_eq(run_against(&fake, commands[_i]), 3);
    ck_assert_str_eq(result.out, "");
    fake.answer = cut_short;
    ck_assert_int_eq(run_against(&fake, commands[_i]), 3);
    ck_assert_str_eq(result.out, "");
    ck_assert_ptr_nonnull(strstr(result.err, commands[_i][0]));
}
END_TEST

// As many descriptors as fit come with the answer.
static bool with_descriptors(const Docad__Message *request, Docad__Message *reply, int conn)
{
    int fds[PACKET_FDS_MAX];
    pages(request, reply, conn);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = STDERR_FILENO;
    message_send(conn, reply, fds, ARRAY_SIZE(fds), 0);
    return false;
}

// Each page has a limit of its own: as many as a process may have open would not last for all.
START_TEST(descriptors_are_dropped)
{
    struct fake fake = {.answer = with_descriptors};
    ck_assert_int_eq(RUN(&fake, "sessions"), 0);
    assert_names(result.out, "program-2");
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1); // what prints does not depend on who runs the test
    Suite *suite = suite_create("docactl_hostile");
    TCase *tcase = tcase_create("docactl");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, a_list_that_goes_on_and_on_is_an_error);
    tcase_add_test(tcase, json_cannot_write_to_the_terminal);
    tcase_add_test(tcase, metrics_cannot_write_to_the_terminal);
    tcase_add_test(tcase, events_cannot_write_to_the_terminal);
    tcase_add_test(tcase, chatter_is_no_answer);
    tcase_add_test(tcase, a_monitor_that_gets_answers_ends);
    tcase_add_loop_test(tcase, other_answers_are_said, 0, (int)ARRAY_SIZE(commands));
    tcase_add_test(tcase, descriptors_are_dropped);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
