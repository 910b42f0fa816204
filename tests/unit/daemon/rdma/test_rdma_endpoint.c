// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_endpoint.h"

#include "kind.h"
#include "session_rig.h"
#include "unit.h"

#include <limits.h>

static const struct object_kind *const only_rdma[] = {&rdma_kind, NULL};
static struct rig_session owner, other;

static void setup(void)
{
    rig_begin(only_rdma);
    rig_session_begin(&owner);
    rig_session_begin(&other);
}

static void teardown(void)
{
    rig_session_end(&other);
    rig_session_end(&owner);
    rig_end();
}

static struct rdma_endpoint *endpoint_of(struct rig_session *rig)
{
    struct errtext err;
    struct rdma_endpoint *e = rdma_endpoint_make(&rig->session, &rig_node.functions[0], 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(rdma_endpoint_enter(e, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
    ck_assert_int_eq(object_take_slot(&e->object, &err), DOCA_SUCCESS);
    e->state = SLOT_LIVE;
    object_show(&e->object, SLOT_LIVE);
    return e;
}

static void pair(struct rdma_endpoint *a, struct rdma_endpoint *b)
{
    a->paired = b->paired = a->connected = b->connected = true;
    a->other.here = b;
    b->other.here = a;
}

static enum slot_state shown(const struct rdma_endpoint *e)
{
    return state_table_read(rig_node.slots.table, e->object.slot, e->object.id);
}

// Before the owner's memory shows its end, in the next kind's turn: whoever sees that looks at the
// connection for the reason.
START_TEST(the_other_side_sees_the_owner_go_at_once)
{
    struct rdma_endpoint *here = endpoint_of(&owner), *there = endpoint_of(&other);
    pair(here, there);
    KINDS_CALL(&rig_node, owner_gone, &owner.session, &(unsigned){UINT_MAX});
    ck_assert_int_eq(shown(there), SLOT_OWNER_GONE);
    ck_assert_int_eq(shown(here), SLOT_LIVE);
    session_end_objects(&owner.session, 0);
    ck_assert_int_eq(shown(there), SLOT_OWNER_GONE);
    ck_assert_int_eq(there->state, SLOT_OWNER_GONE);
    ck_assert(!there->paired);
}
END_TEST

// It may connect to another one.
START_TEST(one_that_was_only_reserved_goes_on)
{
    struct rdma_endpoint *here = endpoint_of(&owner), *there = endpoint_of(&other);
    pair(here, there);
    there->connected = false;
    KINDS_CALL(&rig_node, owner_gone, &owner.session, &(unsigned){UINT_MAX});
    session_end_objects(&owner.session, 0);
    ck_assert_int_eq(shown(there), SLOT_LIVE);
    ck_assert(!there->paired);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("rdma_endpoint");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_other_side_sees_the_owner_go_at_once);
    tcase_add_test(tcase, one_that_was_only_reserved_goes_on);
    return unit_run_case("rdma_endpoint", tcase);
}
