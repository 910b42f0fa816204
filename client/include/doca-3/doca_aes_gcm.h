/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
    DOCA_AES_GCM_KEY_256 = 2  /**< 256 bits */
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
 * Makes an AES-GCM context. Messages are encrypted by this process: every device can, unless it
 * imitates a card that cannot.
 *
 * @param dev a device that is open.
 * @param aes_gcm receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the device has gone;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card without AES-GCM (docad-cards(7));
 *   DOCA_ERROR_NO_MEMORY if there is no memory.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm);

/**
 * Frees an AES-GCM context that is idle, with its tasks. Its keys stay.
 *
 * @param aes_gcm the AES-GCM context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
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
 * How many tasks of each kind a context may have: 65536. Of a context in any state.
 *
 * @param aes_gcm the AES-GCM context.
 * @param max_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_get_max_num_tasks(struct doca_aes_gcm *aes_gcm,
                                                uint32_t *max_num_tasks);

/**
 * Makes a key of 16 or 32 raw bytes, which are copied. In any state of the context, and for tasks
 * of any context.
 *
 * @param aes_gcm the AES-GCM context.
 * @param raw_key its bytes.
 * @param raw_key_type how many they are: 128 or 256 bits.
 * @param key receives the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another type;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7));
 *   DOCA_ERROR_NO_MEMORY (our choice).
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
 * Says whether there are encrypt tasks: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * How many bytes the initialisation vector of an encrypt task may have: 12 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_iv_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_iv_len);

/**
 * Says whether encrypt tasks know tags of 96 bits: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Says whether encrypt tasks know tags of 128 bits: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Says whether encrypt tasks know keys of this length: of 128 and 256 bits on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param key_type 128 or 256 bits.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such type;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_encrypt_is_key_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_aes_gcm_key_type key_type);

/**
 * How many bytes the source and the destination of an encrypt task may have: 4 GiB on every
 * device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_buffer_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                            uint64_t *max_buffer_size);

/**
 * How many buffers the source and the destination of an encrypt task may chain: 64 on every
 * device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_list_num_elem receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_list_num_elem);

/**
 * Says how many encrypt tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param aes_gcm the AES-GCM context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_tasks 1 to doca_aes_gcm_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_task_encrypt_set_conf(
    struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_encrypt_completion_cb_t task_completion_cb,
    doca_aes_gcm_task_encrypt_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes an encrypt task. The source is additional data of aad_size bytes, which is authenticated
 * and copied, and plain text, which is encrypted; the destination receives the additional data,
 * the cipher text and the tag behind its data. An initialisation vector has 1 to 12 bytes, a tag
 * 12 or 16; the vector must last until the task is done. Both sides may be lists of buffers, and
 * the same memory. Fields may be NULL or 0, and set later; a task that lacks one fails with
 * DOCA_ERROR_INVALID_VALUE. A task that fails leaves the length of the destination alone, and the
 * context runs on.
 *
 * @param aes_gcm the AES-GCM context.
 * @param src_buff the buffer, or list of buffers, with the source.
 * @param dst_buff the buffer, or list of buffers, for the result.
 * @param key the key.
 * @param iv the initialisation vector.
 * @param iv_length its bytes: 1 to 12.
 * @param tag_size bytes of the tag: 12 or 16.
 * @param aad_size bytes of the source that are additional data.
 * @param user_data carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if aes_gcm or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table; what a failure leaves is our choice. Since: 2.5.
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
 * Says whether there are decrypt tasks: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * How many bytes the initialisation vector of a decrypt task may have: 12 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_iv_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_iv_len);

/**
 * Says whether decrypt tasks know tags of 96 bits: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Says whether decrypt tasks know tags of 128 bits: on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Says whether decrypt tasks know keys of this length: of 128 and 256 bits on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param key_type 128 or 256 bits.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such type;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_decrypt_is_key_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_aes_gcm_key_type key_type);

/**
 * How many bytes the source and the destination of a decrypt task may have: 4 GiB on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_buffer_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                            uint64_t *max_buffer_size);

/**
 * How many buffers the source and the destination of a decrypt task may chain: 64 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_list_num_elem receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_list_num_elem);

/**
 * Says how many decrypt tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param aes_gcm the AES-GCM context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_tasks 1 to doca_aes_gcm_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
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
 * message, the task fails with DOCA_ERROR_IO_FAILED. Whenever a task fails before the tag was
 * verified (because the source is revoked meanwhile, for instance), what it has written is
 * overwritten with zeroes; only in buffers of the destination that were revoked themselves, or are
 * out of reach, it stays. Otherwise like doca_aes_gcm_task_encrypt_alloc_init().
 *
 * @param aes_gcm the AES-GCM context.
 * @param src_buff the buffer, or list of buffers, with the source.
 * @param dst_buff the buffer, or list of buffers, for the result.
 * @param key the key.
 * @param iv the initialisation vector.
 * @param iv_length its bytes: 1 to 12.
 * @param tag_size bytes of the tag: 12 or 16.
 * @param aad_size bytes of the source that are additional data.
 * @param user_data carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if aes_gcm or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table; what a failure leaves is our choice. Since: 2.5.
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
