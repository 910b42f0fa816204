// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The setting for tests of the walls: two linked daemons of one user, a victim of another user
// that exports memory and continues to work, and an attacker of a third user that talks to the
// daemons without the library. Needs root in order to be three users.

#ifndef INTEGRATION_WALLS_H
#define INTEGRATION_WALLS_H

#include "child.h"
#include "protocol.h"
#include "queue_pair.h"

#define WALLS_DOCAD    64001
#define WALLS_VICTIM   64002
#define WALLS_ATTACKER 65534

// The contents of the victim's memory.
#define SHARED_BYTE 0x5a // in exported ranges
#define SECRET_BYTE 0xc3 // around them

// An export of the victim. The range begins and ends within a page, so that it has both
// brokered bytes and whole pages.
struct prey {
    struct descriptor d;
    uint64_t id, address, length;
    uint64_t mapped; // bytes in its memory file
};

struct walls_handout {
    struct prey read_only, read_write; // for everybody
    struct prey keep;                  // whose descriptor the attacker does not get
};

struct attacker {
    struct child *self; // to the test
    const struct daemon *host, *dpu;
    struct walls_handout prey;
    struct raw_session on_host, on_dpu; // functions pf0 and p0 are open
    uint32_t pf0, p0;
};

typedef void (*attack_fn)(struct attacker *attacker);

// The users who are to meet get into the test's directory; what is below keeps its own modes.
void walls_open_directories(void);
// Makes this process another user's from now on.
void walls_become(uid_t uid);

void walls_setup(void);
void walls_setup_with_limits(const char *limits);
void walls_teardown(void); // the victim must be unharmed, both daemons alive and empty

// Runs the attack in a process of its own, to its end.
void walls_attack(attack_fn attack);
// The same, in turns with the test, which must join the child.
struct child *walls_attack_start(attack_fn attack);
// The same as the victim's user.
struct child *walls_neighbour_start(attack_fn deed);

const struct walls_handout *walls_handed_out(void);

// The victim looks whether its memory is as it was, and copies some of it.
void walls_assert_victim_unharmed(void);
// The victim ends its read-write export as docactl would / moves the memory away.
void walls_victim_does(const char *what);

extern struct daemon *walls_host, *walls_dpu;

// ---- for attackers ------------------------------------------------------------------------

// An import on the DPU.
struct loot {
    uint64_t id, address, length;
    uint32_t key, slot, access;
    int memfd;
};
struct loot attacker_import(struct attacker *a, const struct prey *prey);
void loot_drop(struct loot *loot);

#endif
