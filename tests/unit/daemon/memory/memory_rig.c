// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_rig.h"

#include "fdstore.h"
#include "lookup.h"
#include "memfd.h"
#include "notify.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

struct rig_session owner, other;

static const struct object_kind *const kinds[] = {
    &lookup_kind, &publication_kind, &import_kind,   &grant_kind,
    &export_kind, &region_kind,      &importer_kind, NULL};

void memory_begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&owner);
    rig_session_begin(&other);
}

void memory_end(void)
{
    rig_session_end(&other);
    rig_session_end(&owner);
    publications_free_all(&rig_node);
    rig_end();
}

doca_error_t memory_register(struct region **out, uint32_t access, struct errtext *err)
{
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    uint32_t function = RIG_FUNCTION;
    struct fd_list fds = {.fds = {memfd_create_sealed("region", RIG_LENGTH)}, .count = 1};

    m.address = segment.address = RIG_ADDRESS;
    m.length = segment.length = RIG_LENGTH;
    segment.mapped = true;
    m.access = access;
    m.function_ids = &function;
    m.n_function_ids = 1;
    m.segments = segments;
    m.n_segments = 1;
    m.has_memfd = true;
    doca_error_t r = region_new(out, &owner.session, &m, &fds, err);
    fd_list_close(&fds);
    return r;
}

struct region *memory_region(uint32_t access)
{
    struct region *region;
    struct errtext err;
    ck_assert_msg(memory_register(&region, access, &err) == DOCA_SUCCESS, "%s", err.s);
    return region;
}

doca_error_t memory_export(struct export **out, struct region *region, Docad__ExportTarget target,
                           struct errtext *err)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    m.target = target;
    return export_new(out, region, &rig_node.functions[0], &m, err);
}

struct export *memory_exported(struct region *region)
{
    struct export *export;
    struct errtext err;
    ck_assert_msg(memory_export(&export, region, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err) ==
                      DOCA_SUCCESS,
                  "%s", err.s);
    return export;
}

int memory_store_begin(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stored_items items = {0};
    socklen_t size = sizeof(address);
    char name[128];

    int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(manager, (struct sockaddr *)&address, sizeof(address.sun_family)), 0);
    ck_assert_int_eq(getsockname(manager, (struct sockaddr *)&address, &size), 0);
    snprintf(name, sizeof(name), "@%.*s", (int)(size - offsetof(struct sockaddr_un, sun_path) - 1),
             address.sun_path + 1);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("FDSTORE", "3", 1);
    notify_init();
    fdstore_init();
    fdstore_read(&items);
    ck_assert(fdstore_is_on());
    return manager;
}

void memory_store_end(int manager)
{
    fdstore_end();
    notify_fini();
    close(manager);
}

int memory_main(const char *name, const TTest *const *tests, size_t n)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, memory_begin, memory_end);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case(name, tcase);
}
