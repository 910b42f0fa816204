// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression of the 1.5 interface, whose limit has another name and type.

#include "compat15/compat15.h"
#include "compress/compress_job.h"
#include "core/refused.h"

doca_error_t doca_compress_get_max_buffer_size(const struct doca_devinfo *devinfo,
                                               enum doca_compress_job_types job_type,
                                               uint32_t *max_buffer_size)
{
    if (!devinfo || !max_buffer_size)
        return REFUSED_NULL(devinfo, max_buffer_size);
    if (job_type != DOCA_COMPRESS_DEFLATE_JOB && job_type != DOCA_DECOMPRESS_DEFLATE_JOB)
        return refused(__func__, "the job's type is not a compression job");
    enum codec_kind kind = job_type == DOCA_COMPRESS_DEFLATE_JOB ? CODEC_DEFLATE : CODEC_INFLATE;
    doca_error_t r = compress_check_able(__func__, devinfo_card(devinfo), kind);
    if (r != DOCA_SUCCESS)
        return r;
    *max_buffer_size = (uint32_t)compress_most_bytes(devinfo_card(devinfo), kind);
    return DOCA_SUCCESS;
}
