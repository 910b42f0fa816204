// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of a session takes pieces, in turns of its user, whatever it has: for each kind of object
// that a session may hold this counts how much of it ends in a turn. Others see at the end of the
// first piece that the session is gone.

#include "channel.h"
#include "cleanup.h"
#include "kinds.h"
#include "lookup.h"
#include "memfd.h"
#include "memory/memory_rig.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "rdma_listener.h"
#include "session_end.h"
#include "session_rig.h"
#include "grace_period.h"
#include "stepped_clock.h"
#include "unit.h"
#include "user.h"

#include <event2/event.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define MANY        (10 * SESSION_END_STEPS)
#define PIECES_MOST 8 // in one turn of a user, by the clock above

static struct session *session; // of the heap, as session_end.c frees it
static int client;              // its process's end
static struct errtext err;

// ---- each step of an end counts ---------------------------------------------------------

static size_t steps;

void __real_object_leave(struct object *object);
void __wrap_object_leave(struct object *object);
void __wrap_object_leave(struct object *object)
{
    steps++;
    __real_object_leave(object);
}

void __real_object_show(const struct object *object, enum slot_state state);
void __wrap_object_show(const struct object *object, enum slot_state state);
void __wrap_object_show(const struct object *object, enum slot_state state)
{
    steps++;
    __real_object_show(object, state);
}

void __real_grace_period_cancel(struct grace_period *s);
void __wrap_grace_period_cancel(struct grace_period *s);
void __wrap_grace_period_cancel(struct grace_period *s)
{
    steps++;
    __real_grace_period_cancel(s);
}

// Names and lookups are charged to the session's user, and are no objects of object.h.
static size_t others(void)
{
    return session->n_lookups + rig_node.publications_by_id.count;
}

// ---- what a session may hold ------------------------------------------------------------

static struct region *region_of(struct session *s)
{
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    uint32_t function = RIG_FUNCTION;
    struct fd_list fds = {.fds = {memfd_create_sealed("region", RIG_LENGTH)}, .count = 1};
    struct region *region;

    m.address = segment.address = RIG_ADDRESS;
    m.length = segment.length = RIG_LENGTH;
    segment.mapped = true;
    m.access = RIG_ACCESS;
    m.function_ids = &function;
    m.n_function_ids = 1;
    m.segments = segments;
    m.n_segments = 1;
    m.has_memfd = true;
    ck_assert_msg(region_new(&region, s, &m, &fds, &err) == DOCA_SUCCESS, "%s", err.s);
    fd_list_close(&fds);
    return region;
}

static struct export *export_of(struct region *region)
{
    struct export *export;
    ck_assert_msg(memory_export(&export, region, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err) ==
                      DOCA_SUCCESS,
                  "%s", err.s);
    return export;
}

static void import_by(struct session *s, const struct export *export)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    ck_assert_msg(import_begin(s, 9, &m, &err) == DOCA_SUCCESS, "%s", err.s);
}

static void drain(int sock)
{
    char bytes[64];
    while (recv(sock, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC) > 0) {
    }
}

static void have_regions(void)
{
    for (unsigned i = 0; i < MANY; i++)
        region_of(session);
}

static void have_exports(void)
{
    struct region *region = region_of(session);
    for (unsigned i = 0; i < MANY; i++)
        export_of(region);
}

// Those who import it are told.
static void have_an_export_with_imports(void)
{
    const struct export *export = export_of(region_of(session));
    for (unsigned i = 0; i < MANY; i++) {
        import_by(&other.session, export);
        drain(other.client);
    }
}

static void have_imports(void)
{
    const struct export *export = export_of(region_of(&owner.session));
    for (unsigned i = 0; i < MANY; i++) {
        import_by(session, export);
        drain(client);
    }
}

static void have_queue_pairs(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        const Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
        Docad__QueuePairCreate own = m;
        own.node = (ProtobufCBinaryData){NODE_ID_SIZE, rig_node.id};
        ck_assert_msg(qpair_begin(session, 9, &own, &err) == DOCA_SUCCESS, "%s", err.s);
        drain(client);
    }
}

static struct rdma_endpoint *endpoint_of(struct session *s)
{
    struct rdma_endpoint *e = rdma_endpoint_make(s, &rig_node.functions[0], 0);
    ck_assert_int_eq(rdma_endpoint_enter(e, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
    ck_assert_int_eq(object_take_slot(&e->object, &err), DOCA_SUCCESS);
    e->state = SLOT_LIVE;
    e->paired = e->connected = true;
    return e;
}

static void have_endpoints(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        struct rdma_endpoint *own = endpoint_of(session), *there = endpoint_of(&other.session);
        own->other.here = there;
        there->other.here = own;
    }
}

static void have_listeners(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        struct rdma_listener *listener =
            rdma_listener_make(session, &rig_node.functions[0], (uint16_t)(i + 1));
        ck_assert_int_eq(rdma_listener_enter(listener, node_next_id(&rig_node), NULL, &err),
                         DOCA_SUCCESS);
    }
}

static struct channel_service *service_named(const char *name)
{
    struct channel_service *service = channel_service_make(session);
    snprintf(service->name, sizeof(service->name), "%s", name);
    ck_assert_int_eq(channel_service_enter(service, node_next_id(&rig_node), NULL, &err),
                     DOCA_SUCCESS);
    return service;
}

static void have_services(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%u", i);
        service_named(name);
    }
}

static void have_channels_of(struct channel_service *service)
{
    for (unsigned i = 0; i < MANY; i++) {
        struct channel *channel = channel_make(session, CHANNEL_SERVICE, "name");
        ck_assert_int_eq(channel_enter(channel, node_next_id(&rig_node), service, NULL, &err),
                         DOCA_SUCCESS);
    }
}

static void have_channels(void)
{
    have_channels_of(NULL);
}

static void have_a_service_with_channels(void)
{
    have_channels_of(service_named("name"));
}

// Of exports of a node that was never linked: they end with the session.
static void have_names(void)
{
    const struct export *export = export_of(region_of(&owner.session));
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(export->descriptor, export->descriptor_size, &desc, NULL),
                     DOCA_SUCCESS);
    desc.node[0] = 77;
    for (unsigned i = 0; i < MANY; i++) {
        Docad__Publish m = DOCAD__PUBLISH__INIT;
        uint8_t bytes[EXPORT_DESC_SIZE_MAX];
        char name[16];
        size_t size;
        ck_assert_int_eq(export_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
        snprintf(name, sizeof(name), "%u", i);
        m.name = name;
        m.descriptor = (ProtobufCBinaryData){size, bytes};
        ck_assert_msg(publication_new(session, &m, &err) == DOCA_SUCCESS, "%s", err.s);
    }
}

static void have_lookups(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        Docad__Lookup m = DOCAD__LOOKUP__INIT;
        m.name = (char[]){"later"};
        m.timeout_ms = 1000000;
        ck_assert_msg(lookup_begin(session, 9 + i, &m, &err) == DOCA_SUCCESS, "%s", err.s);
    }
}

static void have_requests_that_wait(void)
{
    for (unsigned i = 0; i < MANY; i++)
        ck_assert_ptr_nonnull(grace_period_new(session, 9 + i));
}

static const struct held {
    const char *what;
    void (*have)(void);
} held[] = {
    {"regions", have_regions},
    {"exports", have_exports},
    {"imports of an export", have_an_export_with_imports},
    {"imports", have_imports},
    {"queue pairs", have_queue_pairs},
    {"endpoints", have_endpoints},
    {"listeners", have_listeners},
    {"services", have_services},
    {"channels", have_channels},
    {"channels of a service", have_a_service_with_channels},
    {"names", have_names},
    {"lookups", have_lookups},
    {"requests", have_requests_that_wait},
};

// ---- another user -----------------------------------------------------------------------

// Wants turns as long as the session ends.
struct watcher {
    struct sched_item turn;
    struct user *user;
    const char *what;
    size_t before;
    uint64_t pieces;
    unsigned turns;
};

static bool watch(struct sched_item *turn)
{
    struct watcher *w = container_of(turn, struct watcher, turn);
    if (list_empty(&rig_node.ending))
        return false;
    // What ends at one step is an object here, and what another session sees of it.
    const size_t ended = steps + w->before - others();
    const uint64_t pieces = rig_node.counters.end_slices - w->pieces;
    ck_assert_msg(ended <= 2 * (pieces + 1) * SESSION_END_STEPS, "%s: %zu in %u pieces", w->what,
                  ended, (unsigned)pieces);
    ck_assert_uint_le(pieces, PIECES_MOST);
    w->pieces += pieces;
    steps = 0;
    w->before = others();
    w->turns++;
    return true;
}

static void watched(const struct held *h)
{
    struct watcher w = {.user = user_get(&rig_node.users, 4711), .what = h->what};
    w.turn = (struct sched_item){.sched = rig_node.sched, .user = &w.user->sched, .take = watch};
    list_init(&w.turn.in_user);
    w.before = others();
    steps = 0;
    session_free(session);
    ck_assert_msg(!list_empty(&rig_node.ending), "%s: all in one piece", h->what);
    ck_assert_msg(steps + w.before - others() <= 2 * SESSION_END_STEPS,
                  "%s: %zu in the first piece", h->what, steps + w.before - others());
    steps = 0;
    w.before = others();
    w.pieces = rig_node.counters.end_slices;
    sched_queue(&w.turn);
    for (unsigned i = 0; i < 10000 && !list_empty(&rig_node.ending); i++)
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    ck_assert(list_empty(&rig_node.ending));
    ck_assert_msg(2 * w.turns * PIECES_MOST * SESSION_END_STEPS >= MANY, "%s: %u turns", h->what,
                  w.turns);
    sched_dequeue(&w.turn);
    user_unref(w.user);
}

// ---- tests ------------------------------------------------------------------------------

static void begin(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    memory_begin();
    rig_node.kinds = kinds;
    rig_node.sched = sched_new(rig_node.base);
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        rig_config.limits.value[i] = LIMIT_UNLIMITED;
}

static void end(void)
{
    rig_session_end(&other);
    rig_session_end(&owner);
    publications_free_all(&rig_node);
    grace_period_free_all(&rig_node);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
}

START_TEST(a_session_ends_in_pieces)
{
    struct rig_session *rig = calloc(1, sizeof(*rig));
    rig_session_begin(rig);
    session = &rig->session;
    client = rig->client;
    session->user->connections++;
    session->charged = false;
    held[_i].have();
    watched(&held[_i]);
    close_fdp(&client);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("session pieces");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, a_session_ends_in_pieces, 0, (int)ARRAY_SIZE(held));
    return unit_run_case("session pieces", tcase);
}
