// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What clients and earlier engines write into shared memory: rings of requests, atomic operations
// and their intents, copies between grants, and the file of a relay. The parts of the engine are
// called directly, in one thread, so that an input always does the same.
//
// No request may move a byte outside of its grant: the memory around each grant is compared
// afterwards.

#include "cleanup.h"
#include "engine_copy.h"
#include "engine_event.h"
#include "engine_grants.h"
#include "engine_move.h"
#include "input.h"
#include "memfd.h"
#include "relay_store.h"
#include "segments.h"
#include "shared_fd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE   4096
#define GUARD  0x5a
#define GRANTS 6

// A page that may be reached, between two that may not.
static struct area {
    int fd;
    uint8_t *at;
} areas[2];

static struct {
    struct engine_grants table;
    struct idmap owners;
    struct list windows;
    uint32_t keys[GRANTS];
    unsigned n;
} grants;

static struct shared_fd *own_memory;
static struct qp_server server;
static struct qp_client client;

// ---- grants -------------------------------------------------------------------------------

static struct engine_window *window_on(const struct area *area, bool writable)
{
    Docad__Segment part = DOCAD__SEGMENT__INIT, *parts[] = {&part};
    struct engine_window *window = NULL;
    struct segments segments;
    struct errtext err;

    part.address = (uintptr_t)area->at + PAGE;
    part.length = PAGE;
    part.mapped = true;
    part.offset = PAGE;
    if (segments_read(part.address, part.length, parts, 1, &segments, &err) != DOCA_SUCCESS)
        abort();
    if (engine_window_new(&window, area->fd, &segments, writable) < 0)
        abort();
    segments_fini(&segments);
    return window;
}

static struct engine_event *event_new(bool counter_in_page)
{
    struct engine_event *event;
    int fds[3] = {memfd_create_sealed("event", PAGE), -1, -1};

    if (fds[0] < 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds + 1) < 0 ||
        engine_event_new(&event, fds, counter_in_page, getuid()) < 0)
        abort();
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    return event;
}

static void add_grant(struct input *in)
{
    uint8_t kind = input_u8(in);
    const struct area *area = &areas[kind & 1];
    struct engine_range range = {.owner_memory = own_memory,
                                 .owner = 1,
                                 .uid = getuid(),
                                 .address = (uintptr_t)area->at + PAGE,
                                 .length = PAGE,
                                 .allowed = kind & 2 ? input_u8(in) : 0x1e,
                                 .any_word = kind & 4};
    if (kind & 8) {
        range.window = window_on(area, kind & 16);
        range.allowed = kind & 16 ? 0x06 : 0x02;
        range.owner_memory = NULL;
    } else if (kind & 32) {
        range.event = event_new(kind & 64);
        range.length = 8;
        if (kind & 64)
            range.owner_memory = NULL;
    }
    if (grants.n < GRANTS &&
        engine_grants_add(&grants.table, &grants.owners, &range, &grants.keys[grants.n]) == 0) {
        grants.n++;
        return;
    }
    engine_window_free(range.window);
    engine_event_free(range.event);
}

static uint32_t any_key(struct input *in)
{
    uint8_t how = input_u8(in);
    return how < 0xe0 && grants.n ? grants.keys[how % grants.n] : (uint32_t)input_odd(in);
}

static uint64_t any_address(struct input *in)
{
    uint8_t how = input_u8(in);
    uint64_t start = (uintptr_t)areas[how & 1].at + PAGE;
    if (how >= 0xf0)
        return input_odd(in);
    return how < 0x80 ? start + how / 2 * 8u : start + input_u16(in) - 256;
}

// ---- rings --------------------------------------------------------------------------------

static void write_request(struct input *in)
{
    uint8_t how = input_u8(in);
    struct qp_shared *q = client.shared;
    struct qp_request r = {.opcode = how < 0xf0 ? 1 + how % 5u : (uint32_t)input_odd(in)};

    r.key = any_key(in);
    r.address = any_address(in);
    r.length = how & 0x80 ? (uint32_t)input_odd(in) : how & 0x40 ? input_u16(in) : 8;
    r.offset = how & 0x20 ? (uint32_t)input_odd(in) : input_u8(in) * 8u;
    r.tag = how;
    if (r.opcode == QP_COPY && r.offset <= sizeof(q->data) - sizeof(struct qp_copy)) {
        struct qp_copy copy = {any_address(in), any_address(in), 1u + input_u16(in), any_key(in),
                               any_key(in)};
        memcpy(&q->data[0][0] + r.offset, &copy, sizeof(copy));
        r.length = how & 0x80 ? r.length : sizeof(copy);
    } else if (r.offset <= sizeof(q->data) - sizeof(struct qp_atomic)) {
        struct qp_atomic operands = {input_odd(in), input_odd(in)};
        memcpy(&q->data[0][0] + r.offset, &operands, sizeof(operands));
    }
    qp_post(&client, &r);
    qp_ring(&client);
}

static void copy(const struct qp_request *r)
{
    struct engine_copy copy = {.done = 0};
    struct engine_step step;

    if (engine_copy_begin(&copy, r, &server.shared->data[0][0]) != DOCA_SUCCESS)
        return;
    while (copy.done < copy.what.length &&
           engine_copy_next(&copy, &grants.table, &step) == DOCA_SUCCESS) {
        memmove(step.target, step.source, step.length);
        copy.done += step.length;
    }
}

static bool serve(bool again)
{
    struct qp_request r;
    int found;

    while ((found = qp_server_next(&server, &r)) > 0) {
        struct engine_grant *grant = engine_grants_find(&grants.table, r.key);
        uint32_t status = DOCA_SUCCESS;
        if (r.opcode == QP_COPY)
            copy(&r);
        else
            status = engine_check(grant, &r);
        if (status == DOCA_SUCCESS && r.opcode != QP_COPY)
            status = engine_move(grant, &r, &server.shared->data[0][0] + r.offset,
                                 &server.shared->intent, server.completion_head, again);
        again = false;
        if (qp_server_complete(&server, r.tag, status) < 0)
            return false;
    }
    return found == 0 && !qp_server_sleep(&server);
}

// The engine ends, and another one follows.
static void restore(int memfd)
{
    int fds[3] = {fcntl(memfd, F_DUPFD_CLOEXEC, 0), fcntl(server.doorbell, F_DUPFD_CLOEXEC, 0),
                  fcntl(server.channel, F_DUPFD_CLOEXEC, 0)};
    qp_server_fini(&server);
    if (qp_server_restore(&server, fds) < 0)
        abort();
}

static void scribble(struct input *in)
{
    while (in->left) {
        uint32_t at = input_u16(in) % PAGE;
        uint8_t value = input_u8(in);
        ((uint8_t *)client.shared)[at] = value;
    }
}

static void take_completions(void)
{
    struct qp_completion done;
    for (int i = 0; i < 4 && qp_poll(&client, &done); i++)
        ;
    qp_arm(&client);
    qp_clear(&client);
}

// ---- the file of a relay ------------------------------------------------------------------

static void use_relay(struct input *in)
{
    struct relay_store *store;
    uint8_t how = input_u8(in), bytes[300];
    int file, pair[2];

    if (relay_store_new(&store, &file, 256) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    for (uint8_t n = how; n % 8; n--) {
        size_t size = input_u16(in) % sizeof(bytes);
        input_bytes(in, bytes, size);
        if (send(pair[1], bytes, size, MSG_DONTWAIT) < 0 && how & 8)
            relay_store_take(store, pair[0]);
        relay_store_arrive(store, bytes, size);
    }
    while (in->left > 3) { // docad is killed here: counters and slots may not match
        size_t at = input_number(in, 3) % sizeof(*store);
        if (at >= offsetof(struct relay_store, sent))
            ((uint8_t *)store)[at] = input_u8(in);
    }
    relay_store_close(store);
    if (relay_store_open(&store, file) == 0) {
        for (int i = 0; i < 4 && !relay_store_is_full(store); i++) {
            if (relay_store_take(store, pair[0]) < 0)
                break;
        }
        relay_store_arrive(store, bytes, how);
        relay_store_deliver(store, pair[0]);
        relay_store_close(store);
    }
    close(pair[0]);
    close(pair[1]);
    close(file);
}

// ---- one input ----------------------------------------------------------------------------

static void begin(int *memfd)
{
    int fds[3];

    for (int i = 0; i < 2; i++)
        memset(areas[i].at, GUARD, 3 * PAGE);
    idmap_init(&grants.owners);
    list_init(&grants.windows);
    engine_grants_init(&grants.table);
    grants.n = 0;
    if (qp_server_init(&server, fds) < 0)
        abort();
    *memfd = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
    if (qp_client_init(&client, fds[0], fds[1], fds[2]) < 0)
        abort();
}

static void end(int memfd)
{
    struct list *link;

    qp_client_fini(&client);
    qp_server_fini(&server);
    close(memfd);
    engine_grants_fini(&grants.table, &grants.windows);
    while ((link = grants.windows.next) != &grants.windows) {
        list_remove(link);
        engine_window_free(list_entry(link, struct engine_window, in_windows));
    }
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < PAGE; at++)
            if (areas[i].at[at] != GUARD || areas[i].at[2 * PAGE + at] != GUARD)
                abort(); // outside of every grant
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    own_memory = fd < 0 ? NULL : shared_fd_new(fd);
    for (int i = 0; i < 2; i++) {
        areas[i].fd = memfd_create_sealed("area", 3 * PAGE);
        areas[i].at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, areas[i].fd, 0);
        if (!own_memory || areas[i].at == MAP_FAILED)
            abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step;
    bool good = true;
    uint8_t what;
    int memfd;

    begin(&memfd);
    while (good && input_step(&in, &what, &step)) {
        switch (what % 8) {
        case 0:
            add_grant(&step);
            break;
        case 1:
            restore(memfd);
            good = serve(true);
            break;
        case 2:
            scribble(&step);
            good = serve(false);
            break;
        case 3:
            use_relay(&step);
            break;
        case 4:
            take_completions();
            break;
        default:
            write_request(&step);
            good = what & 0x80 || serve(false);
            break;
        }
    }
    end(memfd);
    return 0;
}
