// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl, with another name for its main().

int docactl_main(int argc, char **argv);
#define main docactl_main
#include "main.c"
