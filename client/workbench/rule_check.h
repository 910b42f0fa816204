// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The rules of docad-run --check=rules (rules.h), looked at before and after each call.

#ifndef WORKBENCH_RULE_CHECK_H
#define WORKBENCH_RULE_CHECK_H

#include "workbench.h"

#define CHECK_VARIABLE      "DOCAD_CHECK"      // rules or fatal
#define CHECK_FILE_VARIABLE "DOCAD_CHECK_FILE" // a file that gets the violations, too; not made

extern const struct hook check_hook;

#endif
