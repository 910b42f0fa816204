// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A C++ program: log sources in namespaces, errors as exceptions, jobs with designated
// initialisers where the language has them.

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_buf_inventory.h>
#include <doca_log.h>

namespace queues
{

DOCA_LOG_REGISTER(QUEUES::WORK);

class failure : public std::runtime_error
{
  public:
    failure(enum doca_error code, const std::string &what)
        : std::runtime_error(what + ": " + doca_get_error_string(code)), code_(code)
    {
    }
    enum doca_error code() const
    {
        return code_;
    }

  private:
    enum doca_error code_;
};

static void must(doca_error_t code, const char *what)
{
    if (code != DOCA_SUCCESS)
        throw failure(code, what);
}

class queue
{
  public:
    explicit queue(uint32_t depth)
    {
        must(doca_workq_create(depth, &workq_), "doca_workq_create");
        must(doca_dma_create(&dma_), "doca_dma_create");
    }
    ~queue()
    {
        doca_dma_destroy(dma_);
        doca_workq_destroy(workq_);
    }
    doca_error_t copy(doca_buf *dst, const doca_buf *src)
    {
#if __cplusplus >= 202002L
        doca_dma_job_memcpy job = {
            .base = {.type = DOCA_DMA_JOB_MEMCPY,
                     .flags = DOCA_JOB_FLAGS_NONE,
                     .ctx = doca_dma_as_ctx(dma_),
                     .user_data = {.u64 = 1}},
            .dst_buff = dst,
            .src_buff = src,
        };
#else
        doca_dma_job_memcpy job = {};
        job.base.type = DOCA_DMA_JOB_MEMCPY;
        job.base.ctx = doca_dma_as_ctx(dma_);
        job.dst_buff = dst;
        job.src_buff = src;
#endif
        return doca_workq_submit(workq_, &job.base);
    }
    doca_error_t retrieve(doca_event &event)
    {
        return doca_workq_progress_retrieve(workq_, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    }

  private:
    doca_workq *workq_ = nullptr;
    doca_dma *dma_ = nullptr;
};

static int run()
{
    queue q(32);
    doca_event event = {0};
    doca_data user_data = {nullptr};
    user_data.u64 = 5;
    doca_mmap *mmap = nullptr;
    must(doca_mmap_create(&user_data, &mmap), "doca_mmap_create");
    must(doca_mmap_set_permissions(mmap, DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_WRITE),
         "doca_mmap_set_permissions");
    must(doca_mmap_destroy(mmap), "doca_mmap_destroy");
    if (q.copy(nullptr, nullptr) != DOCA_ERROR_NOT_FOUND || q.retrieve(event) != DOCA_ERROR_AGAIN)
        return EXIT_FAILURE;
    try {
        must(doca_workq_create(0, nullptr), "a queue without depth");
        return EXIT_FAILURE;
    } catch (const failure &f) {
        DOCA_LOG_INFO("%s (%s)", f.what(), doca_get_error_name(f.code()));
    }
    return EXIT_SUCCESS;
}

} // namespace queues

int main()
{
    int status = queues::run();
#ifdef DOCA_ARCH_DPU
    std::cout << "dpu program" << std::endl;
#else
    std::cout << "host program" << std::endl;
#endif
    return status;
}
