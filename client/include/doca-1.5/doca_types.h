/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_types.h
 * Types that several libraries share, in the form of the 1.5 interface.
 *
 * Since 1.5. Values and layouts are part of the binary interface.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <doca_compat.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What epoll(7) can wait on: a file descriptor. */
typedef int doca_event_handle_t;

/** An invalid handle. */
#define doca_event_invalid_handle (-1)

/** Bounds of the numbers in a PCI address: each is less than this. */
#define PCI_FUNCTION_MAX_VALUE 8
#define PCI_DEVICE_MAX_VALUE   32
#define PCI_BUS_MAX_VALUE      256

/** Data of the application, which the library carries and never interprets. */
union doca_data {
    void *ptr;    /**< as a pointer */
    uint64_t u64; /**< as a number */
};

/**
 * What a memory key must allow, see doca_buf_get_lkey(): a bit mask. Memory maps have no
 * permissions in this interface. Later interfaces use some of these numbers for other
 * flags.
 */
enum doca_access_flags {
    DOCA_ACCESS_LOCAL_READ = 0,          /**< devices of this node: read */
    DOCA_ACCESS_LOCAL_WRITE = (1 << 0),  /**< devices of this node: write */
    DOCA_ACCESS_REMOTE_WRITE = (1 << 1), /**< an RDMA peer: write */
    DOCA_ACCESS_REMOTE_READ = (1 << 2),  /**< an RDMA peer: read */
    DOCA_ACCESS_REMOTE_ATOMIC = (1 << 3) /**< an RDMA peer: atomic operations */
};

/** The kinds of PCI function. */
enum doca_pci_func_type {
    DOCA_PCI_FUNC_PF = 0, /**< physical function */
    DOCA_PCI_FUNC_VF,     /**< virtual function */
    DOCA_PCI_FUNC_SF      /**< sub-function */
};

/** A PCI address, without its domain. */
__extension__ struct doca_pci_bdf {
    union {
        uint16_t raw; /**< as one number, to compare */
        struct {
            uint16_t bus : 8;
            uint16_t device : 5;
            uint16_t function : 3;
        };
    };
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
