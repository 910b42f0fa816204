// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "input.h"

uint64_t input_odd(struct input *in)
{
    static const uint64_t odd[] = {0,         1,          UINT8_MAX, UINT16_MAX,
                                   INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    uint8_t how = input_u8(in);
    uint64_t value;

    switch (how % 8) {
    case 0:
        return odd[how / 8 % 8];
    case 1:
        return odd[how / 8 % 8] + 1;
    case 2:
    case 3:
        value = (uint64_t)1 << (input_u8(in) % 64);
        return how & 8 ? value - 1 : how & 16 ? value + 1 : value;
    case 4:
        return input_number(in, 8);
    case 5:
        return (uint64_t) - (int64_t)input_number(in, 2);
    default:
        return input_number(in, 1 + (how >> 4) % 2);
    }
}

bool input_step(struct input *in, uint8_t *what, struct input *step)
{
    if (!in->left)
        return false;
    *what = input_u8(in);
    size_t size = input_u8(in);
    *step = (struct input){in->at, size < in->left ? size : in->left};
    in->at += step->left;
    in->left -= step->left;
    return true;
}
