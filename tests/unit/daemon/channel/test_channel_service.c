// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel.h"
#include "copy_text.h"
#include "session_rig.h"
#include "touched.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define SERVICES 2000u
#define FEW      100 // the tree is about ten services deep

static const struct object_kind *const kinds[] = {&channel_kind, &service_kind, NULL};
static const uint8_t here[NODE_ID_SIZE] = {1}, there[NODE_ID_SIZE] = {2};

static struct rig_session rig;

static void begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&rig);
}

static void end(void)
{
    rig_session_end(&rig);
    ck_assert_ptr_null(rig_node.services_by_place.root);
    rig_end();
}

static struct channel_service *enter(struct channel_service *service, const uint8_t *node,
                                     const char *vuid, const char *name)
{
    memcpy(service->node_id, node, NODE_ID_SIZE);
    copy_text(service->vuid, vuid);
    copy_text(service->name, name);
    ck_assert_int_eq(channel_service_enter(service, node_next_id(&rig_node), NULL, NULL),
                     DOCA_SUCCESS);
    return service;
}

static struct channel_service *make(const uint8_t *node, const char *vuid, const char *name)
{
    struct channel_service *service = channel_service_make(&rig.session);
    ck_assert_ptr_nonnull(service);
    return enter(service, node, vuid, name);
}

START_TEST(a_service_is_found_by_where_it_listens)
{
    struct channel_service *a = make(here, "V0", "a"), *a_there = make(there, "V0", "a"),
                           *a_v1 = make(here, "V1", "a"), *b = make(here, "V0", "b");
    ck_assert_ptr_eq(channel_service_find(&rig_node, here, "V0", "a"), a);
    ck_assert_ptr_eq(channel_service_find(&rig_node, there, "V0", "a"), a_there);
    ck_assert_ptr_eq(channel_service_find(&rig_node, here, "V1", "a"), a_v1);
    ck_assert_ptr_eq(channel_service_find(&rig_node, here, "V0", "b"), b);
    ck_assert_ptr_null(channel_service_find(&rig_node, there, "V0", "b"));
    ck_assert_ptr_null(channel_service_find(&rig_node, here, "V1", "b"));
    ck_assert_ptr_null(channel_service_find(&rig_node, here, "V0", "c"));
    channel_service_free(a);
    ck_assert_ptr_null(channel_service_find(&rig_node, here, "V0", "a"));
    ck_assert_ptr_eq(channel_service_find(&rig_node, there, "V0", "a"), a_there);
}
END_TEST

START_TEST(finding_one_touches_few_others)
{
    char name[16];
    for (uint32_t i = 0; i < SERVICES; i++) {
        struct channel_service *service = touched_new();
        object_init(&service->object, DOCAD__RECORD__WHAT_SERVICE, &rig_node, &rig.session);
        service->accept_fd = -1;
        list_init(&service->channels);
        ck_assert_int_eq(in_flight_init(&service->in_flight, -1, FD_REAPER_NO_UID), 0);
        snprintf(name, sizeof(name), "%u", i);
        enter(service, here, "V0", name);
    }
    struct channel_service *last = make(here, "V0", "last");
    touched_begin();
    ck_assert_ptr_eq(channel_service_find(&rig_node, here, "V0", "last"), last);
    ck_assert_ptr_null(channel_service_find(&rig_node, here, "V0", "none"));
    size_t touched = touched_end();
    ck_assert_uint_lt(touched, FEW);
}
END_TEST

// For a client that asks for another name: those of its function alone, and a few.
START_TEST(services_of_a_function_are_named)
{
    char names[64], few[12];

    channel_services_name(&rig_node, here, "V0", names, sizeof(names));
    ck_assert_str_eq(names, "");
    make(here, "V0", "b"), make(here, "V0", "a"), make(here, "V1", "other");
    make(there, "V0", "far");
    channel_services_name(&rig_node, here, "V0", names, sizeof(names));
    ck_assert_str_eq(names, "\"a\", \"b\"");
    make(here, "V0", "c"), make(here, "V0", "d");
    channel_services_name(&rig_node, here, "V0", names, sizeof(names));
    ck_assert_str_eq(names, "\"a\", \"b\", \"c\", and others");
    channel_services_name(&rig_node, here, "V0", few, sizeof(few));
    ck_assert_uint_lt(strlen(few), sizeof(few));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channel_service");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_service_is_found_by_where_it_listens);
    tcase_add_test(tcase, finding_one_touches_few_others);
    tcase_add_test(tcase, services_of_a_function_are_named);
    return unit_run_case("channel_service", tcase);
}
