// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How programs read what docad answers: common/call.c, and docactl with its tables, which gets any
// answers to its requests. The answers wait in the socket when it asks.

#include "any_message.h"
#include "call.h"
#include "cleanup.h"

#include <docad.pb-c.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int docactl_main(int argc, char **argv);
enum call_end __wrap_call_open(struct call_line *line, const char *path, bool tool,
                               uint32_t timeout_ms, uint32_t retry_ms, Docad__Message **hello,
                               struct fd_list *fds);

// Commands that do not wait and write no files.
static const char *const commands[][5] = {
    {"status"},
    {"ping"},
    {"devices"},
    {"representors"},
    {"peers"},
    {"sessions"},
    {"regions"},
    {"imports"},
    {"queues"},
    {"channels"},
    {"channels", "services"},
    {"events"},
    {"exports"},
    {"exports", "show", "7"},
    {"exports", "get", "7"},
    {"exports", "publish", "7", "name"},
    {"exports", "unpublish", "name"},
    {"exports", "lookup", "name"},
    {"exports", "names"},
    {"exports", "revoke", "7"},
    {"monitor"},
    {"metrics"},
    {"log-level"},
    {"log-level", "debug"},
    {"reload"},
    {"policy", "test", "0", "pf0"},
    {"dump"},
};

static int answers[2] = {-1, -1};
static uint64_t last_serial;

// What docad should have said comes first; a few messages fit the socket.
static bool put_answer(struct input *in)
{
    static const uint8_t usual[] = {51, 53, 13, 17, 161, 163, 165, 167, 55, 34, 2, 3, 210};
    static uint8_t packed[PACKET_SIZE_MAX];
    uint8_t how = input_u8(in), body = input_u8(in);
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(
        &docad__message__descriptor, how < 0xf0 ? usual[body % sizeof(usual)] : body);
    Docad__Message message = DOCAD__MESSAGE__INIT;

    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return send(answers[1], in->at, in->left, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
    message.serial = how < 0xc0 ? ++last_serial : how < 0xe0 ? 0 : input_odd(in);
    message.body_case = field->id;
    ProtobufCMessage *inner = any_message(field->descriptor, in);
    message.ok = (Docad__Empty *)inner;
    size_t size = docad__message__get_packed_size(&message);
    bool sent = size <= sizeof(packed);
    if (sent) {
        docad__message__pack(&message, packed);
        sent = send(answers[1], packed, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
    }
    protobuf_c_message_free_unpacked(inner, NULL);
    return sent;
}

enum call_end __wrap_call_open(struct call_line *line, const char *path, bool tool,
                               uint32_t timeout_ms, uint32_t retry_ms, Docad__Message **hello,
                               struct fd_list *fds)
{
    (void)path;
    (void)tool;
    (void)timeout_ms;
    (void)retry_ms;
    *line = (struct call_line){.sock = answers[0]};
    if (answers[0] < 0) // a second time
        return CALL_UNREACHABLE;
    answers[0] = -1;
    fds->count = 0;
    *hello = malloc(sizeof(**hello));
    docad__message__init(*hello);
    (*hello)->body_case = DOCAD__MESSAGE__BODY_HELLO_REPLY;
    (*hello)->hello_reply = malloc(sizeof(Docad__HelloReply));
    docad__hello_reply__init((*hello)->hello_reply);
    return CALL_DONE;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    if (!getenv("FUZZ_VERBOSE")) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
            abort();
        stderr = fdopen(nowhere, "w"); // libFuzzer writes to the descriptor
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step;
    uint8_t which = input_u8(&in), what;
    char *argv[8] = {(char *)"docactl"};
    int argc = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, answers) < 0)
        abort();
    int other = answers[1];
    last_serial = 0;
    while (input_step(&in, &what, &step) && put_answer(&step))
        ;
    shutdown(other, SHUT_WR);
    if (which & 0x80)
        argv[argc++] = (char *)"--json";
    const char *const *command =
        commands[(which & 0x7f) % (sizeof(commands) / sizeof(commands[0]))];
    for (int i = 0; i < 4 && command[i]; i++)
        argv[argc++] = (char *)command[i];
    docactl_main(argc, argv);
    close_fdp(&answers[0]);
    close(other);
    return 0;
}
