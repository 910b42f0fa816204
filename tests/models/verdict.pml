// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A Comch message that its producer was told is sent was received, and no other one, although the
// consumer stops meanwhile: client/comch/ring.h. Two producers have claimed a receive each. They write
// their entries without a fence, and then look at `closed`; the consumer sets it, lets a barrier pass
// through them, takes what is there, and says which messages that were.
//
// broken: NO_BARRIER LOOKS_FIRST TAKES_CLOSING_FOR_LOST NO_RELEASE_OF_THE_VERDICT STOPS_AT_A_GAP

#define PROCESSES 3
#define VARIABLES 5
#define ENTRY     0 // and 1
#define CLOSED    2
#define VERDICT   3 // and 4
#include "memory.pml"

#define CLOSING 1
#define IS_CLOSED  2

bool sent[2], received[2];
byte ended;

proctype producer(byte me)
{
    byte closed, verdict;
#ifdef LOOKS_FIRST
    load(CLOSED, closed);
    store_release(ENTRY + me, 1);
#else
    store_release(ENTRY + me, 1);
    load(CLOSED, closed);
#endif
    if
    :: closed == 0 -> sent[me] = true
    :: else ->
#ifndef TAKES_CLOSING_FOR_LOST
        do
        :: closed == CLOSING -> load(CLOSED, closed)
        :: else -> break
        od;
#endif
        load(VERDICT + me, verdict);
        sent[me] = verdict
    fi;
    ended++
}

proctype consumer(byte me)
{
    byte i, entry;
    bool gap;
    store(CLOSED, CLOSING);
    fence();
#ifndef NO_BARRIER
    fence_of(0);
    fence_of(1);
#endif
    do
    :: i < 2 ->
        load(ENTRY + i, entry);
#ifdef STOPS_AT_A_GAP
        gap = gap || entry == 0;
#endif
        if
        :: entry && !gap -> received[i] = true; store(VERDICT + i, 1)
        :: else
        fi;
        i++
    :: else -> break
    od;
#ifdef NO_RELEASE_OF_THE_VERDICT
    store(CLOSED, IS_CLOSED);
#else
    store_release(CLOSED, IS_CLOSED);
#endif
    ended == 2;
    assert(sent[0] == received[0]);
    assert(sent[1] == received[1])
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run drain(2);
        run producer(0);
        run producer(1);
        run consumer(2)
    }
}
