// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_aes_gcm.h
 * AES-GCM: tasks that encrypt and decrypt, with a tag that proves the bytes.
 *
 * A long task is computed by a thread of the library, if the process may use more than one core:
 * submitting it returns at once, several are computed at a time, and they complete in the order in
 * which they end. The environment variable DOCAD_WORKERS limits the number of these threads. After
 * doca_ctx_stop() tasks that no thread has begun end with DOCA_ERROR_SHUTDOWN.
 */
#ifndef DOCA_AES_GCM_H_
#define DOCA_AES_GCM_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A context. */
struct doca_ctx;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** An AES-GCM context. */
struct doca_aes_gcm;
/** A key. */
struct doca_aes_gcm_key;
/** An AES GCM task: encrypt. */
struct doca_aes_gcm_task_encrypt;
/** An AES GCM task: decrypt. */
struct doca_aes_gcm_task_decrypt;
/** A task. */
struct doca_task;

/** Lengths of keys in bits. */
enum doca_aes_gcm_key_type {
    DOCA_AES_GCM_KEY_128 = 1, /**< 128 bits */
    DOCA_AES_GCM_KEY_256 = 2, /**< 256 bits */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_aes_gcm_task_encrypt_completion_cb_t)(struct doca_aes_gcm_task_encrypt *task,
                                                          union doca_data task_user_data,
                                                          union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_aes_gcm_task_decrypt_completion_cb_t)(struct doca_aes_gcm_task_decrypt *task,
                                                          union doca_data task_user_data,
                                                          union doca_data ctx_user_data);

/**
 * Makes an AES-GCM context on the device.
 *
 * @param dev the device.
 * @param aes_gcm where to put the AES-GCM context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm);

/**
 * Frees the AES-GCM context; it must be idle.
 *
 * @param aes_gcm the AES-GCM context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE something still uses the object;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_destroy(struct doca_aes_gcm *aes_gcm);

/**
 * The context of the AES-GCM context: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param aes_gcm the AES-GCM context.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_aes_gcm_as_ctx(struct doca_aes_gcm *aes_gcm);

/**
 * The greatest number of tasks that the AES-GCM context allows.
 *
 * @param aes_gcm the AES-GCM context.
 * @param max_num_tasks where to put the greatest number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_get_max_num_tasks(struct doca_aes_gcm *aes_gcm,
                                                uint32_t *max_num_tasks);

/**
 * Makes a key of 16 or 32 raw bytes, which are copied. In any state of the context, and for tasks
 * of any context.
 *
 * @param aes_gcm the AES-GCM context.
 * @param raw_key the raw key.
 * @param raw_key_type the raw key type.
 * @param key where to put the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_key_create(struct doca_aes_gcm *aes_gcm, const void *raw_key,
                                     enum doca_aes_gcm_key_type raw_key_type,
                                     struct doca_aes_gcm_key **key);

/**
 * Ends a key, and overwrites it. Tasks that are submitted with it afterwards, or were and have not
 * begun, fail with DOCA_ERROR_INVALID_VALUE. DOCA_ERROR_IN_USE while a task is at work with it;
 * DOCA_ERROR_INVALID_VALUE for NULL, and a key that was destroyed.
 *
 * @param key the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_key_destroy(struct doca_aes_gcm_key *key);

/**
 * Tells whether the device can do this: encrypt.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest IV length of encrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_iv_len where to put the greatest IV length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_iv_len);

/**
 * Tells whether this is supported: tag 96.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether this is supported: tag 128.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether this is supported: key type.
 *
 * @param devinfo the device.
 * @param key_type the key type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_encrypt_is_key_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_aes_gcm_key_type key_type);

/**
 * The greatest buffer size of encrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                            uint64_t *max_buffer_size);

/**
 * The greatest list buffer number of element of encrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_list_num_elem where to put the greatest list number of element.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_list_num_elem);

/**
 * Before start: the success and the error callback of encrypt tasks and how many can exist
 * at once.
 *
 * @param aes_gcm the AES-GCM context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_task_encrypt_set_conf(
    struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_encrypt_completion_cb_t task_completion_cb,
    doca_aes_gcm_task_encrypt_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes an encrypt task. The source is additional data of aad_size bytes, which is authenticated
 * and copied, and plain text, which is encrypted; the destination receives the additional data, the
 * cipher text and the tag behind its data. An initialisation vector has 1 to 12 bytes, a tag 12 or
 * 16; the vector must last until the task is done. Both sides may be lists of buffers, and the same
 * memory. Fields may be NULL or 0, and set later; a task that lacks one fails with
 * DOCA_ERROR_INVALID_VALUE. A task that fails leaves the length of the destination alone, and the
 * context runs on.
 *
 * @param aes_gcm the AES-GCM context.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param key the key.
 * @param iv the IV.
 * @param iv_length the IV length.
 * @param tag_size the tag size.
 * @param aad_size the AAD size.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_task_encrypt_alloc_init(
    struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
    struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
    uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_encrypt **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_aes_gcm_task_encrypt_as_task(struct doca_aes_gcm_task_encrypt *task);

/**
 * Changes the source of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_src(struct doca_aes_gcm_task_encrypt *task,
                                       struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *
doca_aes_gcm_task_encrypt_get_src(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Changes the destination of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_dst(struct doca_aes_gcm_task_encrypt *task,
                                       struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_aes_gcm_task_encrypt_get_dst(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Changes the key of a task that is not submitted.
 *
 * @param task the task.
 * @param key the key.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_key(struct doca_aes_gcm_task_encrypt *task,
                                       struct doca_aes_gcm_key *key);

/**
 * The key of the task.
 *
 * @param task the task.
 * @return the key.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_aes_gcm_key *
doca_aes_gcm_task_encrypt_get_key(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Changes the IV of a task that is not submitted.
 *
 * @param task the task.
 * @param iv the IV.
 * @param iv_length the IV length.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_iv(struct doca_aes_gcm_task_encrypt *task, const uint8_t *iv,
                                      uint32_t iv_length);

/**
 * The IV of the task.
 *
 * @param task the task.
 * @param iv_length where to put the IV length.
 * @return the IV.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const uint8_t *doca_aes_gcm_task_encrypt_get_iv(const struct doca_aes_gcm_task_encrypt *task,
                                                uint32_t *iv_length);

/**
 * Changes the tag size of a task that is not submitted.
 *
 * @param task the task.
 * @param tag_size the tag size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_tag_size(struct doca_aes_gcm_task_encrypt *task,
                                            uint32_t tag_size);

/**
 * The tag size of the task.
 *
 * @param task the task.
 * @return the tag size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_aes_gcm_task_encrypt_get_tag_size(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Changes the AAD size of a task that is not submitted.
 *
 * @param task the task.
 * @param aad_size the AAD size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_encrypt_set_aad_size(struct doca_aes_gcm_task_encrypt *task,
                                            uint32_t aad_size);

/**
 * The AAD size of the task.
 *
 * @param task the task.
 * @return the AAD size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_aes_gcm_task_encrypt_get_aad_size(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Tells whether the device can do this: decrypt.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest IV length of decrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_iv_len where to put the greatest IV length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_iv_len);

/**
 * Tells whether this is supported: tag 96.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether this is supported: tag 128.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether this is supported: key type.
 *
 * @param devinfo the device.
 * @param key_type the key type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_decrypt_is_key_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_aes_gcm_key_type key_type);

/**
 * The greatest buffer size of decrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                            uint64_t *max_buffer_size);

/**
 * The greatest list buffer number of element of decrypt tasks on the device.
 *
 * @param devinfo the device.
 * @param max_list_num_elem where to put the greatest list number of element.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_list_num_elem);

/**
 * Before start: the success and the error callback of decrypt tasks and how many can exist
 * at once.
 *
 * @param aes_gcm the AES-GCM context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_task_decrypt_set_conf(
    struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_decrypt_completion_cb_t task_completion_cb,
    doca_aes_gcm_task_decrypt_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes a decrypt task. The source is additional data, cipher text and the tag; the destination
 * receives the additional data and the plain text behind its data. If the tag is not that of the
 * message, the task fails with DOCA_ERROR_IO_FAILED, and what it has written is overwritten with
 * zeroes. Otherwise like doca_aes_gcm_task_encrypt_alloc_init().
 *
 * @param aes_gcm the AES-GCM context.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param key the key.
 * @param iv the IV.
 * @param iv_length the IV length.
 * @param tag_size the tag size.
 * @param aad_size the AAD size.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_task_decrypt_alloc_init(
    struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
    struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
    uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_decrypt **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_aes_gcm_task_decrypt_as_task(struct doca_aes_gcm_task_decrypt *task);

/**
 * Changes the source of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_src(struct doca_aes_gcm_task_decrypt *task,
                                       struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *
doca_aes_gcm_task_decrypt_get_src(const struct doca_aes_gcm_task_decrypt *task);

/**
 * Changes the destination of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_dst(struct doca_aes_gcm_task_decrypt *task,
                                       struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_aes_gcm_task_decrypt_get_dst(const struct doca_aes_gcm_task_decrypt *task);

/**
 * Changes the key of a task that is not submitted.
 *
 * @param task the task.
 * @param key the key.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_key(struct doca_aes_gcm_task_decrypt *task,
                                       struct doca_aes_gcm_key *key);

/**
 * The key of the task.
 *
 * @param task the task.
 * @return the key.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_aes_gcm_key *
doca_aes_gcm_task_decrypt_get_key(const struct doca_aes_gcm_task_decrypt *task);

/**
 * Changes the IV of a task that is not submitted.
 *
 * @param task the task.
 * @param iv the IV.
 * @param iv_length the IV length.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_iv(struct doca_aes_gcm_task_decrypt *task, const uint8_t *iv,
                                      uint32_t iv_length);

/**
 * The IV of the task.
 *
 * @param task the task.
 * @param iv_length where to put the IV length.
 * @return the IV.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const uint8_t *doca_aes_gcm_task_decrypt_get_iv(const struct doca_aes_gcm_task_decrypt *task,
                                                uint32_t *iv_length);

/**
 * Changes the tag size of a task that is not submitted.
 *
 * @param task the task.
 * @param tag_size the tag size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_tag_size(struct doca_aes_gcm_task_decrypt *task,
                                            uint32_t tag_size);

/**
 * The tag size of the task.
 *
 * @param task the task.
 * @return the tag size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_aes_gcm_task_decrypt_get_tag_size(const struct doca_aes_gcm_task_decrypt *task);

/**
 * Changes the AAD size of a task that is not submitted.
 *
 * @param task the task.
 * @param aad_size the AAD size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_aes_gcm_task_decrypt_set_aad_size(struct doca_aes_gcm_task_decrypt *task,
                                            uint32_t aad_size);

/**
 * The AAD size of the task.
 *
 * @param task the task.
 * @return the AAD size.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_aes_gcm_task_decrypt_get_aad_size(const struct doca_aes_gcm_task_decrypt *task);

/* Names that 2.5 has for functions above. */
#define doca_aes_gcm_cap_task_encrypt_get_max_iv_length doca_aes_gcm_cap_task_encrypt_get_max_iv_len
#define doca_aes_gcm_cap_task_decrypt_get_max_iv_length doca_aes_gcm_cap_task_decrypt_get_max_iv_len

#ifdef __cplusplus
}
#endif

#endif /* DOCA_AES_GCM_H_ */
