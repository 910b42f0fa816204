// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A memory file with records in it, which the next process reads.
//
// The file is an array of places. A record takes one or more, each of which names the next, and
// exists while its first place has a version. Writing that version is the last step of making the
// record, and clearing it the first step of removing it. Each is one store to memory: whenever the
// writer is killed, the file has whole records only. Versions grow and are never used again, and
// a checksum finds damage.

#ifndef DAEMON_RECORD_FILE_H
#define DAEMON_RECORD_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_PLACES_MAX (1u << 21) // 256 MiB, of which only used places take memory
#define RECORD_PLACE_NONE 0
#define RECORD_CHUNK      512u // places whose memory is allocated and freed together

struct record_place;

struct record_file {
    int fd; // -1: closed
    struct record_place *places;
    uint32_t *free; // a stack of places
    uint32_t n_free, made;
    uint16_t empty[RECORD_PLACES_MAX / RECORD_CHUNK]; // chunks that gave their memory back
    uint32_t n_empty;
};

// A record as it is in the file; `place` is its first.
struct record_view {
    uint64_t version;
    uint32_t place, n_places;
    uint64_t key;   // of the descriptors that belong to it
    uint32_t n_fds; // their number
    const uint8_t *bytes;
    size_t size;
};

#define RECORD_FILE_CLOSED                                                                         \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

// Makes an empty file. 0 or -errno.
int record_file_new(struct record_file *file);

// Opens a file that an earlier process has made, and calls found() for each record in it, in no
// order. Damaged records, and those that found() refuses, leave the file; *damaged counts them.
// Takes over the descriptor, unless it fails: -EPROTO if the file has another layout.
int record_file_open(struct record_file *file, int fd,
                     bool (*found)(void *arg, const struct record_view *record), void *arg,
                     unsigned *damaged);
void record_file_close(struct record_file *file);

// The number of places that a record of `size` bytes takes, and the number of free places.
uint32_t record_file_need(size_t size);
uint32_t record_file_free(const struct record_file *file);

// Writes a record with this version, key, n_fds, and these bytes. Returns its first place, or
// RECORD_PLACE_NONE if there is no memory or no place.
uint32_t record_file_write(struct record_file *file, const struct record_view *record);
void record_file_erase(struct record_file *file, uint32_t place);

// Frees the memory of at most `chunks` chunks without a record. Returns true if there are more.
bool record_file_trim(struct record_file *file, uint32_t chunks);

// Returns the number of records in a file, without opening it for docad; -1: it is not such a file.
int record_file_count(int fd);

#endif
