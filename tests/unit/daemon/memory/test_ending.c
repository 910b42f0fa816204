// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Regions and exports with many imports end in pieces, in turns of the user who ends them.

#include "cleanup.h"
#include "delegation.h"
#include "ending.h"
#include "memory_rig.h"
#include "peer.h"
#include "session_rig.h"
#include "grace_period.h"
#include "stepped_clock.h"
#include "user.h"

#include <event2/event.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MANY        (20 * ENDING_STEPS)
#define PIECES_MOST 6 // in one turn of a user, by the clock below

static unsigned barriers;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    long args[6];
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < ARRAY_SIZE(args); i++)
        args[i] = va_arg(list, long);
    va_end(list);
    barriers += number == SYS_membarrier;
    return __real_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static struct rig_session tool;

static void set_up(void)
{
    memory_begin();
    rig_node.sched = sched_new(rig_node.base);
    ck_assert_ptr_nonnull(rig_node.sched);
    rig_node.functions[0].can_export_dpu = rig_node.functions[0].can_import_dpu = true;
    rig_session_begin(&tool);
}

// As session_free() does.
static void forget_answers(struct rig_session *rig)
{
    struct list *grace_periods = &rig->session.grace_periods;
    while (!list_empty(grace_periods))
        grace_period_cancel(list_entry(grace_periods->next, struct grace_period, in_session));
}

static void tear_down(void)
{
    struct rig_session *const sessions[] = {&tool, &other, &owner};
    for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
        forget_answers(sessions[i]);
        rig_session_end(sessions[i]);
    }
    publications_free_all(&rig_node);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
}

static void run(void)
{
    do
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    while (!list_empty(&rig_node.endings));
}

// ---- requests -------------------------------------------------------------------------

#define SERIAL 77

static doca_error_t request(const struct object_kind *kind, struct rig_session *by,
                            Docad__Message *message)
{
    struct fd_list none = FD_LIST_EMPTY;
    struct errtext err;
    struct request r = {&by->session, message, &none, &err};
    const struct kind_request *k = kind->requests;
    message->serial = SERIAL;
    while (k->body != message->body_case)
        k++;
    return k->fn(&r);
}

static doca_error_t unregister(struct rig_session *by, uint64_t id)
{
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = id;
    return request(&region_kind, by, message_of(REGION_UNREGISTER, region_unregister, &m));
}

static doca_error_t release(struct rig_session *by, uint64_t id)
{
    Docad__ImportRelease m = DOCAD__IMPORT_RELEASE__INIT;
    m.import_id = id;
    return request(&import_kind, by, message_of(IMPORT_RELEASE, import_release, &m));
}

static void take_back(struct rig_session *by, struct export *export)
{
    Docad__Message m = DOCAD__MESSAGE__INIT;
    struct request r = {.session = &by->session, .message = &m};
    m.serial = SERIAL;
    ck_assert_int_eq(export_revoke(export, &r), DOCA_SUCCESS);
}

static void assert_answered(const struct rig_session *by)
{
    cleanup_message Docad__Message *answer = rig_answer(by);
    ck_assert_uint_eq(answer->serial, SERIAL);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
}

static doca_error_t try_import(const struct export *export, uint64_t *id)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    struct errtext err;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    doca_error_t r = import_begin(&other.session, 9, &m, &err);
    if (r != DOCA_SUCCESS)
        return r;
    cleanup_message Docad__Message *answer = rig_answer(&other);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY);
    *id = answer->import_create_reply->import_id;
    return DOCA_SUCCESS;
}

static struct import *imported(const struct export *export)
{
    uint64_t id = 0;
    ck_assert_int_eq(try_import(export, &id), DOCA_SUCCESS);
    return OBJECT_GET(&rig_node, IMPORT, id, struct import);
}

static void import_many(const struct export *export)
{
    for (int i = 0; i < MANY; i++)
        imported(export);
    barriers = 0;
}

static unsigned count(enum slot_state state)
{
    const struct import *import;
    unsigned n = 0;
    list_for_each (import, SESSION_OBJECTS(&other.session, IMPORT), object.in_session)
        n += import->state == state;
    return n;
}

// ---- another user -----------------------------------------------------------------------

// Wants turns as long as something ends.
struct watcher {
    struct sched_item turn;
    struct user *user;
    size_t before; // objects, in the turn before
    unsigned n_turns;
};

static size_t objects(void)
{
    return NODE_OBJECTS_COUNT(&rig_node, GRANT) + NODE_OBJECTS_COUNT(&rig_node, EXPORT);
}

static bool watch(struct sched_item *turn)
{
    struct watcher *w = container_of(turn, struct watcher, turn);
    size_t now = objects();
    ck_assert_uint_le(w->before - now, PIECES_MOST * ENDING_STEPS);
    w->before = now;
    w->n_turns++;
    return !list_empty(&rig_node.endings);
}

static void watcher_begin(struct watcher *w)
{
    *w = (struct watcher){.user = user_get(&rig_node.users, 4711), .before = objects()};
    w->turn = (struct sched_item){.sched = rig_node.sched, .user = &w->user->sched, .take = watch};
    list_init(&w->turn.in_user);
    sched_queue(&w->turn);
}

static void watcher_end(struct watcher *w)
{
    ck_assert_uint_gt(w->n_turns, 2);
    sched_dequeue(&w->turn);
    user_unref(w->user);
}

// ---- tests ------------------------------------------------------------------------------

START_TEST(a_region_ends_in_pieces)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);
    struct watcher bob;
    uint64_t id = region->object.id, none;

    import_many(export);
    watcher_begin(&bob);
    ck_assert_int_eq(unregister(&owner, id), DOCA_SUCCESS);
    ck_assert_uint_eq(count(SLOT_OWNER_GONE), ENDING_STEPS);
    ck_assert_uint_eq(barriers, 1);
    // It cannot be used anew, and for its owner it has gone.
    ck_assert_int_eq(try_import(export, &none), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(unregister(&owner, id), DOCA_ERROR_NOT_FOUND);
    ck_assert(!rig_has_answer(&owner));
    run();
    assert_answered(&owner);
    ck_assert_uint_eq(count(SLOT_OWNER_GONE), MANY);
    ck_assert_uint_eq(owner.session.n_regions, 0);
    ck_assert_uint_eq(owner.session.n_exports, 0);
    ck_assert_uint_le(barriers, MANY / ENDING_STEPS + 1);
    watcher_end(&bob);
}
END_TEST

START_TEST(exports_end_in_pieces_with_their_names)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct watcher bob;

    for (int i = 0; i < MANY; i++) {
        Docad__Publish m = DOCAD__PUBLISH__INIT;
        struct errtext err;
        char name[16];
        struct export *export = memory_exported(region);
        snprintf(name, sizeof(name), "%d", i);
        m.name = name;
        m.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
        if (i < MANY / 2)
            ck_assert_int_eq(publication_new(&other.session, &m, &err), DOCA_SUCCESS);
    }
    watcher_begin(&bob);
    ck_assert_int_eq(unregister(&owner, region->object.id), DOCA_SUCCESS);
    ck_assert_uint_eq(owner.session.n_exports, MANY - ENDING_STEPS);
    run();
    assert_answered(&owner);
    ck_assert_uint_eq(owner.session.n_exports, 0);
    ck_assert_uint_eq(rig_node.publications_by_id.count, 0);
    watcher_end(&bob);
}
END_TEST

START_TEST(a_tool_revokes_in_pieces)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct watcher bob;
    uint64_t none;

    import_many(export);
    watcher_begin(&bob);
    take_back(&tool, export);
    ck_assert_int_eq(try_import(export, &none), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(count(SLOT_REVOKED), ENDING_STEPS);
    run();
    assert_answered(&tool);
    ck_assert_uint_eq(count(SLOT_REVOKED), MANY);
    watcher_end(&bob);
}
END_TEST

// The owner, the tool or the importer ends while the export does.
START_TEST(sessions_end_before_the_export)
{
    struct rig_session *const sessions[] = {&owner, &tool, &other};
    struct rig_session *ended = sessions[_i];
    struct export *export = memory_exported(memory_region(RIG_ACCESS));

    import_many(export);
    take_back(&tool, export);
    forget_answers(ended);
    session_end_objects(&ended->session, 0);
    run();
    if (ended != &tool)
        assert_answered(&tool);
    if (ended != &other)
        ck_assert_uint_eq(count(SLOT_LIVE), 0);
    ck_assert_uint_eq(owner.session.n_exports, 0);
}
END_TEST

// Two tools, or a tool and the owner, want the same export to end.
START_TEST(the_map_stops_before_the_export)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);

    import_many(export);
    take_back(&tool, export);
    ck_assert(export_is_ending(export));
    ck_assert_int_eq(unregister(&owner, region->object.id), DOCA_SUCCESS);
    run();
    assert_answered(&tool);
    assert_answered(&owner);
    ck_assert_uint_eq(count(SLOT_LIVE), 0);
}
END_TEST

static void copy_with(const struct import *import)
{
    struct activity *shared = (struct activity *)(uintptr_t)other.session.activity.shared;
    atomic_store(&shared->slots[0].imports[0], import ? import->object.id : 0);
}

// The owner uses the memory again when the map has stopped: it waits for copies that the tool waits
// for, too, whether the export has gone or not.
START_TEST(the_map_stops_after_copies_of_what_was_revoked)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);

    copy_with(imported(export));
    if (_i)
        import_many(export);
    take_back(&tool, export);
    ck_assert_int_eq(unregister(&owner, region->object.id), DOCA_SUCCESS);
    run();
    ck_assert(!rig_has_answer(&tool) && !rig_has_answer(&owner));
    copy_with(NULL);
    while (!rig_has_answer(&owner))
        event_base_loop(rig_node.base, EVLOOP_ONCE);
    assert_answered(&owner);
    assert_answered(&tool);
}
END_TEST

// What ends the rest of it meets the same obligation.
START_TEST(the_function_goes_before_the_map_has_stopped)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);

    import_many(export);
    copy_with(imported(export)); // the last one to end
    ck_assert_int_eq(unregister(&owner, region->object.id), DOCA_SUCCESS);
    node_function_end(&rig_node, &rig_node.functions[0], SLOT_DEVICE_GONE);
    ck_assert_uint_eq(count(SLOT_LIVE), 0);
    run();
    ck_assert(!rig_has_answer(&owner));
    copy_with(NULL);
    while (!rig_has_answer(&owner))
        event_base_loop(rig_node.base, EVLOOP_ONCE);
    assert_answered(&owner);
}
END_TEST

// The node stops: whatever has begun to end is gone.
START_TEST(the_node_ends_before_the_export)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    import_many(export);
    take_back(&tool, export);
}
END_TEST

// A linked node says one after the other that imports have ended: one barrier is for all that it
// says in one turn of the loop.
START_TEST(messages_of_a_linked_node_share_barriers)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct peer peer = {.node = &rig_node};

    list_init(&peer.ended_imports);
    idmap_init(&peer.imports_by_grant);
    import_many(export);
    struct import *import;
    list_for_each (import, SESSION_OBJECTS(&other.session, IMPORT), object.in_session) {
        import->peer = &peer;
        idmap_add(&peer.imports_by_grant, &import->grant_id, import->object.id);
        import_end_there(import, SLOT_REVOKED, 1);
    }
    ck_assert_uint_eq(barriers, 0);
    ck_assert(!list_empty(&peer.ended_imports));
    event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(barriers, 1);
    ck_assert(list_empty(&peer.ended_imports));
    idmap_fini(&peer.imports_by_grant);
}
END_TEST

static struct export *delegated(const struct import *import)
{
    struct export *export;
    struct errtext err;
    ck_assert_msg(delegation_get(&export, import->grant, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err) ==
                      DOCA_SUCCESS,
                  "%s", err.s);
    return export;
}

static struct import *to_be_handed_on(void)
{
    struct export *export;
    struct errtext err;
    ck_assert_int_eq(memory_export(&export, memory_region(DOCA_ACCESS_DPU_READ_WRITE),
                                   DOCAD__EXPORT_TARGET__TARGET_DPU, &err),
                     DOCA_SUCCESS);
    return imported(export);
}

// Sessions to which the importer has delegated the memory lose it in pieces.
START_TEST(what_is_handed_on_ends_in_pieces)
{
    struct import *import = to_be_handed_on();
    struct export *export = delegated(import);
    struct region *region = export->region;
    struct rig_session *by = _i ? &owner : &other;
    struct watcher bob;
    uint64_t id = import->object.id, none;
    struct errtext err;

    import_many(export);
    watcher_begin(&bob);
    ck_assert_int_eq(_i ? unregister(&owner, region->object.id) : release(&other, id),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(count(SLOT_OWNER_GONE), ENDING_STEPS);
    ck_assert_int_eq(try_import(export, &none), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(
        delegation_get(&export, import->grant, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err),
        DOCA_ERROR_NOT_PERMITTED);
    if (!_i)
        ck_assert_int_eq(release(&other, id), DOCA_ERROR_NOT_FOUND);
    run();
    assert_answered(by);
    ck_assert_uint_eq(count(SLOT_OWNER_GONE), _i ? MANY + 1 : MANY);
    watcher_end(&bob);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("ending");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_region_ends_in_pieces);
    tcase_add_test(tcase, exports_end_in_pieces_with_their_names);
    tcase_add_test(tcase, a_tool_revokes_in_pieces);
    tcase_add_loop_test(tcase, sessions_end_before_the_export, 0, 3);
    tcase_add_test(tcase, the_map_stops_before_the_export);
    tcase_add_loop_test(tcase, the_map_stops_after_copies_of_what_was_revoked, 0, 2);
    tcase_add_test(tcase, the_function_goes_before_the_map_has_stopped);
    tcase_add_test(tcase, the_node_ends_before_the_export);
    tcase_add_test(tcase, messages_of_a_linked_node_share_barriers);
    tcase_add_loop_test(tcase, what_is_handed_on_ends_in_pieces, 0, 2);
    return unit_run_case("ending", tcase);
}
