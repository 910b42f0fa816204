/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_config.h
 * Build-time configuration that every header shares.
 *
 * These are the headers of the interface of DOCA 2.7 to 3, and what 2.5 and 2.6 share with them.
 * The include directory selects them by itself: a program needs no DOCA_USE_VERSION, and headers of
 * an earlier interface are not mixed with these. (Our choice.)
 *
 * Programs of 2.5 and 2.6 have include directories of their own, doca-2.5 and doca-2.6, with the
 * forms that 2.7 changed. These of their functions are there and do nothing:
 *   - shared receive queues of RDMA, which 2.6 alone has (doca_rdma_create_with_srq(),
 *     doca_rdma_srq_*()), return DOCA_ERROR_NOT_SUPPORTED: only programs on a DPA post receives to
 *     them, and there is no DPA;
 *   - handles and exports of arrays, RDMA contexts and events for DPAs and GPUs return
 *     DOCA_ERROR_NOT_SUPPORTED: there is no such hardware;
 *   - doca_pe_set_notification_handle() of 2.5 returns DOCA_ERROR_NOT_SUPPORTED: on Linux an engine
 *     has a handle of its own.
 *
 * Most programs of 2.5 and 2.6 also build with the headers in doca-3: old names that 3.0 has
 * dropped are there (doca_cc.h, doca_comm_channel.h, waits for more than a value, and others). What
 * does not build with those is in doca-2.5 and doca-2.6:
 *   - RDMA: doca_rdma_export(), doca_rdma_connect() and all tasks but receives take a connection
 *     since 2.7; doca_rdma_get_grh_enabled() with a bool;
 *   - DOCA_LOG() with the end of a level's name, DOCA_LOG(ERROR, ...): it takes the whole name;
 *     DOCA_LOG_ERR() and so on are as they were;
 *   - doca_buf_arr_create() and doca_buf_arr_set_params() for buffer arrays;
 *   - doca_devinfo_get_active_rate() with a double;
 *   - doca_cc_consumer.h and doca_cc_producer.h, and sizes of type size_t in 2.5's doca_cc.h;
 *   - gRPC: doca_argp_set_grpc_program() and doca_argp_get_grpc_addr().
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

#ifndef DOCA_USE_VERSION
#define DOCA_USE_VERSION 30
#endif

/*
 * The include directories doca-2.5, doca-2.6 and doca-3 define DOCAD_HEADERS. Forms that 2.7
 * changed are in the first two alone: without them a program of 2.5 would call functions that take
 * other arguments.
 */
#ifndef DOCAD_HEADERS
#define DOCAD_HEADERS 30
#endif
#if DOCAD_HEADERS == 30 && DOCA_USE_VERSION != 30
#error                                                                                             \
    "DOCA_USE_VERSION is not 30, but these are the headers of DOCA 3: remove doca-3 from the path"
#elif DOCAD_HEADERS != DOCA_USE_VERSION
#error "DOCA_USE_VERSION is another one than that of the include directory, doca-2.5 or doca-2.6"
#endif

/*
 * Some functions share their name with a function of the 2.2 interface that takes other
 * arguments or objects. They are linked by another name.
 */
#define DOCA_3_SYMBOL(name) __asm__("doca_3_" #name)

/*
 * The same of 2.5 and 2.6 against later releases; and functions of theirs that only have another
 * name there.
 */
#define DOCA_2_5_SYMBOL(name)   __asm__("doca_2_5_" #name)
#define DOCA_2_6_SYMBOL(name)   __asm__("doca_2_6_" #name)
#define DOCA_LATER_SYMBOL(name) __asm__("doca_" #name)

/* Functions that have a form for each of these releases. */
#if DOCA_USE_VERSION == 25
#define DOCA_RELEASE_SYMBOL(name) DOCA_2_5_SYMBOL(name)
#elif DOCA_USE_VERSION == 26
#define DOCA_RELEASE_SYMBOL(name) DOCA_2_6_SYMBOL(name)
#else
#define DOCA_RELEASE_SYMBOL(name) DOCA_3_SYMBOL(name)
#endif

/* Only CPU code gets the helpers of doca_compat.h that need the C library. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
