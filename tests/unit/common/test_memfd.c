// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "memfd.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

START_TEST(sealed_and_checked)
{
    cleanup_fd int fd = memfd_create_sealed("test", 8192);
    ck_assert_int_ge(fd, 0);
    cleanup_fd int ro = memfd_reopen_readonly(fd);
    ck_assert_int_ge(ro, 0);
    ck_assert_int_eq(ftruncate(fd, 4096), -1);
    ck_assert_int_eq(ftruncate(fd, 16384), -1);
    ck_assert_int_eq(memfd_check(fd, 8192, 1), 0);
    ck_assert_int_eq(memfd_check(ro, 8192, 0), 0);
    ck_assert_int_eq(memfd_check(fd, 4096, 1), -EINVAL);
    ck_assert_int_eq(memfd_check(fd, 8192, 0), -EACCES);
    ck_assert_int_eq(memfd_check(ro, 8192, 1), -EACCES);
    ck_assert(memfd_same_file(fd, ro));
}
END_TEST

START_TEST(what_is_no_sealed_memory_file)
{
    int pipe_fds[2];
    ck_assert_int_eq(pipe(pipe_fds), 0);
    ck_assert_int_eq(memfd_check(pipe_fds[0], 0, 0), -EBADF);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    ck_assert_int_eq(memfd_check(-1, 0, 0), -EBADF);
    cleanup_fd int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(memfd_check(file, 0, 0), -EBADF);
    ck_assert(!memfd_same_file(file, -1));
    cleanup_fd int unsealed = memfd_create("test", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(unsealed, 4096), 0);
    ck_assert_int_eq(memfd_check(unsealed, 4096, 1), -EPERM);
    ck_assert(!memfd_same_file(file, unsealed));
}
END_TEST

START_TEST(future_write_seal_keeps_existing_mappings)
{
    cleanup_fd int fd = memfd_create_sealed("test", 4096);
    char *mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(mine, MAP_FAILED);
    ck_assert_int_eq(memfd_seal_future_write(fd), 0);
    mine[0] = 'x';
    ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    ck_assert_int_eq(write(fd, "y", 1), -1);
    char *theirs = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(theirs, MAP_FAILED);
    ck_assert_int_eq(theirs[0], 'x');
    ck_assert_int_eq(mprotect(theirs, 4096, PROT_READ | PROT_WRITE), -1);
    munmap(mine, 4096);
    munmap(theirs, 4096);
}
END_TEST

START_TEST(huge_pages_are_not_ordinary_ones)
{
    cleanup_fd int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) // this kernel has none
        return;
    off_t size = st.st_blksize;
    ck_assert_int_eq(ftruncate(fd, size), 0);
    ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    ck_assert_int_eq(memfd_check(fd, (uint64_t)size, 1), -EBADF);
}
END_TEST

START_TEST(no_further_seals)
{
    cleanup_fd int fd = memfd_create_sealed("test", 4096);
    ck_assert_int_eq(memfd_seal_seals(fd), 0);
    ck_assert_int_eq(memfd_seal_seals(fd), 0);
    ck_assert_int_eq(memfd_seal_future_write(fd), -EPERM);
    ck_assert_int_lt(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    ck_assert_int_eq(memfd_check(fd, 4096, 1), 0);
}
END_TEST

UNIT_MAIN("memfd", sealed_and_checked, what_is_no_sealed_memory_file,
          future_write_seal_keeps_existing_mappings, huge_pages_are_not_ordinary_ones,
          no_further_seals)
