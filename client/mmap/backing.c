// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/backing.h"

#include "access.h"
#include "cleanup.h"
#include "memfd.h"
#include "mmap/maps.h"
#include "mmap/moved.h"
#include "mmap/pages.h"

#include <dirent.h>
#include <doca_types.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

// A range in more pieces than this is not worth a separate mapping for each; the rest is copied by
// the engine. The limit also keeps the registration within one message.
#define MAPPED_PARTS_MAX 256

bool access_has_others(uint32_t access)
{
    return access & ~(uint32_t)DOCA_ACCESS_LOCAL_READ_WRITE;
}

static bool access_others_write(uint32_t access)
{
    return access_lets_write(access) || (access & ACCESS_OF_ENGINE);
}

bool access_others_read_only(uint32_t access)
{
    return access_has_others(access) && !access_others_write(access);
}

// ---- is the range there? ----------------------------------------------------------

// Reads one byte as a system call does: a bad page is an error, not a signal.
static bool byte_readable(uintptr_t address)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return true; // unknown
    bool readable = write(ends[1], (const void *)address, 1) == 1 || errno != EFAULT;
    close(ends[0]);
    close(ends[1]);
    return readable;
}

static doca_error_t check_range(uintptr_t start, size_t length, uint32_t access,
                                const struct vma *vmas, size_t n, struct errtext *err)
{
    bool written = access_others_write(access) || (access & DOCA_ACCESS_LOCAL_READ_WRITE);
    uintptr_t at = start, end = start + length;

    for (size_t i = 0; at < end; at = vmas[i++].end) {
        if (i == n || vmas[i].start > at || !vmas[i].readable)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the range %#lx, %zu bytes, cannot be read at %#lx: %s", start,
                               length, at,
                               i == n || vmas[i].start > at ? "nothing is mapped there"
                                                            : "its pages are protected");
        if (written && !vmas[i].writable)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the range %#lx, %zu bytes, cannot be written at %#lx, but the "
                               "map's permissions (%#x) let devices write; set permissions for "
                               "reading, or make the pages writable",
                               start, length, at, access);
        uintptr_t last = (vmas[i].end < end ? vmas[i].end : end) - 1;
        if (vmas[i].inode && !byte_readable(last))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the range %#lx, %zu bytes, reaches beyond the end of the file "
                               "that is mapped there (at %#lx)",
                               start, length, last);
    }
    return DOCA_SUCCESS;
}

doca_error_t backing_check(uintptr_t start, size_t length, uint32_t access, uintptr_t *from,
                           uintptr_t *to, struct errtext *err)
{
    cleanup_free struct vma *vmas = NULL;
    size_t n = 0;

    int r = vmas_read(start, start + length, &vmas, &n);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot read /proc/self/maps: %s",
                           strerror(-r));
    doca_error_t e = check_range(start, length, access, vmas, n, err);
    if (e != DOCA_SUCCESS)
        return e;
    // A file may end before its mapping ends.
    *from = vmas[0].inode ? start : vmas[0].start;
    *to = vmas[n - 1].inode ? start + length : vmas[n - 1].end;
    return DOCA_SUCCESS;
}

// ---- the plan -----------------------------------------------------------------------

// The parts of whole pages that are to be moved, within [first, last).
struct plan {
    struct backing_part parts[2 * MAPPED_PARTS_MAX + 1];
    size_t n_parts, n_mapped;
    uintptr_t start, end;     // the whole range
    uintptr_t first, last;    // its whole pages
    uintptr_t mapped_end;     // of the last part to move
    uintptr_t keep, keep_end; // the stack of this thread, which must not move
};

// A mapping that grows downwards would stop growing. The kernel refuses PROT_GROWSDOWN for
// every other mapping, and for one that grows this changes nothing.
static bool grows_down(const struct vma *vma)
{
    return mprotect((void *)vma->start, page_size(), PROT_READ | PROT_WRITE | PROT_GROWSDOWN) == 0;
}

static bool movable(const struct vma *vma)
{
    // A child of fork() has its parent's files, privately.
    return (vma->nameless || vma->moved) && vma->readable && vma->writable && !vma->executable &&
           !vma->shared && !vma->locked && !grows_down(vma);
}

static void plan_stack(struct plan *p)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    pthread_attr_t attr;
    void *low;
    size_t size;

    // For any kind of stack, a large area around the current stack pointer.
    p->keep = here - ((uintptr_t)256 << 10);
    p->keep_end = here + ((uintptr_t)64 << 10);
    // For a thread's stack all of it: it looks like any other memory and also contains the thread's
    // variables. The first thread's stack has a name.
    if (getpid() == gettid() || pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0 && here - (uintptr_t)low < size) {
        p->keep = page_down((uintptr_t)low);
        p->keep_end = page_up((uintptr_t)low + size);
    }
    pthread_attr_destroy(&attr);
}

static void plan_add(struct plan *p, uintptr_t start, uintptr_t end, bool mapped)
{
    if (start >= end)
        return;
    struct backing_part *last = p->n_parts ? &p->parts[p->n_parts - 1] : NULL;
    if (mapped && p->n_mapped == MAPPED_PARTS_MAX)
        mapped = false;
    if (mapped)
        p->mapped_end = end;
    if (last && last->mapped == mapped) {
        last->length += end - start;
        return;
    }
    p->n_mapped += mapped;
    p->parts[p->n_parts++] = (struct backing_part){
        .start = start,
        .length = end - start,
        .mapped = mapped,
        .offset = mapped ? start - p->first : 0,
    };
}

static uintptr_t clamp(uintptr_t value, uintptr_t low, uintptr_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void plan_range(struct plan *p, uint32_t access, const struct vma *vmas, size_t n)
{
    p->first = page_up(p->start);
    p->last = page_down(p->end);
    bool any = access_has_others(access) && p->first < p->last && p->first >= p->start;
    if (any)
        plan_stack(p);

    for (size_t i = 0; i < n; i++) {
        uintptr_t from = clamp(vmas[i].start, p->start, p->end);
        uintptr_t to = clamp(vmas[i].end, p->start, p->end);
        if (!any || !movable(&vmas[i])) {
            plan_add(p, from, to, false);
            continue;
        }
        uintptr_t a = clamp(p->first, from, to), d = clamp(p->last, a, to);
        uintptr_t b = clamp(page_down(p->keep), a, d), c = clamp(page_up(p->keep_end), b, d);
        plan_add(p, from, a, false);
        plan_add(p, a, b, true);
        plan_add(p, b, c, false);
        plan_add(p, c, d, true);
        plan_add(p, d, to, false);
    }
}

// ---- the application's own memory file ----------------------------------------------

// Returns whether the file of `fd` can be passed to others as it is.
static bool usable_as_is(int fd, const struct vma *vma, size_t length, uint32_t access)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_ino != vma->inode || st.st_dev != vma->device ||
        length % page_size() != 0 || memfd_check(fd, length, true) < 0)
        return false;
    if (access_others_write(access))
        return (fcntl(fd, F_GET_SEALS) & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0;
    // A process that may only read must not be able to open the file again for writing.
    return (st.st_mode & 022) == 0;
}

// Returns a duplicate of the application's descriptor of the file that is mapped at the
// range, or -1.
static int find_own_file(uintptr_t start, size_t length, uint32_t access, const struct vma *vma)
{
    if (!vma->memfd || !vma->shared || !vma->writable || vma->start > start ||
        vma->end < start + length || vma->offset + (start - vma->start) != 0 ||
        moved_find(vma->device, vma->inode))
        return -1;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        return -1;
    int found = -1;
    struct dirent *entry;
    while (found < 0 && (entry = readdir(dir))) {
        char *end;
        long fd = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0' && fd <= INT_MAX &&
            usable_as_is((int)fd, vma, length, access))
            found = fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
    }
    closedir(dir);
    return found;
}

// ---- moving -------------------------------------------------------------------------

// Copies back the bytes in our file, wherever the file is still mapped.
static int move_back(const struct moved_backing *m, const struct vma *vmas, size_t n)
{
    int result = 0;

    for (size_t i = 0; i < n; i++) {
        const struct vma *v = &vmas[i];
        uintptr_t start = clamp(v->start, m->file.base, m->end);
        uintptr_t end = clamp(v->end, m->file.base, m->end);
        size_t moved;
        if (v->inode != m->inode || v->device != m->device || start >= end ||
            v->offset + (start - v->start) != start - m->file.base)
            continue;
        int r = pages_move_out(&m->file, start, end - start, vma_protection(v), &moved);
        if (r < 0)
            result = r;
    }
    return result;
}

// Moves every mapped part, or none.
static int move_all(const struct moved_backing *m)
{
    const struct backing *b = &m->backing;
    int r = 0;
    size_t i;

    for (i = 0; i < b->n_parts && r == 0; i++) {
        const struct backing_part *part = &b->parts[i];
        size_t moved, back;
        if (part->mapped) {
            r = pages_move_in(&m->file, part->start, part->length, &moved);
            if (r < 0 && moved)
                pages_move_out(&m->file, part->start, moved, PROT_READ | PROT_WRITE, &back);
        }
    }
    for (i = r < 0 ? i - 1 : 0; i > 0; i--) {
        const struct backing_part *part = &b->parts[i - 1];
        size_t back;
        if (part->mapped)
            pages_move_out(&m->file, part->start, part->length, PROT_READ | PROT_WRITE, &back);
    }
    return r;
}

// A child of fork() that runs no handlers does not get the pages, see moved.h.
static void keep_from_children(const struct backing *b)
{
    for (size_t i = 0; i < b->n_parts; i++)
        if (b->parts[i].mapped)
            (void)madvise((void *)b->parts[i].start, b->parts[i].length, MADV_DONTFORK);
}

static void move_back_now(struct moved_backing *m)
{
    cleanup_free struct vma *vmas = NULL;
    size_t n = 0;

    if (vmas_read(m->file.base, m->end, &vmas, &n) == 0)
        move_back(m, vmas, n);
}

static doca_error_t system_error(int r, const char *what, uintptr_t start, size_t length,
                                 struct errtext *err)
{
    doca_error_t code = DOCA_ERROR_NO_MEMORY;
    if (r == -EFAULT)
        code = DOCA_ERROR_INVALID_VALUE;
    else if (r == -EACCES || r == -EPERM)
        code = DOCA_ERROR_NOT_PERMITTED;
    return errtext_set(err, code, "cannot %s for the range %#lx, %zu bytes: %s", what, start,
                       length, strerror(-r));
}

static int open_read_only(struct backing *b, uint32_t access)
{
    if (!access_has_read_only(access))
        return 0;
    b->memfd_ro = memfd_reopen_readonly(b->memfd);
    return b->memfd_ro < 0 ? b->memfd_ro : 0;
}

// A process that may write the file may also seal it, against writing by others and against
// punching holes. So all seals that are not set now stay unset, except for a file that others only
// read: backing_seal().
static int seal(int fd, uint32_t access)
{
    return access_others_read_only(access) ? 0 : memfd_seal_seals(fd);
}

// Sealed only now, because docad maps it for writing before, or could not register it with
// RDMA devices.
int backing_seal(const struct backing *backing, uint32_t access)
{
    bool ours = container_of(backing, struct moved_backing, backing)->end != 0;
    return ours && access_others_read_only(access) ? memfd_seal_future_write(backing->memfd) : 0;
}

static doca_error_t make_file(struct moved_backing *m, const struct plan *p, uint32_t access,
                              struct errtext *err)
{
    struct backing *b = &m->backing;
    struct stat st;
    size_t length = p->end - p->start;

    b->memfd = memfd_create_sealed(MOVED_FILE_NAME, p->mapped_end - p->first);
    if (b->memfd < 0)
        return system_error(b->memfd, "make a memory file", p->start, length, err);
    int r = open_read_only(b, access);
    if (r < 0)
        return system_error(r, "open the memory file for reading", p->start, length, err);
    if (fstat(b->memfd, &st) < 0)
        return system_error(-errno, "look at the memory file", p->start, length, err);
    m->file = (struct page_file){.fd = b->memfd, .base = p->first};
    m->end = p->mapped_end;
    m->device = st.st_dev;
    m->inode = st.st_ino;
    m->file.punch = true;

    // Nothing is allocated from here to the end of the move: the allocator's own notes
    // could be in the pages that are moving.
    r = move_all(m);
    if (r < 0)
        return system_error(r, "move the pages to a memory file", p->start, length, err);
    keep_from_children(b);
    moved_add(m);
    r = seal(b->memfd, access);
    return r < 0 ? system_error(r, "seal the memory file", p->start, length, err) : DOCA_SUCCESS;
}

// ---- making and ending --------------------------------------------------------------

static doca_error_t set_parts(struct backing *b, const struct backing_part *parts, size_t n,
                              struct errtext *err)
{
    b->parts = malloc(n * sizeof(*parts));
    if (!b->parts)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    memcpy(b->parts, parts, n * sizeof(*parts));
    b->n_parts = n;
    for (size_t i = 0; i < n; i++)
        b->brokered |= !parts[i].mapped;
    return DOCA_SUCCESS;
}

static doca_error_t use_own_file(struct backing *b, int fd, uintptr_t start, size_t length,
                                 uint32_t access, struct errtext *err)
{
    b->memfd = fd;
    int r = open_read_only(b, access);
    if (r < 0)
        return system_error(r, "open the memory file for reading", start, length, err);
    if (access_others_write(access) && (r = memfd_seal_seals(fd)) < 0)
        return system_error(r, "seal the memory file", start, length, err);
    const struct backing_part whole = {.start = start, .length = length, .mapped = true};
    return set_parts(b, &whole, 1, err);
}

static doca_error_t backing_fill(struct moved_backing *m, uintptr_t start, size_t length,
                                 uint32_t access, struct errtext *err)
{
    cleanup_free struct vma *vmas = NULL;
    size_t n = 0;

    int r = vmas_read(start, start + length, &vmas, &n);
    if (r < 0)
        return system_error(r, "read /proc/self/maps", start, length, err);
    doca_error_t e = check_range(start, length, access, vmas, n, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (access_has_others(access) && n == 1) {
        int fd = find_own_file(start, length, access, &vmas[0]);
        if (fd >= 0)
            return use_own_file(&m->backing, fd, start, length, access, err);
    }
    cleanup_free struct plan *p = calloc(1, sizeof(*p));
    if (!p)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    p->start = start;
    p->end = start + length;
    plan_range(p, access, vmas, n);
    e = set_parts(&m->backing, p->parts, p->n_parts, err);
    if (e != DOCA_SUCCESS || p->n_mapped == 0)
        return e;
    return make_file(m, p, access, err);
}

// With the lock.
static void backing_end(struct moved_backing *m)
{
    if (list_linked(&m->link)) {
        moved_remove(m);
        move_back_now(m);
    }
    close_fdp(&m->backing.memfd);
    close_fdp(&m->backing.memfd_ro);
    free(m->backing.parts);
    free(m);
}

doca_error_t backing_new(uintptr_t start, size_t length, uint32_t access, struct backing **out,
                         struct errtext *err)
{
    struct moved_backing *m = calloc(1, sizeof(*m));
    if (!m)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    m->backing.memfd = m->backing.memfd_ro = -1;
    moved_lock();
    doca_error_t e = backing_fill(m, start, length, access, err);
    if (e != DOCA_SUCCESS)
        backing_end(m);
    moved_unlock();
    if (e == DOCA_SUCCESS)
        *out = &m->backing;
    return e;
}

struct backing *backing_free(struct backing *backing)
{
    if (!backing)
        return NULL;
    moved_lock();
    backing_end(container_of(backing, struct moved_backing, backing));
    moved_unlock();
    return NULL;
}
