// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what programs are told of a function that an ibverbs device backs, and may set.
// There is neither a docad nor a device: the function is one that this test describes.

#include "cleanup.h"
#include "core/device_card.h"
#include "core/device_object.h"
#include "rdma/rdma.h"
#include "unit.h"

#include <doca_rdma_bridge.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

static char name[] = "ib0";
static Docad__FunctionVerbs verbs;
static Docad__Function function;
static struct doca_devinfo devinfo = {.function = &function};

static void describe(void)
{
    verbs = (Docad__FunctionVerbs)DOCAD__FUNCTION_VERBS__INIT;
    verbs.port = 1;
    verbs.lid = 0xfedc;
    verbs.max_queue = 8192;
    verbs.max_list = 13;
    verbs.max_message = 1u << 20;
    verbs.gid_table = 4;
    function = (Docad__Function)DOCAD__FUNCTION__INIT;
    function.name = function.ibdev = name;
    function.backing = DOCAD__BACKING__VERBS;
    function.verbs = &verbs;
    card_init(&devinfo.card);
}

START_TEST(limits_of_a_card)
{
    uint32_t n;
    describe();
    devinfo.card.values[CARD_RDMA_SEND_QUEUE] = 16;
    devinfo.card.values[CARD_RDMA_RECV_QUEUE] = 32;
    devinfo.card.values[CARD_RDMA_MESSAGE] = 4096;
    devinfo.card.values[CARD_RDMA_LIST] = 2;
    ck_assert_int_eq(doca_rdma_get_max_send_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 16);
    ck_assert_int_eq(doca_rdma_get_max_recv_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 32);
    ck_assert_int_eq(doca_rdma_get_max_message_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 4096);
    devinfo.card.values[CARD_RDMA_SEND_QUEUE] = 1u << 20; // the device has less
    ck_assert_int_eq(doca_rdma_get_max_send_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 8192);
    verbs.atomics = true;
    ck_assert_int_eq(doca_rdma_job_get_supported(&devinfo, DOCA_RDMA_JOB_ATOMIC_CMP_SWP),
                     DOCA_SUCCESS);
    devinfo.card.values[CARD_RDMA_ATOMICS] = 0;
    ck_assert_int_eq(doca_rdma_job_get_supported(&devinfo, DOCA_RDMA_JOB_ATOMIC_CMP_SWP),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_job_get_supported(&devinfo, DOCA_RDMA_JOB_SEND), DOCA_SUCCESS);
    devinfo.card.values[CARD_RDMA] = 0;
    ck_assert_int_eq(doca_rdma_job_get_supported(&devinfo, DOCA_RDMA_JOB_SEND),
                     DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

START_TEST(a_card_without_rdma)
{
    uint32_t n;
    struct doca_rdma_gid gid;
    describe();
    ck_assert_int_eq(doca_rdma_get_transport_type_supported(&devinfo, DOCA_RDMA_TRANSPORT_RC),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_get_transport_type_supported(&devinfo, DOCA_RDMA_TRANSPORT_DC),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_get_transport_type_supported(&devinfo, DOCA_RDMA_TRANSPORT_DC + 1),
                     DOCA_ERROR_INVALID_VALUE);
    devinfo.card.values[CARD_RDMA] = 0;
    ck_assert_int_eq(doca_rdma_get_transport_type_supported(&devinfo, DOCA_RDMA_TRANSPORT_RC),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_get_gid_table_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(doca_rdma_get_gid(&devinfo, 0, 1, &gid), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_get_max_send_queue_size(&devinfo, &n), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_get_max_recv_queue_size(&devinfo, &n), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_get_max_message_size(&devinfo, &n), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(
        doca_rdma_get_max_buf_chain_len(&devinfo, DOCA_RDMA_JOB_SEND, DOCA_RDMA_TRANSPORT_RC, &n),
        DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

// Sizes are rounded up to powers of two, but not beyond the limit.
START_TEST(a_limit_that_is_no_power_of_two)
{
    uint32_t n;
    describe();
    devinfo.card.values[CARD_RDMA_SEND_QUEUE] = 100;
    ck_assert_int_eq(doca_rdma_get_max_send_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 64);
    verbs.max_queue = 8191;
    ck_assert_int_eq(doca_rdma_get_max_recv_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 4096);
}
END_TEST

START_TEST(lid_of_a_port)
{
    uint16_t lid = 1;
    describe();
    ck_assert_int_eq(doca_devinfo_get_lid(NULL, &lid), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_devinfo_get_lid(&devinfo, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_devinfo_get_lid(&devinfo, &lid), DOCA_SUCCESS);
    ck_assert_uint_eq(lid, 0xfedc);
    lid = 1;
    verbs.ethernet = true;
    ck_assert_int_eq(doca_devinfo_get_lid(&devinfo, &lid), DOCA_ERROR_NOT_SUPPORTED);
    function.verbs = NULL;
    ck_assert_int_eq(doca_devinfo_get_lid(&devinfo, &lid), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_uint_eq(lid, 1);
}
END_TEST

static void assert_limits(uint32_t queue, uint32_t list, uint32_t message, uint32_t gids)
{
    uint32_t n;
    ck_assert_int_eq(doca_rdma_get_max_send_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, queue);
    ck_assert_int_eq(doca_rdma_get_max_recv_queue_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, queue);
    ck_assert_int_eq(doca_rdma_get_max_message_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, message);
    ck_assert_int_eq(doca_rdma_get_gid_table_size(&devinfo, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, gids);
    ck_assert_int_eq(
        doca_rdma_get_max_buf_chain_len(&devinfo, DOCA_RDMA_JOB_SEND, DOCA_RDMA_TRANSPORT_RC, &n),
        DOCA_SUCCESS);
    ck_assert_uint_eq(n, list);
    ck_assert_int_eq(doca_rdma_get_max_buf_chain_len(&devinfo, DOCA_RDMA_JOB_ATOMIC_CMP_SWP,
                                                     DOCA_RDMA_TRANSPORT_RC, &n),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1);
}

START_TEST(limits)
{
    describe();
    assert_limits(8192, 13, 1u << 20, 4);
    // Where the device has more than docad supports, it is of no use.
    verbs.max_queue = verbs.max_list = verbs.max_message = UINT32_MAX;
    assert_limits(RDMA_QUEUE_MAX, RDMA_LIST_MAX, RDMA_SIZE_MAX, 4);
    function.verbs = NULL;
    assert_limits(RDMA_QUEUE_MAX, RDMA_LIST_MAX, RDMA_SIZE_MAX, RDMA_GIDS);
}
END_TEST

START_TEST(gids)
{
    uint8_t raw[16] = {[15] = 7};
    Docad__VerbsGid gid = DOCAD__VERBS_GID__INIT, *list[] = {&gid};
    struct doca_rdma_gid out[4];
    const struct doca_rdma_gid none = {0};
    describe();
    gid.index = 2;
    gid.gid = (ProtobufCBinaryData){sizeof(raw), raw};
    verbs.gids = list;
    verbs.n_gids = 1;
    memset(out, 1, sizeof(out));
    ck_assert_int_eq(doca_rdma_get_gid(&devinfo, 0, 4, out), DOCA_SUCCESS);
    for (int i = 0; i < 4; i++)
        ck_assert_mem_eq(out[i].raw, i == 2 ? raw : none.raw, sizeof(raw));
    ck_assert_int_eq(doca_rdma_get_gid(&devinfo, 2, 1, out), DOCA_SUCCESS);
    ck_assert_mem_eq(out[0].raw, raw, sizeof(raw));
    ck_assert_int_eq(doca_rdma_get_gid(&devinfo, 2, 3, out), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_get_gid(&devinfo, 5, 0, out), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

// ---- settings ---------------------------------------------------------------------------------

// The device of a protection domain has a function, too, which is made the described one.
static struct doca_dev *open_described(Docad__Function *was)
{
    static struct ibv_device device = {.name = "ib0"};
    static struct ibv_context context = {.device = &device};
    static struct ibv_pd pd = {.context = &context};
    struct doca_dev *dev;
    ck_assert_int_eq(doca_dev_open_from_pd(&pd, &dev), DOCA_SUCCESS);
    Docad__Function *its = (Docad__Function *)dev_function(dev);
    describe();
    *was = *its;
    *its = function;
    return dev;
}

static void close_described(struct doca_dev *dev, const Docad__Function *was)
{
    *(Docad__Function *)dev_function(dev) = *was;
    ck_assert_int_eq(doca_dev_close(dev), DOCA_SUCCESS);
}

static void assert_settable(struct doca_rdma *rdma, uint32_t queue, uint32_t list, uint32_t gid_n)
{
    ck_assert_int_eq(doca_rdma_set_send_queue_size(rdma, queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_set_recv_queue_size(rdma, queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_set_recv_buf_chain_len(rdma, list), DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_set_gid_index(rdma, gid_n - 1), DOCA_SUCCESS);
    ck_assert_int_eq(doca_rdma_set_send_queue_size(rdma, queue + 1), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_set_recv_queue_size(rdma, queue + 1), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_set_recv_buf_chain_len(rdma, list + 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_set_gid_index(rdma, gid_n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_set_send_queue_size(rdma, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_set_recv_buf_chain_len(rdma, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(rdma->end.set.send_size, queue);
    ck_assert_uint_eq(rdma->end.set.recv_size, queue);
    ck_assert_uint_eq(rdma->end.set.recv_chain, list);
}

START_TEST(settings)
{
    Docad__Function was;
    struct doca_dev *dev = open_described(&was);
    struct doca_rdma *rdma;
    ck_assert_int_eq(doca_rdma_create(&rdma), DOCA_SUCCESS);
    assert_settable(rdma, RDMA_QUEUE_MAX, RDMA_LIST_MAX, RDMA_GIDS); // no device yet
    doca_rdma_as_ctx(rdma)->device = dev_ref(dev);
    assert_settable(rdma, 8192, 13, 4);
    ck_assert_int_eq(doca_rdma_destroy(rdma), DOCA_SUCCESS);
    close_described(dev, &was);
}
END_TEST

// A device of a protection domain imitates the card of the program.
START_TEST(the_card_of_a_domain)
{
    Docad__Function was;
    struct doca_rdma *rdma;
    ck_assert_int_eq(setenv("DOCAD_CARD", "bluefield-3", 1), 0);
    struct doca_dev *dev = open_described(&was);
    ck_assert_str_eq(dev_card(dev)->name, "bluefield-3");
    ck_assert_int_eq(doca_rdma_create(&rdma), DOCA_SUCCESS);
    doca_rdma_as_ctx(rdma)->device = dev_ref(dev);
    ck_assert_int_eq(doca_rdma_set_recv_queue_size(rdma, 64), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_rdma_set_recv_queue_size(rdma, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_rdma_destroy(rdma), DOCA_SUCCESS);
    close_described(dev, &was);
    ck_assert_int_eq(setenv("DOCAD_CARD", "bluefeild-3", 1), 0);
    static struct ibv_device device = {.name = "ib1"};
    static struct ibv_context context = {.device = &device};
    static struct ibv_pd pd = {.context = &context};
    ck_assert_int_eq(doca_dev_open_from_pd(&pd, &dev), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(unsetenv("DOCAD_CARD"), 0);
}
END_TEST

UNIT_MAIN("rdma_limits", the_card_of_a_domain, a_card_without_rdma, a_limit_that_is_no_power_of_two,
          limits_of_a_card, lid_of_a_port, limits, gids, settings)
