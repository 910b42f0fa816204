// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads the output of the vendor's doca_caps: for each device a line "PCI: 0000:03:00.0", below it
// the names of libraries, and below each of these its capabilities with their values ("supported",
// "unsupported", or a number).

#ifndef DOCACTL_CARD_IMPORT_H
#define DOCACTL_CARD_IMPORT_H

#include "card.h"

#define IMPORT_UNKNOWN_MAX 128
#define IMPORT_NAME_SIZE   96
#define IMPORT_REMARK_SIZE 160

struct card_import {
    char device[32];
    struct card card;
    bool given[CARD_KEYS_END];
    size_t n_given;
    char unknown[IMPORT_UNKNOWN_MAX][IMPORT_REMARK_SIZE]; // what became no line, and why
    size_t n_unknown;
};

// `device` is a PCI address, or NULL for the first device with capabilities. *found is zeroed.
void card_import(const char *text, const char *device, struct card_import *found);

#endif
