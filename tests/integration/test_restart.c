// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients whose docad is restarted, or crashes and is started again.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "protocol.h"
#include "rdma_peer.h"
#include "restarts.h"
#include "run.h"

#include <string.h>
#include <sys/mman.h>

// ---- one node -------------------------------------------------------------------------

static void publish_to(int sock, const char *name, const struct descriptor *d, uint32_t uid)
{
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    Docad__Publish ask = DOCAD__PUBLISH__INIT;
    to.n_uids = 1;
    to.uids = &uid;
    ask.name = (char *)name;
    ask.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    ask.to = &to;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_PUBLISH, &ask), DOCA_SUCCESS);
}

// The only name there is, by this user.
static void assert_published_for(int sock, uint32_t uid)
{
    cleanup_message Docad__Message *m = raw_list(sock, DOCAD__LIST__KIND__PUBLICATIONS, 0);
    ck_assert_uint_eq(m->list_reply->n_publications, 1);
    const Docad__PublicationInfo *p = m->list_reply->publications[0];
    ck_assert_uint_eq(p->uid, getuid());
    ck_assert(!p->to->all && p->to->n_gids == 0);
    ck_assert_uint_eq(p->to->n_uids, 1);
    ck_assert_uint_eq(p->to->uids[0], uid);
}

// The same ids, states and descriptors after a restart as before.
START_TEST(objects_are_the_same)
{
    struct daemon *daemon = restartable_start("host", NULL, NULL);
    struct raw_session s = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    uint64_t region =
        register_mapped(s.sock, 8192, DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    publish_to(s.sock, "name", &d, 4242);
    ck_assert_int_eq(import_on(s.sock, &d, f), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    answer_drop();
    manager_restart(daemon, restart_signal(_i));
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_LIVE);
    receive_any(s.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_RESUMED);
    ck_assert_uint_eq(answer->resumed->restart, 1);
    ck_assert_int_eq(lookup(s.sock, "name", 0), DOCA_SUCCESS);
    ck_assert_uint_eq(answer->lookup_reply->descriptor.len, d.size);
    ck_assert_mem_eq(answer->lookup_reply->descriptor.data, d.bytes, d.size);
    assert_published_for(s.sock, 4242);
    // The function is open, and what is made now has ids of its own.
    uint64_t second = register_mapped(s.sock, 4096, DOCA_ACCESS_RDMA_READ, f);
    ck_assert_uint_gt(second, region);
    struct descriptor e = export_to(s.sock, second, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    ck_assert_int_eq(import_on(s.sock, &e, f), DOCA_SUCCESS);
    ck_assert_uint_ne(answer->import_create_reply->state_slot, slot);
    ck_assert_uint_gt(answer->import_create_reply->import_id, import);
    // Objects that were made before end as usual.
    Docad__RegionUnregister gone = DOCAD__REGION_UNREGISTER__INIT;
    gone.region_id = region;
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &gone), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_OWNER_GONE);
    ck_assert_int_eq(lookup(s.sock, "name", 0), DOCA_ERROR_NOT_FOUND);
    answer_drop();
    session_end(&s);
    assert_baseline(daemon);
    manager_wait_kept(daemon, 1); // the node's own record
    daemon_stop(daemon);
}
END_TEST

// A client that ends while there is no docad is found to be gone.
START_TEST(clients_that_left_meanwhile)
{
    struct daemon *daemon = restartable_start("host", NULL, NULL);
    struct raw_session s = session_start(daemon), t = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    uint64_t region = register_mapped(s.sock, 4096, DOCA_ACCESS_RDMA_READ, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    uint32_t g = open_function(t.sock, "pf0");
    ck_assert_int_eq(import_on(t.sock, &d, g), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    answer_drop();
    manager_begin_restart(daemon, restart_signal(_i));
    session_end(&s);
    manager_wait(daemon);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(t.states, slot, import) == SLOT_LIVE)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(t.states, slot, import), SLOT_OWNER_GONE);
    session_end(&t);
    assert_baseline(daemon);
    manager_wait_kept(daemon, 1);
    daemon_stop(daemon);
}
END_TEST

// ---- two nodes ------------------------------------------------------------------------

#define SIZE           (256u * 1024)
#define OTHER_DOCAD_MS 1000 // at least so long docad waits for another one

struct handout {
    size_t length[2];
    uint8_t desc[2][DOCAD_EXPORT_DESC_SIZE];
};

// Exports memory that is mapped, and memory that the engine copies.
static int exports(struct child *self, void *arg)
{
    struct exporter mapped, brokered;
    struct handout out;
    uint8_t *pages = pages_new(SIZE);
    (void)arg;
    exporter_start(&mapped, HOST_PF0, pages, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    exporter_start(&brokered, HOST_PF0, brokered_memory, BROKERED_SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    out.length[0] = mapped.desc_len;
    out.length[1] = brokered.desc_len;
    memcpy(out.desc[0], mapped.desc, mapped.desc_len);
    memcpy(out.desc[1], brokered.desc, brokered.desc_len);
    child_send(self, &out, sizeof(out));
    restarted_wait_stop();
    child_wait(self, "end");
    exporter_stop(&brokered);
    exporter_stop(&mapped);
    munmap(pages, SIZE);
    return 0;
}

// docad waits some seconds for another one that is away or busy. A machine under load takes
// longer to restart it, and then the program should try again. A request that is refused at once
// is an error.
static void import_patiently(struct copier *c, const void *desc, size_t length)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS), begun;
    doca_error_t r;
    do {
        begun = now_ms();
        r = copier_try_import(c, desc, length);
    } while (r == DOCA_ERROR_DRIVER && now_ms() - begun > OTHER_DOCAD_MS && begun < deadline);
    ck_assert_success(r);
}

// Writes and reads back, again and again.
static int copies(struct child *self, void *arg)
{
    unsigned which = *(unsigned *)arg;
    struct handout in;
    struct copier c;
    ck_assert_uint_eq(child_receive(self, &in, sizeof(in)), sizeof(in));
    copier_start(&c, DPU_P0, SIZE);
    import_patiently(&c, in.desc[which], in.length[which]);
    for (unsigned i = 0; !restarted->stop; i++) {
        memset(c.memory, (int)i, SIZE);
        ck_assert_success(copier_write(&c, 0, SIZE));
        memset(c.memory, (int)~i, SIZE);
        ck_assert_success(copier_read(&c, 0, SIZE));
        ck_assert(c.memory[0] == (uint8_t)i && memcmp(c.memory, c.memory + 1, SIZE - 1) == 0);
        restarted->jobs[which]++;
    }
    copier_stop(&c);
    return 0;
}

// Control calls of all kinds, again and again: docad may end at any point of each.
static int controls(struct child *self, void *arg)
{
    struct handout in;
    (void)arg;
    ck_assert_uint_eq(child_receive(self, &in, sizeof(in)), sizeof(in));
    while (!restarted->stop) {
        struct copier c;
        copier_start(&c, DPU_P0, 8192);
        for (int i = 0; i < 2; i++) {
            import_patiently(&c, in.desc[i], in.length[i]);
            ck_assert_success(copier_read(&c, BROKERED_SIZE - 4096, 4096));
            copier_release(&c);
        }
        copier_stop(&c);
        restarted->jobs[2]++;
    }
    return 0;
}

// Also goes over a link like those between machines.
START_TEST(dma_goes_on)
{
    unsigned mapped = 0, brokered = 1;
    struct handout out;
    restarted_start(_i);
    struct child *owner = child_start(restarted_nodes.host, "owner", exports, NULL);
    ck_assert_uint_eq(child_receive(owner, &out, sizeof(out)), sizeof(out));
    struct child *users[] = {child_start(restarted_nodes.dpu, "mapped", copies, &mapped),
                             child_start(restarted_nodes.dpu, "brokered", copies, &brokered),
                             child_start(restarted_nodes.dpu, "controls", controls, NULL)};
    for (size_t i = 0; i < ARRAY_SIZE(users); i++)
        child_send(users[i], &out, sizeof(out));
    restart_often(ARRAY_SIZE(users));
    for (size_t i = 0; i < ARRAY_SIZE(users); i++)
        child_join(users[i]);
    child_tell(owner, "end");
    child_join(owner);
    restarted_stop();
}
END_TEST

// ---- RDMA -----------------------------------------------------------------------------

#define RDMA_SIZE 65536u
#define WORD      (RDMA_SIZE - 64)

static int asks(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    for (unsigned i = 0; !restarted->stop; i++) {
        uint64_t before;
        pattern(p.memory, 16384, i);
        ck_assert_success(peer_write(&p, 0, 0, 16384));
        ck_assert_success(peer_read(&p, 16384, 0, 16384));
        ck_assert(is_pattern(p.memory + 16384, 16384, i));
        ck_assert_success(peer_add(&p, WORD, 1, &before));
        ck_assert_uint_eq(before, i);
        ck_assert_success(peer_send(&p, 0, 64));
        restarted->jobs[0]++;
    }
    ck_assert_success(peer_send(&p, 0, 1));
    child_wait(self, "end");
    peer_close(&p);
    return 0;
}

static int hears(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    do {
        ck_assert_success(peer_recv(&p, 32768, 64));
    } while (p.result.length == 64);
    child_wait(self, "end");
    peer_close(&p);
    return 0;
}

START_TEST(rdma_goes_on)
{
    struct peer_plan asking = {.pci = DPU_P0, .size = RDMA_SIZE};
    struct peer_plan hearing = {.pci = HOST_PF0, .size = RDMA_SIZE};
    bool apart = _i >= 2;
    if (apart && !peer_function())
        return;
    if (_i % 2)
        hearing.memory = brokered_memory;
    memset(brokered_memory, 0, RDMA_SIZE);
    restarted_start(apart);
    struct child *a = child_start(restarted_nodes.dpu, "asks", asks, &asking);
    struct child *b = child_start(restarted_nodes.host, "hears", hears, &hearing);
    peers_join(a, b);
    restart_often(1);
    child_tell(a, "end");
    child_tell(b, "end");
    child_join(a);
    child_join(b);
    restarted_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart");
    TCase *tcase = tcase_create("restart");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, objects_are_the_same, 0, 2);
    tcase_add_loop_test(tcase, clients_that_left_meanwhile, 0, 2);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("dma");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, dma_goes_on, 0, 2);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("rdma");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, rdma_goes_on, 0, 4);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
