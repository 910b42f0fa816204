// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "lookup.h"

#include "clock.h"
#include "node.h"
#include "publication.h"
#include "session.h"
#include "user.h"

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

// The lookups of one user that wait.
struct lookups {
    struct user *user;
    struct sched_item turn;
    struct event *timer;     // for the first one that times out
    struct tree by_deadline; // all of them
    struct list due;         // to be handled: their name was published
    size_t count;
};

// A name that lookups of one user wait for.
struct wanted_name {
    struct tree_node in_node; // node->wanted_names: by name, uid, and the user of the lookup
    struct lookups *lookups;
    struct list waiting; // without those that are due
    size_t count;        // with them
    uid_t uid;           // whose name it is
    char name[];
};

struct lookup {
    struct list in_session, in_list; // of the name, or of those that are due
    struct tree_node by_deadline;
    struct session *session;
    struct wanted_name *wanted;
    uint64_t serial, deadline_ms;
    uint32_t timeout_ms;
};

// ---- the names --------------------------------------------------------------------------------

// What a wanted name is found by.
struct wanted_key {
    struct publication_key of;
    uid_t user; // the account that waits for it
};

static struct wanted_name *of_name(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct wanted_name, in_node) : NULL;
}

static int compare_name(const struct tree_node *node, const void *key)
{
    const struct wanted_name *wanted = of_name(node);
    const struct wanted_key *k = key;
    int order = publication_key_order(PUBLICATION_KEY(wanted), &k->of);
    uid_t user = wanted->lookups->user->uid;
    return order ? order : (user > k->user) - (user < k->user);
}

static int compare_names(const struct tree_node *a, const struct tree_node *b)
{
    const struct wanted_name *other = of_name(b);
    return compare_name(a,
                        &(struct wanted_key){{other->name, other->uid}, other->lookups->user->uid});
}

static struct wanted_name *seek_name(const struct node *node, const struct wanted_key *key)
{
    return of_name(tree_seek(&node->wanted_names, key, compare_name));
}

static struct wanted_name *wanted_new(struct node *node, struct lookups *lookups,
                                      const struct publication_key *key)
{
    size_t length = strlen(key->name);
    struct wanted_name *wanted = calloc(1, sizeof(*wanted) + length + 1);
    if (!wanted)
        return NULL;
    wanted->lookups = lookups;
    wanted->uid = key->uid;
    memcpy(wanted->name, key->name, length);
    list_init(&wanted->waiting);
    tree_add(&node->wanted_names, &wanted->in_node, compare_names);
    return wanted;
}

static struct wanted_name *wanted_get(struct node *node, struct lookups *lookups,
                                      const struct publication_key *key)
{
    const struct wanted_key whole = {*key, lookups->user->uid};
    struct wanted_name *wanted = seek_name(node, &whole);
    return wanted && compare_name(&wanted->in_node, &whole) == 0 ? wanted
                                                                 : wanted_new(node, lookups, key);
}

static void wanted_put(struct node *node, struct wanted_name *wanted)
{
    if (wanted->count > 0)
        return;
    tree_remove(&node->wanted_names, &wanted->in_node, compare_names);
    free(wanted);
}

// ---- the lookups of a user ----------------------------------------------------------------------

static struct lookup *of_deadline(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct lookup, by_deadline) : NULL;
}

static int compare_deadline(const struct tree_node *node, const void *key)
{
    uint64_t a = of_deadline(node)->deadline_ms, b = *(const uint64_t *)key;
    return (a > b) - (a < b);
}

static int compare_deadlines(const struct tree_node *a, const struct tree_node *b)
{
    return compare_deadline(a, &of_deadline(b)->deadline_ms);
}

static struct lookup *next_to_end(const struct lookups *lookups)
{
    return of_deadline(tree_seek(&lookups->by_deadline, &(uint64_t){0}, compare_deadline));
}

static bool set_timer(struct lookups *lookups)
{
    const struct lookup *next = next_to_end(lookups);
    uint64_t now = clock_ms();
    struct timeval left =
        ms_to_timeval(next && next->deadline_ms > now ? next->deadline_ms - now : 0);
    return !next || event_add(lookups->timer, &left) == 0;
}

static void on_timer(evutil_socket_t fd, short what, void *arg);
static bool take(struct sched_item *turn);

static struct lookups *lookups_new(struct session *session)
{
    struct lookups *lookups = calloc(1, sizeof(*lookups));
    if (!lookups)
        return NULL;
    lookups->timer = event_new(session->node->base, -1, 0, on_timer, lookups);
    if (!lookups->timer) {
        free(lookups);
        return NULL;
    }
    lookups->user = session->user;
    lookups->turn = (struct sched_item){
        .sched = session->node->sched, .user = &session->user->sched, .take = take};
    list_init(&lookups->turn.in_user);
    list_init(&lookups->due);
    session->user->lookups = lookups;
    return lookups;
}

static void lookups_put(struct lookups *lookups)
{
    if (lookups->count > 0)
        return;
    sched_dequeue(&lookups->turn);
    event_free(lookups->timer);
    lookups->user->lookups = NULL;
    free(lookups);
}

// ---- lifetime ---------------------------------------------------------------------------------

#define CHARGES 2

// This is done as if no other lookup waited for the same name.
static void charges_of(struct session *session, const char *name, struct charge out[CHARGES])
{
    uint64_t bytes = sizeof(struct lookup) + sizeof(struct wanted_name) + strlen(name) + 1;
    out[0] = (struct charge){LIMIT_LOOKUPS, &session->n_lookups, 1};
    out[1] = (struct charge){LIMIT_METADATA, &session->user->metadata, bytes};
}

static void lookup_free(struct lookup *lookup)
{
    struct wanted_name *wanted = lookup->wanted;
    struct lookups *lookups = wanted->lookups;
    struct charge charges[CHARGES];

    charges_of(lookup->session, wanted->name, charges);
    limit_give_all(charges, CHARGES);
    list_remove(&lookup->in_session);
    list_remove(&lookup->in_list);
    tree_remove(&lookups->by_deadline, &lookup->by_deadline, compare_deadlines);
    wanted->count--;
    wanted_put(lookup->session->node, wanted);
    lookups->count--;
    lookups_put(lookups);
    free(lookup);
}

// Returns NULL if memory runs out.
static struct lookup *lookup_new(struct session *session, const struct publication_key *key,
                                 uint32_t timeout_ms)
{
    struct lookups *lookups = session->user->lookups ?: lookups_new(session);
    struct wanted_name *wanted = lookups ? wanted_get(session->node, lookups, key) : NULL;
    struct lookup *lookup = wanted ? calloc(1, sizeof(*lookup)) : NULL;
    if (!lookup) {
        if (wanted)
            wanted_put(session->node, wanted);
        if (lookups)
            lookups_put(lookups);
        return NULL;
    }
    lookup->session = session;
    lookup->wanted = wanted;
    lookup->timeout_ms = timeout_ms;
    lookup->deadline_ms = clock_ms() + timeout_ms;
    list_append(&session->lookups, &lookup->in_session);
    list_append(&wanted->waiting, &lookup->in_list);
    tree_add(&lookups->by_deadline, &lookup->by_deadline, compare_deadlines);
    wanted->count++;
    lookups->count++;
    return lookup;
}

// ---- answers ------------------------------------------------------------------------------------

static void answer(struct session *session, uint64_t serial, const struct publication *p)
{
    Docad__LookupReply reply = DOCAD__LOOKUP_REPLY__INIT;
    reply.descriptor = (ProtobufCBinaryData){p->descriptor_size, (uint8_t *)p->descriptor};
    session_reply(session, serial, message_of(LOOKUP_REPLY, lookup_reply, &reply), NULL, 0);
}

// Finds the name for the session. A name that is not offered to it does not exist for it.
static const struct publication *find_for(const struct session *session,
                                          const struct publication_key *key)
{
    const struct publication *p = publication_find(session->node, key);
    while (p && !publication_is_offered(p, session))
        p = publication_next(session->node, p);
    return p;
}

// The text is the same whether the name does not exist or is not offered.
static void set_not_found(const struct publication_key *key, const struct session *session,
                          const char *when, struct errtext *err)
{
    if (key->uid == session->credentials.uid)
        snprintf(err->s, sizeof(err->s),
                 "name %s: uid %u has not published it%s; write USER/%s for another user's",
                 key->name, (unsigned)key->uid, when, key->name);
    else
        snprintf(err->s, sizeof(err->s),
                 "name %s: uid %u has not published it for uid %u%s; the publisher says for whom: "
                 "docad_export_publish_to(), docactl exports publish --to",
                 key->name, (unsigned)key->uid, (unsigned)session->credentials.uid, when);
}

static void time_is_up(struct lookup *lookup)
{
    struct errtext err;
    char when[32];

    snprintf(when, sizeof(when), " within %u ms", lookup->timeout_ms);
    set_not_found(PUBLICATION_KEY(lookup->wanted), lookup->session, when, &err);
    session_reply_error(lookup->session, lookup->serial, DOCA_ERROR_TIME_OUT, err.s);
    lookup_free(lookup);
}

static bool answered(struct lookup *lookup)
{
    const struct publication *p = find_for(lookup->session, PUBLICATION_KEY(lookup->wanted));
    if (!p)
        return false;
    answer(lookup->session, lookup->serial, p);
    lookup_free(lookup);
    return true;
}

// Called when its name was published. It waits on if the name is not for its session.
static void answer_if_published(struct lookup *lookup)
{
    if (answered(lookup))
        return;
    list_remove(&lookup->in_list);
    list_append(&lookup->wanted->waiting, &lookup->in_list);
}

// Handles one lookup. Returns false if there is none to handle now, or none is left at all: then
// `lookups` was freed. Those that have timed out come first: others may publish names so often that
// there is always one that is due.
static bool step(struct lookups *lookups)
{
    struct user *user = lookups->user;
    struct lookup *next = next_to_end(lookups);

    if (next && next->deadline_ms <= clock_ms()) {
        if (!answered(next))
            time_is_up(next);
    } else if (!list_empty(&lookups->due)) {
        answer_if_published(list_entry(lookups->due.next, struct lookup, in_list));
    } else {
        set_timer(lookups);
        return false;
    }
    return user->lookups != NULL;
}

static bool take(struct sched_item *turn)
{
    return step(container_of(turn, struct lookups, turn));
}

static void want_turn(struct lookups *lookups)
{
    if (lookups->turn.sched) {
        sched_queue(&lookups->turn);
        return;
    }
    while (step(lookups)) { // for a node without a scheduler
    }
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    want_turn(arg);
}

void lookups_mark_due(struct node *node, const struct publication *p)
{
    const struct wanted_key key = {{p->name, p->uid}, 0};
    struct wanted_name *wanted = seek_name(node, &key), *next;

    for (; wanted && publication_key_order(PUBLICATION_KEY(wanted), &key.of) == 0; wanted = next) {
        next = of_name(tree_next(&node->wanted_names, &wanted->in_node, compare_names));
        list_append_all(&wanted->lookups->due, &wanted->waiting);
        want_turn(wanted->lookups);
    }
}

// ---- requests -----------------------------------------------------------------------------------

static doca_error_t wait_for(struct session *session, uint64_t serial,
                             const struct publication_key *key, uint32_t timeout_ms,
                             struct errtext *err)
{
    struct charge charges[CHARGES];

    charges_of(session, key->name, charges);
    doca_error_t r = limit_take_all(node_limits(session->node), charges, CHARGES, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct lookup *lookup = lookup_new(session, key, timeout_ms);
    if (!lookup) {
        limit_give_all(charges, CHARGES);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    lookup->serial = serial;
    if (next_to_end(lookup->wanted->lookups) == lookup && !set_timer(lookup->wanted->lookups)) {
        lookup_free(lookup);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    return DOCA_SUCCESS;
}

doca_error_t lookup_begin(struct session *session, uint64_t serial, const Docad__Lookup *request,
                          struct errtext *err)
{
    struct publication_key key;
    doca_error_t r = publication_read_name(session, request->name, &key, err);
    if (r != DOCA_SUCCESS)
        return r;
    publications_withdraw_ended(session->node, &key);
    const struct publication *p = find_for(session, &key);
    if (p) {
        answer(session, serial, p);
        return DOCA_SUCCESS;
    }
    if (request->timeout_ms > 0)
        return wait_for(session, serial, &key, request->timeout_ms, err);
    set_not_found(&key, session, "", err);
    return DOCA_ERROR_NOT_FOUND;
}

static bool end_one(struct session *session)
{
    if (list_empty(&session->lookups))
        return false;
    lookup_free(list_entry(session->lookups.next, struct lookup, in_session));
    return true;
}

static doca_error_t on_lookup(struct request *request)
{
    return lookup_begin(request->session, request->message->serial, request->message->lookup,
                        request->err);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_LOOKUP, "Lookup", on_lookup},
    {0},
};

const struct object_kind lookup_kind = {.requests = requests, .end_one = end_one};
