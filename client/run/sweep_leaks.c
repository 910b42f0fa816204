// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sweep_leaks.h"

#include <stdio.h>
#include <string.h>

#define SIDES   2
#define RUN_MAX 128

// Objects of one place.
struct place {
    char text[FAULT_PLACE_MAX];
    uint64_t before; // that are left without a fault
    uint64_t now;    // in the present run
    unsigned runs;   // that have left more
    char first[RUN_MAX];
};

static struct {
    struct place places[FAULT_PLACES_MAX];
    unsigned count;
} sides[SIDES];

static struct place *find(int side, const char *text)
{
    for (unsigned i = 0; i < sides[side].count; i++)
        if (strcmp(sides[side].places[i].text, text) == 0)
            return &sides[side].places[i];
    if (sides[side].count == FAULT_PLACES_MAX)
        return NULL;
    struct place *place = &sides[side].places[sides[side].count++];
    memcpy(place->text, text, FAULT_PLACE_MAX);
    return place;
}

// Two processes may have objects of the same place. The program may have overwritten the memory.
static void read_places(int side, struct fault_shared *shared)
{
    unsigned n = atomic_load(&shared->left_count);
    for (unsigned i = 0; i < sides[side].count; i++)
        sides[side].places[i].now = 0;
    for (unsigned i = 0; i < n && i < FAULT_PLACES_MAX; i++) {
        char text[FAULT_PLACE_MAX];
        memcpy(text, shared->left[i].place, sizeof(text));
        text[sizeof(text) - 1] = '\0';
        struct place *place = find(side, text);
        if (place)
            place->now += atomic_load(&shared->left[i].objects);
    }
}

void sweep_leaks_begin(int side, struct fault_shared *shared)
{
    read_places(side, shared);
    for (unsigned i = 0; i < sides[side].count; i++)
        sides[side].places[i].before = sides[side].places[i].now;
}

uint64_t sweep_leaks_take(int side, struct fault_shared *shared, const char *run)
{
    uint64_t objects = 0;
    read_places(side, shared);
    for (unsigned i = 0; i < sides[side].count; i++) {
        struct place *place = &sides[side].places[i];
        if (place->now <= place->before)
            continue;
        objects += place->now - place->before;
        if (place->runs++ == 0)
            snprintf(place->first, sizeof(place->first), "%s", run);
    }
    return objects;
}

void sweep_leaks_print(int side, const char *mark)
{
    for (unsigned i = 0; i < sides[side].count; i++) {
        const struct place *place = &sides[side].places[i];
        if (place->runs)
            printf("leaked in %u run%s, first in %s: %s%s\n", place->runs,
                   place->runs == 1 ? "" : "s", place->first, mark, place->text);
    }
}
