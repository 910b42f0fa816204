// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The checksum of descriptors, which programs carry from one process to another.

#ifndef COMMON_DESC_CHECKSUM_H
#define COMMON_DESC_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DESC_CHECKSUM_SIZE 8
#define DESC_BODY_MAX      256

// Returns false if the body has more than DESC_BODY_MAX bytes.
bool desc_checksum(uint32_t magic, uint32_t version, const uint8_t *body, size_t size,
                   uint8_t out[DESC_CHECKSUM_SIZE]);

#endif
