// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of rules for programs of DOCA 3: cases_3 [NAME [well]].

#include "copies_3.h"
#include "graphs_3.h"
#include "lists_3.h"
#include "threads_3.h"

#include <doca_ctx.h>
#include <doca_graph.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define SOME (4 * PART)

// One copy of a part to another one.
struct one {
    struct copies copies;
    struct doca_buf *from, *to;
    struct doca_dma_task_memcpy *task;
};

static void one_begin(struct one *one)
{
    copies_begin(&one->copies, SOME);
    one->from = copies_full(&one->copies, 0, PART);
    one->to = copies_empty(&one->copies, PART, PART);
    one->task = copies_task(&one->copies, 0, one->from, one->to);
}

static void one_end(struct one *one)
{
    copies_free(one->task);
    copies_give_back(one->from);
    copies_give_back(one->to);
    copies_end(&one->copies);
}

// ---- ownership

static void task_freed_twice(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    copies_await(&one.copies, 1);
    if (wrong)
        copies_free(one.task);
    one_end(&one);
}

static void task_changed(bool wrong)
{
    struct one one;
    union doca_data data = {.u64 = 1};
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        doca_task_set_user_data(doca_dma_task_memcpy_as_task(one.task), data);
    copies_await(&one.copies, 1);
    doca_task_set_user_data(doca_dma_task_memcpy_as_task(one.task), data);
    one_end(&one);
}

static void task_set(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        doca_dma_task_memcpy_set_src(one.task, one.from);
    copies_await(&one.copies, 1);
    doca_dma_task_memcpy_set_src(one.task, one.from);
    one_end(&one);
}

static void task_submitted_twice(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        copies_submit(one.task);
    copies_await(&one.copies, 1);
    must(doca_buf_reset_data_len(one.to));
    copies_submit(one.task);
    copies_await(&one.copies, 2);
    one_end(&one);
}

static void buffer_changed(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        must(doca_buf_set_data(one.from, one.copies.memory, PART / 2));
    copies_await(&one.copies, 1);
    must(doca_buf_set_data(one.from, one.copies.memory, PART / 2));
    one_end(&one);
}

static void buffer_reset(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        must(doca_buf_reset_data_len(one.to));
    copies_await(&one.copies, 1);
    must(doca_buf_reset_data_len(one.to));
    one_end(&one);
}

// The destination of one is the source of the other.
static void buffer_in_two_tasks(bool wrong)
{
    struct one one;
    one_begin(&one);
    must(doca_buf_set_data(one.from, one.copies.memory, 64));
    must(doca_buf_set_data(one.to, one.copies.memory + PART, 64));
    struct doca_buf *last = copies_empty(&one.copies, (size_t)2 * PART, PART);
    struct doca_dma_task_memcpy *second = copies_task(&one.copies, 0, one.to, last);
    copies_submit(one.task);
    if (!wrong)
        copies_await(&one.copies, 1);
    copies_submit(second);
    copies_await(&one.copies, 2);
    copies_free(second);
    copies_give_back(last);
    one_end(&one);
}

static void source_changed(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    if (wrong)
        one.copies.memory[PART / 2]++;
    one.copies.memory[(size_t)2 * PART]++;
    copies_await(&one.copies, 1);
    one.copies.memory[PART / 2]++;
    one_end(&one);
}

// The ends of a long source are summed; the middle is not.
static void long_source_changed(bool wrong)
{
    struct copies copies;
    size_t half = (size_t)64 * PART;
    copies_begin(&copies, 2 * half);
    struct doca_buf *from = copies_full(&copies, 0, half), *to = copies_empty(&copies, half, half);
    struct doca_dma_task_memcpy *task = copies_task(&copies, 0, from, to);
    copies_submit(task);
    copies.memory[wrong ? half - 1 : half / 2]++;
    copies_await(&copies, 1);
    copies_free(task);
    copies_give_back(from);
    copies_give_back(to);
    copies_end(&copies);
}

// ---- order

// Copies a part to another one in one context, and then in `context` two others.
static void two_copies(unsigned context, size_t from, size_t to, bool waits)
{
    struct one one;
    one_begin(&one);
    struct doca_buf *second_from = copies_full(&one.copies, from, PART);
    struct doca_buf *second_to = copies_empty(&one.copies, to, PART);
    struct doca_dma_task_memcpy *second = copies_task(&one.copies, context, second_from, second_to);
    copies_submit(one.task);
    if (waits)
        copies_await(&one.copies, 1);
    copies_submit(second);
    copies_await(&one.copies, 2);
    copies_free(second);
    copies_give_back(second_from);
    copies_give_back(second_to);
    one_end(&one);
}

static void destination_over_source(bool wrong)
{
    two_copies(wrong, (size_t)2 * PART, 0, false); // one context keeps the order
}

static void order_between_contexts(bool wrong)
{
    two_copies(1, PART, (size_t)2 * PART, !wrong);
}

static void destinations_overlap(bool wrong)
{
    two_copies(1, (size_t)2 * PART, PART, !wrong);
}

// The same bytes to the same place, twice, as benchmarks do.
static void same_copy_twice(bool wrong)
{
    struct one one;
    one_begin(&one);
    struct doca_buf *from = copies_full(&one.copies, wrong ? 64 : 0, PART);
    struct doca_buf *to = copies_empty(&one.copies, PART, PART);
    struct doca_dma_task_memcpy *second = copies_task(&one.copies, 0, from, to);
    copies_submit(one.task);
    copies_submit(second);
    copies_await(&one.copies, 2);
    copies_free(second);
    copies_give_back(from);
    copies_give_back(to);
    one_end(&one);
}

// A task writes in order to what another one reads: the bytes change, and it is right.
static void order_in_context(bool wrong)
{
    if (wrong)
        two_copies(1, PART, (size_t)2 * PART, false);
    else
        two_copies(0, PART, (size_t)2 * PART, false);
}

// ---- waiting

static void wait_by_poll(bool wrong)
{
    struct copies copies;
    struct pollfd handle = {.events = POLLIN};
    copies_begin(&copies, SOME);
    must(doca_pe_get_notification_handle(copies.pe, &handle.fd));
    if (!wrong)
        must(doca_pe_request_notification(copies.pe));
    (void)poll(&handle, 1, 1);
    copies_end(&copies);
}

static void wait_again(bool wrong)
{
    struct copies copies;
    struct pollfd handle = {.events = POLLIN};
    copies_begin(&copies, SOME);
    must(doca_pe_get_notification_handle(copies.pe, &handle.fd));
    must(doca_pe_request_notification(copies.pe));
    (void)poll(&handle, 1, 1);
    must(doca_pe_clear_notification(copies.pe, handle.fd));
    if (!wrong)
        must(doca_pe_request_notification(copies.pe));
    (void)ppoll(&handle, 1, &(struct timespec){.tv_nsec = 1}, NULL);
    copies_end(&copies);
}

// A program that waits for something else, too, may do so without a request.
static void wait_by_epoll(bool wrong)
{
    struct copies copies;
    struct epoll_event event = {.events = EPOLLIN};
    doca_notification_handle_t handle;
    int set = epoll_create1(EPOLL_CLOEXEC), other[2];
    copies_begin(&copies, SOME);
    must(doca_pe_get_notification_handle(copies.pe, &handle));
    if (set < 0 || pipe(other) != 0 || epoll_ctl(set, EPOLL_CTL_ADD, handle, &event) != 0 ||
        (!wrong && epoll_ctl(set, EPOLL_CTL_ADD, other[0], &event) != 0))
        abort();
    (void)epoll_wait(set, &event, 1, 1);
    close(set);
    close(other[0]);
    close(other[1]);
    copies_end(&copies);
}

#define LONG_NS                                                                                    \
    300000000 // much more than what is too long: what the machine may have added is excused

static void block(void *of)
{
    (void)of;
    nanosleep(&(struct timespec){.tv_nsec = LONG_NS}, NULL);
}

static void compute(void *of)
{
    struct timespec start, now;
    (void)of;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < LONG_NS);
}

// What DOCA does in a callback is not the program's time.
static void ask_docad(void *of)
{
    const struct copies *copies = of;
    for (unsigned i = 0; i < 20; i++) {
        struct doca_mmap *map;
        must(doca_mmap_create(&map));
        must(doca_mmap_set_memrange(map, copies->memory, copies->size));
        must(doca_mmap_add_dev(map, copies->dev));
        must(doca_mmap_start(map));
        must(doca_mmap_destroy(map));
    }
}

static void one_with(void (*in_callback)(void *of))
{
    struct one one;
    one_begin(&one);
    one.copies.in_callback = in_callback;
    copies_submit(one.task);
    copies_await(&one.copies, 1);
    one_end(&one);
}

static void callback_blocks(bool wrong)
{
    one_with(wrong ? block : NULL);
}

static void callback_computes(bool wrong)
{
    one_with(wrong ? compute : ask_docad);
}

// With --check-polls 1000.
static void polls_idle(bool wrong)
{
    struct copies copies;
    copies_begin(&copies, SOME);
    for (unsigned i = 0; i < (wrong ? 1500 : 500); i++)
        (void)doca_pe_progress(copies.pe);
    copies_end(&copies);
}

static void woken(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                  union doca_data data)
{
    (void)task_data;
    *(bool *)data.ptr = true;
    (void)doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(task));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

// With --check-polls 1000: polls while a task waits for a number.
static void polls_many(bool wrong)
{
    struct copies copies;
    struct doca_sync_event *event;
    struct doca_sync_event_task_wait_eq *task;
    bool done = false;
    copies_begin(&copies, SOME);
    must(doca_sync_event_create(&event));
    must(doca_sync_event_add_publisher_location_cpu(event, copies.dev));
    must(doca_sync_event_add_subscriber_location_cpu(event, copies.dev));
    struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
    must(doca_sync_event_task_wait_eq_set_conf(event, woken, woken, 1));
    must(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &done}));
    must(doca_pe_connect_ctx(copies.pe, ctx));
    must(doca_ctx_start(ctx));
    must(
        doca_sync_event_task_wait_eq_alloc_init(event, 7, UINT64_MAX, (union doca_data){0}, &task));
    must(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(task)));
    for (unsigned i = 0; i < (wrong ? 1500 : 500); i++)
        (void)doca_pe_progress(copies.pe);
    (void)doca_ctx_stop(ctx);
    while (!done)
        (void)doca_pe_progress(copies.pe);
    must(doca_sync_event_destroy(event));
    copies_end(&copies);
}

// A program that ends with an error may leave its objects.
static void left(bool wrong)
{
    struct copies copies;
    copies_begin(&copies, SOME);
    exit(wrong ? 0 : 3);
}

// The first one of a list is given back with those behind it.
static void list_left(bool wrong)
{
    struct copies copies;
    copies_begin(&copies, SOME);
    struct doca_buf *first = copies_full(&copies, 0, PART),
                    *second = copies_full(&copies, PART, PART);
    must(doca_buf_chain_list(first, second));
    if (!wrong)
        copies_give_back(first);
    must(doca_ctx_stop(doca_dma_as_ctx(copies.dmas[0])));
    exit(wrong ? 0 : 3);
}

static void list_given_back(bool wrong)
{
    struct copies copies;
    uint16_t count;
    copies_begin(&copies, SOME);
    struct doca_buf *first = copies_full(&copies, 0, PART),
                    *second = copies_full(&copies, PART, PART);
    struct doca_buf *third = copies_full(&copies, 2 * PART, PART);
    must(doca_buf_chain_list(first, second));
    must(doca_buf_chain_list(first, third));
    if (!wrong)
        must(doca_buf_unchain_list(first, second));
    copies_give_back(first);
    (void)doca_buf_get_refcount(third, &count);
    if (!wrong)
        copies_give_back(second);
    copies_end(&copies);
}

// ---- errors

static void failed_creation(bool wrong)
{
    struct doca_dma *dma = NULL;
    if (doca_dma_create(NULL, &dma) == DOCA_SUCCESS)
        abort();
    if (wrong)
        (void)doca_ctx_start(doca_dma_as_ctx(dma));
    // Cleaning up is right.
    (void)doca_ctx_stop(doca_dma_as_ctx(dma));
    (void)doca_dma_destroy(dma);
}

static void failed_device(bool wrong)
{
    struct doca_dev *dev = NULL;
    struct doca_mmap *map;
    must(doca_mmap_create(&map));
    if (doca_dev_open(NULL, &dev) == DOCA_SUCCESS)
        abort();
    if (wrong)
        (void)doca_dma_create(dev, &(struct doca_dma *){NULL});
    must(doca_mmap_destroy(map));
}

static void failed_start(bool wrong)
{
    struct copies copies;
    struct doca_mmap *map;
    struct doca_buf *buf;
    copies_begin(&copies, SOME);
    must(doca_mmap_create(&map));
    if (doca_mmap_start(map) == DOCA_SUCCESS)
        abort(); // it has no memory
    if (!wrong) {
        must(doca_mmap_set_memrange(map, copies.memory, SOME));
        must(doca_mmap_add_dev(map, copies.dev));
        must(doca_mmap_start(map));
    }
    if (doca_buf_inventory_buf_get_by_data(copies.inventory, map, copies.memory, PART, &buf) == 0)
        must(doca_buf_dec_refcount(buf, NULL));
    must(doca_mmap_destroy(map));
    copies_end(&copies);
}

static void status_not_read(bool wrong)
{
    struct one one;
    one_begin(&one);
    one.copies.reads_status = !wrong;
    must(doca_buf_set_data(one.to, one.copies.memory + PART, PART)); // there is no room left
    copies_submit(one.task);
    copies_await(&one.copies, 1);
    if (!one.copies.failed)
        abort();
    one_end(&one);
}

static void graph_done(struct doca_graph_instance *instance, union doca_data instance_data,
                       union doca_data graph_data)
{
    struct copies *copies = graph_data.ptr;
    (void)instance;
    (void)instance_data;
    copies->done++;
}

// An instance of a graph is submitted like a task, and has no status that could be read.
static void run_graph(struct copies *copies, struct doca_task *task)
{
    struct doca_graph *graph;
    struct doca_graph_node *node;
    struct doca_graph_instance *instance;
    union doca_data data = {.ptr = copies};
    must(doca_graph_create(copies->pe, &graph));
    must(doca_graph_node_create_from_ctx(graph, doca_dma_as_ctx(copies->dmas[0]), &node));
    must(doca_graph_set_conf(graph, graph_done, graph_done, 1));
    must(doca_graph_set_user_data(graph, data));
    must(doca_graph_start(graph));
    must(doca_graph_instance_create(graph, &instance));
    must(doca_graph_instance_set_ctx_node_data(instance, node, task));
    must(doca_graph_instance_submit(instance));
    copies_await(copies, copies->done + 1);
    must(doca_graph_instance_destroy(instance));
    must(doca_graph_stop(graph));
    must(doca_graph_destroy(graph));
}

static void status_beside_graph(bool wrong)
{
    struct one one;
    one_begin(&one);
    run_graph(&one.copies, doca_dma_task_memcpy_as_task(one.task));
    one.copies.reads_status = !wrong;
    must(doca_buf_set_data(one.to, one.copies.memory + PART, PART));
    copies_submit(one.task);
    copies_await(&one.copies, one.copies.done + 1);
    one_end(&one);
}

// Tasks that come back because the program has stopped their context need not be asked.
static void status_of_stopped(bool wrong)
{
    struct one one;
    one_begin(&one);
    one.copies.reads_status = false;
    if (wrong)
        must(doca_buf_set_data(one.to, one.copies.memory + PART, PART));
    copies_submit(one.task);
    if (!wrong)
        (void)doca_ctx_stop(doca_dma_as_ctx(one.copies.dmas[0]));
    copies_await(&one.copies, 1);
    one_end(&one);
}

// ---- states of cards

static void destroyed_with_tasks(bool wrong)
{
    struct one one;
    one_begin(&one);
    copies_submit(one.task);
    copies_await(&one.copies, 1);
    if (!wrong)
        copies_free(one.task);
    copies_give_back(one.from);
    copies_give_back(one.to);
    copies_end(&one.copies);
}

static void with_flags(uint32_t flags)
{
    struct one one;
    one_begin(&one);
    must(doca_task_submit_ex(doca_dma_task_memcpy_as_task(one.task), flags));
    copies_await(&one.copies, 1);
    one_end(&one);
}

static void never_flushed(bool wrong)
{
    with_flags(wrong ? DOCA_TASK_SUBMIT_FLAG_NONE : DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void flushed_later(bool wrong)
{
    struct one one;
    one_begin(&one);
    must(doca_task_submit_ex(doca_dma_task_memcpy_as_task(one.task), DOCA_TASK_SUBMIT_FLAG_NONE));
    if (!wrong)
        doca_ctx_flush_tasks(doca_dma_as_ctx(one.copies.dmas[0]));
    copies_await(&one.copies, 1);
    one_end(&one);
}

static void report_held_back(bool wrong)
{
    with_flags(DOCA_TASK_SUBMIT_FLAG_FLUSH | (wrong ? DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS : 0));
}

static void relaxed_export(bool wrong)
{
    struct doca_mmap *map;
    must(doca_mmap_create(&map));
    (void)doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
                                             (wrong ? DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING : 0));
    must(doca_mmap_destroy(map));
}

// ---- limits of cards

// With --card bluefield-3: 2 MiB.
static void long_copy(bool wrong)
{
    struct copies copies;
    size_t size = (size_t)(wrong ? 3 : 2) << 20;
    copies_begin(&copies, 2 * size);
    struct doca_buf *from = copies_full(&copies, 0, size), *to = copies_empty(&copies, size, size);
    struct doca_dma_task_memcpy *task = copies_task(&copies, 0, from, to);
    copies_submit(task);
    copies_await(&copies, 1);
    copies_free(task);
    copies_give_back(from);
    copies_give_back(to);
    copies_end(&copies);
}

// With --card any: no BlueField-3 has SHA. The program that is right asks the device.
static void absent_algorithm(bool wrong)
{
    struct copies copies;
    struct doca_sha *sha;
    copies_begin(&copies, SOME);
    if (wrong) {
        must(doca_sha_create(copies.dev, &sha));
        must(doca_sha_destroy(sha));
    }
    copies_end(&copies);
}

int main(int argc, char **argv)
{
    static const struct rule_case cases[] = {
        {"task-freed-twice", task_freed_twice},
        {"task-changed-in-flight", task_changed},
        {"task-changed-in-flight/set", task_set},
        {"task-submitted-twice", task_submitted_twice},
        {"buffer-changed-in-flight", buffer_changed},
        {"buffer-changed-in-flight/reset", buffer_reset},
        {"buffer-in-two-tasks", buffer_in_two_tasks},
        {"source-changed", source_changed},
        {"source-changed/long", long_source_changed},
        {"destination-over-source", destination_over_source},
        {"order-between-contexts", order_between_contexts},
        {"order-between-contexts/same", order_in_context},
        {"destinations-overlap", destinations_overlap},
        {"destinations-overlap/same", same_copy_twice},
        {"engine-two-threads", engine_two_threads},
        {"engine-two-threads/submit", submit_two_threads},
        {"inventory-two-threads", inventory_two_threads},
        {"map-two-threads", map_two_threads},
        {"wait-without-request", wait_by_poll},
        {"wait-without-request/again", wait_again},
        {"wait-without-request/epoll", wait_by_epoll},
        {"callback-too-long", callback_blocks},
        {"callback-too-long/computes", callback_computes},
        {"polls-idle", polls_idle},
        {"polls-many", polls_many},
        {"buffer-changed-in-flight/source-member", source_member_changed},
        {"buffer-changed-in-flight/destination-member", destination_member_reset},
        {"buffer-in-two-tasks/member", member_in_two_tasks},
        {"buffer-released-in-flight/member", member_released},
        {"task-freed-in-flight/graph", graph_task_freed},
        {"task-submitted-twice/graph", graph_task_submitted},
        {"buffer-changed-in-flight/graph", graph_buffer_reset},
        {"wrong-kind", buffer_as_context},
        {"wrong-kind/engine", engine_as_context},
        {"wrong-kind/task", map_as_task},
        {"wrong-kind/freed", buffer_freed_as_task},
        {"alive-at-end", left},
        {"alive-at-end/list", list_left},
        {"use-after-destroy/list", list_given_back},
        {"failure-ignored", failed_creation},
        {"failure-ignored/device", failed_device},
        {"failure-ignored/start", failed_start},
        {"status-not-read", status_not_read},
        {"status-not-read/stopped", status_of_stopped},
        {"status-not-read/graph", status_beside_graph},
        {"destroyed-with-tasks", destroyed_with_tasks},
        {"never-flushed", never_flushed},
        {"never-flushed/later", flushed_later},
        {"report-held-back", report_held_back},
        {"relaxed-export", relaxed_export},
        {"card-limit", long_copy},
        {"card-limit/any", absent_algorithm},
    };
    return run_cases(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
