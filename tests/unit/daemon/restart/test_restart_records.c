// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Records that no docad has written: each is refused, and the node lives on.

#include "unit.h"

#include "restart.h"

#include "activity.h"
#include "cleanup.h"
#include "config.h"
#include "log.h"
#include "memfd.h"
#include "node.h"
#include "node_life.h"
#include "session.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#define SESSION_ID 5
#define REGION_ID  6
#define NOBODY     77 // no session has this id

static struct config config;
static struct node *node;
static int client;
static unsigned lines;

static void hear(void *arg, const char *line)
{
    (void)arg;
    (void)line;
    lines++;
}

static bool restore(const Docad__Record *record, const int *fds, size_t n)
{
    static uint8_t packed[4096];
    struct fd_list list = {.count = n};
    ck_assert_uint_le(docad__record__get_packed_size(record), sizeof(packed));
    for (size_t i = 0; i < n; i++)
        list.fds[i] = fds[i];
    return restart_restore_record(node, packed, docad__record__pack(record, packed), &list);
}

#define RECORD(number, owner, CASE, field, what)                                                   \
    (&(Docad__Record){.base = PROTOBUF_C_MESSAGE_INIT(&docad__record__descriptor),                 \
                      .id = (number),                                                              \
                      .session = (owner),                                                          \
                      .what_case = DOCAD__RECORD__WHAT_##CASE,                                     \
                      .field = (what)})

static void begin(void)
{
    Docad__SessionRecord session = DOCAD__SESSION_RECORD__INIT;
    Docad__RegionRecord region = DOCAD__REGION_RECORD__INIT;
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments = &segment;
    struct errtext err;
    int pair[2];

    config_init(&config);
    strcpy(config.name, "n");
    strcpy(config.socket, "/nowhere/n.sock");
    log_init(LOG_LEVEL_INFO);
    ck_assert_msg(node_new(&node, &config, &err) == DOCA_SUCCESS, "%s", err.s);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    client = pair[1];
    const int fds[] = {pair[0], memfd_create_sealed("activity", sizeof(struct activity))};
    ck_assert(restore(RECORD(SESSION_ID, SESSION_ID, CLIENT, client, &session), fds, 2));
    region.address = segment.address = 0x10000;
    region.length = segment.length = 4096;
    region.segments = &segments;
    region.n_segments = 1;
    ck_assert(restore(RECORD(REGION_ID, SESSION_ID, REGION, region, &region), NULL, 0));
    log_listen(hear, NULL);
}

static void end(void)
{
    log_listen(NULL, NULL);
    KINDS_CALL(node, settle, node);
    close(client);
    node_free(node); // checks that nothing is left
}

// ---- what is wrong ----------------------------------------------------------------------

static bool session_twice(void)
{
    Docad__SessionRecord m = DOCAD__SESSION_RECORD__INIT;
    const int fds[] = {open("/dev/null", O_RDWR | O_CLOEXEC),
                       open("/dev/null", O_RDWR | O_CLOEXEC)};
    return restore(RECORD(SESSION_ID, SESSION_ID, CLIENT, client, &m), fds, 2);
}

static bool session_without_descriptors(void)
{
    Docad__SessionRecord m = DOCAD__SESSION_RECORD__INIT;
    return restore(RECORD(100, 100, CLIENT, client, &m), NULL, 0);
}

static bool memory_without_descriptor(void)
{
    Docad__MemoryRecord m = DOCAD__MEMORY_RECORD__INIT;
    return restore(RECORD(100, 0, MEMORY, memory, &m), NULL, 0);
}

static bool region_of_nobody(void)
{
    Docad__RegionRecord m = DOCAD__REGION_RECORD__INIT;
    return restore(RECORD(100, NOBODY, REGION, region, &m), NULL, 0);
}

static bool region_without_its_file(void)
{
    Docad__RegionRecord m = DOCAD__REGION_RECORD__INIT;
    m.has_memfd = true;
    return restore(RECORD(100, SESSION_ID, REGION, region, &m), NULL, 0);
}

static bool region_twice(void)
{
    Docad__RegionRecord m = DOCAD__REGION_RECORD__INIT;
    return restore(RECORD(REGION_ID, SESSION_ID, REGION, region, &m), NULL, 0);
}

static bool export_of_junk(void)
{
    Docad__ExportRecord m = DOCAD__EXPORT_RECORD__INIT;
    uint8_t junk[300] = {1};
    m.region = REGION_ID;
    m.function = 1;
    m.descriptor = record_bytes(junk, sizeof(junk));
    return restore(RECORD(100, SESSION_ID, EXPORT, export, &m), NULL, 0);
}

static bool import_of_junk(void)
{
    Docad__ImportRecord m = DOCAD__IMPORT_RECORD__INIT;
    return restore(RECORD(100, SESSION_ID, IMPORT, import, &m), NULL, 0);
}

static bool grant_without_importer(void)
{
    Docad__GrantRecord m = DOCAD__GRANT_RECORD__INIT;
    return restore(RECORD(100, 0, GRANT, grant, &m), NULL, 0);
}

static bool queue_pair(uint64_t owner, bool has_slot, bool has_importer, bool has_node)
{
    Docad__QueuePairRecord m = DOCAD__QUEUE_PAIR_RECORD__INIT;
    Docad__ImporterRecord importer = DOCAD__IMPORTER_RECORD__INIT;
    importer.session = SESSION_ID;
    m.has_slot = has_slot;
    m.slot = 0xfffffff0;
    m.importer = has_importer ? &importer : NULL;
    m.node = record_bytes(node->id, has_node ? NODE_ID_SIZE : 0);
    return restore(RECORD(100, owner, QUEUE_PAIR, queue_pair, &m), NULL, 0);
}

static bool queue_pair_without_slot(void)
{
    return queue_pair(SESSION_ID, false, true, false);
}

static bool queue_pair_without_session(void)
{
    return queue_pair(0, true, true, false);
}

static bool queue_pair_with_a_far_slot(void)
{
    return queue_pair(SESSION_ID, true, true, false);
}

static bool queue_pair_of_nobody(void)
{
    return queue_pair(0, false, false, true);
}

static bool queue_pair_of_two_nodes(void)
{
    return queue_pair(SESSION_ID, true, true, true);
}

static bool publication_without_name(void)
{
    Docad__PublicationRecord m = DOCAD__PUBLICATION_RECORD__INIT;
    return restore(RECORD(100, SESSION_ID, PUBLICATION, publication, &m), NULL, 0);
}

static bool rdma_with_short_tokens(void)
{
    Docad__RdmaRecord m = DOCAD__RDMA_RECORD__INIT;
    m.function = 1;
    m.token = record_bytes("x", 1);
    return restore(RECORD(100, SESSION_ID, RDMA, rdma, &m), NULL, 0);
}

static bool service_without_socket(void)
{
    Docad__ServiceRecord m = DOCAD__SERVICE_RECORD__INIT;
    m.node = record_bytes(node->id, NODE_ID_SIZE);
    return restore(RECORD(100, SESSION_ID, SERVICE, service, &m), NULL, 0);
}

static bool channel_of_nobody(void)
{
    Docad__ChannelRecord m = DOCAD__CHANNEL_RECORD__INIT;
    return restore(RECORD(100, NOBODY, CHANNEL, channel, &m), NULL, 0);
}

static bool relay_without_node(void)
{
    Docad__RelayRecord m = DOCAD__RELAY_RECORD__INIT;
    return restore(RECORD(100, 0, RELAY, relay, &m), NULL, 0);
}

static bool peer_of_no_run(void)
{
    Docad__PeerRecord m = DOCAD__PEER_RECORD__INIT;
    return restore(RECORD(100, 0, PEER, peer, &m), NULL, 0);
}

static bool no_record(void)
{
    struct fd_list fds = {.fds = {open("/dev/null", O_RDWR | O_CLOEXEC)}, .count = 1};
    return restart_restore_record(node, "\xff\xff\xff", 3, &fds);
}

static const struct {
    const char *what;
    bool (*restored)(void);
} cases[] = {
    {"a session twice", session_twice},
    {"a session without descriptors", session_without_descriptors},
    {"a memory without descriptor", memory_without_descriptor},
    {"a region of nobody", region_of_nobody},
    {"a region without its file", region_without_its_file},
    {"a region twice", region_twice},
    {"an export with a damaged descriptor", export_of_junk},
    {"an import without descriptor", import_of_junk},
    {"a grant without importer", grant_without_importer},
    {"a queue pair of a session without slot", queue_pair_without_slot},
    {"a queue pair with a slot and no session", queue_pair_without_session},
    {"a queue pair with a slot out of range", queue_pair_with_a_far_slot},
    {"a queue pair of nobody", queue_pair_of_nobody},
    {"a queue pair that is here and there", queue_pair_of_two_nodes},
    {"a publication without name", publication_without_name},
    {"an RDMA endpoint with a short token", rdma_with_short_tokens},
    {"a service without socket", service_without_socket},
    {"a channel of nobody", channel_of_nobody},
    {"a relay of no node", relay_without_node},
    {"a linked node without run", peer_of_no_run},
    {"bytes that are no record", no_record},
};

START_TEST(it_is_refused)
{
    begin();
    lines = 0;
    ck_assert_msg(!cases[_i].restored(), "%s", cases[_i].what);
    ck_assert_msg(lines > 0, "%s", cases[_i].what);
    // What there was is still there.
    ck_assert_ptr_nonnull(node_session(node, SESSION_ID));
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(node, REGION), 1);
    end();
}
END_TEST

// A channel whose other part is itself: it has none then.
START_TEST(a_channel_with_itself)
{
    Docad__ChannelRecord m = DOCAD__CHANNEL_RECORD__INIT;
    begin();
    m.other = 100;
    m.name = (char *)"c";
    ck_assert(restore(RECORD(100, SESSION_ID, CHANNEL, channel, &m), NULL, 0));
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("restart_records");
    tcase_add_loop_test(tcase, it_is_refused, 0, (int)ARRAY_SIZE(cases));
    tcase_add_test(tcase, a_channel_with_itself);
    return unit_run_case("restart_records", tcase);
}
