// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An export descriptor as text, for programs that exchange it as text: a JSON object with the
// address ("addr") and length ("len") of the memory, and the descriptor itself ("export").

#ifndef COMMON_EXPORT_TEXT_H
#define COMMON_EXPORT_TEXT_H

#include "export_desc.h"

#include <stdbool.h>

// The longest text, with its terminating zero: programs receive it into 1024 bytes.
#define EXPORT_TEXT_SIZE 512
// This much is read, in case a program has added to it.
#define EXPORT_TEXT_SIZE_MAX 4096

// Writes the text of a valid descriptor; *size counts the terminating zero. Other errors
// are those of export_desc_decode().
doca_error_t export_text_encode(const void *desc, size_t desc_size, char text[EXPORT_TEXT_SIZE],
                                size_t *size, struct errtext *err);

// Returns whether the bytes can only be such a text. A descriptor never begins like one.
bool export_is_text(const void *bytes, size_t size);

// Finds the descriptor in a text, which may end with zeros and white space (a file's last
// line does). DOCA_ERROR_INVALID_VALUE if it is not such a text, or its members do not
// match; else the errors of export_desc_decode().
doca_error_t export_text_decode(const void *text, size_t size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                                size_t *desc_size, struct errtext *err);

// For functions that accept either form: *bytes and *size become those of the descriptor,
// which is put into `desc` if it was a text.
doca_error_t export_desc_of(const void **bytes, size_t *size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                            struct errtext *err);

#endif
