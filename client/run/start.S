/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026, the docad authors
 *
 * Where the program begins. That of the C library asks for a version of __libc_start_main() that
 * glibc has since 2.34 only; the first version does the same for a program without constructors.
 */
    .section .note.GNU-stack, "", %progbits
    .text
    .globl _start
    .type _start, %function
_start:
#if defined(__x86_64__)
    .symver start_main, __libc_start_main@GLIBC_2.2.5
    xor %ebp, %ebp
    mov %rdx, %r9        /* what the loader wants to be called at the end */
    pop %rsi             /* argc */
    mov %rsp, %rdx       /* argv */
    and $-16, %rsp
    push %rax
    push %rsp
    xor %r8d, %r8d
    xor %ecx, %ecx
    lea main(%rip), %rdi
    call *start_main@GOTPCREL(%rip)
    hlt
#elif defined(__aarch64__)
    .symver start_main, __libc_start_main@GLIBC_2.17
    mov x29, #0
    mov x30, #0
    mov x5, x0           /* what the loader wants to be called at the end */
    ldr x1, [sp]         /* argc */
    add x2, sp, #8       /* argv */
    mov x6, sp
    adrp x0, main
    add x0, x0, :lo12:main
    mov x3, #0
    mov x4, #0
    bl start_main
    brk #1
#endif
    .size _start, . - _start
