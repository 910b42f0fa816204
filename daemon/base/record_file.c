// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "record_file.h"

#include "cleanup.h"
#include "memfd.h"
#include "packet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC       0x31737264636f6421ull
#define PLACE_BYTES 112
#define PLACE_FIRST 32 // the places before it are the header's page
#define FILE_SIZE   ((size_t)RECORD_PLACES_MAX * sizeof(struct record_place))

struct record_place {
    _Atomic uint64_t version; // of the record that begins here; 0: none does
    uint32_t next;            // RECORD_PLACE_NONE: this is the record's last place
    uint32_t size;            // of the record that begins here
    uint8_t bytes[PLACE_BYTES];
};

// The first bytes of a record.
struct lead {
    uint64_t sum, key;
    uint32_t n_fds, reserved;
};

struct header {
    uint64_t magic;
    _Atomic uint32_t made; // places from here on were never used
};

_Static_assert(sizeof(struct record_place) == 128, "the layout of the file");
_Static_assert(sizeof(struct header) <= PLACE_FIRST * sizeof(struct record_place), "it fits");

static struct header *header_of(const struct record_file *file)
{
    return (struct header *)file->places;
}

#define SUM_PRIME 0x100000001b3ull

static uint64_t sum_of(const struct record_view *record)
{
    uint64_t sum = 0xcbf29ce484222325ull ^ record->version;
    sum = (sum * SUM_PRIME) ^ record->key;
    sum = (sum * SUM_PRIME) ^ record->n_fds;
    sum = (sum * SUM_PRIME) ^ record->size;
    for (size_t i = 0; i < record->size; i++)
        sum = (sum ^ record->bytes[i]) * SUM_PRIME;
    return sum;
}

uint32_t record_file_need(size_t size)
{
    return (uint32_t)((sizeof(struct lead) + size + PLACE_BYTES - 1) / PLACE_BYTES);
}

uint32_t record_file_free(const struct record_file *file)
{
    return file->n_free + file->n_empty * RECORD_CHUNK + (RECORD_PLACES_MAX - file->made);
}

// ---- lifetime -------------------------------------------------------------------------

static int map(struct record_file *file, int fd)
{
    struct record_file next = {.fd = fd, .made = PLACE_FIRST};
    next.free =
        malloc(RECORD_PLACES_MAX * sizeof(*next.free)); // pages that are never touched cost nothing
    if (!next.free)
        return -ENOMEM;
    next.places = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (next.places == MAP_FAILED) {
        int r = -errno;
        free(next.free);
        return r;
    }
    *file = next;
    return 0;
}

void record_file_close(struct record_file *file)
{
    if (file->fd < 0)
        return;
    munmap(file->places, FILE_SIZE);
    free(file->free);
    close(file->fd);
    *file = (struct record_file)RECORD_FILE_CLOSED;
}

int record_file_new(struct record_file *file)
{
    cleanup_fd int fd = memfd_create_sealed("docad-records", FILE_SIZE);
    int r = fd < 0 ? fd : posix_fallocate(fd, 0, PLACE_FIRST * sizeof(struct record_place));
    r = r > 0 ? -r : r;
    r = r < 0 ? r : map(file, fd);
    if (r < 0)
        return r;
    header_of(file)->made = PLACE_FIRST;
    header_of(file)->magic = MAGIC;
    steal_fd(&fd);
    return 0;
}

// Allocates memory for places first: a page fault that fails would end docad.
static bool allocate(struct record_file *file, uint32_t from, uint32_t n)
{
    const size_t each = sizeof(struct record_place);
    if (posix_fallocate(file->fd, (off_t)(from * each), (off_t)(n * each)) != 0)
        return false;
    for (uint32_t i = n; i > 0; i--)
        file->free[file->n_free++] = from + i - 1;
    return true;
}

static bool grow(struct record_file *file)
{
    if (file->n_empty) {
        if (!allocate(file, file->empty[file->n_empty - 1] * RECORD_CHUNK, RECORD_CHUNK))
            return false;
        file->n_empty--;
        return true;
    }
    uint32_t n = RECORD_CHUNK - file->made % RECORD_CHUNK;
    if (file->made == RECORD_PLACES_MAX || !allocate(file, file->made, n))
        return false;
    file->made += n;
    atomic_store_explicit(&header_of(file)->made, file->made, memory_order_release);
    return true;
}

// ---- memory that is given back ----------------------------------------------------------

#define IN_USE UINT16_MAX

// The pages of the stack above its top.
static void trim_stack(const struct record_file *file, uint32_t n_before)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)&file->free[file->n_free] + page - 1) & ~(page - 1);
    uintptr_t to = (uintptr_t)&file->free[n_before] & ~(page - 1);
    if (to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

// Removes the places of unused chunks from the stack.
static void take_off(struct record_file *file, const uint16_t *n_free)
{
    uint32_t before = file->n_free;
    file->n_free = 0;
    for (uint32_t i = 0; i < before; i++)
        if (n_free[file->free[i] / RECORD_CHUNK] != RECORD_CHUNK)
            file->free[file->n_free++] = file->free[i];
    trim_stack(file, before);
}

bool record_file_trim(struct record_file *file, uint32_t chunks)
{
    uint16_t n_free[RECORD_PLACES_MAX / RECORD_CHUNK] = {0};
    const off_t size = (off_t)(RECORD_CHUNK * sizeof(struct record_place));
    bool more = false;

    for (uint32_t i = 0; i < file->n_free; i++)
        n_free[file->free[i] / RECORD_CHUNK]++;
    for (uint32_t chunk = 0; chunk < file->made / RECORD_CHUNK; chunk++) {
        if (n_free[chunk] != RECORD_CHUNK)
            continue;
        more = more || chunks == 0;
        if (chunks == 0 || fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                     chunk * size, size) < 0) {
            n_free[chunk] = IN_USE;
            continue;
        }
        file->empty[file->n_empty++] = (uint16_t)chunk;
        chunks--;
    }
    take_off(file, n_free);
    return more;
}

// ---- records --------------------------------------------------------------------------

// Copies bytes to the record that begins at `place`, from this offset in it.
static void fill(struct record_file *file, uint32_t place, size_t at, const void *bytes,
                 size_t size)
{
    const uint8_t *from = bytes;
    struct record_place *p = &file->places[place];

    for (; at >= PLACE_BYTES; at -= PLACE_BYTES)
        p = &file->places[p->next];
    while (size > 0) {
        size_t n = PLACE_BYTES - at < size ? PLACE_BYTES - at : size;
        memcpy(p->bytes + at, from, n);
        from += n;
        size -= n;
        at = 0;
        p = &file->places[p->next];
    }
}

uint32_t record_file_write(struct record_file *file, const struct record_view *record)
{
    struct lead lead = {.sum = sum_of(record), .key = record->key, .n_fds = record->n_fds};
    uint32_t need = record_file_need(record->size), place = RECORD_PLACE_NONE;

    while (file->n_free < need)
        if (!grow(file))
            return RECORD_PLACE_NONE;
    for (uint32_t i = need; i > 0; i--) {
        uint32_t p = file->free[file->n_free - i];
        file->places[p].next = place;
        place = p;
    }
    file->n_free -= need;
    file->places[place].size = (uint32_t)record->size;
    fill(file, place, 0, &lead, sizeof(lead));
    fill(file, place, sizeof(lead), record->bytes, record->size);
    atomic_store_explicit(&file->places[place].version, record->version, memory_order_release);
    return place;
}

void record_file_erase(struct record_file *file, uint32_t place)
{
    atomic_store_explicit(&file->places[place].version, 0, memory_order_release);
    for (uint32_t n = record_file_need(file->places[place].size); n > 0; n--) {
        file->free[file->n_free++] = place;
        place = file->places[place].next;
    }
}

// ---- those of an earlier process --------------------------------------------------------

struct reading {
    struct record_file *file;
    uint8_t *taken;                                               // one byte for each place
    uint8_t *bytes;                                               // of one record
    uint32_t marked[PACKET_SIZE_MAX / PLACE_BYTES + 2], n_marked; // its places
};

// Returns whether the record that is being read may continue at this place.
static bool is_next(const struct reading *r, uint32_t place)
{
    return place >= PLACE_FIRST && place < r->file->made && !r->taken[place] &&
           (r->n_marked == 0 || !r->file->places[place].version);
}

// Reads the record that begins at `place` and marks its places. Returns false if it is damaged.
static bool read_record(struct reading *r, uint32_t place, struct record_view *view)
{
    const struct record_place *first = &r->file->places[place];
    uint32_t size = first->size;
    size_t left = sizeof(struct lead) + size;
    uint8_t *to = r->bytes;
    struct lead lead;

    r->n_marked = 0;
    if (size > PACKET_SIZE_MAX)
        return false;
    for (uint32_t at = place; left > 0; at = r->file->places[at].next) {
        size_t piece = left < PLACE_BYTES ? left : PLACE_BYTES;
        if (!is_next(r, at))
            return false;
        r->marked[r->n_marked++] = at;
        r->taken[at] = 1;
        memcpy(to, r->file->places[at].bytes, piece);
        to += piece;
        left -= piece;
    }
    memcpy(&lead, r->bytes, sizeof(lead));
    *view = (struct record_view){.version = first->version,
                                 .place = place,
                                 .n_places = r->n_marked,
                                 .key = lead.key,
                                 .n_fds = lead.n_fds,
                                 .bytes = r->bytes + sizeof(lead),
                                 .size = size};
    return lead.sum == sum_of(view);
}

// Returns the next place whose page has memory: reading others would allocate some.
static uint32_t next_used(const struct record_file *file, uint32_t place)
{
    off_t at = lseek(file->fd, (off_t)(place * sizeof(struct record_place)), SEEK_DATA);
    if (at < 0)
        return errno == ENXIO ? file->made : place;
    return (uint32_t)((size_t)at / sizeof(struct record_place));
}

static void read_all(struct reading *r, bool (*found)(void *, const struct record_view *),
                     void *arg, unsigned *damaged)
{
    struct record_file *file = r->file;
    struct record_view view;

    *damaged = 0;
    for (uint32_t place = PLACE_FIRST; place < file->made; place++) {
        if (place % RECORD_CHUNK == 0 && (place = next_used(file, place)) >= file->made)
            break;
        if (!file->places[place].version)
            continue;
        if (read_record(r, place, &view) && found(arg, &view))
            continue;
        while (r->n_marked > 0)
            r->taken[r->marked[--r->n_marked]] = 0;
        file->places[place].version = 0;
        ++*damaged;
    }
    for (uint32_t place = file->made; place > PLACE_FIRST; place--)
        if (!r->taken[place - 1])
            file->free[file->n_free++] = place - 1;
}

int record_file_open(struct record_file *file, int fd,
                     bool (*found)(void *arg, const struct record_view *record), void *arg,
                     unsigned *damaged)
{
    struct record_file next;
    int r = memfd_check(fd, FILE_SIZE, 1);
    if (r == 0)
        r = map(&next, fd);
    if (r < 0)
        return r == -EINVAL ? -EPROTO : r;
    uint32_t made = header_of(&next)->made;
    cleanup_free uint8_t *taken = calloc(1, RECORD_PLACES_MAX);
    cleanup_free uint8_t *bytes = malloc(PACKET_SIZE_MAX + sizeof(struct lead) + PLACE_BYTES);
    if (!taken || !bytes)
        r = -ENOMEM;
    else if (header_of(&next)->magic != MAGIC || made < PLACE_FIRST || made > RECORD_PLACES_MAX)
        r = -EPROTO;
    if (r < 0) {
        next.fd = -1; // stays the caller's
        munmap(next.places, FILE_SIZE);
        free(next.free);
        return r;
    }
    next.made = made;
    *file = next;
    struct reading reading = {.file = file, .taken = taken, .bytes = bytes};
    read_all(&reading, found, arg, damaged);
    record_file_trim(file, UINT32_MAX);
    return 0;
}

int record_file_count(int fd)
{
    int n = 0;
    const struct record_place *places = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    if (places == MAP_FAILED)
        return -1;
    const struct header *header = (const struct header *)places;
    uint32_t made = header->magic == MAGIC ? header->made : 0;
    for (uint32_t i = PLACE_FIRST; i < made && i < RECORD_PLACES_MAX; i++)
        n += places[i].version != 0;
    munmap((void *)places, FILE_SIZE);
    return made ? n : -1;
}
