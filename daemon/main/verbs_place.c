// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_place.h"

#include "log.h"
#include "node.h"
#include "verbs_function.h"

#include <string.h>

static struct function *find_function(struct node *node, const char *device, uint8_t port)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (f->backing == DOCAD__BACKING__VERBS && !f->gone && f->verbs.port == port &&
            strcmp(f->ibdev, device) == 0)
            return f;
    }
    return NULL;
}

// ---- places -------------------------------------------------------------------------------

static struct function *find_gone(struct node *node, const char *name)
{
    for (size_t i = 0; i < node->n_functions; i++)
        if (node->functions[i].gone && strcmp(node->functions[i].name, name) == 0)
            return &node->functions[i];
    return NULL;
}

static struct function *find_free(struct node *node, bool named)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (f->gone && (f->name[0] != '\0') == named && !node_function_is_open(node, f))
            return f;
    }
    return NULL;
}

// Takes the slot that it had, even if a session still has it open; else a free one, and if there is
// none, the slot of another function that was removed.
static struct function *take_place(struct node *node, const char *name)
{
    struct function *f = find_gone(node, name);
    if (!f)
        f = find_free(node, false);
    if (!f && node->n_functions < FUNCTIONS_MAX)
        f = &node->functions[node->n_functions++];
    return f ? f : find_free(node, true);
}

// ---- log lines ---------------------------------------------------------------------------

static void warn_of_twins(const struct node *node, const struct function *f)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *other = &node->functions[i];
        if (other != f && !other->gone && other->backing != f->backing &&
            strcmp(other->pci, f->pci) == 0)
            log_warning(
                "function %s: its PCI address %s is that of the software function %s, which "
                "programs find first; give one of them another address in the configuration",
                f->name, f->pci, other->name);
    }
}

static bool port_differs(const struct function_verbs *a, const struct function_verbs *b)
{
    return a->active != b->active || a->lid != b->lid || a->mtu != b->mtu ||
           a->n_gids != b->n_gids ||
           (a->n_gids && memcmp(a->gids, b->gids, a->n_gids * sizeof(a->gids[0])) != 0);
}

static bool settings_differ(const struct function_verbs *a, const struct function_verbs *b)
{
    return a->timeout != b->timeout || a->retries != b->retries ||
           a->rnr_retries != b->rnr_retries || a->rnr_timer != b->rnr_timer ||
           a->address_size != b->address_size ||
           memcmp(a->address, b->address, a->address_size) != 0;
}

static void log_function(const struct function *f)
{
    const struct function_verbs *v = &f->verbs;
    char text[VERBS_GID_TEXT_SIZE];

    const struct verbs_gid *gid = verbs_gid_choose(v->gids, v->n_gids, v->address, v->address_size);
    log_info("function %s: ibverbs device %s port %u (%s, %s), %s", f->name, f->ibdev, v->port,
             f->pci, v->active ? "active" : "down", gid ? verbs_gid_format(gid, text) : "no GID");
}

void verbs_place_log_left_out(struct node *node)
{
    size_t max = functions_gids_max(node->functions, node->n_functions);

    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        struct function_verbs *v = &f->verbs;
        size_t n = v->gids_left_out + (v->n_gids > max ? v->n_gids - max : 0);
        if (f->backing != DOCAD__BACKING__VERBS || f->gone || n == v->reported_left_out)
            continue;
        v->reported_left_out = n;
        if (n)
            log_warning("function %s: its port has %zu GIDs, and programs only see the first %zu; "
                        "remove addresses that nobody needs from %s, or exclude other devices in "
                        "the verbs section",
                        f->name, v->n_gids + v->gids_left_out, v->n_gids + v->gids_left_out - n,
                        f->iface);
    }
}

// ---- coming and going -----------------------------------------------------------------------

static void end(struct node *node, struct function *f, enum slot_state state)
{
    log_info("function %s: ibverbs device %s %s", f->name, f->ibdev,
             state == SLOT_DEVICE_GONE ? "is gone" : "is configured differently now");
    node_function_end(node, f, state);
}

static bool add(struct node *node, struct ibv_context *context, uint8_t port, bool first)
{
    const char *device = ibv_get_device_name(context->device);
    char name[FUNCTION_NAME_SIZE];
    struct errtext err;
    struct function made;

    verbs_function_name(node->config, device, port, name);
    struct function *f = take_place(node, name);
    if (!f) {
        if (first)
            log_warning("ibverbs device %s: the node already has %d functions, so it is left out; "
                        "exclude others in the verbs section",
                        device, FUNCTIONS_MAX);
        return false;
    }
    f->id = (uint32_t)(f - node->functions) + 1;
    f->gone = true; // a new slot, until it is described
    if (verbs_function_make(&made, context, port, f->id, node->config, &err) != DOCA_SUCCESS) {
        log_warning("%s", err.s);
        return false;
    }
    function_drop_gids(f);
    *f = made;
    log_function(f);
    warn_of_twins(node, f);
    return true;
}

static void update(struct node *node, struct function *f, struct ibv_context *context)
{
    struct function made;
    struct errtext err;

    if (verbs_function_make(&made, context, f->verbs.port, f->id, node->config, &err) !=
        DOCA_SUCCESS) {
        log_warning("%s", err.s);
        return;
    }
    if (port_differs(&f->verbs, &made.verbs))
        log_function(&made);
    else if (!function_same(f, &made) || settings_differ(&f->verbs, &made.verbs))
        log_info("function %s has changed", f->name);
    made.verbs.reported_left_out = f->verbs.reported_left_out;
    function_drop_gids(f);
    *f = made;
}

bool verbs_place_port(struct node *node, struct ibv_context *context, uint8_t port, bool first)
{
    const char *device = ibv_get_device_name(context->device);
    struct function *f = find_function(node, device, port);
    char name[FUNCTION_NAME_SIZE];

    if (!verbs_function_offered(node->config, device, port)) {
        if (f)
            end(node, f, SLOT_REVOKED);
        return f != NULL;
    }
    verbs_function_name(node->config, device, port, name);
    if (f && strcmp(f->name, name) == 0) {
        update(node, f, context);
        return false;
    }
    if (f)
        end(node, f, SLOT_REVOKED);
    return add(node, context, port, first) || f;
}

bool verbs_place_remove(struct node *node, const char *device, enum slot_state state)
{
    bool any = false;

    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (f->backing != DOCAD__BACKING__VERBS || f->gone || strcmp(f->ibdev, device) != 0)
            continue;
        end(node, f, state);
        any = true;
    }
    return any;
}
