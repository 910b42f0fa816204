// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "kernel.h"

#include "cleanup.h"

#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define PASSRIGHTS 83 // headers may not know it

#define FIELD(name)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define SAME(value, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, t, f)
#define END(what)         BPF_STMT(BPF_RET | BPF_K, what)

static void install(struct sock_filter *steps, size_t n)
{
    struct sock_fprog filter = {.len = (unsigned short)n, .filter = steps};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

void kernel_without_passrights(void)
{
    struct sock_filter steps[] = {
        FIELD(nr),
        SAME(SYS_setsockopt, 1, 0),
        SAME(SYS_getsockopt, 0, 4),
        FIELD(args[1]),
        SAME(SOL_SOCKET, 0, 2),
        FIELD(args[2]),
        SAME(PASSRIGHTS, 1, 0),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_ERRNO | ENOPROTOOPT),
    };
    install(steps, ARRAY_SIZE(steps));
}

void kernel_without_known_barriers(void)
{
    struct sock_filter steps[] = {
        FIELD(nr),
        SAME(SYS_membarrier, 0, 2),
        FIELD(args[0]),
        SAME(MEMBARRIER_CMD_QUERY, 1, 0),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_ERRNO | ENOSYS),
    };

    install(steps, ARRAY_SIZE(steps));
}
