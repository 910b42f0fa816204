// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_rig.h"
#include "user.h"

START_TEST(what_it_costs_is_charged_and_given_back)
{
    const struct user *user = owner.session.user;
    struct region *region = memory_region(RIG_ACCESS);
    ck_assert_uint_eq(owner.session.n_regions, 1);
    ck_assert_uint_eq(owner.session.region_bytes, RIG_LENGTH);
    ck_assert_uint_eq(user->region_bytes, RIG_LENGTH);
    ck_assert_uint_eq(user->descriptors, 1);
    ck_assert_uint_eq(rig_node.region_bytes, RIG_LENGTH);
    ck_assert_ptr_eq(region_find(&owner.session, region->object.id), region);
    ck_assert_ptr_null(region_find(&other.session, region->object.id));
    uint64_t id = region->object.id;
    region_free(region, SLOT_OWNER_GONE, NULL);
    ck_assert_ptr_null(region_find(&owner.session, id));
    ck_assert_uint_eq(user->region_bytes + user->descriptors + rig_node.region_bytes, 0);
}
END_TEST

static void expect_over(enum limit limit, uint64_t value)
{
    struct region *region = NULL;
    struct errtext err;
    uint64_t before = rig_config.limits.value[limit];
    rig_config.limits.value[limit] = value;
    ck_assert_int_eq(memory_register(&region, RIG_ACCESS, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(region);
    ck_assert_uint_eq(owner.session.n_regions + owner.session.user->region_bytes +
                          owner.session.user->descriptors,
                      0);
    rig_config.limits.value[limit] = before;
}

START_TEST(over_a_limit_nothing_is_charged)
{
    expect_over(LIMIT_REGIONS, 0);
    expect_over(LIMIT_REGION_BYTES, RIG_LENGTH - 1);
    expect_over(LIMIT_DESCRIPTORS, 0);
}
END_TEST

START_TEST(unknown_access_is_refused)
{
    struct region *region = NULL;
    struct errtext err;
    ck_assert_int_eq(memory_register(&region, 1u << 20, &err), DOCA_ERROR_INVALID_VALUE);
    owner.session.open[RIG_FUNCTION - 1] = 0;
    ck_assert_int_eq(memory_register(&region, RIG_ACCESS, &err), DOCA_ERROR_BAD_STATE);
    ck_assert_ptr_null(region);
}
END_TEST

START_TEST(a_request_is_undone_alone)
{
    owner.session.serial = 1;
    struct region *first = memory_region(RIG_ACCESS);
    owner.session.serial = 2;
    memory_region(RIG_ACCESS);
    session_end_objects(&owner.session, 2);
    ck_assert_uint_eq(owner.session.n_regions, 1);
    ck_assert_ptr_eq(region_find(&owner.session, first->object.id), first);
}
END_TEST

MEMORY_MAIN("region", what_it_costs_is_charged_and_given_back, over_a_limit_nothing_is_charged,
            unknown_access_is_refused, a_request_is_undone_alone)
