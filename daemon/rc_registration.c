// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_registration.h"

#include "cleanup.h"
#include "rc_device.h"

#include <doca_types.h>

#include <sys/mman.h>

// Each is a mapping, of which a process may have some 65000.
#define REGISTRATIONS_MAX 8192u

static unsigned n_registrations; // of the loop's

// ---- by the thread ----------------------------------------------------------------------

static void do_register(struct chore *chore)
{
    struct rc_registration *r = container_of(chore, struct rc_registration, chore);
    // No right for other machines: only work requests of our own queue pairs name it.
    uint32_t access = r->writable ? DOCA_ACCESS_LOCAL_READ_WRITE : 0;

    verbs_register(&r->device->device, r->start, r->length, access, &r->mr, &r->err);
}

static void do_unregister(struct chore *chore)
{
    struct rc_registration *r = container_of(chore, struct rc_registration, chore);

    if (r->mr)
        ibv_dereg_mr(r->mr);
    munmap(r->start, r->length);
}

// ---- by the loop ------------------------------------------------------------------------

static void dispose(struct rc_registration *r)
{
    rc_device_put(r->device);
    free(r);
    n_registrations--;
}

static void on_unregistered(struct chore *chore)
{
    dispose(container_of(chore, struct rc_registration, chore));
}

static void end_if_unused(struct rc_registration *r)
{
    if (!r->dropped || r->holds > 0 || r->state == RC_REGISTERING || r->state == RC_UNREGISTERING)
        return;
    r->state = RC_UNREGISTERING;
    r->chore.work = do_unregister;
    r->chore.done = on_unregistered;
    chores_add(r->device->chores, &r->chore); // there is a thread: it has registered
}

static void on_registered(struct chore *chore)
{
    struct rc_registration *r = container_of(chore, struct rc_registration, chore);

    r->state = r->mr ? RC_REGISTERED : RC_NOT_REGISTERED;
    if (!r->dropped)
        r->settled(r->arg);
    else
        end_if_unused(r);
}

struct rc_registration *rc_registration_new(struct rc_device *device, void *map, uint64_t length,
                                            bool writable, void (*settled)(void *arg), void *arg,
                                            struct errtext *err)
{
    struct rc_registration *r = NULL;

    if (n_registrations == REGISTRATIONS_MAX)
        errtext_write(err, "docad has registered %u parts of memory, which is the limit",
                      REGISTRATIONS_MAX);
    else if (!(r = calloc(1, sizeof(*r))))
        errtext_write(err, "docad is out of memory");
    if (!r)
        return NULL;
    n_registrations++;
    device->references++;
    *r = (struct rc_registration){.chore = {.work = do_register, .done = on_registered},
                                  .device = device,
                                  .writable = writable,
                                  .start = map,
                                  .length = length,
                                  .settled = settled,
                                  .arg = arg};
    if (chores_add(device->chores, &r->chore))
        return r;
    errtext_write(err, "docad cannot start a thread");
    dispose(r);
    return NULL;
}

struct rc_registration *rc_registration_drop(struct rc_registration *r)
{
    if (!r)
        return NULL;
    r->dropped = true;
    end_if_unused(r);
    return NULL;
}

void rc_registration_release(struct rc_registration *r)
{
    r->holds--;
    end_if_unused(r);
}
