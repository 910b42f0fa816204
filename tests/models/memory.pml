// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A memory that is as weak as C11 and arm64 allow for stores: what a process stores stays in a buffer
// of its own, which it sees and others do not, and leaves it at any time and in any order, except
// that stores to one variable stay in order, and that a release waits for all stores before it. A
// sequentially consistent fence waits until the buffer is empty. Reads happen in the order of the
// program; a model that wants them otherwise writes them otherwise.
//
// A sequentially consistent store is a release; a sequentially consistent read after it
// (load_ordered) waits for it, but not for plain stores. One instruction that reads and writes
// (exchange, add, claim) does so in the memory. All but claim are sequentially consistent.
//
// Needs: PROCESSES, VARIABLES. A process is a number `me`. BUFFER stores may be under way.

#define BUFFER 3

typedef buffer {
    byte n;
    byte variable[BUFFER];
    byte value[BUFFER];
    bool release[BUFFER];
};

byte memory[VARIABLES];
buffer stores[PROCESSES];

inline put(p, v, x, r)
{
    d_step {
        stores[p].n < BUFFER;
        stores[p].variable[stores[p].n] = v;
        stores[p].value[stores[p].n] = x;
        stores[p].release[stores[p].n] = r;
        stores[p].n++;
    }
}

inline store(v, x) { put(me, v, x, false); }
inline store_release(v, x) { put(me, v, x, true); }

// The process sees its own latest store.
inline load(v, r)
{
    d_step {
        r = memory[v];
        if
        :: stores[me].n > 0 && stores[me].variable[0] == v -> r = stores[me].value[0];
        :: else
        fi;
        if
        :: stores[me].n > 1 && stores[me].variable[1] == v -> r = stores[me].value[1];
        :: else
        fi;
        if
        :: stores[me].n > 2 && stores[me].variable[2] == v -> r = stores[me].value[2];
        :: else
        fi;
    }
}

#define RELEASES(p)                                                                                \
    ((stores[p].n > 0 && stores[p].release[0]) || (stores[p].n > 1 && stores[p].release[1]) ||     \
     (stores[p].n > 2 && stores[p].release[2]))

inline load_ordered(v, r)
{
    atomic { !RELEASES(me) -> load(v, r) }
}

inline exchange(v, x, before)
{
    d_step { stores[me].n == 0 -> before = memory[v]; memory[v] = x }
}

inline add(v, x, before)
{
    d_step { stores[me].n == 0 -> before = memory[v]; memory[v] = memory[v] + x }
}

// A relaxed compare and swap to one more, of a variable that nobody stores to. `at` is what is expected, and
// becomes what is there.
inline claim(v, at, done)
{
    d_step {
        done = memory[v] == at;
        if
        :: done -> memory[v] = at + 1
        :: else -> at = memory[v]
        fi
    }
}

inline fence() { stores[me].n == 0; }
inline fence_of(p) { stores[p].n == 0; }

inline leave(p, i)
{
    memory[stores[p].variable[i]] = stores[p].value[i];
    if
    :: i < 1 -> stores[p].variable[0] = stores[p].variable[1]; stores[p].value[0] = stores[p].value[1];
                stores[p].release[0] = stores[p].release[1];
    :: else
    fi;
    if
    :: i < 2 -> stores[p].variable[1] = stores[p].variable[2]; stores[p].value[1] = stores[p].value[2];
                stores[p].release[1] = stores[p].release[2];
    :: else
    fi;
    stores[p].n--;
    stores[p].variable[stores[p].n] = 0;
    stores[p].value[stores[p].n] = 0;
    stores[p].release[stores[p].n] = false;
}

// One for each process. It never has to end.
proctype drain(byte p)
{
end:
    do
    :: d_step { stores[p].n > 0 -> leave(p, 0) }
    :: d_step { stores[p].n > 1 && !stores[p].release[1] &&
                stores[p].variable[1] != stores[p].variable[0] -> leave(p, 1) }
    :: d_step { stores[p].n > 2 && !stores[p].release[2] &&
                stores[p].variable[2] != stores[p].variable[0] &&
                stores[p].variable[2] != stores[p].variable[1] -> leave(p, 2) }
    od
}
