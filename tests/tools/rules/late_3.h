// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A library that has objects of DOCA 3 until its destructor runs, as static objects of C++ do.

#ifndef TESTS_TOOLS_RULES_LATE_3_H
#define TESTS_TOOLS_RULES_LATE_3_H

__attribute__((visibility("default"))) void late_begin(void);

#endif
