// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_graph.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_graph_create)
PENDING(doca_3_graph_destroy)
PENDING(doca_graph_set_conf)
PENDING(doca_graph_set_user_data)
PENDING(doca_graph_get_user_data)
PENDING(doca_graph_node_create_from_ctx)
PENDING(doca_graph_node_create_from_user)
PENDING(doca_graph_node_create_from_graph)
PENDING(doca_3_graph_add_dependency)
PENDING(doca_3_graph_start)
PENDING(doca_3_graph_stop)
PENDING(doca_3_graph_instance_create)
PENDING(doca_3_graph_instance_destroy)
PENDING(doca_graph_instance_set_user_data)
PENDING(doca_graph_instance_get_user_data)
PENDING(doca_3_graph_instance_set_ctx_node_data)
PENDING(doca_3_graph_instance_set_user_node_data)
PENDING(doca_3_graph_instance_set_sub_graph_node_data)
PENDING(doca_graph_instance_submit)
