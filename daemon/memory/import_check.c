// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "import_check.h"

#include "node.h"
#include "peer.h"

#include <string.h>

// SFs share PCI addresses, VUIDs do not.
static const struct function *find_exporting(const struct peer *peer,
                                             const struct export_desc *desc)
{
    for (size_t i = 0; i < peer->n_functions; i++)
        if (strcmp(peer->functions[i].pci, desc->pci_address) == 0 &&
            strcmp(peer->functions[i].vuid, desc->vuid) == 0)
            return &peer->functions[i];
    return NULL;
}

static const char *name_of_pf(const struct node *node, uint32_t port)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->type == DOCAD__FUNCTION_TYPE__PF && f->port == port && f->can_import_dpu && !f->gone)
            return f->name;
    }
    return NULL;
}

static doca_error_t check_dpu(const struct node *node, const struct peer *peer,
                              const struct export_desc *desc, const struct function *function,
                              struct errtext *err)
{
    if (!function->can_import_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s cannot import an export to a DPU; PFs of a DPU can, and "
                           "functions with can_import_dpu in the configuration",
                           function->name);
    // For this node's own export only the function's configuration matters.
    if (!peer)
        return DOCA_SUCCESS;
    const struct function *exporting = find_exporting(peer, desc);
    if (!exporting)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "exported on function %s (%s), which node %s does not have",
                           desc->pci_address, desc->vuid, peer->name);
    if (function->type != DOCAD__FUNCTION_TYPE__PF || function->port != exporting->port) {
        const char *right = name_of_pf(node, exporting->port);
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "exported on %s of node %s, port %u; function %s cannot import it, "
                           "use %s",
                           exporting->name, peer->name, exporting->port, function->name,
                           right ? right : "the PF of that port, which this node does not have");
    }
    return DOCA_SUCCESS;
}

static doca_error_t check_host(const struct peer *peer, const struct export_desc *desc,
                               const struct function *function, struct errtext *err)
{
    if (!function->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s cannot import an export to a host; functions of a host can",
                           function->name);
    if (!peer)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "exported to a host by this node itself; import it on the linked host");
    const struct function *exporting = find_exporting(peer, desc);
    if (!exporting || exporting->port != function->port)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "exported on function %s (%s) of node %s, %s; function %s cannot "
                           "import it",
                           desc->pci_address, desc->vuid, peer->name,
                           exporting ? "which has another port" : "which does not have it any more",
                           function->name);
    return DOCA_SUCCESS;
}

doca_error_t import_check_function(const struct node *node, const struct peer *peer,
                                   const struct export_desc *desc, const struct function *function,
                                   struct errtext *err)
{
    switch (desc->target) {
    case DOCAD__EXPORT_TARGET__TARGET_DPU:
        return check_dpu(node, peer, desc, function, err);
    case DOCAD__EXPORT_TARGET__TARGET_HOST:
        return check_host(peer, desc, function, err);
    case DOCAD__EXPORT_TARGET__TARGET_RDMA:
    case DOCAD__EXPORT_TARGET__TARGET_NET_EVENT:
        return DOCA_SUCCESS;
    case DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT:
        // Its owner uses the engine in the same way as importers.
        return peer ? check_dpu(node, peer, desc, function, err) : DOCA_SUCCESS;
    default:
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "export descriptor for target %u: unknown", desc->target);
    }
}
