/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_config.h
 * Build-time configuration that every header shares.
 *
 * These are the headers of the interface of DOCA 2.5 to 3. The include directory selects them by
 * itself: a program needs no DOCA_USE_VERSION, and headers of an earlier interface are not mixed
 * with these. (Our choice.)
 *
 * Most programs of 2.5 and 2.6 build with them, too: old names that 3.0 has dropped are there
 * (doca_cc.h, doca_comm_channel.h, waits for more than a value, and others). These do not build,
 * because 2.7 and later use the same name in another way, or because nothing here does the same:
 *   - RDMA: doca_rdma_export(), doca_rdma_connect() and all tasks but receives take a connection
 *     since 2.7; shared receive queues; doca_rdma_get_grh_enabled() with a bool;
 *   - DOCA_LOG() with the end of a level's name, DOCA_LOG(ERROR, ...): it takes the whole name;
 *     DOCA_LOG_ERR() and so on are as they were;
 *   - doca_buf_arr_create() and doca_buf_arr_set_params() for buffer arrays;
 *   - doca_devinfo_get_active_rate() with a double;
 *   - doca_compress_task_decompress_lz4 and its functions: there are one for streams and one for
 *     blocks now;
 *   - doca_cc_consumer.h and doca_cc_producer.h, and sizes of 16 bits in 2.5's doca_cc.h;
 *   - gRPC: doca_argp_set_grpc_program() and doca_argp_get_grpc_addr();
 *   - doca_pe_set_notification_handle(), and exports of events to DPAs and GPUs.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

#ifndef DOCA_USE_VERSION
#define DOCA_USE_VERSION 30
#elif DOCA_USE_VERSION != 30
#error                                                                                             \
    "DOCA_USE_VERSION is not 30, but these are the headers of DOCA 3: remove doca-3 from the path"
#endif

/*
 * Some functions share their name with a function of the 2.2 interface that takes other
 * arguments or objects. They are linked by another name.
 */
#define DOCA_3_SYMBOL(name) __asm__("doca_3_" #name)

/* Only CPU code gets the helpers of doca_compat.h that need the C library. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
