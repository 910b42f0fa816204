// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an earlier docad has left with the service manager: records of any contents, with any
// descriptors, in a file that may be damaged. Whatever is there, docad starts, serves what it could
// restore, and ends without leaving anything.

#include "activity.h"
#include "any_message.h"
#include "channel_page.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "export_desc.h"
#include "fd_store_socket.h"
#include "manager.h"
#include "memfd.h"
#include "node.h"
#include "node_life.h"
#include "options.h"
#include "passed_fds.h"
#include "queue_pair.h"
#include "record_file.h"
#include "relay_store.h"
#include "restart.h"
#include "sleeper.h"
#include "state_table.h"

#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS_MAX 40
#define SCRIBBLED   (256 * 128) // bytes of the file of records
#define WAITS_MAX   20000       // of a quarter of a millisecond

static struct config *config;
static int memory_fd;
static uint64_t memory;

// ---- descriptors --------------------------------------------------------------------------

static void *map_file(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        abort();
    return at;
}

static void add_one_end(struct sent_fds *fds, int type)
{
    sent_fds_add_pair(fds, type);
    close(fds->fds[--fds->n]);
}

static void add_state_table(struct sent_fds *fds, struct input *in)
{
    int fd = memfd_create_sealed("fuzz", state_table_size(STATE_SLOTS));
    struct state_table *table = map_file(fd, state_table_size(STATE_SLOTS));

    table->magic = STATE_TABLE_MAGIC;
    table->version = STATE_TABLE_VERSION;
    table->slots = STATE_SLOTS;
    for (uint32_t i = 0; i < 16; i++)
        atomic_store(&table->words[i], input_u8(in));
    munmap(table, state_table_size(STATE_SLOTS));
    sent_fds_add(fds, fd);
}

static void add_queue_pair(struct sent_fds *fds, struct input *in)
{
    int fd = memfd_create_sealed("fuzz", sizeof(struct qp_shared));
    struct qp_shared *q = map_file(fd, sizeof(*q));
    uint8_t how = input_u8(in);

    q->magic = QP_MAGIC;
    q->version = QP_VERSION;
    q->completion_head = (uint32_t)input_odd(in);
    q->request_head = q->completion_head + how % 4;
    q->client_armed = how >> 2 & 1;
    for (uint32_t i = 0; i < how % 4u; i++) {
        struct qp_request *r = &q->requests[(q->completion_head + i) % QP_ENTRIES];
        r->address = memory + input_u8(in) * 8u;
        r->length = 8;
        r->key = (uint32_t)values_pick(VALUE_KEY, in);
        r->opcode = 1 + input_u8(in) % 5;
    }
    munmap(q, sizeof(*q));
    sent_fds_add(fds, fd);
    sent_fds_add(fds, eventfd(0, EFD_CLOEXEC));
    add_one_end(fds, SOCK_STREAM);
    if (how & 64)
        sent_fds_add(fds, memfd_create_sealed("fuzz", 4096u << (how & 1)));
}

static void add_relay(struct sent_fds *fds, struct input *in)
{
    struct relay_store *store;
    int fd;

    add_one_end(fds, SOCK_SEQPACKET);
    add_one_end(fds, SOCK_STREAM);
    sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
    if (relay_store_new(&store, &fd, 1024) < 0)
        abort();
    uint8_t *head = (uint8_t *)store + offsetof(struct relay_store, sent);
    for (uint8_t n = input_u8(in) % 16; n > 0; n--) {
        size_t at =
            input_u8(in) % (offsetof(struct relay_store, out) - offsetof(struct relay_store, sent));
        head[at] = input_u8(in);
    }
    relay_store_close(store);
    sent_fds_add(fds, fd);
}

static void add_right_fds(struct sent_fds *fds, Docad__Record__WhatCase what, struct input *in)
{
    uint8_t how = input_u8(in);
    switch (what) {
    case DOCAD__RECORD__WHAT_NODE:
        add_state_table(fds, in);
        break;
    case DOCAD__RECORD__WHAT_CLIENT:
        add_one_end(fds, SOCK_SEQPACKET);
        sent_fds_add(fds, memfd_create_sealed("fuzz", sizeof(struct activity)));
        break;
    case DOCAD__RECORD__WHAT_MEMORY:
        sent_fds_add(fds, fcntl(memory_fd, F_DUPFD_CLOEXEC, 0));
        break;
    case DOCAD__RECORD__WHAT_REGION:
        if (how & 1)
            sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
        break;
    case DOCAD__RECORD__WHAT_EXPORT:
        if (how & 2)
            sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
        if (how & 1)
            sent_fds_add_pair(fds, SOCK_DGRAM);
        break;
    case DOCAD__RECORD__WHAT_IMPORT:
        if (how & 1)
            add_one_end(fds, SOCK_STREAM);
        break;
    case DOCAD__RECORD__WHAT_QUEUE_PAIR:
        add_queue_pair(fds, in);
        break;
    case DOCAD__RECORD__WHAT_RDMA:
        add_one_end(fds, SOCK_STREAM);
        if (how & 1)
            sent_fds_add(fds, memfd_create_sealed("fuzz", 4096));
        if (how & 1)
            add_one_end(fds, SOCK_STREAM);
        break;
    case DOCAD__RECORD__WHAT_SERVICE:
    case DOCAD__RECORD__WHAT_LISTENER:
        add_one_end(fds, SOCK_SEQPACKET);
        break;
    case DOCAD__RECORD__WHAT_RELAY:
        add_relay(fds, in);
        break;
    default:
        break;
    }
}

// ---- the store ----------------------------------------------------------------------------

struct left {
    struct record_file file;
    struct fd_store_sockets sockets;
    uint64_t version;
    uint8_t node[NODE_ID_SIZE];
};

static void write_record(struct left *left, Docad__Record *record, const struct sent_fds *fds)
{
    static uint8_t packed[PACKET_SIZE_MAX];
    size_t size = docad__record__get_packed_size(record);
    uint32_t slot;

    if (size > sizeof(packed) || fds->n > PACKET_FDS_MAX)
        return;
    docad__record__pack(record, packed);
    left->version++;
    if (fds->n && fd_store_sockets_put(&left->sockets, left->version, fds->fds, fds->n, &slot) < 0)
        return;
    const struct record_view view = {.version = left->version,
                                     .key = left->version,
                                     .n_fds = (uint32_t)fds->n,
                                     .bytes = packed,
                                     .size = size};
    record_file_write(&left->file, &view);
}

// The number of the record becomes known as one of every kind of object that it may be.
static void know_record(const Docad__Record *record)
{
    static const enum value_kind kinds[] = {[DOCAD__RECORD__WHAT_CLIENT] = VALUE_SESSION,
                                            [DOCAD__RECORD__WHAT_MEMORY] = VALUE_SESSION,
                                            [DOCAD__RECORD__WHAT_REGION] = VALUE_REGION,
                                            [DOCAD__RECORD__WHAT_EXPORT] = VALUE_EXPORT,
                                            [DOCAD__RECORD__WHAT_IMPORT] = VALUE_IMPORT,
                                            [DOCAD__RECORD__WHAT_RDMA] = VALUE_ENDPOINT,
                                            [DOCAD__RECORD__WHAT_SERVICE] = VALUE_CHANNEL,
                                            [DOCAD__RECORD__WHAT_CHANNEL] = VALUE_CHANNEL,
                                            [DOCAD__RECORD__WHAT_RELAY] = VALUE_NONE,
                                            [DOCAD__RECORD__WHAT_LISTENER] = VALUE_NONE};
    if (record->what_case < sizeof(kinds) / sizeof(kinds[0]))
        values_know(kinds[record->what_case], record->id);
}

static void leave(struct left *left, Docad__Record__WhatCase what, struct input *in)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&docad__record__descriptor, what);
    Docad__Record record = DOCAD__RECORD__INIT;
    struct sent_fds fds = {.n = 0};
    uint8_t how = input_u8(in);

    record.id = how < 0xe0 ? 10 + left->version : how < 0xf8 ? how % 16 : input_odd(in);
    record.session = what == DOCAD__RECORD__WHAT_CLIENT ? 0 : values_pick(VALUE_SESSION, in);
    record.serial = how;
    record.what_case = what;
    record.node = (Docad__NodeRecord *)any_message(field->descriptor, in);
    if (what == DOCAD__RECORD__WHAT_NODE) {
        record.id = 1;
        record.node->next_id &= 0xffffff;
    }
    if (input_u8(in) < 0xe0)
        add_right_fds(&fds, what, in);
    else
        sent_fds_add_any(&fds, in, input_u8(in) % 5, memory_fd);
    write_record(left, &record, &fds);
    know_record(&record);
    sent_fds_close(&fds);
    protobuf_c_message_free_unpacked(&record.node->base, NULL);
}

static void scribble(struct left *left, struct input *in)
{
    uint8_t *at = map_file(left->file.fd, SCRIBBLED);
    while (in->left > 2) {
        size_t place = input_u16(in) % SCRIBBLED;
        at[place] = input_u8(in);
    }
    munmap(at, SCRIBBLED);
}

static void leave_all(struct left *left, struct input *in)
{
    static const Docad__Record__WhatCase kinds[] = {12, 12, 13, 14, 14, 15, 15, 16, 17, 17, 18,
                                                    18, 19, 20, 21, 22, 22, 23, 11, 11, 10, 0};
    struct input step, first = {in->at, 0};
    uint8_t what;

    if (record_file_new(&left->file) < 0)
        abort();
    fd_store_sockets_init(&left->sockets);
    if (fd_store_sockets_new(&left->sockets, 1) < 0)
        abort();
    if (in->left && in->at[0] != 0xff)
        leave(left, DOCAD__RECORD__WHAT_NODE, &first);
    for (int i = 0; i < RECORDS_MAX && input_step(in, &what, &step); i++) {
        Docad__Record__WhatCase kind = kinds[what % (sizeof(kinds) / sizeof(kinds[0]))];
        if (kind)
            leave(left, kind, &step);
        else
            scribble(left, &step);
    }
}

// ---- the next docad -----------------------------------------------------------------------

static void know(const struct node *node)
{
    struct export_desc desc = {.address = memory,
                               .length = 4096,
                               .access = 0x20,
                               .pci_address = "0000:0b:00.0",
                               .vuid = "HOSTS0D0F0"};
    uint8_t packed[EXPORT_DESC_SIZE_MAX];
    size_t size;

    values_forget();
    values_know(VALUE_FUNCTION, 1);
    values_know(VALUE_KEY, 0x10000);
    values_know_bytes(BYTES_NODE, (const uint8_t *)"peer-id-number-0", NODE_ID_SIZE);
    values_know_bytes(BYTES_NODE, node->id, NODE_ID_SIZE);
    memcpy(desc.node, node->id, sizeof(desc.node));
    for (uint32_t i = 0; i < 6; i++) {
        desc.export_id = 10 + i;
        desc.target = 1 + i % 3;
        if (export_desc_encode(&desc, packed, &size) == DOCA_SUCCESS)
            values_know_bytes(BYTES_DESCRIPTOR, packed, size);
    }
}

static struct node *make_node(void)
{
    struct node *node;
    struct errtext err;
    if (node_new(&node, config, &err) != DOCA_SUCCESS) {
        dprintf(2, "%s\n", err.s);
        abort();
    }
    return node;
}

static void follow(struct left *left)
{
    struct stored_items items = {0};

    fdstore_init();
    fdstore_receive(fcntl(left->file.fd, F_DUPFD_CLOEXEC, 0), "docad-records");
    fdstore_receive(fcntl(left->sockets.fds[0], F_DUPFD_CLOEXEC, 0), "docad-shelf");
    record_file_close(&left->file);
    fd_store_sockets_close(&left->sockets);
    fdstore_read(&items);
    struct node *node = make_node();
    restart_restore(node, &items);
    for (int i = 0; i < 6; i++) {
        event_base_loop(node->base, EVLOOP_NONBLOCK);
        usleep(i * 20);
    }
    node_free(node);
    fdstore_end();
    manager_drain();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char *args[] = {(char *)"docad",
                    (char *)"--role",
                    (char *)"host",
                    (char *)"--socket",
                    (char *)"/nonexistent/docad.sock",
                    NULL};

    (void)argc;
    (void)argv;
    memory_fd = sleeper_start(&memory);
    signal(SIGPIPE, SIG_IGN);
    config = malloc(sizeof(*config));
    if (!config || options_read(5, args, config) != OPTIONS_RUN)
        abort();
    config->peer_grace_ms = 1;
    log_init(getenv("FUZZ_VERBOSE") ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
    if (!getenv("FUZZ_VERBOSE"))
        stderr = fopen("/dev/null", "w"); // libFuzzer writes to the descriptor
    fd_reaper_receive_from(FD_REAPER_NO_UID);
    manager_start();
    struct node *node = make_node();
    know(node);
    node_free(node);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct left left = {.file = RECORD_FILE_CLOSED};
    static struct node ids; // only its id is used
    unsigned fds = count_fds();

    if (!node_id_make(role_name(config->role), config->name, config->socket, ids.id))
        abort();
    know(&ids);
    leave_all(&left, &in);
    follow(&left);
    for (int i = 0; count_fds() > fds; i++) {
        if (i == WAITS_MAX) {
            dprintf(2, "left: %u descriptors of %u\n", count_fds(), fds);
            abort();
        }
        usleep(250); // helpers still close some, and get the next ones from here
        fd_reaper_work();
    }
    return 0;
}
