// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Processes that end in the midst of things: clients at every stage, either daemon. The
// other side gets an error, never a hang, and nothing is left of what has gone.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "nodes.h"
#include "request.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAPPED_SIZE (512u * 1024)

// Memory that the importer maps, and memory that the host's docad reads for it.
static const struct {
    const char *name;
    bool mapped;
    size_t size;
} kinds[] = {{"mapped", true, MAPPED_SIZE}, {"brokered", false, BROKERED_SIZE}};

enum { KINDS = ARRAY_SIZE(kinds) };

static uint8_t *kind_memory(int kind)
{
    return kinds[kind].mapped ? pages_new(kinds[kind].size) : brokered_memory;
}

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

// ---- clients that stop at a stage and are killed there --------------------------------------

enum host_stage { HOST_OPEN, HOST_STARTED, HOST_EXPORTED, HOST_PUBLISHED, HOST_STAGES };

struct host_plan {
    int kind;
    enum host_stage stage;
};

static void halt(struct child *self, const char *word)
{
    child_tell(self, word);
    child_wait(self, "never");
}

static int host(struct child *self, void *arg)
{
    const struct host_plan *plan = arg;
    struct handout out;
    const void *desc;
    struct doca_mmap *map;
    struct doca_dev *dev = client_open(HOST_PF0);
    if (plan->stage == HOST_OPEN)
        halt(self, "open");
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_set_memrange(map, kind_memory(plan->kind), kinds[plan->kind].size));
    ck_assert_success(doca_mmap_set_permissions(map, DOCA_ACCESS_DPU_READ_WRITE));
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_start(map));
    if (plan->stage == HOST_STARTED)
        halt(self, "started");
    ck_assert_success(doca_mmap_export_dpu(map, dev, &desc, &out.desc_len));
    memcpy(out.desc, desc, out.desc_len);
    if (plan->stage == HOST_PUBLISHED) {
        ck_assert_success(docad_export_publish("trouble", desc, out.desc_len));
        halt(self, "published");
    }
    child_send(self, &out, sizeof(out));
    child_wait(self, "destroy");
    ck_assert_success(doca_mmap_destroy(map));
    child_tell(self, "destroyed");
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

static struct child *host_start(const struct daemon *daemon, int kind, struct handout *out)
{
    struct host_plan plan = {.kind = kind, .stage = HOST_EXPORTED};
    struct child *child = child_start(daemon, "host", host, &plan);
    ck_assert_uint_eq(child_receive(child, out, sizeof(*out)), sizeof(*out));
    return child;
}

static void assert_all_gone(void)
{
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

START_TEST(host_killed_at_each_stage)
{
    static const char *const words[HOST_STAGES] = {"open", "started", NULL, "published"};
    struct host_plan plan = {.kind = _i / HOST_STAGES, .stage = _i % HOST_STAGES};
    struct handout out;
    struct child *child = child_start(nodes.host, "host", host, &plan);
    if (words[plan.stage])
        child_wait(child, words[plan.stage]);
    else
        child_receive(child, &out, sizeof(out));
    child_kill(child);
    assert_all_gone();
}
END_TEST

enum dpu_stage { DPU_STARTED, DPU_IMPORTED, DPU_COPIED, DPU_COPYING, DPU_STAGES };

struct dpu_plan {
    enum dpu_stage stage;
    const char *card; // NULL: none
    struct handout given;
};

static int dpu(struct child *self, void *arg)
{
    const struct dpu_plan *plan = arg;
    struct copier c;
    if (plan->card)
        ck_assert_int_eq(setenv("DOCAD_CARD", plan->card, 1), 0);
    copier_start(&c, DPU_P0, MAPPED_SIZE);
    if (plan->stage == DPU_STARTED)
        halt(self, "started");
    copier_import(&c, plan->given.desc, plan->given.desc_len);
    if (plan->stage == DPU_IMPORTED)
        halt(self, "imported");
    ck_assert_success(copier_write(&c, 0, c.length));
    if (plan->stage == DPU_COPIED)
        halt(self, "copied");
    child_tell(self, "copying");
    doca_error_t error = copier_read_until_error(&c);
    child_send(self, &error, sizeof(error));
    child_wait(self, "end");
    copier_stop(&c);
    return 0;
}

static struct child *dpu_start(const struct daemon *daemon, const struct handout *given)
{
    struct dpu_plan plan = {.stage = DPU_COPYING, .given = *given};
    struct child *child = child_start(daemon, "dpu", dpu, &plan);
    child_wait(child, "copying");
    return child;
}

// The error of the copies.
static doca_error_t dpu_error(struct child *child)
{
    doca_error_t error;
    ck_assert_uint_eq(child_receive(child, &error, sizeof(error)), sizeof(error));
    return error;
}

static void dpu_end(struct child *child)
{
    child_tell(child, "end");
    child_join(child);
}

static void host_end(struct child *child)
{
    child_tell(child, "destroy");
    child_wait(child, "destroyed");
    child_join(child);
}

START_TEST(dpu_killed_at_each_stage)
{
    static const char *const words[DPU_STAGES] = {"started", "imported", "copied", "copying"};
    struct dpu_plan plan = {.stage = _i % DPU_STAGES};
    struct daemon_counts counts;
    struct child *exporter = host_start(nodes.host, _i / DPU_STAGES, &plan.given);
    struct child *child = child_start(nodes.dpu, "dpu", dpu, &plan);
    child_wait(child, words[plan.stage]);
    child_kill(child);
    assert_baseline(nodes.dpu);
    daemon_counts(nodes.host, &counts);
    ck_assert_uint_eq(counts.exports, 1);
    // The exporter is not affected: another process imports.
    child = dpu_start(nodes.dpu, &plan.given);
    host_end(exporter);
    ck_assert_error(dpu_error(child), DOCA_ERROR_CONNECTION_RESET);
    dpu_end(child);
    assert_all_gone();
}
END_TEST

// ---- in the middle of copies ----------------------------------------------------------------

// The queue pair on the owner's side is the importer's, and stays with it.
static void assert_owner_gone(void)
{
    struct daemon_counts counts;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do
        daemon_counts(nodes.host, &counts);
    while ((counts.sessions || counts.regions || counts.exports) && deadline_pause(deadline));
    ck_assert_uint_eq(counts.sessions, 0);
    ck_assert_uint_eq(counts.regions, 0);
    ck_assert_uint_eq(counts.exports, 0);
}

START_TEST(host_killed_during_copies)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    child_kill(exporter);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_CONNECTION_RESET);
    assert_owner_gone(); // although the importer still holds its dead map
    dpu_end(importer);
    assert_all_gone();
}
END_TEST

// The engine of a card does not distinguish it from other memory that it cannot access.
START_TEST(host_killed_during_copies_of_a_card)
{
    struct dpu_plan plan = {.stage = DPU_COPYING, .card = "bluefield-2/2.2"};
    struct child *exporter = host_start(nodes.host, _i, &plan.given);
    struct child *importer = child_start(nodes.dpu, "dpu", dpu, &plan);
    child_wait(importer, "copying");
    child_kill(exporter);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_IO_FAILED);
    dpu_end(importer);
    assert_all_gone();
}
END_TEST

START_TEST(both_killed_during_copies)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    child_kill(importer);
    child_kill(exporter);
    assert_all_gone();
}
END_TEST

START_TEST(map_destroyed_during_copies)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    host_end(exporter);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_CONNECTION_RESET);
    dpu_end(importer);
    assert_all_gone();
}
END_TEST

START_TEST(revoked_during_copies)
{
    struct handout out;
    struct export_desc desc;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    ck_assert_success(export_desc_decode(out.desc, out.desc_len, &desc, NULL));
    raw_revoke(nodes.host->socket.s, desc.export_id);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_NOT_PERMITTED);
    dpu_end(importer);
    host_end(exporter);
    assert_all_gone();
}
END_TEST

// ---- daemons that die ---------------------------------------------------------------------------

// A new pair of clients works.
static void assert_copies_work(int kind)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, kind, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    host_end(exporter);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_CONNECTION_RESET);
    dpu_end(importer);
    assert_all_gone();
}

START_TEST(host_daemon_killed_during_copies)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    daemon_kill(nodes.host);
    ck_assert_error(dpu_error(importer), DOCA_ERROR_NOT_CONNECTED);
    daemon_wait_links(nodes.dpu, 0);
    dpu_end(importer);
    host_end(exporter); // its map can be destroyed without a daemon
    assert_baseline(nodes.dpu);
    daemon_restart(nodes.host);
    daemon_wait_links(nodes.dpu, 1);
    assert_copies_work(_i);
}
END_TEST

START_TEST(host_daemon_stopped_during_copies)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = dpu_start(nodes.dpu, &out);
    daemon_stop(nodes.host);
    doca_error_t error = dpu_error(importer);
    ck_assert(error == DOCA_ERROR_NOT_CONNECTED || error == DOCA_ERROR_CONNECTION_RESET);
    dpu_end(importer);
    host_end(exporter);
    assert_baseline(nodes.dpu);
}
END_TEST

// The importer's own daemon. Its client must not hang, and can end cleanly.
static int copies_without_daemon(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct copier c;
    struct doca_mmap *map = NULL;
    struct doca_devinfo **list = NULL;
    uint32_t n;
    copier_start(&c, DPU_P0, MAPPED_SIZE);
    copier_import(&c, given->desc, given->desc_len);
    ck_assert_success(copier_read(&c, 0, c.length));
    child_tell(self, "ready");
    child_wait(self, "killed");
    doca_error_t error = copier_read(&c, 0, c.length);
    ck_assert_msg(error == DOCA_SUCCESS || error == DOCA_ERROR_NOT_CONNECTED, "%s",
                  doca_get_error_name(error));
    ck_assert_error(doca_mmap_create_from_export(NULL, given->desc, given->desc_len, c.dev, &map),
                    DOCA_ERROR_DRIVER);
    ck_assert_error(doca_devinfo_list_create(&list, &n), DOCA_ERROR_NOT_FOUND);
    copier_stop(&c);
    return 0;
}

START_TEST(dpu_daemon_killed)
{
    struct handout out;
    struct child *exporter = host_start(nodes.host, _i, &out);
    struct child *importer = child_start(nodes.dpu, "dpu", copies_without_daemon, &out);
    child_wait(importer, "ready");
    daemon_kill(nodes.dpu);
    child_tell(importer, "killed");
    child_join(importer);
    daemon_wait_links(nodes.host, 0);
    daemon_restart(nodes.dpu);
    daemon_wait_links(nodes.host, 1);
    host_end(exporter);
    assert_copies_work(_i);
}
END_TEST

// ---- those that are silent ------------------------------------------------------------------

static int lists_devices(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    ck_assert_success(doca_dev_close(client_open(DPU_P0)));
    return 0;
}

START_TEST(frozen_peer_costs_only_itself)
{
    daemon_freeze(nodes.host);
    child_join(child_start(nodes.dpu, "dpu", lists_devices, NULL));
    assert_baseline(nodes.dpu);
    daemon_thaw(nodes.host);
    assert_copies_work(0);
}
END_TEST

// A client that asks and never reads the answers.
START_TEST(silent_client_costs_only_itself)
{
    int sock = raw_hello(nodes.dpu->socket.s);
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.serial = 1;
    request.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST;
    request.function_list = &list;
    for (int i = 0; i < 100000; i++)
        if (message_send(sock, &request, NULL, 0, MSG_DONTWAIT) < 0)
            break;
    child_join(child_start(nodes.dpu, "dpu", lists_devices, NULL));
    close(sock);
    assert_copies_work(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trouble");
    TCase *tcase = tcase_create("clients");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, host_killed_at_each_stage, 0, KINDS * HOST_STAGES);
    tcase_add_loop_test(tcase, dpu_killed_at_each_stage, 0, KINDS * DPU_STAGES);
    tcase_add_loop_test(tcase, host_killed_during_copies, 0, KINDS);
    tcase_add_loop_test(tcase, host_killed_during_copies_of_a_card, 0, KINDS);
    tcase_add_loop_test(tcase, both_killed_during_copies, 0, KINDS);
    tcase_add_loop_test(tcase, map_destroyed_during_copies, 0, KINDS);
    tcase_add_loop_test(tcase, revoked_during_copies, 0, KINDS);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("daemons");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, host_daemon_killed_during_copies, 0, KINDS);
    tcase_add_loop_test(tcase, host_daemon_stopped_during_copies, 0, KINDS);
    tcase_add_loop_test(tcase, dpu_daemon_killed, 0, KINDS);
    tcase_add_test(tcase, frozen_peer_costs_only_itself);
    tcase_add_test(tcase, silent_client_costs_only_itself);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
