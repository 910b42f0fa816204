// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card_limits.h"
#include "card.h"
#include "rule_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_MAX  16
#define DETAIL_MAX 256

#define FUNCTION_TYPE_SF 2 // DOCA_PCI_FUNC_TYPE_SF

static struct card *cards; // profiles
static unsigned card_count;

// For each function, the result of is_limited(): programs make some calls millions of times.
enum answer { NOT_ASKED, NOT_LIMITED, LIMITED };
static unsigned char *answers; // enum answer

// ---- profiles

static void add_card(const char *name)
{
    char why[CARD_WHY_SIZE];
    if (card_count < CARDS_MAX && card_find(name, &cards[card_count], why))
        card_count++;
    else
        fprintf(stderr, "docad-run: the limits of %s are not checked: %s\n", name, why);
}

// Adds a card for `any`, unless it is a network card without a DPU, which lacks all but RDMA.
static void add_dpu(const char *name)
{
    add_card(name);
    if (card_count && !card_has(&cards[card_count - 1], CARD_DMA))
        card_count--;
}

void card_limits_start(void)
{
    const char *name = getenv(CARD_VARIABLE);
    if (!name || !*name)
        name = getenv("DOCAD_CARD");
    if (!name || !*name)
        return;
    cards = calloc(CARDS_MAX, sizeof(*cards));
    answers = calloc(function_count, sizeof(*answers));
    if (!cards || !answers)
        return;
    if (strcmp(name, CARD_ANY) != 0)
        add_card(name);
    else
        for (const struct card_built_in *each = cards_built_in; each->name; each++)
            add_dpu(each->name);
}

// ---- violations

struct text {
    char words[DETAIL_MAX];
    size_t length;
};

static void add_words(struct text *text, const char *words)
{
    int n = snprintf(text->words + text->length, DETAIL_MAX - text->length, "%s%s",
                     text->length ? "; " : "", words);
    if (n > 0)
        text->length += (size_t)n;
    if (text->length >= DETAIL_MAX)
        text->length = DETAIL_MAX - 1;
}

static void found(const struct call *call, const struct entry *object, const struct text *text)
{
    struct finding finding = {.rule = RULE_CARD_LIMIT,
                              .function = call->function,
                              .object = object,
                              .detail = text->words};
    if (text->length)
        report(&finding);
}

// Adds the cards on which the value is beyond a limit. `needs`: a card without it has no limit.
static void check_limit(struct text *text, enum card_key key, enum card_key needs, uint64_t value,
                        const char *what)
{
    char words[160], most[24];
    for (unsigned i = 0; i < card_count; i++) {
        const struct card *card = &cards[i];
        if (value <= card->values[key] || (needs && !card_has(card, needs)))
            continue;
        card_print_value(key, card->values[key], most);
        snprintf(words, sizeof(words), "%" PRIu64 " %s; %s of %s is %s", value, what,
                 card_key_infos[key].key, card->name, most);
        add_words(text, words);
    }
}

// Adds the cards that do not have it.
static void check_feature(struct text *text, enum card_key key)
{
    char words[160];
    for (unsigned i = 0; i < card_count; i++) {
        if (card_has(&cards[i], key))
            continue;
        snprintf(words, sizeof(words), "%s lacks %s (%s)", cards[i].name, card_key_infos[key].text,
                 card_key_infos[key].key);
        add_words(text, words);
    }
}

// ---- tasks and jobs

// The limits of a card for tasks and jobs of a type. The longest prefix that matches applies.
static const struct {
    const char *type;
    enum card_key feature, size, list;
} tasks[] = {
    {"dma_", CARD_DMA, CARD_DMA_BUF_SIZE, CARD_DMA_LIST},
    {"sha_", CARD_SHA, CARD_SHA_BUF_SIZE, CARD_SHA_LIST},
    {"aes_gcm_", CARD_GCM, CARD_GCM_BUF_SIZE, CARD_GCM_LIST},
    {"compress_task_compress_deflate", CARD_DEFLATE, CARD_DEFLATE_BUF_SIZE, CARD_DEFLATE_LIST},
    {"compress_task_decompress_deflate", CARD_INFLATE, CARD_INFLATE_BUF_SIZE, CARD_INFLATE_LIST},
    {"compress_task_decompress_lz4_stream", CARD_LZ4_STREAM, CARD_LZ4_STREAM_BUF_SIZE,
     CARD_LZ4_STREAM_LIST},
    {"compress_task_decompress_lz4_block", CARD_LZ4_BLOCK, CARD_LZ4_BLOCK_BUF_SIZE,
     CARD_LZ4_BLOCK_LIST},
    {"compress_deflate_job", CARD_DEFLATE, CARD_DEFLATE_BUF_SIZE, CARD_DEFLATE_LIST},
    {"decompress_deflate_job", CARD_INFLATE, CARD_INFLATE_BUF_SIZE, CARD_INFLATE_LIST},
    {"decompress_lz4_job", CARD_LZ4_BLOCK, CARD_LZ4_BLOCK_BUF_SIZE, CARD_LZ4_BLOCK_LIST},
    {"ec_", CARD_EC, CARD_NONE, CARD_EC_LIST},
    {"rdma_", CARD_RDMA, CARD_RDMA_MESSAGE, CARD_RDMA_LIST},
    {"comch_consumer_", CARD_COMCH_FAST, CARD_NONE, CARD_NONE},
    {"comch_producer_", CARD_COMCH_FAST, CARD_PRODUCER_BUF_SIZE, CARD_NONE},
};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// For erasure coding: the source has as many blocks as its matrix has data blocks.
static void check_blocks(struct text *text, const struct flight *flight)
{
    char words[160];
    uint64_t blocks = flight->matrix ? flight->matrix->numbers[0] : 0;
    bool is_create =
        begins_with(flight->type, "ec_task_create") || begins_with(flight->type, "ec_job_create");
    if (!blocks || !is_create || flight->source_bytes == UINT64_MAX ||
        flight->source_bytes % blocks != 0)
        return;
    uint64_t size = flight->source_bytes / blocks;
    check_limit(text, CARD_EC_BLOCK_SIZE, CARD_EC, size, "bytes of a block");
    for (unsigned i = 0; i < card_count; i++) {
        uint64_t multiple = cards[i].values[CARD_EC_MULTIPLE];
        if (!card_has(&cards[i], CARD_EC) || multiple < 2 || size % multiple == 0)
            continue;
        snprintf(words, sizeof(words),
                 "%" PRIu64 " bytes of a block; on %s they are a multiple of %" PRIu64, size,
                 cards[i].name, multiple);
        add_words(text, words);
    }
}

void card_limits_submit(const struct call *call, const struct flight *flight)
{
    struct text text = {.length = 0};
    for (size_t i = 0; card_count && i < sizeof(tasks) / sizeof(*tasks); i++) {
        if (!begins_with(flight->type, tasks[i].type))
            continue;
        if (!flight->task) // the type of a task is checked when its context is configured
            check_feature(&text, tasks[i].feature);
        if (tasks[i].size && flight->source_bytes != UINT64_MAX)
            check_limit(&text, tasks[i].size, tasks[i].feature, flight->source_bytes,
                        "bytes of the source");
        for (unsigned b = 0; tasks[i].list && b < BUFFERS_MAX; b++)
            if (flight->buffers[b])
                check_limit(&text, tasks[i].list, tasks[i].feature,
                            buffers_count(flight->buffers[b]), "buffers of a list");
        if (tasks[i].feature == CARD_EC)
            check_blocks(&text, flight);
    }
    found(call, flight->task ? flight->task : flight->queue, &text);
}

// ---- other calls

static const struct {
    const char *function;
    enum card_key key;
} features[] = {
    {"doca_dma_create", CARD_DMA},
    {"doca_sha_create", CARD_SHA},
    {"doca_aes_gcm_create", CARD_GCM},
    {"doca_compress_task_compress_deflate_set_conf", CARD_DEFLATE},
    {"doca_compress_task_decompress_deflate_set_conf", CARD_INFLATE},
    {"doca_compress_task_decompress_lz4_stream_set_conf", CARD_LZ4_STREAM},
    {"doca_compress_task_decompress_lz4_block_set_conf", CARD_LZ4_BLOCK},
    {"doca_ec_create", CARD_EC},
    {"doca_rdma_create", CARD_RDMA},
    {"doca_rdma_set_recv_queue_size", CARD_RDMA_SET_RECV},
    {"doca_rdma_task_atomic_cmp_swp_set_conf", CARD_RDMA_ATOMICS},
    {"doca_rdma_task_atomic_fetch_add_set_conf", CARD_RDMA_ATOMICS},
    {"doca_comch_server_create", CARD_COMCH},
    {"doca_comch_client_create", CARD_COMCH},
    {"doca_comm_channel_ep_create", CARD_COMCH},
    {"doca_comch_consumer_create", CARD_COMCH_FAST},
    {"doca_comch_producer_create", CARD_COMCH_FAST},
    {"doca_mmap_export_pci", CARD_EXPORT_PCI},
    {"doca_mmap_export_dpu", CARD_EXPORT_PCI},
    {"doca_mmap_export", CARD_EXPORT_PCI}, // up to 1.5
};

// Numbers that programs pass: the name of the parameter, in functions that begin so.
static const struct {
    const char *function, *parameter;
    enum card_key key, needs;
    const char *what;
} numbers[] = {
    {"doca_dma_task_memcpy_set_conf", "num", CARD_DMA_TASKS, CARD_DMA, "tasks"},
    {"doca_sha_task_", "num_tasks", CARD_SHA_TASKS, CARD_SHA, "tasks"},
    {"doca_aes_gcm_task_", "num_tasks", CARD_GCM_TASKS, CARD_GCM, "tasks"},
    {"doca_compress_task_", "num_tasks", CARD_COMPRESS_TASKS, CARD_NONE, "tasks"},
    {"doca_ec_task_", "num_tasks", CARD_EC_TASKS, CARD_EC, "tasks"},
    {"doca_comch_server_task_send_set_conf", "num", CARD_COMCH_SEND_TASKS, CARD_COMCH, "tasks"},
    {"doca_comch_client_task_send_set_conf", "num", CARD_COMCH_SEND_TASKS, CARD_COMCH, "tasks"},
    {"doca_comch_consumer_task_post_recv_set_conf", "num", CARD_CONSUMER_TASKS, CARD_COMCH_FAST,
     "tasks"},
    {"doca_cc_consumer_post_recv_task_set_conf", "num", CARD_CONSUMER_TASKS, CARD_COMCH_FAST,
     "tasks"},
    {"doca_cc_producer_send_task_set_conf", "num", CARD_PRODUCER_TASKS, CARD_COMCH_FAST, "tasks"},
    {"doca_cc_server_send_task_set_conf", "num", CARD_COMCH_SEND_TASKS, CARD_COMCH, "tasks"},
    {"doca_cc_client_send_task_set_conf", "num", CARD_COMCH_SEND_TASKS, CARD_COMCH, "tasks"},
    {"doca_cc_server_send_task_alloc_init", "len", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_cc_client_send_task_alloc_init", "len", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comch_producer_task_send_set_conf", "num", CARD_PRODUCER_TASKS, CARD_COMCH_FAST,
     "tasks"},
    {"doca_comch_server_task_send_alloc_init", "len", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comch_client_task_send_alloc_init", "len", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comch_producer_task_send_alloc_init", "imm_data_len", CARD_CONSUMER_IMM, CARD_COMCH_FAST,
     "bytes of immediate data"},
    {"doca_comch_server_set_max_msg_size", "size", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comch_client_set_max_msg_size", "size", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comch_server_set_recv_queue_size", "size", CARD_COMCH_RECV_QUEUE, CARD_COMCH,
     "messages of a queue"},
    {"doca_comch_client_set_recv_queue_size", "size", CARD_COMCH_RECV_QUEUE, CARD_COMCH,
     "messages of a queue"},
    {"doca_comm_channel_ep_set_max_msg_size", "msg_size", CARD_COMCH_MESSAGE, CARD_COMCH,
     "bytes of a message"},
    {"doca_comm_channel_ep_set_send_queue_size", "queue_size", CARD_COMCH_RECV_QUEUE, CARD_COMCH,
     "messages of a queue"},
    {"doca_comm_channel_ep_set_recv_queue_size", "queue_size", CARD_COMCH_RECV_QUEUE, CARD_COMCH,
     "messages of a queue"},
    {"doca_rdma_set_send_queue_size", "queue_size", CARD_RDMA_SEND_QUEUE, CARD_RDMA,
     "tasks of a queue"},
    {"doca_rdma_set_recv_queue_size", "queue_size", CARD_RDMA_RECV_QUEUE, CARD_RDMA_SET_RECV,
     "tasks of a queue"},
    {"doca_aes_gcm_task_", "iv_length", CARD_GCM_IV, CARD_GCM, "bytes of the IV"},
    {"doca_ec_matrix_create", "data_block_count", CARD_EC_DATA, CARD_EC, "data blocks"},
    {"doca_ec_matrix_create", "rdnc_block_count", CARD_EC_RDNC, CARD_EC, "redundancy blocks"},
};

// The channels of 2.5 and 2.6 are those of Comch, of which some functions are the same by another
// name.
static bool is_like(const char *name, const char *function)
{
    if (begins_with(name, function))
        return true;
    return begins_with(name, "doca_cc_") && begins_with(function, "doca_comch_") &&
           begins_with(name + strlen("doca_cc_"), function + strlen("doca_comch_"));
}

static void check_parameter(struct text *text, const struct call *call, unsigned parameter)
{
    const struct parameter *of = &call->function->parameters[parameter];
    const char *name = call->function->name;
    uint64_t value = call->arguments[parameter];
    if (strncmp(of->name, "log_", 4) == 0)
        value = value < 63 ? (uint64_t)1 << value : UINT64_MAX;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (is_like(name, numbers[i].function) && strstr(of->name, numbers[i].parameter))
            check_limit(text, numbers[i].key, numbers[i].needs, value, numbers[i].what);
    if (begins_with(name, "doca_aes_gcm_task_") && strcmp(of->name, "tag_size") == 0)
        check_feature(text, value == 12 ? CARD_GCM_TAG_96 : CARD_GCM_TAG_128);
    if (strcmp(name, "doca_aes_gcm_key_create") == 0 && of->kind == VALUE_ENUM)
        check_feature(text, value == 1 ? CARD_GCM_KEY_128 : CARD_GCM_KEY_256);
}

// ---- the kind of function

static bool is_sf_or_host(uint64_t device)
{
    int (*type_of)(const void *, int *) =
        (int (*)(const void *, int *))symbol_next("doca_devinfo_get_pci_func_type", "DOCA_3.0");
    int (*lists_net)(const void *, uint8_t *) = (int (*)(const void *, uint8_t *))symbol_next(
        "doca_devinfo_rep_cap_is_filter_net_supported", "DOCA_3.0");
    void *(*info_of)(const void *) =
        (void *(*)(const void *))symbol_next("doca_dev_as_devinfo", "DOCA_3.0");
    uint8_t is_dpu = 0;
    int type = FUNCTION_TYPE_SF;
    if (!type_of || !lists_net || !info_of)
        return true;
    const void *info = info_of((const void *)(uintptr_t)device); // NOLINT
    // Only a DPU has representors.
    if (!info || lists_net(info, &is_dpu) != 0 || !is_dpu || type_of(info, &type) != 0)
        return true;
    return type == FUNCTION_TYPE_SF;
}

static void check_kind(struct text *text, const struct call *call)
{
    const struct parameter *of = call->function->parameters;
    if (strcmp(call->function->name, "doca_rdma_create") != 0 || of->kind != VALUE_OBJECT ||
        of->out || strcmp(of->type, "dev") != 0)
        return;
    for (unsigned i = 0; i < card_count; i++)
        if (card_has(&cards[i], CARD_RDMA) && card_has(&cards[i], CARD_RDMA_SF_ON_DPU) &&
            !is_sf_or_host(call->arguments[0])) {
            char words[128];
            snprintf(words, sizeof(words), "on a DPU with %s only SFs have RDMA (%s)",
                     cards[i].name, card_key_infos[CARD_RDMA_SF_ON_DPU].key);
            add_words(text, words);
        }
}

// Returns whether cards have a limit or a feature that applies to the function.
static bool is_limited(const struct function *function)
{
    bool limited = strcmp(function->name, "doca_aes_gcm_key_create") == 0;
    for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
        limited |= strcmp(features[i].function, function->name) == 0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        limited |= begins_with(function->name, numbers[i].function);
    return limited;
}

static void check_call(const struct call *call)
{
    struct text text = {.length = 0};
    const struct function *function = call->function;
    for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
        if (strcmp(features[i].function, function->name) == 0)
            check_feature(&text, features[i].key);
    for (unsigned i = 0; i < function->count; i++)
        if (function->parameters[i].kind == VALUE_NUMBER ||
            function->parameters[i].kind == VALUE_ENUM)
            check_parameter(&text, call, i);
    check_kind(&text, call);
    const struct entry *object =
        function->parameters[0].kind == VALUE_OBJECT ? registry_find(call->arguments[0]) : NULL;
    found(call, object, &text);
}

void card_limits_after(const struct call *call)
{
    const struct function *function = call->function;
    if (!card_count || !function->count)
        return;
    unsigned char *answer = &answers[function->id];
    if (*answer == NOT_ASKED)
        *answer = is_limited(function) ? LIMITED : NOT_LIMITED;
    if (*answer == LIMITED)
        check_call(call);
}
