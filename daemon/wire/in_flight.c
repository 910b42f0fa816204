// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "in_flight.h"

#include "clock.h"
#include "limit.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#define PART     4   // of all; the rest is for helper processes and for the next docad
#define CHECK_MS 100 // between two checks of all sockets of an account

struct in_flight_account {
    struct list in_all, sockets;
    uid_t uid;
    unsigned references, count;
    uint64_t checked_ms;
};

static struct list all = {&all, &all};
static unsigned count_of_all;

static struct in_flight_account *account_get(uid_t uid)
{
    struct in_flight_account *a;
    list_for_each (a, &all, in_all) {
        if (a->uid == uid) {
            a->references++;
            return a;
        }
    }
    a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->uid = uid;
    a->references = 1;
    list_init(&a->sockets);
    list_append(&all, &a->in_all);
    return a;
}

static void account_put(struct in_flight_account *a)
{
    if (--a->references > 0)
        return;
    assert(a->count == 0);
    list_remove(&a->in_all);
    free(a);
}

int in_flight_init(struct in_flight *f, int sock, uid_t uid)
{
    *f = (struct in_flight){.account = account_get(uid), .sock = sock};
    list_init(&f->in_account);
    return f->account ? 0 : -ENOMEM;
}

void in_flight_fini(struct in_flight *f)
{
    if (!f->account)
        return;
    in_flight_give(f, f->count);
    account_put(f->account);
    f->account = NULL;
}

void in_flight_give(struct in_flight *f, unsigned n)
{
    f->count -= n;
    f->account->count -= n;
    count_of_all -= n;
    if (f->count == 0)
        list_remove(&f->in_account);
}

// Releases the charge of what was received since: no packet that was sent is unread any more.
static void update(struct in_flight *f)
{
    int unread;
    if (f->count > 0 && ioctl(f->sock, SIOCOUTQ, &unread) == 0 && unread == 0)
        in_flight_give(f, f->count);
}

static void update_all(struct in_flight_account *a)
{
    struct in_flight *f, *next;
    uint64_t now = clock_ms();

    if (now - a->checked_ms < CHECK_MS)
        return;
    a->checked_ms = now;
    list_for_each_safe (f, next, &a->sockets, in_account)
        update(f);
}

static bool fits(const struct in_flight_account *a, unsigned n)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           a->count + n <= limit_share(limit.rlim_cur / PART, count_of_all - a->count);
}

bool in_flight_take(struct in_flight *f, unsigned n)
{
    update(f);
    if (!fits(f->account, n)) {
        update_all(f->account);
        if (!fits(f->account, n))
            return false;
    }
    if (f->count == 0)
        list_append(&f->account->sockets, &f->in_account);
    f->count += n;
    f->account->count += n;
    count_of_all += n;
    return true;
}
