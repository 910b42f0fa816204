// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lines of programs on their way to the output of docad-run: each with its mark, no byte lost.

#include "relay.h"

#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct relay_sink sink;
static struct relay_stream host, dpu;
static int to_host, to_dpu, output;

static void open_pipe(int *reader, int *writer)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    *reader = ends[0];
    *writer = ends[1];
}

static void setup_relay(void)
{
    sink = (struct relay_sink){0};
    open_pipe(&output, &sink.fd);
    host = (struct relay_stream){.mark = "host: ", .sink = &sink, .copy = -1};
    dpu = (struct relay_stream){.mark = "dpu: ", .sink = &sink, .copy = -1};
    open_pipe(&host.fd, &to_host);
    open_pipe(&dpu.fd, &to_dpu);
    signal(SIGPIPE, SIG_IGN);
}

static void write_all(int fd, const char *bytes, size_t size)
{
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
}

static bool is_readable(const struct relay_stream *stream)
{
    struct pollfd p = {.fd = stream->fd, .events = POLLIN};
    return stream->fd >= 0 && poll(&p, 1, 0) > 0;
}

// What a loop with poll() does, until there is nothing more to read.
static void pass_on(struct relay_stream *stream)
{
    while (is_readable(stream)) {
        ck_assert(relay_wants_bytes(stream));
        relay_read(stream);
        while (relay_wants_room(&sink))
            relay_write(&sink);
    }
}

static char result[1 << 20];

static size_t read_output(void)
{
    size_t size = 0;
    ssize_t n;
    while ((n = read(output, result + size, sizeof(result) - size)) > 0)
        size += (size_t)n;
    return size;
}

static void assert_output(const char *expected, size_t size)
{
    ck_assert_uint_eq(read_output(), size);
    ck_assert_mem_eq(result, expected, size);
}

#define ASSERT_OUTPUT(text) assert_output(text, sizeof(text) - 1)

START_TEST(lines_have_marks)
{
    write_all(to_host, "one\ntwo\n\nth", 11);
    pass_on(&host);
    write_all(to_dpu, "four\n", 5);
    pass_on(&dpu);
    write_all(to_host, "ree\n", 4);
    pass_on(&host);
    ASSERT_OUTPUT("host: one\nhost: two\nhost: \ndpu: four\nhost: three\n");
}
END_TEST

START_TEST(lines_are_copied_with_their_time)
{
    char text[256] = "", *end;
    host.copy = memfd_create("copy", MFD_CLOEXEC);
    write_all(to_host, "one\ntwo\nthr", 11);
    pass_on(&host);
    ASSERT_OUTPUT("host: one\nhost: two\n");
    ck_assert_int_gt(pread(host.copy, text, sizeof(text) - 1, 0), 0);
    uint64_t first = strtoull(text, &end, 10);
    ck_assert_int_eq(strncmp(end, " one\n", 5), 0);
    uint64_t second = strtoull(end + 5, &end, 10);
    ck_assert_str_eq(end, " two\n");
    ck_assert(first && second >= first);
    close(host.copy);
}
END_TEST

START_TEST(bytes_stay_as_they_are)
{
    char bytes[256], expected[6 + sizeof(bytes) + 7];
    size_t n = 0;
    for (int i = 0; i < 256; i++)
        if (i != '\n')
            bytes[n++] = (char)i;
    bytes[n++] = '\n';
    write_all(to_host, bytes, n);
    pass_on(&host);
    memcpy(expected, "host: ", 6);
    memcpy(expected + 6, bytes, n);
    assert_output(expected, 6 + n);
}
END_TEST

START_TEST(incomplete_last_line_is_passed_on)
{
    write_all(to_dpu, "without an end", 14);
    pass_on(&dpu);
    ASSERT_OUTPUT("");
    close(to_dpu);
    pass_on(&dpu);
    ck_assert_int_eq(dpu.fd, -1);
    while (relay_wants_room(&sink))
        relay_write(&sink);
    ASSERT_OUTPUT("dpu: without an end\n");
}
END_TEST

START_TEST(nothing_more_after_the_last_newline)
{
    write_all(to_dpu, "end\n", 4);
    close(to_dpu);
    pass_on(&dpu);
    pass_on(&dpu);
    ASSERT_OUTPUT("dpu: end\n");
}
END_TEST

// One of the longest length, followed by its newline; and one that is longer by a byte.
START_TEST(long_lines_are_divided)
{
    static char line[RELAY_LINE_BYTES + 2];
    memset(line, 'x', sizeof(line));
    line[RELAY_LINE_BYTES] = '\n';
    write_all(to_host, line, RELAY_LINE_BYTES + 1);
    pass_on(&host);
    ck_assert_uint_eq(read_output(), 6 + RELAY_LINE_BYTES + 1);
    ck_assert_mem_eq(result + 6, line, RELAY_LINE_BYTES + 1);
    line[RELAY_LINE_BYTES] = 'x';
    line[RELAY_LINE_BYTES + 1] = '\n';
    write_all(to_host, line, sizeof(line));
    pass_on(&host);
    ck_assert_uint_eq(read_output(), 6 + RELAY_LINE_BYTES + 1 + 6 + 2);
    ck_assert_mem_eq(result + 6 + RELAY_LINE_BYTES, "\nhost: x\n", 9);
}
END_TEST

// What one read yields at most: the end of a long line, and then nothing but newlines.
START_TEST(room_is_enough_for_any_read)
{
    static char newlines[RELAY_READ_BYTES];
    memset(newlines, '\n', sizeof(newlines));
    host.mark = "host docad: ";
    host.used = sizeof(host.line);
    memset(host.line, 'x', sizeof(host.line));
    write_all(to_host, newlines, sizeof(newlines));
    relay_read(&host);
    ck_assert_uint_eq(sink.used,
                      strlen(host.mark) * sizeof(newlines) + sizeof(newlines) + sizeof(host.line));
    ck_assert_uint_le(sink.used, sizeof(sink.bytes) - RELAY_SAID_BYTES);
    ck_assert(!relay_wants_bytes(&host));
    while (relay_wants_room(&sink))
        relay_write(&sink);
    ck_assert(relay_wants_bytes(&host));
}
END_TEST

START_TEST(awaited_text_comes)
{
    host.awaited = "ready";
    write_all(to_host, "al", 2);
    pass_on(&host);
    write_all(to_host, "most\nwe are rea", 15);
    pass_on(&host);
    ck_assert(!host.came);
    write_all(to_host, "dy now\n", 7);
    pass_on(&host);
    ck_assert(host.came);
    ck_assert(!dpu.came);
}
END_TEST

START_TEST(any_line_is_awaited)
{
    dpu.awaited = "";
    write_all(to_dpu, "x", 1);
    pass_on(&dpu);
    ck_assert(!dpu.came);
    write_all(to_dpu, "\n", 1);
    pass_on(&dpu);
    ck_assert(dpu.came);
}
END_TEST

START_TEST(lost_reader_closes_streams)
{
    close(output);
    write_all(to_host, "one\n", 4);
    pass_on(&host);
    ck_assert(sink.broken);
    ck_assert(!relay_wants_room(&sink));
    relay_read(&host);
    relay_read(&dpu);
    ck_assert_int_eq(host.fd, -1);
    ck_assert_int_eq(dpu.fd, -1);
    ck_assert_int_eq(write(to_host, "two\n", 4), -1);
    relay_print(&sink, "docad-run: ", "lost");
    ck_assert(!relay_wants_room(&sink));
}
END_TEST

// Standard output and standard error may be one pipe, with room for one write: the second must not
// wait, whatever poll() has reported before.
static void check_one_pipe(bool opened)
{
    static struct relay_sink other;
    int ends[2];
    char big[PIPE_BUF];
    ck_assert_int_eq(pipe2(ends, 0), 0);
    ck_assert_int_eq(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BUF), PIPE_BUF);
    sink = other = (struct relay_sink){.fd = ends[1]};
    if (opened) {
        relay_open(&sink, ends[1]);
        relay_open(&other, ends[1]);
        ck_assert_int_ne(sink.fd, ends[1]);
        ck_assert(fcntl(sink.fd, F_GETFL) & O_NONBLOCK);
        ck_assert(!(fcntl(ends[1], F_GETFL) & O_NONBLOCK)); // the user's is as it was
    }
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    relay_print(&sink, "", big);
    relay_print(&other, "", "second");
    relay_write(&sink);
    ck_assert(!relay_wants_room(&sink));
    relay_write(&other);
    ck_assert(relay_wants_room(&other));
    ck_assert_int_eq(read(ends[0], big, sizeof(big)), sizeof(big));
    relay_write(&other);
    ck_assert(!relay_wants_room(&other));
}

START_TEST(two_sinks_of_one_pipe)
{
    check_one_pipe(_i);
}
END_TEST

START_TEST(own_lines_have_the_same_way)
{
    relay_print(&sink, "docad-run: ", "one");
    ck_assert(!relay_wants_bytes(&host));
    while (relay_wants_room(&sink))
        relay_write(&sink);
    ASSERT_OUTPUT("docad-run: one\n");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("relay");
    tcase_add_checked_fixture(tcase, setup_relay, NULL);
    tcase_add_test(tcase, lines_have_marks);
    tcase_add_test(tcase, lines_are_copied_with_their_time);
    tcase_add_test(tcase, bytes_stay_as_they_are);
    tcase_add_test(tcase, incomplete_last_line_is_passed_on);
    tcase_add_test(tcase, nothing_more_after_the_last_newline);
    tcase_add_test(tcase, long_lines_are_divided);
    tcase_add_test(tcase, room_is_enough_for_any_read);
    tcase_add_test(tcase, awaited_text_comes);
    tcase_add_test(tcase, any_line_is_awaited);
    tcase_add_test(tcase, lost_reader_closes_streams);
    tcase_add_loop_test(tcase, two_sinks_of_one_pipe, 0, 2);
    tcase_add_test(tcase, own_lines_have_the_same_way);
    return unit_run_case("relay", tcase);
}
