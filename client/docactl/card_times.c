// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The model of times of a card profile, next to the published figures that it was fitted to.

#include "card_time.h"

#include "cleanup.h"
#include "listing.h"
#include "themes.h"

#include <stdio.h>
#include <string.h>

enum measure {
    MEASURE_RATE,    // ns from task to task while a context always has enough of them
    MEASURE_LATENCY, // ns of one task alone
};

struct figure {
    const char *card; // without a release
    enum card_key model;
    enum measure measure;
    uint64_t bytes;
    double ns;
    uint32_t n_data, n_rdnc;
};

// Published rates, as ns a task.
#define MTASKS(millions)  (1000.0 / (millions))
#define MIB_S(bytes, mib) ((double)(bytes)*1e9 / ((mib)*1048576.0))
#define GB_S(bytes, gb)   ((double)(bytes) / (gb))
#define RATE(card, model, b, ns)                                                                   \
    {                                                                                              \
        card, CARD_##model##_TASK_NS, MEASURE_RATE, b, ns, 0, 0                                    \
    }
#define LATENCY(model, b, ns)                                                                      \
    {                                                                                              \
        BF3, CARD_##model##_TASK_NS, MEASURE_LATENCY, b, ns, 0, 0                                  \
    }
#define EC(n, k, block, us)                                                                        \
    {                                                                                              \
        BF3, CARD_EC_MODEL, MEASURE_RATE, block, (us)*1000, n, k                                   \
    }

#define BF2 "bluefield-2"
#define BF3 "bluefield-3"

static const struct figure figures[] = {
    RATE(BF2, DMA_READ, 64, MTASKS(10.50)),
    RATE(BF2, DMA_READ, 256, MTASKS(10.50)),
    RATE(BF2, DMA_READ, 1024, MTASKS(6.82)),
    RATE(BF2, DMA_READ, 4096, MTASKS(3.87)),
    RATE(BF2, DMA_READ, 16384, MTASKS(1.50)),
    RATE(BF2, DMA_READ, 65536, MTASKS(0.39)),
    RATE(BF2, DMA_WRITE, 64, MTASKS(10.19)),
    RATE(BF2, DMA_WRITE, 256, MTASKS(10.19)),
    RATE(BF2, DMA_WRITE, 1024, MTASKS(9.02)),
    RATE(BF2, DMA_WRITE, 4096, MTASKS(3.71)),
    RATE(BF2, DMA_WRITE, 16384, MTASKS(0.94)),
    RATE(BF2, DMA_WRITE, 65536, MTASKS(0.23)),
    RATE(BF3, DMA_READ, 64, MIB_S(64, 222)),
    RATE(BF3, DMA_READ, 1024, MIB_S(1024, 3489)),
    RATE(BF3, DMA_READ, 4096, MIB_S(4096, 13525)),
    RATE(BF3, DMA_READ, 16384, MIB_S(16384, 34648)),
    RATE(BF3, DMA_READ, 65536, MIB_S(65536, 35428)),
    RATE(BF3, DMA_READ, 262144, MIB_S(262144, 35591)),
    RATE(BF3, DMA_READ, 1048576, MIB_S(1048576, 35633)),
    RATE(BF3, DMA_WRITE, 64, MIB_S(64, 246)),
    RATE(BF3, DMA_WRITE, 1024, MIB_S(1024, 3977)),
    RATE(BF3, DMA_WRITE, 4096, MIB_S(4096, 15652)),
    RATE(BF3, DMA_WRITE, 16384, MIB_S(16384, 29707)),
    RATE(BF3, DMA_WRITE, 65536, MIB_S(65536, 30276)),
    RATE(BF3, DMA_WRITE, 262144, MIB_S(262144, 30236)),
    RATE(BF3, DMA_WRITE, 1048576, MIB_S(1048576, 30233)),
    LATENCY(DMA_WRITE, 64, 1450),
    LATENCY(DMA_WRITE, 4096, 1800),
    LATENCY(DMA_WRITE, 1048576, 99000),
    RATE(BF3, DMA_LOCAL, 8192, GB_S(8192, 29.7)),
    RATE(BF3, DMA_LOCAL, 16384, GB_S(16384, 46.4)),
    RATE(BF3, DMA_LOCAL, 32768, GB_S(32768, 52.1)),
    RATE(BF3, DMA_LOCAL, 65536, GB_S(65536, 53.9)),
    RATE(BF3, INFLATE_TIME, 64, MTASKS(2.35)),
    RATE(BF3, INFLATE_TIME, 1024, MTASKS(2.35)),
    RATE(BF3, INFLATE_TIME, 4096, MTASKS(2.35)),
    EC(128, 32, 8192, 73.7),
    LATENCY(RDMA_SEND, 64, 2680),
    LATENCY(RDMA_SEND, 256, 3380),
    LATENCY(RDMA_SEND, 4096, 3830),
    LATENCY(RDMA_SEND, 65536, 9300),
    LATENCY(RDMA_SEND, 1048576, 95000),
    LATENCY(RDMA_READ, 64, 5080),
    LATENCY(RDMA_READ, 4096, 5480),
    LATENCY(RDMA_READ, 65536, 11900),
    LATENCY(RDMA_READ, 1048576, 101600),
    LATENCY(PRODUCER_SEND, 1024, 13700),
};

static const char *source_of(const struct figure *figure)
{
    if (strcmp(figure->card, BF2) == 0)
        return "github smartnickit-project/smartnic-bench, doca_dma.md, DOCA 1.5";
    switch (figure->model) {
    case CARD_DMA_LOCAL_TASK_NS:
        return "github jukebox03/DPUmesh @cdca8ae, bench/RESULT.md";
    case CARD_INFLATE_TIME_TASK_NS:
        return "github fardatalab/DP-Kernels @1711e7ae, one queue, DOCA 2.2";
    case CARD_RDMA_SEND_TASK_NS:
    case CARD_RDMA_READ_TASK_NS:
        return "github ZhiyiHu1999/BlueField-3_Tests, verbs, NIC mode, June 2025";
    case CARD_PRODUCER_SEND_TASK_NS:
        return "github Aiden128/doca_application, one run of ten messages, DOCA 3.1";
    case CARD_EC_MODEL:
        return "github Networked-System-and-Security-Group/Astraea @ada51ce, DOCA 2.9";
    default:
        return "github fardatalab/postgres-dbcomm, DOCA 3.2";
    }
}

static double model_ns(const struct card *card, const struct figure *figure)
{
    struct card_work work = {.model = figure->model,
                             .bytes = figure->bytes,
                             .n_data = figure->n_data,
                             .n_rdnc = figure->n_rdnc};
    struct card_times times = card_times(card, &work);
    uint64_t rate = times.queue_ns > times.engine_ns ? times.queue_ns : times.engine_ns;

    if (figure->measure == MEASURE_LATENCY && times.latency_ns > rate)
        return (double)times.latency_ns;
    return (double)rate;
}

static void add(struct json_object *array, const struct card *card, const struct figure *figure)
{
    struct json_object *object = json_object_new_object();
    double model = model_ns(card, figure);
    char work[96];

    // "dma.read.task_ns" begins with the kind.
    const char *key = card_key_infos[figure->model].key;
    const char *end = strrchr(key, '.');
    int n = snprintf(work, sizeof(work), "%.*s, %s", (int)(end - key), key,
                     figure->measure == MEASURE_RATE ? "rate" : "latency");
    if (figure->n_data)
        snprintf(work + n, sizeof(work) - (size_t)n, ", %u+%u blocks", figure->n_data,
                 figure->n_rdnc);
    put_text(object, "work", work);
    put_number(object, "bytes", figure->bytes);
    put_number(object, "model_ns", (uint64_t)(model + 0.5));
    put_number(object, "published_ns", (uint64_t)(figure->ns + 0.5));
    json_object_object_add(object, "off_percent",
                           json_object_new_double(100 * (model / figure->ns - 1)));
    put_text(object, "source", source_of(figure));
    json_object_array_add(array, object);
}

enum outcome run_card_times(struct ctl *ctl)
{
    const char *name = ctl->args.positional[0];
    struct card card;
    char why[CARD_WHY_SIZE];

    if (!card_find(name, &card, why))
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, "card '%s': %s", name, why);
    struct json_object *array = json_object_new_array();
    size_t length = strcspn(name, "/,");
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        if (strncmp(figures[i].card, name, length) == 0 && !figures[i].card[length])
            add(array, &card, &figures[i]);
    return show_array(ctl, array, card_time_fields);
}
