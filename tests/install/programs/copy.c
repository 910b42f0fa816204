// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Written as programs for the card are: what the headers include they do not include
// again (string.h, stdint.h, stdio.h, stdbool.h), jobs and events begin with {0}, each
// side is compiled for itself. Compiled as C and as C++.

#include <stdlib.h>
#include <time.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>

#if defined(DOCA_ARCH_HOST) == defined(DOCA_ARCH_DPU)
#error a program is for one side
#endif
#if defined(__x86_64__) && (!defined(DOCA_ARCH_X86) || defined(DOCA_ARCH_ARM))
#error the side says which processor
#endif

#define MAX_TEXT 64
#define SLEEP_NS (10 * 1000)

DOCA_LOG_REGISTER(COPY::MAIN);

struct program_core_objects {
    struct doca_dev *dev;
    struct doca_mmap *src_mmap;
    struct doca_mmap *dst_mmap;
    struct doca_buf_inventory *buf_inv;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
};

static doca_error_t open_device(const char *pci_addr, struct program_core_objects *state)
{
    struct doca_devinfo **dev_list;
    uint32_t nb_devs;
    uint8_t is_equal = 0;
    doca_error_t res;
    size_t i;

    res = doca_devinfo_list_create(&dev_list, &nb_devs);
    if (res != DOCA_SUCCESS)
        return res;
    res = DOCA_ERROR_NOT_FOUND;
    for (i = 0; i < nb_devs && res != DOCA_SUCCESS; i++) {
        if (doca_devinfo_get_is_pci_addr_equal(dev_list[i], pci_addr, &is_equal) == DOCA_SUCCESS &&
            is_equal &&
            doca_dma_job_get_supported(dev_list[i], DOCA_DMA_JOB_MEMCPY) == DOCA_SUCCESS)
            res = doca_dev_open(dev_list[i], &state->dev);
    }
    doca_devinfo_list_destroy(dev_list);
    return res;
}

#ifdef DOCA_ARCH_DPU
static doca_error_t run_job(struct program_core_objects *state, struct doca_buf *dst,
                            struct doca_buf *src)
{
    struct timespec ts = {0};
    struct doca_event event = {0};
    struct doca_dma_job_memcpy dma_job = {0};
    doca_error_t res;

    dma_job.base.type = DOCA_DMA_JOB_MEMCPY;
    dma_job.base.flags = DOCA_JOB_FLAGS_NONE;
    dma_job.base.ctx = state->ctx;
    dma_job.dst_buff = dst;
    dma_job.src_buff = src;
    res = doca_workq_submit(state->workq, &dma_job.base);
    if (res != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to submit: %s", doca_get_error_string(res));
        return res;
    }
    while ((res = doca_workq_progress_retrieve(
                state->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN) {
        ts.tv_nsec = SLEEP_NS;
        nanosleep(&ts, &ts);
    }
    if (res == DOCA_SUCCESS)
        res = (doca_error_t)event.result.u64;
    return res;
}

static int run(struct program_core_objects *state, char *text)
{
    struct doca_buf *src = NULL, *dst = NULL;
    char export_desc[1024] = {0};
    doca_error_t res;

    res = doca_mmap_create_from_export(NULL, (const void *)export_desc, sizeof(export_desc),
                                       state->dev, &state->src_mmap);
    if (res != DOCA_SUCCESS)
        return 1;
    if (doca_buf_inventory_buf_by_addr(state->buf_inv, state->src_mmap, text, strlen(text), &src) !=
            DOCA_SUCCESS ||
        doca_buf_set_data(src, text, strlen(text)) != DOCA_SUCCESS ||
        doca_buf_inventory_buf_by_addr(state->buf_inv, state->dst_mmap, text, MAX_TEXT, &dst) !=
            DOCA_SUCCESS)
        return 1;
    return run_job(state, dst, src) == DOCA_SUCCESS ? 0 : 1;
}
#endif

#ifdef DOCA_ARCH_HOST
static int run(struct program_core_objects *state, char *text)
{
    const void *export_desc;
    size_t export_desc_len;
    FILE *fp;

    if (doca_mmap_create(NULL, &state->src_mmap) != DOCA_SUCCESS ||
        doca_mmap_set_memrange(state->src_mmap, text, strlen(text)) != DOCA_SUCCESS ||
        doca_mmap_set_permissions(state->src_mmap, DOCA_ACCESS_DPU_READ_ONLY) != DOCA_SUCCESS ||
        doca_mmap_dev_add(state->src_mmap, state->dev) != DOCA_SUCCESS ||
        doca_mmap_start(state->src_mmap) != DOCA_SUCCESS)
        return 1;
    if (doca_mmap_export_dpu(state->src_mmap, state->dev, &export_desc, &export_desc_len) !=
        DOCA_SUCCESS)
        return 1;
    fp = fopen("/dev/null", "wb");
    if (fp == NULL || fwrite(export_desc, 1, export_desc_len, fp) != export_desc_len)
        return 1;
    fprintf(fp, "%" PRIu64 "\n%" PRIu64 "\n", (uint64_t)text, (uint64_t)strlen(text));
    fclose(fp);
    return 0;
}
#endif

int main(int argc, char **argv)
{
    struct program_core_objects state;
    char text[MAX_TEXT];
    doca_error_t result;
    bool found;

    memset(&state, 0, sizeof(state));
    strcpy(text, argc > 1 ? argv[1] : "text");
    result = open_device("03:00.0", &state);
    found = result == DOCA_SUCCESS;
    if (found && run(&state, text) != 0)
        return EXIT_FAILURE;
    if (!found)
        DOCA_LOG_INFO("No device: %s", doca_get_error_name(result));
#ifdef DOCA_ARCH_DPU
    puts("dpu program");
#else
    puts("host program");
#endif
    return EXIT_SUCCESS;
}
