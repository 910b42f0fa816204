// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The log as the journal gets it: sendto() and access() are the test's own.

#include "log.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char sent[16][512]; // fields of the last message
static char first[512];    // field of the first message
static int n_sent, n_messages, failure, may_access;

ssize_t __wrap_sendto(int fd, const void *bytes, size_t size, int flags,
                      const struct sockaddr *address, socklen_t address_size);
ssize_t __wrap_sendto(int fd, const void *bytes, size_t size, int flags,
                      const struct sockaddr *address, socklen_t address_size)
{
    const char *at = bytes, *end = at + size;
    (void)fd;
    ck_assert(flags & MSG_DONTWAIT);
    ck_assert_uint_eq(address_size, sizeof(struct sockaddr_un));
    ck_assert_str_eq(((const struct sockaddr_un *)address)->sun_path,
                     "/run/systemd/journal/socket");
    if (failure) {
        errno = failure;
        return -1;
    }
    n_messages++;
    for (n_sent = 0; at < end; n_sent++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        ck_assert_ptr_nonnull(newline);
        snprintf(sent[n_sent], sizeof(sent[n_sent]), "%.*s", (int)(newline - at), at);
        at = newline + 1;
    }
    if (n_messages == 1)
        memcpy(first, sent[0], sizeof(first));
    return (ssize_t)size;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    (void)mode;
    ck_assert_str_eq(path, "/run/systemd/journal/socket");
    return may_access;
}

static bool was_sent(const char *field)
{
    for (int i = 0; i < n_sent; i++)
        if (strcmp(sent[i], field) == 0)
            return true;
    return false;
}

// Standard error is a file, which the environment may say is the journal.
static int file, saved_stderr;

static void setup(void)
{
    char name[] = "/tmp/docad-journal.XXXXXX", stream[64];
    struct stat st;
    file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    unlink(name);
    saved_stderr = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    ck_assert_int_eq(fstat(file, &st), 0);
    snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    n_sent = n_messages = failure = may_access = 0;
    log_init(LOG_LEVEL_INFO);
}

static void teardown(void)
{
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    close(file);
    unsetenv("JOURNAL_STREAM");
}

static const char *written(void)
{
    static char text[1024];
    ssize_t n = pread(file, text, sizeof(text) - 1, 0);
    ck_assert_int_ge(n, 0);
    text[n] = '\0';
    return text;
}

START_TEST(fields_and_id)
{
    log_event(
        LOG_EVENT_SESSION_DROPPED, LOG_LEVEL_WARNING,
        LOG_ABOUT(.session = 7, .pid = 12, .uid = 1000, .program = "p\nPRIORITY=1", .peer = "dpu"),
        "gone: %s", "a\nb");
    ck_assert(was_sent("MESSAGE=gone: a b"));
    ck_assert(was_sent("PRIORITY=4"));
    ck_assert(was_sent("SYSLOG_IDENTIFIER=docad"));
    ck_assert(was_sent("DOCAD_SESSION=7"));
    ck_assert(was_sent("DOCAD_CLIENT_PID=12"));
    ck_assert(was_sent("DOCAD_CLIENT_UID=1000"));
    ck_assert(was_sent("DOCAD_PEER=dpu"));
    ck_assert(was_sent("DOCAD_PROGRAM=p PRIORITY=1"));
    bool id = false;
    for (int i = 0; i < n_sent; i++)
        id = id || (strncmp(sent[i], "MESSAGE_ID=", 11) == 0 && strlen(sent[i]) == 11 + 32);
    ck_assert(id);
    ck_assert_str_eq(written(), "");
}
END_TEST

START_TEST(a_node_without_a_name_is_no_field)
{
    log_event(LOG_EVENT_NO_LINK, LOG_LEVEL_INFO, LOG_ABOUT(.peer = ""), "no link");
    ck_assert(was_sent("MESSAGE=no link"));
    ck_assert_int_eq(n_sent, 4);
}
END_TEST

START_TEST(plain_messages_have_no_id)
{
    log_info("hello");
    ck_assert_int_eq(n_sent, 3);
    ck_assert(was_sent("MESSAGE=hello"));
    ck_assert(was_sent("PRIORITY=6"));
    n_sent = 0;
    log_debug("not at this level");
    log_event(LOG_EVENT_STARTED, LOG_LEVEL_DEBUG, NULL, "nor this");
    ck_assert_int_eq(n_sent, 0);
    log_set_level(LOG_LEVEL_DEBUG);
    log_debug("now");
    ck_assert(was_sent("MESSAGE=now"));
}
END_TEST

START_TEST(without_journald_a_line_is_written)
{
    may_access = -1;
    log_warning("hello");
    ck_assert_int_eq(n_sent, 0);
    ck_assert_str_eq(written(), "<4>hello\n");
}
END_TEST

// journald that is stopped, or slow, takes nothing after a while.
START_TEST(lines_that_the_journal_does_not_take_are_counted)
{
    failure = EAGAIN;
    for (int i = 0; i < 3; i++)
        log_warning("lost");
    ck_assert_str_eq(written(), "");
    failure = 0;
    log_warning("hello");
    ck_assert_int_eq(n_messages, 2);
    ck_assert_ptr_nonnull(strstr(first, "MESSAGE=3 lines of this log could not be written"));
    ck_assert(was_sent("MESSAGE=hello"));
    failure = EAGAIN;
    log_warning("lost, too");
    failure = ECONNREFUSED; // no journald any more: standard error says so
    log_warning("hello");
    ck_assert_ptr_nonnull(strstr(written(), "<4>1 lines of this log could not be written"));
    ck_assert_ptr_nonnull(strstr(written(), "<4>hello\n"));
}
END_TEST

START_TEST(elsewhere_time_and_level)
{
    unsetenv("JOURNAL_STREAM");
    log_init(LOG_LEVEL_INFO);
    log_event(LOG_EVENT_STARTED, LOG_LEVEL_INFO, NULL, "hello");
    ck_assert_int_eq(n_sent, 0);
    ck_assert_ptr_nonnull(strstr(written(), "info    hello\n"));
}
END_TEST

static void hear(void *arg, const char *line)
{
    strcat(arg, line);
    strcat(arg, ";");
}

START_TEST(lines_are_heard)
{
    char heard[64] = "";
    log_listen(hear, heard);
    log_info("one");
    log_debug("two");
    log_event(LOG_EVENT_LINKED, LOG_LEVEL_INFO, NULL, "three");
    log_listen(NULL, NULL);
    log_info("four");
    ck_assert_str_eq(heard, "one;three;");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("journal");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, fields_and_id);
    tcase_add_test(tcase, a_node_without_a_name_is_no_field);
    tcase_add_test(tcase, plain_messages_have_no_id);
    tcase_add_test(tcase, without_journald_a_line_is_written);
    tcase_add_test(tcase, lines_that_the_journal_does_not_take_are_counted);
    tcase_add_test(tcase, elsewhere_time_and_level);
    tcase_add_test(tcase, lines_are_heard);
    return unit_run_case("journal", tcase);
}
