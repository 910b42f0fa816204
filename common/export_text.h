// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An export descriptor as text, for programs that send and read it as such: a JSON object
// whose members "addr" and "len" say where the memory is, and whose "export" is the
// descriptor itself.

#ifndef COMMON_EXPORT_TEXT_H
#define COMMON_EXPORT_TEXT_H

#include "export_desc.h"

#include <stdbool.h>

// The most that a text has, with its terminating zero: programs receive it into 1024.
#define EXPORT_TEXT_SIZE 512
// As much is read, in case that somebody has added to it.
#define EXPORT_TEXT_SIZE_MAX 4096

// Writes the text of a descriptor that is in order; *size counts the terminating zero.
// What export_desc_decode() says otherwise.
doca_error_t export_text_encode(const void *desc, size_t desc_size, char text[EXPORT_TEXT_SIZE],
                                size_t *size, struct errtext *err);

// Can the bytes be nothing but such a text? A descriptor never begins as one.
bool export_is_text(const void *bytes, size_t size);

// Finds the descriptor in a text, which may end with zeros and white space (a file's last
// line does). DOCA_ERROR_INVALID_VALUE if it is none, or its members do not fit together;
// else as export_desc_decode().
doca_error_t export_text_decode(const void *text, size_t size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                                size_t *desc_size, struct errtext *err);

// For what takes either form: *bytes and *size become those of the descriptor, in `desc`
// if it was a text.
doca_error_t export_desc_of(const void **bytes, size_t *size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                            struct errtext *err);

#endif
