// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "whole_node.h"

#include "any_message.h"
#include "cleanup.h"
#include "closer.h"
#include "export_desc.h"
#include "memfd.h"
#include "node.h"
#include "node_life.h"
#include "options.h"
#include "passed_fds.h"
#include "publication.h"
#include "rdma_desc.h"
#include "sleeper.h"
#include "visitor.h"

#include <docad.pb-c.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PARTIES   6
#define STEPS_MAX 64
#define WAITS_MAX 20000 // of a quarter of a millisecond

static const struct whole_node_play *const play = &whole_node_play;
static struct config *config;
static struct node *node;
static int memory_fd;
static uint64_t memory;
static bool verbose;

// Clients and linked nodes.
static struct party {
    int fd; // -1: not connected
    bool is_peer;
    uint64_t serial, asked; // the last request of its own, and of docad
} parties[PARTIES];

static const uint8_t peer_ids[2][NODE_ID_SIZE] = {"peer-id-number-0", "peer-id-number-1"};

static void turn_loop(void)
{
    event_base_loop(node->base, EVLOOP_NONBLOCK);
}

// ---- messages -----------------------------------------------------------------------------

static void send_packed(struct party *p, const Docad__Message *message, const struct sent_fds *fds)
{
    static uint8_t packed[PACKET_SIZE_MAX];
    size_t size = docad__message__get_packed_size(message);
    if (p->fd < 0 || size > sizeof(packed) || message->body_case == DOCAD__MESSAGE__BODY_RELOAD)
        return; // a reload reads the command line, which there is not
    docad__message__pack(message, packed);
    if (verbose)
        fprintf(stderr, "%s %d: body %d, serial %lu, %zu bytes, %zu descriptors\n",
                p->is_peer ? "peer" : "client", (int)(p - parties), message->body_case,
                (unsigned long)message->serial, size, fds ? fds->n : 0);
    packet_send(p->fd, packed, size, fds ? fds->fds : NULL, fds ? fds->n : 0, MSG_DONTWAIT);
}

static void receive(struct party *p)
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
        if (verbose)
            fprintf(stderr, "  docad: body %d, serial %lu, %zu descriptors %s\n",
                    message->body_case, (unsigned long)message->serial, fds.count,
                    message->body_case == DOCAD__MESSAGE__BODY_ERROR ? message->error->text : "");
        learn_message(&message->base);
        p->asked = p->is_peer && message->serial ? message->serial : p->asked;
        docad__message__free_unpacked(message, NULL);
        held_take(&fds);
    }
}

static void receive_all(void)
{
    turn_loop();
    for (int i = 0; i < PARTIES; i++)
        receive(&parties[i]);
}

// ---- connecting ---------------------------------------------------------------------------

static void say_peer_hello(struct party *p, struct input *in)
{
    Docad__PeerHello hello = DOCAD__PEER_HELLO__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__Function functions[3], *list[3];
    static uint8_t run[NODE_RUN_SIZE] = "run-of-that-peer";
    bool host = config->role == ROLE_DPU;
    uint8_t how = input_u8(in);

    for (int i = 0; i < 3; i++) {
        Docad__Function *f = list[i] = &functions[i];
        docad__function__init(f);
        f->id = (uint32_t)i + 1;
        f->name = (char *)(i == 0 ? "pf0" : i == 1 ? "pf0vf0" : "pf1");
        f->type = i == 1 ? DOCAD__FUNCTION_TYPE__VF : DOCAD__FUNCTION_TYPE__PF;
        f->pci_address = (char *)(i == 0   ? "0000:0b:00.0"
                                  : i == 1 ? "0000:0b:00.2"
                                           : "0000:0b:00.1");
        f->vuid = (char *)(i == 0 ? "VUID-A" : i == 1 ? "VUID-B" : "VUID-C");
        f->iface = f->ibdev = f->name;
        f->mac = (ProtobufCBinaryData){6, (uint8_t *)"\2\0\0\0\0\1"};
        f->can_export_dpu = host;
        f->can_import_dpu = f->can_list_reps = !host;
        f->can_dma = true;
    }
    hello.version_min = 1;
    hello.version_max = 9;
    hello.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)peer_ids[how & 1]};
    hello.name = (char *)(how & 1 ? "peer1" : "peer0");
    hello.role = (char *)(host ? "host" : "dpu");
    hello.functions = list;
    hello.n_functions = how & 0x20 ? 1 + how % 3u : 3;
    hello.no_descriptors = play->bytes_only != ((how & 2) != 0);
    hello.run = (ProtobufCBinaryData){NODE_RUN_SIZE, run};
    hello.resumable = how >> 2 & 1;
    hello.resumes_apart = how >> 3 & 1;
    hello.rdma = how >> 4 & 1;
    message.serial = ++p->serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO;
    message.peer_hello = &hello;
    send_packed(p, &message, NULL);
}

static void ask(struct party *p, Docad__Message__BodyCase body, ProtobufCMessage *what)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = ++p->serial;
    message.body_case = body;
    message.ok = (Docad__Empty *)what; // any member of the union
    send_packed(p, &message, NULL);
    receive_all();
}

static void begin_session(struct party *p, struct input *in)
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
    if (config->role != ROLE_DPU)
        return;
    ask(p, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list.base);
    for (uint32_t id = 1; id <= 4; id++) {
        representor.representor_id = id;
        ask(p, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &representor.base);
        values_know(VALUE_REPRESENTOR, id);
    }
}

static void join(struct party *p, bool peer, struct input *in)
{
    int pair[2];
    if (p->fd >= 0)
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    *p = (struct party){.fd = pair[0], .is_peer = peer};
    visitor_new(node, pair[1]);
    if (input_u8(in) >= 0xfc)
        return; // says something else first
    if (peer)
        say_peer_hello(p, in);
    else
        begin_session(p, in);
    receive_all();
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
    segment->address = region->address = memory;
    segment->length = region->length = (uint64_t)4096 << (how >> 4 & 3);
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
            sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
        sent_fds_add_pair(fds, SOCK_DGRAM);
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
    return p->is_peer ? play->peer_bodies[how % play->n_peer_bodies]
                      : play->client_bodies[how % play->n_client_bodies];
}

static void say(struct party *p, struct input *in)
{
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
    send_packed(p, &message, &fds);
    sent_fds_close(&fds);
    protobuf_c_message_free_unpacked(&message.ok->base, NULL);
}

static void say_raw(struct party *p, struct input *in)
{
    struct sent_fds fds = {.n = 0};
    sent_fds_add_any(&fds, in, input_u8(in) % 6, memory_fd);
    if (p->fd >= 0)
        packet_send(p->fd, in->at, in->left, fds.fds, fds.n, MSG_DONTWAIT);
    sent_fds_close(&fds);
}

// ---- one input ----------------------------------------------------------------------------

static void know_peers(void)
{
    uint8_t packed[EXPORT_DESC_SIZE_MAX];
    size_t size;

    values_know(VALUE_FUNCTION, 1);
    values_know(VALUE_KEY, 0x10000);
    for (unsigned i = 0; i < 2 && play->peers; i++) {
        struct export_desc desc = {.export_id = 70 + i,
                                   .address = memory,
                                   .length = 4096,
                                   .access = 0x30,
                                   .target = 1 + i,
                                   .pci_address = "0000:0b:00.0",
                                   .vuid = "VUID-A"};
        struct rdma_desc rdma = {
            .endpoint_id = 80 + i, .pci_address = "0000:0b:00.0", .vuid = "VUID-A"};
        memcpy(desc.node, peer_ids[i], sizeof(desc.node));
        memcpy(rdma.node, peer_ids[i], sizeof(rdma.node));
        values_know_bytes(BYTES_NODE, peer_ids[i], NODE_ID_SIZE);
        if (export_desc_encode(&desc, packed, &size) == DOCA_SUCCESS)
            values_know_bytes(BYTES_DESCRIPTOR, packed, size);
        if (rdma_desc_encode(&rdma, packed, &size) == DOCA_SUCCESS)
            values_know_bytes(BYTES_RDMA_DESCRIPTOR, packed, size);
    }
    values_know_bytes(BYTES_NODE, node->id, NODE_ID_SIZE);
}

static void act(uint8_t what, struct input *in)
{
    struct party *p = &parties[what >> 4 & 3];
    switch (what & 15) {
    case 0:
        join(p, false, in);
        break;
    case 1:
        join(p, play->peers, in);
        break;
    case 2:
        if (what >= 0xc0)
            close_fdp(&p->fd);
        break;
    case 3:
        say_raw(p, in);
        break;
    case 4:
    case 5:
        held_write(in, memory);
        break;
    case 6:
        break; // wait for nothing
    default:
        say(p, in);
        break;
    }
    receive_all();
}

static bool is_empty(void)
{
    bool objects = false;
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        objects |= !list_empty(&node->objects[i].list);
    return !objects && !node->n_sessions && list_empty(&node->monitors) && !node->region_bytes &&
           list_empty(&node->visitors) && list_empty(&node->peers) &&
           list_empty(&node->settlements) && list_empty(&node->lookups) &&
           list_empty(&node->ending) && list_empty(&node->users);
}

// Threads still close descriptors, and end what they are about.
static void check_nothing_is_left(unsigned fds)
{
    for (int i = 0; i < WAITS_MAX; i++) {
        turn_loop();
        if (!node->n_sessions && list_empty(&node->peers))
            publications_free_all(node);
        if (is_empty() && count_fds() <= fds)
            return;
        if (i > 3)
            usleep(250);
    }
    dprintf(2, "left: %u sessions, peers %d, users %d, descriptors %u of %u\n", node->n_sessions,
            !list_empty(&node->peers), !list_empty(&node->users), count_fds(), fds);
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        if (!list_empty(&node->objects[i].list))
            dprintf(2, "left: objects of kind %zu\n", i);
    abort();
}

static void run(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step, first = {data, 0};
    unsigned fds = count_fds();
    uint8_t what;

    values_forget();
    know_peers();
    join(&parties[0], false, &first);
    if (play->peers)
        join(&parties[1], true, &first);
    for (int i = 0; i < STEPS_MAX && input_step(&in, &what, &step); i++)
        act(what, &step);
    for (int i = 0; i < PARTIES; i++)
        close_fdp(&parties[i].fd);
    held_drop();
    check_nothing_is_left(fds);
}

static void start(void)
{
    char *argv[] = {(char *)"docad",
                    (char *)"--role",
                    (char *)play->role,
                    (char *)"--socket",
                    (char *)"/nonexistent/docad.sock",
                    NULL};
    struct errtext err;

    verbose = getenv("FUZZ_VERBOSE") != NULL;
    for (int i = 0; i < PARTIES; i++)
        parties[i].fd = -1;
    memory_fd = sleeper_start(&memory);
    signal(SIGPIPE, SIG_IGN);
    config = malloc(sizeof(*config));
    if (!config || options_read(5, argv, config) != OPTIONS_RUN)
        abort();
    config->peer_grace_ms = 1;
    log_init(verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
    if (!verbose)
        stderr = fopen("/dev/null", "w"); // libFuzzer writes to the descriptor
    closer_receive_from(CLOSER_NOBODY);
    if (node_new(&node, config, &err) != DOCA_SUCCESS) {
        dprintf(2, "%s\n", err.s);
        abort();
    }
    turn_loop();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size);
    return 0;
}
