// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_world_3.h"

#include <string.h>

struct rdma_world rw;

static uint8_t memory[256] = "what is sent";

// ---- callbacks

#define OVER(name)                                                                                 \
    static void name##_over(struct doca_rdma_task_##name *task, union doca_data data,              \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task, (void)data, (void)ctx_data;                                                    \
    }
RDMA_KINDS(OVER)

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_data)
{
    (void)ctx_data;
    rw.connection = connection;
    rw.requested = true;
}

static void on_established(struct doca_rdma_connection *connection, union doca_data data,
                           union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    rw.established = rw.established || connection == rw.connection;
}

static void on_end(struct doca_rdma_connection *connection, union doca_data data,
                   union doca_data ctx_data)
{
    (void)connection, (void)data, (void)ctx_data;
}

// ---- contexts

static void configure(struct doca_rdma *rdma, uint16_t connections)
{
    ck_assert_success(doca_rdma_set_max_num_connections(rdma, connections));
    ck_assert_success(
        doca_rdma_set_connection_state_callbacks(rdma, on_request, on_established, on_end, on_end));
#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_rdma_task_##name##_set_conf(rdma, name##_over, name##_over, 2));
    RDMA_KINDS(CONFIGURE)
}

static void make_memory(void)
{
    rw.mmap = map_new(rw.dev, memory, sizeof(memory), false);
    ck_assert_success(doca_mmap_set_permissions(rw.mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    ck_assert_success(doca_mmap_start(rw.mmap));
    ck_assert_success(doca_buf_inventory_create(2, &rw.inventory));
    ck_assert_success(doca_buf_inventory_start(rw.inventory));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_data(rw.inventory, rw.mmap, memory, 8, &rw.local));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_data(rw.inventory, rw.mmap, memory + 64, 8, &rw.remote));
}

static void make_event(void)
{
    const uint8_t *data;
    size_t size;

    ck_assert_success(doca_sync_event_create(&rw.event));
    ck_assert_success(doca_sync_event_add_publisher_location_remote_net(rw.event));
    ck_assert_success(doca_sync_event_add_subscriber_location_cpu(rw.event, rw.dev));
    ck_assert_success(doca_sync_event_start(rw.event));
    ck_assert_success(doca_sync_event_export_to_remote_net(rw.event, &data, &size));
    ck_assert_success(
        doca_sync_event_remote_net_create_from_export(rw.dev, data, size, &rw.remote_event));
}

void rw_make(uint16_t connections)
{
    memset(&rw, 0, sizeof(rw));
    rw.dev = client_open(HOST_PF0);
    make_memory();
    make_event();
    ck_assert_success(doca_pe_create(&rw.pe));
    ck_assert_success(doca_rdma_create(rw.dev, &rw.rdma));
    ck_assert_success(doca_rdma_create(rw.dev, &rw.other));
    configure(rw.rdma, connections);
    configure(rw.other, 1);
    ck_assert_success(
        doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", RDMA_PORT, &rw.addr));
}

void rw_start(void)
{
    ck_assert_success(doca_pe_connect_ctx(rw.pe, doca_rdma_as_ctx(rw.rdma)));
    ck_assert_success(doca_pe_connect_ctx(rw.pe, doca_rdma_as_ctx(rw.other)));
    ck_assert_success(doca_ctx_start(doca_rdma_as_ctx(rw.rdma)));
    ck_assert_success(doca_ctx_start(doca_rdma_as_ctx(rw.other)));
}

static enum doca_ctx_states state_of(struct doca_rdma *rdma)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(doca_rdma_as_ctx(rdma), &state));
    return state;
}

void rw_stop(struct doca_rdma *rdma)
{
    if (state_of(rdma) == DOCA_CTX_STATE_IDLE)
        return;
    (void)doca_ctx_stop(doca_rdma_as_ctx(rdma));
    RW_UNTIL(state_of(rdma) == DOCA_CTX_STATE_IDLE);
}

void rw_leave(void)
{
    if (rw.rdma) {
        rw_stop(rw.rdma);
        ck_assert_success(doca_rdma_destroy(rw.rdma));
    }
    rw_stop(rw.other);
    ck_assert_success(doca_rdma_destroy(rw.other));
    if (rw.addr)
        ck_assert_success(doca_rdma_addr_destroy(rw.addr));
    ck_assert_success(doca_pe_destroy(rw.pe));
    ck_assert_success(doca_sync_event_remote_net_destroy(rw.remote_event));
    ck_assert_success(doca_sync_event_stop(rw.event));
    ck_assert_success(doca_sync_event_destroy(rw.event));
    ck_assert_success(doca_buf_dec_refcount(rw.local, NULL));
    ck_assert_success(doca_buf_dec_refcount(rw.remote, NULL));
    ck_assert_success(doca_buf_inventory_destroy(rw.inventory));
    ck_assert_success(doca_mmap_destroy(rw.mmap));
    ck_assert_success(doca_dev_close(rw.dev));
}

// ---- connections

static const void *our_details;
static size_t our_size;

void rw_export(void)
{
    const void *details;

    ck_assert_success(doca_rdma_export(rw.rdma, &our_details, &our_size, &rw.connection));
    ck_assert_success(doca_rdma_export(rw.other, &details, &rw.details_size, &rw.of_other));
    ck_assert_uint_le(rw.details_size, sizeof(rw.details));
    memcpy(rw.details, details, rw.details_size);
}

void rw_connect(bool ours, bool theirs)
{
    if (ours)
        ck_assert_success(doca_rdma_connect(rw.rdma, rw.details, rw.details_size, rw.connection));
    if (theirs)
        ck_assert_success(doca_rdma_connect(rw.other, our_details, our_size, rw.of_other));
}

void rw_listen(void)
{
    ck_assert_success(doca_rdma_start_listen_to_port(rw.rdma, RDMA_PORT));
}

void rw_call(void)
{
    ck_assert_success(doca_rdma_connect_to_addr(rw.other, rw.addr, (union doca_data){.u64 = 1}));
    RW_UNTIL(rw.requested);
}

// ---- tasks

#define ALLOCATE(i, name, ...)                                                                     \
    do {                                                                                           \
        struct doca_rdma_task_##name *task;                                                        \
        ck_assert_success(doca_rdma_task_##name##_allocate_init(rw.rdma, __VA_ARGS__,              \
                                                                (union doca_data){0}, &task));     \
        rw.tasks[i] = task;                                                                        \
    } while (0)

void rw_allocate(void)
{
    ALLOCATE(0, receive, rw.local);
    ALLOCATE(1, send, rw.connection, rw.local);
    ALLOCATE(2, send_imm, rw.connection, rw.local, 1);
    ALLOCATE(3, read, rw.connection, rw.remote, rw.local);
    ALLOCATE(4, write, rw.connection, rw.local, rw.remote);
    ALLOCATE(5, write_imm, rw.connection, rw.local, rw.remote, 1);
    ALLOCATE(6, atomic_cmp_swp, rw.connection, rw.remote, rw.local, 1, 1);
    ALLOCATE(7, atomic_fetch_add, rw.connection, rw.remote, rw.local, 1);
    ALLOCATE(8, remote_net_sync_event_get, rw.connection, rw.remote_event, rw.local);
    ALLOCATE(9, remote_net_sync_event_notify_set, rw.connection, rw.remote_event, rw.local);
    ALLOCATE(10, remote_net_sync_event_notify_add, rw.connection, rw.remote_event, rw.local, 1);
}

void rw_submit(void)
{
    unsigned i = 0;
#define SUBMIT(name)                                                                               \
    ck_assert_success(doca_task_submit(doca_rdma_task_##name##_as_task(rw.tasks[i++])));
    RDMA_KINDS(SUBMIT)
}

// ---- arguments

// The kind of the tasks that a function is about, or NULL.
static bool is_about(const char *function, const char *kind)
{
    size_t n = strlen(kind);
    const char *prefix = "doca_rdma_task_";

    if (strncmp(function, prefix, strlen(prefix)) != 0)
        return false;
    const char *rest = function + strlen(prefix);
    // send_imm is not send, nor write_imm write.
    return strncmp(rest, kind, n) == 0 && rest[n] == '_' && strncmp(rest + n, "_imm_", 5) != 0;
}

static void *task_for(const char *function)
{
    unsigned i = 0;
#define TASK_OF(name)                                                                              \
    if (is_about(function, #name))                                                                 \
        return rw.tasks[i];                                                                        \
    i++;
    RDMA_KINDS(TASK_OF)
    return NULL;
}

static void *callback_for(const char *function)
{
#define CALLBACK_OF(name)                                                                          \
    if (is_about(function, #name))                                                                 \
        return (void *)(uintptr_t)name##_over;
    RDMA_KINDS(CALLBACK_OF)
    return NULL;
}

static enum given argue_callback(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "successful_task_completion_cb") || same(param, "error_task_completion_cb"))
        return GIVE(callback_for(function));
    if (same(param, "doca_rdma_connect_request_cb"))
        return GIVE(on_request);
    if (same(param, "doca_rdma_connect_established_cb"))
        return GIVE(on_established);
    if (same(param, "doca_rdma_connect_failure_cb") || same(param, "doca_rdma_disconnect_cb"))
        return GIVE(on_end);
    return GIVEN_NONE;
}

static enum given argue_object(const char *function, const char *param, uint64_t *value)
{
    bool takes = strstr(function, "_allocate_init") != NULL;

    if (same(param, "dev"))
        return GIVE(rw.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(rw.dev));
    if (same(param, "rdma"))
        return same(function, "doca_rdma_create") ? GIVEN_NONE : GIVE(rw.rdma);
    if (same(param, "addr") && !strstr(function, "_create") && !strstr(function, "_get_addr"))
        return GIVE_OBJECT(rw.addr);
    if (same(param, "rdma_connection") && !same(function, "doca_rdma_export") &&
        !strstr(function, "_prepare_"))
        return GIVE_OBJECT(rw.connection);
    if (same(param, "task") && !takes)
        return GIVE_OBJECT(task_for(function));
    if (same(param, "event"))
        return GIVE(rw.remote_event);
    if (same(param, "src_buf") || same(param, "dst_buf") || same(param, "result_buf"))
        return GIVE(rw.local);
    if (same(param, "remote_rdma_conn_details") || same(param, "private_data") ||
        same(param, "cm_id"))
        return GIVE(rw.details);
    return GIVEN_NONE;
}

// What is neither 0 nor an object is 1: sizes, numbers of tasks, settings, user data.
static bool number_for(const char *function, const char *param, uint64_t *value)
{
    static const char *const outs[] = {"local_rdma_conn_details", "gid_array", "address",
                                       "addr_type"};
    bool reads = strstr(function, "_get_") && !strstr(function, "_get_set_") &&
                 !strstr(function, "_allocate_init");

    *value = same(function, "doca_rdma_stop_listen_to_port") ? RDMA_PORT
             : same(param, "port")                           ? RDMA_PORT + 1
             : same(param, "remote_rdma_conn_details_size")  ? rw.details_size
             : same(param, "start_index") || same(param, "addr_type") ||
                     same(param, "transport_type") || same(param, "gid_index")
                 ? 0
                 : 1;
    if (same(param, "start_index") || same(param, "num_entries"))
        return true;
    if (same(function, "doca_rdma_cap_task_receive_get_max_dst_buf_list_len"))
        return same(param, "transport_type");
    for (size_t i = 0; i < sizeof(outs) / sizeof(outs[0]); i++)
        if (same(param, outs[i]) && !same(function, "doca_rdma_addr_create"))
            return false;
    return !reads && !strstr(param, "local_rdma");
}

enum given rw_argue(const char *function, const char *param, uint64_t *value)
{
    if (same(function, "doca_rdma_addr_create") && same(param, "address"))
        return GIVE("127.0.0.1");
    if (argue_callback(function, param, value) == GIVEN)
        return GIVEN;
    enum given object = argue_object(function, param, value);
    if (object != GIVEN_NONE)
        return object;
    static const char *const made[] = {"rdma", "rdma_connection", "task", "addr", "dpa_comp"};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        if (same(param, made[i]))
            return GIVEN_NONE;
    return number_for(function, param, value) ? GIVEN : GIVEN_NONE;
}

const struct lifetime rw_lifetimes[] = {
    {"doca_rdma_create", "doca_rdma_destroy", &rw.rdma},
    {"doca_rdma_addr_create", "doca_rdma_addr_destroy", &rw.addr},
    {NULL}};
