// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A doubly linked list whose nodes are embedded in the objects that it links.

#ifndef COMMON_LIST_H
#define COMMON_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "cleanup.h"

struct list {
    struct list *next, *prev;
};

static inline void list_init(struct list *l)
{
    l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
    return l->next == l;
}

// True for a node that is on some list; a removed node is empty again.
static inline bool list_linked(const struct list *n)
{
    return n->next && n->next != n;
}

static inline void list_append(struct list *l, struct list *n)
{
    n->prev = l->prev;
    n->next = l;
    l->prev->next = n;
    l->prev = n;
}

// Moves the nodes of `from` to the end of `l`.
static inline void list_append_all(struct list *l, struct list *from)
{
    if (list_empty(from))
        return;
    from->next->prev = l->prev;
    l->prev->next = from->next;
    from->prev->next = l;
    l->prev = from->prev;
    list_init(from);
}

// Safe for a node that is not on a list (but initialised).
static inline void list_remove(struct list *n)
{
    n->prev->next = n->next;
    n->next->prev = n->prev;
    list_init(n);
}

#define list_entry(node, type, member) container_of(node, type, member)

#define list_for_each(pos, head, member)                                                           \
    for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head);         \
         pos = list_entry(pos->member.next, __typeof__(*pos), member))

// The body may remove `pos`.
#define list_for_each_safe(pos, tmp, head, member)                                                 \
    for (pos = list_entry((head)->next, __typeof__(*pos), member),                                 \
        tmp = list_entry(pos->member.next, __typeof__(*pos), member);                              \
         &pos->member != (head);                                                                   \
         pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

#endif
