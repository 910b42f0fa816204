// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_peers.h"

#include "failed_tasks.h"
#include "faults.h"
#include "injection/lost_peers.h"

#include <string.h>

#define JOB_LIBRARY_SHIFT 16 // in the type of a job
#define JOB_LIBRARY_RDMA  13
#define CONNECTION_RESET  11 // DOCA_ERROR_CONNECTION_RESET

static uint64_t rules_of_comch, rules_of_comm_channel, rules_of_rdma;
static const struct lost_peers *lost_peers;

// The beginning of struct doca_event of DOCA 1.5 and 2.2.
struct event {
    int type;
};

WRAPPER void docad_offer_lost_peers(const struct lost_peers *offered)
{
    lost_peers = offered;
}

void fault_peers_start(void)
{
    rules_of_comch = faults_rules(FAULT_COMCH, "comch");
    rules_of_comm_channel = faults_rules(FAULT_COMM_CHANNEL, "comm_channel");
    rules_of_rdma = faults_rules(FAULT_RDMA, "rdma");
}

static void *pointer_of(uint64_t word)
{
    return (void *)(uintptr_t)word; // NOLINT(performance-no-int-to-ptr)
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void report(const char *name, const struct fault *fault, bool dropped)
{
    faults_report(name, strcmp(name, "rdma") == 0 ? "operation" : "message", fault,
                  dropped ? "the peer is dropped" : "not possible, the connection has ended");
}

// ---- DOCA 3

// Tasks that send or receive a message of Comch, also in programs of DOCA 2.5.
static bool is_message(const char *type)
{
    return strcmp(type, "comch_task_send") == 0 || strcmp(type, "comch_producer_task_send") == 0 ||
           strcmp(type, "comch_consumer_task_post_recv") == 0;
}

static void after_task(const struct call *callback, void *task)
{
    const char *type = callback->function->parameters[0].type;
    bool rdma = begins(type, "rdma_task_");
    struct fault fault;
    if (!faults_count(rdma ? rules_of_rdma : is_message(type) ? rules_of_comch : 0, &fault))
        return;
    bool dropped = lost_peers->task(task);
    report(rdma ? "rdma" : "comch", &fault, dropped);
    // What a consumer has received with the same poll is reported later.
    if (dropped && strstr(type, "_consumer_"))
        failed_tasks_end_context(task, CONNECTION_RESET);
}

static void after_message(const struct call *callback)
{
    const struct function *function = callback->function;
    struct fault fault;
    if (!rules_of_comch || !strstr(function->name, "msg_recv"))
        return;
    for (unsigned i = 0; i < function->count; i++)
        if (function->parameters[i].kind == VALUE_OBJECT &&
            strcmp(function->parameters[i].type, "comch_connection") == 0 &&
            faults_count(rules_of_comch, &fault))
            report("comch", &fault, lost_peers->comch(pointer_of(callback->arguments[i])));
}

void fault_peers_callback(const struct call *callback, void *task)
{
    if (!lost_peers || !(rules_of_comch | rules_of_rdma))
        return;
    if (task)
        after_task(callback, task);
    else
        after_message(callback);
}

// ---- the Comm Channel

// Its address is an argument of sendto(), and recvfrom() writes it.
static void after_channel(const struct call *call)
{
    const struct function *function = call->function;
    struct fault fault;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (of->kind != VALUE_OBJECT || strcmp(of->type, "comm_channel_addr_t") != 0)
            continue;
        void *address = pointer_of(call->arguments[i]);
        if (of->out)
            memcpy(&address, pointer_of(call->arguments[i]), sizeof(address));
        if (faults_count(rules_of_comm_channel, &fault))
            report("comm_channel", &fault, lost_peers->comm_channel(address));
    }
}

// ---- RDMA of DOCA 1.5 and 2.2

// The connection is that of the event.
static void after_event(const struct call *call)
{
    struct event event;
    struct fault fault;
    if (call->function->count < 2 || call->function->parameters[1].kind != VALUE_EVENT)
        return;
    memcpy(&event, pointer_of(call->arguments[1]), sizeof(event));
    if ((unsigned)event.type >> JOB_LIBRARY_SHIFT == JOB_LIBRARY_RDMA &&
        faults_count(rules_of_rdma, &fault))
        report("rdma", &fault, lost_peers->rdma(pointer_of(call->arguments[0])));
}

void fault_peers_after(const struct call *call)
{
    const struct function *function = call->function;
    if (!lost_peers || !(rules_of_comm_channel | rules_of_rdma))
        return;
    if (rules_of_rdma && function->role == ROLE_PROGRESS)
        after_event(call);
    else if (rules_of_comm_channel && begins(function->name, "doca_comm_channel_ep_") &&
             (strstr(function->name, "_sendto") || strstr(function->name, "_recvfrom")))
        after_channel(call);
}
