// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_rig.h"

START_TEST(only_what_the_map_permits_is_exported)
{
    struct export *export = NULL;
    struct errtext err;
    struct region *region = memory_region(RIG_ACCESS);
    ck_assert_int_eq(memory_export(&export, region, DOCAD__EXPORT_TARGET__TARGET_DPU, &err),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(memory_export(&export, region, (Docad__ExportTarget)77, &err),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(export);
    ck_assert_uint_eq(memory_exported(region)->access, RIG_ACCESS);
    ck_assert_uint_eq(owner.session.n_exports, 1);
}
END_TEST

START_TEST(the_token_finds_it_until_it_ends)
{
    struct export *found = NULL, *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    uint8_t token[EXPORT_TOKEN_SIZE];
    uint64_t id = export->object.id;

    memcpy(token, export->token, sizeof(token));
    ck_assert_int_eq(export_find(&rig_node, id, token, &found, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(found, export);
    found = NULL;
    token[0] ^= 1;
    ck_assert_int_eq(export_find(&rig_node, id, token, &found, &err), DOCA_ERROR_NOT_PERMITTED);
    token[0] ^= 1;
    export_end(export, SLOT_REVOKED, NULL);
    ck_assert_int_eq(export_find(&rig_node, id, token, &found, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(found);
    ck_assert_uint_eq(owner.session.n_exports, 0);
}
END_TEST

START_TEST(over_the_limit_there_is_none)
{
    struct export *export = NULL;
    struct errtext err;
    struct region *region = memory_region(RIG_ACCESS);
    rig_config.limits.value[LIMIT_EXPORTS] = 1;
    memory_exported(region);
    ck_assert_int_eq(memory_export(&export, region, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(export);
    ck_assert_uint_eq(owner.session.n_exports, 1);
}
END_TEST

START_TEST(it_ends_with_its_function)
{
    memory_exported(memory_region(RIG_ACCESS));
    node_function_end(&rig_node, &rig_node.functions[0], SLOT_DEVICE_GONE);
    ck_assert_uint_eq(owner.session.n_exports, 0);
    ck_assert_uint_eq(owner.session.n_regions, 1);
}
END_TEST

static unsigned looks;

struct idmap_node *__real_idmap_after(const struct idmap *map, uint64_t id);
struct idmap_node *__wrap_idmap_after(const struct idmap *map, uint64_t id);
struct idmap_node *__wrap_idmap_after(const struct idmap *map, uint64_t id)
{
    looks++;
    return __real_idmap_after(map, id);
}

// Each export is visited once; exports of other functions are not visited.
START_TEST(a_function_ends_its_own_exports_only)
{
    enum { N = 200 };
    struct region *region = memory_region(RIG_ACCESS);
    rig_node.functions[1] = rig_node.functions[0];
    for (int i = 0; i < N; i++)
        memory_exported(region)->function = &rig_node.functions[i % 2];
    looks = 0;
    node_function_end(&rig_node, &rig_node.functions[1], SLOT_DEVICE_GONE);
    ck_assert_uint_eq(owner.session.n_exports, N / 2);
    ck_assert_uint_eq(looks, N + 1);
}
END_TEST

MEMORY_MAIN("export", a_function_ends_its_own_exports_only, only_what_the_map_permits_is_exported,
            the_token_finds_it_until_it_ends, over_the_limit_there_is_none,
            it_ends_with_its_function)
