// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A compression context of DOCA 3, and its tasks. The work is that of client/compress; the type of
// a task is the codec's kind.

#ifndef CLIENT_COMPRESS_TASKS_COMPRESS_CONTEXT_H
#define CLIENT_COMPRESS_TASKS_COMPRESS_CONTEXT_H

#include "compress/compress_job.h"
#include "progress/context.h"

#include <doca_compress.h>

#define COMPRESS_TASKS_MAX (1u << 16)

struct doca_compress {
    struct doca_ctx ctx;
    struct compress_link on;
};

// All four kinds of tasks have this structure.
struct compress_task {
    struct doca_task task;
    struct compress_op op;
    const uint8_t *result; // of a completed task, in place
};

static inline struct compress_task *compress_task_of(struct work_item *item)
{
    return (struct compress_task *)item; // it begins with it
}

// The checksums of a task that is done, see compress_late.c.
uint32_t compress_task_crc32(const struct compress_task *task);
uint32_t compress_task_other32(const struct compress_task *task);

// The common part of the functions of doca_compress.h for one kind of task, see compress_kinds.c.

doca_error_t compress_kind_supported(const struct doca_devinfo *devinfo, enum codec_kind kind);
doca_error_t compress_kind_limit(const char *function, const struct card *card,
                                 enum codec_kind kind);
doca_error_t compress_task_configure(const char *function, struct doca_compress *compress,
                                     enum codec_kind kind, doca_task_completion_cb_t done,
                                     doca_task_completion_cb_t failed, uint32_t n);
doca_error_t compress_task_take(const char *function, struct doca_compress *compress,
                                enum codec_kind kind, const struct doca_buf *src,
                                struct doca_buf *dst, union doca_data user_data,
                                struct compress_task **out);

#endif
