// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 1.3, as they are written: no macro for experimental functions, lists
// with and without their number, properties as bytes, one buffer to another. Compiled as C
// and as C++. Where no docad runs it goes as far as it can.

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(PROGRAM_1_3);

#define SIZE 1000

struct app_state {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *buf_inv;
    struct doca_ctx *ctx;
    struct doca_dma *dma_ctx;
    struct doca_workq *workq;
};

typedef doca_error_t (*caps_check)(struct doca_devinfo *, uint32_t *);

static int freed;

static void free_range(void *addr, size_t len, void *opaque)
{
    if (len == SIZE)
        ++*(int *)opaque;
    free(addr);
}

static doca_error_t open_device(struct doca_pci_bdf *pcie_addr, caps_check check,
                                struct app_state *state)
{
    struct doca_devinfo **dev_list;
    struct doca_pci_bdf buf = {};
    uint32_t nb_devs;
    uint32_t caps;
    doca_error_t res;
    size_t i;

    res = doca_devinfo_list_create(&dev_list, &nb_devs);
    if (res != DOCA_SUCCESS)
        return res;
    res = DOCA_ERROR_NOT_FOUND;
    for (i = 0; i < nb_devs; i++) {
        if (doca_devinfo_property_get(dev_list[i], DOCA_DEVINFO_PROPERTY_PCI_ADDR, (uint8_t *)&buf,
                                      sizeof(struct doca_pci_bdf)) == DOCA_SUCCESS &&
            buf.raw == pcie_addr->raw && check(dev_list[i], &caps) == DOCA_SUCCESS &&
            (caps & DOCA_DMA_CAP_HW_OFFLOAD)) {
            res = doca_dev_open(dev_list[i], &state->dev);
            break;
        }
    }
    doca_devinfo_list_destroy(dev_list);
    return res;
}

// The list's functions as the guide has them.
static int lists(struct doca_dev *dev)
{
    struct doca_devinfo **dev_list;
    struct doca_devinfo_remote **remote_list;
    uint32_t nb;

    if (doca_devinfo_list_create(&dev_list) == DOCA_SUCCESS)
        doca_devinfo_list_destroy(dev_list);
    if (doca_devinfo_remote_list_create(dev, &remote_list) != DOCA_ERROR_INVALID_VALUE ||
        doca_devinfo_remote_list_create(dev, &remote_list, &nb) != DOCA_ERROR_INVALID_VALUE ||
        doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &remote_list) !=
            DOCA_ERROR_INVALID_VALUE ||
        doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &remote_list, &nb) !=
            DOCA_ERROR_INVALID_VALUE)
        return 0;
    return 1;
}

// Descriptors as bytes and as whatever.
static int exports(struct doca_mmap *mmap)
{
    uint8_t *bytes = NULL;
    void *any = NULL;
    size_t len;

    return doca_mmap_export(mmap, NULL, &bytes, &len) == DOCA_ERROR_INVALID_VALUE &&
           doca_mmap_export(mmap, NULL, &any, &len) == DOCA_ERROR_INVALID_VALUE && !bytes && !any;
}

static int run(struct app_state *state)
{
    const uint32_t max_chunks = 2;
    struct doca_dma_job_memcpy job = {{0}, NULL, NULL, 0};
    struct doca_job doca_job = {0};
    struct doca_event event = {0};
    struct doca_buf *src, *dst;
    char *from = (char *)malloc(SIZE), *to = (char *)malloc(SIZE);
    uint8_t *head;
    size_t len;

    if (doca_mmap_create("map", &state->mmap) != DOCA_SUCCESS ||
        doca_mmap_property_set(state->mmap, DOCA_MMAP_MAX_NUM_CHUNKS, (const uint8_t *)&max_chunks,
                               sizeof(max_chunks)) != DOCA_SUCCESS ||
        doca_mmap_start(state->mmap) != DOCA_SUCCESS ||
        doca_mmap_populate(state->mmap, from, SIZE, 4096, free_range, &freed) != DOCA_SUCCESS ||
        doca_mmap_populate(state->mmap, to, SIZE, 4096, free_range, &freed) != DOCA_SUCCESS)
        return 0;
    if (doca_buf_inventory_create("inventory", 2, DOCA_BUF_EXTENSION_NONE, &state->buf_inv) !=
            DOCA_SUCCESS ||
        doca_buf_inventory_start(state->buf_inv) != DOCA_SUCCESS ||
        doca_buf_inventory_buf_by_addr(state->buf_inv, state->mmap, from, SIZE, &src) !=
            DOCA_SUCCESS ||
        doca_buf_inventory_buf_by_addr(state->buf_inv, state->mmap, to, SIZE, &dst) != DOCA_SUCCESS)
        return 0;
    if (doca_buf_head_get(src, &head) != DOCA_SUCCESS || head != (uint8_t *)from ||
        doca_buf_len_get(dst, &len) != DOCA_SUCCESS || len != SIZE)
        return 0;
    if (doca_workq_create(1, &state->workq) != DOCA_SUCCESS ||
        doca_dma_create(&state->dma_ctx) != DOCA_SUCCESS)
        return 0;
    state->ctx = doca_dma_as_ctx(state->dma_ctx);
    if (state->dev) {
        strcpy(from, "text");
        to[5] = 'x';
        if (doca_mmap_dev_add(state->mmap, state->dev) != DOCA_SUCCESS ||
            doca_ctx_dev_add(state->ctx, state->dev) != DOCA_SUCCESS ||
            doca_ctx_start(state->ctx) != DOCA_SUCCESS ||
            doca_ctx_workq_add(state->ctx, state->workq) != DOCA_SUCCESS)
            return 0;
        doca_job.type = DOCA_DMA_JOB_MEMCPY;
        doca_job.flags = DOCA_JOB_FLAGS_NONE;
        doca_job.ctx = state->ctx;
        job.base = doca_job;
        job.dst_buff = dst;
        job.src_buff = src;
        job.num_bytes_to_copy = 5;
        if (doca_workq_submit(state->workq, &job.base) != DOCA_SUCCESS ||
            doca_workq_progress_retrieve(state->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE) !=
                DOCA_SUCCESS ||
            event.result.u64 != DOCA_SUCCESS || strcmp(to, "text") != 0 || to[5] != 'x')
            return 0;
    }
    doca_buf_refcount_rm(src, NULL);
    doca_buf_refcount_rm(dst, NULL);
    return 1;
}

static void clean_up(struct app_state *state)
{
    if (state->dev) {
        doca_ctx_workq_rm(state->ctx, state->workq);
        doca_ctx_stop(state->ctx);
        doca_ctx_dev_rm(state->ctx, state->dev);
        doca_mmap_dev_rm(state->mmap, state->dev);
    }
    doca_workq_destroy(state->workq);
    doca_dma_destroy(state->dma_ctx);
    doca_buf_inventory_destroy(state->buf_inv);
    doca_mmap_destroy(state->mmap);
    if (state->dev)
        doca_dev_close(state->dev);
}

static doca_error_t take_name(void *config, void *param)
{
    *(const char **)config = (const char *)param;
    return DOCA_SUCCESS;
}

// Callbacks that get the configuration first.
static int arguments(void)
{
    static char program[] = "program", flag[] = "--name", value[] = "text";
    char *argv[] = {program, flag, value, NULL};
    const char *name = "";
    struct doca_argp_param *param;

    if (doca_argp_init("program", &name) != DOCA_SUCCESS ||
        doca_argp_register_version_callback(take_name) != DOCA_SUCCESS ||
        doca_argp_param_create(&param) != DOCA_SUCCESS)
        return 0;
    doca_argp_param_set_long_name(param, "name");
    doca_argp_param_set_description(param, "a name");
    doca_argp_param_set_callback(param, take_name);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    if (doca_argp_register_param(param) != DOCA_SUCCESS ||
        doca_argp_start(3, argv) != DOCA_SUCCESS || strcmp(name, "text") != 0)
        return 0;
    return doca_argp_destroy() == DOCA_SUCCESS;
}

// An endpoint with its properties; nobody listens.
static int channel(void)
{
    struct doca_comm_channel_init_attr attr;
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer;

    memset(&attr, 0, sizeof(attr));
    attr.msgsize = 1024;
    attr.maxmsgs = 10;
    return doca_comm_channel_ep_create(&attr, &ep) == DOCA_SUCCESS &&
           doca_comm_channel_ep_connect(ep, "nobody", &peer) != DOCA_SUCCESS &&
           doca_comm_channel_ep_destroy(ep) == DOCA_SUCCESS;
}

int main(void)
{
    struct app_state state;
    struct doca_pci_bdf bdf;
    doca_error_t res;

    memset(&state, 0, sizeof(state));
    bdf.raw = 0;
    bdf.bus = 3;
    if (strncmp(doca_version(), "1.3.", 4) != 0 || !DOCA_VERSION_EQ_CURRENT(1, 3, DOCA_VER_PATCH))
        return 1;
    res = open_device(&bdf, doca_dma_devinfo_caps_get, &state);
    if (res != DOCA_SUCCESS)
        DOCA_LOG_INFO("No device: %s", doca_get_error_string(res));
    if (!arguments() || !channel() || !lists(NULL) || !exports(NULL) || !run(&state))
        return 1;
    clean_up(&state);
    if (freed != 2)
        return 1;
    puts("built and run");
    return 0;
}
