// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The owner's side: sessions of a linked node import what this one exports, and its exports end
// in every way. The linked node is a fake or a real one.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"
#include "text_names.h"

#include <poll.h>
#include <string.h>

struct offering {
    struct daemon *host;
    struct raw_session session;
    struct export_desc desc;
    struct descriptor d;
    uint64_t region;
    uint32_t function;
    int link;
};

static char memory[64];

static struct offering offer(void)
{
    struct offering o = {.host = daemon_start(&(struct daemon_options){.role = "host"})};
    o.session = session_start(o.host);
    o.function = open_function(o.session.sock, "pf0");
    o.region =
        register_brokered(o.session.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, o.function);
    o.d = export_to(o.session.sock, o.region, o.function, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(o.d.bytes, o.d.size, &o.desc, NULL), DOCA_SUCCESS);
    o.link = fake_link(o.host);
    return o;
}

static void offering_end(struct offering *o)
{
    session_end(&o->session);
    close(o->link);
    assert_baseline(o->host);
}

static Docad__PeerImport import_of(struct offering *o)
{
    Docad__PeerImport m = DOCAD__PEER_IMPORT__INIT;
    m.export_id = o->desc.export_id;
    m.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, o->desc.token};
    m.importer = 31;
    m.pid = 1234;
    m.uid = 4321;
    m.function_pci = (char *)"0000:03:00.0";
    return m;
}

START_TEST(peer_imports)
{
    struct offering o = offer();
    Docad__PeerImport m = import_of(&o);
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_SUCCESS);
    uint64_t grant_id = answer->peer_import_reply->grant_id;
    ck_assert_uint_eq(answer->peer_import_reply->length, 64);
    cleanup_message Docad__Message *list = raw_list(o.session.sock, DOCAD__LIST__KIND__EXPORTS, 0);
    const Docad__ImporterInfo *importer = list->list_reply->exports[0]->importers[0];
    ck_assert_str_eq(importer->node, "fake");
    ck_assert_uint_eq(importer->pid, 1234);
    ck_assert_uint_eq(importer->uid, 4321);

    // The owner is answered only when the importer's node has acknowledged.
    unregister.region_id = o.region;
    uint64_t serial = post(o.session.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister);
    receive_any(o.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED);
    ck_assert_uint_eq(answer->peer_grant_ended->grant_id, grant_id);
    ck_assert_uint_eq(answer->peer_grant_ended->state, SLOT_OWNER_GONE);
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    post_raw(o.link, answer->serial, DOCAD__MESSAGE__BODY_OK, &ok, NULL, 0);
    receive_any(o.session.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    ck_assert_uint_eq(answer->serial, serial);
    offering_end(&o);
}
END_TEST

#define SETTLEMENT_MS 1000 // after which docad answers all the same

static bool is_readable(int sock)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

// Nor is a tool that ends the owner's session.
START_TEST(peer_imports_and_the_session_is_ended)
{
    struct offering o = offer();
    struct raw_session tool = session_start(o.host);
    Docad__PeerImport m = import_of(&o);
    Docad__SessionEnd end = DOCAD__SESSION_END__INIT;
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_SUCCESS);
    end.session_id = tool.id;
    assert_refused(call(tool.sock, DOCAD__MESSAGE__BODY_SESSION_END, &end),
                   DOCA_ERROR_INVALID_VALUE, "its own");
    end.session_id = o.session.id + 1000;
    assert_refused(call(tool.sock, DOCAD__MESSAGE__BODY_SESSION_END, &end), DOCA_ERROR_NOT_FOUND,
                   "nobodys");

    end.session_id = o.session.id;
    int64_t until = deadline_in(SETTLEMENT_MS);
    uint64_t serial = post(tool.sock, DOCAD__MESSAGE__BODY_SESSION_END, &end);
    raw_expect_closed(o.session.sock);
    receive_any(o.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED);
    ck_assert_uint_eq(answer->peer_grant_ended->state, SLOT_OWNER_GONE);
    uint64_t to_acknowledge = answer->serial;
    struct raw_session meanwhile = session_start(o.host); // by now the session has ended
    ck_assert(!is_readable(tool.sock) || deadline_left(until) == 0);
    session_end(&meanwhile);
    post_raw(o.link, to_acknowledge, DOCAD__MESSAGE__BODY_OK, &ok, NULL, 0);
    receive_any(tool.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    ck_assert_uint_eq(answer->serial, serial);
    assert_refused(call(tool.sock, DOCAD__MESSAGE__BODY_SESSION_END, &end), DOCA_ERROR_NOT_FOUND,
                   "again");
    session_end(&tool);
    offering_end(&o);
}
END_TEST

START_TEST(peer_that_never_acknowledges)
{
    struct offering o = offer();
    Docad__PeerImport m = import_of(&o);
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    revoke.export_id = o.desc.export_id;
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_SUCCESS);
    ck_assert_int_eq(call(o.session.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke),
                     DOCA_SUCCESS);
    assert_refused(call(o.session.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke),
                   DOCA_ERROR_NOT_FOUND, "again");
    offering_end(&o);
}
END_TEST

START_TEST(peer_that_drops_instead)
{
    struct offering o = offer();
    Docad__PeerImport m = import_of(&o);
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    revoke.export_id = o.desc.export_id;
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_SUCCESS);
    post(o.session.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke);
    receive_any(o.link);
    close_fdp(&o.link);
    receive_any(o.session.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    offering_end(&o);
}
END_TEST

START_TEST(peer_import_field)
{
    struct offering o = offer();
    Docad__PeerImport good = import_of(&o), m = good;
    uint8_t token[EXPORT_TOKEN_SIZE];
    memcpy(token, o.desc.token, sizeof(token));
    token[15] ^= 1;
    m.token.data = token;
    assert_refused(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_ERROR_NOT_PERMITTED,
                   "token");
    m.token.len = 15;
    assert_refused(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_ERROR_INVALID_VALUE,
                   "short token");
    m = good;
    m.export_id++;
    assert_refused(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &m), DOCA_ERROR_NOT_PERMITTED,
                   "id");
    Docad__PeerImportRelease release = DOCAD__PEER_IMPORT_RELEASE__INIT;
    release.grant_id = 999;
    post_raw(o.link, 0, DOCAD__MESSAGE__BODY_PEER_IMPORT_RELEASE, &release, NULL, 0);
    Docad__PeerQueuePairDestroy destroy = DOCAD__PEER_QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = 999;
    post_raw(o.link, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY, &destroy, NULL, 0);
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &good), DOCA_SUCCESS);
    offering_end(&o);
}
END_TEST

START_TEST(peer_queue_pairs)
{
    struct offering o = offer();
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    Docad__PeerQueuePairDestroy destroy = DOCAD__PEER_QUEUE_PAIR_DESTROY__INIT;
    create.importer = 31;
    create.uid = 4321;
    unsigned before = daemon_settled_descriptors(o.host);
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(answer_fds.count, 3);
    destroy.queue_pair_id = answer->peer_queue_pair_create_reply->queue_pair_id;
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    post_raw(o.link, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY, &destroy, NULL, 0);
    cleanup_message Docad__Message *list =
        raw_list(o.session.sock, DOCAD__LIST__KIND__QUEUE_PAIRS, destroy.queue_pair_id);
    ck_assert_uint_eq(list->list_reply->n_queue_pairs, 1);
    ck_assert_str_eq(list->list_reply->queue_pairs[0]->client_node, "fake");
    close_fdp(&o.link);
    daemon_wait_descriptors(o.host, before - 1);
    offering_end(&o);
}
END_TEST

// ---- names ----------------------------------------------------------------------------------

// A node that comes back learns that an export whose name it knows has ended in the meantime.
static doca_error_t hand_on(struct offering *o, uint64_t grant_id, Docad__ExportTarget target)
{
    Docad__PeerExportCreate m = DOCAD__PEER_EXPORT_CREATE__INIT;
    m.grant_id = grant_id;
    m.target = target;
    return call(o->link, DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE, &m);
}

// A node exports what was granted to it once more: that alone, for RDMA alone, and only as long as
// it has the grant.
START_TEST(peer_hands_on)
{
    static const Docad__ExportTarget others[] = {
        DOCAD__EXPORT_TARGET__TARGET_DPU, DOCAD__EXPORT_TARGET__TARGET_HOST,
        DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT, (Docad__ExportTarget)77};
    struct offering o = offer();
    Docad__PeerImport import = import_of(&o);
    Docad__PeerImportRelease release = DOCAD__PEER_IMPORT_RELEASE__INIT;
    struct raw_session third = session_start(o.host);
    uint32_t pf0 = open_function(third.sock, "pf0");
    struct descriptor d;

    ck_assert_int_eq(hand_on(&o, 1, DOCAD__EXPORT_TARGET__TARGET_RDMA), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(call(o.link, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
    uint64_t grant = release.grant_id = answer->peer_import_reply->grant_id;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        ck_assert_int_eq(hand_on(&o, grant, others[i]), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(hand_on(&o, o.desc.export_id, DOCAD__EXPORT_TARGET__TARGET_RDMA),
                     DOCA_ERROR_NOT_PERMITTED);
    for (int i = 0; i < 3; i++) { // one export, however often it is asked for
        ck_assert_int_eq(hand_on(&o, grant, DOCAD__EXPORT_TARGET__TARGET_RDMA), DOCA_SUCCESS);
        const Docad__PeerExportCreateReply *reply = answer->peer_export_create_reply;
        ck_assert(i == 0 || memcmp(d.bytes, reply->descriptor.data, d.size) == 0);
        d.size = reply->descriptor.len;
        memcpy(d.bytes, reply->descriptor.data, d.size);
    }
    ck_assert_int_eq(import_on(third.sock, &d, pf0), DOCA_SUCCESS);
    uint64_t id = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    post_raw(o.link, 0, DOCAD__MESSAGE__BODY_PEER_IMPORT_RELEASE, &release, NULL, 0);
    wait_state(&third, slot, id, SLOT_OWNER_GONE);
    ck_assert_int_eq(hand_on(&o, grant, DOCAD__EXPORT_TARGET__TARGET_RDMA),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_ne(import_on(third.sock, &d, pf0), DOCA_SUCCESS);
    session_end(&third);
    offering_end(&o);
}
END_TEST

START_TEST(name_of_a_gone_export)
{
    struct offering o = offer();
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    unregister.region_id = o.region;
    fake_publish(o.link, "theirs", &o.d);
    ck_assert_int_eq(lookup(o.session.sock, "theirs", HARNESS_LIMIT_MS), DOCA_SUCCESS);
    ck_assert_int_eq(call(o.session.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister),
                     DOCA_SUCCESS);
    receive_any(o.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH);
    ck_assert_str_eq(answer->peer_unpublish->name, "theirs");
    fake_publish(o.link, "again", &o.d);
    receive_any(o.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH);
    ck_assert_str_eq(answer->peer_unpublish->name, "again");
    offering_end(&o);
}
END_TEST

// ---- two real nodes -------------------------------------------------------------------------

START_TEST(import_across)
{
    struct offering o = {.host = daemon_start(&(struct daemon_options){.role = "host"})};
    struct daemon *second = daemon_start(&(struct daemon_options){
        .role = "dpu", .label = "second", .name = "bf", .peers = {o.host->socket.s}});
    daemon_wait_links(second, 1);
    o.session = session_start(o.host);
    o.function = open_function(o.session.sock, "pf1");
    o.region = register_mapped(o.session.sock, 8192, DOCA_ACCESS_DPU_READ_ONLY, o.function);
    o.d = export_to(o.session.sock, o.region, o.function, DOCAD__EXPORT_TARGET__TARGET_DPU);
    struct raw_session importer = session_start(second);
    uint32_t p0 = open_function(importer.sock, "p0"), p1 = open_function(importer.sock, "p1");
    uint32_t sf = open_function(importer.sock, "p1s0");
    assert_refused(import_on(importer.sock, &o.d, p0), DOCA_ERROR_NOT_SUPPORTED, "p0");
    assert_names(answer->error->text, "p1");
    assert_refused(import_on(importer.sock, &o.d, sf), DOCA_ERROR_NOT_SUPPORTED, "sf");
    ck_assert_int_eq(import_on(importer.sock, &o.d, p1), DOCA_SUCCESS);
    ck_assert_int_eq(memfd_check(answer_fds.fds[0], 8192, 0), 0);
    uint64_t id = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    session_end(&o.session);
    wait_state(&importer, slot, id, SLOT_OWNER_GONE);
    session_end(&importer);
    assert_baseline(o.host);
    assert_baseline(second);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_owner");
    TCase *tcase = tcase_create("protocol_owner");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    const TTest *const tests[] = {peer_imports,
                                  peer_imports_and_the_session_is_ended,
                                  peer_that_never_acknowledges,
                                  peer_that_drops_instead,
                                  peer_import_field,
                                  peer_queue_pairs,
                                  peer_hands_on,
                                  name_of_a_gone_export,
                                  import_across};
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
