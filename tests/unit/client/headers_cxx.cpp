// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The interface as C++ programs use it: all headers at once, log sources in namespaces,
// lines before main(), structures with initialisers, enum tags as type names. It is
// compiled as C++11 and as C++20.

#include "all_headers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

DOCA_LOG_REGISTER(PROGRAM::GLOBAL);

static doca_error log_global()
{
    return DOCA_LOG_INFO("global");
}

namespace outer
{
namespace inner
{
DOCA_LOG_REGISTER(outer::inner);

doca_error_t log_inner(int number)
{
    DOCA_DLOG_DBG("not there %d", number);
    DOCA_LOG_RATE_LIMIT_INFO("limited %d", number);
    if (number > 0)
        DOCA_LOG_RATE_LIMIT_ERR("limited error");
    else
        DOCA_LOG_RATE_LIMIT_WARN("limited warning");
    return DOCA_LOG_ERR("inner %d", number);
}
} // namespace inner
} // namespace outer

namespace other
{
DOCA_LOG_REGISTER(other);

struct Object {
    doca_error_t constructed;

    Object() : constructed(DOCA_LOG_DBG("before main"))
    {
    }
    ~Object()
    {
        DOCA_LOG_DBG("after main");
    }
};

static Object object;

doca_error_t log_other()
{
    return DOCA_LOG_WARN("other");
}
} // namespace other

// The types of callbacks, from functions with C++ linkage of their own.
static doca_error_t on_value(void *param, void *config)
{
    *static_cast<std::string *>(config) = static_cast<char *>(param);
    return DOCA_SUCCESS;
}

static void on_free(void *, size_t, void *)
{
}

static void structures()
{
    doca_mmap_memrange_free_cb_t *free_callback = on_free;
    doca_event event = {0};
    doca_job zero = {0};
    doca_data user = {nullptr};
    doca_workq *workq = nullptr;
    enum doca_access_flags access = DOCA_ACCESS_LOCAL_READ_WRITE;
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = "";

    CHECK(event.type == 0 && zero.type == 0 && user.ptr == nullptr && !workq);
    CHECK(free_callback && access == 1 && sizeof(address) == 13);
#if __cplusplus >= 202002L
    doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY,
                 .flags = DOCA_JOB_FLAGS_NONE,
                 .ctx = nullptr,
                 .user_data = {.u64 = 7}},
        .dst_buff = nullptr,
        .src_buff = nullptr,
    };
    CHECK(job.base.user_data.u64 == 7);
#endif
}

static std::string logged(int fd)
{
    char text[4096];
    ssize_t n = pread(fd, text, sizeof(text), 0);
    return std::string(text, n > 0 ? n : 0);
}

static void logging()
{
    std::FILE *file = std::tmpfile();
    doca_logger_backend *backend = nullptr;
    CHECK(file && doca_log_create_file_backend(file, &backend) == DOCA_SUCCESS);
    CHECK(other::object.constructed == DOCA_SUCCESS);
    CHECK(log_global() == DOCA_SUCCESS);
    CHECK(outer::inner::log_inner(5) == DOCA_SUCCESS);
    CHECK(other::log_other() == DOCA_SUCCESS);
    std::string text = logged(fileno(file));
    static const char *const expected[] = {
        "[DOCA][INF][PROGRAM::GLOBAL:",
        "]: global\n",
        "[DOCA][ERR][outer::inner:",
        "]: inner 5\n",
        "]: limited 5\n",
        "]: limited error\n",
        "[DOCA][WRN][other:",
        "]: other\n",
    };
    for (const char *part : expected)
        if (text.find(part) == std::string::npos) {
            std::fprintf(stderr, "no \"%s\" in \"%s\"\n", part, text.c_str());
            std::exit(1);
        }
    CHECK(text.find("not there") == std::string::npos);
}

static void arguments()
{
    std::string value;
    doca_argp_param *param = nullptr;
    char name[] = "program", flag[] = "-p", text[] = "text";
    char *argv[] = {name, flag, text, nullptr};

    CHECK(doca_argp_init("program", &value) == DOCA_SUCCESS);
    CHECK(doca_argp_param_create(&param) == DOCA_SUCCESS);
    doca_argp_param_set_short_name(param, "p");
    doca_argp_param_set_description(param, "Anything");
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(param, on_value);
    CHECK(doca_argp_register_param(param) == DOCA_SUCCESS);
    CHECK(doca_argp_start(3, argv) == DOCA_SUCCESS);
    CHECK(value == "text");
    CHECK(doca_argp_destroy() == DOCA_SUCCESS);
}

int main()
{
    static_assert(DOCA_VERSION_LTE_CURRENT(2, 2, 80), "usable in static checks");
    doca_error_t result = DOCA_SUCCESS;
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
    CHECK(DOCA_IS_ERROR(result) && !std::strcmp(doca_get_error_name(result), "DOCA_ERROR_AGAIN"));
    CHECK(!std::strcmp(doca_version(), doca_version_runtime()));
    structures();
    logging();
    arguments();
    return 0;
}
