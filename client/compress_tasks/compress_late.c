// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Computes checksums that were not computed with the bytes, because no loaded object referred to
// the functions that return them, and that are requested nevertheless. They are those of the
// destination as it is now; from the next task of the kind on they are computed with the bytes.

#include "compress_asked.h"
#include "compress_context.h"

#include "cleanup.h"
#include "core/report.h"

#include <fcntl.h>
#include <unistd.h>

// The program may have unmapped what it has decompressed: then the kernel returns an error.
static bool sum_memory(struct codec *codec, const uint8_t *at, uint64_t length)
{
    cleanup_fd int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    uint8_t chunk[16384];

    while (memory >= 0 && length > 0) {
        ssize_t n = pread(memory, chunk, length < sizeof(chunk) ? length : sizeof(chunk),
                          (off_t)(uintptr_t)at);
        if (n <= 0)
            return false;
        codec_sum(codec, chunk, (size_t)n);
        at += n;
        length -= (uint64_t)n;
    }
    return memory >= 0;
}

static void sum_up(struct compress_task *task)
{
    struct compress_op *op = &task->op;
    struct codec *codec = codec_new();

    compress_ask(op->kind, CODEC_SUMS);
    if (codec)
        codec_begin(codec, op->kind, CODEC_SUMS);
    if (codec && sum_memory(codec, task->result, stream_moved(&op->out.stream))) {
        op->crc32 = codec_crc32(codec);
        op->other32 = codec_other32(codec);
    } else {
        op->crc32 = op->other32 = 0;
        log_own(DOCA_LOG_LEVEL_ERROR, LOG_HERE,
                "a checksum is not known: what the task decompressed cannot be read any more; it "
                "is of the next task on");
    }
    codec_free(codec);
    op->later = 0;
}

static const struct compress_op *summed_up(const struct compress_task *task, unsigned sum)
{
    const struct doca_task *base = &task->task;

    if (task->op.later & sum && task->result && base->item.state == TASK_HELD &&
        base->item.error == DOCA_SUCCESS)
        sum_up((struct compress_task *)(uintptr_t)task);
    return &task->op;
}

uint32_t compress_task_crc32(const struct compress_task *task)
{
    return summed_up(task, CODEC_CRC32)->crc32;
}

uint32_t compress_task_other32(const struct compress_task *task)
{
    return summed_up(task, CODEC_OTHER32)->other32;
}
