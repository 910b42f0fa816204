// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "nodes.h"

struct node_pair nodes;

void setup_pair(void)
{
    env_setup();
    nodes = node_pair_start();
}

void setup_apart(void)
{
    env_setup();
    nodes = node_pair_start_apart("");
}
