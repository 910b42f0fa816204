// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One thread connects an RDMA connection while another one submits to it: client/rdma/connection.c sets
// where the pair is, and then the state; client/rdma/quick.h reads the state, and then the rest.
//
// broken: NO_RELEASE_OF_THE_STATE NO_ACQUIRE_OF_THE_STATE

#define PROCESSES 2
#define VARIABLES 3
#define THEIR     0 // 0: NULL
#define SLOT_WORD 1 // 0: NULL
#define STATE     2 // 1: connected
#include "memory.pml"

proctype connecting(byte me)
{
    store(THEIR, 1);
    store(SLOT_WORD, 1);
#ifdef NO_RELEASE_OF_THE_STATE
    store(STATE, 1)
#else
    store_release(STATE, 1)
#endif
}

proctype submitting(byte me)
{
    byte state, slot_word, their;
#ifdef NO_ACQUIRE_OF_THE_STATE
    load(THEIR, their); // read ahead
    load(SLOT_WORD, slot_word);
    load(STATE, state);
#else
    load(STATE, state);
    load(SLOT_WORD, slot_word);
    load(THEIR, their);
#endif
    assert(!state || (slot_word && their))
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run connecting(0);
        run submitting(1)
    }
}
