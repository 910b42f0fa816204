// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a docad says of itself when it refuses is text of another process: it is one line of a
// program's log, whatever it contains.

#include "unit.h"

#include "cleanup.h"
#include "core/connection.h"
#include "message.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void assert_told(const char *said, const char *told)
{
    struct connection c = {.path = "nowhere"};
    struct errtext err = {""};
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    Docad__Reload reload = DOCAD__RELOAD__INIT;
    Docad__Error refusal = DOCAD__ERROR__INIT;
    bool broken = false;
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    c.line.sock = ends[0];
    refusal.code = DOCA_ERROR_NOT_PERMITTED;
    refusal.text = (char *)said;
    Docad__Message *answer = message_of(ERROR, error, &refusal);
    answer->serial = 1;
    ck_assert_int_eq(message_send(ends[1], answer, NULL, 0, 0), 0);
    request.body_case = DOCAD__MESSAGE__BODY_RELOAD;
    request.reload = &reload;
    ck_assert_int_eq(connection_call(&c, &request, NULL, 0, 1000, &reply, &fds, &broken, &err),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_str_eq(err.s, told);
    connection_close(&c);
    close(ends[1]);
}

START_TEST(control_characters_are_replaced)
{
    assert_told("not yours, J\u00f6rg", "not yours, J\u00f6rg");
    assert_told("\033[2J\n[DOCA][CRT]\x7f\xc2\x9b"
                "31m\xc2",
                "?[2J?[DOCA][CRT]???31m\xc2");
}
END_TEST

UNIT_MAIN("connection_text", control_characters_are_replaced)
