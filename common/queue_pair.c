// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "queue_pair.h"

#include "cleanup.h"
#include "memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define SLOT(index) ((index) & (QP_ENTRIES - 1))

static struct qp_shared *map_shared(int memfd)
{
    void *p = mmap(NULL, sizeof(struct qp_shared), PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Frees what both sides have at their end.
static void give_up(struct qp_shared **shared, int *doorbell, int *channel)
{
    if (!*shared)
        return;
    munmap(*shared, sizeof(**shared));
    close_fdp(doorbell);
    close_fdp(channel);
    *shared = NULL;
}

// ---- client side ------------------------------------------------------------------

int qp_client_init(struct qp_client *qp, int memfd, int doorbell, int channel)
{
    cleanup_fd int file = memfd, doorbell_fd = doorbell, chan = channel;

    if (doorbell_fd < 0 || chan < 0)
        return -EBADF;
    int r = memfd_check(file, sizeof(struct qp_shared), 1);
    if (r < 0)
        return r;
    struct qp_shared *shared = map_shared(file);
    if (!shared)
        return -errno;
    if (shared->magic != QP_MAGIC || shared->version != QP_VERSION) {
        munmap(shared, sizeof(*shared));
        return -EPROTO;
    }
    *qp = (struct qp_client){
        .shared = shared, .doorbell = steal_fd(&doorbell_fd), .channel = steal_fd(&chan)};
    return 0;
}

void qp_client_fini(struct qp_client *qp)
{
    give_up(&qp->shared, &qp->doorbell, &qp->channel);
}

bool qp_post(struct qp_client *qp, const struct qp_request *request)
{
    // Completions not taken count as in flight, so the completion ring, which is
    // as long as this one, can never overflow.
    if (qp_in_flight(qp) >= QP_ENTRIES)
        return false;
    qp->shared->requests[SLOT(qp->head)] = *request;
    qp->head++;
    return true;
}

bool qp_publish(struct qp_client *qp)
{
    // Release: the engine that sees the new head sees the requests before it. The
    // fence orders it before the read of engine_sleeping; without it the engine
    // could fall asleep over a request it did not see.
    atomic_store_explicit(&qp->shared->request_head, qp->head, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&qp->shared->engine_sleeping, memory_order_relaxed);
}

void qp_wake(struct qp_client *qp)
{
    uint64_t one = 1;

    // Relaxed: the request was published before. The load may see an older value: an engine that
    // goes to sleep checks for requests afterwards.
    if (!atomic_load_explicit(&qp->shared->engine_sleeping, memory_order_relaxed))
        return;
    // Relaxed: the system call is a release, so that the engine's next announcement of a
    // sleep, which follows its return from waiting, comes after this store.
    atomic_store_explicit(&qp->shared->engine_sleeping, 0, memory_order_relaxed);
    ssize_t n = write(qp->doorbell, &one, sizeof(one));
    (void)n; // fails only when the counter is saturated: then the engine was woken already
}

void qp_ring(struct qp_client *qp)
{
    if (qp_publish(qp))
        qp_wake(qp);
}

bool qp_all_taken(const struct qp_client *qp)
{
    // Relaxed: nothing is read that depends on it.
    return atomic_load_explicit(&qp->shared->request_tail, memory_order_relaxed) == qp->head;
}

bool qp_poll(struct qp_client *qp, struct qp_completion *out)
{
    // Acquire: pairs with the engine's release, so that the completion and the bytes in the data
    // area are visible.
    uint32_t head = atomic_load_explicit(&qp->shared->completion_head, memory_order_acquire);
    if (head == qp->completion_tail || head - qp->completion_tail > QP_ENTRIES)
        return false;
    *out = qp->shared->completions[SLOT(qp->completion_tail)];
    qp->completion_tail++;
    // Release: our loads from the slot come before the engine's reuse of it.
    atomic_store_explicit(&qp->shared->completion_tail, qp->completion_tail, memory_order_release);
    return true;
}

bool qp_arm(struct qp_client *qp)
{
    atomic_store_explicit(&qp->shared->client_armed, 1, memory_order_relaxed);
    // Pairs with the fence in qp_server_complete(): either we see the completion
    // or the engine sees that we are armed.
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&qp->shared->completion_head, memory_order_relaxed) !=
           qp->completion_tail;
}

void qp_disarm(struct qp_client *qp)
{
    // Relaxed: whether the engine sees it decides about a system call only.
    atomic_store_explicit(&qp->shared->client_armed, 0, memory_order_relaxed);
}

void qp_clear(struct qp_client *qp)
{
    char drop[64];
    while (recv(qp->channel, drop, sizeof(drop), MSG_DONTWAIT) > 0)
        ;
}

// ---- engine side --------------------------------------------------------------------

int qp_server_init(struct qp_server *qp, int fds[3])
{
    cleanup_fd int doorbell = -1, server_doorbell = -1, memfd = -1;
    cleanup_fd int near = -1, far = -1;
    int pair[2];

    memfd = memfd_create_sealed("docad-queue-pair", sizeof(struct qp_shared));
    if (memfd < 0)
        return memfd;
    doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (doorbell < 0 || (server_doorbell = fcntl(doorbell, F_DUPFD_CLOEXEC, 0)) < 0)
        return -errno;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    near = pair[0];
    far = pair[1];
    struct qp_shared *shared = map_shared(memfd);
    if (!shared)
        return -errno;
    shared->magic = QP_MAGIC;
    shared->version = QP_VERSION;

    *qp = (struct qp_server){
        .shared = shared, .doorbell = steal_fd(&server_doorbell), .channel = steal_fd(&near)};
    fds[0] = steal_fd(&memfd);
    fds[1] = steal_fd(&doorbell);
    fds[2] = steal_fd(&far);
    return 0;
}

void qp_server_fini(struct qp_server *qp)
{
    give_up(&qp->shared, &qp->doorbell, &qp->channel);
}

int qp_server_restore(struct qp_server *qp, const int fds[3])
{
    int r = memfd_check(fds[0], sizeof(struct qp_shared), 1);
    if (r < 0)
        return r;
    struct qp_shared *shared = map_shared(fds[0]);
    if (!shared)
        return -errno;
    // The client may have written anything there; it harms only its own queue pair.
    uint32_t done = atomic_load_explicit(&shared->completion_head, memory_order_relaxed);
    atomic_store_explicit(&shared->request_tail, done, memory_order_relaxed);
    close(fds[0]);
    *qp = (struct qp_server){.shared = shared,
                             .tail = done,
                             .completion_head = done,
                             .doorbell = fds[1],
                             .channel = fds[2]};
    // The engine that posted the last completion may not have announced it yet.
    if (atomic_load_explicit(&shared->client_armed, memory_order_relaxed)) {
        ssize_t n = send(qp->channel, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)n;
    }
    return 0;
}

bool qp_server_has_next(const struct qp_server *qp)
{
    // Relaxed: the code that takes the request reads the head again.
    return atomic_load_explicit(&qp->shared->request_head, memory_order_relaxed) != qp->tail;
}

int qp_server_next(struct qp_server *qp, struct qp_request *out)
{
    // Acquire: the requests up to this head are written.
    uint32_t head = atomic_load_explicit(&qp->shared->request_head, memory_order_acquire);
    if (head == qp->tail)
        return 0;
    if (head - qp->tail > QP_ENTRIES)
        return -EPROTO;
    // One copy, so that a client rewriting the slot cannot change what was checked;
    // volatile keeps the compiler from reading a field a second time.
    const volatile struct qp_request *slot = &qp->shared->requests[SLOT(qp->tail)];
    *out = (struct qp_request){.address = slot->address,
                               .length = slot->length,
                               .key = slot->key,
                               .offset = slot->offset,
                               .tag = slot->tag,
                               .opcode = slot->opcode};
    qp->tail++;
    // Release: our copy is complete before the client may see the slot as free.
    atomic_store_explicit(&qp->shared->request_tail, qp->tail, memory_order_release);
    return 1;
}

int qp_server_complete(struct qp_server *qp, uint32_t tag, uint32_t status)
{
    uint32_t tail = atomic_load_explicit(&qp->shared->completion_tail, memory_order_acquire);
    if (qp->completion_head - tail >= QP_ENTRIES)
        return -EPROTO;
    qp->shared->completions[SLOT(qp->completion_head)] = (struct qp_completion){tag, status};
    qp->completion_head++;
    // Release: completion and data become visible before the head. The fence orders the store of
    // the head before the load of client_armed, see qp_arm().
    atomic_store_explicit(&qp->shared->completion_head, qp->completion_head, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&qp->shared->client_armed, memory_order_relaxed)) {
        // Relaxed: the system call is a release, as in qp_wake().
        atomic_store_explicit(&qp->shared->client_armed, 0, memory_order_relaxed);
        // A socket, not an eventfd: MSG_DONTWAIT holds even if the client made its
        // end blocking. A full channel is readable already.
        ssize_t n = send(qp->channel, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)n;
    }
    return 0;
}

bool qp_server_sleep(struct qp_server *qp)
{
    // Relaxed: of two stores to one word no thread sees the later one first.
    atomic_store_explicit(&qp->shared->engine_sleeping, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the one in qp_publish()
    // Relaxed: it decides whether to sleep; qp_server_next() reads it again to use it.
    return atomic_load_explicit(&qp->shared->request_head, memory_order_relaxed) != qp->tail;
}

void qp_server_awake(struct qp_server *qp)
{
    atomic_store_explicit(&qp->shared->engine_sleeping, 0, memory_order_relaxed);
}
