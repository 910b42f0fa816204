// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// No change of a sync event's counter is slept over: common/sync_page.h, client/sync_event/se_job.c. All
// sleepers share one flag, and one timer that wakes each of them by an edge. A sleeper reads the counter
// again only if the flag was down, or was cleared since it last looked: reading may cost a request to an
// engine. How often the flag was cleared it reads before it sets the flag: a count that it reads later
// may have in it that this flag was cleared, so that the next one, of another sleeper, passes for it.
//
// broken: LOOKS_BEFORE_IT_CHANGES CHANGE_PASSED FLAG_PASSED COUNTS_LATE FLAG_ALONE NO_LOOK_AT_THE_COUNTER

#define PROCESSES 4
#define VARIABLES 3
#define COUNTER   0
#define SLEEPING  1
#define WAKES     2
#include "memory.pml"

#define WRITERS  2 // each of them adds one
#define SLEEPERS 2

bool edge[SLEEPERS]; // the timer, in the epoll instance of each

inline wake()
{
    exchange(SLEEPING, 0, sleeping);
    if
    :: sleeping ->
        add(WAKES, 1, sleeping);
        d_step {
            edge[0] = true;
            edge[1] = true
        }
    :: else
    fi
}

proctype writer(byte me)
{
    byte sleeping;
#ifdef LOOKS_BEFORE_IT_CHANGES
    load_ordered(SLEEPING, sleeping);
    add(COUNTER, 1, _);
#else
#ifdef CHANGE_PASSED
    if // as a set of the latest value would be: a store that waits in the buffer
    :: atomic { stores[0].n == 0 && stores[1].n == 0 -> store(COUNTER, memory[COUNTER] + 1) }
    fi;
    load(SLEEPING, sleeping);
#else
    add(COUNTER, 1, _);
    load_ordered(SLEEPING, sleeping);
#endif
#endif
    if
    :: sleeping -> wake()
    :: else
    fi
}

proctype sleeper(byte me)
{
    byte was, wakes, counter;
    byte known = 255; // nothing
    do
    ::
#ifndef COUNTS_LATE
        load(WAKES, wakes);
#endif
#ifdef FLAG_PASSED
        load(SLEEPING, was);
        store(SLEEPING, 1);
#else
        exchange(SLEEPING, 1, was);
        fence();
#endif
#ifdef COUNTS_LATE
        load(WAKES, wakes);
#endif
        if
#ifdef NO_LOOK_AT_THE_COUNTER
        :: false
#else
#ifdef FLAG_ALONE
        :: !was || known == 255 ->
#else
        :: !was || wakes != known ->
#endif
            known = wakes;
            load(COUNTER, counter);
            if
            :: counter == WRITERS -> break
            :: else
            fi
#endif
        :: else ->
            atomic { edge[me - WRITERS] -> edge[me - WRITERS] = false }
        fi
    od
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run drain(2);
        run drain(3);
        run writer(0);
        run writer(1);
        run sleeper(2);
        run sleeper(3)
    }
}
