// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A key, as the program gave it.
//
// A task may still have a key that the program has destroyed. So the memory of keys is never freed,
// only used again, and a task also has the number of its key, which is never used again.

#ifndef CLIENT_AES_GCM_GCM_KEY_H
#define CLIENT_AES_GCM_GCM_KEY_H

#include <stdint.h>

struct doca_aes_gcm_key {
    uint64_t number; // of this process, never used again; 0: it was destroyed
    struct doca_aes_gcm_key *next_free;
    _Atomic uint32_t users; // tasks in flight, in any thread
    uint32_t size;          // 16 or 32 bytes
    uint8_t raw[32];
};

#endif
