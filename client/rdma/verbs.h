// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA instance on an ibverbs device. Its jobs are work requests of a reliable connection's
// queue pair, and the device completes them: between posting and polling there is only the device's
// own driver.
//
// docad takes part in the connection only if it has both sides: it reports the end of the other
// one. The bytes never pass through it.
//
// Jobs whose work requests are posted are in rdma->posted, in their order, and receives in
// rdma->receives. A job that cannot be posted, because it is wrong, waits in rdma->stalled until
// those before it are done; all later jobs wait behind it. So do jobs of an end whose owner does
// not count them, until the queue pair has room.
//
// An end that is closed moves its queue pair to the error state. Soft-RoCE acknowledges a message
// only after it has completed the receive, and not in that state: the sender's request may fail
// although its message was delivered here. Nothing on this side can wait for the acknowledgement.
// No verb reports it. A request of ours that comes back later proves nothing, as the device sends
// requests and acknowledgements independently, and one without bytes takes a receive (a send), or
// fails the other side's queue pair if that grants no access (a write). A queue pair that stays as
// it is until the other side has disconnected takes shared receives in that time, and the other
// side flushes its request all the same when it gets our end. Both sides would have to agree to
// finish what is in flight first, which RDMA CM does not provide for, nor do other programs.

#ifndef CLIENT_RDMA_VERBS_H
#define CLIENT_RDMA_VERBS_H

#include "rdma_end.h"
#include "verbs_rc.h"

#define VERBS_LIST_MAX 32u // scatter-gather elements of a work request

struct rdma_verbs {
    struct verbs_rc rc;
    uint32_t list_max;    // of sends
    uint32_t outstanding; // work requests that have not completed
    bool linked;          // docad has the other side
    bool dead;            // the device was removed: nothing more will complete

    // The other side may connect later than we do. Until something was received from it, jobs that
    // run out of retries are started again.
    bool received;
    _Atomic bool sent;    // something was sent, and nothing received yet
    bool again;           // start again when everything is flushed
    uint64_t deadline_ms; // the time limit for that
};

extern const struct rdma_transport rdma_on_verbs;

// Connects an end with the attributes that a connection manager has negotiated. Both sides exist,
// and docad is not notified of the connection.
doca_error_t verbs_connect_by(struct rdma_end *rdma, const struct ibv_qp_attr *receive,
                              const struct ibv_qp_attr *send, struct errtext *err);

// ---- verbs_receives.c: receives that several ends share -----------------------------------------

// For `n` receives, of `buffers` buffers each. They are closed when their ends are.
doca_error_t verbs_receives_open(struct rdma_receives *receives, struct doca_dev *dev,
                                 uint32_t room, uint32_t chain, struct errtext *err);
void verbs_receives_close(struct rdma_receives *receives); // may be called again
struct ibv_srq *verbs_receives_queue(const struct verbs_receives *receives);
uint32_t verbs_receives_room(const struct verbs_receives *receives);
// Checks and posts a receive, and counts it. The error that it fails with is returned.
doca_error_t verbs_receives_post(struct rdma_receives *receives, struct work_item *item,
                                 struct errtext *err);
// Takes the receive out of the queue. Returns false if it was flushed before.
bool verbs_receives_take(struct rdma_receives *receives, struct work_item *item);
// Ends the queue pair of an end whose completions are not polled any more. Messages that have come
// since are dropped, and the receives that they have taken are posted again.
void verbs_receives_leave(struct rdma_receives *receives, struct verbs_rc *rc);

// ---- verbs_post.c ---------------------------------------------------------------------------

// Checks a job. Returns DOCA_SUCCESS, or the error that it fails with.
doca_error_t verbs_check(struct work_item *item, struct errtext *err);

// The buffers of a checked job, at most `most`.
doca_error_t verbs_fill_list(const struct work_item *item, uint32_t most,
                             struct ibv_sge list[VERBS_LIST_MAX], int *n, struct errtext *err);
// The error of a job that the driver did not take, for this errno.
doca_error_t verbs_post_failed(const struct work_item *item, int error, struct errtext *err);

// Posts the work request of a checked job.
doca_error_t verbs_post(struct work_item *item, struct errtext *err);

// ---- verbs_queue.c: the work queue's view -------------------------------------------------------

enum work_status verbs_execute(struct work_item *item);
void verbs_poll(struct work_source *source);
bool verbs_arm(struct work_source *source);
bool verbs_take(struct rdma_end *rdma);
void verbs_lose(struct rdma_end *rdma, doca_error_t flush_error);
void verbs_leave(struct rdma_end *rdma, doca_error_t flush_error);
void verbs_clear(struct work_source *source);
void verbs_discard(struct work_link *link);

#endif
