// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_rig.h"

static struct grant *granted(struct export *export)
{
    struct importer *importer;
    struct grant *grant;
    struct errtext err;
    ck_assert_int_eq(session_importer(&other.session, &importer, &err), DOCA_SUCCESS);
    ck_assert_msg(grant_new(&grant, export, importer, &err) == DOCA_SUCCESS, "%s", err.s);
    return grant;
}

START_TEST(the_importer_gets_the_memory_file_as_the_export_allows)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct grant *grant = granted(memory_exported(region));
    struct grant_parts parts;
    struct errtext err;
    ck_assert_int_eq(grant_parts(grant, &parts, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(parts.address, RIG_ADDRESS);
    ck_assert_uint_eq(parts.length, RIG_LENGTH);
    ck_assert(parts.has_memfd);
    ck_assert_uint_eq(parts.fds.count, 1);
    ck_assert_int_eq(parts.fds.fds[0], region->memfd);
    free(parts.segments);
    ck_assert_uint_eq(region->n_grants, 1);
    grant_release(grant);
    ck_assert_uint_eq(region->n_grants, 0);
}
END_TEST

// Pages that may only be written are mapped by nobody else, if users are kept apart: and docad
// reaches the owner's memory only if it was given access.
START_TEST(what_may_only_be_written_is_brokered_for_others)
{
    struct importer *importer;
    struct grant *grant = NULL;
    struct errtext err;
    rig_config.isolation_strict = true;
    struct export *export = memory_exported(memory_region(DOCA_ACCESS_RDMA_WRITE));
    ck_assert_int_eq(session_importer(&other.session, &importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&grant, export, importer, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(grant);
    ck_assert(list_empty(&export->grants) && list_empty(&importer->grants));
    rig_config.isolation_strict = false;
    ck_assert(!granted(export)->brokered);
}
END_TEST

START_TEST(grants_end_with_their_importer)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);
    granted(export);
    granted(export);
    ck_assert_uint_eq(export->n_grants, 2);
    other.session.importer = importer_free(other.session.importer);
    ck_assert_uint_eq(export->n_grants, 0);
    ck_assert(list_empty(&export->grants));
}
END_TEST

MEMORY_MAIN("grant", the_importer_gets_the_memory_file_as_the_export_allows,
            what_may_only_be_written_is_brokered_for_others, grants_end_with_their_importer)
