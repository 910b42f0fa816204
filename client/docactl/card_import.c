// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card_import.h"

#include "number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Capabilities whose name is not "library_capability" with dots in place of underscores. A key that
// holds for several tasks takes its value from one of these tasks. A flag with several capabilities
// is yes if one of them is.
static const struct {
    const char *library, *capability;
    enum card_key key;
} names[] = {
    {"dma", "task_memcpy", CARD_DMA},
    {"dma", "task_memcpy_max_buf_size", CARD_DMA_BUF_SIZE},
    {"dma", "task_memcpy_max_buf_list_len", CARD_DMA_LIST},
    {"dma", "max_num_tasks", CARD_DMA_TASKS},
    {"sha", "task_hash", CARD_SHA},
    {"sha", "task_hash_sha256", CARD_SHA},
    {"sha", "max_src_buf_size", CARD_SHA_BUF_SIZE},
    {"sha", "max_list_buf_num_elem", CARD_SHA_LIST},
    {"sha", "max_num_tasks", CARD_SHA_TASKS},
    {"aes_gcm", "task_encrypt", CARD_GCM},
    {"aes_gcm", "task_encrypt_key_type_128", CARD_GCM_KEY_128},
    {"aes_gcm", "task_encrypt_key_type_256", CARD_GCM_KEY_256},
    {"aes_gcm", "task_encrypt_tag_96", CARD_GCM_TAG_96},
    {"aes_gcm", "task_encrypt_tag_128", CARD_GCM_TAG_128},
    {"aes_gcm", "task_encrypt_max_iv_len", CARD_GCM_IV},
    {"aes_gcm", "task_encrypt_max_buf_size", CARD_GCM_BUF_SIZE},
    {"aes_gcm", "task_encrypt_max_list_buf_num_elem", CARD_GCM_LIST},
    {"aes_gcm", "max_num_tasks", CARD_GCM_TASKS},
    {"compress", "task_compress_deflate", CARD_DEFLATE},
    {"compress", "task_compress_deflate_max_buf_size", CARD_DEFLATE_BUF_SIZE},
    {"compress", "task_compress_deflate_max_buf_list_len", CARD_DEFLATE_LIST},
    {"compress", "task_decompress_deflate", CARD_INFLATE},
    {"compress", "task_decompress_deflate_max_buf_size", CARD_INFLATE_BUF_SIZE},
    {"compress", "task_decompress_deflate_max_buf_list_len", CARD_INFLATE_LIST},
    {"compress", "task_decompress_lz4_stream", CARD_LZ4_STREAM},
    {"compress", "task_decompress_lz4_stream_max_buf_size", CARD_LZ4_STREAM_BUF_SIZE},
    {"compress", "task_decompress_lz4_stream_max_buf_list_len", CARD_LZ4_STREAM_LIST},
    {"compress", "task_decompress_lz4_block", CARD_LZ4_BLOCK},
    {"compress", "task_decompress_lz4_block_max_buf_size", CARD_LZ4_BLOCK_BUF_SIZE},
    {"compress", "task_decompress_lz4_block_max_buf_list_len", CARD_LZ4_BLOCK_LIST},
    {"compress", "max_num_tasks", CARD_COMPRESS_TASKS},
    {"ec", "task_create", CARD_EC},
    {"ec", "max_block_size", CARD_EC_BLOCK_SIZE},
    {"ec", "max_buf_list_len", CARD_EC_LIST},
    {"ec", "max_num_tasks", CARD_EC_TASKS},
    {"erasure_coding", "task_create", CARD_EC},
    {"erasure_coding", "max_block_size", CARD_EC_BLOCK_SIZE},
    {"erasure_coding", "max_buf_list_len", CARD_EC_LIST},
    {"rdma", "task_send", CARD_RDMA},
    {"rdma", "task_atomic_cmp_swp", CARD_RDMA_ATOMICS},
    {"rdma", "max_send_queue_size", CARD_RDMA_SEND_QUEUE},
    {"rdma", "max_recv_queue_size", CARD_RDMA_RECV_QUEUE},
    {"rdma", "max_send_buf_list_len", CARD_RDMA_LIST},
    {"rdma", "max_message_size", CARD_RDMA_MESSAGE},
    {"common", "mmap_export_pci", CARD_EXPORT_PCI},
    {"common", "mmap_create_from_export_pci", CARD_IMPORT_PCI},
    {"comch", "server", CARD_COMCH},
    {"comch", "client", CARD_COMCH},
    {"comch", "max_msg_size", CARD_COMCH_MESSAGE},
    {"comch", "max_recv_queue_size", CARD_COMCH_RECV_QUEUE},
    {"comch", "max_send_tasks", CARD_COMCH_SEND_TASKS},
    {"comch", "max_clients", CARD_COMCH_CLIENTS},
    {"comch", "consumer", CARD_COMCH_FAST},
    {"comch", "consumer_max_num_tasks", CARD_CONSUMER_TASKS},
    {"comch", "consumer_max_buf_size", CARD_CONSUMER_BUF_SIZE},
    {"comch", "consumer_max_imm_data_len", CARD_CONSUMER_IMM},
    {"comch", "producer_max_num_tasks", CARD_PRODUCER_TASKS},
    {"comch", "producer_max_buf_size", CARD_PRODUCER_BUF_SIZE},
};

// The position in the output.
struct place {
    char device[32], library[IMPORT_NAME_SIZE], task[IMPORT_NAME_SIZE];
    size_t library_indent; // of the first line of a device, and so of its libraries
    bool begun;
};

static void cut(char *text, const char *word)
{
    char *at = strstr(text, word);
    if (at)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

// Names as docactl caps has them: without "get_", "is_" and "_supported".
static void shorten(char *name)
{
    cut(name, "_is_supported");
    cut(name, "_get_supported");
    cut(name, "_supported");
    cut(name, "get_");
    if (strncmp(name, "is_", 3) == 0)
        cut(name, "is_");
    char *is = strstr(name, "_is_");
    if (is)
        memmove(is, is + 3, strlen(is + 3) + 1);
}

static enum card_key find(const char *library, const char *capability)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].library, library) == 0 && strcmp(names[i].capability, capability) == 0)
            return names[i].key;
    return CARD_NONE;
}

static bool read_value(enum card_key key, const char *text, uint64_t *out)
{
    if (card_is_flag(key)) {
        *out = strcmp(text, "supported") == 0 || strcmp(text, "yes") == 0;
        return *out || strcmp(text, "unsupported") == 0 || strcmp(text, "not_supported") == 0 ||
               strcmp(text, "no") == 0;
    }
    return number_read(text, 10, UINT64_MAX - 1, out);
}

static void leave_out(struct card_import *found, const struct place *place, const char *why,
                      const char *capability)
{
    if (found->n_unknown < IMPORT_UNKNOWN_MAX)
        snprintf(found->unknown[found->n_unknown++], IMPORT_REMARK_SIZE, "%s: %.40s %.40s", why,
                 place->library, capability);
}

static void take(struct card_import *found, const struct place *place, const char *capability,
                 const char *value)
{
    char whole[2 * IMPORT_NAME_SIZE];
    uint64_t number;

    enum card_key key = find(place->library, capability);
    if (key == CARD_NONE && place->task[0]) { // of the task above it
        snprintf(whole, sizeof(whole), "%s_%s", place->task, capability);
        key = find(place->library, whole);
    }
    if (key == CARD_NONE || !read_value(key, value, &number)) {
        leave_out(found, place, "not a key of docad", capability);
    } else if (number < card_least(key)) {
        leave_out(found, place, "too small for a profile", capability);
    } else {
        bool or_before = card_is_flag(key) && found->given[key] && found->card.values[key];
        found->n_given += !found->given[key];
        found->given[key] = true;
        found->card.values[key] = or_before ? 1 : number;
    }
}

static void take_line(struct card_import *found, struct place *place, const char *line)
{
    char name[IMPORT_NAME_SIZE], value[IMPORT_NAME_SIZE];
    size_t indent = strspn(line, " \t");
    int words = sscanf(line, "%95s %95s", name, value);

    if (words < 1)
        return;
    if (!place->begun)
        place->library_indent = indent;
    place->begun = true;
    if (words == 1 && indent > place->library_indent)
        return; // a capability without a value
    if (words == 1) {
        snprintf(place->library, sizeof(place->library), "%s", name);
        place->task[0] = '\0';
        return;
    }
    if (!place->library[0] || indent <= place->library_indent) {
        place->library[0] = '\0'; // a property of the device itself
        return;
    }
    shorten(name);
    if (strncmp(name, "task_", 5) == 0 && isalpha((unsigned char)value[0]))
        snprintf(place->task, sizeof(place->task), "%s", name);
    take(found, place, name, value);
}

void card_import(const char *text, const char *device, struct card_import *found)
{
    struct place place = {.library_indent = 0};
    char line[512];

    card_init(&found->card);
    while (*text) {
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)(n < sizeof(line) ? n : sizeof(line) - 1), text);
        text += n + (text[n] == '\n');
        if (strncmp(line, "PCI:", 4) == 0) {
            if (found->n_given)
                return; // the next device
            place = (struct place){.library_indent = 0};
            (void)sscanf(line, "PCI: %31s", place.device);
            snprintf(found->device, sizeof(found->device), "%s", place.device);
            found->n_unknown = 0;
        } else if (place.device[0] && (!device || strcmp(device, place.device) == 0)) {
            take_line(found, &place, line);
        }
    }
}
