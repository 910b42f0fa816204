// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "xxh32.h"

#include <endian.h>
#include <string.h>

#define STRIPE 16

static const uint32_t p1 = 2654435761u, p2 = 2246822519u, p3 = 3266489917u, p4 = 668265263u,
                      p5 = 374761393u;

static uint32_t rotl(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t word_at(const uint8_t *data)
{
    uint32_t word;

    memcpy(&word, data, sizeof(word));
    return le32toh(word);
}

void xxh32_begin(struct xxh32 *hash)
{
    *hash = (struct xxh32){.lanes = {p1 + p2, p2, 0, 0 - p1}};
}

// Compilers would put the four lanes into one vector, whose multiplications take so long that
// this is 2.5 times as slow.
#define ALONE(lane) __asm__("" : "+r"(lane))

static void stripes(uint32_t lanes[4], const uint8_t *data, size_t n)
{
    uint32_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];

    for (; n > 0; n--, data += STRIPE) {
        a = rotl(a + word_at(data) * p2, 13) * p1;
        b = rotl(b + word_at(data + 4) * p2, 13) * p1;
        c = rotl(c + word_at(data + 8) * p2, 13) * p1;
        d = rotl(d + word_at(data + 12) * p2, 13) * p1;
        ALONE(a);
        ALONE(b);
        ALONE(c);
        ALONE(d);
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
}

void xxh32_update(struct xxh32 *hash, const uint8_t *data, size_t size)
{
    size_t held = hash->total % STRIPE;

    hash->total += size;
    if (held) {
        size_t n = STRIPE - held < size ? STRIPE - held : size;
        memcpy(hash->rest + held, data, n);
        data += n;
        size -= n;
        if (held + n < STRIPE)
            return;
        stripes(hash->lanes, hash->rest, 1);
    }
    stripes(hash->lanes, data, size / STRIPE);
    memcpy(hash->rest, data + size / STRIPE * STRIPE, size % STRIPE);
}

uint32_t xxh32_value(const struct xxh32 *hash)
{
    const uint32_t *l = hash->lanes;
    const uint8_t *rest = hash->rest;
    size_t left = hash->total % STRIPE;
    uint32_t h = hash->total >= STRIPE
                     ? rotl(l[0], 1) + rotl(l[1], 7) + rotl(l[2], 12) + rotl(l[3], 18)
                     : p5;

    h += (uint32_t)hash->total;
    for (; left >= 4; left -= 4, rest += 4)
        h = rotl(h + word_at(rest) * p3, 17) * p4;
    for (; left > 0; left--, rest++)
        h = rotl(h + *rest * p5, 11) * p1;
    h = (h ^ h >> 15) * p2;
    h = (h ^ h >> 13) * p3;
    return h ^ h >> 16;
}
