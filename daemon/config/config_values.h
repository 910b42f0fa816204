// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The values of single configuration options. Each function returns false with *why
// filled ("what is wrong (what to write instead)") for a text that is none.

#ifndef DAEMON_CONFIG_VALUES_H
#define DAEMON_CONFIG_VALUES_H

#include "config.h"

#define CONFIG_WHY_SIZE 160

// Says why a value is none: false.
bool config_no(char why[CONFIG_WHY_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool config_parse_uid(const char *text, uid_t *out, char why[CONFIG_WHY_SIZE]);
bool config_parse_socket(const char *text, char out[SOCKET_PATH_MAX], char why[CONFIG_WHY_SIZE]);

// "HOST:PORT", "[IPV6]:PORT".
bool config_parse_address(const char *text, char out[TLS_ADDRESS_SIZE], char why[CONFIG_WHY_SIZE]);

// An option of the tls section: listen, certificate, key, authority.
bool config_set_tls(struct tls_settings *tls, const char *option, const char *text,
                    char why[CONFIG_WHY_SIZE]);

// An option outside of any section: role, name, socket, socket_mode, log_level,
// isolation.
bool config_set_root(struct config *config, const char *option, const char *text,
                     char why[CONFIG_WHY_SIZE]);

// An option of the engine section: threads, cpus, spin_us.
bool config_set_verbs(struct verbs_settings *settings, const char *option, const char *text,
                      char why[CONFIG_WHY_SIZE]);
bool config_set_engine(struct engine_options *engine, const char *option, const char *text,
                       char why[CONFIG_WHY_SIZE]);

// An element of a list in a policy section: users, groups, open, export, to_users,
// to_groups; and that the list is there at all.
bool config_add_policy(struct policy_rule *rule, const char *option, const char *text,
                       char why[CONFIG_WHY_SIZE]);
void config_give_policy(struct policy_rule *rule, const char *option);

// An option of a function section.
bool config_set_function(struct function_setting *function, const char *option, const char *text,
                         char why[CONFIG_WHY_SIZE]);

#endif
