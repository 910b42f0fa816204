// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/maps.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

// Returns 1, 0 at the end, or -errno. Drops the part of a line that has no room: only paths are
// that long, and only their beginning matters.
static int next_line(struct vma_reader *r)
{
    size_t length = 0;

    for (;;) {
        if (r->used == r->have) {
            ssize_t n = read(r->fd, r->chunk, sizeof(r->chunk));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return -errno;
            if (n == 0)
                return 0;
            r->used = 0;
            r->have = (size_t)n;
        }
        char c = r->chunk[r->used++];
        if (c == '\n')
            break;
        if (length < sizeof(r->line) - 1)
            r->line[length++] = c;
    }
    r->line[length] = '\0';
    return 1;
}

static bool name_is(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

// Reads a number and the character after it.
static bool parse_number(const char **at, int base, char after, unsigned long *out)
{
    char *end;
    *out = strtoul(*at, &end, base);
    if (end == *at || *end != after)
        return false;
    *at = end + 1;
    return true;
}

// Parses "7f00-7f10 rw-p 00000000 00:00 0   [heap]"; false for a line of another kind, such as
// those of smaps: they begin with a capital letter, which hexadecimal numbers here do not.
static bool parse_mapping(const char *line, struct vma *out)
{
    unsigned long start, stop, offset, major_number, minor_number, inode;
    const char *perms, *path;

    if (!parse_number(&line, 16, '-', &start) || !parse_number(&line, 16, ' ', &stop) ||
        strnlen(line, 5) < 5)
        return false;
    perms = line;
    line += 5;
    if (!parse_number(&line, 16, ' ', &offset) || !parse_number(&line, 16, ':', &major_number) ||
        !parse_number(&line, 16, ' ', &minor_number))
        return false;
    inode = strtoul(line, (char **)&path, 10);
    path += strspn(path, " ");
    *out = (struct vma){
        .start = start,
        .end = stop,
        .offset = offset,
        .device = makedev((unsigned)major_number, (unsigned)minor_number),
        .inode = inode,
        .readable = perms[0] == 'r',
        .writable = perms[1] == 'w',
        .executable = perms[2] == 'x',
        .shared = perms[3] == 's',
        .nameless = inode == 0 && (!*path || name_is(path, "[heap]") || name_is(path, "[anon:")),
        .memfd = inode != 0 && name_is(path, "/memfd:"),
        .moved = inode != 0 && name_is(path, "/memfd:" MOVED_FILE_NAME " "),
    };
    return true;
}

int vma_reader_open(struct vma_reader *r, const char *path)
{
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    r->used = r->have = 0;
    return r->fd < 0 ? -errno : 0;
}

int vma_reader_next(struct vma_reader *r, struct vma *out)
{
    int n;
    do {
        n = next_line(r);
    } while (n > 0 && !parse_mapping(r->line, out));
    return n;
}

void vma_reader_close(struct vma_reader *r)
{
    close_fdp(&r->fd);
}

static int append(struct vma **vmas, size_t *count, const struct vma *vma)
{
    if ((*count & (*count - 1)) == 0) {
        struct vma *more = realloc(*vmas, (*count ? *count * 2 : 1) * sizeof(*more));
        if (!more)
            return -ENOMEM;
        *vmas = more;
    }
    (*vmas)[(*count)++] = *vma;
    return 0;
}

static void free_reader(struct vma_reader **r)
{
    if (*r)
        vma_reader_close(*r);
    free(*r);
}

static int read_file(const char *path, uintptr_t start, uintptr_t end, struct vma **vmas,
                     size_t *count)
{
    cleanup(free_reader) struct vma_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return -ENOMEM;
    reader->fd = -1;
    int r = vma_reader_open(reader, path);
    if (r < 0)
        return r;

    bool inside = false; // the following lines belong to vmas[count - 1]
    while ((r = next_line(reader)) > 0) {
        struct vma vma;
        if (parse_mapping(reader->line, &vma)) {
            if (vma.start >= end)
                return 0;
            inside = vma.end > start;
            if (inside && (r = append(vmas, count, &vma)) < 0)
                return r;
        } else if (inside && name_is(reader->line, "VmFlags:")) {
            (*vmas)[*count - 1].locked = strstr(reader->line, " lo") != NULL;
        }
    }
    return r;
}

// If this process has locked memory, only the long form of the list, which takes long to make,
// shows which.
static bool memory_locked(void)
{
    cleanup_file FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long kib;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "VmLck: %lu", &kib) == 1)
            return kib > 0;
    return false;
}

int vmas_read(uintptr_t start, uintptr_t end, struct vma **out, size_t *count)
{
    cleanup_free struct vma *vmas = NULL;
    size_t n = 0;

    int r =
        read_file(memory_locked() ? "/proc/self/smaps" : "/proc/self/maps", start, end, &vmas, &n);
    if (r < 0)
        return r;
    *out = steal_ptr(vmas);
    *count = n;
    return 0;
}
