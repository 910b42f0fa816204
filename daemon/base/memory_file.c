// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_file.h"

#include "access.h"
#include "cleanup.h"
#include "memfd.h"
#include "received.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

doca_error_t process_memory_check(int fd, struct errtext *err)
{
    const char *wrong = received_not_memory_of_process(fd);
    if (wrong)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "memory descriptor: %s; open /proc/self/mem with O_RDWR", wrong);
    return DOCA_SUCCESS;
}

doca_error_t process_memory_new(struct process_memory **out, int fd, const struct limits *limits,
                                struct user *user, struct errtext *err)
{
    doca_error_t r = process_memory_check(fd, err);
    if (r == DOCA_SUCCESS)
        r = limit_take(limits, LIMIT_DESCRIPTORS, &user->descriptors, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct process_memory *memory = process_memory_of(fd, user);
    if (!memory) {
        limit_give(&user->descriptors, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    *out = memory;
    return DOCA_SUCCESS;
}

struct process_memory *process_memory_of(int fd, struct user *user)
{
    struct process_memory *memory = calloc(1, sizeof(*memory));
    struct shared_fd *file = memory ? shared_fd_new(fd) : NULL;
    if (!file) {
        free(memory);
        return NULL;
    }
    *memory = (struct process_memory){.file = file, .references = 1, .user = user_ref(user)};
    return memory;
}

struct process_memory *process_memory_ref(struct process_memory *memory)
{
    memory->references++;
    return memory;
}

struct process_memory *process_memory_unref(struct process_memory *memory)
{
    if (!memory || --memory->references > 0)
        return NULL;
    fdstore_drop(&memory->stored);
    shared_fd_unref(memory->file);
    limit_give(&memory->user->descriptors, 1);
    user_unref(memory->user);
    free(memory);
    return NULL;
}

static doca_error_t bad(struct errtext *err, const char *what, const char *hint)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "memory file: %s; %s", what, hint);
}

static doca_error_t check_one(int fd, uint64_t size, int writable, const char *which,
                              struct errtext *err)
{
    int r = memfd_check(fd, size, writable);
    if (r == 0)
        return DOCA_SUCCESS;
    const char *what = r == -EBADF    ? "not a memory file"
                       : r == -EPERM  ? "not sealed against shrinking and growing"
                       : r == -EINVAL ? "its size is not the size that its segments need"
                       : writable     ? "not opened for reading and writing"
                                      : "not opened read-only";
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s: %s (%" PRIu64 " bytes needed)", which,
                       what, size);
}

// The holder of a read-only descriptor can open the file again for writing through /proc,
// unless its mode or its seals prevent that.
static bool open_to_writers(int fd)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    bool sealed = seals >= 0 && (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE));
    return !sealed && (fstat(fd, &st) < 0 || (st.st_mode & 0022));
}

doca_error_t memory_file_check(int fd, int read_only, uint64_t size, uint32_t access,
                               struct errtext *err)
{
    doca_error_t r = check_one(fd, size, 1, "memory file", err);
    if (r != DOCA_SUCCESS)
        return r;
    int seals = fcntl(fd, F_GET_SEALS);
    if (access_lets_write(access) && (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
        return bad(err, "sealed against writing, but the map lets others write",
                   "do not seal it, or do not grant writing");
    if (access_has_read_only(access) && read_only < 0)
        return bad(err, "others may only read the map, and there is no read-only descriptor",
                   "send one beside it");
    if (read_only < 0)
        return DOCA_SUCCESS;
    r = check_one(read_only, size, 0, "read-only memory file", err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!memfd_same_file(fd, read_only))
        return bad(err, "the read-only descriptor refers to another file", "open the same file");
    if (access_has_read_only(access) && open_to_writers(fd))
        return bad(err, "its mode lets anybody who holds it open it for writing",
                   "fchmod(fd, 0600) it, or seal it with F_SEAL_FUTURE_WRITE");
    return DOCA_SUCCESS;
}
