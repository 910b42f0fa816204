// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Catches what the logger writes, in memory files.

#include "log_capture.h"

#include <check.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST::LOG);

// A file in memory; text() is what was written to it so far.
int log_sink(void)
{
    int fd = memfd_create("sink", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

const char *log_text(int fd)
{
    static char buffers[4][1 << 20];
    static int next;
    char *buffer = buffers[next++ % 4];
    ssize_t n = pread(fd, buffer, sizeof(buffers[0]) - 1, 0);
    ck_assert_int_ge(n, 0);
    buffer[n] = 0;
    return buffer;
}

// Returns the part behind the first "]: " of each line that was written.
const char *log_texts(int fd)
{
    static char out[1 << 20];
    out[0] = 0;
    for (const char *line = log_text(fd); *line; line = strchr(line, '\n') + 1) {
        const char *start = strstr(line, "]: ");
        ck_assert_ptr_nonnull(start);
        strncat(out, start + 3, strchr(start, '\n') - start - 2);
    }
    return out;
}

void assert_matches(const char *string, const char *pattern)
{
    regex_t regex;
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    int result = regexec(&regex, string, 0, NULL, 0);
    regfree(&regex);
    ck_assert_msg(result == 0, "\"%s\" does not match %s", string, pattern);
}

// Puts files in the place of stdout and stderr.
struct standard standard_capture(void)
{
    struct standard s = {log_sink(), log_sink()};
    fflush(stdout);
    ck_assert_int_eq(dup2(s.out, 1), 1);
    ck_assert_int_eq(dup2(s.err, 2), 2);
    return s;
}

void log_each_level(void)
{
    DOCA_LOG_CRIT("crit");
    DOCA_LOG_ERR("err");
    DOCA_LOG_WARN("warn");
    DOCA_LOG_INFO("info");
    DOCA_LOG_DBG("dbg");
#ifdef DOCA_3
    DOCA_LOG(DOCA_LOG_LEVEL_TRACE, "trc");
#endif
}

void truncate_to_nothing(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    lseek(fd, 0, SEEK_SET);
}

// Shows what each level makes of the sink, when everything before is forgotten.
const char *shown_levels(int fd)
{
    truncate_to_nothing(fd);
    log_each_level();
    return log_texts(fd);
}

struct doca_logger_backend *backend_of(int fd)
{
    struct doca_logger_backend *backend = NULL;
#ifdef DOCA_3
    ck_assert_int_eq(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
#else
    ck_assert_int_eq(doca_log_create_fd_backend(fd, &backend), DOCA_SUCCESS);
#endif
    ck_assert_ptr_nonnull(backend);
    return backend;
}
