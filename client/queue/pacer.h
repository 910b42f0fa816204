// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When the items of contexts are executed and reported, where that differs from `software`: on
// devices that imitate a card whose profile sets it (card.h).
//
// work_link_open() lets such a link have other work_ops: its execute() does not execute the item,
// but gives it to the pacer of the executor, which keeps it (executor_keep()) until it is reported.
// Polls execute kept items one by one, with the library's own operations, in the order that the
// profile sets, and report items that are done when the profile allows that. Links of other
// devices, and their data path, are as they would be without it.
//
// Items of DMA, SHA, compression, erasure coding and AES-GCM end by themselves: with a seed
// (CARD_REORDER) the next item is executed when the one before is done, so that the order depends
// on the seed and on what the program does, and not on times.
//
// Items of RDMA and Comch may wait for what others do, and others for them, while their program
// does something else than polling. They are executed when they are submitted, and the seed and the
// times concern their reports alone. Their work_ops have lane().

#ifndef CLIENT_QUEUE_PACER_H
#define CLIENT_QUEUE_PACER_H

#include "executor.h"

// The flags of doca_task_submit_ex() for an item: work_item.submitted. 0: it is flushed and
// reported.
#define PACER_UNFLUSHED     1
#define PACER_LATER_REPORTS 2

// Replaces link->ops if the profile of the device's card needs it. The link has its depth.
// DOCA_ERROR_NO_MEMORY, or DOCA_ERROR_OPERATING_SYSTEM if there is no timer.
doca_error_t pacer_attach(struct work_link *link, struct errtext *err);

// Undoes that. The link has no items in flight.
void pacer_detach(struct work_link *link);

// Executes the items of a paced link that wait for a flush.
void pacer_flush(struct work_link *link);

// Ends the items of a paced link that were not executed, with this error, and reports those that
// are done, and others when they are done.
void pacer_fail(const struct work_link *link, doca_error_t error);

// What a queue of a paced link with lane() serves has ended: its items take no time any more.
void pacer_hurry(const struct work_link *link, const struct card_queue *queue);

// Says whether items of the queue are done and not reported.
bool pacer_holds(const struct work_link *link, const struct card_queue *queue);

// Reports all items of a paced link that are done, and others as soon as they are done.
void pacer_report_all(const struct work_link *link);

// Calls `cancel` for each item of a paced link that waits for its progress(). Those for which it
// returns WORK_DONE are done.
void pacer_cancel(const struct work_link *link, enum work_status (*cancel)(struct work_item *item));

// A paced item that its library kept is done. Called by executor_finish().
void pacer_finished(struct work_item *item);

// The functions of a work_source, for paced items. The executor calls pacer_poll() after it has
// polled all sources.
void pacer_poll(struct pacer *pacer);
bool pacer_arm(struct pacer *pacer);
void pacer_clear(struct pacer *pacer);

#endif
