// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The bytes of one run of a target, taken from the front. After the last one come zeros, which
// the targets read as the most usual choice: a short input is a sensible one.

#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t input_u8(struct input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

static inline uint64_t input_number(struct input *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)input_u8(in) << (8 * i);
    return value;
}

static inline uint16_t input_u16(struct input *in)
{
    return (uint16_t)input_number(in, 2);
}

static inline uint32_t input_u32(struct input *in)
{
    return (uint32_t)input_number(in, 4);
}

// Takes at most `size` bytes; the rest of `to` becomes zero. Returns how many there were.
static inline size_t input_bytes(struct input *in, void *to, size_t size)
{
    size_t n = size < in->left ? size : in->left;
    memset(to, 0, size);
    if (n)
        memcpy(to, in->at, n);
    in->at += n;
    in->left -= n;
    return n;
}

// An odd number: limits of types, powers of two and their neighbours, or any.
uint64_t input_odd(struct input *in);

// Inputs that are a sequence of steps: what to do (one byte), the size of what it needs (one
// byte), and that. A change to one step leaves the others as they are; mutate_steps.c changes
// inputs step by step. False at the end.
bool input_step(struct input *in, uint8_t *what, struct input *step);

// libFuzzer calls these.
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
