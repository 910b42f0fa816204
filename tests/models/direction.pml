// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Each message arrives as it was sent: a direction of common/rdma_pair.h with two entries, and the rings of
// common/queue_pair.h, whose head is one word for all. The number of an entry is written last and read
// first; a sender uses an entry again only when the receiver has counted it.
//
// broken: NO_RELEASE_OF_THE_NUMBER NO_ACQUIRE_OF_THE_NUMBER NO_RELEASE_OF_THE_COUNT NO_ROOM

#define PROCESSES 2
#define VARIABLES 5
#define PAYLOAD   0 // and 1
#define NUMBER    2 // and 3
#define TAKEN     4
#include "memory.pml"

#define ENTRIES  2
#define MESSAGES 5

proctype sender(byte me)
{
    byte i = 0, taken;
    do
    :: i < MESSAGES ->
#ifndef NO_ROOM
        do
        :: load(TAKEN, taken);
            if
            :: i - taken < ENTRIES -> break
            :: else -> memory[TAKEN] != taken
            fi
        od;
#endif
        store(PAYLOAD + i % ENTRIES, i + 1);
#ifdef NO_RELEASE_OF_THE_NUMBER
        store(NUMBER + i % ENTRIES, i + 1);
#else
        store_release(NUMBER + i % ENTRIES, i + 1);
#endif
        i++
    :: else -> break
    od
}

proctype receiver(byte me)
{
    byte i = 0, number, payload;
    do
    :: i < MESSAGES ->
        do
        ::
#ifdef NO_ACQUIRE_OF_THE_NUMBER
            load(PAYLOAD + i % ENTRIES, payload); // read ahead
#endif
            load(NUMBER + i % ENTRIES, number);
            if
            :: number == i + 1 -> break
            :: else -> memory[NUMBER + i % ENTRIES] != number
            fi
        od;
#ifdef NO_RELEASE_OF_THE_COUNT
        store(TAKEN, i + 1);
        load(PAYLOAD + i % ENTRIES, payload); // a read that comes after the store of the count
#else
#ifndef NO_ACQUIRE_OF_THE_NUMBER
        load(PAYLOAD + i % ENTRIES, payload);
#endif
        store_release(TAKEN, i + 1);
#endif
        assert(payload == i + 1);
        i++
    :: else -> break
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
