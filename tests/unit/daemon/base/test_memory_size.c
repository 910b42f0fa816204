// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory that control groups allow, read from files that a kernel could show.

#include "unit.h"

#include "memory_size.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONE UINT64_MAX

static char root[] = "/tmp/docad-test.XXXXXX";

static void setup(void)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void)
{
    char command[PATH_MAX];
    snprintf(command, sizeof(command), "rm -r '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

// Writes a file below the root, with the folders above it.
__attribute__((format(printf, 2, 3))) static void write_file(const char *text, const char *format,
                                                             ...)
{
    char path[PATH_MAX];
    va_list args;
    int n = snprintf(path, sizeof(path), "%s", root);
    va_start(args, format);
    vsnprintf(path + n, sizeof(path) - (size_t)n, format, args);
    va_end(args);
    for (char *slash = path + n + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t size(void)
{
    char proc[PATH_MAX];
    snprintf(proc, sizeof(proc), "%s/proc", root);
    return memory_size_of_groups(proc, root);
}

#define OTHERS                                                                                     \
    "22 1 0:20 / /proc rw,relatime - proc proc rw\n"                                               \
    "23 1 0:21 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
#define MOUNT_2 "24 1 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNT_1 "25 1 0:23 / /sys/fs/cgroup/memory rw shared:8 - cgroup cgroup rw,memory\n"

START_TEST(own_group_limits)
{
    write_file(OTHERS MOUNT_2, "/proc/mountinfo");
    write_file("0::/system.slice/docad.service\n", "/proc/cgroup");
    write_file("209715200\n", "/sys/fs/cgroup/system.slice/docad.service/memory.max");
    write_file("max\n", "/sys/fs/cgroup/system.slice/memory.max");
    ck_assert_uint_eq(size(), 209715200);
}
END_TEST

START_TEST(group_above_limits)
{
    write_file(OTHERS MOUNT_2, "/proc/mountinfo");
    write_file("0::/a/b/c\n", "/proc/cgroup");
    write_file("3000\n", "/sys/fs/cgroup/a/b/c/memory.max");
    write_file("max\n", "/sys/fs/cgroup/a/b/memory.max");
    write_file("2000\n", "/sys/fs/cgroup/a/memory.max");
    ck_assert_uint_eq(size(), 2000);
    write_file("1000\n", "/sys/fs/cgroup/memory.max"); // the top of a container's own namespace
    ck_assert_uint_eq(size(), 1000);
}
END_TEST

START_TEST(version_1)
{
    write_file(OTHERS MOUNT_1, "/proc/mountinfo");
    write_file("9:cpu:/x\n4:hugetlb,memory:/other\n4:memory:/docad\n0::/y\n", "/proc/cgroup");
    write_file("5000\n", "/sys/fs/cgroup/memory/docad/memory.limit_in_bytes");
    write_file("9223372036854771712\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes");
    ck_assert_uint_eq(size(), 5000);
}
END_TEST

// Where both are mounted, the memory is counted in one of them.
START_TEST(both_versions)
{
    write_file(OTHERS "26 1 0:24 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" MOUNT_1,
               "/proc/mountinfo");
    write_file("4:memory:/docad\n0::/\n", "/proc/cgroup");
    write_file("5000\n", "/sys/fs/cgroup/memory/docad/memory.limit_in_bytes");
    ck_assert_uint_eq(size(), 5000);
}
END_TEST

// A container whose own group is mounted, as docker does without a cgroup namespace.
START_TEST(mounted_group_is_the_top)
{
    write_file("24 1 0:22 /docker/1f /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "/proc/mountinfo");
    write_file("0::/docker/1f/app\n", "/proc/cgroup");
    write_file("max\n", "/sys/fs/cgroup/app/memory.max");
    write_file("700\n", "/sys/fs/cgroup/memory.max");
    ck_assert_uint_eq(size(), 700);
    write_file("0::/docker/1f\n", "/proc/cgroup");
    ck_assert_uint_eq(size(), 700);
    write_file("0::/docker/1fe\n", "/proc/cgroup"); // not below it
    ck_assert_uint_eq(size(), 700);
}
END_TEST

START_TEST(nothing_limits)
{
    ck_assert_uint_eq(size(), NONE); // no files at all
    write_file(OTHERS MOUNT_2, "/proc/mountinfo");
    ck_assert_uint_eq(size(), NONE);
    write_file("0::/a\n", "/proc/cgroup");
    ck_assert_uint_eq(size(), NONE);
    write_file("max\n", "/sys/fs/cgroup/a/memory.max");
    ck_assert_uint_eq(size(), NONE);
    write_file("99999999999999999999999999\n", "/sys/fs/cgroup/a/memory.max");
    ck_assert_uint_eq(size(), NONE);
    write_file("no line of mountinfo\n - \nx - cgroup2\n", "/proc/mountinfo");
    ck_assert_uint_eq(size(), NONE);
}
END_TEST

START_TEST(this_process_may_use_some)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    ck_assert_uint_gt(memory_size(), 0);
    ck_assert_uint_le(memory_size(), machine);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("memory_size");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, own_group_limits);
    tcase_add_test(tcase, group_above_limits);
    tcase_add_test(tcase, version_1);
    tcase_add_test(tcase, both_versions);
    tcase_add_test(tcase, mounted_group_is_the_top);
    tcase_add_test(tcase, nothing_limits);
    tcase_add_test(tcase, this_process_may_use_some);
    return unit_run_case("memory_size", tcase);
}
