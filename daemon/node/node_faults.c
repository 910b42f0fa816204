// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node_faults.h"

#include "config.h"
#include "fault_decide.h"
#include "log.h"
#include "monitor.h"
#include "node.h"
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct node_faults {
    struct fault_spec spec;
    struct fault_counts counts;
    uint64_t rules[NODE_FAULTS]; // masks of those that are about each kind
    uint64_t of[NODE_FAULTS];    // faults so far
    uint64_t number;             // of all kinds
};

void node_faults_begin(struct node *node)
{
    struct fault_error error;

    node->faults = node_faults_free(node->faults);
    node->links_down_until = 0;
    if (!node->config->faults[0])
        return;
    struct node_faults *faults = calloc(1, sizeof(*faults));
    if (!faults || !fault_spec_read(node->config->faults, NULL, &faults->spec, &error)) {
        log_error("faults of the configuration: %s; there are none",
                  faults ? error.text : "docad is out of memory");
        node_faults_free(faults);
        return;
    }
    faults->rules[NODE_FAULT_EXPORT] = fault_rules_of(&faults->spec, FAULT_EXPORT, "export");
    faults->rules[NODE_FAULT_IMPORT] = fault_rules_of(&faults->spec, FAULT_IMPORT, "import");
    faults->rules[NODE_FAULT_LINK] = fault_rules_of(&faults->spec, FAULT_LINK, "link");
    node->faults = faults;
    log_event(LOG_EVENT_FAULTS, LOG_LEVEL_WARNING, NULL,
              "faults: this node injects them, as %zu rule%s of its configuration say%s",
              faults->spec.count, faults->spec.count == 1 ? "" : "s",
              faults->spec.count == 1 ? "s" : "");
}

struct node_faults *node_faults_free(struct node_faults *faults)
{
    free(faults);
    return NULL;
}

uint64_t node_faults_number(const struct node *node)
{
    return node->faults ? node->faults->number : 0;
}

uint64_t node_faults_of(const struct node *node, enum node_fault kind)
{
    return node->faults ? node->faults->of[kind] : 0;
}

// Counts one more of this kind. Returns the rule that applies to it, or NULL.
static const struct fault_rule *count(struct node_faults *faults, enum node_fault kind,
                                      struct fault *fault)
{
    uint64_t rules = faults ? faults->rules[kind] : 0;

    if (!rules || !fault_decide(&faults->spec, rules, &faults->counts, fault))
        return NULL;
    faults->number++;
    faults->of[kind]++;
    return &faults->spec.rules[fault->rule];
}

// Without an owner it concerns the tools of all users.
__attribute__((format(printf, 6, 7))) static void
log_fault(struct node *node, const struct session *owner, const char *about,
          const struct fault *fault, const struct fault_rule *rule, const char *format, ...)
{
    char happened[160], text[FAULT_TEXT_MAX + sizeof(happened) + 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(happened, sizeof(happened), format, arguments);
    va_end(arguments);
    snprintf(text, sizeof(text), "%s: %s", rule->text, happened);
    MONITOR(node, .event = "fault", .id = node->faults->number, .owner = owner, .for_all = !owner,
            .name = about, .text = text);
    log_event_limited(LOG_EVENT_FAULTS, LOG_LEVEL_WARNING, NULL,
                      "fault %" PRIu64 ": %s %" PRIu64 ": %s ('%s')", node->faults->number, about,
                      fault->call, happened, rule->text);
}

doca_error_t node_fault_of_import(const struct session *session, struct errtext *err)
{
    struct node *node = session->node;
    struct fault fault;
    const struct fault_rule *rule = count(node->faults, NODE_FAULT_IMPORT, &fault);

    if (!rule)
        return DOCA_SUCCESS;
    doca_error_t error =
        fault.error == FAULT_ANY ? DOCA_ERROR_NOT_PERMITTED : (doca_error_t)fault.error;
    log_fault(node, session, "import", &fault, rule, "refused with DOCA_ERROR_%s",
              fault_error_name((int)error));
    return errtext_set(err, error, "fault %" PRIu64 " of docad's configuration: '%s'",
                       node->faults->number, rule->text);
}

static enum slot_state state_of(int error)
{
    switch (error) {
    case DOCA_ERROR_NOT_PERMITTED:
        return SLOT_REVOKED;
    case DOCA_ERROR_CONNECTION_RESET:
        return SLOT_OWNER_GONE;
    default:
        return SLOT_DEVICE_GONE;
    }
}

bool node_fault_of_export(const struct session *owner, uint64_t export_id, enum slot_state *state)
{
    struct node *node = owner->node;
    struct fault fault;
    const struct fault_rule *rule = count(node->faults, NODE_FAULT_EXPORT, &fault);

    if (!rule)
        return false;
    *state = state_of(rule->error);
    log_fault(node, owner, "export", &fault, rule,
              "export %016" PRIx64 " is revoked, and its use fails with %s", export_id,
              fault_error_name((int)slot_state_error(*state)));
    return true;
}

bool node_fault_of_link(struct node *node, const char *peer, uint64_t *ms)
{
    struct fault fault;
    const struct fault_rule *rule = count(node->faults, NODE_FAULT_LINK, &fault);

    if (!rule)
        return false;
    *ms = rule->down_ns ? (rule->down_ns + 999999) / 1000000 : UINT64_MAX;
    if (rule->down_ns)
        log_fault(node, NULL, "link", &fault, rule,
                  "after a message of node %s all links are down for %" PRIu64 " ms", peer, *ms);
    else
        log_fault(node, NULL, "link", &fault, rule,
                  "after a message of node %s all links are down for good", peer);
    return true;
}
