// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events of DOCA 3: tasks, waits that sleep, and both sides of PCI, also with a program of
// the 2.2 interface at the other end.

#include "child.h"
#include "deadline.h"
#include "env.h"
#include "event_2_2.h"
#include "nodes.h"
#include "run.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include <poll.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define ALL                 UINT64_MAX

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"

static struct doca_dev *open_by(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;
    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
        if (equal)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

// ---- an event with its engine --------------------------------------------------------------

struct player {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_sync_event *event;
    struct doca_ctx *ctx;
    unsigned done, failed;
    doca_error_t last;
};

#define COUNTS(type, name, counter)                                                                \
    static void name(type *task, union doca_data task_data, union doca_data ctx_data)              \
    {                                                                                              \
        struct player *p = ctx_data.ptr;                                                           \
        (void)task_data;                                                                           \
        p->last = doca_task_get_status((struct doca_task *)task);                                  \
        p->counter++;                                                                              \
    }
#define BOTH(type, name)                                                                           \
    COUNTS(struct type, name##_done, done) COUNTS(struct type, name##_failed, failed)

BOTH(doca_sync_event_task_get, get)
BOTH(doca_sync_event_task_notify_set, set)
BOTH(doca_sync_event_task_notify_add, add)
BOTH(doca_sync_event_task_wait_gt, gt)
BOTH(doca_sync_event_task_wait_eq, eq)
BOTH(doca_sync_event_task_wait_neq, neq)

static void begin(struct player *p)
{
    OK(doca_pe_create(&p->pe));
    p->ctx = doca_sync_event_as_ctx(p->event);
    OK(doca_pe_connect_ctx(p->pe, p->ctx));
    OK(doca_ctx_set_user_data(p->ctx, (union doca_data){.ptr = p}));
    OK(doca_sync_event_task_get_set_conf(p->event, get_done, get_failed, 1));
    OK(doca_sync_event_task_notify_set_set_conf(p->event, set_done, set_failed, 1));
    OK(doca_sync_event_task_notify_add_set_conf(p->event, add_done, add_failed, 1));
    OK(doca_sync_event_task_wait_gt_set_conf(p->event, gt_done, gt_failed, 1));
    OK(doca_sync_event_task_wait_eq_set_conf(p->event, eq_done, eq_failed, 2));
    OK(doca_sync_event_task_wait_neq_set_conf(p->event, neq_done, neq_failed, 1));
    OK(doca_ctx_start(p->ctx));
}

static void end(struct player *p)
{
    OK(doca_ctx_stop(p->ctx));
    OK(doca_sync_event_destroy(p->event));
    OK(doca_pe_destroy(p->pe));
    OK(doca_dev_close(p->dev));
}

static struct player local_player(void)
{
    struct player p = {.dev = open_by(HOST_PF0)};
    OK(doca_sync_event_create(&p.event));
    OK(doca_sync_event_add_publisher_location_cpu(p.event, p.dev));
    OK(doca_sync_event_add_subscriber_location_cpu(p.event, p.dev));
    return p;
}

static void progress_until(struct player *p, unsigned done)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (p->done + p->failed < done) {
        ck_assert_msg(now_ms() < deadline, "a task hangs");
        doca_pe_progress(p->pe);
    }
}

// Sleeps until something happens, as programs do.
static void sleep_until(struct player *p, unsigned done)
{
    doca_notification_handle_t handle;
    OK(doca_pe_get_notification_handle(p->pe, &handle));
    for (;;) {
        while (doca_pe_progress(p->pe))
            ;
        if (p->done + p->failed >= done)
            return;
        OK(doca_pe_request_notification(p->pe));
        struct pollfd sleeper = {.fd = handle, .events = POLLIN};
        ck_assert_msg(poll(&sleeper, 1, HARNESS_LIMIT_MS) == 1, "nobody wakes the sleeper");
        OK(doca_pe_clear_notification(p->pe, 0));
    }
}

// ---- alone -----------------------------------------------------------------------------------

static int uses_tasks(struct child *self, void *arg)
{
    struct player p = local_player();
    union doca_data none = {0};
    uint64_t got = 77, before = 77;
    struct doca_sync_event_task_get *get;
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_notify_add *add;
    struct doca_sync_event_task_wait_eq *eq, *second;
    struct doca_sync_event_task_wait_neq *neq;

    (void)self, (void)arg;
    begin(&p);
    REFUSED(DOCA_ERROR_NOT_PERMITTED,
            doca_sync_event_task_get_set_conf(p.event, get_done, get_failed, 1));
    OK(doca_sync_event_task_notify_set_alloc_init(p.event, 5, none, &set));
    OK(doca_sync_event_task_notify_add_alloc_init(p.event, 3, &before, none, &add));
    OK(doca_sync_event_task_get_alloc_init(p.event, &got, none, &get));
    OK(doca_sync_event_task_wait_eq_alloc_init(p.event, 8, 0xff, none, &eq));
    OK(doca_sync_event_task_wait_eq_alloc_init(p.event, 0x100, 0xff00, none, &second));
    OK(doca_sync_event_task_wait_neq_alloc_init(p.event, 5, ALL, none, &neq));
    struct doca_sync_event_task_get *more = NULL;
    REFUSED(DOCA_ERROR_NO_MEMORY, doca_sync_event_task_get_alloc_init(p.event, &got, none, &more));

    OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
    OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
    progress_until(&p, 1); // only the set: 5 is not 8
    while (doca_pe_progress(p.pe))
        ;
    ck_assert_uint_eq(p.done, 1);
    OK(doca_task_submit(doca_sync_event_task_wait_neq_as_doca_task(neq)));
    while (doca_pe_progress(p.pe))
        ;
    ck_assert_uint_eq(p.done, 1);
    OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
    progress_until(&p, 4); // the sum is 8, which both waits like
    ck_assert_uint_eq(before, 5);
    OK(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
    progress_until(&p, 5);
    ck_assert_uint_eq(got, 8);

    // A setter takes effect at the next submission. Other bytes than those of the mask do not
    // count.
    doca_sync_event_task_notify_set_set_set_val(set, 0x01ab);
    ck_assert_uint_eq(doca_sync_event_task_notify_set_get_set_val(set), 0x01ab);
    OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(second)));
    OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
    progress_until(&p, 7);
    ck_assert_uint_eq(p.failed, 0);
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
    doca_task_free(doca_sync_event_task_notify_add_as_doca_task(add));
    doca_task_free(doca_sync_event_task_get_as_doca_task(get));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(eq));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(second));
    doca_task_free(doca_sync_event_task_wait_neq_as_doca_task(neq));
    end(&p);
    return 0;
}

START_TEST(tasks)
{
    child_join(child_start(nodes.host, "program", uses_tasks, NULL));
}
END_TEST

// The task that 2.5 and 2.6 have.
static int waits_until_greater(struct child *self, void *arg)
{
    struct player p = local_player();
    union doca_data none = {0};
    struct doca_sync_event_task_wait_gt *gt;
    struct doca_sync_event_task_notify_set *set;

    (void)self, (void)arg;
    begin(&p);
    OK(doca_sync_event_task_wait_gt_alloc_init(p.event, 7, ALL, none, &gt));
    OK(doca_sync_event_task_notify_set_alloc_init(p.event, 7, none, &set));
    OK(doca_task_submit(doca_sync_event_task_wait_gt_as_doca_task(gt)));
    OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
    while (doca_pe_progress(p.pe))
        ;
    ck_assert_uint_eq(p.done, 1); // 7 is not greater
    doca_sync_event_task_notify_set_set_set_val(set, 8);
    OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
    progress_until(&p, 3);
    ck_assert_uint_eq(p.failed, 0);
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
    doca_task_free(doca_sync_event_task_wait_gt_as_doca_task(gt));
    end(&p);
    return 0;
}

START_TEST(a_wait_of_earlier_releases)
{
    child_join(child_start(nodes.host, "program", waits_until_greater, NULL));
}
END_TEST

static int stops_waits(struct child *self, void *arg)
{
    struct player p = local_player();
    union doca_data none = {0};
    struct doca_sync_event_task_wait_eq *eq;
    enum doca_ctx_states state;

    (void)self, (void)arg;
    begin(&p);
    OK(doca_sync_event_task_wait_eq_alloc_init(p.event, 1, ALL, none, &eq));
    for (unsigned round = 1; round <= 2; round++) {
        OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
        while (doca_pe_progress(p.pe))
            ;
        REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(p.ctx));
        progress_until(&p, round);
        ck_assert_uint_eq(p.failed, round);
        ck_assert_int_ne(p.last, DOCA_SUCCESS);
        OK(doca_ctx_get_state(p.ctx, &state));
        ck_assert_int_eq(state, DOCA_CTX_STATE_IDLE);
        OK(doca_ctx_start(p.ctx));
    }
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(eq));
    end(&p);
    return 0;
}

START_TEST(stop_ends_waits)
{
    child_join(child_start(nodes.host, "program", stops_waits, NULL));
}
END_TEST

#define TRY(expected, task) REFUSED(expected, doca_task_try_submit(task))

static int tries_masks(struct child *self, void *arg)
{
    static const struct {
        uint64_t mask;
        bool valid;
    } cases[] = {
        {ALL, true},        {0xff, true},         {0xff00, true},    {0xffff0000, true},
        {0xffffffff, true}, {0xffffffff00, true}, {0, false},        {1, false},
        {0xfff, false},     {0xffffff, false},    {0xff00ff, false}, {0xff00000000000000, true},
    };
    struct player p = local_player();
    union doca_data none = {0};
    struct doca_sync_event_task_wait_neq *neq;
    struct doca_sync_event_task_get *get;
    unsigned done = 0;

    (void)self, (void)arg;
    begin(&p);
    OK(doca_sync_event_task_wait_neq_alloc_init(p.event, ALL, ALL, none, &neq));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        doca_sync_event_task_wait_neq_set_mask(neq, cases[i].mask);
        ck_assert_uint_eq(doca_sync_event_task_wait_neq_get_mask(neq), cases[i].mask);
        TRY(cases[i].valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
            doca_sync_event_task_wait_neq_as_doca_task(neq));
        done += cases[i].valid;
        progress_until(&p, done);
    }
    OK(doca_sync_event_task_get_alloc_init(p.event, NULL, none, &get));
    TRY(DOCA_ERROR_INVALID_VALUE, doca_sync_event_task_get_as_doca_task(get));
    doca_task_free(doca_sync_event_task_wait_neq_as_doca_task(neq));
    doca_task_free(doca_sync_event_task_get_as_doca_task(get));
    end(&p);
    return 0;
}

START_TEST(masks_are_whole_bytes)
{
    child_join(child_start(nodes.host, "program", tries_masks, NULL));
}
END_TEST

static int refuses_null(struct child *self, void *arg)
{
    struct player p = local_player();
    struct doca_sync_event *none = NULL;
    const uint8_t *data;
    size_t size;
    uint64_t value;

    (void)self, (void)arg;
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_create(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_create_from_export(p.dev, NULL, 1, &none));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_destroy(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_stop(NULL));
    ck_assert_ptr_null(doca_sync_event_as_ctx(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(p.event, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_remote_pci(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_remote_pci(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_addr(p.event, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(p.event, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_sync_event_export_to_remote_pci(p.event, NULL, &data, &size));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get(p.event, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get(p.event, &value)); // not started
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_set(NULL, 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_eq(NULL, 1, ALL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_neq_yield(NULL, 1, ALL));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_sync_event_task_wait_eq_set_conf(p.event, NULL, eq_failed, 1));
    ck_assert_ptr_null(doca_sync_event_task_get_as_doca_task(NULL));
    doca_sync_event_task_get_set_ret_val_ptr(NULL, &value);
    ck_assert_ptr_null(doca_sync_event_task_get_get_ret_val_ptr(NULL));
    // One way of starting excludes the other.
    OK(doca_sync_event_start(p.event));
    ck_assert_ptr_null(doca_sync_event_as_ctx(p.event));
    OK(doca_sync_event_update_set(p.event, 4));
    OK(doca_sync_event_wait_eq(p.event, 4, ALL));
    OK(doca_sync_event_wait_neq(p.event, 5, 0xff));
    OK(doca_sync_event_stop(p.event));
    OK(doca_sync_event_destroy(p.event));
    OK(doca_dev_close(p.dev));
    return 0;
}

START_TEST(wrong_arguments_are_refused)
{
    child_join(child_start(nodes.host, "program", refuses_null, NULL));
}
END_TEST

// ---- a counter in a buffer ---------------------------------------------------------------------

static struct doca_mmap *map_words(struct doca_dev *dev, uint64_t *words, size_t size,
                                   uint32_t access)
{
    struct doca_mmap *mmap;
    OK(doca_mmap_create(&mmap));
    OK(doca_mmap_add_dev(mmap, dev));
    OK(doca_mmap_set_memrange(mmap, words, size));
    OK(doca_mmap_set_permissions(mmap, access));
    OK(doca_mmap_start(mmap));
    return mmap;
}

static int counts_in_a_buffer(struct child *self, void *arg)
{
    struct player p = local_player();
    uint64_t words[4] = {10, 11, 12, 13}, still[1] = {5}, value;
    struct doca_mmap *mmap =
                         map_words(p.dev, words, sizeof(words), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
                     *fixed =
                         map_words(p.dev, still, sizeof(still), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf, *other, *closed;

    (void)self, (void)arg;
    OK(doca_buf_inventory_create(3, &inventory));
    OK(doca_buf_inventory_start(inventory));
    OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, words, sizeof(words), &buf));
    OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, words, 8, &other));
    OK(doca_buf_inventory_buf_get_by_data(inventory, fixed, still, 8, &closed));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(p.event, buf)); // 32 bytes
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(p.event, closed));
    OK(doca_buf_set_data(buf, words + 4, 8)); // behind it
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(p.event, buf));
    OK(doca_buf_set_data(buf, words + 2, 8));
    OK(doca_buf_chain_list(buf, other));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(p.event, buf));
    OK(doca_buf_unchain_list(buf, other));
    OK(doca_sync_event_set_doca_buf(p.event, buf));
    OK(doca_sync_event_start(p.event));
    OK(doca_sync_event_update_add(p.event, 30, &value));
    ck_assert_uint_eq(value, 12); // the data section, not the head
    ck_assert_uint_eq(words[2], 42);
    ck_assert_uint_eq(words[0], 10);
    OK(doca_sync_event_stop(p.event));
    OK(doca_buf_dec_refcount(buf, NULL));
    OK(doca_buf_dec_refcount(other, NULL));
    OK(doca_buf_dec_refcount(closed, NULL));
    OK(doca_buf_inventory_destroy(inventory));
    OK(doca_sync_event_destroy(p.event));
    OK(doca_mmap_destroy(mmap));
    OK(doca_mmap_destroy(fixed));
    OK(doca_dev_close(p.dev));
    return 0;
}

START_TEST(a_counter_in_a_buffer)
{
    child_join(child_start(nodes.host, "program", counts_in_a_buffer, NULL));
}
END_TEST

// ---- the two sides of PCI ----------------------------------------------------------------------

// Sets `value` by a task, and waits for the next one.
static void turn(struct player *p, struct doca_sync_event_task_notify_set *set,
                 struct doca_sync_event_task_wait_eq *eq, uint64_t value, bool sleeps)
{
    unsigned done = p->done;
    doca_sync_event_task_notify_set_set_set_val(set, value);
    OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
    progress_until(p, ++done);
    if (value == EVENT_ROUNDS)
        return;
    doca_sync_event_task_wait_eq_set_wait_val(eq, value + 1);
    OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
    if (sleeps)
        sleep_until(p, ++done);
    else
        progress_until(p, ++done);
    ck_assert_uint_eq(p->failed, 0);
}

static void play(struct player *p, uint64_t first, bool sleeps)
{
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_wait_eq *eq;
    union doca_data none = {0};

    OK(doca_sync_event_task_notify_set_alloc_init(p->event, 0, none, &set));
    OK(doca_sync_event_task_wait_eq_alloc_init(p->event, 1, ALL, none, &eq));
    if (first == 2) {
        OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
        progress_until(p, 1);
    }
    for (uint64_t value = first; value <= EVENT_ROUNDS; value += 2)
        turn(p, set, eq, value, sleeps);
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(eq));
}

static int owner(struct child *self, void *arg)
{
    struct player p = {.dev = open_by(HOST_PF0)};
    const uint8_t *data;
    size_t size;

    OK(doca_sync_event_create(&p.event));
    OK(doca_sync_event_add_publisher_location_remote_pci(p.event));
    OK(doca_sync_event_add_subscriber_location_cpu(p.event, p.dev));
    begin(&p);
    OK(doca_sync_event_export_to_remote_pci(p.event, p.dev, &data, &size));
    child_send(self, data, size);
    play(&p, 1, arg != NULL);
    child_wait(self, "end");
    end(&p);
    return 0;
}

static int user(struct child *self, void *arg)
{
    struct player p = {.dev = open_by(DPU_P0)};
    uint8_t data[256];

    size_t size = child_receive(self, data, sizeof(data));
    OK(doca_sync_event_create_from_export(p.dev, data, size, &p.event));
    begin(&p);
    play(&p, 2, arg != NULL);
    child_tell(self, "played");
    end(&p);
    return 0;
}

static const struct {
    child_fn owner, user;
} pairs[] = {{owner, user}, {event_2_2_owner, user}, {owner, event_2_2_user}};

START_TEST(both_sides_take_turns)
{
    void *sleeps = _i % 2 ? &nodes : NULL;
    uint8_t data[256];
    struct child *host = child_start(nodes.host, "owner", pairs[_i / 2].owner, sleeps);
    struct child *dpu = child_start(nodes.dpu, "user", pairs[_i / 2].user, sleeps);
    child_send(dpu, data, child_receive(host, data, sizeof(data)));
    child_wait(dpu, "played");
    child_tell(host, "end");
    child_join(dpu);
    child_join(host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_sync_event");
    TCase *tcase = tcase_create("doca3_sync_event");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, tasks);
    tcase_add_test(tcase, a_wait_of_earlier_releases);
    tcase_add_test(tcase, stop_ends_waits);
    tcase_add_test(tcase, masks_are_whole_bytes);
    tcase_add_test(tcase, wrong_arguments_are_refused);
    tcase_add_test(tcase, a_counter_in_a_buffer);
    tcase_add_loop_test(tcase, both_sides_take_turns, 0, 6);
    suite_add_tcase(suite, tcase);
    // Where only the owner's engine reaches the counter.
    tcase = tcase_create("apart");
    tcase_add_checked_fixture(tcase, setup_apart, env_teardown);
    tcase_add_loop_test(tcase, both_sides_take_turns, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
