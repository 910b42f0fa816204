// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad holds for a linked node is limited and charged to that node: one that asks for
// more and more, in the name of whatever user, is refused, and takes nothing from the users
// of this node. With the link all of it is given back.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"

#include <string.h>
#include <unistd.h>

static char memory[64];
static struct daemon *docad;
static unsigned linked; // descriptors of docad with the link alone
static int fake;

// The link carries no descriptors, as one to another machine.
static void link_up(void)
{
    Docad__PeerHello hello = fake_hello_fields();
    hello.role = (char *)"dpu";
    hello.no_descriptors = true;
    fake = raw_connect(docad->socket.s);
    ck_assert_int_eq(fake_hello(fake, &hello), DOCA_SUCCESS);
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
    snprintf(text, sizeof(text), "limits { %s }\n", limits);
    struct path file = temp_file("docad.conf", text);
    docad = daemon_start(&(struct daemon_options){.role = "host", .config = file.s});
    unlink(file.s);
    link_up();
    linked = daemon_descriptors(docad);
}

// ---- what it asks for, under one session's number or another's --------------------------

static doca_error_t far_queue_pair(uint64_t importer)
{
    Docad__PeerQueuePairCreate m = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    m.importer = importer;
    m.uid = getuid();
    m.link = 77;
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

// ---- a user of this node, whose quota is as small ---------------------------------------

// What it may have is the same whatever the linked node has.
static void user_has_its_quota(int queue_pairs)
{
    struct raw_session s = session_start(docad);
    uint32_t pf0 = open_function(s.sock, "pf0");
    uint64_t region = register_brokered(s.sock, memory, 64, DOCA_ACCESS_DPU_READ_ONLY, pf0);
    export_to(s.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
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
    {"queue_pairs_per_peer", "queue_pairs_per_peer = 3", queue_pair_of_many, 3},
    {"importers_per_peer", "importers_per_peer = 3", queue_pair_of_many, 3},
    // Four of each; the user's own five are one of memory and two of each queue pair.
    {"descriptors_per_peer", "descriptors_per_peer = 15 descriptors_per_uid = 5", queue_pair_of_one,
     3},
};

START_TEST(too_many)
{
    start(kinds[_i].limits);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < kinds[_i].allowed; i++)
            ck_assert_msg(kinds[_i].add(i) == DOCA_SUCCESS, "%d: %s", i, answer->error->text);
        unsigned full = daemon_descriptors(docad);
        for (int i = 0; i < 3; i++) {
            assert_refused(kinds[_i].add(kinds[_i].allowed + i), DOCA_ERROR_NO_MEMORY,
                           kinds[_i].option);
            ck_assert_msg(strstr(answer->error->text, kinds[_i].option) != NULL, "%s",
                          answer->error->text);
        }
        ck_assert_uint_eq(daemon_descriptors(docad), full); // who is refused leaves nothing
        user_has_its_quota(2);
        link_down();
        link_up();
        daemon_wait_descriptors(docad, linked);
    }
    link_down();
    assert_baseline(docad);
}
END_TEST

// Each counts as many descriptors as docad has open for it.
START_TEST(descriptors_are_counted)
{
    start("descriptors_per_peer = 4000");
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(queue_pair_of_one(i), DOCA_SUCCESS);
    ck_assert_uint_eq(daemon_descriptors(docad), linked + 10 * 4);
    link_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peer_limits");
    TCase *tcase = tcase_create("peer_limits");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, too_many, 0, ARRAY_SIZE(kinds));
    tcase_add_test(tcase, descriptors_are_counted);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
