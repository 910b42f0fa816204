// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs take effect one after the other: client/queue/executor.h, work_in_order(). One program writes bytes
// by a job, and by the next one a flag that says that they are there; another reads the flag by a job,
// and then the bytes. The copying is plain: without a fence the bytes of the second job may come first.
//
// broken: NO_FENCE_OF_THE_WRITER NO_FENCE_OF_THE_READER

#define PROCESSES 2
#define VARIABLES 2
#define BYTES     0
#define FLAG      1
#include "memory.pml"

#define ROUNDS 2

proctype writer(byte me)
{
    byte i = 1;
    do
    :: i <= ROUNDS ->
        store(BYTES, i);
        // A fence, and then a store: the same as a release.
#ifdef NO_FENCE_OF_THE_WRITER
        store(FLAG, i);
#else
        store_release(FLAG, i);
#endif
        i++
    :: else -> break
    od
}

proctype reader(byte me)
{
    byte flag, bytes;
    do
    ::
#ifdef NO_FENCE_OF_THE_READER
        load(BYTES, bytes); // read ahead
#endif
        load(FLAG, flag);
#ifndef NO_FENCE_OF_THE_READER
        load(BYTES, bytes);
#endif
        assert(bytes >= flag);
        if
        :: flag == ROUNDS -> break
        :: else -> memory[FLAG] != flag
        fi
    od
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run writer(0);
        run reader(1)
    }
}
