// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How many instructions a call of doca_version_runtime() is, from the call to its return, after the
// first one: a process runs it step by step, and counts. Prints the number.

#include <doca_version.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char call_begins[], call_ends[];

__attribute__((noinline)) static void call(void)
{
    __asm__ volatile(".globl call_begins\ncall_begins:" ::: "memory");
    doca_version_runtime();
    __asm__ volatile(".globl call_ends\ncall_ends:" ::: "memory");
}

static uintptr_t place(pid_t pid)
{
    struct user_regs_struct registers;
    struct iovec where = {&registers, sizeof(registers)};

    if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &where) != 0)
        exit(2);
#if defined(__x86_64__)
    return registers.rip;
#else
    return registers.pc;
#endif
}

int main(void)
{
    unsigned n = 0;
    int status, counting = 0;

    call(); // the loader finds the function
    pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(5);
        raise(SIGSTOP);
        call();
        _exit(0);
    }
    for (;;) {
        if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            exit(3);
        uintptr_t at = place(pid);
        if (at == (uintptr_t)call_begins)
            counting = 1;
        if (at == (uintptr_t)call_ends)
            break;
        n += counting;
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
            exit(4);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    printf("%u\n", n);
    return 0;
}
