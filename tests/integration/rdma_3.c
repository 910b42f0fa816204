// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_3.h"

#include "deadline.h"
#include "nodes.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct doca_dev *open_by(const char *pci)
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

// ---- callbacks: each task is freed

#define ENDS(name)                                                                                 \
    static void name##_done(struct doca_rdma_task_##name *task, union doca_data task_data,         \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        struct side *side = ctx_data.ptr;                                                          \
        (void)task_data;                                                                           \
        side->done++;                                                                              \
        OK(doca_task_get_status(doca_rdma_task_##name##_as_task(task)));                           \
        doca_task_free(doca_rdma_task_##name##_as_task(task));                                     \
    }                                                                                              \
    static void name##_failed(struct doca_rdma_task_##name *task, union doca_data task_data,       \
                              union doca_data ctx_data)                                            \
    {                                                                                              \
        struct side *side = ctx_data.ptr;                                                          \
        (void)task_data;                                                                           \
        side->failed++;                                                                            \
        side->last = doca_task_get_status(doca_rdma_task_##name##_as_task(task));                  \
        ck_assert_int_ne(side->last, DOCA_SUCCESS);                                                \
        doca_task_free(doca_rdma_task_##name##_as_task(task));                                     \
    }

ENDS(send)
ENDS(send_imm)
ENDS(read)
ENDS(write)
ENDS(write_imm)
ENDS(atomic_cmp_swp)
ENDS(atomic_fetch_add)

static void receive_done(struct doca_rdma_task_receive *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    struct side *side = ctx_data.ptr;
    (void)task_data;
    ck_assert_uint_lt(side->received, sizeof(side->messages) / sizeof(side->messages[0]));
    side->messages[side->received++] = (struct received){
        .opcode = doca_rdma_task_receive_get_result_opcode(task),
        .length = doca_rdma_task_receive_get_result_len(task),
        .immediate = doca_rdma_task_receive_get_result_immediate_data(task),
        .connection = doca_rdma_task_receive_get_result_rdma_connection(task),
    };
    doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void receive_failed(struct doca_rdma_task_receive *task, union doca_data task_data,
                           union doca_data ctx_data)
{
    struct side *side = ctx_data.ptr;
    (void)task_data;
    side->receives_failed++;
    side->last = doca_task_get_status(doca_rdma_task_receive_as_task(task));
    doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct side *side = user_data.ptr;
    (void)ctx, (void)prev;
    ck_assert_uint_lt(side->n_states, 8);
    side->states[side->n_states++] = next;
}

// ---- life

static void configure(struct side *s)
{
    OK(doca_rdma_task_receive_set_conf(s->rdma, receive_done, receive_failed, RECEIVES));
    OK(doca_rdma_task_send_set_conf(s->rdma, send_done, send_failed, TASKS));
    OK(doca_rdma_task_send_imm_set_conf(s->rdma, send_imm_done, send_imm_failed, TASKS));
    OK(doca_rdma_task_read_set_conf(s->rdma, read_done, read_failed, TASKS));
    OK(doca_rdma_task_write_set_conf(s->rdma, write_done, write_failed, TASKS));
    OK(doca_rdma_task_write_imm_set_conf(s->rdma, write_imm_done, write_imm_failed, TASKS));
    OK(doca_rdma_task_atomic_cmp_swp_set_conf(s->rdma, atomic_cmp_swp_done, atomic_cmp_swp_failed,
                                              TASKS));
    OK(doca_rdma_task_atomic_fetch_add_set_conf(s->rdma, atomic_fetch_add_done,
                                                atomic_fetch_add_failed, TASKS));
}

void side_open(struct side *s, struct doca_pe *pe, uint16_t max_connections)
{
    side_open_on(s, HOST_PF0, pe, max_connections);
}

bool on_verbs(void)
{
    return getenv("DOCAD_TEST_FUNCTION") != NULL;
}

// The same tests run on another device, by its IB device's name.
static struct doca_dev *open_device(const char *pci)
{
    const char *wanted = getenv("DOCAD_TEST_FUNCTION");
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;

    if (!on_verbs())
        return open_by(pci);
    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        OK(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
        if (strcmp(name, wanted) == 0)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

void side_open_on(struct side *s, const char *pci, struct doca_pe *pe, uint16_t max_connections)
{
    const uint32_t all = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                         DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;

    *s = (struct side){.dev = open_device(pci), .pe = pe, .shares_pe = pe != NULL};
    s->memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(s->memory, MAP_FAILED);
    OK(doca_mmap_create(&s->map));
    OK(doca_mmap_add_dev(s->map, s->dev));
    OK(doca_mmap_set_permissions(s->map, all));
    OK(doca_mmap_set_memrange(s->map, s->memory, MEMORY_SIZE));
    OK(doca_mmap_start(s->map));
    OK(doca_buf_inventory_create(64, &s->inventory));
    OK(doca_buf_inventory_start(s->inventory));
    if (!pe)
        OK(doca_pe_create(&s->pe));
    OK(doca_rdma_create(s->dev, &s->rdma));
    s->ctx = doca_rdma_as_ctx(s->rdma);
    OK(doca_pe_connect_ctx(s->pe, s->ctx));
    OK(doca_ctx_set_user_data(s->ctx, (union doca_data){.ptr = s}));
    OK(doca_ctx_set_state_changed_cb(s->ctx, state_changed));
    OK(doca_rdma_set_permissions(s->rdma, all));
    OK(doca_rdma_set_max_num_connections(s->rdma, max_connections));
    configure(s);
}

void side_start(struct side *s)
{
    enum doca_ctx_states state;

    OK(doca_ctx_start(s->ctx));
    OK(doca_ctx_get_state(s->ctx, &state));
    ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
}

void side_stop(struct side *s)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);

    doca_error_t r = doca_ctx_stop(s->ctx);
    ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_IN_PROGRESS);
    for (;;) {
        OK(doca_ctx_get_state(s->ctx, &state));
        if (state == DOCA_CTX_STATE_IDLE)
            return;
        ck_assert_msg(now_ms() < deadline, "the context does not stop");
        doca_pe_progress(s->pe);
    }
}

void side_close(struct side *s)
{
    side_stop(s);
    OK(doca_rdma_destroy(s->rdma));
    if (!s->shares_pe)
        OK(doca_pe_destroy(s->pe));
    OK(doca_buf_inventory_destroy(s->inventory));
    OK(doca_mmap_destroy(s->map));
    OK(doca_dev_close(s->dev));
    munmap(s->memory, MEMORY_SIZE);
}

// ---- connections

struct doca_rdma_connection *side_export(struct side *s, struct details *details)
{
    struct doca_rdma_connection *connection = NULL;
    const void *bytes;

    OK(doca_rdma_export(s->rdma, &bytes, &details->size, &connection));
    ck_assert_uint_le(details->size, sizeof(details->bytes));
    memcpy(details->bytes, bytes, details->size);
    return connection;
}

void side_connect(struct side *s, struct doca_rdma_connection *connection,
                  const struct details *other)
{
    OK(doca_rdma_connect(s->rdma, other->bytes, other->size, connection));
}

void side_join(struct side *a, struct doca_rdma_connection **ca, struct side *b,
               struct doca_rdma_connection **cb)
{
    struct details da, db;
    *ca = side_export(a, &da);
    *cb = side_export(b, &db);
    side_connect(a, *ca, &db);
    side_connect(b, *cb, &da);
}

// ---- work

struct doca_buf *data_at(struct side *s, size_t at, size_t size)
{
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_data(s->inventory, s->map, s->memory + at, size, &buf));
    return buf;
}

struct doca_buf *room_at(struct side *s, size_t at, size_t size)
{
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->memory + at, size, &buf));
    return buf;
}

void submit(struct doca_task *task)
{
    OK(doca_task_submit(task));
}

void post_receive(struct side *s, struct doca_buf *buf)
{
    struct doca_rdma_task_receive *task;
    OK(doca_rdma_task_receive_allocate_init(s->rdma, buf, (union doca_data){0}, &task));
    submit(doca_rdma_task_receive_as_task(task));
}

void submit_send(struct side *s, struct doca_rdma_connection *connection, struct doca_buf *buf)
{
    struct doca_rdma_task_send *task;
    OK(doca_rdma_task_send_allocate_init(s->rdma, connection, buf, (union doca_data){0}, &task));
    submit(doca_rdma_task_send_as_task(task));
}

void submit_send_imm(struct side *s, struct doca_rdma_connection *connection, struct doca_buf *buf,
                     doca_be32_t immediate)
{
    struct doca_rdma_task_send_imm *task;
    OK(doca_rdma_task_send_imm_allocate_init(s->rdma, connection, buf, immediate,
                                             (union doca_data){0}, &task));
    submit(doca_rdma_task_send_imm_as_task(task));
}

static bool reached(const struct side *s, unsigned tasks, unsigned receives)
{
    return s->done + s->failed >= tasks && s->received + s->receives_failed >= receives;
}

void progress_until(struct side *s, unsigned tasks, unsigned receives)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!reached(s, tasks, receives)) {
        ck_assert_msg(now_ms() < deadline, "%u of %u tasks and %u of %u receives have ended",
                      s->done + s->failed, tasks, s->received + s->receives_failed, receives);
        doca_pe_progress(s->pe);
    }
}

void sleep_until(struct side *s, unsigned tasks, unsigned receives)
{
    doca_notification_handle_t handle;
    OK(doca_pe_get_notification_handle(s->pe, &handle));
    for (;;) {
        while (doca_pe_progress(s->pe))
            ;
        if (reached(s, tasks, receives))
            return;
        OK(doca_pe_request_notification(s->pe));
        struct pollfd sleeper = {.fd = handle, .events = POLLIN};
        ck_assert_msg(poll(&sleeper, 1, HARNESS_LIMIT_MS) == 1, "nobody wakes the sleeper");
        OK(doca_pe_clear_notification(s->pe, 0));
    }
}

void drop_buf(struct doca_buf *buf)
{
    OK(doca_buf_dec_refcount(buf, NULL));
}

// ---- two programs

struct program {
    uint16_t max_connections;
    side_fn fn;
};

static int run_program(struct child *self, void *arg)
{
    const struct program *program = arg;
    struct side s;
    side_open(&s, NULL, program->max_connections);
    s.self = self;
    side_start(&s);
    program->fn(&s);
    side_close(&s);
    return 0;
}

struct child *side_start_in(const struct daemon *daemon, const char *name, uint16_t max_connections,
                            side_fn fn)
{
    struct program program = {max_connections, fn}; // the child has it, too
    return child_start(daemon, name, run_program, &program);
}

struct doca_rdma_connection *side_offer(struct side *s)
{
    struct details mine;
    struct doca_rdma_connection *connection = side_export(s, &mine);
    child_send(s->self, mine.bytes, mine.size);
    return connection;
}

void side_take(struct side *s, struct doca_rdma_connection *connection)
{
    struct details other;
    other.size = child_receive(s->self, other.bytes, sizeof(other.bytes));
    side_connect(s, connection, &other);
}

void side_send_map(struct side *s)
{
    const void *desc;
    size_t size;
    OK(doca_mmap_export_rdma(s->map, s->dev, &desc, &size));
    child_send(s->self, desc, size);
    child_send(s->self, &s->memory, sizeof(s->memory));
}

struct doca_mmap *side_take_map(struct side *s, uint8_t **at)
{
    uint8_t desc[1024];
    struct doca_mmap *map;
    size_t size = child_receive(s->self, desc, sizeof(desc));
    OK(doca_mmap_create_from_export(NULL, desc, size, s->dev, &map));
    ck_assert_uint_eq(child_receive(s->self, at, sizeof(*at)), sizeof(*at));
    return map;
}

void pass_on(struct child *from, struct child *to)
{
    uint8_t bytes[1024];
    child_send(to, bytes, child_receive(from, bytes, sizeof(bytes)));
}

// ---- two sides of one program

void sides_open(struct sides *s, const struct sides_plan *plan)
{
    const uint16_t n = plan->connections ? plan->connections : 1;
    ck_assert_uint_le(n, JOINED_MAX);
    *s = (struct sides){0};
    side_open(&s->a, NULL, n);
    side_open(&s->b, plan->two_engines ? NULL : s->a.pe, n);
    if (plan->set)
        plan->set(s);
    if (plan->idle)
        return;
    side_start(&s->a);
    side_start(&s->b);
    for (unsigned i = 0; i < n && !plan->separate; i++)
        side_join(&s->a, &s->at_a[i], &s->b, &s->at_b[i]);
}

void sides_close(struct sides *s)
{
    side_close(&s->b);
    side_close(&s->a);
}

struct sides_program {
    const struct sides_plan *plan;
    sides_fn fn;
};

static int run_sides_program(struct child *self, void *arg)
{
    const struct sides_program *program = arg;
    struct sides sides;
    (void)self;
    sides_open(&sides, program->plan);
    program->fn(&sides);
    sides_close(&sides);
    return 0;
}

void run_sides(const struct sides_plan *plan, sides_fn fn)
{
    struct sides_program program = {plan, fn};
    child_join(child_start(nodes.host, "program", run_sides_program, &program));
}

struct doca_mmap *sides_map(struct sides *s)
{
    struct doca_mmap *map;
    const void *desc;
    size_t size;
    OK(doca_mmap_export_rdma(s->b.map, s->b.dev, &desc, &size));
    OK(doca_mmap_create_from_export(NULL, desc, size, s->a.dev, &map));
    return map;
}

struct doca_buf *remote_at(struct side *s, struct doca_mmap *map, uint8_t *at, size_t size)
{
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_data(s->inventory, map, at, size, &buf));
    return buf;
}
