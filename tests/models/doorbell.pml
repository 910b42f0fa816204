// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// No wake-up is lost: one side publishes and rings if the other side sleeps; the other side says that
// it sleeps, and looks once more. The same steps are those of
//
//   common/queue_pair.c          qp_ring() and qp_server_sleep(); qp_server_complete() and qp_arm();
//                                qp_publish() and, after others ran, qp_all_taken() and qp_wake()
//   client/rdma/direction.c, queue.c  rdma_ring() and rdma_arm(), once the mode is known (mode.pml)
//   common/channel_page.h        a receiver counts, a sender wants room
//
// The sleeper is also woken by others: an engine serves many queue pairs.
//
// broken: NO_FENCE_OF_THE_WRITER NO_FENCE_OF_THE_SLEEPER NO_LOOK CLEARS_AFTER_THE_BELL BELL_ORDERS_NOTHING TRUSTS_A_SLEEPER_SEEN_AWAKE

#define PROCESSES 2
#define VARIABLES 2
#define HEAD      0
#define SLEEPING  1
#include "memory.pml"

#define REQUESTS 3

byte tail;       // what the sleeper has taken
bool bell;       // an eventfd, waited for by edges; the byte on a channel
bool other_bell; // of another queue pair
bool over;

// The system call. Its locks are a release: what the writer stored before is there when the sleeper
// returns from waiting.
inline ring()
{
#ifndef BELL_ORDERS_NOTHING
    fence();
#endif
    bell = true;
}

proctype writer(byte me)
{
    byte i = 1, sleeping;
    do
    :: i <= REQUESTS ->
        store_release(HEAD, i);
#ifndef NO_FENCE_OF_THE_WRITER
        fence();
#endif
        load(SLEEPING, sleeping);
        if
        :: sleeping -> // now, or later, if it still sleeps then and has not taken the request
            if
            :: true
#ifdef TRUSTS_A_SLEEPER_SEEN_AWAKE
            :: load(SLEEPING, sleeping); sleeping = false
#else
            :: load(SLEEPING, sleeping)
#endif
            :: tail == i -> sleeping = false
            fi
        :: else
        fi;
        if
        :: sleeping ->
#ifdef CLEARS_AFTER_THE_BELL
            ring();
            store(SLEEPING, 0);
#else
            store(SLEEPING, 0);
            ring();
#endif
        :: else
        fi;
        i++
    :: else -> break
    od;
    over = true
}

proctype sleeper(byte me)
{
    byte head;
    do
    :: load(HEAD, head);
        if
        :: head != tail -> tail = head
        :: else ->
            store(SLEEPING, 1);
#ifndef NO_FENCE_OF_THE_SLEEPER
            fence();
#endif
#ifdef NO_LOOK
            head = tail;
#else
            load(HEAD, head);
#endif
            if
            :: head != tail
            :: else ->
                // With requests left it must not wait for ever: that is what the search finds.
                if
                :: atomic { bell -> bell = false }
                :: atomic { other_bell -> other_bell = false }
                :: over && tail == REQUESTS -> break
                fi
            fi;
            store(SLEEPING, 0)
        fi
    od
}

proctype other()
{
    other_bell = true
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run writer(0);
        run sleeper(1);
        run other()
    }
}
