// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies what programs write to the output of docad-run, line by line, each line with a mark.

#ifndef RUN_RELAY_H
#define RUN_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#define RELAY_READ_BYTES 8192
#define RELAY_LINE_BYTES 65536 // a longer line is divided
#define RELAY_MARK_BYTES 16
#define RELAY_SAID_BYTES 8192       // for lines of docad-run itself
#define RELAY_COPY_BYTES (16 << 20) // no line is copied beyond that

// Room for what one read yields at most: it consists of empty lines, or ends a long one.
#define RELAY_SINK_BYTES                                                                           \
    (RELAY_READ_BYTES * (RELAY_MARK_BYTES + 1) + RELAY_LINE_BYTES + RELAY_MARK_BYTES + 1 +         \
     RELAY_SAID_BYTES)

// The destination of lines. A stream is read only while its sink is empty.
struct relay_sink {
    int fd;      // of relay_open(); not closed
    bool broken; // its reader has closed it
    size_t used, sent;
    char bytes[RELAY_SINK_BYTES];
};

struct relay_stream {
    int fd; // the end of a pipe; -1: it has ended
    const char *mark;
    struct relay_sink *sink;
    int copy;            // a file that gets each line, too, with the time in front; -1: none
    const char *awaited; // text of a line, or NULL
    bool came;           // a line contained it
    size_t used;         // of the line that is not complete
    char line[RELAY_LINE_BYTES];
};

// Opens a sink that writes to fd. A pipe gets a descriptor that does not block, and that other
// processes do not have.
void relay_open(struct relay_sink *sink, int fd);

// Returns whether poll() should wait for bytes of the stream, or for room in the sink.
bool relay_wants_bytes(const struct relay_stream *stream);
bool relay_wants_room(const struct relay_sink *sink);

// Reads the available output. At the end it passes an incomplete last line on, with a newline.
void relay_read(struct relay_stream *stream);

// Writes what fits without blocking. If the reader has closed it, the sink is broken: relay_read()
// closes its streams, so that their writers get SIGPIPE.
void relay_write(struct relay_sink *sink);

// Adds a line of docad-run's own.
void relay_print(struct relay_sink *sink, const char *mark, const char *text);

// Closes the stream. Unread output is lost; an incomplete line is passed on if there is room.
void relay_close(struct relay_stream *stream);

#endif
