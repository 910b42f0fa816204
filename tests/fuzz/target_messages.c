// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the other side of a Comm Channel writes into the channel's page and rings, and sends. The
// library has this side, a service or its client, and all of another channel of the service.
//
// Whatever comes, a call answers with a code and a length that it may answer with, and the other
// channel's messages arrive, each once and in order. Who waits sleeps when there is no more.

#include "channel_pair.h"
#include "input.h"

#include <doca_comm_channel.h>
#include <doca_log.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define QUEUE 64
#define BOUND 100000 // polls that find nothing, at most, while a message waits

static struct channel_pairs pairs;
static struct channel_pair *const hostile = &pairs.of[0], *const good = &pairs.of[1];
static struct doca_comm_channel_addr_t *ours; // of the hostile channel
static struct doca_comm_channel_ep_t *ep;     // that it belongs to
static int sock;                              // the other side's
static uint8_t *file;                         // as it has it
static struct channel_ring *in, *out;         // of ours
static uint64_t said, heard;                  // on the good channel

static void must(bool condition)
{
    if (!condition)
        abort();
}

// ---- this side -------------------------------------------------------------------------------

// Returns false if nothing was there.
static bool receive(size_t room)
{
    static uint8_t message[CHANNEL_PACKET_SIZE];
    struct doca_comm_channel_addr_t *from = NULL;
    size_t length = room;

    doca_error_t e = doca_comm_channel_ep_recvfrom(ep, message, &length, 0, &from);
    must(e == DOCA_SUCCESS || e == DOCA_ERROR_AGAIN || e == DOCA_ERROR_CONNECTION_RESET ||
         e == DOCA_ERROR_INVALID_VALUE);
    must(!good->client->gone && (e != DOCA_ERROR_CONNECTION_RESET || ours->gone));
    if (e != DOCA_SUCCESS)
        return e == DOCA_ERROR_INVALID_VALUE;
    must(from && length > 0 && length <= room);
    if (from == good->client) {
        must(length == sizeof(heard) && memcmp(message, &heard, sizeof(heard)) == 0);
        heard++;
    }
    return true;
}

static void must_sleep(void)
{
    struct pollfd p = {.fd = ep->recv_epoll, .events = POLLIN};
    unsigned n = 0;

    while (ep->watched && n < BOUND && poll(&p, 1, 0) == 1)
        n += !receive(CHANNEL_PACKET_SIZE);
    must(n < BOUND);
}

static void send_to_it(size_t length)
{
    static const uint8_t message[CHANNEL_MESSAGE_MAX];

    if (!ours->gone)
        (void)doca_comm_channel_ep_sendto(ep, message, length % sizeof(message) + 1, 0, ours);
}

static void say_on_the_good_one(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        said += doca_comm_channel_ep_sendto(&good->ep, &said, sizeof(said), 0, good->there) ==
                DOCA_SUCCESS;
}

// ---- the other side --------------------------------------------------------------------------

static void write_records(struct input *step)
{
    size_t ring = out == &ours->page->ring[0] ? 1 : 0;
    uint8_t *bytes = file + CHANNEL_PAGE_SIZE + ring * CHANNEL_RING_SIZE;
    uint64_t at = atomic_load(&in->put) + input_u8(step) * 8u;

    while (step->left) {
        uint8_t how = input_u8(step);
        struct channel_record record = {
            how & 1 ? (uint32_t)input_odd(step) : input_u16(step) % CHANNEL_MESSAGE_MAX + 1u,
            how & 2 ? (uint32_t)input_odd(step) : (uint32_t)ours->got + how / 64u};
        if (how & 4)
            record.length = CHANNEL_RECORD_SKIP;
        memcpy(bytes + at % CHANNEL_RING_SIZE / 8 * 8, &record, sizeof(record));
        uint64_t size = 8 + (record.length + 7ull) / 8 * 8;
        at += how & 8 ? 8 : size;
        atomic_fetch_add(&in->put, how & 16 ? input_odd(step) : size);
    }
}

static void write_counts(struct input *step)
{
    while (step->left) {
        uint8_t which = input_u8(step);
        uint64_t value = which & 8 ? input_odd(step) : input_u8(step);
        switch (which % 8) {
        case 0:
            atomic_store(&in->put, value);
            break;
        case 1:
            atomic_store(&out->taken, value);
            break;
        case 2:
            atomic_store(&out->polled, (uint32_t)value);
            break;
        case 3:
            atomic_store(&ours->theirs->received, value);
            break;
        case 4:
            atomic_store(&ours->theirs->wants_room, (uint32_t)value);
            break;
        case 5:
            atomic_store(&ours->theirs->state, (uint32_t)value);
            break;
        case 6:
            atomic_store((_Atomic uint64_t *)(uintptr_t)ours->came_count, value);
            break;
        default:
            file[value % CHANNEL_FILE_SIZE] = (uint8_t)which;
        }
    }
}

static void send_packet(size_t length)
{
    static const uint8_t bytes[CHANNEL_PACKET_SIZE + 256];

    (void)send(sock, bytes, length % sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void hang_up(void)
{
    struct doca_comm_channel_addr_t *other =
        ep == &pairs.service ? hostile->there : hostile->client;
    if (other->sock >= 0)
        pair_kill(other);
    sock = -1;
}

// ---- one input -------------------------------------------------------------------------------

static void begin(bool client)
{
    pairs_open(&pairs, 2, QUEUE);
    ours = client ? hostile->there : hostile->client;
    ep = client ? &hostile->ep : &pairs.service;
    struct doca_comm_channel_addr_t *other = client ? hostile->client : hostile->there;
    sock = other->sock;
    file = (uint8_t *)other->page;
    in = &other->page->ring[client ? CHANNEL_SERVICE : CHANNEL_CLIENT];
    out = &other->page->ring[client ? CHANNEL_CLIENT : CHANNEL_SERVICE];
    said = heard = 0;
}

static void take_step(uint8_t what, struct input *step)
{
    doca_event_channel_t fd;

    // When it has gone, our page has gone with it.
    if (ours->gone && what % 8 >= 3 && what % 8 <= 4)
        return;
    switch (what % 8) {
    case 0:
        for (unsigned n = input_u8(step) % 16 + 1; n > 0 && receive(CHANNEL_PACKET_SIZE); n--)
            ;
        break;
    case 1:
        send_to_it(input_u16(step));
        break;
    case 2:
        send_packet(input_u16(step));
        break;
    case 3:
        write_records(step);
        break;
    case 4:
        write_counts(step);
        break;
    case 5:
        say_on_the_good_one(input_u8(step) % 8 + 1);
        break;
    case 6:
        (void)receive(input_u16(step) % CHANNEL_PACKET_SIZE + 1);
        break;
    default:
        if (input_u8(step) & 1)
            hang_up();
        else
            (void)doca_comm_channel_ep_get_event_channel(ep, NULL, &fd);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (!getenv("FUZZ_VERBOSE"))
        doca_log_global_level_set(DOCA_LOG_LEVEL_CRIT);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input all = {data, size}, step;
    uint8_t what;

    begin(input_u8(&all) & 1);
    while (input_step(&all, &what, &step))
        take_step(what, &step);
    must_sleep();
    if (ep != &pairs.service)
        hostile->client = cc_address_free(hostile->client);
    ep = &pairs.service;
    say_on_the_good_one(1);
    for (unsigned n = 0; n < BOUND && heard < said; n++)
        (void)receive(CHANNEL_PACKET_SIZE);
    must(heard == said);
    pairs_close(&pairs);
    return 0;
}
