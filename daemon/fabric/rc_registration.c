// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_registration.h"

#include "cleanup.h"
#include "rc_device.h"
#include "user.h"

#include <doca_types.h>

#include <sys/mman.h>

// Each is a mapping, and a process can have some 65000 mappings.
#define REGISTRATIONS_MAX 8192u

// Used only by the loop's thread.
static unsigned n_registrations;
static uint64_t pinned_bytes;

// ---- by the thread ----------------------------------------------------------------------

static void do_register(struct chore *chore)
{
    struct rc_registration *r = container_of(chore, struct rc_registration, chore);
    // Other machines have no permission: only work requests of our own queue pairs use it.
    uint32_t access = r->mapping.writable ? DOCA_ACCESS_LOCAL_READ_WRITE : 0;

    verbs_register(&r->device->device, r->mapping.start, r->mapping.length, access, &r->mr,
                   &r->err);
}

static void do_unregister(struct chore *chore)
{
    struct rc_registration *r = container_of(chore, struct rc_registration, chore);

    if (r->mr)
        ibv_dereg_mr(r->mr);
    munmap(r->mapping.start, r->mapping.length);
}

// ---- by the loop ------------------------------------------------------------------------

static doca_error_t charge(const struct rc_mapping *m, const struct limits *limits,
                           struct errtext *err)
{
    doca_error_t r = limit_take(limits, LIMIT_ALL_PINNED_BYTES, &pinned_bytes, m->length, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = limit_take(limits, LIMIT_PINNED_BYTES, &m->user->pinned_bytes, m->length, err);
    if (r != DOCA_SUCCESS)
        limit_give(&pinned_bytes, m->length);
    return r;
}

static void dispose(struct rc_registration *r)
{
    limit_give(&pinned_bytes, r->mapping.length);
    limit_give(&r->mapping.user->pinned_bytes, r->mapping.length);
    user_unref(r->mapping.user);
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
    chores_add(r->device->chores, &r->chore); // cannot fail: the thread exists, since it registered
                                              // this
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

struct rc_registration *rc_registration_new(struct rc_device *device,
                                            const struct rc_mapping *mapping,
                                            const struct limits *limits, void (*settled)(void *arg),
                                            void *arg, struct errtext *err)
{
    struct rc_registration *r = NULL;

    if (n_registrations == REGISTRATIONS_MAX)
        errtext_write(err, "docad has registered %u parts of memory, which is the limit",
                      REGISTRATIONS_MAX);
    else if (!(r = calloc(1, sizeof(*r))))
        errtext_write(err, "docad is out of memory");
    if (r && charge(mapping, limits, err) != DOCA_SUCCESS) {
        free(r);
        r = NULL;
    }
    if (!r)
        return NULL;
    user_ref(mapping->user);
    n_registrations++;
    device->references++;
    *r = (struct rc_registration){.chore = {.work = do_register, .done = on_registered},
                                  .device = device,
                                  .mapping = *mapping,
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
