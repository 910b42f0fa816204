/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_cc.h
 * Comch under the names that it has in 2.6: servers, clients and their messages.
 *
 * Each name stands for the one in doca_comch.h. Tasks also have the names that they have in 2.5,
 * where sizes were passed as numbers of 16 bits: a program that reads one needs a uint32_t for it.
 *
 * Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_CC_H_
#define DOCA_CC_H_

#include <doca_comch.h>

#define doca_cc_connection                           doca_comch_connection
#define doca_cc_server                               doca_comch_server
#define doca_cc_client                               doca_comch_client
#define doca_cc_task_send                            doca_comch_task_send
#define doca_cc_event_msg_recv                       doca_comch_event_msg_recv
#define doca_cc_event_connection_status_changed      doca_comch_event_connection_status_changed
#define doca_cc_event_consumer                       doca_comch_event_consumer
#define doca_cc_counter                              doca_comch_counter
#define doca_cc_task_send_completion_cb_t            doca_comch_task_send_completion_cb_t
#define doca_cc_event_msg_recv_cb_t                  doca_comch_event_msg_recv_cb_t
#define doca_cc_event_connection_status_changed_cb_t doca_comch_event_connection_status_changed_cb_t
#define doca_cc_event_consumer_cb_t                  doca_comch_event_consumer_cb_t

#define doca_cc_connection_set_user_data       doca_comch_connection_set_user_data
#define doca_cc_connection_get_user_data       doca_comch_connection_get_user_data
#define doca_cc_server_get_server_ctx          doca_comch_server_get_server_ctx
#define doca_cc_client_get_client_ctx          doca_comch_client_get_client_ctx
#define doca_cc_cap_get_max_name_len           doca_comch_cap_get_max_name_len
#define doca_cc_cap_get_max_msg_size           doca_comch_cap_get_max_msg_size
#define doca_cc_cap_get_max_recv_queue_size    doca_comch_cap_get_max_recv_queue_size
#define doca_cc_cap_get_max_clients            doca_comch_cap_get_max_clients
#define doca_cc_server_create                  doca_comch_server_create
#define doca_cc_server_destroy                 doca_comch_server_destroy
#define doca_cc_cap_server_is_supported        doca_comch_cap_server_is_supported
#define doca_cc_server_set_max_msg_size        doca_comch_server_set_max_msg_size
#define doca_cc_server_get_max_msg_size        doca_comch_server_get_max_msg_size
#define doca_cc_server_set_recv_queue_size     doca_comch_server_set_recv_queue_size
#define doca_cc_server_get_recv_queue_size     doca_comch_server_get_recv_queue_size
#define doca_cc_server_get_device              doca_comch_server_get_device
#define doca_cc_server_get_device_repr         doca_comch_server_get_device_rep
#define doca_cc_server_as_ctx                  doca_comch_server_as_ctx
#define doca_cc_client_create                  doca_comch_client_create
#define doca_cc_client_destroy                 doca_comch_client_destroy
#define doca_cc_cap_client_is_supported        doca_comch_cap_client_is_supported
#define doca_cc_client_set_max_msg_size        doca_comch_client_set_max_msg_size
#define doca_cc_client_get_max_msg_size        doca_comch_client_get_max_msg_size
#define doca_cc_client_set_recv_queue_size     doca_comch_client_set_recv_queue_size
#define doca_cc_client_get_recv_queue_size     doca_comch_client_get_recv_queue_size
#define doca_cc_client_get_device              doca_comch_client_get_device
#define doca_cc_client_as_ctx                  doca_comch_client_as_ctx
#define doca_cc_client_get_connection          doca_comch_client_get_connection
#define doca_cc_cap_get_max_send_tasks         doca_comch_cap_get_max_send_tasks
#define doca_cc_server_task_send_set_conf      doca_comch_server_task_send_set_conf
#define doca_cc_client_task_send_set_conf      doca_comch_client_task_send_set_conf
#define doca_cc_server_task_send_alloc_init    doca_comch_server_task_send_alloc_init
#define doca_cc_client_task_send_alloc_init    doca_comch_client_task_send_alloc_init
#define doca_cc_task_send_as_task              doca_comch_task_send_as_task
#define doca_cc_server_event_msg_recv_register doca_comch_server_event_msg_recv_register
#define doca_cc_client_event_msg_recv_register doca_comch_client_event_msg_recv_register
#define doca_cc_server_event_connection_register                                                   \
    doca_comch_server_event_connection_status_changed_register
#define doca_cc_connection_update_info         doca_comch_connection_update_info
#define doca_cc_connection_get_counter         doca_comch_connection_get_counter
#define doca_cc_server_event_consumer_register doca_comch_server_event_consumer_register
#define doca_cc_client_event_consumer_register doca_comch_client_event_consumer_register

/* Names of 2.5. */
#define doca_cc_send_task                   doca_comch_task_send
#define doca_cc_send_task_comp_handler      doca_comch_task_send_completion_cb_t
#define doca_cc_server_send_task_set_conf   doca_comch_server_task_send_set_conf
#define doca_cc_client_send_task_set_conf   doca_comch_client_task_send_set_conf
#define doca_cc_server_send_task_alloc_init doca_comch_server_task_send_alloc_init
#define doca_cc_client_send_task_alloc_init doca_comch_client_task_send_alloc_init
#define doca_cc_send_task_as_task           doca_comch_task_send_as_task

#define DOCA_CC_COUNTER_SENT_MESSAGES DOCA_COMCH_COUNTER_SENT_MESSAGES
#define DOCA_CC_COUNTER_SENT_BYTES    DOCA_COMCH_COUNTER_SENT_BYTES
#define DOCA_CC_COUNTER_RECV_MESSAGES DOCA_COMCH_COUNTER_RECV_MESSAGES
#define DOCA_CC_COUNTER_RECV_BYTES    DOCA_COMCH_COUNTER_RECV_BYTES

#endif /* DOCA_CC_H_ */
