// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What devices can do: libcrypto does it, so it is the same for all.

#include "gcm_context.h"

#include "core/refused.h"

static doca_error_t known_key_type(const char *function, enum doca_aes_gcm_key_type type)
{
    if (type == DOCA_AES_GCM_KEY_128 || type == DOCA_AES_GCM_KEY_256)
        return DOCA_SUCCESS;
    return refused(function, "the type of the key is neither 128 nor 256 bits");
}

#define SUPPORTED(name)                                                                            \
    doca_error_t name(const struct doca_devinfo *devinfo)                                          \
    {                                                                                              \
        return devinfo ? DOCA_SUCCESS : REFUSED_NULL(devinfo);                                     \
    }

#define LIMIT(name, type, out, value)                                                              \
    doca_error_t name(const struct doca_devinfo *devinfo, type *out)                               \
    {                                                                                              \
        if (!devinfo || !out)                                                                      \
            return REFUSED_NULL(devinfo, out);                                                     \
        *out = value;                                                                              \
        return DOCA_SUCCESS;                                                                       \
    }

#define KEY_TYPES(name)                                                                            \
    doca_error_t name(const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type)     \
    {                                                                                              \
        return devinfo ? known_key_type(__func__, key_type) : REFUSED_NULL(devinfo);               \
    }

SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_supported)
SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_tag_96_supported)
SUPPORTED(doca_aes_gcm_cap_task_encrypt_is_tag_128_supported)
KEY_TYPES(doca_aes_gcm_cap_task_encrypt_is_key_type_supported)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_iv_len, uint32_t, max_iv_len, GCM_IV_MAX)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_buf_size, uint64_t, max_buffer_size, GCM_SIZE_MAX)
LIMIT(doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem, uint32_t, max_list_num_elem,
      GCM_LIST_MAX)

SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_supported)
SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_tag_96_supported)
SUPPORTED(doca_aes_gcm_cap_task_decrypt_is_tag_128_supported)
KEY_TYPES(doca_aes_gcm_cap_task_decrypt_is_key_type_supported)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_iv_len, uint32_t, max_iv_len, GCM_IV_MAX)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_buf_size, uint64_t, max_buffer_size, GCM_SIZE_MAX)
LIMIT(doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem, uint32_t, max_list_num_elem,
      GCM_LIST_MAX)
