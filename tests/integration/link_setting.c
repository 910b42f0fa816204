// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "link_setting.h"

#include "cleanup.h"

#include <string.h>
#include <unistd.h>

struct daemon *docad;
int fake;
bool fake_returns;

void link_as(const char *role)
{
    static uint8_t run[16] = {1};
    Docad__PeerHello hello = fake_hello_fields();
    hello.role = (char *)role;
    hello.no_descriptors = true;
    hello.resumable = hello.resumes_apart = fake_returns;
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    fake = raw_connect(docad->socket.s);
    ck_assert_int_eq(fake_hello(fake, &hello), DOCA_SUCCESS);
    if (!fake_returns)
        return;
    do // channels come first
        receive_any(fake);
    while (answer->body_case == DOCAD__MESSAGE__BODY_PEER_CHANNEL_RESUME);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_RESUME);
}

void link_start(const char *role)
{
    env_setup();
    struct path config = temp_file("docad.conf", "peer_grace_ms = 600000\n");
    docad = daemon_start(&(struct daemon_options){.role = role, .config = config.s});
    unlink(config.s);
    link_as(strcmp(role, "host") == 0 ? "dpu" : "host");
}

void link_stop(void)
{
    answer_drop();
    close_fdp(&fake);
    if (!fake_returns) // else it is waited for
        assert_baseline(docad);
    env_teardown();
}

void send_frame(uint64_t queue, uint32_t offset, const void *data, size_t n, const void *header,
                size_t size)
{
    Docad__PeerQueuePairData m = DOCAD__PEER_QUEUE_PAIR_DATA__INIT;
    m.queue = queue;
    m.offset = offset;
    m.data = (ProtobufCBinaryData){n, (uint8_t *)data};
    m.header = (ProtobufCBinaryData){size, (uint8_t *)header};
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA, &m, NULL, 0);
}

const Docad__PeerQueuePairData *expect(Docad__Message__BodyCase body)
{
    receive_any(fake);
    ck_assert_int_eq(answer->body_case, body);
    return answer->peer_queue_pair_data; // of the union
}
