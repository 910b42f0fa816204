// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a private docad reports to the program that has started it.

#include "private_docad.h"

#include "copy_text.h"
#include "unit.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char directory[PRIVATE_PATH_MAX], path[PRIVATE_PATH_MAX];
static int notify, docad;
static struct private_reports reports;

static void setup(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    ck_assert(private_directory_make("private-docad-test", directory));
    notify = private_notify_open(directory, "host", path);
    ck_assert_int_ge(notify, 0);
    docad = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    copy_text(to.sun_path, path);
    ck_assert_int_eq(connect(docad, (struct sockaddr *)&to, sizeof(to)), 0);
    reports = (struct private_reports){0};
}

static void teardown(void)
{
    close(docad);
    close(notify);
    private_directory_remove(directory);
    ck_assert_int_ne(access(directory, F_OK), 0);
}

static bool report(const char *text)
{
    return send(docad, text, strlen(text), 0) > 0;
}

static bool some_are_left(void)
{
    struct pollfd p = {.fd = notify, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

START_TEST(only_the_own_user_reports)
{
    struct stat status;
    ck_assert_int_eq(strncmp(path, directory, strlen(directory)), 0);
    ck_assert_int_eq(stat(directory, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0700);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert(S_ISSOCK(status.st_mode));
}
END_TEST

START_TEST(reports_are_read)
{
    private_notify_read(notify, &reports);
    ck_assert(!reports.ready);
    ck_assert(report("READY=1\nSTATUS=x\nX_DOCAD_LINKED=0"));
    private_notify_read(notify, &reports);
    ck_assert(reports.ready && !reports.is_older);
    ck_assert_uint_eq(reports.linked, 0);
    ck_assert(report("STATUS=x\nX_DOCAD_LINKED=1"));
    ck_assert(report("WATCHDOG=1"));
    private_notify_read(notify, &reports);
    ck_assert_uint_eq(reports.linked, 1);
    ck_assert(!reports.is_older);
}
END_TEST

START_TEST(older_docad_is_recognised)
{
    ck_assert(report("READY=1\nSTATUS=x"));
    private_notify_read(notify, &reports);
    ck_assert(reports.ready && reports.is_older);
}
END_TEST

// A sender that never stops must not keep the reader.
START_TEST(one_call_reads_some_reports)
{
    unsigned sent = 0;
    while (sent < 10 && report("WATCHDOG=1"))
        sent++;
    ck_assert_uint_ge(sent, 5);
    private_notify_read(notify, &reports);
    ck_assert(some_are_left());
    for (unsigned i = 0; i < sent; i++)
        private_notify_read(notify, &reports);
    ck_assert(!some_are_left());
}
END_TEST

// A daemon that is started again has the same directory.
START_TEST(name_is_used_again)
{
    char again[PRIVATE_PATH_MAX];
    int second = private_notify_open(directory, "host", again);
    ck_assert_int_ge(second, 0);
    ck_assert_str_eq(again, path);
    close(second);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("private_docad");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, only_the_own_user_reports);
    tcase_add_test(tcase, reports_are_read);
    tcase_add_test(tcase, older_docad_is_recognised);
    tcase_add_test(tcase, one_call_reads_some_reports);
    tcase_add_test(tcase, name_is_used_again);
    return unit_run_case("private_docad", tcase);
}
