// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 3 as a user would write it, built as C and as C++ against what is installed.
// It needs no daemon: it includes something of each library, and makes what needs no device.

#include <doca_aes_gcm.h>
#include <doca_argp.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_error.h>
#include <doca_graph.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <doca_version.h>

#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(PROGRAM::MAIN);

static int wrong(const char *what, doca_error_t result)
{
    DOCA_LOG_ERR("%s: %s", what, doca_error_get_descr(result));
    return 1;
}

// What a program of several libraries refers to is all in the one that it is linked with.
static void done(struct doca_dma_task_memcpy *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static doca_error_t make(void)
{
    struct doca_pe *pe = NULL;
    struct doca_mmap *mmap = NULL;
    struct doca_buf_inventory *inventory = NULL;
    doca_dma_task_memcpy_completion_cb_t callback = done;
    doca_error_t result, last;

    result = callback ? doca_pe_create(&pe) : DOCA_ERROR_UNEXPECTED;
    if (DOCA_IS_ERROR(result))
        return result;
    result = doca_mmap_create(&mmap);
    if (!DOCA_IS_ERROR(result))
        result = doca_buf_inventory_create(16, &inventory);
    if (!DOCA_IS_ERROR(result)) {
        result = doca_buf_inventory_start(inventory);
        last = doca_buf_inventory_destroy(inventory);
        DOCA_ERROR_PROPAGATE(result, last);
    }
    if (mmap) {
        last = doca_mmap_destroy(mmap);
        DOCA_ERROR_PROPAGATE(result, last);
    }
    if (result == DOCA_SUCCESS && doca_pe_progress(pe) != 0)
        result = DOCA_ERROR_UNEXPECTED;
    last = doca_pe_destroy(pe);
    DOCA_ERROR_PROPAGATE(result, last);
    return result;
}

int main(int argc, char **argv)
{
    struct doca_log_backend *backend = NULL;
    doca_error_t result;

    result = doca_log_backend_create_standard();
    if (result != DOCA_SUCCESS)
        return wrong("doca_log_backend_create_standard", result);
    result = doca_log_backend_create_with_file_sdk(stderr, &backend);
    if (result != DOCA_SUCCESS)
        return wrong("doca_log_backend_create_with_file_sdk", result);
    result = doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING);
    if (result != DOCA_SUCCESS)
        return wrong("doca_log_backend_set_sdk_level", result);
    result = doca_argp_init("program", NULL);
    if (result != DOCA_SUCCESS)
        return wrong("doca_argp_init", result);
    result = doca_argp_start(argc, argv);
    if (result != DOCA_SUCCESS)
        return wrong("doca_argp_start", result);
    if (strcmp(doca_version(), doca_version_runtime()) != 0 || DOCA_VERSION_MAJOR != 3)
        return wrong("doca_version_runtime", DOCA_ERROR_UNSUPPORTED_VERSION);
    result = make();
    if (result != DOCA_SUCCESS)
        return wrong("objects", result);
    doca_argp_destroy();
    puts("built and run");
    return 0;
}
