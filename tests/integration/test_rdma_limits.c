// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Uses a device up to the limits that it reports: on a software function, and on an ibverbs
// device if DOCAD_TEST_FUNCTION names one. Two instances of one process, connected.

#include "rdma_setting.h"

#include <doca_rdma_bridge.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct limits {
    uint32_t queue, list, message, gids;
};

static const struct doca_devinfo *info_of(const struct peer *p)
{
    return doca_dev_as_devinfo(p->dev);
}

static struct limits ask(const struct peer *p)
{
    struct limits is;
    uint32_t recvs, n;
    ck_assert_success(doca_rdma_get_max_send_queue_size(info_of(p), &is.queue));
    ck_assert_success(doca_rdma_get_max_recv_queue_size(info_of(p), &recvs));
    ck_assert_uint_eq(recvs, is.queue);
    ck_assert_success(doca_rdma_get_max_message_size(info_of(p), &is.message));
    ck_assert_success(doca_rdma_get_gid_table_size((struct doca_devinfo *)info_of(p), &is.gids));
    ck_assert_success(doca_rdma_get_max_buf_chain_len(info_of(p), DOCA_RDMA_JOB_SEND,
                                                      DOCA_RDMA_TRANSPORT_RC, &is.list));
    ck_assert_success(doca_rdma_get_max_buf_chain_len(info_of(p), DOCA_RDMA_JOB_RECV,
                                                      DOCA_RDMA_TRANSPORT_RC, &n));
    ck_assert_uint_eq(n, is.list);
    return is;
}

// Stops it, so that it can be set.
static void stop(struct peer *p)
{
    ck_assert_success(doca_ctx_workq_rm(p->ctx, p->workq));
    ck_assert_success(doca_ctx_stop(p->ctx));
}

static void start(struct peer *p)
{
    ck_assert_success(doca_ctx_start(p->ctx));
    ck_assert_success(doca_ctx_workq_add(p->ctx, p->workq));
}

// A list of n buffers, each of `part` bytes, one after the other in the memory.
static struct doca_buf *list_of(struct peer *p, uint32_t n, size_t part, bool data)
{
    struct doca_buf *list = NULL;
    for (uint32_t i = n; i-- > 0;) {
        struct doca_buf *b = data ? peer_buf(p, i * part, part) : peer_room(p, i * part, part);
        if (list)
            ck_assert_success(doca_buf_list_chain(b, list));
        list = b;
    }
    return list;
}

// One process must ask for both: a long message is moved by both sides.
static void await_both(struct peer *p, struct peer *q)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t of_p = DOCA_ERROR_AGAIN, of_q = DOCA_ERROR_AGAIN;
    while (of_p == DOCA_ERROR_AGAIN || of_q == DOCA_ERROR_AGAIN) {
        ck_assert_msg(now_ms() < deadline, "a job hangs");
        of_p = of_p == DOCA_ERROR_AGAIN ? peer_poll(p) : of_p;
        of_q = of_q == DOCA_ERROR_AGAIN ? peer_poll(q) : of_q;
    }
    ck_assert_success(of_p);
    ck_assert_success(of_q);
}

// One message from p to q, in lists of so many buffers.
static void send_lists(struct peer *p, struct peer *q, uint32_t n_from, size_t from, uint32_t n_to,
                       size_t to)
{
    struct doca_buf *source = list_of(p, n_from, from, true), *room = list_of(q, n_to, to, false);
    pattern(p->memory, n_from * from, (unsigned)(n_from + from));
    memset(q->memory, 0, n_to * to);
    ck_assert_success(peer_try_recv(q, room));
    ck_assert_success(peer_try_send(p, source, NULL));
    await_both(p, q);
    ck_assert_uint_eq(q->result.length, n_from * from);
    ck_assert(is_pattern(q->memory, n_from * from, (unsigned)(n_from + from)));
    drop(source);
    drop(room);
}

// ---- queues and lists

static void assert_plausible(const struct peer *p, const struct limits *is)
{
    struct ibv_device_attr device;
    struct ibv_port_attr port;
    struct ibv_pd *pd;
    ck_assert_uint_eq(is->queue & (is->queue - 1), 0);
    if (!peer_function()) {
        ck_assert(is->queue == 32768 && is->list == 64 && is->message == 1u << 31 && is->gids == 2);
        return;
    }
    ck_assert_success(doca_dev_get_pd(p->dev, &pd));
    ck_assert_int_eq(ibv_query_device(pd->context, &device), 0);
    ck_assert_int_eq(ibv_query_port(pd->context, 1, &port), 0);
    ck_assert_uint_le(is->queue, (uint32_t)device.max_qp_wr);
    ck_assert_uint_le(2 * is->queue, (uint32_t)device.max_cqe);
    ck_assert_uint_le(is->list, (uint32_t)device.max_sge);
    ck_assert_uint_eq(is->message, port.max_msg_sz);
    ck_assert_uint_eq(is->gids, (uint32_t)port.gid_tbl_len);
}

static void uses_all(struct peer *p, struct peer *q)
{
    struct peer *both[] = {p, q};
    struct limits is = ask(p);
    assert_plausible(p, &is);
    for (int i = 0; i < 2; i++) {
        struct doca_rdma *rdma = both[i]->rdma;
        stop(both[i]);
        ck_assert_error(doca_rdma_set_send_queue_size(rdma, is.queue + 1),
                        DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_error(doca_rdma_set_recv_queue_size(rdma, is.queue + 1),
                        DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_error(doca_rdma_set_recv_buf_chain_len(rdma, is.list + 1),
                        DOCA_ERROR_INVALID_VALUE);
        ck_assert_success(doca_rdma_set_send_queue_size(rdma, is.queue));
        ck_assert_success(doca_rdma_set_recv_queue_size(rdma, is.queue));
        ck_assert_success(doca_rdma_set_recv_buf_chain_len(rdma, is.list));
        start(both[i]);
    }
    connect_both(p, q);
    send_lists(p, q, is.list, 100, is.list, 100);
    send_lists(p, q, 1, is.list * 10, is.list, 10);
    send_lists(p, q, is.list, 300, 1, is.list * 300);
    struct doca_buf *longer = list_of(p, is.list + 1, 8, true);
    ck_assert_success(peer_try_send(p, longer, NULL));
    ck_assert_error(peer_wait(p), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    drop(longer);
}

START_TEST(queues_and_lists)
{
    run_in_one(ONE_NODE, uses_all);
}
END_TEST

// Set before the device is known, too much is refused when the instance starts.
static void sets_too_early(struct peer *p, struct peer *q)
{
    struct doca_rdma *rdma;
    (void)q;
    bool more = ask(p).queue < 32768;
    for (int i = 0; i < 2; i++) {
        ck_assert_success(doca_rdma_create(&rdma));
        ck_assert_error(doca_rdma_set_send_queue_size(rdma, 32769), DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_success(i ? doca_rdma_set_recv_buf_chain_len(rdma, 64)
                            : doca_rdma_set_send_queue_size(rdma, 32768));
        ck_assert_success(doca_ctx_dev_add(doca_rdma_as_ctx(rdma), p->dev));
        ck_assert_error(doca_ctx_start(doca_rdma_as_ctx(rdma)),
                        more ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS);
        if (!more)
            ck_assert_success(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
        ck_assert_success(doca_rdma_destroy(rdma));
    }
}

START_TEST(set_too_early)
{
    run_in_one(ONE_NODE, sets_too_early);
}
END_TEST

// ---- sizes at which devices change their ways

static void sends_all_sizes(struct peer *p, struct peer *q)
{
    // Bytes that fit into a work request go inline: 220 bytes are wished for, rxe gives 512.
    static const size_t sizes[] = {1, 63, 64, 65, 219, 220, 221, 511, 512, 513, 4095, 4096, 4097};
    connect_both(p, q);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (uint32_t n = 1; n <= 16; n *= 2)
            if (sizes[i] >= n)
                send_lists(p, q, n, sizes[i] / n, 1, sizes[i]);
}

START_TEST(sizes_of_lists)
{
    run_in_one(ONE_NODE, sends_all_sizes);
}
END_TEST

// ---- GIDs

static bool is_zero(const struct doca_rdma_gid *gid)
{
    static const struct doca_rdma_gid zero;
    return memcmp(gid->raw, zero.raw, sizeof(zero.raw)) == 0;
}

static void assert_true_gid(const struct peer *p, uint32_t index, const struct doca_rdma_gid *gid)
{
    union ibv_gid true_gid;
    struct ibv_pd *pd;
    if (!peer_function())
        return;
    ck_assert_success(doca_dev_get_pd(p->dev, &pd));
    ck_assert_int_eq(ibv_query_gid(pd->context, 1, (int)index, &true_gid), 0);
    ck_assert_mem_eq(gid->raw, true_gid.raw, sizeof(true_gid.raw));
}

static void use_gid(struct peer *p, struct peer *q, uint32_t index)
{
    struct peer *both[] = {p, q};
    uint32_t is;
    for (int i = 0; i < 2; i++) {
        stop(both[i]);
        ck_assert_success(doca_rdma_set_gid_index(both[i]->rdma, index));
        ck_assert_success(doca_rdma_get_gid_index(both[i]->rdma, &is));
        ck_assert_uint_eq(is, index);
        start(both[i]);
    }
}

static void uses_its_gids(struct peer *p, struct peer *q)
{
    struct doca_rdma_gid *gids;
    uint32_t used = 0, gap = UINT32_MAX;
    uint32_t n = ask(p).gids;
    struct doca_devinfo *info = doca_dev_as_devinfo(p->dev);
    ck_assert_ptr_nonnull(gids = calloc(n, sizeof(*gids)));
    ck_assert_success(doca_rdma_get_gid(info, 0, n, gids));
    ck_assert_error(doca_rdma_get_gid(info, 1, n, gids), DOCA_ERROR_INVALID_VALUE);
    for (uint32_t i = 0; i < n; i++) {
        if (is_zero(&gids[i])) {
            gap = i;
            continue;
        }
        assert_true_gid(p, i, &gids[i]);
        use_gid(p, q, i);
        used++;
    }
    // The last one is of an IPv4 address; a link-local one need not reach itself.
    ck_assert_uint_gt(used, 0);
    connect_both(p, q);
    send_lists(p, q, 1, 100, 1, 100);
    stop(p);
    ck_assert_error(doca_rdma_set_gid_index(p->rdma, n), DOCA_ERROR_INVALID_VALUE);
    if (peer_function()) { // only there it is of any use
        ck_assert_uint_ne(gap, UINT32_MAX);
        ck_assert_success(doca_rdma_set_gid_index(p->rdma, gap));
        ck_assert_error(doca_ctx_start(p->ctx), DOCA_ERROR_INITIALIZATION);
        ck_assert_success(doca_rdma_set_gid_index(p->rdma, 0));
    }
    start(p);
    free(gids);
}

START_TEST(gids)
{
    run_in_one(ONE_NODE, uses_its_gids);
}
END_TEST

// ---- keys

static void asks_for_keys(struct peer *p, struct peer *q)
{
    struct ibv_pd *pd;
    uint32_t own = 0, key = 0;
    struct blob map = peer_export_map(p);
    peer_import(q, &map);
    struct doca_buf *local = peer_buf(p, 0, 8), *remote = peer_remote_buf(q, 0, 8);
    if (peer_function()) {
        // Memory that others may reach has the same number on all devices that are known.
        ck_assert_success(doca_buf_get_mkey(local, p->dev, &own));
        ck_assert_success(doca_buf_get_mkey(remote, q->dev, &key));
        ck_assert_uint_ne(own, 0);
        ck_assert_uint_eq(own, key);
    } else {
        ck_assert_error(doca_buf_get_mkey(local, p->dev, &own), DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_error(doca_buf_get_mkey(remote, q->dev, &key), DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_error(doca_dev_get_pd(p->dev, &pd), DOCA_ERROR_BAD_STATE);
    }
    drop(local);
    drop(remote);
}

START_TEST(keys)
{
    run_in_one(ONE_NODE, asks_for_keys);
}
END_TEST

// ---- cards

static void fails_to_send(struct peer *p, struct peer *q, struct doca_buf *source,
                          doca_error_t error)
{
    struct doca_buf *room = list_of(q, 1, 8192, false);
    ck_assert_success(peer_try_recv(q, room));
    ck_assert_success(peer_try_send(p, source, NULL));
    ck_assert_error(peer_wait(p), error);
    stop(q);
    start(q);
    drop(source);
    drop(room);
}

static void sends_as_a_card(struct peer *p, struct peer *q)
{
    struct limits is = ask(p);
    ck_assert(is.queue == 64 && is.list == 4 && is.message == 4096);
    uint32_t size; // the default is 128
    ck_assert_success(doca_rdma_get_send_queue_size(p->rdma, &size));
    ck_assert_uint_eq(size, 64);
    stop(p);
    ck_assert_error(doca_rdma_set_send_queue_size(p->rdma, 65), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_success(doca_rdma_set_send_queue_size(p->rdma, 64));
    start(p);
    connect_both(p, q);
    send_lists(p, q, 1, 4096, 1, 4096);
    send_lists(p, q, 4, 1024, 1, 4096);
    fails_to_send(p, q, list_of(p, 1, 4097, true), DOCA_ERROR_IO_FAILED);
}

static void sends_long_lists_as_a_card(struct peer *p, struct peer *q)
{
    connect_both(p, q);
    fails_to_send(p, q, list_of(p, 5, 8, true), DOCA_ERROR_INVALID_VALUE);
}

START_TEST(cards)
{
    struct path card = temp_file("small.conf", "rdma.max_message_size = 4K\n"
                                               "rdma.max_send_queue_size = 100\n"
                                               "rdma.max_recv_queue_size = 64\n"
                                               "rdma.max_send_buf_list_len = 4\n"
                                               "over_limit_fails = yes\n");
    ck_assert_int_eq(setenv("DOCAD_CARD", card.s, 1), 0);
    run_in_one(ONE_NODE, sends_as_a_card);
    run_in_one(ONE_NODE, sends_long_lists_as_a_card);
    ck_assert_int_eq(unsetenv("DOCAD_CARD"), 0);
    unlink(card.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rdma limits");
    TCase *shared = setting_shared_case(suite);
    tcase_add_loop_test(shared, queues_and_lists, 0, 1);
    tcase_add_loop_test(shared, set_too_early, 0, 1);
    tcase_add_loop_test(shared, sizes_of_lists, 0, 1);
    tcase_add_loop_test(shared, gids, 0, 1);
    tcase_add_loop_test(shared, keys, 0, 1);
    tcase_add_loop_test(shared, cards, 0, 1);
    return run_suite(suite);
}
