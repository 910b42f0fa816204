// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Rate limits, by a clock that the test puts forward.

#include "log_capture.h"
#include "unit.h"

#include <string.h>
#include <time.h>

DOCA_LOG_REGISTER(TEST::LOG);

// ---- rate limits ---------------------------------------------------------------------

static int64_t clock_ahead; // seconds

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    static time_t frozen;
    int result = __real_clock_gettime(clock, out);
    if (clock == CLOCK_MONOTONIC && clock_ahead) {
        // Stands still, but is never behind what Check saw before: it uses this one too.
        if (!frozen)
            frozen = out->tv_sec;
        *out = (struct timespec){.tv_sec = frozen + clock_ahead};
    }
    return result;
}

static void ten_limited_lines(void)
{
    for (int i = 0; i < 10; i++)
        DOCA_LOG_RATE_LIMIT_INFO("%d", i);
}

START_TEST(rate_limit_drops_what_is_over)
{
    int fd = log_sink();
    clock_ahead = 1;
    backend_of(fd);
    doca_log_set_quantity(3);
    ten_limited_lines();
    ck_assert_str_eq(log_texts(fd), "0\n1\n2\n");
}
END_TEST

START_TEST(rate_limit_begins_anew_with_each_period)
{
    int fd = log_sink();
    clock_ahead = 1;
    backend_of(fd);
    doca_log_set_quantity(2);
    doca_log_set_bucket_time(10);
    ten_limited_lines();
    clock_ahead += 9;
    ten_limited_lines();
    ck_assert_str_eq(log_texts(fd), "0\n1\n");
    clock_ahead += 1;
    ten_limited_lines();
    ck_assert_str_eq(log_texts(fd), "0\n1\n0\n1\n");
}
END_TEST

START_TEST(rate_limit_settings)
{
    int fd = log_sink();
    ck_assert_uint_eq(doca_log_get_bucket_time(), 5);
    ck_assert_uint_eq(doca_log_get_quantity(), 20);
    doca_log_set_bucket_time(65535);
    doca_log_set_quantity(65535);
    ck_assert_uint_eq(doca_log_get_bucket_time(), 65535);
    ck_assert_uint_eq(doca_log_get_quantity(), 65535);

    clock_ahead = 1;
    backend_of(fd);
    doca_log_set_quantity(0);
    ten_limited_lines();
    ck_assert_str_eq(log_texts(fd), "");
    doca_log_set_quantity(1);
    doca_log_set_bucket_time(0); // every line begins a period
    ten_limited_lines();
    ck_assert_str_eq(log_texts(fd), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
}
END_TEST

START_TEST(rate_limit_counts_each_place_by_itself)
{
    int fd = log_sink();
    clock_ahead = 1;
    backend_of(fd);
    doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG);
    doca_log_set_quantity(1);
    for (int i = 0; i < 2; i++) {
        DOCA_LOG_RATE_LIMIT_CRIT("crit");
        DOCA_LOG_RATE_LIMIT_ERR("err");
        DOCA_LOG_RATE_LIMIT_WARN("warn");
        DOCA_LOG_RATE_LIMIT_INFO("info");
        DOCA_LOG_RATE_LIMIT_DBG("dbg");
        DOCA_LOG_RATE_LIMIT(ERROR, "%s", "token");
    }
    ck_assert_str_eq(log_texts(fd), "crit\nerr\nwarn\ninfo\ndbg\ntoken\n");
}
END_TEST

START_TEST(rate_limit_counts_only_what_is_shown)
{
    int fd = log_sink(), bucket = -1;
    clock_ahead = 1;
    backend_of(fd);
    doca_log_set_quantity(1);
    ck_assert_int_eq(doca_log_rate_bucket_register(log_source, &bucket), DOCA_SUCCESS);
    ck_assert_int_ge(bucket, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(doca_log_rate_limit(DOCA_LOG_LEVEL_DEBUG, log_source, 1, bucket, "dbg"),
                         DOCA_SUCCESS);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, bucket, "info"),
                         DOCA_SUCCESS);
    ck_assert_str_eq(log_texts(fd), "info\n");
}
END_TEST

START_TEST(rate_buckets_that_make_no_sense)
{
    int source, other, bucket = 99;
    ck_assert_int_eq(doca_log_source_register("a", &source), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_source_register("b", &other), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_rate_bucket_register(source, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_rate_bucket_register(4711, &bucket), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_rate_bucket_register(-1, &bucket), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(bucket, 99);
    ck_assert_int_eq(doca_log_rate_bucket_register(source, &bucket), DOCA_SUCCESS);

    const int no_buckets[] = {-1, bucket + 1, 1 << 30};
    for (size_t i = 0; i < sizeof(no_buckets) / sizeof(no_buckets[0]); i++)
        ck_assert_int_eq(
            doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, source, 1, no_buckets[i], "no bucket"),
            DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, other, 1, bucket, "not its bucket"),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_rate_limit(55, source, 1, bucket, "x"), DOCA_ERROR_INVALID_VALUE);

    // A source takes its buckets with it, and the next one that gets its number has none.
    ck_assert_int_eq(doca_log_source_destroy(source), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_source_register("c", &source), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, source, 1, bucket, "gone"),
                     DOCA_ERROR_INVALID_VALUE);
    doca_log_source_destroy(source);
    doca_log_source_destroy(other);
}
END_TEST

START_TEST(many_rate_buckets)
{
    int fd = log_sink(), bucket;
    backend_of(fd);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(doca_log_rate_bucket_register(log_source, &bucket), DOCA_SUCCESS);
        ck_assert_int_eq(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, bucket, "."),
                         DOCA_SUCCESS);
    }
    ck_assert_int_eq(strlen(log_texts(fd)), 2000);
}
END_TEST

UNIT_MAIN("log_rate", rate_limit_drops_what_is_over, rate_limit_begins_anew_with_each_period,
          rate_limit_settings, rate_limit_counts_each_place_by_itself,
          rate_limit_counts_only_what_is_shown, rate_buckets_that_make_no_sense, many_rate_buckets)
