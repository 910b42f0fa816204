// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A port of an ibverbs device, opened: its context and protection domain, its limits and GIDs. The
// texts of failures have the limit or right that is missing, and the remedy.

#ifndef COMMON_VERBS_DEVICE_H
#define COMMON_VERBS_DEVICE_H

#include "errtext.h"
#include "verbs_gid.h"

#include <infiniband/verbs.h>

#define VERBS_GIDS_MAX 256 // kept for a port: the first of those in use

struct verbs_device {
    struct ibv_context *context;
    struct ibv_pd *pd;
    bool borrowed; // both belong to the caller
    uint8_t port;
    struct ibv_device_attr limits;
};

// A port as it is now.
struct verbs_port {
    struct ibv_port_attr attr;
    struct verbs_gid gids[VERBS_GIDS_MAX];
    size_t n_gids, gids_left_out;
    unsigned interface; // the network interface of the first GID that has one, 0: none
};

// Opens a device of the list. Fails with the errors of verbs_device_open().
doca_error_t verbs_context_open(struct ibv_context **out, struct ibv_device *device,
                                struct errtext *err);

// Opens the device of this name. DOCA_ERROR_NOT_FOUND if there is none, NOT_PERMITTED,
// NO_MEMORY, DRIVER.
doca_error_t verbs_device_open(struct verbs_device *device, const char *name, uint8_t port,
                               struct errtext *err);

// Releases everything that is open, and may be called again.
void verbs_device_close(struct verbs_device *device);

doca_error_t verbs_port_query(struct ibv_context *context, uint8_t port, struct verbs_port *out,
                              struct errtext *err);

// Registers memory with the permissions of the flags (enum doca_access_flags).
doca_error_t verbs_register(const struct verbs_device *device, void *address, size_t length,
                            uint32_t access, struct ibv_mr **out, struct errtext *err);

// enum doca_access_flags as enum ibv_access_flags, of memory and of queue pairs.
unsigned verbs_access(uint32_t access);

// Sets the text and the code for a call that failed with `error` (an errno): which limit of memory
// or descriptors was reached. `bytes` is the size of the memory to be pinned, or 0 if only the
// kernel knows it.
doca_error_t verbs_failed(int error, const char *what, const char *device, size_t bytes,
                          struct errtext *err);

#endif
