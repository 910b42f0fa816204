// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The handlers here allocate nothing and take no lock but their own: the locks of the program's
// allocator are taken when they run, and its memory may be among the pages in question.

#include "mmap/moved.h"

#include "core/fork_copy.h"
#include "mmap/apart.h"
#include "mmap/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

static pthread_mutex_t moving = PTHREAD_MUTEX_INITIALIZER;

// Under `moving`, like everything below.
static struct list backings = {&backings, &backings};

static struct vma_reader reader; // too large for the stack of a coroutine
static uint64_t copy_max;        // the most bytes that a child gets as copies

// This thread, which forks, has the lock. A handler of the program may end a map.
static _Thread_local bool fork_has_lock __attribute__((tls_model("initial-exec")));

// ---- the list

void moved_add(struct moved_backing *m)
{
    list_append(&backings, &m->link);
}

void moved_remove(struct moved_backing *m)
{
    list_remove(&m->link);
}

struct moved_backing *moved_find(dev_t device, ino_t inode)
{
    struct moved_backing *m;
    list_for_each (m, &backings, link)
        if (m->inode == inode && m->device == device)
            return m;
    return NULL;
}

// ---- our mappings

typedef void (*visit_fn)(struct moved_backing *m, const struct vma *vma);

// Visits the parts as they were made.
static void visit_parts(visit_fn visit)
{
    struct moved_backing *m;
    list_for_each (m, &backings, link) {
        for (size_t i = 0; i < m->backing.n_parts; i++) {
            const struct backing_part *part = &m->backing.parts[i];
            struct vma vma = {
                .start = part->start,
                .end = part->start + part->length,
                .offset = part->offset,
                .readable = true,
                .writable = true,
                .shared = true,
            };
            if (part->mapped)
                visit(m, &vma);
        }
    }
}

static void make_private(struct moved_backing *m, const struct vma *vma);
static bool has_its_file(const struct moved_backing *m, int fd);

// Closes a memory file in a child, which closes all of them soon. The child's mappings of that file
// are replaced by copies.
static bool make_room(void)
{
    struct moved_backing *m;

    list_for_each (m, &backings, link)
        if (has_its_file(m, m->backing.memfd))
            return close(m->backing.memfd) == 0;
    return false;
}

// Visits the parts of the files that are still mapped. The program may have unmapped parts,
// replaced, protected or moved them.
static void visit_all(visit_fn visit)
{
    struct vma vma;

    int r = vma_reader_open(&reader, "/proc/self/maps");
    if (r == -EMFILE && visit == make_private && make_room())
        r = vma_reader_open(&reader, "/proc/self/maps");
    if (r < 0) {
        visit_parts(visit);
        return;
    }
    while (vma_reader_next(&reader, &vma) > 0) {
        struct moved_backing *m =
            vma.inode && vma.shared ? moved_find(vma.device, vma.inode) : NULL;
        if (m)
            visit(m, &vma);
    }
    vma_reader_close(&reader);
}

static void let_not_inherit(struct moved_backing *m, const struct vma *vma)
{
    (void)m;
    (void)madvise((void *)vma->start, vma->end - vma->start, MADV_DONTFORK);
}

// The program may have closed the descriptor, and have another file under its number.
static bool has_its_file(const struct moved_backing *m, int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == m->inode && st.st_dev == m->device;
}

// ---- before

static size_t file_size(const struct moved_backing *m)
{
    return m->end - m->file.base;
}

// Returns fresh memory whose addresses lie in huge pages as `like` does, or 0. With huge pages
// copying and moving take a fraction of the time.
static uintptr_t reserve_like(uintptr_t like, size_t length)
{
    size_t slack = length < HUGE_PAGE ? 0 : HUGE_PAGE;
    char *p =
        mmap(NULL, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    if (!slack)
        return (uintptr_t)p;
    size_t before = (like - (uintptr_t)p) % HUGE_PAGE;
    if (before)
        munmap(p, before);
    if (slack - before)
        munmap(p + before + length, slack - before);
    (void)madvise(p + before, length, MADV_HUGEPAGE);
    return (uintptr_t)p + before;
}

// Returns a copy of the file's contents, at the file's offsets, or 0.
static uintptr_t copy_file(const struct moved_backing *m)
{
    uintptr_t copy = reserve_like(m->file.base, file_size(m));
    if (!copy)
        return 0;
    int r = has_its_file(m, m->file.fd) ? 0 : -EBADF;
    for (size_t i = 0; i < m->backing.n_parts && r == 0; i++) {
        const struct backing_part *part = &m->backing.parts[i];
        if (part->mapped)
            r = pages_read(&m->file, part->start, part->length, copy + part->offset);
    }
    if (r == 0)
        return copy;
    munmap((void *)copy, file_size(m));
    return 0;
}

// ---- the stack that fork() runs on

// Parent and child write to the stack of this thread before a handler runs in the child. So its
// pages that lie in memory files, as those of a coroutine may, are the parent's alone during a
// fork. Importers do not see these pages then, and what they write there is lost: fork() writes
// there itself. The control block of a thread, at the top of a stack that the program has made,
// stays: other threads wait for words there, and would not be woken if its pages were replaced.
#define STACK_BELOW        ((size_t)64 << 10) // for handlers and the C library
#define STACK_ABOVE        ((size_t)4 << 10)  // the frames of fork() itself
#define STACK_MAPPINGS_MAX 4

static _Alignas(16) char apart_stack[APART_STACK];

// The state in memory files, not on the stack that moves.
static struct stack_pages {
    uintptr_t start;
    size_t length;
    int protection;
    uintptr_t kept; // while the pages are out, the address of the file's mapping; else 0
} stack_pages[STACK_MAPPINGS_MAX];
static size_t n_stack_pages;

// Leaves guard pages alone: their contents cannot be copied, and fork() does not write there.
static void note_stack(const struct vma *vma)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t start = page_down(here - STACK_BELOW), end = page_up(here + STACK_ABOVE);

    if (start < vma->start)
        start = vma->start;
    if (end > vma->end)
        end = vma->end;
    if (start < end && vma->readable && vma->writable && n_stack_pages < STACK_MAPPINGS_MAX)
        stack_pages[n_stack_pages++] = (struct stack_pages){
            .start = start, .length = end - start, .protection = vma_protection(vma)};
}

static void *move_to(uintptr_t from, size_t length, uintptr_t to)
{
    return mremap((void *)from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to);
}

// Keeps a second mapping of the file's pages, to restore the first: a file that is sealed against
// writing cannot be mapped again, and its descriptor may be closed.
static void move_out(struct stack_pages *s)
{
    void *kept = mremap((void *)s->start, 0, s->length, MREMAP_MAYMOVE);
    if (kept == MAP_FAILED)
        return;
    void *fresh = mmap(NULL, s->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
        munmap(kept, s->length);
        return;
    }
    memcpy(fresh, kept, s->length);
    if (madvise(kept, s->length, MADV_DONTFORK) == 0 &&
        mprotect(fresh, s->length, s->protection) == 0 &&
        move_to((uintptr_t)fresh, s->length, s->start) != MAP_FAILED) {
        s->kept = (uintptr_t)kept;
        return;
    }
    munmap(fresh, s->length);
    munmap(kept, s->length);
}

static void move_in(struct stack_pages *s)
{
    memcpy((void *)s->kept, (void *)s->start, s->length);
    (void)move_to(s->kept, s->length, s->start);
    s->kept = 0;
}

// These two run in another process (apart.h).
static void move_stack_out(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n_stack_pages; i++)
        move_out(&stack_pages[i]);
}

static void move_stack_in(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n_stack_pages; i++)
        if (stack_pages[i].kept)
            move_in(&stack_pages[i]);
}

static void move_stack(void (*way)(void *))
{
    if (n_stack_pages > 0)
        (void)run_apart(way, NULL, apart_stack);
}

static void let_inherit(struct moved_backing *m, const struct vma *vma)
{
    (void)m;
    (void)madvise((void *)vma->start, vma->end - vma->start, MADV_DOFORK);
    note_stack(vma);
}

// ---- the handlers before

// Takes `moving` before the log's lock and those of an allocator, whose holder may wait for
// `moving`: handlers that were registered later run earlier.
static void before_all(void)
{
    if (!fork_has_lock)
        pthread_mutex_lock(&moving);
    fork_has_lock = true;
}

// Runs last, as close to the fork as can be.
static void before_fork(void)
{
    struct moved_backing *m;
    uint64_t left = copy_max;

    before_all(); // a handler of the program may have forked, which gave the lock back
    if (list_empty(&backings))
        return;
    list_for_each (m, &backings, link) {
        m->copy = file_size(m) <= left ? copy_file(m) : 0;
        if (m->copy)
            left -= file_size(m);
        else // the child maps the file, and reads the pages that it has not written there
            m->file.punch = false;
    }
    n_stack_pages = 0;
    visit_all(let_inherit);
    move_stack(move_stack_out);
}

// ---- after

static void leave(void)
{
    fork_has_lock = false;
    moved_unlock();
}

static void drop_copy(struct moved_backing *m)
{
    if (m->copy)
        munmap((void *)m->copy, file_size(m));
    m->copy = 0;
}

static void after_in_parent(void)
{
    struct moved_backing *m;

    if (!list_empty(&backings)) {
        move_stack(move_stack_in);
        visit_all(let_not_inherit);
    }
    list_for_each (m, &backings, link)
        drop_copy(m);
    leave();
}

// Moves `fresh`, which has the contents, to the address of the mapping.
static bool put_fresh(const struct vma *vma, uintptr_t fresh)
{
    size_t length = vma->end - vma->start;

    return mprotect((void *)fresh, length, vma_protection(vma)) == 0 &&
           mremap((void *)fresh, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
                  (void *)vma->start) != MAP_FAILED;
}

static bool put_copy(const struct moved_backing *m, const struct vma *vma)
{
    size_t length = vma->end - vma->start;

    return m->copy && vma->offset <= file_size(m) && length <= file_size(m) - vma->offset &&
           put_fresh(vma, m->copy + vma->offset);
}

static bool map_privately(const struct moved_backing *m, const struct vma *vma)
{
    return has_its_file(m, m->file.fd) &&
           mmap((void *)vma->start, vma->end - vma->start, vma_protection(vma),
                MAP_PRIVATE | MAP_FIXED, m->file.fd, (off_t)vma->offset) != MAP_FAILED;
}

// If the file cannot be mapped any more, the pages can still be read.
static bool copy_now(const struct vma *vma)
{
    size_t length = vma->end - vma->start;

    if (!vma->readable && mprotect((void *)vma->start, length, PROT_READ) < 0)
        return false;
    void *fresh = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    memcpy(fresh, (const void *)vma->start, length);
    if (put_fresh(vma, (uintptr_t)fresh))
        return true;
    munmap(fresh, length);
    return false;
}

static void make_private(struct moved_backing *m, const struct vma *vma)
{
    if (put_copy(m, vma) || map_privately(m, vma) || copy_now(vma))
        return;
    // Whatever this child is going to do, it does not write to its parent's memory.
    (void)mprotect((void *)vma->start, vma->end - vma->start, PROT_READ);
}

// The file stays the parent's alone. Its descriptor was for the map.
static void drop_file(const struct moved_backing *m, int *fd)
{
    if (has_its_file(m, *fd))
        close(*fd);
    *fd = -1;
}

static void after_in_child(void)
{
    struct moved_backing *m, *next;

    if (!list_empty(&backings))
        visit_all(make_private);
    list_for_each_safe (m, next, &backings, link) {
        drop_copy(m);
        drop_file(m, &m->backing.memfd);
        drop_file(m, &m->backing.memfd_ro);
        moved_remove(m);
    }
    leave();
}

// ---- the handlers

// Early: the child's handlers run in the order in which they were registered.
static void __attribute__((constructor(101))) watch_forks(void)
{
    pthread_atfork(before_fork, after_in_parent, after_in_child);
}

// Runs after the log's constructor, which has the priority 101.
static void __attribute__((constructor)) lock_before_log(void)
{
    pthread_atfork(before_all, NULL, NULL);
}

// Runs when the first map starts, after an allocator's handlers.
static void watch_forks_late(void)
{
    copy_max = fork_copy_max();
    pthread_atfork(before_all, NULL, NULL);
}

void moved_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch_forks_late);
    if (!fork_has_lock)
        pthread_mutex_lock(&moving);
}

void moved_unlock(void)
{
    if (!fork_has_lock)
        pthread_mutex_unlock(&moving);
}
