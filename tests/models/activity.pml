// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// No byte moves after a revocation has returned, and docad sees all that moved before: common/activity.h.
// A thread names the import, reads its state, copies, and leaves; docad changes the state, issues the
// barriers of both, and waits until no thread names the import.
//
// broken: NO_MEMBARRIER NO_FENCE_OF_DOCAD NO_RELEASE STATE_FIRST
// right: OWN_BARRIER

#define PROCESSES 2
#define VARIABLES 3
#define STATE     0 // 0: live
#define NAME      1 // of the import, in the thread's slot
#define BYTE      2 // of the import's memory
#include "memory.pml"

#define THREAD 0
#define DOCAD  1

bool copying, returned;
byte copied;

proctype thread(byte me)
{
    byte job = 1, state;
    do
    :: job <= 2 ->
#ifdef STATE_FIRST
        load(STATE, state);
        store(NAME, 1);
#else
        store(NAME, 1);
#ifdef OWN_BARRIER
        fence();
#endif
        load(STATE, state);
#endif
        if
        :: state == 0 ->
            copying = true;
            assert(!returned);
            store(BYTE, job);
            copied = job;
            copying = false
        :: else
        fi;
#ifdef NO_RELEASE
        store(NAME, 0);
#else
        store_release(NAME, 0);
#endif
        job++
    :: else -> break
    od
}

proctype docad(byte me)
{
    byte name, value;
    store(STATE, 1);
#ifndef NO_FENCE_OF_DOCAD
    fence();
#endif
#if !defined(NO_MEMBARRIER) && !defined(OWN_BARRIER)
    fence_of(THREAD); // membarrier(2)
#endif
    do
    :: load(NAME, name);
        if
        :: name == 0 -> break
        :: else -> memory[NAME] == 0 // it looks again later
        fi
    od;
    returned = true;
    assert(!copying);
    load(BYTE, value);
    assert(value == copied)
}

init {
    atomic {
        run drain(THREAD);
        run drain(DOCAD);
        run thread(THREAD);
        run docad(DOCAD)
    }
}
