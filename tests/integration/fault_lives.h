// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What two programs do with each other, from opening a device to closing it. A call that fails
// ends that; what there is by then is released.

#ifndef INTEGRATION_FAULT_LIVES_H
#define INTEGRATION_FAULT_LIVES_H

#include <stdatomic.h>
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

#define FAULT_LIVES 7
extern const struct life *const fault_lives[FAULT_LIVES];

// The first program serves no more: the second one need not wait for it. The processes share it.
extern _Atomic bool *fault_first_is_over;

// Of DOCA 3, compiled with its headers.
extern const struct life fault_life_address, fault_life_net_event, fault_life_comch;

#endif
