// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad makes of the answers of a node that it dials: it says why there is no link, goes on
// serving, tries again, and links when the answer is good.

#include "child.h"
#include "deadline.h"
#include "env.h"
#include "protocol.h"
#include "run.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct path address;
static int listener;
static struct daemon *dpu;
static uint8_t own_id[NODE_ID_SIZE];

static void setup(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    env_setup();
    address = temp_path("there.sock");
    strcpy(name.sun_path, address.s);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
    ck_assert_int_eq(listen(listener, 4), 0);
    dpu = daemon_start(&(struct daemon_options){.role = "dpu", .peers = {address.s}});
    struct raw_session s = session_start(dpu);
    memcpy(own_id, s.node, sizeof(own_id));
    session_end(&s);
}

static void teardown(void)
{
    answer_drop();
    close(listener);
    unlink(address.s);
    env_teardown();
}

// ---- answers -----------------------------------------------------------------------------------

static Docad__PeerHelloReply good(void)
{
    Docad__PeerHello hello = fake_hello_fields();
    Docad__PeerHelloReply m = DOCAD__PEER_HELLO_REPLY__INIT;
    m.version = 1;
    m.node = hello.node;
    m.name = hello.name;
    m.role = hello.role;
    m.functions = hello.functions;
    m.n_functions = hello.n_functions;
    return m;
}

static void say(int sock, uint64_t serial, const Docad__PeerHelloReply *m)
{
    post_raw(sock, serial, DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY, m, NULL, 0);
}

static void say_yes(int sock, uint64_t serial)
{
    Docad__PeerHelloReply m = good();
    say(sock, serial, &m);
}

static void say_version(int sock, uint64_t serial)
{
    Docad__PeerHelloReply m = good();
    m.version = 7;
    say(sock, serial, &m);
}

static void say_short_id(int sock, uint64_t serial)
{
    Docad__PeerHelloReply m = good();
    m.node.len--;
    say(sock, serial, &m);
}

static void say_no_name(int sock, uint64_t serial)
{
    Docad__PeerHelloReply m = good();
    m.name = (char *)"";
    say(sock, serial, &m);
}

static void say_its_own_id(int sock, uint64_t serial)
{
    Docad__PeerHelloReply m = good();
    m.node.data = own_id;
    say(sock, serial, &m);
}

static void say_error(int sock, uint64_t serial, doca_error_t code, const char *text)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    error.code = code;
    error.text = (char *)text;
    post_raw(sock, serial, DOCAD__MESSAGE__BODY_ERROR, &error, NULL, 0);
}

static void say_no(int sock, uint64_t serial)
{
    say_error(sock, serial, DOCA_ERROR_NOT_PERMITTED, "not on a Tuesday");
}

static void say_there_is_one(int sock, uint64_t serial)
{
    say_error(sock, serial, DOCA_ERROR_ALREADY_EXIST, "there is a link already");
}

static void say_ok(int sock, uint64_t serial)
{
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    post_raw(sock, serial, DOCAD__MESSAGE__BODY_OK, &ok, NULL, 0);
}

static void say_nonsense(int sock, uint64_t serial)
{
    (void)serial;
    ck_assert_int_eq(send(sock, "\xff\xff\xff\xff nonsense", 13, MSG_NOSIGNAL), 13);
}

static void hang_up(int sock, uint64_t serial)
{
    (void)serial;
    shutdown(sock, SHUT_RDWR);
}

static const struct {
    void (*answer)(int sock, uint64_t serial);
    const char *state, *why; // `why`: a part of what docactl says
} answers[] = {
    {say_version, "refused", "version"},
    {say_short_id, "refused", "id"},
    {say_no_name, "refused", "name"},
    {say_its_own_id, "refused", "itself"},
    {say_no, "refused", "not on a Tuesday"},
    {say_ok, "refused", "its answer to hello is not valid"},
    {say_there_is_one, "connecting", "there is a link already"},
    {say_nonsense, "connecting", ""},
    {hang_up, "connecting", "closed by the other side"},
};

// ---- what comes of them ------------------------------------------------------------------------

// Takes the next call, and its hello.
static int answered(uint64_t *serial)
{
    int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(sock, 0);
    receive_any(sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_HELLO);
    ck_assert_uint_eq(answer->peer_hello->node.len, sizeof(own_id));
    ck_assert_mem_eq(answer->peer_hello->node.data, own_id, sizeof(own_id));
    *serial = answer->serial;
    return sock;
}

static void wait_shown(const char *state, const char *why)
{
    static struct command_result result;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (;;) {
        command_run(dpu,
                    (const char *const[]){"docactl", "peers", "--no-headers", "--columns",
                                          "state,last_error", NULL},
                    &result);
        ck_assert_int_eq(result.status, 0);
        if (strstr(result.out, state) && strstr(result.out, why))
            return;
        ck_assert_msg(deadline_pause(deadline), "'%s' and '%s' expected: %s", state, why,
                      result.out);
    }
}

START_TEST(an_answer_that_makes_no_link)
{
    uint64_t serial;
    int sock = answered(&serial);
    answers[_i].answer(sock, serial);
    raw_expect_closed(sock);
    close(sock);
    wait_shown(answers[_i].state, answers[_i].why);
    daemon_wait_links(dpu, 0);

    sock = answered(&serial); // it tries again
    say_yes(sock, serial);
    daemon_wait_links(dpu, 1);
    wait_shown("linked", "");
    close(sock);
    daemon_wait_links(dpu, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialled");
    TCase *tcase = tcase_create("dialled");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, an_answer_that_makes_no_link, 0,
                        sizeof(answers) / sizeof(answers[0]));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
