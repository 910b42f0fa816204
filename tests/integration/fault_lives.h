// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What two programs do with each other, from opening a device to closing it. A call that fails
// ends that; what there is by then is released.

#ifndef INTEGRATION_FAULT_LIVES_H
#define INTEGRATION_FAULT_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
    size_t length;
    uint8_t bytes[1024];
};

// The first program is the host's, except for a channel's service. Each function returns false as
// soon as something fails; end() is called in any case.
struct life {
    const char *name;
    bool first_on_dpu;
    void *(*new)(void); // of one side
    bool (*offer)(void *first, struct words *out);
    bool (*take)(void *second, const struct words *in, struct words *out);
    bool (*join)(void *first, const struct words *in);
    bool (*serve)(void *first); // once; false: nothing more will come
    bool (*use)(void *second);
    void (*end)(void *side);
};

#define FAULT_LIVES 4
extern const struct life fault_lives[FAULT_LIVES];

#endif
