// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export_text.h"

#include "cleanup.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define BASE64_SIZE(n) (((n) + 2) / 3 * 4 + 1)

static void tokener_freep(json_tokener **tokener)
{
    if (*tokener)
        json_tokener_free(*tokener);
}

static void object_putp(json_object **object)
{
    json_object_put(*object);
}

doca_error_t export_text_encode(const void *desc, size_t desc_size, char text[EXPORT_TEXT_SIZE],
                                size_t *size, struct errtext *err)
{
    struct export_desc decoded;
    unsigned char base64[BASE64_SIZE(EXPORT_DESC_SIZE_MAX)];

    doca_error_t e = export_desc_decode(desc, desc_size, &decoded, err);
    if (e != DOCA_SUCCESS)
        return e;
    EVP_EncodeBlock(base64, desc, (int)desc_size);
    int n = snprintf(text, EXPORT_TEXT_SIZE,
                     "{\"addr\":%" PRIu64 ",\"len\":%" PRIu64 ",\"export\":\"%s\"}",
                     decoded.address, decoded.length, base64);
    *size = (size_t)n + 1;
    return DOCA_SUCCESS;
}

bool export_is_text(const void *bytes, size_t size)
{
    return size && *(const char *)bytes == '{';
}

static doca_error_t malformed(struct errtext *err, const char *what)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "export descriptor in JSON: %s; pass on exactly the text that the export "
                       "returned",
                       what);
}

static doca_error_t decode_base64(const char *text, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                                  size_t *desc_size, struct errtext *err)
{
    uint8_t bytes[BASE64_SIZE(EXPORT_DESC_SIZE_MAX)];
    size_t length = strlen(text), padding = 0;

    if (length == 0 || length >= BASE64_SIZE(EXPORT_DESC_SIZE_MAX) || length % 4)
        return malformed(err, "its member \"export\" does not have the length of a descriptor");
    while (padding < 2 && text[length - 1 - padding] == '=')
        padding++;
    int n = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
    if (n < 0 || (size_t)n - padding > EXPORT_DESC_SIZE_MAX)
        return malformed(err, "its member \"export\" is not base64");
    memcpy(desc, bytes, (size_t)n - padding);
    *desc_size = (size_t)n - padding;
    return DOCA_SUCCESS;
}

static bool member_is(const json_object *object, const char *key, uint64_t value)
{
    json_object *member;

    return json_object_object_get_ex(object, key, &member) &&
           json_object_is_type(member, json_type_int) && json_object_get_uint64(member) == value;
}

static doca_error_t decode_object(const json_object *object, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                                  size_t *desc_size, struct errtext *err)
{
    struct export_desc decoded;
    json_object *member;

    if (!json_object_object_get_ex(object, "export", &member) ||
        !json_object_is_type(member, json_type_string))
        return malformed(err, "it has no member \"export\"");
    doca_error_t e = decode_base64(json_object_get_string(member), desc, desc_size, err);
    if (e == DOCA_SUCCESS)
        e = export_desc_decode(desc, *desc_size, &decoded, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (!member_is(object, "addr", decoded.address) || !member_is(object, "len", decoded.length))
        return malformed(err, "\"addr\" and \"len\" are not those of the export");
    return DOCA_SUCCESS;
}

// White space of JSON, whatever the locale.
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

doca_error_t export_text_decode(const void *text, size_t size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                                size_t *desc_size, struct errtext *err)
{
    const char *end = text;

    while (size && (end[size - 1] == '\0' || is_space(end[size - 1])))
        size--;
    if (size == 0 || size > EXPORT_TEXT_SIZE_MAX || memchr(text, '\0', size))
        return malformed(err, "no such text has that length");
    cleanup(tokener_freep) json_tokener *tokener = json_tokener_new();
    if (!tokener)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    cleanup(object_putp) json_object *object = json_tokener_parse_ex(tokener, text, (int)size);
    if (!object || !json_object_is_type(object, json_type_object) ||
        json_tokener_get_parse_end(tokener) != size)
        return malformed(err, "truncated, or not a JSON object");
    return decode_object(object, desc, desc_size, err);
}

doca_error_t export_desc_of(const void **bytes, size_t *size, uint8_t desc[EXPORT_DESC_SIZE_MAX],
                            struct errtext *err)
{
    if (!export_is_text(*bytes, *size))
        return DOCA_SUCCESS;
    doca_error_t e = export_text_decode(*bytes, *size, desc, size, err);
    if (e == DOCA_SUCCESS)
        *bytes = desc;
    return e;
}
