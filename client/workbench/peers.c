// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define CONSUMERS_MAX 64
#define VERSION       "DOCA_3.0"

// Consumers whose contexts have not started.
static struct consumer {
    uint64_t context, consumer;
} consumers[CONSUMERS_MAX];
static atomic_uint consumer_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const void *pointer_of(uint64_t word)
{
    return (const void *)(uintptr_t)word; // NOLINT(performance-no-int-to-ptr)
}

static void *next_of(_Atomic(void *) *cache, const char *symbol)
{
    void *found = atomic_load_explicit(cache, memory_order_relaxed);
    if (!found) {
        found = symbol_next(symbol, VERSION);
        atomic_store_explicit(cache, found, memory_order_relaxed);
    }
    return found;
}

uint64_t peers_of_callback(const struct call *call)
{
    static _Atomic(void *) sender, server;
    const void *(*get)(const void *) = NULL;
    const void *of = NULL;
    if (call->function->peer == PEER_SENDER) {
        get = (const void *(*)(const void *))next_of(
            &sender, "doca_rdma_task_receive_get_result_rdma_connection");
        of = pointer_of(call->arguments[0]);
    } else if (call->function->peer == PEER_SERVER) {
        get = (const void *(*)(const void *))next_of(&server, "doca_comch_server_get_server_ctx");
        of = pointer_of(call->arguments[call->function->count == 4 ? 3 : 1]);
    }
    if (call->function->peer == PEER_FUNCTION)
        return (uintptr_t)call->next;
    return get && of ? (uintptr_t)get(of) : 0;
}

void peers_after(const struct call *call)
{
    if (!call->result || strcmp(call->function->name, "doca_comch_consumer_as_ctx") != 0)
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < CONSUMERS_MAX; i++) {
        if (consumers[i].context && consumers[i].context != call->result)
            continue;
        consumer_count += !consumers[i].context;
        consumers[i] = (struct consumer){call->result, call->arguments[0]};
        break;
    }
    pthread_mutex_unlock(&lock);
}

void peers_running(const void *context)
{
    static _Atomic(void *) cache;
    uint64_t consumer = 0;
    uint32_t id;
    if (!consumer_count)
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < CONSUMERS_MAX && !consumer; i++)
        if (consumers[i].context == (uintptr_t)context) {
            consumer = consumers[i].consumer;
            consumers[i] = (struct consumer){0};
            consumer_count--;
        }
    pthread_mutex_unlock(&lock);
    int (*get)(const void *, uint32_t *) =
        (int (*)(const void *, uint32_t *))next_of(&cache, "doca_comch_consumer_get_id");
    if (consumer && get && get(pointer_of(consumer), &id) == 0)
        trace_consumer(consumer, id);
}

void peers_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}
