// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_connect.h"

#include "chores.h"
#include "cleanup.h"
#include "clock.h"
#include "rc_device.h"

#include <stdatomic.h>
#include <stdlib.h>

struct rc_connect {
    struct chore chore;
    struct rc_parts parts;
    uint64_t asked_ms;
    atomic_bool abandoned; // set by the loop
    bool connected;
    struct errtext why;
    rc_connect_fn done;
    void *arg;
};

void rc_parts_release(struct rc_parts *parts)
{
    verbs_rc_destroy(&parts->rc);
    if (parts->data_mr)
        ibv_dereg_mr(parts->data_mr);
    if (parts->control_mr)
        ibv_dereg_mr(parts->control_mr);
    free(parts->control);
    rc_device_put(parts->device);
    *parts = (struct rc_parts){0};
}

// ---- by the thread ----------------------------------------------------------------------

static void do_connect(struct chore *chore)
{
    struct rc_connect *c = container_of(chore, struct rc_connect, chore);
    struct rc_unreached *last = &c->parts.device->unreached;
    const struct verbs_address other = c->parts.rc.other;

    if (atomic_load(&c->abandoned))
        return;
    // If several queue pairs are connected at the same time, they wait only once.
    if (c->asked_ms <= last->found_ms) {
        c->why = last->why;
        return;
    }
    c->connected = verbs_rc_connect(&c->parts.rc, &other, &c->why) == DOCA_SUCCESS;
    if (!c->connected)
        *last = (struct rc_unreached){.found_ms = clock_ms(), .why = c->why};
}

// ---- by the loop ------------------------------------------------------------------------

static void on_done(struct chore *chore)
{
    struct rc_connect *c = container_of(chore, struct rc_connect, chore);

    if (atomic_load(&c->abandoned))
        rc_parts_release(&c->parts);
    else
        c->done(c->arg, c->connected ? NULL : c->why.s);
    free(c);
}

doca_error_t rc_connect_new(struct rc_connect **out, const struct rc_parts *parts,
                            rc_connect_fn done, void *arg, struct errtext *err)
{
    struct rc_connect *c = calloc(1, sizeof(*c));
    if (!c)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    c->chore = (struct chore){.work = do_connect, .done = on_done};
    c->parts = *parts;
    c->asked_ms = clock_ms();
    c->done = done;
    c->arg = arg;
    list_init(&c->chore.in_chores);
    if (!chores_add(parts->device->connecting, &c->chore)) {
        free(c);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad cannot start a thread");
    }
    *out = c;
    return DOCA_SUCCESS;
}

struct rc_connect *rc_connect_abandon(struct rc_connect *c)
{
    atomic_store(&c->abandoned, true);
    return NULL;
}
