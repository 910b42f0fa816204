// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state that docad-run and the programs that it starts with faults share: the rules, in the
// environment, and memory in which all of these processes count.

#ifndef FAULTS_FAULT_SHARED_H
#define FAULTS_FAULT_SHARED_H

#include "fault_decide.h"

#define FAULTS_VARIABLE "DOCAD_FAULTS" // the text of the rules
#define FAULTS_SHARED_VARIABLE                                                                     \
    "DOCAD_FAULTS_SHARED" // a path of the memory; without it nothing is shared

#define FAULT_FUNCTIONS_MAX 2048
#define FAULT_PLACES_MAX    256
#define FAULT_PLACE_MAX     192

struct fault_function {
    char name[FAULT_TARGET_MAX]; // written once, before any call
    _Atomic uint64_t calls;      // of a function that can fail
};

// Objects that were not destroyed when a process ended, of one type and made at one place.
struct fault_left {
    char place[FAULT_PLACE_MAX];
    _Atomic uint64_t objects;
};

struct fault_shared {
    struct fault_counts counts;
    _Atomic uint64_t faults;     // injected
    _Atomic uint32_t left_count; // may be larger than the array
    struct fault_left left[FAULT_PLACES_MAX];
    struct fault_function functions[FAULT_FUNCTIONS_MAX];
};

#endif
