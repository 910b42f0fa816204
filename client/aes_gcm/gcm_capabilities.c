// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do. libcrypto does the work, so all devices that do not imitate a card are the
// same.

#include "gcm_context.h"

#include "core/device_card.h"
#include "core/refused.h"

static doca_error_t known_key_type(const char *function, enum doca_aes_gcm_key_type type)
{
    if (type == DOCA_AES_GCM_KEY_128 || type == DOCA_AES_GCM_KEY_256)
        return DOCA_SUCCESS;
    return refused(function, "the type of the key is neither 128 nor 256 bits");
}

// This is an answer, not a failure: programs query each device.
static doca_error_t answer(const struct doca_devinfo *devinfo, enum card_key key)
{
    return devinfo_has(devinfo, CARD_GCM) && devinfo_has(devinfo, key) ? DOCA_SUCCESS
                                                                       : DOCA_ERROR_NOT_SUPPORTED;
}

#define SUPPORTED(name, key)                                                                       \
    doca_error_t name(const struct doca_devinfo *devinfo)                                          \
    {                                                                                              \
        return devinfo ? answer(devinfo, key) : REFUSED_NULL(devinfo);                             \
    }

#define LIMIT(name, type, out, value, key)                                                         \
    doca_error_t name(const struct doca_devinfo *devinfo, type *out)                               \
    {                                                                                              \
        if (!devinfo || !out)                                                                      \
            return REFUSED_NULL(devinfo, out);                                                     \
        if (!devinfo_has(devinfo, CARD_GCM))                                                       \
            return DOCA_ERROR_NOT_SUPPORTED;                                                       \
        *out = (type)devinfo_most(devinfo, key, value);                                            \
        return DOCA_SUCCESS;                                                                       \
    }

#define KEY_TYPES(name)                                                                            \
    doca_error_t name(const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type)     \
    {                                                                                              \
        if (!devinfo)                                                                              \
            return REFUSED_NULL(devinfo);                                                          \
        doca_error_t r = known_key_type(__func__, key_type);                                       \
        return r != DOCA_SUCCESS ? r : answer(devinfo, gcm_key_needs(key_type));                   \
    }

SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_supported, CARD_GCM)
SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_tag_96_supported, CARD_GCM_TAG_96)
SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_tag_128_supported, CARD_GCM_TAG_128)
KEY_TYPES(doca_aes_gcm_cap_task_encrypt_is_key_type_supported)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_iv_len, uint32_t, max_iv_len, GCM_IV_MAX, CARD_GCM_IV)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_buf_size, uint64_t, max_buffer_size, GCM_SIZE_MAX,
      CARD_GCM_BUF_SIZE)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem, uint32_t, max_list_num_elem,
      GCM_LIST_MAX, CARD_GCM_LIST)

SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_supported, CARD_GCM)
SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_tag_96_supported, CARD_GCM_TAG_96)
SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_tag_128_supported, CARD_GCM_TAG_128)
KEY_TYPES(doca_aes_gcm_cap_task_decrypt_is_key_type_supported)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_iv_len, uint32_t, max_iv_len, GCM_IV_MAX, CARD_GCM_IV)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_buf_size, uint64_t, max_buffer_size, GCM_SIZE_MAX,
      CARD_GCM_BUF_SIZE)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem, uint32_t, max_list_num_elem,
      GCM_LIST_MAX, CARD_GCM_LIST)
