// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names of 2.5 and 2.6 that programs find in the headers of DOCA 3, with the signatures that they
// have there. That this compiles is half of the test.

#include "unit.h"

#include <doca_aes_gcm.h>
#include <doca_cc.h>
#include <doca_comm_channel.h>
#include <doca_compress.h>
#include <doca_log.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <doca_version.h>

static void on_message(struct doca_cc_event_msg_recv *event, uint8_t *bytes, uint32_t length,
                       struct doca_cc_connection *connection)
{
    (void)event, (void)bytes, (void)length, (void)connection;
}

START_TEST(names_of_2_6)
{
    doca_error_t (*set_size)(struct doca_cc_server *, uint32_t) = doca_cc_server_set_max_msg_size;
    doca_error_t (*send)(struct doca_cc_client *, struct doca_cc_connection *, const void *,
                         uint32_t, struct doca_cc_task_send **) =
        doca_cc_client_task_send_alloc_init;
    doca_error_t (*counter)(const struct doca_cc_connection *, enum doca_cc_counter, uint64_t *) =
        doca_cc_connection_get_counter;
    doca_cc_event_msg_recv_cb_t message = on_message;
    doca_error_t (*location)(struct doca_sync_event *) =
        doca_sync_event_add_subscriber_location_dpu;
    doca_error_t (*export)(struct doca_sync_event *, struct doca_dev *, const uint8_t **,
                           size_t *) = doca_sync_event_export_to_dpu;
    struct doca_comm_channel_ep_t *endpoint = NULL;
    uint64_t value;

    ck_assert_int_eq(set_size(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(send(NULL, NULL, NULL, 0, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(counter(NULL, DOCA_CC_COUNTER_SENT_BYTES, &value), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_cc_server_event_msg_recv_register(NULL, message),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(location(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(export(NULL, NULL, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sync_event_cap_task_wait_gt_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_comm_channel_ep_create(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_comm_channel_ep_listen(endpoint, "x"), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(names_of_2_5)
{
    doca_error_t (*most)(struct doca_devinfo const *, uint64_t *) =
        doca_sha_cap_get_max_src_buffer_size;
    doca_error_t (*least)(struct doca_devinfo const *, enum doca_sha_algorithm, uint32_t *) =
        doca_sha_cap_get_min_dst_buffer_size;
    doca_error_t (*last)(struct doca_sha_task_partial_hash *) =
        doca_sha_task_partial_hash_set_is_final_buffer;
    doca_error_t (*iv)(const struct doca_devinfo *, uint32_t *) =
        doca_aes_gcm_cap_task_decrypt_get_max_iv_length;
    doca_error_t (*tasks)(struct doca_compress *, uint32_t *) = doca_compress_get_max_num_tasks;
    uint32_t (*received)(const struct doca_rdma_task_receive *) =
        doca_rdma_task_receive_get_result_length;
    doca_error_t (*log)(char *, size_t, log_flush_callback, struct doca_log_backend **) =
        doca_log_backend_create_with_buffer;

    ck_assert_int_eq(most(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(least(NULL, DOCA_SHA_ALGORITHM_SHA1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(last(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(iv(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(tasks(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(received(NULL), 0);
    ck_assert_int_eq(log(NULL, 0, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_str_eq(DOCA_VER_STRING, doca_version());
    ck_assert_uint_eq(DOCA_CURRENT_VERSION_NUM,
                      DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH));
}
END_TEST

UNIT_MAIN("doca3_names", names_of_2_6, names_of_2_5)
