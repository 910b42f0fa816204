// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Nothing is written to memory that a Comch consumer has given back: client/comch/ring.h. A producer marks
// the entry of a receive (COMCH_WRITING), looks at `closed`, writes, and says so in the entry; a
// consumer that ends sets `closed`, and waits for entries that are so marked.
//
// broken: MARK_PASSED CLOSED_PASSED LOOKS_BEFORE_IT_MARKS NO_RELEASE_OF_THE_ENTRY

#define PROCESSES 2
#define VARIABLES 3
#define BYTE      0 // of the posted memory
#define ENTRY     1
#define CLOSED    2
#include "memory.pml"

#define WRITING 1
#define WRITTEN 2
#define FAILED  3

bool given_back, writing;
byte written;

proctype producer(byte me)
{
    byte closed;
#ifdef LOOKS_BEFORE_IT_MARKS
    load_ordered(CLOSED, closed);
    store_release(ENTRY, WRITING);
#else
    store_release(ENTRY, WRITING);
#ifdef MARK_PASSED
    load(CLOSED, closed);
#else
    load_ordered(CLOSED, closed);
#endif
#endif
    if
    :: closed -> store_release(ENTRY, FAILED)
    :: else ->
        writing = true;
        assert(!given_back);
        store(BYTE, 1);
        written = 1;
        writing = false;
#ifdef NO_RELEASE_OF_THE_ENTRY
        store(ENTRY, WRITTEN)
#else
        store_release(ENTRY, WRITTEN)
#endif
    fi
}

proctype consumer(byte me)
{
    byte entry, value;
    store_release(CLOSED, 1);
    do
    ::
#ifdef CLOSED_PASSED
        load(ENTRY, entry);
#else
        load_ordered(ENTRY, entry);
#endif
        if
        :: entry == WRITING -> memory[ENTRY] != WRITING
        :: else -> break
        fi
    od;
    given_back = true;
    assert(!writing);
    load(BYTE, value);
    assert(value == written)
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run producer(0);
        run consumer(1)
    }
}
