// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One order of two ways: client/comm_channel/cc_ring.c and cc_recv.c. A sender puts a message into the
// ring of a receiver that polls, or into the socket, as it likes. The receiver polls when it has had a packet,
// gives that up for others, and waits from some time on; then, and when it does not poll, only the socket
// wakes it. It gets each message once and in order, and never waits while one is there. A socket that is full
// takes no wake-up.
//
// broken: NO_FENCE_OF_THE_SENDER NO_FENCE_OF_THE_RECEIVER NO_WAKE_UP NO_CHECK NO_SECOND_CHECK NO_AFTER
// broken: FORGETS_PACKETS LEAVES_BEFORE_PACKETS LOOKS_TWICE

#define PROCESSES 2
#define VARIABLES 2
#define PUT       0 // records
#define POLLED    1
#include "memory.pml"

#define MESSAGES 4
#define WAKE_UP    0
#define ROOM     2

byte record[MESSAGES], after[MESSAGES]; // written before PUT says so
chan socket = [ROOM] of {byte};

// The system call, see doorbell.pml.
inline send(x)
{
    fence();
    socket!x;
    packets++
}

inline wake_up()
{
    fence();
    if
    :: atomic { nfull(socket) -> socket!WAKE_UP }; packets++
    :: full(socket)
    fi
}

proctype sender(byte me)
{
    byte m = 1, puts = 0, packets = 0, polled;
    do
    :: m <= MESSAGES ->
        load(POLLED, polled);
        if
        :: polled ->
            record[puts] = m;
            after[puts] = packets;
            puts++;
            store_release(PUT, puts);
#ifndef NO_FENCE_OF_THE_SENDER
            fence();
#endif
            load(POLLED, polled);
            if
#ifndef NO_WAKE_UP
            :: !polled -> wake_up()
            :: else
#else
            :: skip
#endif
            fi
        :: send(m) // the ring is full, or it does not poll
        fi;
        m++
    :: else -> break
    od
}

#ifdef NO_AFTER
#define IS_NEXT (puts != taken)
#else
#define IS_NEXT (puts != taken && after[taken] <= got)
#endif

inline deliver(m)
{
    assert(m == expected);
    expected++
}

inline take_record()
{
    deliver(record[taken]);
    taken++
}

inline take_packet()
{
    socket?x;
    got++;
    if
    :: x != WAKE_UP ->
        deliver(x);
        if
        :: !waits && !open ->
            store(POLLED, 1);
            open = true
        :: skip
        fi
    :: else ->
        load(PUT, puts);
        if
        :: IS_NEXT -> take_record()
        :: else
        fi
    fi
}

inline take_in_order()
{
    if
    :: IS_NEXT -> take_record()
    :: !IS_NEXT && puts != taken ->
        assert(nempty(socket));
        take_packet()
#ifdef LOOKS_TWICE
    :: !IS_NEXT && nempty(socket) ->
        load(PUT, puts);
        if
        :: puts != taken -> take_packet()
        :: else
        fi
#endif
    :: !IS_NEXT && puts == taken ->
#ifdef LEAVES_BEFORE_PACKETS
        open = open && !waits;
#endif
        if
        :: empty(socket) -> open = open && !waits
        :: nempty(socket) ->
#ifndef NO_SECOND_CHECK
            load(PUT, puts);
#endif
            if
            :: IS_NEXT -> take_record()
            :: else -> take_packet()
            fi
        fi
    fi
}

inline stop_polling()
{
    store(POLLED, 0);
#ifndef NO_FENCE_OF_THE_RECEIVER
    fence();
#endif
#ifdef NO_CHECK
    open = false
#else
    load(PUT, puts);
#ifdef FORGETS_PACKETS
    open = open && puts != taken
#else
    open = open && (puts != taken || nempty(socket))
#endif
#endif
}

proctype receiver(byte me)
{
    byte expected = 1, got = 0, taken = 0, puts, x;
    bool open = false, waits = false;
    do
    :: expected <= MESSAGES ->
        if
        :: !waits ->
            stop_polling();
            waits = true
        :: !waits && open ->
            stop_polling();
            if
            :: open -> store(POLLED, 1) // records or packets are left
            :: else
            fi
        :: skip
        fi;
        // With messages left it must not wait for ever: that is what the search finds.
        if
        :: !open -> nempty(socket)
        :: open
        fi;
        load(PUT, puts);
        if
        :: open || puts != taken -> take_in_order()
        :: else ->
            if
            :: nempty(socket) -> take_packet()
            :: empty(socket)
            fi
        fi
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
