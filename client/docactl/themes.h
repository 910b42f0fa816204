// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of the commands, by theme; the table in commands.c refers to them.

#ifndef DOCACTL_THEMES_H
#define DOCACTL_THEMES_H

#include "docactl.h"

// node.c: the daemon itself and what it offers
enum outcome run_status(struct ctl *ctl);
enum outcome run_ping(struct ctl *ctl);
enum outcome fetch_status(struct ctl *ctl, struct json_object **out);
enum outcome fetch_devices(struct ctl *ctl, struct json_object *array);
enum outcome fetch_representors(struct ctl *ctl, struct json_object *array);

// lists.c: all lists
enum outcome run_list(struct ctl *ctl);
enum outcome run_exports_list(struct ctl *ctl);
enum outcome run_dump(struct ctl *ctl);

// monitor.c: events
enum outcome run_monitor(struct ctl *ctl);

// top.c: rates
enum outcome run_top(struct ctl *ctl);

// metrics.c: what the daemon counts
enum outcome run_metrics(struct ctl *ctl);
enum outcome fetch_metrics(struct ctl *ctl, struct json_object **out);

// check.c: checks of the system
enum outcome run_check(struct ctl *ctl);

// control.c: changes to the daemon
enum outcome run_log_level(struct ctl *ctl);
enum outcome run_reload(struct ctl *ctl);

// policy.c: what the policy lets a user do
enum outcome run_policy_test(struct ctl *ctl);

// exports.c: memory offered to others
enum outcome run_exports_show(struct ctl *ctl);

// sessions.c: one session, and the end of sessions
enum outcome run_sessions_show(struct ctl *ctl);
enum outcome run_sessions_end(struct ctl *ctl);

// revoke.c: the end of exports
enum outcome run_exports_revoke(struct ctl *ctl);

// descriptors.c: export descriptors by hand and by name
enum outcome run_exports_get(struct ctl *ctl);
enum outcome run_exports_put(struct ctl *ctl);
enum outcome run_exports_publish(struct ctl *ctl);
enum outcome run_exports_unpublish(struct ctl *ctl);
enum outcome run_exports_lookup(struct ctl *ctl);

// caps.c: what libraries can do on devices
enum outcome run_caps(struct ctl *ctl);

// card.c: card profiles; card_import.c, card_times.c
enum outcome run_card_list(struct ctl *ctl);
enum outcome run_card_show(struct ctl *ctl);
enum outcome run_card_import(struct ctl *ctl);
enum outcome run_card_times(struct ctl *ctl);

// demo.c: private nodes, and a copy from one to the other
enum outcome run_demo(struct ctl *ctl);

// why.c: errors of functions
enum outcome run_why(struct ctl *ctl);

// certificates.c: certificates by which daemons on different machines authenticate each other
enum outcome run_certificates_authority(struct ctl *ctl);
enum outcome run_certificates_node(struct ctl *ctl);
enum outcome run_certificates_renew(struct ctl *ctl);
// certificates_revoke.c
enum outcome run_certificates_revoke(struct ctl *ctl);

// main.c
enum outcome run_help(struct ctl *ctl);

#endif
