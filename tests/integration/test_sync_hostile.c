// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events of which one holder does not use the library, and writes what it likes into the
// page, and sets the timer as it likes: counters may be wrong and wake-ups lost, but every call
// returns, and docad continues. Also tests what such a holder can do over a link that carries no
// descriptors.

#include "cleanup.h"
#include "nodes.h"
#include "events.h"
#include "hanging.h"
#include "protocol.h"
#include "run.h"
#include "sync_page.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>

// The parts that an importer is given.
struct part {
    struct raw_session session;
    struct sync_page *page;
    int timer, lifeline;
};

static void part_take(struct part *p, const struct descriptor *d)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    p->session = session_start(nodes.dpu);
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.function_id = open_function(p->session.sock, "p0");
    m.sync_event = true;
    ck_assert_int_eq(call(p->session.sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m), DOCA_SUCCESS);
    cleanup_fd int page = fd_list_take(&answer_fds, 0);
    p->timer = fd_list_take(&answer_fds, 1);
    p->lifeline = fd_list_take(&answer_fds, 2);
    p->page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    ck_assert_ptr_ne(p->page, MAP_FAILED);
}

static void part_drop(struct part *p)
{
    munmap(p->page, SYNC_PAGE_SIZE);
    close_fdp(&p->timer);
    close_fdp(&p->lifeline);
    session_end(&p->session);
}

// ---- what it does -----------------------------------------------------------------------

static void writes_all_over_the_page(struct part *p)
{
    for (int i = 0; i < 256; i++)
        memset((void *)p->page, i % 2 ? 0xff : i, SYNC_PAGE_SIZE);
}

static void sets_the_timer(struct part *p, struct itimerspec when, int flags)
{
    atomic_store(&p->page->sleeping, 1);
    ck_assert_int_eq(timerfd_settime(p->timer, flags, &when, NULL), 0);
}

static void wakes_all_the_time(struct part *p)
{
    sets_the_timer(p, (struct itimerspec){{0, 1}, {0, 1}}, 0);
}

static void wakes_in_years(struct part *p)
{
    sets_the_timer(p, (struct itimerspec){{0, 0}, {INT32_MAX, 0}}, TFD_TIMER_ABSTIME);
}

static void lets_it_wait(struct part *p)
{
    fcntl(p->timer, F_SETFL, 0); // the flags are everybody's
    atomic_store(&p->page->sleeping, 0xffffffff);
}

static void (*const deeds[])(struct part *) = {writes_all_over_the_page, wakes_all_the_time,
                                               wakes_in_years, lets_it_wait};

// ---- an owner among them ----------------------------------------------------------------

static int owns(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct doca_event event;
    struct owner o;
    owner_open(&o, plan, self);
    if (plan->asynchronous)
        job_submit_wait(&o.jobs, 10, UINT64_MAX);
    child_wait(self, "go");
    if (plan->asynchronous) {
        // Arming, looking and changing return, whatever state the page is in.
        doca_workq_event_handle_arm(o.jobs.workq);
        doca_workq_event_handle_clear(o.jobs.workq, o.jobs.handle);
        doca_error_t r = doca_workq_progress_retrieve(o.jobs.workq, &event, 0);
        struct doca_sync_event_job_update_set set = {
            .base = job_base(&o.jobs, DOCA_SYNC_EVENT_JOB_UPDATE_SET), .value = 11};
        ck_assert_success(doca_workq_submit(o.jobs.workq, &set.base));
        for (int left = r == DOCA_SUCCESS ? 1 : 2; left > 0; left--)
            while (doca_workq_progress_retrieve(o.jobs.workq, &event, 0) == DOCA_ERROR_AGAIN)
                ;
    } else {
        owner_set(&o, plan, 11);
        owner_await_gt(&o, plan, 10);
        ck_assert_uint_eq(owner_add(&o, plan, 1), 11);
    }
    ck_assert_uint_ge(owner_get(&o, plan), 11);
    owner_close(&o, plan);
    return 0;
}

START_TEST(hostile_importers)
{
    struct plan plan = event_plans[_i % 2 ? 2 : 0];
    struct child *owner = child_start(nodes.host, "owner", owns, &plan);
    struct descriptor d;
    struct part part;
    d.size = child_receive(owner, d.bytes, sizeof(d.bytes));
    part_take(&part, &d);
    deeds[_i / 2](&part);
    child_tell(owner, "go");
    child_join(owner);
    part_drop(&part);
    daemon_assert_alive(nodes.host);
    daemon_assert_alive(nodes.dpu);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- an owner who watches the timer ------------------------------------------------------------

static struct descriptor export_event(const struct raw_session *owner, int timer)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    struct descriptor d;
    m.function_id = open_function(owner->sock, "pf0");
    m.region_id =
        register_mapped(owner->sock, SYNC_PAGE_SIZE, DOCA_ACCESS_DPU_READ_WRITE, m.function_id);
    m.target = DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    ck_assert_int_eq(call_with_fds(owner->sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m, &timer, 1),
                     DOCA_SUCCESS);
    d.size = answer->export_create_reply->descriptor.len;
    memcpy(d.bytes, answer->export_create_reply->descriptor.data, d.size);
    return d;
}

// Writes what makes it a page of a sync event.
static void describe_page(const struct descriptor *d)
{
    struct part part;
    part_take(&part, d);
    part.page->magic = SYNC_PAGE_MAGIC;
    part.page->version = SYNC_PAGE_VERSION;
    part_drop(&part);
}

static int lets_go(struct child *self, void *arg)
{
    struct descriptor d;
    struct doca_sync_event *event;
    (void)arg;
    d.size = child_receive(self, d.bytes, sizeof(d.bytes));
    struct doca_dev *dev = client_open(DPU_P0);
    ck_assert_success(doca_sync_event_create_from_export(dev, d.bytes, d.size, &event));
    child_tell(self, "imported");
    child_wait(self, "go");
    ck_assert_success(doca_sync_event_destroy(event)); // closes it as the last one
    ck_assert_success(doca_dev_close(dev));
    child_tell(self, "gone");
    child_wait(self, "end");
    return 0;
}

START_TEST(an_owner_who_watches_the_timer)
{
    struct hanging watched;
    const char *why;
    // First, so that it inherits nothing of what follows.
    struct child *importer = child_start(nodes.dpu, "importer", lets_go, NULL);
    if (!hanging_open(&watched, HANGING_TIMERFD, &why)) {
        printf("sync_hostile: %s\n", why);
        child_kill(importer);
        return;
    }
    struct raw_session owner = session_start(nodes.host);
    struct descriptor d = export_event(&owner, watched.fd);
    describe_page(&d);
    child_send(importer, d.bytes, d.size);
    child_wait(importer, "imported");
    session_end(&owner);
    assert_baseline(nodes.host);
    hanging_leave(&watched);
    child_tell(importer, "go");
    child_wait(importer, "gone");
    hanging_end(&watched);
    child_tell(importer, "end");
    child_join(importer);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- a link without descriptors -------------------------------------------------------------

// A process that imports over such a link gets the whole counter and no other byte of the page.
static void try_all(const struct descriptor *d)
{
    struct raw_session s = session_start(nodes.dpu);
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    uint8_t node[NODE_ID_SIZE];
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.function_id = open_function(s.sock, "p0");
    m.sync_event = true;
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m), DOCA_SUCCESS);
    const Docad__ImportCreateReply *r = answer->import_create_reply;
    ck_assert_uint_eq(answer_fds.count, 1); // the lifeline
    ck_assert(!r->has_memfd);
    ck_assert_uint_eq(r->length, SYNC_VALUE_SIZE);
    uint64_t at = r->address;
    uint32_t key = r->grant_key;
    memcpy(node, r->owner_node.data, NODE_ID_SIZE);
    cleanup_fd int lifeline = fd_list_take(&answer_fds, 0);
    ck_assert_int_ge(lifeline, 0);

    struct qp_client qp = raw_queue_pair(&s, node);
    for (enum qp_opcode op = QP_READ; op <= QP_CMP_SWP; op++) {
        doca_error_t fine = op == QP_WRITE ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS;
        ck_assert_uint_eq(raw_move(&qp, op, at, 8, key), fine);
        ck_assert_uint_eq(raw_move(&qp, op, at - 8, 8, key), DOCA_ERROR_NOT_PERMITTED);
        ck_assert_uint_eq(raw_move(&qp, op, at + 8, 8, key), DOCA_ERROR_NOT_PERMITTED);
        ck_assert_uint_ne(raw_move(&qp, op, at + 4, 4, key), DOCA_SUCCESS);
    }
    qp_client_fini(&qp);
    session_end(&s);
}

START_TEST(only_the_counter_goes_without_descriptors)
{
    struct plan plan = event_plans[_i ? 3 : 0];
    struct child *owner = child_start(nodes.host, "owner", owns, &plan);
    struct descriptor d;
    d.size = child_receive(owner, d.bytes, sizeof(d.bytes));
    try_all(&d);
    child_tell(owner, "go");
    child_join(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync_hostile");
    TCase *direct = tcase_create("direct"), *apart = tcase_create("apart");
    tcase_add_checked_fixture(direct, setup_pair, env_teardown);
    tcase_add_loop_test(direct, hostile_importers, 0, 2 * (int)ARRAY_SIZE(deeds));
    tcase_add_test(direct, an_owner_who_watches_the_timer);
    suite_add_tcase(suite, direct);
    tcase_add_checked_fixture(apart, setup_apart, env_teardown);
    tcase_add_loop_test(apart, only_the_counter_goes_without_descriptors, 0, 2);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}
