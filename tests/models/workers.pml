// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// No operation waits while all workers sleep, and each is carried out once, as it was given:
// client/workers/ring.c, threads.c. A thread that gives one stores its turn, and then looks whether
// workers sleep; a worker hears the bell, counts itself among the sleeping, and looks once more.
//
// broken: TURN_PASSED NO_LOOK HEARS_LATE NO_RELEASE_OF_THE_TURN

#define PROCESSES 4
#define VARIABLES 8
#define IN        0
#define OUT       1
#define SLEEPING  2
#define BELL      3
#define TURN      4 // and 5: 0: free, at + 1: full
#define OP        6 // and 7
#include "memory.pml"

#define GIVERS  2 // one operation each
#define WORKERS 2

byte ended;          // operations
bool out_of_bed[WORKERS];
bool in_bed[WORKERS];

// FUTEX_WAKE of one of those that wait.
inline futex_wake()
{
    atomic {
        if
        :: in_bed[0] -> in_bed[0] = false; out_of_bed[0] = true
        :: in_bed[1] -> in_bed[1] = false; out_of_bed[1] = true
        :: !in_bed[0] && !in_bed[1]
        fi
    }
}

proctype giver(byte me)
{
    byte at, sleeping;
    bool claimed;
    load(IN, at);
    do
    :: claim(IN, at, claimed);
        if
        :: claimed -> break
        :: else
        fi
    od;
    store(OP + at, at + 1);
#ifdef NO_RELEASE_OF_THE_TURN
    store(TURN + at, at + 1);
#else
    store_release(TURN + at, at + 1);
#endif
#ifdef TURN_PASSED
    load(SLEEPING, sleeping);
#else
    load_ordered(SLEEPING, sleeping);
#endif
    if
    :: sleeping ->
        add(BELL, 1, _);
        futex_wake()
    :: else
    fi
}

inline take()
{
    taken = false;
    load(OUT, at);
    do
    :: at == GIVERS -> break
    :: else ->
        load_ordered(TURN + at, turn);
        if
        :: turn == at + 1 ->
            claim(OUT, at, taken);
            if
            :: taken -> break
            :: else
            fi
        :: else -> break
        fi
    od;
    if
    :: taken ->
        load(OP + at, op);
        assert(op == at + 1);
        d_step { ended++; at = 0; op = 0 }
    :: else
    fi
}

proctype worker(byte me)
{
    byte at, turn, op, heard;
    bool taken;
    do
    :: take();
        if
        :: taken
        :: else ->
#ifndef HEARS_LATE
            load(BELL, heard);
#endif
            add(SLEEPING, 1, _);
#ifdef NO_LOOK
            taken = false;
#else
            take();
#endif
#ifdef HEARS_LATE
            load(BELL, heard);
#endif
            if
            :: taken
            :: else ->
                if // FUTEX_WAIT
                :: atomic { memory[BELL] == heard -> in_bed[me - GIVERS] = true }
                    if
                    :: atomic { out_of_bed[me - GIVERS] -> out_of_bed[me - GIVERS] = false }
                    :: atomic { ended == GIVERS -> break }
                    fi
                :: memory[BELL] != heard
                fi
            fi;
            add(SLEEPING, 255, _)
        fi
    od
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run drain(2);
        run drain(3);
        run giver(0);
        run giver(1);
        run worker(2);
        run worker(3)
    }
}
