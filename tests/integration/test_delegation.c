// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory that is handed on: a process on the host exports it across PCI, one on the DPU imports it
// and exports it for RDMA, and a third one reads and writes it over an RDMA connection to the
// second, until one of those that it depends on takes it back or goes.

#include "export_desc.h"
#include "rdma_setting.h"
#include "request.h"
#include "restarts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (20u * 4096)

struct plan {
    uint32_t access;    // of the owner's export
    bool alone;         // the other side of its connection has died
    doca_error_t error; // of reads after the end
    struct peer_plan ours;
};

// ---- the owner, on the host -----------------------------------------------------------------

static int owns(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    uint8_t *block = malloc(SIZE + 64), *p = block + 24; // not whole pages
    struct exporter e;
    pattern(p, SIZE, 1);
    exporter_start(&e, HOST_PF0, p, SIZE, plan->access | DOCA_ACCESS_LOCAL_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "written");
    ck_assert(is_pattern(p, 4096, 2) || !(plan->access & DOCA_ACCESS_DPU_READ_WRITE));
    ck_assert(is_pattern(p + SIZE - 4096, 4096, 3) || !(plan->access & DOCA_ACCESS_DPU_READ_WRITE));
    child_tell(self, "seen");
    child_wait(self, "stop");
    ck_assert_success(doca_mmap_stop(e.mmap));
    child_tell(self, "stopped");
    child_wait(self, "end");
    exporter_stop(&e);
    free(block);
    return 0;
}

// ---- who hands it on, on the DPU ---------------------------------------------------------------

static struct blob delegate(struct doca_mmap *map, struct doca_dev *dev)
{
    const void *desc, *again;
    struct blob blob;
    ck_assert_success(doca_mmap_export_rdma(map, dev, &desc, &blob.length));
    ck_assert_uint_le(blob.length, sizeof(blob.bytes));
    memcpy(blob.bytes, desc, blob.length);
    ck_assert_success(doca_mmap_export_rdma(map, dev, &again, &blob.length));
    ck_assert_ptr_eq(again, desc);
    ck_assert_error(doca_mmap_export_dpu(map, dev, &desc, &blob.length), DOCA_ERROR_NOT_PERMITTED);
    return blob;
}

static int hands_on(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct doca_mmap *map;
    struct blob owned;
    struct peer p;

    owned.length = child_receive(self, owned.bytes, sizeof(owned.bytes));
    peer_open(&p, &plan->ours);
    ck_assert_success(doca_mmap_create_from_export(NULL, owned.bytes, owned.length, p.dev, &map));
    peer_meet(&p, self);
    struct blob blob = delegate(map, p.dev);
    child_send(self, &blob, sizeof(blob));
    child_wait(self, "let go");
    ck_assert_success(doca_mmap_destroy(map));
    child_tell(self, "gone");
    child_wait(self, "again");
    peer_restart(&p);
    peer_meet(&p, self);
    peer_close(&p);
    return 0;
}

// ---- who uses it
// ---------------------------------------------------------------------------------

static void use(struct peer *p, bool write)
{
    uint64_t before;
    ck_assert_uint_eq(p->length, SIZE);
    ck_assert_success(peer_read(p, 0, 0, SIZE));
    ck_assert(is_pattern(p->memory, SIZE, 1));
    pattern(p->memory, 4096, 2);
    pattern(p->memory + 4096, 4096, 3);
    if (!write) {
        ck_assert_error(peer_write(p, 0, 0, 4096), DOCA_ERROR_NOT_PERMITTED);
        return; // that was the end of the connection
    }
    ck_assert_success(peer_write(p, 0, 0, 4096));
    ck_assert_success(peer_write(p, SIZE - 4096, 4096, 4096));
    ck_assert_success(peer_add(p, 8192, 5, &before));
    ck_assert_success(peer_read(p, 0, 8192, 8));
    ck_assert(memcmp(p->memory, &(uint64_t){before + 5}, 8) == 0);
}

// Its end may take a moment to get here.
static doca_error_t read_until_error(struct peer *p, size_t from)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = peer_read(p, 0, from, 8)) == DOCA_SUCCESS)
        ck_assert(deadline_pause(deadline));
    return r;
}

static int uses(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct blob handed_on;
    struct doca_mmap *none;
    struct peer p;

    peer_open(&p, &plan->ours);
    peer_meet(&p, self);
    child_receive(self, &handed_on, sizeof(handed_on));
    peer_import(&p, &handed_on);
    use(&p, plan->access & DOCA_ACCESS_DPU_READ_WRITE);
    child_tell(self, "used");
    child_wait(self, "ended");
    if (plan->error)
        ck_assert_error(read_until_error(&p, 4096), plan->error);
    if (!plan->alone) {
        child_tell(self, "again");
        peer_restart(&p);
        peer_meet(&p, self);
        peer_import(&p, &(struct blob){0});
    }
    ck_assert_error(
        doca_mmap_create_from_export(NULL, handed_on.bytes, handed_on.length, p.dev, &none),
        DOCA_ERROR_NOT_PERMITTED);
    peer_close(&p);
    return 0;
}

// ---- together
// ------------------------------------------------------------------------------------

enum { MAP_STOPS, IMPORT_ENDS, DPU_DIES, ORIGIN_REVOKED, REVOKED, ENDS };

struct three {
    struct node_pair nodes;
    bool third_on_host;
    struct plan of_dpu, of_third;
    struct child *owner, *dpu, *third;
    struct blob owned, handed_on;
};

static void check_list(const struct daemon *host)
{
    static struct command_result result;
    const char *argv[] = {DOCAD_BIN_DIR "/docactl", "exports", "--json", NULL};
    command_run(host, argv, &result);
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strstr(result.out, "\"handed_on_by\":\"dpu:"), "%s", result.out);
}

static void start(struct three *t, struct node_pair nodes, bool third_on_host, uint32_t access,
                  int way)
{
    *t = (struct three){.nodes = nodes, .third_on_host = third_on_host};
    t->of_dpu = (struct plan){.access = access, .ours = {.pci = DPU_P0}};
    t->of_third = (struct plan){.access = access,
                                .alone = way == DPU_DIES,
                                .error = way >= ORIGIN_REVOKED ? DOCA_ERROR_NOT_PERMITTED
                                                               : DOCA_ERROR_CONNECTION_RESET,
                                .ours = {.pci = third_on_host ? HOST_PF1 : DPU_P1}};
    if (!(access & DOCA_ACCESS_DPU_READ_WRITE))
        t->of_third.error = DOCA_SUCCESS; // its connection has ended before
    t->owner = child_start(nodes.host, "owner", owns, &t->of_dpu);
    t->owned.length = child_receive(t->owner, t->owned.bytes, sizeof(t->owned.bytes));
    t->dpu = child_start(nodes.dpu, "dpu", hands_on, &t->of_dpu);
    child_send(t->dpu, t->owned.bytes, t->owned.length);
    t->third = child_start(third_on_host ? nodes.host : nodes.dpu, "third", uses, &t->of_third);
    peers_join(t->dpu, t->third);
    child_receive(t->dpu, &t->handed_on, sizeof(t->handed_on));
    child_send(t->third, &t->handed_on, sizeof(t->handed_on));
    child_wait(t->third, "used");
    child_tell(t->owner, "written");
    child_wait(t->owner, "seen");
    check_list(nodes.host);
}

static void take_back(const struct three *t, const struct blob *blob)
{
    struct export_desc desc;
    ck_assert_success(export_desc_decode(blob->bytes, blob->length, &desc, NULL));
    raw_revoke(t->nodes.host->socket.s, desc.export_id);
}

static void wait_exports(const struct daemon *daemon, unsigned n)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct daemon_counts counts;
    for (daemon_counts(daemon, &counts); counts.exports != n; daemon_counts(daemon, &counts))
        ck_assert_msg(deadline_pause(deadline), "%u exports, not %u", counts.exports, n);
}

static void end(struct three *t, int way)
{
    if (way == MAP_STOPS) {
        child_tell(t->owner, "stop");
        child_wait(t->owner, "stopped");
    } else if (way == IMPORT_ENDS) {
        child_tell(t->dpu, "let go");
        child_wait(t->dpu, "gone");
    } else if (way == DPU_DIES) {
        child_kill(t->dpu);
    } else {
        take_back(t, way == REVOKED ? &t->handed_on : &t->owned);
    }
    // Besides, a third process on the host exports memory of its own.
    wait_exports(t->nodes.host, t->third_on_host + (way != MAP_STOPS && way != ORIGIN_REVOKED));
}

static void finish(struct three *t, int way)
{
    child_tell(t->third, "ended");
    if (way != DPU_DIES) {
        if (way != IMPORT_ENDS) {
            child_tell(t->dpu, "let go");
            child_wait(t->dpu, "gone");
        }
        child_wait(t->third, "again");
        child_tell(t->dpu, "again");
        peers_join(t->dpu, t->third);
        child_join(t->third);
        child_join(t->dpu);
    } else {
        child_join(t->third);
    }
    if (way != MAP_STOPS) {
        child_tell(t->owner, "stop");
        child_wait(t->owner, "stopped");
    }
    child_tell(t->owner, "end");
    child_join(t->owner);
    assert_baseline(t->nodes.host);
    assert_baseline(t->nodes.dpu);
}

START_TEST(a_third_process_uses_it_until_it_ends)
{
    struct three t;
    env_note_test();
    start(&t, node_pair_start(), _i / ENDS, DOCA_ACCESS_DPU_READ_WRITE, _i % ENDS);
    end(&t, _i % ENDS);
    finish(&t, _i % ENDS);
}
END_TEST

// Nothing is mapped across such a link: all bytes go through docad's engine.
START_TEST(over_a_link_without_descriptors)
{
    struct three t;
    env_note_test();
    start(&t, node_pair_start_apart(""), false, DOCA_ACCESS_DPU_READ_WRITE, REVOKED);
    end(&t, REVOKED);
    finish(&t, REVOKED);
}
END_TEST

START_TEST(what_may_only_be_read)
{
    struct three t;
    env_note_test();
    start(&t, node_pair_start(), _i, DOCA_ACCESS_DPU_READ_ONLY, MAP_STOPS);
    end(&t, MAP_STOPS);
    finish(&t, MAP_STOPS);
}
END_TEST

// ---- docad after docad ----------------------------------------------------------------------

static int goes_on(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct blob handed_on;
    struct doca_mmap *again;
    struct peer p;

    peer_open(&p, &plan->ours);
    peer_meet(&p, self);
    child_receive(self, &handed_on, sizeof(handed_on));
    peer_import(&p, &handed_on);
    while (!restarted->stop) {
        ck_assert_success(peer_read(&p, 0, 0, SIZE)); // mapped and brokered bytes
        ck_assert(is_pattern(p.memory, SIZE, 1));
        ck_assert_success(
            doca_mmap_create_from_export(NULL, handed_on.bytes, handed_on.length, p.dev, &again));
        ck_assert_success(doca_mmap_destroy(again));
        restarted->jobs[0]++;
    }
    peer_import(&p, &(struct blob){0});
    child_tell(self, "done");
    child_wait(self, "end");
    peer_close(&p);
    return 0;
}

START_TEST(it_goes_on_after_restarts)
{
    struct plan of_dpu = {.access = DOCA_ACCESS_DPU_READ_ONLY, .ours = {.pci = DPU_P0}};
    struct plan of_third = {.ours = {.pci = _i ? HOST_PF1 : DPU_P1}};
    struct blob owned, handed_on;

    restarted_start(false);
    struct node_pair nodes = restarted_nodes;
    struct child *owner = child_start(nodes.host, "owner", owns, &of_dpu);
    owned.length = child_receive(owner, owned.bytes, sizeof(owned.bytes));
    struct child *dpu = child_start(nodes.dpu, "dpu", hands_on, &of_dpu);
    child_send(dpu, owned.bytes, owned.length);
    struct child *third = child_start(_i ? nodes.host : nodes.dpu, "third", goes_on, &of_third);
    peers_join(dpu, third);
    child_receive(dpu, &handed_on, sizeof(handed_on));
    child_send(third, &handed_on, sizeof(handed_on));
    setenv("DOCAD_TEST_RESTARTS", "8", 0);
    restart_often(1);
    child_wait(third, "done");
    // What ends it still does.
    wait_exports(nodes.host, 2 + (unsigned)_i);
    child_tell(dpu, "let go");
    child_wait(dpu, "gone");
    wait_exports(nodes.host, 1 + (unsigned)_i);
    child_tell(third, "end");
    child_join(third);
    child_kill(dpu);
    child_tell(owner, "written");
    child_wait(owner, "seen");
    child_tell(owner, "stop");
    child_wait(owner, "stopped");
    child_tell(owner, "end");
    child_join(owner);
    restarted_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("delegation");
    ADD(suite, a_third_process_uses_it_until_it_ends, 2 * ENDS);
    ADD(suite, over_a_link_without_descriptors, 1);
    ADD(suite, what_may_only_be_read, 2);
    ADD(suite, it_goes_on_after_restarts, 2);
    return run_suite(suite);
}
