/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_types.h
 * Types that several libraries share.
 *
 * Since 2.2. Values and layouts are part of the binary interface.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15 /* instead of this file */
#include "doca-1.5/doca_types.h"
#endif
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <doca_compat.h>

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What epoll(7) can wait on: a file descriptor. */
typedef int doca_event_handle_t;

/** An invalid handle. */
#define doca_event_invalid_handle (-1)

/** The older name of doca_event_handle_t. */
typedef doca_event_handle_t doca_notification_handle_t;

/** Length of a GID in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/** Data of the application, which the library carries and never interprets. */
union doca_data {
    void *ptr;    /**< as a pointer */
    uint64_t u64; /**< as a number */
};

/**
 * Who may do what with a memory range: a bit mask. Permission to write includes
 * permission to read, except with the RDMA flags, each of which stands for itself.
 */
enum doca_access_flags {
    DOCA_ACCESS_LOCAL_READ_ONLY = 0,         /**< devices of this node: read */
    DOCA_ACCESS_LOCAL_READ_WRITE = (1 << 0), /**< devices of this node: read and write */
    DOCA_ACCESS_RDMA_READ = (1 << 1),        /**< an RDMA peer: read */
    DOCA_ACCESS_RDMA_WRITE = (1 << 2),       /**< an RDMA peer: write */
    DOCA_ACCESS_RDMA_ATOMIC = (1 << 3),      /**< an RDMA peer: atomic operations */
    DOCA_ACCESS_DPU_READ_ONLY = (1 << 4),    /**< the DPU: read; not with the next one */
    DOCA_ACCESS_DPU_READ_WRITE = (1 << 5)    /**< the DPU: read and write */
};

/** The kinds of PCI function. */
enum doca_pci_func_type {
    DOCA_PCI_FUNC_PF = 0, /**< physical function */
    DOCA_PCI_FUNC_VF,     /**< virtual function */
    DOCA_PCI_FUNC_SF      /**< sub-function */
};

/** Numbers in network byte order. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/** The place of memory for a GPU, and who may reach it. */
enum doca_gpu_mem_type {
    DOCA_GPU_MEM_GPU = 0,     /**< on the GPU, for it alone */
    DOCA_GPU_MEM_GPU_CPU = 1, /**< on the GPU, for both */
    DOCA_GPU_MEM_CPU = 2,     /**< on the CPU, for it alone */
    DOCA_GPU_MEM_CPU_GPU = 3  /**< on the CPU, for both */
};

/** The way of sending at a given time. */
enum doca_eth_wait_on_time {
    DOCA_ETH_WAIT_ON_TIME_NONE = 0,   /**< not possible */
    DOCA_ETH_WAIT_ON_TIME_NATIVE = 1, /**< by the device */
    DOCA_ETH_WAIT_ON_TIME_DPDK = 2    /**< through DPDK */
};

/** Path MTU. */
enum doca_mtu_size {
    DOCA_MTU_SIZE_256_BYTES = 0,
    DOCA_MTU_SIZE_512_BYTES = 1,
    DOCA_MTU_SIZE_1K_BYTES = 2,
    DOCA_MTU_SIZE_2K_BYTES = 3,
    DOCA_MTU_SIZE_4K_BYTES = 4,
    DOCA_MTU_SIZE_RAW_ETHERNET = 5 /**< reserved */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
