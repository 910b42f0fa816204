// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program as a user would write it, built as C and as C++ against what is installed.
// It needs no daemon: it uses something of each library and of each kind of header.

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_bufpool.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_docad.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_version.h>

#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(PROGRAM);

static int wrong(const char *what, doca_error_t result)
{
    DOCA_LOG_ERR("%s: %s", what, doca_get_error_string(result));
    return 1;
}

int main(int argc, char **argv)
{
    struct doca_dma *dma = NULL;
    struct doca_mmap *mmap = NULL;
    doca_error_t result;

    result = doca_argp_init("program", NULL);
    if (result != DOCA_SUCCESS)
        return wrong("doca_argp_init", result);
    result = doca_argp_start(argc, argv);
    if (result != DOCA_SUCCESS)
        return wrong("doca_argp_start", result);
    result = doca_mmap_create(NULL, &mmap);
    if (result != DOCA_SUCCESS)
        return wrong("doca_mmap_create", result);
    result = doca_dma_create(&dma);
    if (result != DOCA_SUCCESS)
        return wrong("doca_dma_create", result);
    if (doca_dma_as_ctx(dma) == NULL)
        return wrong("doca_dma_as_ctx", DOCA_ERROR_UNEXPECTED);
    if (strcmp(doca_version(), doca_version_runtime()) != 0)
        return wrong("doca_version_runtime", DOCA_ERROR_UNSUPPORTED_VERSION);
    doca_dma_destroy(dma);
    doca_mmap_destroy(mmap);
    doca_argp_destroy();
    puts("built and run");
    return 0;
}
