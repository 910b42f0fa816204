// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "relay.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void add(struct relay_sink *sink, const char *bytes, size_t size)
{
    if (sink->broken || size > sizeof(sink->bytes) - sink->used)
        return; // only docad-run's own text can be too long
    memcpy(sink->bytes + sink->used, bytes, size);
    sink->used += size;
}

// The time is that of CLOCK_MONOTONIC, in ns. Text that cannot be written is dropped.
static void copy(const struct relay_stream *stream)
{
    struct timespec now;
    off_t size = stream->copy >= 0 ? lseek(stream->copy, 0, SEEK_END) : -1;
    if (size < 0 || size > RELAY_COPY_BYTES)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    dprintf(stream->copy, "%" PRIu64 " %.*s\n",
            (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, (int)stream->used,
            stream->line);
}

static void end_line(struct relay_stream *stream)
{
    copy(stream);
    add(stream->sink, stream->mark, strlen(stream->mark));
    add(stream->sink, stream->line, stream->used);
    add(stream->sink, "\n", 1);
    if (stream->awaited &&
        memmem(stream->line, stream->used, stream->awaited, strlen(stream->awaited)))
        stream->came = true;
    stream->used = 0;
}

static void take(struct relay_stream *stream, const char *bytes, size_t size)
{
    while (size) {
        const char *newline = memchr(bytes, '\n', size);
        size_t part = newline ? (size_t)(newline - bytes) : size;
        size_t room = sizeof(stream->line) - stream->used;
        bool fits = part <= room;
        if (!fits)
            part = room;
        memcpy(stream->line + stream->used, bytes, part);
        stream->used += part;
        if (!fits || newline)
            end_line(stream);
        part += fits && newline; // the newline itself
        bytes += part;
        size -= part;
    }
}

void relay_print(struct relay_sink *sink, const char *mark, const char *text)
{
    add(sink, mark, strlen(mark));
    add(sink, text, strlen(text));
    add(sink, "\n", 1);
}

bool relay_wants_bytes(const struct relay_stream *stream)
{
    return stream->fd >= 0 && !relay_wants_room(stream->sink);
}

bool relay_wants_room(const struct relay_sink *sink)
{
    return sink->used > sink->sent;
}

void relay_read(struct relay_stream *stream)
{
    char bytes[RELAY_READ_BYTES];
    if (stream->sink->broken) {
        close_fdp(&stream->fd);
        return;
    }
    ssize_t n = read(stream->fd, bytes, sizeof(bytes));
    if (n > 0)
        take(stream, bytes, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        relay_close(stream);
}

void relay_open(struct relay_sink *sink, int fd)
{
    struct stat status;
    char path[64];
    *sink = (struct relay_sink){.fd = fd};
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fstat(fd, &status) < 0 || !S_ISFIFO(status.st_mode))
        return;
    int own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (own >= 0)
        sink->fd = own;
}

// More than this may wait for the reader of a pipe, although poll() has reported room.
#define ROOM_BYTES PIPE_BUF

void relay_write(struct relay_sink *sink)
{
    size_t left = sink->used - sink->sent;
    struct pollfd room = {.fd = sink->fd, .events = POLLOUT};
    if (poll(&room, 1, 0) <= 0)
        return; // another sink of the same pipe has filled it
    ssize_t n = write(sink->fd, sink->bytes + sink->sent, left < ROOM_BYTES ? left : ROOM_BYTES);
    if (n >= 0)
        sink->sent += (size_t)n;
    else if (errno != EAGAIN && errno != EINTR)
        sink->broken = true;
    if (sink->broken || sink->sent == sink->used)
        sink->sent = sink->used = 0;
}

void relay_close(struct relay_stream *stream)
{
    if (stream->fd >= 0 && stream->used)
        end_line(stream);
    close_fdp(&stream->fd);
}
