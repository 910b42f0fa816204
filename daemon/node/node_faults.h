// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults of the configuration: exports that are revoked, imports that are refused, links that go
// down. Without `faults` there are none, and nothing is counted. The faults depend only on the
// rules and the counters.

#ifndef DAEMON_NODE_FAULTS_H
#define DAEMON_NODE_FAULTS_H

#include "errtext.h"
#include "state_table.h"

#include <stdbool.h>
#include <stdint.h>

struct export;
struct node;
struct node_faults;
struct peer;
struct session;

// Follows the rules of the configuration from now on, with counts that begin at 0. If memory runs
// out there are no faults, and that is logged.
void node_faults_begin(struct node *node);

// Takes NULL, returns NULL.
struct node_faults *node_faults_free(struct node_faults *faults);

// What rules of a node are about.
enum node_fault { NODE_FAULT_EXPORT, NODE_FAULT_IMPORT, NODE_FAULT_LINK, NODE_FAULTS };

// Returns the number of faults since node_faults_begin(), of all kinds or of one.
uint64_t node_faults_number(const struct node *node);
uint64_t node_faults_of(const struct node *node, enum node_fault kind);

// Counts a program's request to import. Returns DOCA_SUCCESS, or the error with which it is
// refused.
doca_error_t node_fault_of_import(const struct session *session, struct errtext *err);

// Counts an import of an export of this program. Returns whether it is to be revoked; then *state
// is what its importers see.
bool node_fault_of_export(const struct session *owner, uint64_t export_id, enum slot_state *state);

// Counts a message of a linked node. Returns true if all links are to go down: for *ms, UINT64_MAX:
// for good.
bool node_fault_of_link(struct node *node, const char *peer, uint64_t *ms);

#endif
