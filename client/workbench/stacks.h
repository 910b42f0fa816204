// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Where in the program a call was made.

#ifndef WORKBENCH_STACKS_H
#define WORKBENCH_STACKS_H

#define STACK_MAX  12
#define FRAME_TEXT 512

struct stack {
    void *frames[STACK_MAX];
    int count;
};

// Loads what unwinding needs; called once, before other functions of this file.
void stacks_start(void);
// The stack of this thread, without the frames of this library.
void stack_take(struct stack *stack);
// Writes a frame as addr2line -e FILE takes it, and the function, if it is exported. It needs no
// lock.
void frame_text(const void *frame, char text[FRAME_TEXT]);

#endif
