// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_device.h"

#include "cleanup.h"

#include <doca_types.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// ---- texts of failures ------------------------------------------------------------------

static unsigned long pinned_kib(void)
{
    cleanup_file FILE *file = fopen("/proc/self/status", "re");
    unsigned long kib = 0;
    char line[128];

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmPin: %lu kB", &kib) == 1)
            break;
    return kib;
}

// Pinning `bytes` of memory failed. 0: memory that the kernel pins for queues, or a general lack
// of memory.
static doca_error_t memory_failed(const char *what, const char *device, size_t bytes,
                                  struct errtext *err)
{
    struct rlimit limit = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char more[64] = "";

    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "%s: cannot %s: out of memory", device, what);
    if (bytes)
        snprintf(more, sizeof(more), ", and %zu KiB more are needed",
                 (bytes + 2 * page - 1) / page * page / 1024);
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "%s: cannot %s: %sRLIMIT_MEMLOCK is %llu KiB, of which %lu KiB are "
                       "pinned%s; raise it with ulimit -l, LimitMEMLOCK= of the systemd unit, or "
                       "memlock in /etc/security/limits.conf",
                       device, what, bytes ? "" : "out of memory, or ",
                       (unsigned long long)limit.rlim_cur / 1024, pinned_kib(), more);
}

doca_error_t verbs_failed(int error, const char *what, const char *device, size_t bytes,
                          struct errtext *err)
{
    switch (error) {
    case ENOMEM:
        return memory_failed(what, device, bytes, err);
    case EPERM: // the error if the limit is 0
        if (bytes)
            return memory_failed(what, device, bytes, err);
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "%s: cannot %s: %s", device, what,
                           strerror(error));
    case EFAULT:
        return errtext_set(
            err, DOCA_ERROR_NOT_PERMITTED,
            "%s: cannot %s: the device needs memory that is mapped without gaps, and "
            "that this process can write",
            device, what);
    case EACCES:
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "%s: cannot %s: %s", device, what,
                           strerror(error));
    case EINVAL:
        return errtext_set(
            err, DOCA_ERROR_INVALID_VALUE,
            "%s: cannot %s: the request is not valid, or exceeds the device's limits", device,
            what);
    case EMFILE:
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "%s: cannot %s: RLIMIT_NOFILE is reached; raise it with ulimit -n",
                           device, what);
    default:
        return errtext_set(err, DOCA_ERROR_DRIVER, "%s: cannot %s: %s", device, what,
                           strerror(error));
    }
}

// ---- opening ------------------------------------------------------------------------------

// The library reports a device file without permission as if there were none.
static doca_error_t open_failed(struct ibv_device *device, int error, struct errtext *err)
{
    char path[sizeof("/dev/infiniband/") + sizeof(device->dev_name)];

    snprintf(path, sizeof(path), "/dev/infiniband/%s", device->dev_name);
    if (access(path, R_OK | W_OK) < 0 && errno == EACCES)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "%s: no permission for %s; its owner is set by udev rules: give this "
                           "user's group read and write access there",
                           ibv_get_device_name(device), path);
    return verbs_failed(error ? error : EIO, "be opened", ibv_get_device_name(device), 0, err);
}

doca_error_t verbs_context_open(struct ibv_context **out, struct ibv_device *device,
                                struct errtext *err)
{
    errno = 0;
    *out = ibv_open_device(device);
    return *out ? DOCA_SUCCESS : open_failed(device, errno, err);
}

static doca_error_t open_by_name(const char *name, struct ibv_context **out, struct errtext *err)
{
    int n = 0;
    doca_error_t r = DOCA_ERROR_NOT_FOUND;
    struct ibv_device **list = ibv_get_device_list(&n);

    for (int i = 0; list && i < n && r == DOCA_ERROR_NOT_FOUND; i++) {
        if (strcmp(ibv_get_device_name(list[i]), name) != 0)
            continue;
        r = verbs_context_open(out, list[i], err);
    }
    if (r == DOCA_ERROR_NOT_FOUND)
        errtext_set(err, r,
                    "there is no ibverbs device %s; it was removed, or its module is not "
                    "loaded",
                    name);
    if (list)
        ibv_free_device_list(list);
    return r;
}

doca_error_t verbs_device_open(struct verbs_device *device, const char *name, uint8_t port,
                               struct errtext *err)
{
    struct verbs_device made = {.port = port};

    doca_error_t r = open_by_name(name, &made.context, err);
    if (r != DOCA_SUCCESS)
        return r;
    made.pd = ibv_alloc_pd(made.context);
    if (!made.pd)
        r = verbs_failed(errno, "make a protection domain", name, 0, err);
    int error = made.pd ? ibv_query_device(made.context, &made.limits) : 0;
    if (error)
        r = verbs_failed(error, "be asked for its limits", name, 0, err);
    if (r != DOCA_SUCCESS) {
        verbs_device_close(&made);
        return r;
    }
    *device = made;
    return DOCA_SUCCESS;
}

void verbs_device_close(struct verbs_device *device)
{
    if (device->pd && !device->borrowed)
        ibv_dealloc_pd(device->pd);
    if (device->context && !device->borrowed)
        ibv_close_device(device->context);
    *device = (struct verbs_device){0};
}

// ---- ports ----------------------------------------------------------------------------------

// The entries in the tables of all ports; 0 if the query fails.
static size_t count_gids(struct ibv_context *context)
{
    struct ibv_device_attr device;
    struct ibv_port_attr port;
    size_t n = 0;

    if (ibv_query_device(context, &device) != 0)
        return 0;
    for (unsigned i = 1; i <= device.phys_port_cnt; i++)
        if (ibv_query_port(context, (uint8_t)i, &port) == 0 && port.gid_tbl_len > 0)
            n += (size_t)port.gid_tbl_len;
    return n;
}

static void take_gid(const struct ibv_gid_entry *entry, struct verbs_port *out)
{
    static const union ibv_gid none;

    if (memcmp(&entry->gid, &none, sizeof(none)) == 0)
        return;
    if (out->n_gids == VERBS_GIDS_MAX) {
        out->gids_left_out++;
        return;
    }
    struct verbs_gid *gid = &out->gids[out->n_gids++];
    *gid = (struct verbs_gid){.index = entry->gid_index, .type = entry->gid_type};
    memcpy(gid->raw, entry->gid.raw, sizeof(gid->raw));
    if (!out->interface)
        out->interface = entry->ndev_ifindex;
}

// The kernel requires room for the entries of all ports in one call, and returns nothing otherwise.
static int query_gids(struct ibv_context *context, uint8_t port, struct verbs_port *out)
{
    size_t max = count_gids(context);
    if (max == 0)
        return 0;
    cleanup_free struct ibv_gid_entry *entries = calloc(max, sizeof(*entries));
    if (!entries)
        return ENOMEM;
    ssize_t n = ibv_query_gid_table(context, entries, max, 0);
    for (ssize_t i = 0; i < n; i++)
        if (entries[i].port_num == port)
            take_gid(&entries[i], out);
    return n < 0 ? (int)-n : 0;
}

doca_error_t verbs_port_query(struct ibv_context *context, uint8_t port, struct verbs_port *out,
                              struct errtext *err)
{
    const char *device = ibv_get_device_name(context->device);

    *out = (struct verbs_port){.n_gids = 0};
    int error = ibv_query_port(context, port, &out->attr);
    if (error)
        return verbs_failed(error, "be asked for its port", device, 0, err);
    error = query_gids(context, port, out);
    if (error)
        return verbs_failed(error, "be asked for its GIDs", device, 0, err);
    return DOCA_SUCCESS;
}

// ---- memory -----------------------------------------------------------------------------------

unsigned verbs_access(uint32_t access)
{
    unsigned flags = 0;

    // A map for the DPU is a local destination, too: buf_local_flags().
    if (access & (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_WRITE |
                  DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC))
        flags |= IBV_ACCESS_LOCAL_WRITE;
    if (access & DOCA_ACCESS_RDMA_READ)
        flags |= IBV_ACCESS_REMOTE_READ;
    if (access & DOCA_ACCESS_RDMA_WRITE)
        flags |= IBV_ACCESS_REMOTE_WRITE;
    if (access & DOCA_ACCESS_RDMA_ATOMIC)
        flags |= IBV_ACCESS_REMOTE_ATOMIC;
    return flags;
}

doca_error_t verbs_register(const struct verbs_device *device, void *address, size_t length,
                            uint32_t access, struct ibv_mr **out, struct errtext *err)
{
    char what[64];

    struct ibv_mr *mr = ibv_reg_mr(device->pd, address, length, verbs_access(access));
    if (!mr) {
        int error = errno;
        snprintf(what, sizeof(what), "register %zu bytes of memory", length);
        return verbs_failed(error, what, ibv_get_device_name(device->pd->context->device), length,
                            err);
    }
    *out = mr;
    return DOCA_SUCCESS;
}
