// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How libFuzzer changes inputs that are a sequence of steps (input.h): it changes, repeats, moves,
// removes or inserts whole steps, or the bytes within one.

#include "input.h"

#include <stdlib.h>

#define STEPS_MAX 256

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t out_max, unsigned seed);

struct step {
    uint8_t what, size;
    uint8_t bytes[UINT8_MAX];
};

struct steps {
    struct step list[STEPS_MAX];
    size_t n;
};

static uint64_t random_state;

static size_t below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % n;
}

static void read_steps(struct steps *steps, const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step;
    for (steps->n = 0; steps->n < STEPS_MAX; steps->n++) {
        struct step *to = &steps->list[steps->n];
        if (!input_step(&in, &to->what, &step))
            return;
        to->size = (uint8_t)step.left;
        input_bytes(&step, to->bytes, sizeof(to->bytes));
    }
}

// Writes as many whole steps as fit.
static size_t write_steps(const struct steps *steps, uint8_t *data, size_t max)
{
    size_t size = 0;
    for (size_t i = 0; i < steps->n; i++) {
        const struct step *step = &steps->list[i];
        if (size + 2u + step->size > max)
            break;
        data[size] = step->what;
        data[size + 1] = step->size;
        memcpy(data + size + 2, step->bytes, step->size);
        size += 2u + step->size;
    }
    return size;
}

static void remove_step(struct steps *steps, size_t i)
{
    memmove(&steps->list[i], &steps->list[i + 1], (--steps->n - i) * sizeof(struct step));
}

static void insert_step(struct steps *steps, size_t i, const struct step *step)
{
    if (steps->n == STEPS_MAX)
        return;
    struct step copy = *step; // may be one of them
    memmove(&steps->list[i + 1], &steps->list[i], (steps->n++ - i) * sizeof(struct step));
    steps->list[i] = copy;
}

static void change_bytes(struct step *step)
{
    step->size = (uint8_t)LLVMFuzzerMutate(step->bytes, step->size, UINT8_MAX);
}

static void change(struct steps *steps)
{
    struct step made = {.what = (uint8_t)below(256), .size = (uint8_t)below(24)};
    size_t i = steps->n ? below(steps->n) : 0;

    switch (steps->n ? below(10) : 0) {
    case 0:
        for (size_t j = 0; j < made.size; j++)
            made.bytes[j] = (uint8_t)(below(3) ? below(256) : 0);
        insert_step(steps, below(steps->n + 1), &made);
        break;
    case 1:
        insert_step(steps, below(steps->n + 1), &steps->list[i]);
        break;
    case 2:
        remove_step(steps, i);
        break;
    case 3:
        made = steps->list[i];
        remove_step(steps, i);
        insert_step(steps, below(steps->n + 1), &made);
        break;
    case 4:
        steps->list[i].what = made.what;
        break;
    default:
        change_bytes(&steps->list[i]);
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct steps steps;
    random_state = seed * 0x9e3779b97f4a7c15ull + 1;
    read_steps(&steps, data, size);
    for (size_t n = 1 + below(4); n > 0; n--)
        change(&steps);
    return write_steps(&steps, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t out_max, unsigned seed)
{
    static struct steps first, second;
    random_state = seed * 0x9e3779b97f4a7c15ull + 1;
    read_steps(&first, a, a_size);
    read_steps(&second, b, b_size);
    first.n = below(first.n + 1);
    for (size_t i = second.n ? below(second.n) : 0; i < second.n; i++)
        insert_step(&first, first.n, &second.list[i]);
    return write_steps(&first, out, out_max);
}
