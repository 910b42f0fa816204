/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_bitfield.h
 * Bit fields of numbers in network byte order: masks, and how values are put in and taken out.
 *
 * A mask has the ones of one field, and the byte order of the number that it is for. The macros
 * whose names have a P write through a pointer, and are statements.
 *
 * Since 3.0 at the latest.
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#include <arpa/inet.h>

#include <doca_types.h>

/** The number of the lowest bit that is set in _x. Source: table. Since: 3.0. */
#define DOCA_SHIFT(_x) (__builtin_ffsll(_x) - 1)

/** The 16-bit number _x in network byte order. Source: table. Since: 3.0. */
#define DOCA_HTOBE16(_x) htons(_x)

/** The 32-bit number _x in network byte order. Source: table. Since: 3.0. */
#define DOCA_HTOBE32(_x) htonl(_x)

/** The 16-bit number _x, which is in network byte order, in that of the CPU. Source: table.
 * Since: 3.0. */
#define DOCA_BETOH16(_x) ntohs(_x)

/** The 32-bit number _x, which is in network byte order, in that of the CPU. Source: table.
 * Since: 3.0. */
#define DOCA_BETOH32(_x) ntohl(_x)

/** The mask of the bits _l to _h of a byte. Source: table. Since: 3.0. */
#define DOCA_U8_GENMASK(_h, _l)                                                                    \
    ((UINT8_MAX - (UINT8_C(1) << (_l)) + 1) & (UINT8_MAX >> (8 - 1 - (_h))))

/** Writes that mask to the byte at _p. Source: table. Since: 3.0. */
#define DOCA_U8P_GENMASK(_h, _l, _p)                                                               \
    do {                                                                                           \
        *(uint8_t *)(_p) = DOCA_U8_GENMASK(_h, _l);                                                \
    } while (0)

/** The mask of the bits _l to _h of a 16-bit number. Source: table. Since: 3.0. */
#define DOCA_BE16_GENMASK(_h, _l)                                                                  \
    (DOCA_HTOBE16((UINT16_MAX - (UINT16_C(1) << (_l)) + 1) & (UINT16_MAX >> (16 - 1 - (_h)))))

/** Writes that mask to the 16-bit number at _p. Source: table. Since: 3.0. */
#define DOCA_BE16P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(doca_be16_t *)(_p) = DOCA_BE16_GENMASK(_h, _l);                                          \
    } while (0)

/** The mask of the bits _l to _h of a 32-bit number. Source: table. Since: 3.0. */
#define DOCA_BE32_GENMASK(_h, _l)                                                                  \
    (DOCA_HTOBE32((UINT32_MAX - (UINT32_C(1) << (_l)) + 1) & (UINT32_MAX >> (32 - 1 - (_h)))))

/** Writes that mask to the 32-bit number at _p. Source: table. Since: 3.0. */
#define DOCA_BE32P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(doca_be32_t *)(_p) = DOCA_BE32_GENMASK(_h, _l);                                          \
    } while (0)

/** A byte with the value _v in the field of the mask _m, and zeros elsewhere. Source: table.
 * Since: 3.0. */
#define DOCA_U8_SET(_m, _v) (((_v) << DOCA_SHIFT(_m)) & (_m))

/** Sets the bits of the value _v in that field of the byte at _p. Source: table. Since: 3.0. */
#define DOCA_U8P_SET(_m, _v, _p)                                                                   \
    do {                                                                                           \
        uint8_t _tmp = *(uint8_t *)(_p);                                                           \
        _tmp |= DOCA_U8_SET(_m, _v);                                                               \
        *(_p) = _tmp;                                                                              \
    } while (0)

/** A 16-bit number with the value _v in the field of the mask _m. Source: table. Since: 3.0. */
#define DOCA_BE16_SET(_m, _v) ((DOCA_HTOBE16((_v) << DOCA_SHIFT(DOCA_BETOH16(_m)))) & (_m))

/** Sets the bits of the value _v in that field of the number at _p. Source: table. Since: 3.0. */
#define DOCA_BE16P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        doca_be16_t _tmp = *(doca_be16_t *)(_p);                                                   \
        _tmp |= DOCA_BE16_SET(_m, _v);                                                             \
        *(_p) = _tmp;                                                                              \
    } while (0)

/** A 32-bit number with the value _v in the field of the mask _m. Source: table. Since: 3.0. */
#define DOCA_BE32_SET(_m, _v) ((DOCA_HTOBE32((_v) << DOCA_SHIFT(DOCA_BETOH32(_m)))) & (_m))

/** Sets the bits of the value _v in that field of the number at _p. Source: table. Since: 3.0. */
#define DOCA_BE32P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        doca_be32_t _tmp = *(doca_be32_t *)(_p);                                                   \
        _tmp |= DOCA_BE32_SET(_m, _v);                                                             \
        *(_p) = _tmp;                                                                              \
    } while (0)

/** The value in the field of the mask _m of the byte _f. Source: table. Since: 3.0. */
#define DOCA_U8_GET(_m, _f) (((_m) & (_f)) >> DOCA_SHIFT(_m))

/** The value in the field of the mask _m of the 16-bit number _f. Source: table. Since: 3.0. */
#define DOCA_BE16_GET(_m, _f) (DOCA_BETOH16((_m) & (_f)) >> DOCA_SHIFT(DOCA_BETOH16(_m)))

/** The value in the field of the mask _m of the 32-bit number _f. Source: table. Since: 3.0. */
#define DOCA_BE32_GET(_m, _f) (DOCA_BETOH32((_m) & (_f)) >> DOCA_SHIFT(DOCA_BETOH32(_m)))

#endif /* DOCA_BITFIELD_H_ */
