// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A side of an RDMA pair that polls costs the other side no fence: client/rdma/direction.c reads
// `event_driven` right after it has published, and only where that is set continues as in
// doorbell.pml. So whoever sets it must let a barrier pass through the other side, before it sleeps
// for the first time. Between the two steps of the other side the compiler must not change the order,
// because the barrier may come there.
//
// broken: NO_BARRIER LOOKS_FIRST

#define PROCESSES 2
#define VARIABLES 3
#define HEAD      0
#define ARMED     1
#define DRIVEN    2
#include "memory.pml"

#define MESSAGES 2

bool bell, over;

proctype sender(byte me)
{
    byte i = 1, driven, armed;
    do
    :: i <= MESSAGES ->
#ifdef LOOKS_FIRST
        load(DRIVEN, driven);
        store_release(HEAD, i);
#else
        store_release(HEAD, i);
        load(DRIVEN, driven);
#endif
        if
        :: driven ->
            fence();
            load(ARMED, armed);
            if
            :: armed -> store(ARMED, 0); fence(); bell = true
            :: else
            fi
        :: else
        fi;
        i++
    :: else -> break
    od;
    over = true
}

proctype receiver(byte me)
{
    byte head, taken;
    store(DRIVEN, 1);
    fence();
#ifndef NO_BARRIER
    fence_of(0);
#endif
    do
    :: load(HEAD, head);
        if
        :: head != taken -> taken = head
        :: else ->
            store(ARMED, 1);
            fence();
            load(HEAD, head);
            if
            :: head != taken
            :: else ->
                if
                :: atomic { bell -> bell = false }
                :: over && taken == MESSAGES -> break
                fi
            fi
        fi
    od
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run sender(0);
        run receiver(1)
    }
}
