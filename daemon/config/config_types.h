// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The types of option values.

#ifndef DAEMON_CONFIG_TYPES_H
#define DAEMON_CONFIG_TYPES_H

#include "config_table.h"

extern const struct config_type config_number;   // from `min` to `max`, 1, 4 or 8 bytes
extern const struct config_type config_word;     // one of `words`, stored as its index
extern const struct config_type config_name;     // printable characters
extern const struct config_type config_path;     // not empty
extern const struct config_type config_patterns; // anything
extern const struct config_type config_address;  // HOST:PORT
extern const struct config_type config_bytes;    // 64K, 2G or unlimited
extern const struct config_type config_card;     // the name of a card profile

// These fill struct config.
extern const struct config_type config_metrics;
extern const struct config_type config_faults;
extern const struct config_type config_uids;
extern const struct config_type config_cpus;

// These fill struct function_setting.
extern const struct config_type config_pci;
extern const struct config_type config_mac;
extern const struct config_type config_ip;
extern const struct config_type config_yes_no; // an enum setting

// These fill struct policy_rule, or one of its lists. Names are looked up once, when they are
// read.
extern const struct config_type config_users;
extern const struct config_type config_groups;
extern const struct config_type config_functions;
extern const struct config_type config_targets;

// Marks the list as set, and empty so far.
void config_begin_list(const struct config_option *option, void *base);

// Returns false, with the text in *why.
bool config_no(char why[CONFIG_WHY_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints a text in quotation marks so that reading it gives the same text.
void config_print_text(const char *text, FILE *out);

#endif
