// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The permissions of a memory map: the values of enum doca_access_flags, which messages
// carry.

#ifndef COMMON_ACCESS_H
#define COMMON_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum access {
    ACCESS_LOCAL_READ_WRITE = 1 << 0,
    ACCESS_RDMA_READ = 1 << 1,
    ACCESS_RDMA_WRITE = 1 << 2,
    ACCESS_RDMA_ATOMIC = 1 << 3,
    ACCESS_DPU_READ_ONLY = 1 << 4,
    ACCESS_DPU_READ_WRITE = 1 << 5,       // DOCA 3 names these two after the PCI bus
    ACCESS_PCI_RELAXED_ORDERING = 1 << 6, // of DOCA 3 alone; never in a message
};

#define ACCESS_RDMA  (ACCESS_RDMA_READ | ACCESS_RDMA_WRITE | ACCESS_RDMA_ATOMIC)
#define ACCESS_DPU   (ACCESS_DPU_READ_ONLY | ACCESS_DPU_READ_WRITE)
#define ACCESS_KNOWN (ACCESS_LOCAL_READ_WRITE | ACCESS_RDMA | ACCESS_DPU)

// Returns true if all flags are known and may be combined.
static inline bool access_is_valid(uint32_t access)
{
    return !(access & ~(uint32_t)ACCESS_KNOWN) && (access & ACCESS_DPU) != ACCESS_DPU;
}

// What RDMA may do where it replaces PCI.
static inline uint32_t access_for_rdma(uint32_t access)
{
    if (access & ACCESS_DPU_READ_WRITE)
        return ACCESS_RDMA_READ | ACCESS_RDMA_WRITE | ACCESS_RDMA_ATOMIC;
    return access & ACCESS_DPU_READ_ONLY ? ACCESS_RDMA_READ : 0;
}

// Returns whether others may write.
static inline bool access_lets_write(uint32_t access)
{
    return access & (ACCESS_DPU_READ_WRITE | ACCESS_RDMA_WRITE | ACCESS_RDMA_ATOMIC);
}

// Returns whether others may write, but not read. Mapped pages cannot prevent reading, and an
// atomic operation returns the previous value.
static inline bool access_is_write_only(uint32_t access)
{
    return access_lets_write(access) &&
           !(access & (ACCESS_RDMA_READ | ACCESS_RDMA_ATOMIC | ACCESS_DPU));
}

// Returns whether the map can have an export that may only be read.
static inline bool access_has_read_only(uint32_t access)
{
    return (access & ACCESS_DPU_READ_ONLY) || (access & ACCESS_RDMA) == ACCESS_RDMA_READ;
}

#endif
