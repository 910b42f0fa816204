// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "stacks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#define OWN_MAX  12 // frames of this library
#define WALK_MAX (STACK_MAX + OWN_MAX)
#define SETS     64 // of stacks that were walked before
#define WAYS     4

// libgcc_s, as backtrace() of the C library has it: by dlopen(), so that a system without it can
// load this library.
static struct {
    _Unwind_Reason_Code (*walk)(_Unwind_Trace_Fn step, void *of);
    _Unwind_Ptr (*address)(struct _Unwind_Context *context);
    _Unwind_Word (*frame_end)(struct _Unwind_Context *context);
} unwind;

// Where this library is. Calling dladdr() for each frame would take longer than all else here.
static struct {
    uintptr_t start, end;
} own;

// A stack that was walked. Walking takes microseconds, and a program submits from few places: a
// stack with the same return addresses in the same places is the same one.
struct walked {
    uintptr_t top; // frame of stack_take()
    unsigned count;
    bool is_kept; // each return address was found in its place
    void *addresses[WALK_MAX];
    void *const *places[WALK_MAX]; // that hold them
    struct stack stack;
};

static struct walked kept[SETS][WAYS];
static unsigned next_way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the two

static int note_own(struct dl_phdr_info *info, size_t size, void *of)
{
    uintptr_t here = (uintptr_t)&own, start = UINTPTR_MAX, end = 0;
    (void)size;
    (void)of;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        start = first < start ? first : start;
        end = first + part->p_memsz > end ? first + part->p_memsz : end;
    }
    if (here < start || here >= end)
        return 0;
    own.start = start;
    own.end = end;
    return 1;
}

void stacks_start(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
    dl_iterate_phdr(note_own, NULL);
    if (!library)
        return;
    *(void **)&unwind.address = dlsym(library, "_Unwind_GetIP");
    *(void **)&unwind.frame_end = dlsym(library, "_Unwind_GetCFA");
    if (unwind.address && unwind.frame_end)
        *(void **)&unwind.walk = dlsym(library, "_Unwind_Backtrace");
}

static bool is_own(const void *frame)
{
    return (uintptr_t)frame >= own.start && (uintptr_t)frame < own.end;
}

// ---- walking

// On x86-64 a return address is the last word of the frame that it was pushed for, which is the one
// inside of the frame to which it returns.
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *of)
{
    struct walked *walked = of;
    void *address = (void *)unwind.address(context); // NOLINT(performance-no-int-to-ptr)
    void *const *end =
        (void *const *)unwind.frame_end(context); // NOLINT(performance-no-int-to-ptr)
    if (walked->top == 0) {                       // the place in stack_take() itself
        walked->top = 1;
        return _URC_NO_REASON;
    }
    if (walked->count == WALK_MAX || !address) // _start() returns to nothing
        return _URC_END_OF_STACK;
    walked->addresses[walked->count] = address;
    walked->places[walked->count++] = end - 1;
#ifdef __x86_64__
    walked->is_kept &= end[-1] == address;
#else
    walked->is_kept = false;
#endif
    return _URC_NO_REASON;
}

static void without_own(struct walked *walked)
{
    unsigned from = 0;
    while (from < walked->count && is_own(walked->addresses[from]))
        from++;
    unsigned count = walked->count - from < STACK_MAX ? walked->count - from : STACK_MAX;
    memcpy(walked->stack.frames, walked->addresses + from, count * sizeof(void *));
    walked->stack.count = (int)count;
}

static bool is_same(const struct walked *walked, uintptr_t top)
{
    if (walked->top != top || !walked->is_kept)
        return false;
    for (unsigned i = 0; i < walked->count; i++)
        if (*walked->places[i] != walked->addresses[i])
            return false;
    return true;
}

static const struct walked *find_kept(uintptr_t top)
{
    const struct walked *set = kept[top / sizeof(max_align_t) % SETS];
    for (unsigned i = 0; i < WAYS; i++)
        if (is_same(&set[i], top))
            return &set[i];
    return NULL;
}

static void keep(const struct walked *walked)
{
    if (walked->is_kept)
        kept[walked->top / sizeof(max_align_t) % SETS][next_way++ % WAYS] = *walked;
}

// A thread that does not get the lock, as a child of a fork() might not, walks.
__attribute__((noinline)) void stack_take(struct stack *stack)
{
    struct walked walked = {.is_kept = true};
    uintptr_t top = (uintptr_t)__builtin_frame_address(0);
    bool has_lock = pthread_mutex_trylock(&lock) == 0;
    const struct walked *same = has_lock ? find_kept(top) : NULL;
    if (!same && unwind.walk) {
        unwind.walk(step, &walked);
        walked.top = top;
        without_own(&walked);
        if (has_lock)
            keep(&walked);
    }
    *stack = same ? same->stack : walked.stack;
    if (has_lock)
        pthread_mutex_unlock(&lock);
}

void frame_text(const void *frame, char text[FRAME_TEXT])
{
    Dl_info info;
    if (!dladdr(frame, &info) || !info.dli_fname) {
        snprintf(text, FRAME_TEXT, "%p", frame);
        return;
    }
    // The call stands before the address to which it returns.
    ptrdiff_t offset = (const char *)frame - 1 - (const char *)info.dli_fbase;
    if (info.dli_sname)
        snprintf(text, FRAME_TEXT, "%s+%#tx %s()", info.dli_fname, offset, info.dli_sname);
    else
        snprintf(text, FRAME_TEXT, "%s+%#tx", info.dli_fname, offset);
}
