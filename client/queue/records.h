// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The pacer's items and their lists.

#ifndef CLIENT_QUEUE_RECORDS_H
#define CLIENT_QUEUE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card_queue;
struct work_item;

// An item, from its submission until it is reported.
struct record {
    struct record *next;
    struct work_item *item;
    uint64_t number;                // of its submission
    uint64_t due;                   // when it may be reported, in ns; 0: at any time
    const struct card_queue *queue; // of the card that it goes through
    uint8_t submitted;
    bool waiting; // for its library's progress()
};

struct records {
    struct record *head, **tail;
};

static inline void records_init(struct records *list)
{
    list->head = NULL;
    list->tail = &list->head;
}

static inline void records_push(struct records *list, struct record *record)
{
    record->next = NULL;
    *list->tail = record;
    list->tail = &record->next;
}

// Puts the record in front: it goes back to its old place.
static inline void records_unpop(struct records *list, struct record *record)
{
    record->next = list->head;
    if (!list->head)
        list->tail = &record->next;
    list->head = record;
}

// Puts it behind those that are due earlier, or at the same time.
static inline void records_push_due(struct records *list, struct record *record)
{
    struct record **at = &list->head;

    while (*at && (*at)->due <= record->due)
        at = &(*at)->next;
    record->next = *at;
    *at = record;
    if (!record->next)
        list->tail = &record->next;
}

static inline void records_remove(struct records *list, struct record *record)
{
    struct record **at = &list->head;

    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    if (!*at)
        list->tail = at;
}

static inline struct record *records_pop(struct records *list)
{
    struct record *record = list->head;

    if (record)
        records_remove(list, record);
    return record;
}

static inline void records_move(struct records *to, struct records *from)
{
    struct record *record;

    while ((record = records_pop(from)))
        records_push(to, record);
}

static inline unsigned records_count(const struct records *list)
{
    unsigned n = 0;

    for (const struct record *record = list->head; record; record = record->next)
        n++;
    return n;
}

#endif
