// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The variable by which docad-run tells the library that a program has the command line of DOCA 1.2
// and 1.3.

#ifndef COMMON_ARGP_VARIABLE_H
#define COMMON_ARGP_VARIABLE_H

#define ARGP_VARIABLE "DOCAD_ARGP_STRUCTURES"

#endif
