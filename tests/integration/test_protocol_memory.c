// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One daemon and raw requests about memory: regions with one bad field each, exports, imports on
// the same node, queue pairs. A refused request must leave nothing behind.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

static struct daemon *host;
static struct raw_session client;

static void setup(void)
{
    env_setup();
    host = daemon_start(&(struct daemon_options){.role = "host"});
    client = session_start(host);
}

static void teardown(void)
{
    if (client.states)
        session_end(&client);
    assert_baseline(host);
    env_teardown();
}

// ---- regions ------------------------------------------------------------------------------------

#define BASE 0x7f0000000000u

// A good request of a brokered byte and two mapped pages, to be spoilt field by field.
static struct {
    Docad__RegionRegister m;
    Docad__Segment segments[3];
    Docad__Segment *list[3];
    uint32_t functions[3];
    int fds[4];
    size_t n_fds;
} good;

static void prepare_region(void)
{
    docad__region_register__init(&good.m);
    good.functions[0] = open_function(client.sock, "pf0");
    good.functions[1] = open_function(client.sock, "pf1");
    for (int i = 0; i < 3; i++) {
        docad__segment__init(&good.segments[i]);
        good.list[i] = &good.segments[i];
    }
    good.segments[0].address = BASE - 1;
    good.segments[0].length = 1;
    good.segments[1].address = BASE;
    good.segments[1].length = 8192;
    good.segments[1].mapped = true;
    good.m.address = BASE - 1;
    good.m.length = 8193;
    good.m.access = DOCA_ACCESS_DPU_READ_ONLY;
    good.m.function_ids = good.functions;
    good.m.n_function_ids = 2;
    good.m.segments = good.list;
    good.m.n_segments = 2;
    good.m.has_memory_fd = good.m.has_memfd = good.m.has_memfd_ro = true;
    good.fds[0] = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    good.fds[1] = memfd_create_sealed("region", 8192);
    good.fds[2] = memfd_reopen_readonly(good.fds[1]);
    good.n_fds = 3;
}

static void replace_fd(int index, int fd)
{
    ck_assert_int_ge(fd, 0);
    close(good.fds[index]);
    good.fds[index] = fd;
}

static void spoil_length(void)
{
    good.m.length = 0;
}

static void spoil_address(void)
{
    good.m.address = UINT64_MAX - 100;
}

static void spoil_access_unknown(void)
{
    good.m.access = 1u << 6;
}

static void spoil_access_both(void)
{
    good.m.access = DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_DPU_READ_WRITE;
}

static void spoil_function_twice(void)
{
    good.functions[1] = good.functions[0];
}

static void spoil_no_segments(void)
{
    good.m.n_segments = 0;
}

static void spoil_segment_gap(void)
{
    good.segments[1].address += 4096;
}

static void spoil_segment_length(void)
{
    good.segments[1].length = 4096;
}

static void spoil_segment_empty(void)
{
    good.segments[0].length = 0;
}

static void spoil_segment_order(void)
{
    good.list[0] = &good.segments[1];
    good.list[1] = &good.segments[0];
}

static void spoil_segment_offset(void)
{
    good.segments[1].offset = 1;
}

static void spoil_segment_offset_beyond(void)
{
    good.segments[1].offset = 4096;
}

static void spoil_segment_mapped_within_page(void)
{
    good.segments[0].mapped = true;
}

static void spoil_flag_memory(void)
{
    good.m.has_memory_fd = false;
}

static void spoil_flag_memfd(void)
{
    good.m.has_memfd = false;
}

static void spoil_fds_missing(void)
{
    close(good.fds[--good.n_fds]);
}

static void spoil_fds_surplus(void)
{
    good.fds[good.n_fds++] = dup(0);
}

static void spoil_memory_null(void)
{
    replace_fd(0, open("/dev/null", O_RDWR | O_CLOEXEC));
}

static void spoil_memory_read_only(void)
{
    replace_fd(0, open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
}

static void spoil_memory_other_proc_file(void)
{
    replace_fd(0, open("/proc/self/comm", O_RDWR | O_CLOEXEC));
}

static void spoil_memory_memfd(void)
{
    replace_fd(0, memfd_create_sealed("/proc/1/mem", 4096));
}

static void spoil_memory_socket(void)
{
    replace_fd(0, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static void spoil_memfd_size(void)
{
    replace_fd(1, memfd_create_sealed("region", 4096));
    replace_fd(2, memfd_reopen_readonly(good.fds[1]));
}

static void spoil_memfd_unsealed(void)
{
    replace_fd(1, memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ck_assert_int_eq(ftruncate(good.fds[1], 8192), 0);
    replace_fd(2, memfd_reopen_readonly(good.fds[1]));
}

static void spoil_memfd_read_only(void)
{
    replace_fd(1, memfd_reopen_readonly(good.fds[1]));
}

static void spoil_memfd_null(void)
{
    replace_fd(1, open("/dev/null", O_RDWR | O_CLOEXEC));
}

static void spoil_memfd_mode(void)
{
    ck_assert_int_eq(fchmod(good.fds[1], 0666), 0);
}

static void spoil_memfd_sealed_but_writable(void)
{
    good.m.access = DOCA_ACCESS_DPU_READ_WRITE;
    ck_assert_int_eq(memfd_seal_future_write(good.fds[1]), 0);
}

static void spoil_read_only_is_writable(void)
{
    replace_fd(2, dup(good.fds[1]));
}

static void spoil_read_only_of_other_file(void)
{
    cleanup_fd int other = memfd_create_sealed("other", 8192);
    replace_fd(2, memfd_reopen_readonly(other));
}

static void spoil_read_only_missing(void)
{
    good.m.has_memfd_ro = false;
    close(good.fds[--good.n_fds]);
}

static void spoil_brokered_without_memory(void)
{
    good.m.has_memory_fd = false;
    close(good.fds[0]);
    good.fds[0] = good.fds[1];
    good.fds[1] = good.fds[2];
    good.n_fds--;
}

#define SPOILT(field)                                                                              \
    {                                                                                              \
#field, spoil_##field                                                                      \
    }

static const struct {
    const char *name;
    void (*spoil)(void);
} spoilt[] = {
    SPOILT(length),
    SPOILT(address),
    SPOILT(access_unknown),
    SPOILT(access_both),
    SPOILT(function_twice),
    SPOILT(no_segments),
    SPOILT(segment_gap),
    SPOILT(segment_length),
    SPOILT(segment_empty),
    SPOILT(segment_order),
    SPOILT(segment_offset),
    SPOILT(segment_offset_beyond),
    SPOILT(segment_mapped_within_page),
    SPOILT(flag_memory),
    SPOILT(flag_memfd),
    SPOILT(fds_missing),
    SPOILT(fds_surplus),
    SPOILT(memory_null),
    SPOILT(memory_read_only),
    SPOILT(memory_other_proc_file),
    SPOILT(memory_memfd),
    SPOILT(memory_socket),
    SPOILT(memfd_size),
    SPOILT(memfd_unsealed),
    SPOILT(memfd_read_only),
    SPOILT(memfd_null),
    SPOILT(memfd_mode),
    SPOILT(memfd_sealed_but_writable),
    SPOILT(read_only_is_writable),
    SPOILT(read_only_of_other_file),
    SPOILT(read_only_missing),
    SPOILT(brokered_without_memory),
};

static doca_error_t send_region(void)
{
    doca_error_t r = call_with_fds(client.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &good.m,
                                   good.fds, good.n_fds);
    for (size_t i = 0; i < good.n_fds; i++)
        close(good.fds[i]);
    return r;
}

static void assert_no_regions(void)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    ck_assert_uint_eq(answer->status_reply->regions, 0);
    ck_assert_uint_eq(answer->status_reply->region_bytes, 0);
}

START_TEST(region_field)
{
    unsigned before = daemon_descriptors(host);
    prepare_region();
    spoilt[_i].spoil();
    assert_refused(send_region(), DOCA_ERROR_INVALID_VALUE, spoilt[_i].name);
    assert_no_regions();
    daemon_wait_descriptors(host, before);
}
END_TEST

START_TEST(region_is_good)
{
    unsigned before = daemon_descriptors(host);
    prepare_region();
    ck_assert_int_eq(send_region(), DOCA_SUCCESS);
    uint64_t id = answer->region_register_reply->region_id;
    daemon_wait_descriptors(host, before + 2); // the memory, and the file as others map it

    cleanup_message Docad__Message *list = raw_list(client.sock, DOCAD__LIST__KIND__REGIONS, 0);
    ck_assert_uint_eq(list->list_reply->n_regions, 1);
    const Docad__RegionInfo *info = list->list_reply->regions[0];
    ck_assert_uint_eq(info->id, id);
    ck_assert_uint_eq(info->session_id, client.id);
    ck_assert_uint_eq(info->mapped_bytes, 8192);
    ck_assert_uint_eq(info->brokered_bytes, 1);
    ck_assert_uint_eq(info->n_functions, 2);
    ck_assert_str_eq(info->functions[1], "pf1");

    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = id;
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m), DOCA_SUCCESS);
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m),
                   DOCA_ERROR_NOT_FOUND, "again");
    assert_no_regions();
    daemon_wait_descriptors(host, before + 1); // the session's memory stays
}
END_TEST

START_TEST(region_function_unknown)
{
    prepare_region();
    good.functions[1] = 77;
    assert_refused(send_region(), DOCA_ERROR_NOT_FOUND, "unknown");
    assert_no_regions();
}
END_TEST

START_TEST(region_function_not_open)
{
    prepare_region();
    good.functions[1] = 2;
    assert_refused(send_region(), DOCA_ERROR_BAD_STATE, "not open");
    assert_no_regions();
}
END_TEST

// ---- what belongs to others -----------------------------------------------------------------

static char memory[64];

START_TEST(region_of_another_session)
{
    struct raw_session other = session_start(host);
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__ExportCreate create = DOCAD__EXPORT_CREATE__INIT;
    unregister.region_id = create.region_id = region;
    create.function_id = open_function(other.sock, "pf0");
    create.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    assert_refused(call(other.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister),
                   DOCA_ERROR_NOT_FOUND, "unregister");
    assert_refused(call(other.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &create),
                   DOCA_ERROR_NOT_FOUND, "export");
    session_end(&other);
}
END_TEST

static doca_error_t try_export(uint64_t region, uint32_t function, int target)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    m.region_id = region;
    m.function_id = function;
    m.target = (Docad__ExportTarget)target;
    return call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m);
}

START_TEST(export_fields)
{
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint32_t pf1 = open_function(client.sock, "pf1");
    uint64_t dpu = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    uint64_t rdma = register_brokered(client.sock, memory, 64, DOCA_ACCESS_RDMA_READ, pf0);
    uint64_t local = register_brokered(client.sock, memory, 64, 1, pf0);
    assert_refused(try_export(999, pf0, 1), DOCA_ERROR_NOT_FOUND, "region");
    assert_refused(try_export(dpu, 0, 1), DOCA_ERROR_NOT_FOUND, "function");
    assert_refused(try_export(dpu, 2, 1), DOCA_ERROR_BAD_STATE, "closed function");
    assert_refused(try_export(dpu, pf1, 1), DOCA_ERROR_INVALID_VALUE, "another function");
    assert_refused(try_export(dpu, pf0, 0), DOCA_ERROR_INVALID_VALUE, "no target");
    assert_refused(try_export(dpu, pf0, 3), DOCA_ERROR_INVALID_VALUE, "unknown target");
    assert_refused(try_export(dpu, pf0, 2), DOCA_ERROR_NOT_PERMITTED, "dpu to rdma");
    assert_refused(try_export(rdma, pf0, 1), DOCA_ERROR_NOT_PERMITTED, "rdma to dpu");
    assert_refused(try_export(local, pf0, 1), DOCA_ERROR_NOT_PERMITTED, "local");
    ck_assert_int_eq(try_export(dpu, pf0, 1), DOCA_SUCCESS);
    ck_assert_int_eq(try_export(rdma, pf0, 2), DOCA_SUCCESS);
}
END_TEST

START_TEST(imports_and_queue_pairs_of_others)
{
    Docad__ImportRelease release = DOCAD__IMPORT_RELEASE__INIT;
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    struct raw_session other = session_start(host);
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, client.node};
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    destroy.queue_pair_id = release.import_id = answer->queue_pair_create_reply->queue_pair_id;
    assert_refused(call(other.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &destroy),
                   DOCA_ERROR_NOT_FOUND, "queue pair");
    assert_refused(call(other.sock, DOCAD__MESSAGE__BODY_IMPORT_RELEASE, &release),
                   DOCA_ERROR_NOT_FOUND, "import");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_IMPORT_RELEASE, &release),
                   DOCA_ERROR_NOT_FOUND, "queue pair as import");
    session_end(&other);
}
END_TEST

START_TEST(queue_pair_node)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m),
                   DOCA_ERROR_INVALID_VALUE, "none");
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE - 1, client.node};
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m),
                   DOCA_ERROR_INVALID_VALUE, "short");
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m),
                   DOCA_ERROR_NOT_FOUND, "foreign");
}
END_TEST

// ---- imports of this very node --------------------------------------------------------------

START_TEST(rdma_import_here)
{
    struct raw_session importer = session_start(host);
    strcpy(memory, "read me");
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_RDMA_READ, pf0);
    struct descriptor d = export_to(client.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    struct qp_client qp = raw_queue_pair(&importer, importer.node);
    uint32_t function = open_function(importer.sock, "pf1");
    ck_assert_int_eq(import_on(importer.sock, &d, function), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    uint32_t key = answer->import_create_reply->grant_key;
    uint64_t address = answer->import_create_reply->address;
    ck_assert_uint_eq(address, (uintptr_t)memory);
    ck_assert_uint_eq(answer->import_create_reply->access, DOCA_ACCESS_RDMA_READ);

    ck_assert_uint_eq(raw_move(&qp, QP_READ, address, 64, key), DOCA_SUCCESS);
    ck_assert_str_eq((const char *)qp.shared->data[0], "read me");
    ck_assert_uint_eq(raw_move(&qp, QP_WRITE, address, 1, key), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(raw_move(&qp, QP_READ, address - 1, 2, key), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(raw_move(&qp, QP_READ, address, 65, key), DOCA_ERROR_NOT_PERMITTED);

    cleanup_message Docad__Message *list = raw_list(importer.sock, DOCAD__LIST__KIND__EXPORTS, 0);
    ck_assert_uint_eq(list->list_reply->exports[0]->n_importers, 1);
    ck_assert_uint_eq(list->list_reply->exports[0]->importers[0]->session_id, importer.id);

    ck_assert_int_eq(state_table_read(importer.states, slot, import), SLOT_LIVE);
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = region;
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(importer.states, slot, import), SLOT_OWNER_GONE);
    ck_assert_uint_ne(raw_move(&qp, QP_READ, address, 64, key), DOCA_SUCCESS);
    assert_refused(import_on(importer.sock, &d, function), DOCA_ERROR_NOT_PERMITTED, "expired");
    qp_client_fini(&qp);
    session_end(&importer);
}
END_TEST

START_TEST(owner_of_import_dies)
{
    struct raw_session importer = session_start(host);
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_mapped(client.sock, 8192, DOCA_ACCESS_RDMA_WRITE, pf0);
    struct descriptor d = export_to(client.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    uint32_t function = open_function(importer.sock, "pf0");
    ck_assert_int_eq(import_on(importer.sock, &d, function), DOCA_SUCCESS);
    ck_assert(answer->import_create_reply->has_memfd);
    ck_assert_int_eq(memfd_check(answer_fds.fds[0], 8192, 1), 0);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    session_end(&client);
    client.states = NULL;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(importer.states, slot, import) == SLOT_LIVE)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(importer.states, slot, import), SLOT_OWNER_GONE);
    Docad__ImportRelease m = DOCAD__IMPORT_RELEASE__INIT;
    m.import_id = import;
    ck_assert_int_eq(call(importer.sock, DOCAD__MESSAGE__BODY_IMPORT_RELEASE, &m), DOCA_SUCCESS);
    session_end(&importer);
}
END_TEST

// A scribbled ring ends its queue pair and nothing else.
START_TEST(corrupted_ring)
{
    struct qp_client bad = raw_queue_pair(&client, client.node),
                     fine = raw_queue_pair(&client, client.node);
    uint64_t fine_id = answer->queue_pair_create_reply->queue_pair_id;
    uint32_t fine_slot = answer->queue_pair_create_reply->state_slot;
    bad.head = 12345;
    qp_ring(&bad);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(host, "its ring is corrupted"))
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(client.states, fine_slot, fine_id), SLOT_LIVE);
    ck_assert_int_eq(state_table_read(client.states, fine_slot - 1, fine_id - 1), SLOT_REVOKED);
    ck_assert_uint_eq(raw_move(&fine, QP_READ, 0, 1, 0), DOCA_ERROR_NOT_PERMITTED);
    qp_client_fini(&bad);
    qp_client_fini(&fine);
}
END_TEST

// A DPU export is for the other node.
START_TEST(dpu_import_here)
{
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    struct descriptor d = export_to(client.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    assert_refused(import_on(client.sock, &d, pf0), DOCA_ERROR_NOT_SUPPORTED, "import");
}
END_TEST

// Its holder cannot make it another: docad knows what it exported.
START_TEST(descriptor_of_another_target)
{
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    struct descriptor d = export_to(client.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
    desc.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    ck_assert_int_eq(export_desc_encode(&desc, d.bytes, &d.size), DOCA_SUCCESS);
    assert_refused(import_on(client.sock, &d, pf0), DOCA_ERROR_INVALID_VALUE, "import");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_memory");
    TCase *tcase = tcase_create("protocol_memory");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, region_field, 0, ARRAY_SIZE(spoilt));
    const TTest *const tests[] = {region_is_good,
                                  region_function_unknown,
                                  region_function_not_open,
                                  region_of_another_session,
                                  export_fields,
                                  imports_and_queue_pairs_of_others,
                                  queue_pair_node,
                                  rdma_import_here,
                                  owner_of_import_dies,
                                  corrupted_ring,
                                  dpu_import_here,
                                  descriptor_of_another_target};
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
