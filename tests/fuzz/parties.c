// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "parties.h"

#include "any_message.h"
#include "cleanup.h"
#include "memfd.h"
#include "passed_fds.h"
#include "sleeper.h"
#include "sync_page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool parties_verbose;
uint64_t parties_memory;
static int memory_fd;

void parties_start(void)
{
    parties_verbose = getenv("FUZZ_VERBOSE") != NULL;
    memory_fd = sleeper_start(&parties_memory);
    signal(SIGPIPE, SIG_IGN);
    if (!parties_verbose)
        stderr = fopen("/dev/null", "w"); // libFuzzer writes to the descriptor
}

// ---- messages -----------------------------------------------------------------------------

void party_send(struct party *p, const Docad__Message *message, const struct sent_fds *fds)
{
    static uint8_t packed[PACKET_SIZE_MAX];
    size_t size = docad__message__get_packed_size(message);
    if (p->fd < 0 || size > sizeof(packed) ||
        (message->body_case == DOCAD__MESSAGE__BODY_RELOAD && !p->may_reload))
        return;
    docad__message__pack(message, packed);
    if (parties_verbose)
        fprintf(stderr, "%s %d: body %d, serial %lu, %zu bytes, %zu descriptors\n",
                p->is_peer ? "peer" : "client", p->number, message->body_case,
                (unsigned long)message->serial, size, fds ? fds->n : 0);
    packet_send(p->fd, packed, size, fds ? fds->fds : NULL, fds ? fds->n : 0, MSG_DONTWAIT);
}

void party_receive(struct party *p)
{
    for (int i = 0; p->fd >= 0 && i < 64; i++) {
        static uint8_t packed[PACKET_SIZE_MAX];
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        ssize_t n = packet_recv(p->fd, packed, sizeof(packed), &fds, MSG_DONTWAIT);
        if (n == -EAGAIN)
            return;
        if (n <= 0) {
            close_fdp(&p->fd);
            return;
        }
        Docad__Message *message = docad__message__unpack(NULL, (size_t)n, packed);
        if (!message)
            abort(); // docad sent what is not a message
        if (parties_verbose)
            fprintf(stderr, "  docad: body %d, serial %lu, %zu descriptors %s\n",
                    message->body_case, (unsigned long)message->serial, fds.count,
                    message->body_case == DOCAD__MESSAGE__BODY_ERROR ? message->error->text : "");
        learn_message(&message->base);
        p->answered = message->serial;
        p->asked = p->is_peer && message->serial ? message->serial : p->asked;
        docad__message__free_unpacked(message, NULL);
        held_take(&fds);
    }
}

void party_wait(const struct party *p)
{
    for (int i = 0; i < 24 && p->fd >= 0; i++) {
        parties_turn();
        if (p->answered == p->serial)
            return;
        if (i > 3)
            usleep(100); // threads of docad have a part in some answers
    }
}

static void ask(struct party *p, Docad__Message__BodyCase body, ProtobufCMessage *what)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = ++p->serial;
    message.body_case = body;
    message.ok = (Docad__Empty *)what; // any member of the union
    party_send(p, &message, NULL);
    party_wait(p);
}

void party_begin_session(struct party *p, struct input *in)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen representor = DOCAD__REPRESENTOR_OPEN__INIT;

    hello.version_min = 1;
    hello.version_max = 9;
    hello.program = (char *)"fuzz";
    hello.tool = input_u8(in) & 1;
    ask(p, DOCAD__MESSAGE__BODY_HELLO, &hello.base);
    open.function_id = list.function_id = 1;
    ask(p, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &open.base);
    if (!p->of_dpu)
        return;
    ask(p, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list.base);
    for (uint32_t id = 1; id <= 4; id++) {
        representor.representor_id = id;
        ask(p, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &representor.base);
        values_know(VALUE_REPRESENTOR, id);
    }
}

// ---- any message --------------------------------------------------------------------------

// As the library registers a range: with the whole of it in a memory file, or in its own memory.
static void fill_region(Docad__RegionRegister *region, struct sent_fds *fds, struct input *in)
{
    uint8_t how = input_u8(in);
    Docad__Segment *segment = malloc(sizeof(*segment));
    bool mapped = how & 1;

    for (size_t i = 0; i < region->n_segments; i++)
        docad__segment__free_unpacked(region->segments[i], NULL);
    free(region->segments);
    region->segments = malloc(sizeof(void *));
    region->segments[0] = segment;
    region->n_segments = 1;
    docad__segment__init(segment);
    segment->address = region->address = parties_memory;
    segment->length = region->length = (uint64_t)4096 << (how >> 4 & 3);
    if (how & 0x80 && !mapped)
        segment->length = region->length = SYNC_VALUE_SIZE;
    segment->mapped = region->has_memfd = mapped;
    region->has_memfd_ro = mapped && how & 2;
    region->has_memory_fd = !mapped || how & 4;
    static const uint32_t access[] = {0x10, 0x20, 2, 0x2e, 0x21, 0x31, 0x0e, 0x3f};
    region->access = access[how >> 1 & 7];
    if (region->has_memory_fd)
        sent_fds_add(fds, fcntl(memory_fd, F_DUPFD_CLOEXEC, 0));
    if (mapped)
        sent_fds_add(fds, memfd_create_sealed("fuzz", region->length));
    if (region->has_memfd_ro)
        sent_fds_add(fds, memfd_reopen_readonly(fds->fds[fds->n - 1]));
    free(region->function_ids);
    region->function_ids = malloc(sizeof(uint32_t));
    region->function_ids[0] = 1;
    region->n_function_ids = 1;
}

static void add_ring_fds(struct sent_fds *fds)
{
    sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
    sent_fds_add_pair(fds, SOCK_STREAM);
}

// The descriptors that belong to a message of this kind.
static void add_right_fds(Docad__Message *message, struct sent_fds *fds, struct input *in)
{
    switch (message->body_case) {
    case DOCAD__MESSAGE__BODY_REGION_REGISTER:
        fill_region(message->region_register, fds, in);
        break;
    case DOCAD__MESSAGE__BODY_EXPORT_CREATE:
        message->export_create->function_id = 1;
        message->export_create->target %= 4;
        if (message->export_create->target != DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT)
            break;
        if (message->export_create->has_page)
            sent_fds_add(fds, memfd_create_sealed("fuzz", SYNC_PAGE_SIZE));
        sent_fds_add(fds, sync_timer_new());
        break;
    case DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY:
        if (message->peer_import_reply->has_memfd)
            sent_fds_add(fds, memfd_create_sealed("fuzz", 65536));
        break;
    case DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY:
    case DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT:
    case DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT_REPLY:
        add_ring_fds(fds);
        break;
    case DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT:
    case DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY:
        sent_fds_add_pair(fds, SOCK_SEQPACKET);
        sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
        break;
    default:
        break;
    }
}

static uint8_t choose_body(const struct party *p, struct input *in)
{
    uint8_t how = input_u8(in);
    if (how >= 0xfa)
        return input_u8(in);
    return p->bodies[how % p->n_bodies];
}

void party_say(struct party *p, struct input *in)
{
    if (p->fd < 0)
        return;
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&docad__message__descriptor, choose_body(p, in));
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct sent_fds fds = {.n = 0};

    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return;
    uint8_t how = input_u8(in);
    message.serial = how < 0xf0 ? ++p->serial : how < 0xf8 ? 0 : input_odd(in);
    if (p->is_peer && how & 1)
        message.serial = p->asked;
    message.again = how == 0xee ? 1 + input_u8(in) : 0;
    message.body_case = (Docad__Message__BodyCase)field->id;
    uint8_t with = input_u8(in);
    message.ok = (Docad__Empty *)any_message(field->descriptor, in);
    if (with < 0xd0)
        add_right_fds(&message, &fds, in);
    else
        sent_fds_add_any(&fds, in, with % 6, memory_fd);
    party_send(p, &message, &fds);
    sent_fds_close(&fds);
    protobuf_c_message_free_unpacked(&message.ok->base, NULL);
}

void party_say_raw(struct party *p, struct input *in)
{
    struct sent_fds fds = {.n = 0};
    sent_fds_add_any(&fds, in, input_u8(in) % 6, memory_fd);
    if (p->fd >= 0)
        packet_send(p->fd, in->at, in->left, fds.fds, fds.n, MSG_DONTWAIT);
    sent_fds_close(&fds);
}
