// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, connected out of band, on software functions or on the ibverbs device that
// DOCAD_TEST_FUNCTION names: all tasks, the end of one connection among others, stopping, and
// refusals. test_doca3_rdma_many.c has what the connections of a context share.

#include "deadline.h"
#include "nodes.h"
#include "rdma_3.h"

#include <arpa/inet.h>
#include <string.h>

#define BIG ((size_t)1 << 20)

// ---- two programs

static void accesses(struct side *s, struct doca_rdma_connection *c, struct doca_mmap *map,
                     uint8_t *there)
{
    union doca_data none = {0};
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_read *read;
    struct doca_rdma_task_write_imm *imm;
    struct doca_rdma_task_atomic_fetch_add *add;
    struct doca_rdma_task_atomic_cmp_swp *swp;
    struct doca_buf *from = data_at(s, 0, 100), *to = room_at(s, 4096, 100);
    struct doca_buf *bytes = remote_at(s, map, there + 8192, 100);
    struct doca_buf *word = remote_at(s, map, there + 16384, 8);
    struct doca_buf *old = room_at(s, 8192, 8), *older = data_at(s, 8200, 8);
    unsigned ended = s->done;

    memset(s->memory, 0x5a, 100);
    OK(doca_rdma_task_write_allocate_init(s->rdma, c, from, bytes, none, &write));
    OK(doca_rdma_task_read_allocate_init(s->rdma, c, bytes, to, none, &read));
    OK(doca_rdma_task_atomic_fetch_add_allocate_init(s->rdma, c, word, old, 5, none, &add));
    OK(doca_rdma_task_atomic_cmp_swp_allocate_init(s->rdma, c, word, older, 12, 99, none, &swp));
    OK(doca_rdma_task_write_imm_allocate_init(s->rdma, c, from, bytes, htonl(77), none, &imm));
    ck_assert_ptr_eq(doca_rdma_task_write_get_rdma_connection(write), c);
    ck_assert_ptr_eq(doca_rdma_task_read_get_src_buf(read), bytes);
    ck_assert_uint_eq(doca_rdma_task_atomic_cmp_swp_get_cmp_data(swp), 12);
    ck_assert_uint_eq(doca_rdma_task_atomic_cmp_swp_get_swap_data(swp), 99);
    submit(doca_rdma_task_write_as_task(write));
    submit(doca_rdma_task_read_as_task(read));
    submit(doca_rdma_task_atomic_fetch_add_as_task(add));
    submit(doca_rdma_task_atomic_cmp_swp_as_task(swp));
    submit(doca_rdma_task_write_imm_as_task(imm));
    progress_until(s, ended + 5, 0);
    ck_assert_uint_eq(s->failed, 0);
    ck_assert_mem_eq(s->memory + 4096, s->memory, 100);
    ck_assert_uint_eq(*(uint64_t *)(void *)(s->memory + 8192), 7);
    ck_assert_uint_eq(*(uint64_t *)(void *)(s->memory + 8200), 12);
    drop_buf(from), drop_buf(to), drop_buf(bytes), drop_buf(word), drop_buf(old), drop_buf(older);
}

// Connects first, and submits at once, while the other side has not connected.
static void requester(struct side *s)
{
    uint8_t *there;

    struct doca_rdma_connection *c = side_offer(s);
    struct doca_mmap *map = side_take_map(s, &there);
    side_take(s, c);
    struct doca_buf *short_one = data_at(s, 0, 64), *long_one = data_at(s, BIG, BIG);
    memset(s->memory, 0x11, 64);
    memset(s->memory + BIG, 0x22, BIG);
    submit_send(s, c, short_one);
    submit_send_imm(s, c, NULL, htonl(5));
    submit_send(s, c, long_one);
    child_tell(s->self, "submitted");
    progress_until(s, 3, 0);
    ck_assert_uint_eq(s->failed, 0);
    accesses(s, c, map, there);
    drop_buf(short_one), drop_buf(long_one);
    child_wait(s->self, "end");
    OK(doca_mmap_destroy(map));
}

static void assert_message(const struct received *m, enum doca_rdma_opcode opcode, uint32_t length,
                           uint32_t immediate, const struct doca_rdma_connection *c)
{
    ck_assert_int_eq(m->opcode, opcode);
    ck_assert_uint_eq(m->length, length);
    if (opcode != DOCA_RDMA_OPCODE_RECV_SEND)
        ck_assert_uint_eq(ntohl(m->immediate), immediate);
    ck_assert_ptr_eq(m->connection, c);
}

static bool sleeps;

static void responder(struct side *s)
{
    *(uint64_t *)(void *)(s->memory + 16384) = 7;
    struct doca_rdma_connection *c = side_offer(s);
    side_send_map(s);
    struct doca_buf *short_one = room_at(s, 0, 64), *long_one = room_at(s, BIG, BIG);
    post_receive(s, short_one); // before it is connected
    post_receive(s, NULL);
    post_receive(s, long_one);
    post_receive(s, NULL);
    side_take(s, c);
    (sleeps ? sleep_until : progress_until)(s, 0, 4);
    ck_assert_uint_eq(s->receives_failed, 0);
    assert_message(&s->messages[0], DOCA_RDMA_OPCODE_RECV_SEND, 64, 0, c);
    assert_message(&s->messages[1], DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, 0, 5, c);
    assert_message(&s->messages[2], DOCA_RDMA_OPCODE_RECV_SEND, BIG, 0, c);
    assert_message(&s->messages[3], DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, 100, 77, c);
    ck_assert_uint_eq(s->memory[0], 0x11);
    ck_assert_uint_eq(s->memory[BIG], 0x22);
    ck_assert_uint_eq(s->memory[2 * BIG - 1], 0x22);
    ck_assert_uint_eq(s->memory[8192], 0x5a);
    ck_assert_uint_eq(*(uint64_t *)(void *)(s->memory + 16384), 99);
    drop_buf(short_one), drop_buf(long_one);
    child_tell(s->self, "received");
    child_wait(s->self, "end");
}

START_TEST(two_programs)
{
    uint8_t late[512];
    sleeps = _i;
    struct child *b = side_start_in(nodes.host, "responder", 1, responder);
    struct child *a = side_start_in(nodes.host, "requester", 1, requester);
    size_t size = child_receive(a, late, sizeof(late));
    uint8_t details[512];
    size_t details_size = child_receive(b, details, sizeof(details));
    pass_on(b, a); // the map
    pass_on(b, a);
    child_send(a, details, details_size);
    child_wait(a, "submitted");
    child_send(b, late, size);
    child_wait(b, "received");
    child_tell(a, "end");
    child_tell(b, "end");
    child_join(a);
    child_join(b);
}
END_TEST

// ---- ends

static void stops(struct sides *s)
{
    static const enum doca_ctx_states states[] = {DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING,
                                                  DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE};
    struct doca_rdma_connection *old;
    struct doca_rdma_task_send *task;

    old = s->at_a[0];
    post_receive(&s->a, NULL);
    submit_send(&s->a, s->at_a[0], NULL); // nobody receives it
    ck_assert_int_eq(doca_ctx_stop(s->a.ctx), DOCA_ERROR_IN_PROGRESS);
    side_stop(&s->a);
    ck_assert_uint_eq(s->a.failed, 1);
    ck_assert_uint_eq(s->a.receives_failed, 1);
    ck_assert_uint_eq(s->a.n_states, 4);
    ck_assert_mem_eq(s->a.states, states, sizeof(states));
    // Again, with new connections.
    side_stop(&s->b);
    side_start(&s->a);
    side_start(&s->b);
    OK(doca_rdma_task_send_allocate_init(s->a.rdma, old, NULL, (union doca_data){0}, &task));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_task_submit(doca_rdma_task_send_as_task(task)));
    side_join(&s->a, &s->at_a[0], &s->b, &s->at_b[0]);
    doca_rdma_task_send_set_rdma_connection(task, s->at_a[0]);
    submit(doca_rdma_task_send_as_task(task));
    post_receive(&s->b, NULL);
    progress_until(&s->a, 2, 1);
    progress_until(&s->b, 0, 1);
    ck_assert_uint_eq(s->a.done, 1);
    ck_assert_uint_eq(s->b.received, 1);
}

START_TEST(stop_flushes_and_start_begins_anew)
{
    run_sides(&(struct sides_plan){0}, stops);
}
END_TEST

static void server_of_two(struct side *s)
{
    struct doca_rdma_connection *c[2];

    for (unsigned i = 0; i < 2; i++) {
        c[i] = side_offer(s);
        side_take(s, c[i]);
    }
    post_receive(s, NULL);
    submit_send(s, c[0], NULL); // its program is killed and never receives it
    child_tell(s->self, "submitted");
    progress_until(s, 1, 0);
    ck_assert_uint_eq(s->failed, 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_uint_eq(s->received + s->receives_failed, 0);
    submit_send(s, c[0], NULL); // taken, and fails
    progress_until(s, 2, 0);
    ck_assert_uint_eq(s->failed, 2);
    submit_send(s, c[1], NULL);
    child_tell(s->self, "failed");
    progress_until(s, 3, 1);
    ck_assert_uint_eq(s->done, 1);
    ck_assert_uint_eq(s->received, 1);
    ck_assert_ptr_eq(s->messages[0].connection, c[1]);
}

static void client_of_two(struct side *s)
{
    struct doca_rdma_connection *c = side_offer(s);
    side_take(s, c);
    child_tell(s->self, "connected");
    child_wait(s->self, "go on");
    post_receive(s, NULL);
    submit_send(s, c, NULL);
    progress_until(s, 1, 1);
    ck_assert_uint_eq(s->failed + s->receives_failed, 0);
}

START_TEST(one_connection_dies)
{
    struct child *server = side_start_in(nodes.host, "server", 2, server_of_two);
    struct child *clients[2];
    for (unsigned i = 0; i < 2; i++) {
        clients[i] = side_start_in(nodes.host, i ? "survivor" : "victim", 1, client_of_two);
        pass_on(server, clients[i]);
        pass_on(clients[i], server);
        child_wait(clients[i], "connected");
    }
    child_wait(server, "submitted");
    child_kill(clients[0]);
    child_wait(server, "failed");
    child_tell(clients[1], "go on");
    child_join(clients[1]);
    child_join(server);
}
END_TEST

// ---- refusals

static void refuses_settings(struct side *s, doca_error_t valid)
{
    REFUSED(valid, doca_rdma_set_send_queue_size(s->rdma, 64));
    REFUSED(valid, doca_rdma_set_recv_queue_size(s->rdma, 64));
    REFUSED(valid, doca_rdma_set_max_send_buf_list_len(s->rdma, 2));
    REFUSED(valid, doca_rdma_task_receive_set_dst_buf_list_len(s->rdma, 2));
    REFUSED(valid, doca_rdma_set_transport_type(s->rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
    REFUSED(valid, doca_rdma_set_mtu(s->rdma, DOCA_MTU_SIZE_1K_BYTES));
    REFUSED(valid, doca_rdma_set_permissions(s->rdma, DOCA_ACCESS_FLAG_RDMA_READ));
    REFUSED(valid, doca_rdma_set_grh_enabled(s->rdma, 1));
    REFUSED(valid, doca_rdma_set_gid_index(s->rdma, 0));
    REFUSED(valid, doca_rdma_set_sl(s->rdma, 3));
    REFUSED(valid, doca_rdma_set_max_num_connections(s->rdma, 1));
    REFUSED(valid, doca_rdma_set_rnr_retry_count(s->rdma, 3));
}

static void refuses_values(struct side *s)
{
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_send_queue_size(s->rdma, 0));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_send_queue_size(s->rdma, 1u << 31));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_max_send_buf_list_len(s->rdma, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_receive_set_dst_buf_list_len(s->rdma, 4000));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_rdma_set_transport_type(s->rdma, DOCA_RDMA_TRANSPORT_TYPE_DC + 1));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_mtu(s->rdma, DOCA_MTU_SIZE_RAW_ETHERNET));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_permissions(s->rdma, 1u << 30));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_grh_enabled(s->rdma, 2));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_gid_index(s->rdma, 1u << 20));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_sl(s->rdma, 16));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_max_num_connections(s->rdma, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_rnr_retry_count(s->rdma, 8));
}

static void refuses_null(struct side *s, struct doca_rdma_connection *c)
{
    struct doca_rdma_connection *made;
    struct doca_rdma_task_write *task;
    union doca_data none = {0};
    const void *bytes;
    size_t size;

    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_create(NULL, &s->rdma));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_create(s->dev, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_destroy(NULL));
    ck_assert_ptr_null(doca_rdma_as_ctx(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(NULL, &bytes, &size, &made));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(s->rdma, NULL, &size, &made));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(s->rdma, &bytes, NULL, &made));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(s->rdma, &bytes, &size, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(NULL, s, 1, c));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(s->rdma, NULL, 1, c));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(s->rdma, s, 1, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(s->rdma, s, 1, c)); // no descriptor
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_get_id(c, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_set_user_data(NULL, none));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_task_send_is_supported(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_send_set_conf(s->rdma, NULL, NULL, 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_rdma_task_write_allocate_init(s->rdma, NULL, NULL, NULL, none, &task));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_rdma_task_write_allocate_init(s->rdma, c, NULL, NULL, none, NULL));
    ck_assert_ptr_null(doca_rdma_task_write_as_task(NULL));
    ck_assert_ptr_null(doca_rdma_task_write_get_dst_buf(NULL));
    doca_rdma_task_write_set_dst_buf(NULL, NULL);
}

// Work that cannot be done fails by itself, and leaves its connection alone.
static void wrong_tasks(struct side *s, struct doca_rdma_connection *c)
{
    union doca_data none = {0};
    struct doca_buf *one = data_at(s, 0, 8), *two = data_at(s, 64, 8);
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_atomic_fetch_add *add;

    OK(doca_rdma_task_write_allocate_init(s->rdma, c, one, NULL, none, &write));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_rdma_task_write_as_task(write)));
    submit(doca_rdma_task_write_as_task(write));
    OK(doca_rdma_task_atomic_fetch_add_allocate_init(s->rdma, c, one, NULL, 1, none, &add));
    submit(doca_rdma_task_atomic_fetch_add_as_task(add));
    OK(doca_buf_chain_list(one, two));
    submit_send(s, c, one); // a list has one buffer unless it was set
    progress_until(s, 3, 0);
    ck_assert_uint_eq(s->failed, 3);
    ck_assert_int_eq(s->last, DOCA_ERROR_INVALID_VALUE);
    drop_buf(one);
}

static void refuses(struct sides *s)
{
    struct side *a = &s->a, *b = &s->b;
    struct doca_rdma_connection *ca, *cb, *none = NULL;
    struct doca_rdma_task_send *task = NULL;
    struct details da, db;
    const void *bytes;
    size_t size;

    refuses_values(a);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_export(a->rdma, &bytes, &size, &none));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_task_send_allocate_init(a->rdma, (void *)a, NULL,
                                                                    (union doca_data){0}, &task));
    side_start(a);
    side_start(b);
    refuses_settings(a, DOCA_ERROR_BAD_STATE);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_destroy(a->rdma));
    ca = side_export(a, &da);
    cb = side_export(b, &db);
    OK(doca_rdma_task_send_allocate_init(a->rdma, ca, NULL, (union doca_data){0}, &task));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_task_submit(doca_rdma_task_send_as_task(task)));
    refuses_null(a, ca);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a->rdma, db.bytes, db.size, cb));
    side_connect(a, ca, &db);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a->rdma, db.bytes, db.size, ca));
    side_connect(b, cb, &da);
    doca_task_free(doca_rdma_task_send_as_task(task));
    wrong_tasks(a, ca);
    submit_send(a, ca, NULL);
    post_receive(b, NULL);
    progress_until(a, 4, 0);
    progress_until(b, 0, 1);
    ck_assert_uint_eq(a->done, 1);
    side_stop(a);
    refuses_settings(a, DOCA_SUCCESS);
}

START_TEST(refusals)
{
    run_sides(&(struct sides_plan){.idle = true}, refuses);
}
END_TEST

// ---- DC: a reliable connection for each peer

static void no_request(struct doca_rdma_connection *c, union doca_data data)
{
    (void)c, (void)data;
}

static void no_change(struct doca_rdma_connection *c, union doca_data of_c, union doca_data data)
{
    (void)c, (void)of_c, (void)data;
}

static void dynamically(struct sides *s)
{
    enum doca_rdma_transport_type transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
    struct doca_rdma_addr *addr;
    uint32_t buffers;

    OK(doca_rdma_get_transport_type(s->a.rdma, &transport));
    ck_assert_int_eq(transport, DOCA_RDMA_TRANSPORT_TYPE_RC);
    OK(doca_rdma_cap_transport_type_is_supported(doca_dev_as_devinfo(s->a.dev),
                                                 DOCA_RDMA_TRANSPORT_TYPE_DC));
    OK(doca_rdma_cap_task_receive_get_max_dst_buf_list_len(doca_dev_as_devinfo(s->a.dev),
                                                           DOCA_RDMA_TRANSPORT_TYPE_DC, &buffers));
    OK(doca_rdma_set_transport_type(s->a.rdma, DOCA_RDMA_TRANSPORT_TYPE_DC));
    OK(doca_rdma_set_transport_type(s->b.rdma, DOCA_RDMA_TRANSPORT_TYPE_DC));
    OK(doca_rdma_set_connection_state_callbacks(s->a.rdma, no_request, no_change, no_change,
                                                no_change));
    side_start(&s->a);
    side_start(&s->b);
    OK(doca_rdma_get_transport_type(s->a.rdma, &transport));
    ck_assert_int_eq(transport, DOCA_RDMA_TRANSPORT_TYPE_DC);
    side_join(&s->a, &s->at_a[0], &s->b, &s->at_b[0]);
    post_receive(&s->b, NULL);
    submit_send(&s->a, s->at_a[0], NULL);
    progress_until(&s->a, 1, 0);
    progress_until(&s->b, 0, 1);
    ck_assert_ptr_eq(s->b.messages[0].connection, s->at_b[0]);
    // Its connections have no address.
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_start_listen_to_port(s->a.rdma, 4791));
    OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 4791, &addr));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_rdma_connect_to_addr(s->a.rdma, addr, (union doca_data){0}));
    OK(doca_rdma_addr_destroy(addr));
}

START_TEST(dynamic_connections)
{
    run_sides(&(struct sides_plan){.idle = true}, dynamically);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, two_programs, 0, 2);
    tcase_add_test(tcase, stop_flushes_and_start_begins_anew);
    tcase_add_test(tcase, one_connection_dies);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, dynamic_connections);
    return run_suite(suite);
}
