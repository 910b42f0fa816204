// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The most common failure of a public function.

#ifndef CLIENT_CORE_REFUSED_H
#define CLIENT_CORE_REFUSED_H

#include "report.h"

// Reports DOCA_ERROR_INVALID_VALUE with a fixed text.
#define refused(function, why) report_why(function, DOCA_ERROR_INVALID_VALUE, why)

#endif
