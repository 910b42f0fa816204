// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Daemons whose links this node refuses. A daemon connects again and again: the first refusal is
// logged, and later ones are counted, until an hour has passed. If there are more addresses or
// reasons than entries, the others are counted together: an attacker can choose its addresses.

#ifndef DAEMON_REFUSALS_H
#define DAEMON_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFUSALS_MAX                                                                               \
    64 // addresses and reasons; an entry is dropped after an hour without a refusal
#define REFUSED_WHO_MAX  96
#define REFUSED_WHY_MAX  96 // only the beginning distinguishes reasons
#define REFUSED_AGAIN_MS 3600000

#define REFUSED_SILENT_SIZE 80
#define REFUSED_COUNTED                                                                            \
    "further refusals are only counted (docactl metrics: docad_links_refused_by)"

struct refusal {
    char who[REFUSED_WHO_MAX]; // a node's name, an address, or a user; empty: unused
    const char *at;            // which step refused it, a word
    char why[REFUSED_WHY_MAX];
    uint64_t count;  // since docad has this entry
    uint64_t silent; // those that were not logged
    uint64_t logged_ms, last_ms;
};

struct refusals {
    struct refusal list[REFUSALS_MAX + 1]; // the last one: all others
};

// Counts a refusal; `at` is a literal. `why` may be a word for reasons whose text differs each
// time. Returns whether it is to be logged; then *silent is the number of refusals since the last
// one that was logged.
bool refusals_add(struct refusals *refusals, const char *who, const char *at, const char *why,
                  uint64_t now_ms, uint64_t *silent);

// "", or " (7 times since the last such line)".
const char *refusals_format(uint64_t silent, char text[REFUSED_SILENT_SIZE]);

#endif
