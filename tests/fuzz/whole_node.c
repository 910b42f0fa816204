// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "whole_node.h"

#include "any_message.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "export_desc.h"
#include "failing.h"
#include "import.h"
#include "left_over.h"
#include "manager.h"
#include "node.h"
#include "node_life.h"
#include "options.h"
#include "parties.h"
#include "passed_fds.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_desc.h"
#include "restart.h"
#include "pending_connection.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PARTIES   6
#define STEPS_MAX 64
#define WAITS_MAX 20000 // of a quarter of a millisecond

static const struct whole_node_play *const play = &whole_node_play;
static struct config *config;
static struct node *node;

// Clients and linked nodes.
static struct party parties[PARTIES];

static const uint8_t peer_ids[2][NODE_ID_SIZE] = {"peer-id-number-0", "peer-id-number-1"};

static void turn_loop(void)
{
    failing_begin();
    event_base_loop(node->base, EVLOOP_NONBLOCK);
    failing_end();
    if (play->keeps)
        manager_drain();
}

// ---- messages -----------------------------------------------------------------------------

void parties_turn(void)
{
    turn_loop();
    for (int i = 0; i < PARTIES; i++)
        party_receive(&parties[i]);
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
    party_send(p, &message, NULL);
}

static void join(struct party *p, bool peer, struct input *in)
{
    int pair[2];
    if (p->fd >= 0)
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    *p = (struct party){.fd = pair[0],
                        .number = (int)(p - parties),
                        .is_peer = peer,
                        .of_dpu = config->role == ROLE_DPU,
                        .bodies = peer ? play->peer_bodies : play->client_bodies,
                        .n_bodies = peer ? play->n_peer_bodies : play->n_client_bodies};
    pending_connection_new(node, pair[1]);
    if (input_u8(in) >= 0xfc)
        return; // says something else first
    if (peer)
        say_peer_hello(p, in);
    else
        party_begin_session(p, in);
    parties_turn();
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
                                   .address = parties_memory,
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

// What is counted where objects come and go is what a walk finds.
static void check_counts(void)
{
    const struct import *import;
    const struct qpair *qp;
    size_t imports = 0, qpairs = 0;

    list_for_each (import, NODE_OBJECTS(node, IMPORT), object.in_node)
        imports += import->state != SLOT_FREE;
    list_for_each (qp, NODE_OBJECTS(node, QUEUE_PAIR), object.in_node)
        qpairs += qp->state != SLOT_FREE;
    if (imports == NODE_OBJECTS_IN_USE(node, IMPORT) &&
        qpairs == NODE_OBJECTS_IN_USE(node, QUEUE_PAIR))
        return;
    dprintf(2, "counts are wrong: imports %zu (%zu), queue pairs %zu (%zu)\n", imports,
            NODE_OBJECTS_IN_USE(node, IMPORT), qpairs, NODE_OBJECTS_IN_USE(node, QUEUE_PAIR));
    abort();
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
        party_say_raw(p, in);
        break;
    case 4:
    case 5:
        held_write(in, parties_memory);
        break;
    case 6:
        failing_choose(in);
        held_receive();
        break;
    default:
        party_say(p, in);
        break;
    }
    parties_turn();
    check_counts();
}

// Threads still close descriptors, and end what they are about.
static void check_nothing_is_left(unsigned fds)
{
    failing_forget();
    for (int i = 0; i < WAITS_MAX; i++) {
        turn_loop();
        if (!node->n_sessions && list_empty(&node->peers))
            publications_free_all(node);
        if (left_over_nothing(node, false) && count_fds() <= fds)
            return;
        if (i > 3)
            usleep(250);
    }
    dprintf(2, "left: descriptors %u of %u\n", count_fds(), fds);
    left_over_say(node);
    say_fds();
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
    struct stored_items items = {0};
    struct errtext err;

    parties_start();
    for (int i = 0; i < PARTIES; i++)
        parties[i].fd = -1;
    config = malloc(sizeof(*config));
    if (!config || options_read(5, argv, config) != OPTIONS_RUN)
        abort();
    config->peer_grace_ms = 1;
    log_init(parties_verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
    fd_reaper_receive_from(FD_REAPER_NO_UID);
    if (play->keeps) {
        manager_start();
        fdstore_init();
        fdstore_read(&items);
    }
    if (node_new(&node, config, &err) != DOCA_SUCCESS) {
        dprintf(2, "%s\n", err.s);
        abort();
    }
    restart_restore(node, &items);
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
