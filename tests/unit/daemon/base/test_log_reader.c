// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The log, where nobody reads it: lines are counted, and no write waits.

#include "cleanup.h"
#include "log.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINES 2000 // more than fit into a pipe or a socket

static int standard_error;

// The test's standard error becomes one end; returns the other one.
static int redirect(bool sock)
{
    int fds[2];

    ck_assert_int_eq(sock ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds), 0);
    ck_assert_int_ge(standard_error = dup(STDERR_FILENO), 0);
    ck_assert_int_eq(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
    close(fds[1]);
    return fds[0];
}

static size_t read_all(int fd, char *text, size_t size)
{
    size_t n = 0;
    ssize_t r;

    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    while (n < size - 1 && (r = read(fd, text + n, size - 1 - n)) > 0)
        n += (size_t)r;
    text[n] = '\0';
    return n;
}

// ---- kernels and filters without pwritev2(2) ----------------------------------------------

static int refused; // errno of pwritev2(2); 0: the call is made

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list args;

    va_start(args, number);
    for (size_t i = 0; i < ARRAY_SIZE(a); i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number != SYS_pwritev2 || !refused)
        return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    errno = refused;
    return -1;
}

// ---- lines ----------------------------------------------------------------------------------

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void assert_lines_are_counted(int reader)
{
    static char text[1 << 20];
    unsigned lost = 0;

    for (int i = 0; i < LINES; i++)
        log_write(LOG_LEVEL_ERROR, "a line %0*d", 200, i); // without room each would wait for ever
    read_all(reader, text, sizeof(text));
    unsigned there = count(text, "a line");
    ck_assert_uint_gt(there, 0);
    ck_assert_uint_lt(there, LINES);
    log_write(LOG_LEVEL_ERROR, "the next one");
    read_all(reader, text, sizeof(text));
    const char *notice = strstr(text, " lines of this log could not be written");
    ck_assert_ptr_nonnull(notice);
    ck_assert_ptr_nonnull(strstr(notice, "the next one"));
    while (notice[-1] >= '0' && notice[-1] <= '9')
        notice--;
    ck_assert_int_eq(sscanf(notice, "%u", &lost), 1);
    ck_assert_uint_eq(there + lost, LINES);
}

static const int refusals[] = {0, ENOSYS, EOPNOTSUPP, EPERM, EINVAL};

// A pipe and a socket, each with each of the refusals.
START_TEST(a_reader_that_stops_holds_up_nothing)
{
    int reader = redirect(_i % 2);
    refused = refusals[_i / 2];
    int flags = fcntl(STDERR_FILENO, F_GETFL);

    log_init(LOG_LEVEL_ERROR);
    assert_lines_are_counted(reader);
    ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFL), flags); // others share it
    ck_assert_int_eq(dup2(standard_error, STDERR_FILENO), STDERR_FILENO);
    close(standard_error);
    close(reader);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("log reader");
    tcase_add_loop_test(tcase, a_reader_that_stops_holds_up_nothing, 0, 2 * ARRAY_SIZE(refusals));
    return unit_run_case("log reader", tcase);
}
