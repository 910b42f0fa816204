// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Resources that docad holds for a linked node are limited and charged to that node. A node that
// requests more and more, in the name of any user, is refused, and takes nothing from the users
// of this node. One user of that node may have half of it. When the link ends everything is given
// back.

#include "protocol.h"

#include "cleanup.h"
#include "manager.h"
#include "memfd.h"
#include "restarts.h"
#include "sync_page.h"
#include "text_names.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char memory[64];
static struct daemon *docad;
static unsigned linked; // descriptors of docad with the link alone
static int fake;
static bool returns; // by a link that carries descriptors
static uint8_t run[16] = {1};
static struct path config;
static struct raw_session owner; // of what the linked node imports
static uint32_t pf0;
static struct export_desc exported;

// The link carries no descriptors, as one to another machine, unless it comes back.
static void link_up(void)
{
    Docad__PeerHello hello = fake_hello_fields();
    hello.role = (char *)"dpu";
    hello.no_descriptors = !returns;
    hello.resumable = returns;
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    fake = raw_connect(docad->socket.s);
    ck_assert_int_eq(fake_hello(fake, &hello), DOCA_SUCCESS);
    if (!returns)
        return;
    receive_any(fake);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_RESUME);
}

// Waits until nothing is left of it.
static void link_down(void)
{
    answer_drop();
    close_fdp(&fake);
    daemon_wait_links(docad, 0);
}

static void start(const char *limits)
{
    char text[256];
    snprintf(text, sizeof(text), "peer_grace_ms = 600000\nlimits { %s }\n", limits);
    config = temp_file("docad.conf", text);
    docad = returns ? restartable_start("host", NULL, config.s)
                    : daemon_start(&(struct daemon_options){.role = "host", .config = config.s});
    if (!returns) // else it is read again
        unlink(config.s);
    owner = session_start(docad);
    pf0 = open_function(owner.sock, "pf0");
    uint64_t region = register_brokered(owner.sock, memory, 64, DOCA_ACCESS_DPU_READ_ONLY, pf0);
    struct descriptor d = export_to(owner.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &exported, NULL), DOCA_SUCCESS);
    link_up();
    linked = daemon_settled_descriptors(docad);
}

static void stop(void)
{
    link_down();
    session_end(&owner);
    assert_baseline(docad);
}

// ---- what it asks for, under one session's number or another's --------------------------

static doca_error_t far_queue_pair(uint64_t importer)
{
    Docad__PeerQueuePairCreate m = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    m.importer = importer;
    m.uid = getuid();
    m.link = returns ? 0 : 77;
    return call(fake, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &m);
}

static doca_error_t queue_pair_of_one(int i)
{
    (void)i;
    return far_queue_pair(5);
}

static doca_error_t queue_pair_of_many(int i)
{
    return far_queue_pair(5 + (uint64_t)i);
}

static doca_error_t far_import(uint64_t importer)
{
    Docad__PeerImport m = DOCAD__PEER_IMPORT__INIT;
    m.export_id = exported.export_id;
    m.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, exported.token};
    m.importer = importer;
    m.uid = getuid();
    m.function_pci = (char *)"0000:99:00.0";
    return call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m);
}

static doca_error_t import_of_one(int i)
{
    (void)i;
    return far_import(5);
}

static doca_error_t import_of_many(int i)
{
    return far_import(5 + (uint64_t)i);
}

// The code of docad's answer.
static uint64_t id_of_answer(void)
{
    return answer->body_case == DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY
               ? answer->peer_import_reply->grant_id
               : answer->peer_queue_pair_create_reply->queue_pair_id;
}

// ---- a user of this node, whose quota is as small ---------------------------------------

// Its limit is the same, however much the linked node has.
static void user_has_its_quota(int queue_pairs)
{
    struct raw_session s = session_start(docad);
    uint32_t function = open_function(s.sock, "pf0");
    uint64_t region = register_brokered(s.sock, memory, 64, DOCA_ACCESS_DPU_READ_ONLY, function);
    export_to(s.sock, region, function, DOCAD__EXPORT_TARGET__TARGET_DPU);
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, s.node};
    for (int i = 0; i < queue_pairs; i++)
        ck_assert_msg(call(s.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m) == DOCA_SUCCESS,
                      "%s", answer->error->text);
    session_end(&s);
}

// ---- until it is refused ----------------------------------------------------------------

static const struct {
    const char *option, *limits;
    doca_error_t (*add)(int i);
    int allowed;
} kinds[] = {
    {"queue_pairs_per_importer", "queue_pairs_per_importer = 3", queue_pair_of_one, 3},
    {"queue_pairs_per_peer", "queue_pairs_per_peer = 6", queue_pair_of_many, 3},
    {"importers_per_peer", "importers_per_peer = 6", queue_pair_of_many, 3},
    {"grants_per_importer", "grants_per_importer = 3", import_of_one, 3},
    {"grants_per_peer", "grants_per_peer = 6", import_of_many, 3},
    {"importers_per_peer", "importers_per_peer = 6", import_of_many, 3},
    // Four of each; the user's six are two of memory and two of each queue pair.
    {"descriptors_per_peer", "descriptors_per_peer = 30\n descriptors_per_uid = 6",
     queue_pair_of_one, 3},
};

START_TEST(too_many)
{
    start(kinds[_i].limits);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < kinds[_i].allowed; i++)
            ck_assert_msg(kinds[_i].add(i) == DOCA_SUCCESS, "%d: %s", i, answer->error->text);
        unsigned full = daemon_settled_descriptors(docad);
        for (int i = 0; i < 3; i++) {
            assert_refused(kinds[_i].add(kinds[_i].allowed + i), DOCA_ERROR_NO_MEMORY,
                           kinds[_i].option);
            assert_names(answer->error->text, kinds[_i].option);
        }
        daemon_wait_descriptors(docad, full); // who is refused leaves nothing
        user_has_its_quota(2);
        link_down();
        link_up();
        daemon_wait_descriptors(docad, linked);
    }
    stop();
}
END_TEST

// ---- names ------------------------------------------------------------------------------

static void unpublish_far(const char *name)
{
    Docad__PeerUnpublish m = DOCAD__PEER_UNPUBLISH__INIT;
    m.name = (char *)name;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, &m, NULL, 0);
}

// docad's answer after it has handled all messages of the link.
static doca_error_t knows(const char *name)
{
    Docad__PeerImport m = DOCAD__PEER_IMPORT__INIT;
    call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m);
    return lookup(owner.sock, name, 0);
}

START_TEST(too_many_names)
{
    struct descriptor d = fake_descriptor(7);
    start("publications_per_peer = 6");
    for (int round = 0; round < 2; round++) {
        fake_publish(fake, "one", &d);
        fake_publish(fake, "two", &d);
        fake_publish(fake, "two", &d); // is one name
        fake_publish(fake, "three", &d);
        fake_publish(fake, "four", &d);
        ck_assert_int_eq(knows("four"), DOCA_ERROR_NOT_FOUND);
        ck_assert_int_eq(knows("one"), DOCA_SUCCESS);
        ck_assert_int_eq(knows("three"), DOCA_SUCCESS);
        ck_assert(daemon_logged(docad, "publications_per_peer"));
        unpublish_far("two");
        fake_publish(fake, "four", &d);
        ck_assert_int_eq(knows("four"), DOCA_SUCCESS);
        ck_assert_int_eq(publish(owner.sock, "ours", &d), DOCA_SUCCESS);
        ck_assert_int_eq(unpublish(owner.sock, "ours"), DOCA_SUCCESS);
        link_down();
        link_up();
    }
    stop();
}
END_TEST

// ---- what is counted --------------------------------------------------------------------

static void brokered_memory(void)
{
    // as it is
}

static void export_event(uint64_t region, int page)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    int fds[2], n = page >= 0;
    m.region_id = region;
    m.function_id = pf0;
    m.target = DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    m.has_page = page >= 0;
    fds[0] = page;
    fds[n] = sync_timer_new();
    ck_assert_int_ge(fds[n], 0);
    ck_assert_msg(call_with_fds(owner.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m, fds,
                                (size_t)n + 1) == DOCA_SUCCESS,
                  "%s", answer->error->text);
    const ProtobufCBinaryData *d = &answer->export_create_reply->descriptor;
    ck_assert_int_eq(export_desc_decode(d->data, d->len, &exported, NULL), DOCA_SUCCESS);
    for (int i = 0; i < n + 1; i++)
        close(fds[i]);
}

static void event_with_its_counter(void)
{
    export_event(register_mapped(owner.sock, SYNC_PAGE_SIZE, DOCA_ACCESS_DPU_READ_WRITE, pf0), -1);
}

static void event_with_a_counter_elsewhere(void)
{
    export_event(
        register_brokered(owner.sock, memory, SYNC_VALUE_SIZE, DOCA_ACCESS_DPU_READ_WRITE, pf0),
        memfd_create_sealed("page", SYNC_PAGE_SIZE));
}

static const struct {
    void (*make)(void);
    doca_error_t (*add)(int i);
    unsigned each;
} costs[] = {
    {event_with_its_counter, import_of_one, 1},
    {event_with_a_counter_elsewhere, import_of_one, 1},
    {brokered_memory, queue_pair_of_one, 4},
};

static uint64_t used_of(const char *option)
{
    cleanup_message Docad__Message *m = raw_list(owner.sock, DOCAD__LIST__KIND__PEERS, 0);
    ck_assert_uint_eq(m->list_reply->n_peers, 1);
    const Docad__PeerInfo *peer = m->list_reply->peers[0];
    for (size_t i = 0; i < peer->n_quotas; i++)
        if (strcmp(peer->quotas[i]->name, option) == 0)
            return peer->quotas[i]->used;
    ck_abort_msg("no %s", option);
}

START_TEST(what_is_held_is_shown)
{
    struct descriptor d = fake_descriptor(7);
    start("grants_per_peer = 3");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(import_of_many(i), DOCA_SUCCESS);
        ck_assert_int_eq(queue_pair_of_one(i), DOCA_SUCCESS);
    }
    fake_publish(fake, "one", &d);
    ck_assert_int_eq(knows("one"), DOCA_SUCCESS);
    ck_assert_uint_eq(used_of("importers_per_peer"), 2);
    ck_assert_uint_eq(used_of("grants_per_peer"), 2);
    ck_assert_uint_eq(used_of("queue_pairs_per_peer"), 2);
    ck_assert_uint_eq(used_of("descriptors_per_peer"), 2 * 4);
    ck_assert_uint_eq(used_of("publications_per_peer"), 1);
    stop();
}
END_TEST

START_TEST(imports_of_memory_share_its_descriptor)
{
    start("");
    unsigned before = daemon_settled_descriptors(docad);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(import_of_many(i), DOCA_SUCCESS);
    ck_assert_uint_eq(daemon_settled_descriptors(docad), before);
    ck_assert_uint_eq(used_of("descriptors_per_peer"), 0);
    stop();
}
END_TEST

// Exactly as many descriptors as docad has open for it.
START_TEST(descriptors_are_counted)
{
    start("descriptors_per_peer = 238");
    costs[_i].make();
    unsigned now = daemon_settled_descriptors(docad);
    int n = 0;
    while (costs[_i].add(n) == DOCA_SUCCESS)
        n++;
    assert_names(answer->error->text, "descriptors_per_peer");
    daemon_wait_descriptors(docad, now + (unsigned)n * costs[_i].each);
    ck_assert_uint_eq((unsigned)n, 119 / costs[_i].each);
    stop();
}
END_TEST

// ---- after a restart --------------------------------------------------------------------

static void restart(Docad__PeerResume *names)
{
    manager_restart(docad, restart_signal(0));
    unlink(config.s);
    raw_expect_closed(fake);
    close_fdp(&fake);
    link_up();
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, names, NULL, 0);
}

static const struct {
    const char *option, *limits;
    doca_error_t (*add)(int i);
} restored[] = {
    {"grants_per_importer", "grants_per_importer = 3", import_of_one},
    {"grants_per_peer", "grants_per_peer = 6", import_of_many},
    {"importers_per_peer", "importers_per_peer = 6", import_of_many},
    {"queue_pairs_per_importer", "queue_pairs_per_importer = 3", queue_pair_of_one},
    {"queue_pairs_per_peer", "queue_pairs_per_peer = 6", queue_pair_of_many},
    {"descriptors_per_peer", "descriptors_per_peer = 12", queue_pair_of_many},
};

static void refuses_more(int i)
{
    assert_refused(restored[i].add(3), DOCA_ERROR_NO_MEMORY, restored[i].option);
    assert_names(answer->error->text, restored[i].option);
}

// Two of three were there before.
START_TEST(what_was_there_before_a_restart_counts)
{
    Docad__PeerResume names = DOCAD__PEER_RESUME__INIT;
    uint64_t ids[2];
    returns = true;
    start(restored[_i].limits);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(restored[_i].add(i), DOCA_SUCCESS);
        ids[i] = id_of_answer();
    }
    if (answer->body_case == DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY) {
        names.grants = ids;
        names.n_grants = 2;
    } else {
        names.queue_pairs = ids;
        names.n_queue_pairs = 2;
    }
    restart(&names);
    ck_assert_int_eq(restored[_i].add(2), DOCA_SUCCESS);
    refuses_more(_i);
    // A new docad on that node starts with none of it.
    link_down();
    run[0]++;
    link_up();
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(restored[_i].add(i), DOCA_SUCCESS);
    refuses_more(_i);
    link_down();
    session_end(&owner);
    daemon_stop(docad);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peer_limits");
    TCase *tcase = tcase_create("peer_limits");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, too_many, 0, ARRAY_SIZE(kinds));
    tcase_add_test(tcase, too_many_names);
    tcase_add_test(tcase, what_is_held_is_shown);
    tcase_add_test(tcase, imports_of_memory_share_its_descriptor);
    tcase_add_loop_test(tcase, descriptors_are_counted, 0, ARRAY_SIZE(costs));
    tcase_add_loop_test(tcase, what_was_there_before_a_restart_counts, 0, ARRAY_SIZE(restored));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
