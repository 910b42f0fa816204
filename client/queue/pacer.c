// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "pacer.h"

#include "card_clock.h"
#include "core/device_card.h"
#include "records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct pacer_link {
    struct list node;
    struct work_link *link;
    struct pacer *pacer;
    const struct work_ops *real; // the library's
    struct work_ops ops;         // the pacer's operations in place of the library's
    struct record *all, *free;
    // Items that wait for a flush, that can be executed, that were, and that are done.
    struct records unflushed, ready, running, done;
    uint64_t reported;       // the latest flushed item that was reported: those before it can be
    struct card_queue queue; // of the card that is imitated, for items without lane()
    bool keeps_order, needs_flush, holds_reports, timed;
    bool ordered;        // completions must come in the order of submission
    bool ending;         // pacer_fail() was called
    uint64_t most_bytes; // of an item; longer ones are refused
    char refusal[128];   // why the last one was
};

struct pacer {
    struct executor *executor;
    struct list links;
    uint64_t number; // of the last item
    // States of the generators, used if `reorders`. Executing has one of its own: which items of
    // RDMA and Comch can be reported depends on the other side.
    uint64_t executing, reporting;
    struct record *alone; // with a seed: the item that was executed and is not done
    bool reorders;
    int timer; // descriptor, in the executor's epoll_fd; -1: nothing is timed, or no thread sleeps
    struct severed severed;
};

// ---- chance ------------------------------------------------------------------------------

// splitmix64, which any seed starts well.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned choose(uint64_t *state, unsigned n)
{
    return n > 1 ? (unsigned)(next_random(state) % n) : 0;
}

// ---- times -------------------------------------------------------------------------------

// When the card would have done an item that is submitted now, or whose message has come now.
static uint64_t due_of(const struct pacer_link *paced, const struct work_item *item,
                       struct card_queue *queue)
{
    struct card_work work = {.model = CARD_NONE};

    if (paced->real->measure)
        paced->real->measure(item, &work);
    return card_clock_due(dev_card(paced->link->device), &work, queue);
}

static bool is_due(const struct pacer_link *paced, const struct record *record, uint64_t now)
{
    return record->due <= now || paced->ending;
}

// Returns 0 if nothing is timed.
static uint64_t time_of(const struct pacer_link *paced)
{
    return paced->timed ? card_clock_now() : 0;
}

// ---- reports -----------------------------------------------------------------------------

static bool reports(const struct record *record)
{
    return !(record->submitted & PACER_LATER_REPORTS);
}

// Returns whether items before it may be reported.
static bool reports_others(const struct record *record)
{
    return reports(record) && !(record->submitted & PACER_UNFLUSHED);
}

// The same of items with lane(): those of other queues of the card do not keep one waiting.
static struct record *reportable_of_lanes(const struct pacer_link *paced, uint64_t now)
{
    struct record *record = paced->done.head;

    while (record && !is_due(paced, record, now))
        record = record->next;
    return record;
}

// The first item that is done and may be reported now.
static struct record *reportable(const struct pacer_link *paced)
{
    uint64_t latest = paced->reported;
    struct record *record = paced->done.head;

    if (!record)
        return NULL;
    uint64_t now = time_of(paced);
    if (paced->real->lane)
        return reportable_of_lanes(paced, now);
    if (!paced->holds_reports || paced->ending)
        return is_due(paced, record, now) ? record : NULL;
    for (; record && is_due(paced, record, now); record = record->next)
        if (reports_others(record) && record->number > latest)
            latest = record->number;
    for (record = paced->done.head; record && is_due(paced, record, now); record = record->next) {
        if (reports(record) || record->number < latest)
            return record;
        if (paced->ordered)
            return NULL; // items behind it wait for it
    }
    return NULL;
}

// Returns whether something can be reported once this item, and those before it in `done`, are due.
static bool ends_waiting(const struct pacer_link *paced, const struct record *record)
{
    if (!paced->holds_reports)
        return true;
    if (paced->ordered && record != paced->done.head)
        return reports_others(record);
    return reports(record) || record->number < paced->reported;
}

static uint64_t first_due(const struct pacer_link *paced)
{
    uint64_t from = UINT64_MAX;

    for (const struct record *record = paced->done.head; record; record = record->next)
        if (record->due < from)
            from = record->due;
    return from;
}

// When reportable() will first have an item, if nothing else is done until then; UINT64_MAX: never.
static uint64_t reportable_from(const struct pacer_link *paced)
{
    const struct record *record;
    uint64_t from = 0;

    if (paced->real->lane)
        return first_due(paced);

    for (record = paced->done.head; record; record = record->next) {
        if (record->due > from)
            from = record->due;
        if (ends_waiting(paced, record))
            return from;
    }
    return UINT64_MAX;
}

static bool has_reportable(const struct pacer *pacer)
{
    const struct pacer_link *paced;

    list_for_each (paced, &pacer->links, node)
        if (reportable(paced))
            return true;
    return false;
}

// Removes the item from the pacer. It is in no list.
static void release(struct pacer_link *paced, struct record *record)
{
    struct work_item *item = record->item;

    if (reports_others(record) && record->number > paced->reported)
        paced->reported = record->number;
    record->next = paced->free;
    paced->free = record;
    item->submitted = 0;
    item->account &= (uint8_t)~WORK_PACED;
    executor_finish(paced->pacer->executor, item); // as its keeper
}

// With a seed, any of a context's items that can be reported, but those of one queue of the card in
// their order.
static struct record *choose_queue(struct pacer *pacer, const struct pacer_link *paced,
                                   struct record *first)
{
    uint64_t now = time_of(paced);
    const struct record *chosen = first;
    struct record *record;
    unsigned n = 0;

    for (record = first; record; record = record->next)
        n += is_due(paced, record, now);
    unsigned left = choose(&pacer->reporting, n);
    for (record = first; record; record = record->next)
        if (is_due(paced, record, now) && left-- == 0)
            chosen = record;
    for (record = first; record->queue != chosen->queue; record = record->next)
        ;
    return record;
}

static void report_one(struct pacer *pacer)
{
    struct pacer_link *paced, *chosen = NULL;
    struct record *record, *first = NULL;
    unsigned n = 0;

    list_for_each (paced, &pacer->links, node)
        n += reportable(paced) != NULL;
    unsigned left = pacer->reorders ? choose(&pacer->reporting, n) : 0;
    list_for_each (paced, &pacer->links, node) {
        record = reportable(paced);
        if (!record)
            continue;
        if (pacer->reorders ? left-- == 0 : !first || record->number < first->number) {
            chosen = paced;
            first = record;
        }
    }
    if (!chosen)
        return;
    if (pacer->reorders && chosen->real->lane)
        first = choose_queue(pacer, chosen, first);
    records_remove(&chosen->done, first);
    release(chosen, first);
}

// An item that waited for a message: it has come now, or will not come.
static uint64_t due_of_message(struct pacer_link *paced, const struct work_item *item)
{
    return item->error == DOCA_SUCCESS ? due_of(paced, item, &paced->queue) : paced->queue.due;
}

// ---- execution ---------------------------------------------------------------------------

static void hurry(struct records *list, const struct card_queue *queue)
{
    for (struct record *record = list->head; record; record = record->next)
        if (record->queue == queue)
            record->due = 0;
}

void pacer_hurry(const struct work_link *link, const struct card_queue *queue)
{
    struct pacer_link *paced = link->pacing;

    hurry(&paced->running, queue);
    hurry(&paced->done, queue);
    if (paced->pacer->executor->armed && paced->done.head)
        executor_signal(paced->pacer->executor);
}

static void is_done(struct pacer_link *paced, struct record *record)
{
    records_remove(&paced->running, record);
    if (paced->timed && !record->queue)
        record->due = due_of_message(paced, record->item);
    else if (paced->timed && paced->real->lane && record->item->error != DOCA_SUCCESS) {
        pacer_hurry(paced->link, record->queue); // those before it are reported first
        record->due = 0;
    }
    if (paced->timed && !paced->pacer->reorders && !paced->real->lane)
        records_push_due(&paced->done, record);
    else
        records_push(&paced->done, record);
    if (paced->pacer->alone == record)
        paced->pacer->alone = NULL;
}

static void settle(struct pacer_link *paced, struct record *record, enum work_status status)
{
    record->waiting = status == WORK_WAITING;
    if (status == WORK_DONE)
        is_done(paced, record);
    if (status != WORK_LATER)
        return;
    records_remove(&paced->running, record);
    records_unpop(&paced->ready, record); // items behind it may wait for it
    if (paced->pacer->alone == record)
        paced->pacer->alone = NULL;
}

static void execute(struct pacer_link *paced, struct record *record)
{
    records_push(&paced->running, record);
    if (paced->pacer->reorders && !paced->real->early && !paced->real->lane)
        paced->pacer->alone = record;
    record->waiting = false;
    settle(paced, record, paced->real->execute(record->item));
}

static bool can_execute(const struct pacer *pacer)
{
    const struct pacer_link *paced;

    list_for_each (paced, &pacer->links, node)
        if (paced->ready.head && !pacer->alone)
            return true;
    return false;
}

// Returns the link whose item is next: at random, or the one whose item was submitted first.
static struct pacer_link *next_link(struct pacer *pacer)
{
    struct pacer_link *paced, *chosen = NULL;
    unsigned n = 0;

    list_for_each (paced, &pacer->links, node)
        n += paced->ready.head != NULL;
    unsigned left = pacer->reorders ? choose(&pacer->executing, n) : 0;
    list_for_each (paced, &pacer->links, node) {
        if (!paced->ready.head)
            continue;
        if (pacer->reorders ? left-- == 0
                            : !chosen || paced->ready.head->number < chosen->ready.head->number)
            chosen = paced;
    }
    return chosen;
}

// Whether an item that polls executed can be reported.
static bool has_executed(const struct pacer *pacer)
{
    const struct pacer_link *paced;

    list_for_each (paced, &pacer->links, node)
        if (!paced->real->lane && reportable(paced))
            return true;
    return false;
}

// With a seed, items are reported in the order in which they are executed, unless something else
// delays them.
static void execute_one(struct pacer *pacer)
{
    if (pacer->alone || (pacer->reorders && has_executed(pacer)))
        return;
    struct pacer_link *paced = next_link(pacer);
    if (!paced)
        return;
    struct record *record = paced->ready.head;
    if (!paced->keeps_order)
        for (unsigned n = choose(&pacer->executing, records_count(&paced->ready)); n > 0; n--)
            record = record->next;
    records_remove(&paced->ready, record);
    execute(paced, record);
}

static void move_on(struct pacer_link *paced)
{
    struct record *next;

    for (struct record *record = paced->running.head; record; record = next) {
        next = record->next;
        if (record->waiting)
            settle(paced, record, paced->real->progress(record->item));
    }
}

void pacer_finished(struct work_item *item)
{
    struct pacer_link *paced = item->link->pacing;

    is_done(paced, &paced->all[item->record]);
}

// ---- submission --------------------------------------------------------------------------

// The prepare() of links whose card refuses lengths above its limit.
static doca_error_t prepare(struct work_item *item, const void *job)
{
    struct pacer_link *paced = item->link->pacing;
    struct card_work work = {.model = CARD_NONE};

    doca_error_t r = paced->real->prepare(item, job);
    if (r != DOCA_SUCCESS)
        return r;
    paced->real->measure(item, &work);
    if (work.bytes <= paced->most_bytes)
        return DOCA_SUCCESS;
    if (paced->real->drop)
        paced->real->drop(item);
    snprintf(paced->refusal, sizeof(paced->refusal),
             "the task has %llu bytes; the card that the device imitates takes at most %llu",
             (unsigned long long)work.bytes, (unsigned long long)paced->most_bytes);
    item->refusal = paced->refusal;
    return DOCA_ERROR_INVALID_VALUE;
}

// The execute() of paced links. There are as many records as items.
static enum work_status take(struct work_item *item)
{
    struct pacer_link *paced = item->link->pacing;
    struct pacer *pacer = paced->pacer;
    struct record *record = paced->free;
    struct card_queue *queue = paced->real->lane ? paced->real->lane(item) : &paced->queue;

    paced->free = record->next;
    *record = (struct record){
        .item = item,
        .number = ++pacer->number,
        .due = paced->timed && queue ? due_of(paced, item, queue) : 0,
        .queue = queue,
        .submitted = item->submitted,
    };
    item->record = (uint32_t)(record - paced->all);
    item->account |= WORK_PACED;
    if (!(record->submitted & PACER_UNFLUSHED))
        pacer_flush(item->link);
    if (paced->real->early || paced->real->lane)
        execute(paced, record);
    else if (paced->needs_flush && (record->submitted & PACER_UNFLUSHED))
        records_push(&paced->unflushed, record);
    else
        records_push(&paced->ready, record);
    return executor_keep(pacer->executor);
}

void pacer_flush(struct work_link *link)
{
    struct pacer_link *paced = link->pacing;
    struct records *const lists[] = {&paced->unflushed, &paced->ready, &paced->running,
                                     &paced->done};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (struct record *record = lists[i]->head; record; record = record->next)
            record->submitted &= (uint8_t)~PACER_UNFLUSHED;
    records_move(&paced->ready, &paced->unflushed);
    if (paced->pacer->executor->armed)
        executor_signal(paced->pacer->executor);
}

static void fail_all(struct pacer_link *paced, struct records *list, doca_error_t error)
{
    struct record *record;

    while ((record = records_pop(list))) {
        if (paced->real->drop)
            paced->real->drop(record->item);
        record->item->error = error;
        release(paced, record);
    }
}

void pacer_report_all(const struct work_link *link)
{
    struct pacer_link *paced = link->pacing;
    struct record *record;

    paced->ending = true;
    while ((record = records_pop(&paced->done)))
        release(paced, record);
}

void pacer_fail(const struct work_link *link, doca_error_t error)
{
    struct pacer_link *paced = link->pacing;

    pacer_report_all(link);
    fail_all(paced, &paced->ready, error);
    fail_all(paced, &paced->unflushed, error);
}

bool pacer_holds(const struct work_link *link, const struct card_queue *queue)
{
    const struct record *record = link->pacing->done.head;

    while (record && record->queue != queue)
        record = record->next;
    return record;
}

void pacer_cancel(const struct work_link *link, enum work_status (*cancel)(struct work_item *item))
{
    struct pacer_link *paced = link->pacing;
    struct executor *executor = paced->pacer->executor;
    struct record *next;

    for (struct record *record = paced->running.head; record; record = next) {
        next = record->next;
        if (record->waiting)
            settle(paced, record, cancel(record->item));
    }
    if (executor->armed && paced->done.head)
        executor_signal(executor);
}

// ---- polls and waits -----------------------------------------------------------------------

void pacer_poll(struct pacer *pacer)
{
    struct pacer_link *paced;

    list_for_each (paced, &pacer->links, node)
        move_on(paced);
    execute_one(pacer);
    report_one(pacer);
}

// Sets the timer for the next item that only waits for its time.
static void set_timer(const struct pacer *pacer)
{
    const struct pacer_link *paced;
    uint64_t next = UINT64_MAX;

    list_for_each (paced, &pacer->links, node) {
        uint64_t from = reportable_from(paced);
        if (from < next)
            next = from;
    }
    if (pacer->timer < 0 || next == UINT64_MAX)
        return;
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(next / 1000000000u),
                                           .tv_nsec = (long)(next % 1000000000u)}};
    timerfd_settime(pacer->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

// Items that wait at an engine are waited for by the engine's source.
bool pacer_arm(struct pacer *pacer)
{
    if (can_execute(pacer) || has_reportable(pacer))
        return true;
    set_timer(pacer);
    return false;
}

void pacer_clear(struct pacer *pacer)
{
    uint64_t expired;

    if (pacer->timer >= 0 && read(pacer->timer, &expired, sizeof(expired)) < 0 && errno != EAGAIN)
        return; // it stays readable, and the program polls
}

// ---- lifetime ----------------------------------------------------------------------------

static bool is_paced(const struct work_link *link)
{
    const struct card *card = dev_card(link->device);

    if (link->ops->lane)
        return card->values[CARD_REORDER] || (card_has(card, CARD_TIMING) && link->ops->measure);
    switch (link->ops->library) {
    case WORK_LIBRARY_DMA:
    case WORK_LIBRARY_SHA:
    case WORK_LIBRARY_AES_GCM:
    case WORK_LIBRARY_COMPRESS:
    case WORK_LIBRARY_ERASURE_CODING:
        return card->values[CARD_REORDER] || card_has(card, CARD_HOLDS_REPORTS) ||
               card_has(card, CARD_NEEDS_FLUSH) || card_has(card, CARD_TIMING) ||
               card_has(card, CARD_OVER_REFUSED);
    default:
        return false;
    }
}

static struct pacer *pacer_of(struct executor *executor, uint64_t seed)
{
    if (executor->pacer)
        return executor->pacer;
    struct pacer *pacer = calloc(1, sizeof(*pacer));
    if (!pacer)
        return NULL;
    pacer->executor = executor;
    pacer->timer = -1;
    pacer->executing = seed;
    pacer->reporting = ~seed;
    pacer->reorders = seed != 0;
    list_init(&pacer->links);
    executor->pacer = pacer;
    return pacer;
}

static void pacer_drop_unused(struct executor *executor)
{
    if (!executor->pacer || !list_empty(&executor->pacer->links))
        return;
    severed_remove(&executor->pacer->severed);
    close_fdp(&executor->pacer->timer);
    free(executor->pacer);
    executor->pacer = NULL;
}

// A program that sleeps is woken by a timer. One that polls needs none.
static doca_error_t open_timer(struct pacer *pacer, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (pacer->timer >= 0 || !pacer->executor->event_driven)
        return DOCA_SUCCESS;
    pacer->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (pacer->timer < 0 ||
        epoll_ctl(pacer->executor->epoll_fd, EPOLL_CTL_ADD, pacer->timer, &event) < 0) {
        doca_error_t r =
            errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM,
                        "cannot make a timer for the times of a card: %s", strerror(errno));
        close_fdp(&pacer->timer);
        return r;
    }
    pacer->severed = (struct severed){.fds = {&pacer->timer}};
    severed_add(&pacer->severed);
    return DOCA_SUCCESS;
}

static void set_ops(struct pacer_link *paced, const struct card *card)
{
    struct work_link *link = paced->link;

    paced->real = link->ops;
    paced->ops = *link->ops;
    paced->ops.execute = take;
    paced->ops.eager = true; // it is taken when it is submitted
    paced->ops.quick = NULL;
    paced->most_bytes = card->values[CARD_DMA_BUF_SIZE];
    if (link->ops->library == WORK_LIBRARY_DMA && card_has(card, CARD_OVER_REFUSED))
        paced->ops.prepare = prepare;
    link->ops = &paced->ops;
}

doca_error_t pacer_attach(struct work_link *link, struct errtext *err)
{
    const struct card *card = dev_card(link->device);

    if (!is_paced(link))
        return DOCA_SUCCESS;
    struct pacer_link *paced = calloc(1, sizeof(*paced));
    struct record *all = calloc(link->depth ? link->depth : 1, sizeof(*all));
    struct pacer *pacer = pacer_of(link->executor, card->values[CARD_REORDER]);
    if (!paced || !all || !pacer) {
        free(paced);
        free(all);
        pacer_drop_unused(link->executor);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory to imitate %s", card->name);
    }
    paced->link = link;
    paced->pacer = pacer;
    paced->all = all;
    for (uint32_t i = 0; i < link->depth; i++) {
        all[i].next = paced->free;
        paced->free = &all[i];
    }
    records_init(&paced->unflushed);
    records_init(&paced->ready);
    records_init(&paced->running);
    records_init(&paced->done);
    paced->ordered = link->ops->ordered;
    paced->keeps_order = !pacer->reorders || paced->ordered ||
                         link->ops->library != WORK_LIBRARY_DMA ||
                         card_has(card, CARD_DMA_KEEPS_ORDER);
    paced->timed = card_has(card, CARD_TIMING) && (!link->ops->lane || link->ops->measure);
    paced->needs_flush = card_has(card, CARD_NEEDS_FLUSH) && !link->ops->lane;
    paced->holds_reports = card_has(card, CARD_HOLDS_REPORTS) && !link->ops->lane;
    set_ops(paced, card);
    link->pacing = paced;
    list_append(&pacer->links, &paced->node);
    return paced->timed ? open_timer(pacer, err) : DOCA_SUCCESS;
}

void pacer_detach(struct work_link *link)
{
    struct pacer_link *paced = link->pacing;

    if (!paced)
        return;
    link->ops = paced->real;
    link->pacing = NULL;
    list_remove(&paced->node);
    free(paced->all);
    free(paced);
    pacer_drop_unused(link->executor);
}
