// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks on which function an export may be imported.

#ifndef DAEMON_IMPORT_CHECK_H
#define DAEMON_IMPORT_CHECK_H

#include "export_desc.h"

struct function;
struct node;
struct peer;

// `peer` is the owner, NULL if it is this node. DOCA_ERROR_NOT_SUPPORTED if it is the
// wrong function, with a text that names the right one.
doca_error_t import_check_function(const struct node *node, const struct peer *peer,
                                   const struct export_desc *desc, const struct function *function,
                                   struct errtext *err);

#endif
