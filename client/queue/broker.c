// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair for each combination of a node with brokered imports and a work queue with
// contexts. Either may come first, on any thread; one mutex guards both lists.
//
// The thread of a work queue reads its port's queue pairs without the mutex. They are
// published with a release. Only that thread removes a queue pair again, because it may be
// in the middle of using it: when the port closes, or when the queue pair has failed or is
// of no more use.

#include "broker.h"

#include "broker_queue.h"
#include "core/idle.h"
#include "core/wait_policy.h"
#include "executor.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define PORT_QUEUES_MAX  32
#define PORT_QUEUES_KEPT 8 // beyond these, queue pairs without imports are removed

#define BLOCK_QUEUES 8 // queue pairs that a thread waits for in the kernel
// Sleep only if at least this many bytes are in flight: the engine then has work for a while, and
// needs CPUs. Fewer bytes arrive sooner if no thread moves to another CPU.
#define BLOCK_BYTES (2 * QP_CHUNK_SIZE)

struct broker_node {
    struct list node;
    struct session *session;
    uint8_t id[NODE_ID_SIZE];
    uint32_t imports;
    uint32_t queues; // pairs published for it
};

struct broker_port {
    struct work_source source;
    struct list node;
    int epoll_fd;
    // No queue pair has this index or a higher one. Most ports have none, and are still polled.
    _Atomic unsigned end;
    _Atomic(struct broker_queue *) queues[PORT_QUEUES_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list nodes = {&nodes, &nodes};
static struct list ports = {&ports, &ports};

static struct broker_queue *port_queue(struct broker_port *port, size_t i)
{
    // Acquire: the queue pair behind the pointer is complete.
    return atomic_load_explicit(&port->queues[i], memory_order_acquire);
}

static size_t port_end(struct broker_port *port)
{
    // Relaxed: a thread uses the queue pairs of imports that it has got, and those are older.
    return atomic_load_explicit(&port->end, memory_order_relaxed);
}

#define port_for_each(queue, port)                                                                 \
    for (size_t place = 0, end = port_end(port); place < end; place++)                             \
        if ((queue = port_queue(port, place)))

// A node that was out of reach for a while has a dead queue pair as well as the live one.
struct broker_queue *broker_port_queue(struct broker_port *port, const struct broker_node *node)
{
    struct broker_queue *queue;

    port_for_each (queue, port)
        if (queue->node == node && broker_queue_live(queue))
            return queue;
    return NULL;
}

// ---- with the mutex held -------------------------------------------------------------

static struct broker_node *node_free_unused(struct broker_node *node)
{
    if (!node || node->imports || node->queues)
        return NULL;
    list_remove(&node->node);
    session_unref(node->session);
    free(node);
    return NULL;
}

static doca_error_t add_queue(struct broker_port *port, struct broker_node *node,
                              struct errtext *err)
{
    struct broker_queue *queue;
    size_t place = 0;

    if (broker_port_queue(port, node))
        return DOCA_SUCCESS;
    while (place < PORT_QUEUES_MAX && port_queue(port, place))
        place++;
    if (place == PORT_QUEUES_MAX)
        return errtext_set(
            err, DOCA_ERROR_NO_MEMORY,
            "the work queue or progress engine has reached the limit of %u queue pairs",
            PORT_QUEUES_MAX);
    doca_error_t r = broker_queue_new(&queue, node->session, node->id, port->epoll_fd, err);
    if (r != DOCA_SUCCESS)
        return r;
    queue->node = node;
    node->queues++;
    // Release: see port_queue().
    atomic_store_explicit(&port->queues[place], queue, memory_order_release);
    if (place >= port_end(port))
        atomic_store_explicit(&port->end, (unsigned)place + 1, memory_order_relaxed);
    return DOCA_SUCCESS;
}

static struct broker_node *find_node(const struct session *session, const uint8_t *id)
{
    struct broker_node *node;

    list_for_each (node, &nodes, node)
        if (node->session == session && memcmp(node->id, id, NODE_ID_SIZE) == 0)
            return node;
    return NULL;
}

static struct broker_node *new_node(struct session *session, const uint8_t *id)
{
    struct broker_node *node = calloc(1, sizeof(*node));
    if (!node)
        return NULL;
    memcpy(node->id, id, NODE_ID_SIZE);
    node->session = session_ref(session);
    list_append(&nodes, &node->node);
    return node;
}

// Called on the port's own thread.
static void drop_queue(struct broker_port *port, size_t place)
{
    struct broker_queue *queue = port_queue(port, place);
    struct broker_node *node = queue->node;

    atomic_store_explicit(&port->queues[place], NULL, memory_order_relaxed);
    for (size_t end = port_end(port); end > 0 && !port_queue(port, end - 1); end--)
        atomic_store_explicit(&port->end, (unsigned)end - 1, memory_order_relaxed);
    broker_queue_free(queue);
    node->queues--;
    node_free_unused(node);
}

// ---- nodes ---------------------------------------------------------------------------

doca_error_t broker_node_get(struct session *session, const uint8_t id[NODE_ID_SIZE],
                             struct broker_node **out, struct errtext *err)
{
    doca_error_t r = DOCA_SUCCESS;
    struct broker_port *port;

    pthread_mutex_lock(&lock);
    struct broker_node *node = find_node(session, id);
    if (!node)
        node = new_node(session, id);
    if (!node)
        r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a node");
    else
        list_for_each (port, &ports, node)
            if (r == DOCA_SUCCESS)
                r = add_queue(port, node, err);
    if (r == DOCA_SUCCESS) {
        node->imports++;
        *out = node;
    } else {
        node_free_unused(node);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

struct broker_node *broker_node_put(struct broker_node *node)
{
    if (!node)
        return NULL;
    pthread_mutex_lock(&lock);
    node->imports--;
    node_free_unused(node);
    pthread_mutex_unlock(&lock);
    return NULL;
}

// ---- the source ------------------------------------------------------------------------

// Removes queue pairs that will not be used again. They are not worth waiting for the mutex.
static void reap(struct broker_port *port, bool unused_too)
{
    struct broker_queue *queue;

    if (pthread_mutex_trylock(&lock) != 0)
        return;
    port_for_each (queue, port)
        if (broker_queue_idle(queue) &&
            (!broker_queue_live(queue) || (unused_too && !queue->node->imports)))
            drop_queue(port, place);
    pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void poll_queues(struct broker_port *port)
{
    struct broker_queue *queue;
    bool dead = false;
    unsigned n = 0;

    port_for_each (queue, port)
        broker_queue_poll(queue);
    // A completion may have posted the next request, on this queue pair or another.
    port_for_each (queue, port) {
        broker_queue_ring(queue);
        dead = dead || !broker_queue_live(queue);
        n++;
    }
    if (dead || n > PORT_QUEUES_KEPT)
        reap(port, n > PORT_QUEUES_KEPT);
}

static void port_poll(struct work_source *source)
{
    struct broker_port *port = container_of(source, struct broker_port, source);

    if (port_end(port))
        poll_queues(port);
}

static bool port_arm(struct work_source *source)
{
    struct broker_port *port = container_of(source, struct broker_port, source);
    struct broker_queue *queue;
    bool ready = false;

    port_for_each (queue, port)
        ready = broker_queue_arm(queue) || ready;
    return ready;
}

static void port_clear(struct work_source *source)
{
    struct broker_port *port = container_of(source, struct broker_port, source);
    struct broker_queue *queue;

    port_for_each (queue, port)
        broker_queue_clear(queue);
}

// Arms the queue pairs whose answers are awaited. Returns their number, or 0 if there is something
// to poll.
static unsigned arm_all(struct broker_port *port, struct broker_queue *armed[BLOCK_QUEUES],
                        struct pollfd fds[BLOCK_QUEUES])
{
    struct broker_queue *queue;
    unsigned n = 0;

    port_for_each (queue, port) {
        if (!qp_in_flight(&queue->qp))
            continue;
        if (n == BLOCK_QUEUES || broker_queue_error(queue) != DOCA_SUCCESS ||
            broker_queue_arm(queue))
            return 0;
        armed[n] = queue;
        fds[n++] = (struct pollfd){.fd = queue->qp.channel, .events = POLLIN};
    }
    return n;
}

static size_t bytes_under_way(struct broker_port *port)
{
    struct broker_queue *queue;
    size_t bytes = 0;

    port_for_each (queue, port)
        bytes += broker_queue_under_way(queue);
    return bytes;
}

static bool port_block(struct work_source *source)
{
    const uint64_t ns = 1000ull * wait_policy().block_us;
    const struct timespec moment = {.tv_sec = (time_t)(ns / 1000000000),
                                    .tv_nsec = (long)(ns % 1000000000)};
    struct broker_port *port = container_of(source, struct broker_port, source);
    struct broker_queue *armed[BLOCK_QUEUES];
    struct pollfd fds[BLOCK_QUEUES];

    if (ns == 0 || bytes_under_way(port) < BLOCK_BYTES || !idle_cpu_is_shared())
        return false;
    unsigned n = arm_all(port, armed, fds);
    if (n == 0 || ppoll(fds, n, &moment, NULL) < 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (fds[i].revents)
            broker_queue_clear(armed[i]);
        else
            qp_disarm(&armed[i]->qp);
    }
    return true;
}

// ---- ports ------------------------------------------------------------------------------

// If only this node cannot be reached, jobs that need it will fail, and others go on.
static bool out_of_reach(doca_error_t r)
{
    return r == DOCA_ERROR_NOT_CONNECTED || r == DOCA_ERROR_DRIVER || r == DOCA_ERROR_NOT_FOUND;
}

static doca_error_t fill_port(struct broker_port *port, struct errtext *err)
{
    struct broker_node *node;

    list_for_each (node, &nodes, node) {
        if (!node->imports)
            continue;
        doca_error_t r = add_queue(port, node, err);
        if (r == DOCA_ERROR_NO_MEMORY)
            return r;
        if (r != DOCA_SUCCESS && !out_of_reach(r))
            return DOCA_ERROR_INITIALIZATION;
    }
    return DOCA_SUCCESS;
}

// The mutex is held.
static void close_port(struct broker_port *port)
{
    struct broker_queue *queue;

    port_for_each (queue, port)
        drop_queue(port, place);
    free(port);
}

doca_error_t broker_port_open(struct executor *executor, struct broker_port **out,
                              struct errtext *err)
{
    struct broker_port *port = calloc(1, sizeof(*port));
    if (!port)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for queue pairs");
    port->source = (struct work_source){
        .poll = port_poll, .arm = port_arm, .clear = port_clear, .block = port_block};
    port->epoll_fd = executor->event_driven ? executor->epoll_fd : -1;
    pthread_mutex_lock(&lock);
    doca_error_t r = fill_port(port, err);
    if (r == DOCA_SUCCESS)
        list_append(&ports, &port->node);
    else
        close_port(port);
    pthread_mutex_unlock(&lock);
    if (r != DOCA_SUCCESS)
        return r;
    executor_add_source(executor, &port->source);
    *out = port;
    return DOCA_SUCCESS;
}

struct broker_port *broker_port_close(struct broker_port *port)
{
    if (!port)
        return NULL;
    list_remove(&port->source.node);
    pthread_mutex_lock(&lock);
    list_remove(&port->node);
    close_port(port);
    pthread_mutex_unlock(&lock);
    return NULL;
}
