// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// For tables of more than one generation of the interface: 1.5, 2.2 and 3. A table is compiled once
// with the headers of each. It calls functions by their names of DOCA 3; where the names are texts,
// FN() is the name in the generation that is compiled.

#ifndef STATES_GENERATION_H
#define STATES_GENERATION_H

#include "tables.h"

#if !defined(DOCA_USE_VERSION)
#define GENERATION 2
#elif DOCA_USE_VERSION == 15
#define GENERATION 1
#else
#define GENERATION 3
#endif

// EACH() and EITHER() choose a value; OF_3(f();) is code that DOCA 3 alone has, and so on.
#if GENERATION == 1
#define EACH(of_1_5, of_2_2, of_3) of_1_5
#define OF_1_5(...)                __VA_ARGS__
#define OF_2_2(...)
#define OF_3(...)
#elif GENERATION == 2
#define EACH(of_1_5, of_2_2, of_3) of_2_2
#define OF_1_5(...)
#define OF_2_2(...) __VA_ARGS__
#define OF_3(...)
#else
#define EACH(of_1_5, of_2_2, of_3) of_3
#define OF_1_5(...)
#define OF_2_2(...)
#define OF_3(...) __VA_ARGS__
#endif
#define EITHER(before_3, of_3) EACH(before_3, before_3, of_3)
#define BEFORE_3(...)          OF_1_5(__VA_ARGS__) OF_2_2(__VA_ARGS__)
#define SINCE_2_2(...)         OF_2_2(__VA_ARGS__) OF_3(__VA_ARGS__)

// clang-format off
// Rows that not all generations have.
#define ROW_OF_1_5(...) {OF_1_5(__VA_ARGS__)}
#define ROW_OF_2_2(...) {OF_2_2(__VA_ARGS__)}
#define ROW_OF_3(...) {OF_3(__VA_ARGS__)}
#define ROW_BEFORE_3(...) {BEFORE_3(__VA_ARGS__)}
#define ROW_SINCE_2_2(...) {SINCE_2_2(__VA_ARGS__)}
// clang-format on

#define FN(function)    FN_OF(function)
#define FN_OF(function) #function

// ---- what DOCA 3 has given other names

// clang-format off
#if GENERATION < 3
#define DOCA_DEVINFO_REP_FILTER_ALL DOCA_DEV_REP_FILTER_ALL
#define DOCA_DEVINFO_REP_FILTER_NET DOCA_DEV_REP_FILTER_NET
#define DOCA_ACCESS_FLAG_LOCAL_READ_WRITE DOCA_ACCESS_LOCAL_READ_WRITE
#define DOCA_ACCESS_FLAG_PCI_READ_WRITE DOCA_ACCESS_DPU_READ_WRITE
#define DOCA_ACCESS_FLAG_RDMA_READ DOCA_ACCESS_RDMA_READ
#define DOCA_EC_MATRIX_TYPE_CAUCHY DOCA_CODING_MATRIX_CAUCHY
#define doca_buf_chain_list doca_buf_list_chain
#define doca_buf_dec_refcount doca_buf_refcount_rm
#define doca_buf_get_last_in_list doca_buf_list_last
#define doca_buf_get_list_len doca_buf_list_num_elements
#define doca_buf_get_next_in_list doca_buf_list_next
#define doca_buf_inc_refcount doca_buf_refcount_add
#define doca_buf_inventory_buf_get_by_addr doca_buf_inventory_buf_by_addr
#define doca_buf_inventory_buf_get_by_args doca_buf_inventory_buf_by_args
#define doca_buf_inventory_buf_get_by_data doca_buf_inventory_buf_by_data
#define doca_buf_is_first_in_list doca_buf_list_is_first
#define doca_buf_is_last_in_list doca_buf_list_is_last
#define doca_buf_pool doca_bufpool
#define doca_buf_pool_buf_alloc doca_bufpool_buf_alloc
#define doca_buf_pool_create doca_bufpool_create
#define doca_buf_pool_destroy doca_bufpool_destroy
#define doca_buf_pool_get_num_elements doca_bufpool_get_num_elements
#define doca_buf_pool_get_num_free_elements doca_bufpool_get_num_free_elements
#define doca_buf_pool_get_user_data doca_bufpool_get_user_data
#define doca_buf_pool_start doca_bufpool_start
#define doca_buf_pool_stop doca_bufpool_stop
#define doca_buf_unchain_list doca_buf_list_unchain
#define doca_devinfo_cap_is_hotplug_manager_supported doca_devinfo_get_is_hotplug_manager_supported
#define doca_devinfo_create_list doca_devinfo_list_create
#define doca_devinfo_destroy_list doca_devinfo_list_destroy
#define doca_devinfo_is_equal_pci_addr doca_devinfo_get_is_pci_addr_equal
#define doca_devinfo_rep_cap_is_filter_all_supported doca_devinfo_rep_get_is_list_all_supported
#define doca_devinfo_rep_cap_is_filter_emulated_supported doca_devinfo_rep_get_is_list_emulated_supported
#define doca_devinfo_rep_cap_is_filter_net_supported doca_devinfo_rep_get_is_list_net_supported
#define doca_devinfo_rep_create_list doca_devinfo_rep_list_create
#define doca_devinfo_rep_destroy_list doca_devinfo_rep_list_destroy
#define doca_devinfo_rep_is_equal_pci_addr doca_devinfo_rep_get_is_pci_addr_equal
#define doca_ec_cap_get_max_block_size doca_ec_get_max_buffer_size
#define doca_ec_cap_get_max_buf_list_len doca_ec_get_max_list_buf_num_elem
#define doca_ec_matrix doca_matrix
#define doca_ec_matrix_create_from_raw doca_ec_matrix_from_raw
#define doca_ec_matrix_create_recover doca_ec_recover_matrix_create
#define doca_ec_matrix_create_update doca_ec_update_matrix_create
#define doca_graph_instance_submit doca_workq_graph_submit
#define doca_graph_node_create_from_ctx doca_graph_ctx_node_create
#define doca_graph_node_create_from_graph doca_graph_sub_graph_node_create
#define doca_graph_node_create_from_user doca_graph_user_node_create
#define doca_log_backend doca_logger_backend
#define doca_log_backend_create_standard doca_log_create_standard_backend
#define doca_log_backend_create_with_buf doca_log_create_buffer_backend
#define doca_log_backend_create_with_fd doca_log_create_fd_backend
#define doca_log_backend_create_with_file doca_log_create_file_backend
#define doca_log_backend_create_with_syslog doca_log_create_syslog_backend
#define doca_log_backend_set_level_lower_limit doca_log_backend_level_set
#define doca_log_backend_set_level_lower_limit_strict doca_log_backend_set_lower_level_immutable
#define doca_log_backend_set_level_upper_limit doca_log_backend_set_upper_level_limit
#define doca_log_backend_set_level_upper_limit_strict doca_log_backend_set_upper_level_immutable
#define doca_log_level_get_global_lower_limit doca_log_global_level_get
#define doca_log_level_set_global_lower_limit doca_log_global_level_set
#define doca_log_level_set_global_upper_limit doca_log_global_set_upper_level_limit
#define doca_log_register_source doca_log_source_register
#define doca_log_unregister_source doca_log_source_destroy
#define doca_mmap_add_dev doca_mmap_dev_add
#define doca_mmap_export_pci doca_mmap_export_dpu
#define doca_mmap_rm_dev doca_mmap_dev_rm
#define doca_sha_cap_get_max_list_buf_num_elem doca_sha_get_max_list_buf_num_elem
#define doca_sha_cap_get_max_src_buf_size doca_sha_get_max_src_buffer_size
#define doca_sha_cap_get_min_dst_buf_size doca_sha_get_min_dst_buffer_size
#define doca_sync_event_add_publisher_location_cpu doca_sync_event_publisher_add_location_cpu
#define doca_sync_event_add_publisher_location_remote_pci doca_sync_event_publisher_add_location_dpu
#define doca_sync_event_add_subscriber_location_cpu doca_sync_event_subscriber_add_location_cpu
#define doca_sync_event_add_subscriber_location_remote_pci doca_sync_event_subscriber_add_location_dpu
#define doca_sync_event_cap_is_create_from_export_supported doca_sync_event_get_create_from_export_supported
#define doca_sync_event_cap_is_export_to_remote_pci_supported doca_sync_event_get_export_to_dpu_supported
#define doca_sync_event_export_to_remote_pci doca_sync_event_export_to_dpu
#endif
#if GENERATION == 1
#define doca_compress_get_max_buf_size doca_compress_get_max_buffer_size
#endif
// clang-format on

#endif
