// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The 1.5 interface: devices, jobs that write over their destination, queues that are deeper than
// the depth they were given, the default log, and exports in both directions between all
// generations.

#include "doca_1_5.h"

#include "earlier_peer.h"
#include "later_peer.h"
#include "nodes.h"
#include "run.h"

#include <doca_log.h>
#include <doca_sha.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST_1_5);

static char host_pci[] = HOST_PF0, dpu_pci[] = DPU_P0;

static uint8_t pattern(size_t i)
{
    return (uint8_t)(i * 7);
}

// ---- devices ---------------------------------------------------------------------------

static int look_at_devices(struct child *self, void *arg)
{
    struct doca_dev *dev = open_1_5(arg);
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    uint8_t yes;
    (void)self;
    // Either side exports to the other.
    yes = 0;
    ck_assert_success(doca_devinfo_get_is_mmap_export_supported(info, &yes));
    ck_assert_uint_eq(yes, 1);
    yes = 0;
    ck_assert_success(doca_devinfo_get_is_mmap_from_export_supported(info, &yes));
    ck_assert_uint_eq(yes, 1);
    doca_error_t (*const emulated[])(const struct doca_devinfo *, uint8_t *) = {
        doca_devinfo_rep_get_is_list_virtio_fs_supported,
        doca_devinfo_rep_get_is_list_virtio_net_supported,
        doca_devinfo_rep_get_is_list_virtio_blk_supported,
        doca_devinfo_rep_get_is_list_nvme_supported};
    for (size_t i = 0; i < sizeof(emulated) / sizeof(emulated[0]); i++) {
        yes = 7;
        ck_assert_success(emulated[i](info, &yes));
        ck_assert_uint_eq(yes, 0);
        ck_assert_error(emulated[i](NULL, &yes), DOCA_ERROR_INVALID_VALUE);
        ck_assert_error(emulated[i](info, NULL), DOCA_ERROR_INVALID_VALUE);
    }
    struct doca_pci_bdf bdf;
    ck_assert_error(doca_devinfo_get_pci_addr(NULL, &bdf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_get_pci_addr(info, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_dma_job_get_supported(doca_dev_as_devinfo(dev), DOCA_DMA_JOB_MEMCPY));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

static int look_at_representors(struct child *self, void *arg)
{
    struct doca_dev *dev = open_1_5(DPU_P0);
    struct doca_devinfo_rep **list = NULL;
    struct doca_pci_bdf bdf;
    bool found = false;
    uint32_t n = 77;
    (void)self;
    (void)arg;
    // A kind that the device does not have is refused, also beside one that it has.
    static const int emulated[] = {DOCA_DEV_REP_FILTER_VIRTIO_FS, DOCA_DEV_REP_FILTER_VIRTIO_NET,
                                   DOCA_DEV_REP_FILTER_VIRTIO_BLK, DOCA_DEV_REP_FILTER_NVME};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_error(doca_devinfo_rep_list_create(dev, emulated[i], &list, &n),
                        DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_error(
            doca_devinfo_rep_list_create(dev, emulated[i] | DOCA_DEV_REP_FILTER_NET, &list, &n),
            DOCA_ERROR_NOT_SUPPORTED);
    }
    ck_assert_error(doca_devinfo_rep_list_create(dev, 64, &list, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_rep_list_create(NULL, 0, &list, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(n, 77);
    ck_assert_success(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
    ck_assert_uint_gt(n, 0);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_success(doca_devinfo_rep_get_pci_addr(list[i], &bdf));
        found |= bdf.bus == 0x0b && bdf.device == 0 && bdf.function == 0;
    }
    ck_assert(found);
    ck_assert_error(doca_devinfo_rep_get_pci_addr(NULL, &bdf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_rep_get_pci_addr(list[0], NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_devinfo_rep_list_destroy(list));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(devices)
{
    child_join(child_start(nodes.host, "host", look_at_devices, host_pci));
    child_join(child_start(nodes.dpu, "dpu", look_at_devices, dpu_pci));
    child_join(child_start(nodes.dpu, "representors", look_at_representors, NULL));
}
END_TEST

// ---- jobs ------------------------------------------------------------------------------

#define SIZE ((size_t)4096)

static int write_over(struct child *self, void *arg)
{
    uint8_t *memory = malloc(4 * SIZE);
    size_t length = 77;
    void *at = NULL;
    struct rig_1_5 r;
    (void)self;
    (void)arg;
    rig_1_5_open(&r, DPU_P0, 4, false);
    struct doca_mmap *map = map_1_5(r.dev, memory, 4 * SIZE);
    struct doca_buf *from = data_1_5(&r, map, memory, SIZE);
    struct doca_buf *to = room_1_5(&r, map, memory + 2 * SIZE, SIZE);
    struct doca_dma_job_memcpy job = job_1_5(&r, from, to);

    // One job, with a destination just as large as its data, repeated forever.
    for (unsigned round = 0; round < 5000; round++) {
        memset(memory, (int)round, SIZE);
        ck_assert_success(doca_workq_submit(r.workq, &job.base));
        ck_assert_success(retrieve_1_5(&r));
        ck_assert_mem_eq(memory + 2 * SIZE, memory, SIZE);
        ck_assert_success(doca_buf_get_data_len(to, &length));
        ck_assert_uint_eq(length, SIZE);
    }
    // The data of the destination says where to write; its length does not count.
    ck_assert_success(doca_buf_set_data(from, memory + 1, 100));
    ck_assert_success(doca_buf_set_data(to, memory + 2 * SIZE + 10, SIZE - 10));
    memset(memory, 'a', SIZE);
    memset(memory + 2 * SIZE, 'b', SIZE);
    ck_assert_success(copy_1_5(&r, from, to));
    ck_assert_int_eq(memory[2 * SIZE + 9], 'b');
    ck_assert_int_eq(memory[2 * SIZE + 10], 'a');
    ck_assert_int_eq(memory[2 * SIZE + 109], 'a');
    ck_assert_int_eq(memory[2 * SIZE + 110], 'b');
    ck_assert_success(doca_buf_get_data_len(to, &length));
    ck_assert_uint_eq(length, 100);
    ck_assert_success(doca_buf_get_data(to, &at));
    ck_assert_ptr_eq(at, memory + 2 * SIZE + 10);
    // Copies back and forth, as programs do that set the data of both buffers.
    ck_assert_success(doca_buf_set_data(from, memory, SIZE));
    ck_assert_success(doca_buf_set_data(to, memory + 2 * SIZE, SIZE));
    for (int n = 0; n < 10; n++) {
        ck_assert_success(copy_1_5(&r, from, to));
        ck_assert_success(copy_1_5(&r, to, from));
    }
    // Too many bytes give an event with an error; no bytes are a success.
    ck_assert_success(doca_buf_set_data(to, memory + 2 * SIZE + 1, 0));
    ck_assert_error(copy_1_5(&r, from, to), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_set_data(from, memory, 0));
    ck_assert_success(copy_1_5(&r, from, to));
    // Data must lie within its buffer.
    ck_assert_error(doca_buf_set_data(from, memory - 1, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_buf_set_data(from, memory + SIZE, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_buf_set_data(from, memory, SIZE + 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_set_data(from, memory + SIZE, 0));
    job = job_1_5(&r, NULL, to);
    ck_assert_error(doca_workq_submit(r.workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    job = job_1_5(&r, from, to);
    job.base.type = DOCA_DMA_JOB_MEMCPY + 1;
    ck_assert_error(doca_workq_submit(r.workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_refcount_rm(from, NULL));
    ck_assert_success(doca_buf_refcount_rm(to, NULL));
    ck_assert_success(doca_mmap_dev_rm(map, r.dev));
    ck_assert_success(doca_mmap_destroy(map));
    rig_1_5_close(&r);
    free(memory);
    return 0;
}

START_TEST(a_job_writes_over_its_destination)
{
    child_join(child_start(nodes.dpu, "copier", write_over, NULL));
}
END_TEST

#define JOBS 1024

static bool wait_readable(int fd, int timeout_ms)
{
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    return poll(&pollfd, 1, timeout_ms) == 1;
}

// `arg` selects event-driven mode.
static int submit_many(struct child *self, void *arg)
{
    uint8_t *memory = calloc(2, JOBS);
    struct rig_1_5 r;
    (void)self;
    rig_1_5_open(&r, HOST_PF0, 2, arg != NULL);
    struct doca_mmap *map = map_1_5(r.dev, memory, 2 * (size_t)JOBS);
    struct doca_buf *from = data_1_5(&r, map, memory, JOBS);
    struct doca_buf *to = room_1_5(&r, map, memory + JOBS, JOBS);
    struct doca_dma_job_memcpy job = job_1_5(&r, from, to);
    for (size_t i = 0; i < JOBS; i++)
        memory[i] = pattern(i);
    for (int round = 0; round < 20; round++) {
        memset(memory + JOBS, 0, JOBS);
        // One pair of buffers, moved on by a byte after each job: each takes the places that
        // they had when it was submitted.
        for (size_t i = 0; i < JOBS; i++) {
            ck_assert_success(doca_buf_set_data(from, memory + i, 1));
            ck_assert_success(doca_buf_set_data(to, memory + JOBS + i, 0));
            ck_assert_success(doca_workq_submit(r.workq, &job.base));
        }
        ck_assert_error(doca_workq_submit(r.workq, &job.base), DOCA_ERROR_NO_MEMORY);
        for (int i = 0; i < JOBS; i++) {
            if (arg) {
                // One event for each arming, however many completions wait.
                ck_assert_success(doca_workq_event_handle_arm(r.workq));
                ck_assert(wait_readable(r.handle, 0));
                ck_assert_success(doca_workq_event_handle_clear(r.workq, r.handle));
                ck_assert(!wait_readable(r.handle, 0));
            }
            ck_assert_success(retrieve_1_5(&r));
        }
        ck_assert_mem_eq(memory + JOBS, memory, JOBS);
    }
    ck_assert_success(doca_buf_refcount_rm(from, NULL));
    ck_assert_success(doca_buf_refcount_rm(to, NULL));
    ck_assert_success(doca_mmap_destroy(map));
    rig_1_5_close(&r);
    free(memory);
    return 0;
}

START_TEST(far_more_jobs_than_the_depth)
{
    child_join(child_start(nodes.host, "submitter", submit_many, _i ? host_pci : NULL));
}
END_TEST

static int chain_buffers(struct child *self, void *arg)
{
    struct doca_buf_inventory *lists, *single, *none;
    struct doca_buf *a[4], *s[2], *dup;
    char text[] = "abcdefgh", room[] = "--------";
    struct rig_1_5 r;
    uint32_t n = 0;
    uint8_t has = 7;
    (void)self;
    (void)arg;
    rig_1_5_open(&r, DPU_P0, 2, false);
    single = r.inventory;
    ck_assert_success(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_LINKED_LIST, &lists));
    ck_assert_success(doca_buf_inventory_start(lists));
    ck_assert_error(doca_buf_inventory_create(NULL, 4, 2, &none), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_inventory_get_list_supported(lists, &has));
    ck_assert_uint_eq(has, 1);
    ck_assert_success(doca_buf_inventory_get_list_supported(single, &has));
    ck_assert_uint_eq(has, 0);

    struct doca_mmap *from = map_1_5(r.dev, text, 8), *to = map_1_5(r.dev, room, 8);
    for (int i = 0; i < 2; i++) {
        ck_assert_success(doca_buf_inventory_buf_by_data(lists, from, text + 4 * i, 4 - i, &a[i]));
        ck_assert_success(doca_buf_inventory_buf_by_data(lists, to, room + 4 * i, 4, &a[2 + i]));
        ck_assert_success(doca_buf_inventory_buf_by_data(single, from, text + 4 * i, 4, &s[i]));
    }
    // Without the extension a buffer is always a list of one.
    ck_assert_error(doca_buf_list_chain(s[0], s[1]), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(doca_buf_list_chain(a[0], s[1]), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(doca_buf_list_unchain(s[0], s[1]), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_buf_list_num_elements(s[0], &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_error(doca_buf_inventory_buf_dup(lists, s[0], &dup), DOCA_ERROR_NOT_PERMITTED);
    // With it, 4 bytes and 3 go to two buffers that are full of data.
    ck_assert_success(doca_buf_list_chain(a[0], a[1]));
    ck_assert_success(doca_buf_list_chain(a[2], a[3]));
    ck_assert_success(doca_buf_set_data(a[2], room + 1, 0));
    for (int i = 0; i < 3; i++) {
        memcpy(room, "--------", 8);
        ck_assert_success(copy_1_5(&r, a[0], a[2]));
        ck_assert_mem_eq(room, "-abcdefg", 8);
    }
    ck_assert_success(doca_buf_list_unchain(a[2], a[3]));
    ck_assert_error(copy_1_5(&r, a[0], a[2]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_refcount_rm(a[0], NULL)); // with its list
    for (int i = 0; i < 2; i++) {
        ck_assert_success(doca_buf_refcount_rm(a[2 + i], NULL));
        ck_assert_success(doca_buf_refcount_rm(s[i], NULL));
    }
    ck_assert_success(doca_buf_inventory_destroy(lists));
    ck_assert_success(doca_mmap_destroy(from));
    ck_assert_success(doca_mmap_destroy(to));
    rig_1_5_close(&r);
    return 0;
}

START_TEST(lists_are_an_extension)
{
    child_join(child_start(nodes.dpu, "chainer", chain_buffers, NULL));
}
END_TEST

static int change_depth(struct child *self, void *arg)
{
    struct doca_workq *workq;
    uint32_t depth = 0;
    struct rig_1_5 r;
    (void)self;
    (void)arg;
    ck_assert_error(doca_workq_create(0, &workq), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_create(UINT32_MAX, &workq), DOCA_ERROR_NO_MEMORY);
    rig_1_5_open(&r, HOST_PF0, 2, false);
    ck_assert_success(doca_workq_create(1, &workq));
    ck_assert_success(doca_workq_set_depth(workq, 3000));
    ck_assert_success(doca_workq_get_depth(workq, &depth));
    ck_assert_uint_eq(depth, 3000);
    ck_assert_error(doca_workq_set_depth(workq, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_set_depth(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_set_depth(workq, UINT32_MAX), DOCA_ERROR_NO_MEMORY);
    ck_assert_success(doca_workq_get_depth(workq, &depth));
    ck_assert_uint_eq(depth, 3000);
    ck_assert_success(doca_ctx_workq_add(r.ctx, workq));
    ck_assert_error(doca_workq_set_depth(workq, 5), DOCA_ERROR_BAD_STATE);
    ck_assert_success(doca_ctx_workq_rm(r.ctx, workq));
    ck_assert_success(doca_workq_destroy(workq));
    rig_1_5_close(&r);
    return 0;
}

START_TEST(depths_change)
{
    child_join(child_start(nodes.host, "depths", change_depth, NULL));
}
END_TEST

// A program that says of a whole message that it is the last part.
static int hash_plainly(struct child *self, void *arg)
{
    static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf};
    uint8_t memory[64] = "abc";
    struct doca_sha *sha;
    struct doca_event event;
    struct rig_1_5 r;
    doca_error_t e;
    (void)self;
    (void)arg;
    rig_1_5_open(&r, HOST_PF0, 2, false);
    ck_assert_success(doca_sha_create(&sha));
    struct doca_ctx *ctx = doca_sha_as_ctx(sha);
    ck_assert_success(doca_ctx_dev_add(ctx, r.dev));
    ck_assert_success(doca_ctx_start(ctx));
    ck_assert_success(doca_ctx_workq_add(ctx, r.workq));
    struct doca_mmap *map = map_1_5(r.dev, memory, sizeof(memory));
    struct doca_sha_job job = {.base = {.type = DOCA_SHA_JOB_SHA256, .ctx = ctx},
                               .req_buf = data_1_5(&r, map, memory, 3),
                               .resp_buf = room_1_5(&r, map, memory + 32, 32),
                               .flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL};
    for (int i = 0; i < 100; i++) {
        memset(memory + 32, 0, 32);
        ck_assert_success(doca_workq_submit(r.workq, &job.base));
        while ((e = doca_workq_progress_retrieve(r.workq, &event, 0)) == DOCA_ERROR_AGAIN)
            ;
        ck_assert_success(e);
        ck_assert_mem_eq(memory + 32, abc, sizeof(abc));
    }
    job.flags = 2;
    ck_assert_error(doca_workq_submit(r.workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_buf_refcount_rm(job.req_buf, NULL));
    ck_assert_success(doca_buf_refcount_rm(job.resp_buf, NULL));
    ck_assert_success(doca_ctx_workq_rm(ctx, r.workq));
    ck_assert_success(doca_ctx_stop(ctx));
    ck_assert_success(doca_sha_destroy(sha));
    ck_assert_success(doca_mmap_destroy(map));
    rig_1_5_close(&r);
    return 0;
}

START_TEST(a_whole_message_may_say_that_it_is_final)
{
    child_join(child_start(nodes.host, "hasher", hash_plainly, NULL));
}
END_TEST

// ---- the log ---------------------------------------------------------------------------

static void read_back(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
}

static int write_lines(struct child *self, void *arg)
{
    FILE *out = tmpfile(), *err = tmpfile(), *elsewhere = tmpfile(), *own = tmpfile();
    struct doca_logger_backend *backend;
    char text[4096];
    (void)self;
    (void)arg;
    int saved_out = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    DOCA_LOG_INFO("from the start");
    DOCA_LOG_DBG("not shown");
    ck_assert_success(doca_log_create_fd_backend(fileno(own), &backend));
    DOCA_LOG_WARN("to both");
    // The global level applies to the default backend only.
    ck_assert_success(doca_log_global_level_set(DOCA_LOG_LEVEL_ERROR));
    DOCA_LOG_INFO("to one");
    ck_assert_success(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG));
    DOCA_LOG_DBG("to the default");
    ck_assert_success(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_ERROR));
    ck_assert_success(doca_log_stream_redirect(elsewhere));
    DOCA_LOG_INFO("redirected");
    ck_assert_error(doca_log_stream_redirect(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_log_stream_redirect(stderr));
    dup2(saved_out, STDOUT_FILENO);
    dup2(saved_err, STDERR_FILENO);
    close(saved_out);
    close(saved_err);

    read_back(out, text, sizeof(text));
    ck_assert_str_eq(text, "");
    read_back(err, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "[INF][TEST_1_5:"));
    ck_assert_ptr_nonnull(strstr(text, "]: from the start\n"));
    ck_assert_ptr_null(strstr(text, "not shown"));
    ck_assert_ptr_nonnull(strstr(text, "]: to both\n"));
    ck_assert_ptr_null(strstr(text, "to one"));
    ck_assert_ptr_nonnull(strstr(text, "]: to the default\n"));
    ck_assert_ptr_null(strstr(text, "redirected"));
    read_back(own, text, sizeof(text));
    ck_assert_ptr_null(strstr(text, "from the start"));
    ck_assert_ptr_nonnull(strstr(text, "]: to both\n"));
    ck_assert_ptr_nonnull(strstr(text, "]: to one\n"));
    ck_assert_ptr_null(strstr(text, "to the default"));
    read_back(elsewhere, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "]: redirected\n"));
    fclose(out);
    fclose(err);
    fclose(own);
    fclose(elsewhere);
    return 0;
}

START_TEST(lines_go_to_stderr_from_the_start)
{
    child_join(child_start(nodes.host, "logger", write_lines, NULL));
}
END_TEST

// ---- exports ---------------------------------------------------------------------------

static uint8_t brokered[LATER_SIZE] = {1};

struct side {
    const char *pci_address;
    bool brokered; // memory that docad cannot move
};

static int be_exporter(struct child *self, void *arg)
{
    const struct side *side = arg;
    uint8_t *memory = side->brokered ? brokered : malloc(LATER_SIZE);
    struct doca_dev *dev = open_1_5(side->pci_address);
    void *desc = NULL, *other = NULL;
    size_t size = 0;
    for (size_t i = 0; i < LATER_SIZE; i++)
        memory[i] = pattern(i);
    struct doca_mmap *map = map_1_5(dev, memory, LATER_SIZE);
    ck_assert_success(doca_mmap_export(map, dev, &desc, &size));
    // Programs keep it in 1024 bytes, and print it.
    ck_assert_uint_le(size, 512);
    ck_assert_uint_eq(strlen(desc) + 1, size);
    ck_assert_error(doca_mmap_export(map, dev, &other, &size), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(other);
    child_send(self, desc, size);
    child_wait(self, "address");
    child_send(self, &memory, sizeof(memory));
    child_wait(self, "check");
    ck_assert_int_eq(memory[1], 'w');
    for (size_t i = 2; i < LATER_SIZE; i++)
        ck_assert_msg(memory[i] == pattern(i), "byte %zu", i);
    child_wait(self, "end");
    ck_assert_success(doca_mmap_destroy(map));
    ck_assert_success(doca_dev_close(dev));
    free(desc); // only now, as programs do
    if (!side->brokered)
        free(memory);
    return 0;
}

static int be_importer(struct child *self, void *arg)
{
    const struct side *side = arg;
    uint8_t *memory = malloc(LATER_SIZE), *address;
    char desc[1024];
    struct doca_mmap *remote, *local;
    struct rig_1_5 r;
    size_t size = child_receive(self, desc, sizeof(desc));
    child_receive(self, &address, sizeof(address));
    rig_1_5_open(&r, side->pci_address, 2, false);
    local = map_1_5(r.dev, memory, LATER_SIZE);
    ck_assert_success(doca_mmap_create_from_export(NULL, desc, size, r.dev, &remote));
    struct doca_buf *theirs = room_1_5(&r, remote, address, LATER_SIZE);
    struct doca_buf *mine = room_1_5(&r, local, memory, LATER_SIZE);
    ck_assert_success(doca_buf_set_data(theirs, address, LATER_SIZE));
    for (int i = 0; i < 10; i++) {
        memset(memory, 0, LATER_SIZE);
        ck_assert_success(copy_1_5(&r, theirs, mine));
        for (size_t n = 0; n < LATER_SIZE; n++)
            ck_assert_msg(memory[n] == pattern(n), "byte %zu", n);
    }
    // Two jobs at a time with one pair of buffers, also where docad moves the bytes.
    memset(memory, 0, LATER_SIZE);
    struct doca_dma_job_memcpy job = job_1_5(&r, theirs, mine);
    ck_assert_success(doca_buf_set_data(theirs, address + 50000, 40000));
    ck_assert_success(doca_buf_set_data(mine, memory + 50000, 0));
    ck_assert_success(doca_workq_submit(r.workq, &job.base));
    ck_assert_success(doca_buf_set_data(theirs, address, 40000));
    ck_assert_success(doca_buf_set_data(mine, memory, 0));
    ck_assert_success(doca_workq_submit(r.workq, &job.base));
    ck_assert_success(doca_buf_set_data(theirs, address, 1));
    ck_assert_success(doca_buf_set_data(mine, memory + 90000, 0));
    ck_assert_success(retrieve_1_5(&r));
    ck_assert_success(retrieve_1_5(&r));
    for (size_t n = 0; n < LATER_SIZE; n++)
        ck_assert_msg(memory[n] == (n < 40000 || (n >= 50000 && n < 90000) ? pattern(n) : 0),
                      "byte %zu of two", n);
    // Writing need not be permitted.
    memory[0] = 'w';
    ck_assert_success(doca_buf_set_data(mine, memory, 1));
    ck_assert_success(doca_buf_set_data(theirs, address + 1, 0));
    ck_assert_success(copy_1_5(&r, mine, theirs));
    child_tell(self, "done");
    ck_assert_success(doca_buf_refcount_rm(theirs, NULL));
    ck_assert_success(doca_buf_refcount_rm(mine, NULL));
    ck_assert_success(doca_mmap_destroy(remote));
    ck_assert_success(doca_mmap_dev_rm(local, r.dev));
    ck_assert_success(doca_mmap_destroy(local));
    rig_1_5_close(&r);
    free(memory);
    return 0;
}

static struct side host = {HOST_PF0, false}, dpu = {DPU_P0, false};
static struct side host_brokered = {HOST_PF0, true}, dpu_brokered = {DPU_P0, true};

static const struct {
    const char *what;
    bool dpu_exports;
    child_fn exporter, importer;
    void *exporter_arg, *importer_arg;
    bool needs_address;
} pairs[] = {
    {"1.5 to 1.5", false, be_exporter, be_importer, &host, &dpu, true},
    {"1.5 to 1.5, brokered", false, be_exporter, be_importer, &host_brokered, &dpu, true},
    {"1.5 to 1.5, from the DPU", true, be_exporter, be_importer, &dpu, &host, true},
    {"the same, brokered", true, be_exporter, be_importer, &dpu_brokered, &host, true},
    {"1.5 to 2.2", false, be_exporter, be_later_importer, &host, dpu_pci, false},
    {"1.5 to 2.2, from the DPU", true, be_exporter, be_later_importer, &dpu, host_pci, false},
    {"1.5 to 1.3", false, be_exporter, be_earlier_importer, &host, dpu_pci, true},
    {"1.5 to 1.3, from the DPU", true, be_exporter, be_earlier_importer, &dpu, host_pci, true},
    {"2.2 to 1.5", false, be_later_exporter, be_importer, NULL, &dpu, true},
    {"1.3 to 1.5", false, be_earlier_exporter, be_importer, host_pci, &dpu, true},
};

START_TEST(what_one_exports_the_other_imports)
{
    const struct daemon *there = pairs[_i].dpu_exports ? nodes.dpu : nodes.host;
    const struct daemon *here = pairs[_i].dpu_exports ? nodes.host : nodes.dpu;
    uint8_t bytes[1024];

    struct child *exporter =
        child_start(there, "exporter", pairs[_i].exporter, pairs[_i].exporter_arg);
    struct child *importer =
        child_start(here, pairs[_i].what, pairs[_i].importer, pairs[_i].importer_arg);
    size_t size = child_receive(exporter, bytes, sizeof(bytes));
    child_send(importer, bytes, size);
    child_tell(exporter, "address");
    size = child_receive(exporter, bytes, sizeof(bytes));
    if (pairs[_i].needs_address)
        child_send(importer, bytes, size);
    child_wait(importer, "done");
    child_join(importer);
    child_tell(exporter, "check");
    child_tell(exporter, "end");
    child_join(exporter);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// An export of the DPU is for the host at that port, and for no other node.
static int be_stranger(struct child *self, void *arg)
{
    struct doca_dev *dev = open_1_5(arg);
    struct doca_mmap *map = NULL;
    char desc[1024];
    size_t size = child_receive(self, desc, sizeof(desc));
    ck_assert_error(doca_mmap_create_from_export(NULL, desc, size, dev, &map),
                    DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_null(map);
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(an_export_to_the_host_is_for_its_port)
{
    static char other_port[] = HOST_PF1;
    uint8_t bytes[1024];

    struct child *exporter = child_start(nodes.dpu, "exporter", be_exporter, &dpu);
    size_t size = child_receive(exporter, bytes, sizeof(bytes));
    struct child *child = child_start(nodes.host, "other port", be_stranger, other_port);
    child_send(child, bytes, size);
    child_join(child);
    child = child_start(nodes.dpu, "same node", be_stranger, dpu_pci);
    child_send(child, bytes, size);
    child_join(child);
    child_kill(exporter);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca_1_5");
    TCase *tcase = tcase_create("doca_1_5");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, a_job_writes_over_its_destination);
    tcase_add_loop_test(tcase, far_more_jobs_than_the_depth, 0, 2);
    tcase_add_test(tcase, lists_are_an_extension);
    tcase_add_test(tcase, depths_change);
    tcase_add_test(tcase, a_whole_message_may_say_that_it_is_final);
    tcase_add_test(tcase, lines_go_to_stderr_from_the_start);
    tcase_add_loop_test(tcase, what_one_exports_the_other_imports, 0,
                        sizeof(pairs) / sizeof(pairs[0]));
    tcase_add_test(tcase, an_export_to_the_host_is_for_its_port);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
