// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of a node: the built-in ones, and the properties that are derived from the
// configuration.

#ifndef DAEMON_TOPOLOGY_H
#define DAEMON_TOPOLOGY_H

#include "function.h"
#include "message.h"

enum role {
    ROLE_HOST,
    ROLE_DPU,
};

const char *role_name(enum role role);
bool role_parse(const char *text, enum role *out);

// Whether the configuration sets a property or leaves it to the node.
enum setting {
    SETTING_UNSET,
    SETTING_NO, // set to absent or false
    SETTING_YES,
};

// A function as configured. Texts that are empty, and addresses without a value, are
// derived by topology_complete().
struct function_setting {
    struct function function;  // has type, name and port; the rest, except for `card`, if set
    char card[CARD_SPEC_SIZE]; // the text of that, with its path and its values
    enum setting mac, ipv4, ipv6;
    enum setting can_export_dpu, can_import_dpu, can_dma, can_list_reps;
    bool absent; // a slot without a function
};

// Fills in the built-in functions of a role; returns their number.
size_t topology_default(enum role role, struct function_setting out[FUNCTIONS_MAX]);

// A configured function of an ibverbs device, in its state while the device does not exist.
struct function topology_verbs(const struct function_setting *setting);

// Fills in what the configuration leaves open: ids, VUIDs, names, addresses, capabilities.
void topology_complete(const struct function_setting *settings, size_t n, enum role role,
                       const char *node_name, const uint8_t node[NODE_ID_SIZE],
                       struct function out[FUNCTIONS_MAX]);

// The same for a node that already has functions: a function that keeps its name keeps its slot,
// and so its id and the values that depend on it. Returns the number of slots; those without a
// function are marked as removed.
size_t topology_place(const struct function_setting *settings, size_t n, const struct function *old,
                      size_t n_old, struct function out[FUNCTIONS_MAX], enum role role,
                      const char *node_name, const uint8_t node[NODE_ID_SIZE]);

#endif
