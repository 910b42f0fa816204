// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The card profiles of a configuration, and their messages for programs.

#ifndef DAEMON_CONFIG_CARDS_H
#define DAEMON_CONFIG_CARDS_H

#include "config.h"

#include <docad.pb-c.h>

// Reads the profiles that the configuration names into config->cards. Returns false, with one line
// in `errors`, if there are too many or a profile does not exist any more.
bool config_take_cards(struct config *config, FILE *errors);

struct card_messages {
    Docad__Card items[CONFIG_CARDS_MAX];
    Docad__Card *list[CONFIG_CARDS_MAX];
    uint32_t keys[CONFIG_CARDS_MAX][CARD_KEYS_END];
    uint64_t values[CONFIG_CARDS_MAX][CARD_KEYS_END];
};

// Makes messages of the profiles, with the values that differ from `software`. Returns their
// number.
size_t cards_to_messages(const struct config *config, struct card_messages *out);

// Functions that name no card imitate the node's.
void cards_name(const struct config *config, Docad__Function *const *functions, size_t n);

#endif
