// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lists of buffers as streams: mapped and brokered bytes, gaps, bounds, and chunks that are shared.

#include "stream/stream.h"

#include "../dma/dma_rig.h"
#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "unit.h"
#include "work/workq.h"

#include <string.h>

#define SIZE (4 * QP_CHUNK_SIZE)

static uint8_t bytes[SIZE], seen[2 * SIZE];
static struct doca_mmap local, far;
static struct work_link *link_;

static void setup_streams(void)
{
    setup();
    local = local_map(bytes, SIZE);
    fill(bytes, SIZE, 3);
    memset(seen, 0, sizeof(seen));
    link_ = workq_link(workq, ctx);
}

static void poll_engines(void)
{
    struct work_source *source;

    serve_all();
    list_for_each (source, &link_->executor->sources, node)
        source->poll(source);
}

// Reads to the end. Returns how many bytes; fails the test if it takes forever.
static size_t read_all(struct source *source)
{
    struct span span;
    size_t n = 0;

    for (unsigned waits = 0; waits < 1000;) {
        if (!source_next(source, &span)) {
            if (source->stream.error != DOCA_SUCCESS)
                break;
            waits++;
            poll_engines();
            continue;
        }
        if (!span.length)
            return n;
        size_t part = span.length > 1000 ? 1000 : span.length; // not always all of it
        ck_assert_uint_le(n + part, sizeof(seen));
        memcpy(seen + n, span.bytes, part);
        source_took(source, &span, part);
        n += part;
    }
    while (!source_settled(source))
        poll_engines();
    return n;
}

// Writes until there is no room.
static size_t write_all(struct sink *sink)
{
    struct span span;
    size_t n = 0;

    for (unsigned waits = 0; waits < 1000;) {
        if (!sink_next(sink, &span)) {
            if (sink->stream.error != DOCA_SUCCESS)
                break;
            waits++;
            poll_engines();
            continue;
        }
        if (!span.length)
            break;
        size_t part = span.length > 777 ? 777 : span.length;
        for (size_t i = 0; i < part; i++)
            span.bytes[i] = (uint8_t)(n + i);
        sink_put(sink, &span, part);
        n += part;
    }
    while (!sink_settled(sink))
        poll_engines();
    return n;
}

// Two buffers of local, imported (1), or brokered memory (2), one after the other, with a part of
// each that is data.
static struct doca_buf *two(unsigned kind, size_t cut, size_t data)
{
    struct doca_mmap *map = kind ? &far : &local;
    uint8_t *at = kind ? shifted(bytes) : bytes;

    if (kind)
        brokered_import(&far, bytes, SIZE, kind == 2 ? SIZE : 5000, kind == 2 ? 0 : 3000, node_a);
    struct doca_buf *list = buffer(map, at, cut, data < cut ? data : cut);
    chain(list, buffer(map, at + cut, SIZE - cut, data > cut ? data - cut : 0));
    return list;
}

static void forget(unsigned kind, struct doca_buf *list)
{
    drop(list);
    if (kind)
        release(&far);
}

START_TEST(a_source_gives_what_there_is)
{
    struct doca_buf *list = two((unsigned)_i, 70001, SIZE - 1);
    struct source source;

    source_begin(&source, link_, &(struct stream_plan){.list = list, .total = SIZE - 1});
    ck_assert_uint_eq(read_all(&source), SIZE - 1);
    ck_assert_int_eq(source.stream.error, DOCA_SUCCESS);
    ck_assert_mem_eq(seen, bytes, SIZE - 1);
    ck_assert_uint_eq(source.stream.mapped + source.stream.brokered, SIZE - 1);
    ck_assert_int_eq(source.stream.brokered > 0, _i > 0);
    ck_assert_int_eq(source.stream.mapped > 0, _i < 2);
    forget((unsigned)_i, list);
}
END_TEST

// The same part of each of four blocks.
START_TEST(gaps_are_left_alone)
{
    const size_t block = SIZE / 4, run = 20000, start = 40000;
    struct stream_plan plan = {.start = start, .total = 4 * run, .run = run, .gap = block - run};
    uint8_t expected[SIZE];
    struct source source;
    struct sink sink;

    struct doca_buf *list = two((unsigned)_i, block + start + 100, SIZE);
    plan.list = list;
    source_begin(&source, link_, &plan);
    ck_assert_uint_eq(read_all(&source), 4 * run);
    for (size_t i = 0; i < 4; i++)
        ck_assert_mem_eq(seen + i * run, bytes + i * block + start, run);
    memcpy(expected, bytes, SIZE);
    for (size_t i = 0; i < 4 * run; i++)
        expected[i / run * block + start + i % run] = (uint8_t)i;
    plan.part = STREAM_ROOM;
    sink_begin(&sink, link_, &plan);
    ck_assert_uint_eq(write_all(&sink), 4 * run);
    ck_assert_int_eq(sink.stream.error, DOCA_SUCCESS);
    ck_assert_mem_eq(bytes, expected, SIZE);
    forget((unsigned)_i, list);
}
END_TEST

START_TEST(a_sink_stays_within_its_part)
{
    uint8_t expected[SIZE];
    struct sink sink;

    struct doca_buf *list = two((unsigned)_i, 70000, 60000);
    memcpy(expected, bytes, SIZE);
    for (size_t i = 0; i < 90000; i++)
        expected[60000 + i] = (uint8_t)i;
    sink_begin(&sink, link_,
               &(struct stream_plan){.list = list, .part = STREAM_TAIL, .total = 90000});
    ck_assert_uint_eq(write_all(&sink), 90000);
    ck_assert_mem_eq(bytes, expected, SIZE);
    stream_extend(list, 90000);
    ck_assert_uint_eq(list->data_len, 70000);
    ck_assert_uint_eq(list->next->data_len, 80000);
    forget((unsigned)_i, list);
}
END_TEST

START_TEST(sums)
{
    struct doca_buf *list = two(1, 70000, 60000);
    struct stream_sum sum;

    ck_assert(stream_sum(list, STREAM_DATA, 2, &sum));
    ck_assert_uint_eq(sum.bytes, 60000);
    ck_assert(sum.imported && !sum.mapped);
    ck_assert(stream_sum(list, STREAM_TAIL, 2, &sum));
    ck_assert_uint_eq(sum.bytes, SIZE - 60000);
    ck_assert(stream_sum(list, STREAM_ROOM, 2, &sum));
    ck_assert_uint_eq(sum.bytes, SIZE);
    ck_assert(!stream_sum(list, STREAM_DATA, 1, &sum));
    list->next->data_len = SIZE;
    ck_assert(!stream_sum(list, STREAM_DATA, 2, &sum));
    list->next->data_len = 0;
    forget(1, list);
    struct doca_buf *plain = two(0, 70000, 60000);
    ck_assert(stream_sum(plain, STREAM_DATA, 2, &sum));
    ck_assert(sum.mapped && !sum.imported);
    forget(0, plain);
}
END_TEST

// A list that was changed ends the stream, and nothing outside is touched.
START_TEST(changes_under_way_are_noticed)
{
    struct doca_buf *list = two(0, 70000, SIZE);
    struct source source;

    source_begin(&source, NULL, &(struct stream_plan){.list = list, .total = SIZE});
    list->next->data_len -= 1;
    ck_assert_uint_eq(read_all(&source), SIZE - 1);
    ck_assert_int_eq(source.stream.error, DOCA_ERROR_INVALID_VALUE);
    list->next->data_len += 1;
    source_begin(&source, NULL, &(struct stream_plan){.list = list, .total = SIZE});
    list->next->data += 1; // now its data lies outside
    ck_assert_uint_eq(read_all(&source), 70000);
    ck_assert_int_eq(source.stream.error, DOCA_ERROR_INVALID_VALUE);
    list->next->data -= 1;
    forget(0, list);
}
END_TEST

START_TEST(without_a_link_nothing_is_brokered)
{
    struct doca_buf *list = two(1, 70000, SIZE);
    struct source source;

    source_begin(&source, NULL, &(struct stream_plan){.list = list, .total = SIZE});
    ck_assert_uint_eq(read_all(&source), 0);
    ck_assert_int_eq(source.stream.error, DOCA_ERROR_INVALID_VALUE);
    forget(1, list);
}
END_TEST

static struct broker_queue *queue(void)
{
    return broker_port_queue(link_->port, far.memory.broker);
}

// Sources that nobody reads leave chunks to sinks.
START_TEST(sources_do_not_take_all_chunks)
{
    struct doca_buf *list = two(2, 70000, SIZE);
    struct source sources[16];
    struct sink sink;

    for (unsigned i = 0; i < 16; i++) {
        source_begin(&sources[i], link_, &(struct stream_plan){.list = list, .total = SIZE});
        source_ahead(&sources[i]);
    }
    ck_assert_uint_gt(sources[1].n_pieces, 1);
    sink_begin(&sink, link_,
               &(struct stream_plan){.list = list, .part = STREAM_ROOM, .total = SIZE});
    ck_assert_uint_eq(write_all(&sink), SIZE);
    ck_assert_int_eq(sink.stream.error, DOCA_SUCCESS);
    for (unsigned i = 0; i < 16; i++)
        while (!source_settled(&sources[i]))
            poll_engines();
    ck_assert(broker_queue_idle(queue()));
    forget(2, list);
}
END_TEST

// Sinks that wait give their chunks back to sources.
START_TEST(sinks_that_wait_do_not_keep_chunks)
{
    struct doca_buf *list = two(2, 70000, SIZE);
    struct sink sinks[QP_CHUNKS];
    struct source source;
    struct span span;

    for (unsigned i = 0; i < QP_CHUNKS; i++) {
        sink_begin(&sinks[i], link_,
                   &(struct stream_plan){.list = list, .part = STREAM_ROOM, .total = SIZE});
        ck_assert(sink_next(&sinks[i], &span));
        span.bytes[0] = 1;
        sink_put(&sinks[i], &span, 1);
    }
    source_begin(&source, link_, &(struct stream_plan){.list = list, .total = SIZE});
    ck_assert(!source_next(&source, &span));
    ck_assert_uint_eq(source.n_pieces, 0);
    for (unsigned i = 0; i < QP_CHUNKS; i++)
        sink_pause(&sinks[i]);
    poll_engines();
    ck_assert_uint_eq(read_all(&source), SIZE);
    for (unsigned i = 0; i < QP_CHUNKS; i++)
        while (!sink_settled(&sinks[i]))
            poll_engines();
    ck_assert_uint_eq(bytes[0], 1);
    ck_assert(broker_queue_idle(queue()));
    forget(2, list);
}
END_TEST

// While there are chunks, a sink that waits collects more.
START_TEST(a_pause_sends_nothing_while_chunks_are_free)
{
    struct doca_buf *list = two(2, 70000, SIZE);
    struct sink sink;
    struct span span;

    sink_begin(&sink, link_,
               &(struct stream_plan){.list = list, .part = STREAM_ROOM, .total = SIZE});
    ck_assert(sink_next(&sink, &span));
    sink_put(&sink, &span, 1);
    sink_pause(&sink);
    ck_assert_ptr_nonnull(sink.filling);
    while (!sink_settled(&sink))
        poll_engines();
    forget(2, list);
}
END_TEST

START_TEST(an_engine_that_refuses_ends_the_stream)
{
    struct doca_buf *list = two(2, 70000, SIZE);
    struct source source;
    struct span span;

    source_begin(&source, link_, &(struct stream_plan){.list = list, .total = SIZE});
    ck_assert(!source_next(&source, &span));
    for (unsigned i = 0; i < fake_engines_made; i++)
        if (fake_engines[i].open)
            fake_serve(&fake_engines[i], SHIFT, 1, DOCA_ERROR_NOT_PERMITTED);
    read_all(&source);
    ck_assert_int_eq(source.stream.error, DOCA_ERROR_NOT_PERMITTED);
    ck_assert(broker_queue_idle(queue()));
    forget(2, list);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("stream");
    tcase_add_checked_fixture(tcase, setup_streams, teardown);
    tcase_add_loop_test(tcase, a_source_gives_what_there_is, 0, 3);
    tcase_add_loop_test(tcase, gaps_are_left_alone, 0, 3);
    tcase_add_loop_test(tcase, a_sink_stays_within_its_part, 0, 3);
    tcase_add_test(tcase, sums);
    tcase_add_test(tcase, changes_under_way_are_noticed);
    tcase_add_test(tcase, without_a_link_nothing_is_brokered);
    tcase_add_test(tcase, sources_do_not_take_all_chunks);
    tcase_add_test(tcase, sinks_that_wait_do_not_keep_chunks);
    tcase_add_test(tcase, a_pause_sends_nothing_while_chunks_are_free);
    tcase_add_test(tcase, an_engine_that_refuses_ends_the_stream);
    return unit_run_case("stream", tcase);
}
