// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads over the daemons' link of memory that has a file: docad's loop answers them itself, when
// the link has room, and no thread of the engine wakes up. The threads' sleeps are counted.

#include "link_setting.h"

#include "access.h"
#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define PAGE   4096u
#define SHARED (2 * QP_CHUNK_SIZE) // the mapped part; a page that is not mapped comes before it
#define READS  200u
#define RARELY 20u

static struct raw_session owner;
static uint8_t *memory; // a page, and the mapped part
static int file, file_ro;
static uint64_t region, queue, grant;
static uint32_t key, function;

// ---- the setting ------------------------------------------------------------------------------

static void register_memory(uint32_t access)
{
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    Docad__Segment own = DOCAD__SEGMENT__INIT, shared = DOCAD__SEGMENT__INIT;
    Docad__Segment *segments[] = {&own, &shared};
    cleanup_fd int self = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

    m.address = own.address = (uintptr_t)memory;
    own.length = PAGE;
    shared.address = (uintptr_t)memory + PAGE;
    shared.length = SHARED;
    shared.mapped = true;
    m.length = PAGE + SHARED;
    m.access = access;
    m.function_ids = &function;
    m.n_function_ids = 1;
    m.segments = segments;
    m.n_segments = 2;
    m.has_memory_fd = m.has_memfd = m.has_memfd_ro = true;
    ck_assert_int_eq(call_with_fds(owner.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m,
                                   (int[]){self, file, file_ro}, 3),
                     DOCA_SUCCESS);
    region = answer->region_register_reply->region_id;
}

static void import_it(const struct descriptor *d)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    struct export_desc exported;

    ck_assert_int_eq(export_desc_decode(d->bytes, d->size, &exported, NULL), DOCA_SUCCESS);
    import.export_id = exported.export_id;
    import.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, exported.token};
    import.importer = create.importer = 5;
    import.function_pci = (char *)"0000:03:00.0";
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
    key = answer->peer_import_reply->grant_key;
    grant = answer->peer_import_reply->grant_id;
    create.link = OWN_QUEUE;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    queue = answer->peer_queue_pair_create_reply->link;
}

static void set_up(uint32_t access)
{
    link_start("host");
    owner = session_start(docad);
    function = open_function(owner.sock, "pf0");
    memory = mmap(NULL, PAGE + SHARED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    file = memfd_create_sealed("region", SHARED);
    file_ro = memfd_reopen_readonly(file);
    ck_assert(memory != MAP_FAILED && file >= 0 && file_ro >= 0);
    ck_assert_ptr_eq(
        mmap(memory + PAGE, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0),
        memory + PAGE);
    for (size_t i = 0; i < PAGE + SHARED; i++)
        memory[i] = (uint8_t)(i * 7 + i / 4093);
    register_memory(access);
    struct descriptor d = export_to(owner.sock, region, function, DOCAD__EXPORT_TARGET__TARGET_DPU);
    import_it(&d);
}

static void setup(void)
{
    set_up(DOCA_ACCESS_DPU_READ_WRITE);
}

static void setup_read_only(void)
{
    set_up(DOCA_ACCESS_DPU_READ_ONLY);
}

static void teardown(void)
{
    session_end(&owner);
    munmap(memory, PAGE + SHARED);
    close_fdp(&file);
    close_fdp(&file_ro);
    link_stop();
}

// ---- requests ---------------------------------------------------------------------------------

static struct qp_request request(enum qp_opcode opcode, uint32_t at, uint32_t length)
{
    return (struct qp_request){.address = (uintptr_t)memory + at,
                               .length = length,
                               .key = key,
                               .offset = QP_CHUNK_SIZE,
                               .tag = 9,
                               .opcode = opcode};
}

static void ask(const struct qp_request *r)
{
    send_frame(queue, 0, NULL, 0, r, sizeof(*r));
}

// Takes an answer. The tag of its request; the bytes are in `out`.
static uint32_t take_answer(uint8_t out[QP_CHUNK_SIZE], uint32_t *status)
{
    struct qp_completion done;
    for (;;) {
        const Docad__PeerQueuePairData *m = expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        if (m->data.len)
            memcpy(out + m->offset % QP_CHUNK_SIZE, m->data.data, m->data.len);
        if (!m->header.len)
            continue;
        ck_assert_uint_eq(m->header.len, sizeof(done));
        memcpy(&done, m->header.data, sizeof(done));
        *status = done.status;
        return done.tag;
    }
}

static uint32_t read_status(uint32_t at, uint32_t length)
{
    static uint8_t out[QP_CHUNK_SIZE];
    struct qp_request r = request(QP_READ, at, length);
    uint32_t status;
    ask(&r);
    ck_assert_uint_eq(take_answer(out, &status), r.tag);
    if (status == DOCA_SUCCESS)
        ck_assert_mem_eq(out, memory + at, length);
    return status;
}

// ---- sleeps -----------------------------------------------------------------------------------

static unsigned long number_after(const char *path, const char *word)
{
    char line[128];
    unsigned long n = 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, word, strlen(word)) == 0)
            n = strtoul(line + strlen(word), NULL, 10);
    if (f)
        fclose(f);
    return n;
}

static bool is_engine(const char *task)
{
    char path[320], name[32] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)docad->pid, task);
    FILE *f = fopen(path, "re");
    bool is = f && fgets(name, sizeof(name), f) && strcmp(name, "docad-engine\n") == 0;
    if (f)
        fclose(f);
    return is;
}

// How often the engine's threads have gone to sleep.
static unsigned long engine_sleeps(void)
{
    char path[320];
    unsigned long n = 0;
    struct dirent *entry;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)docad->pid);
    DIR *tasks = opendir(path);
    ck_assert_ptr_nonnull(tasks);
    while ((entry = readdir(tasks))) {
        snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)docad->pid, entry->d_name);
        if (is_engine(entry->d_name))
            n += number_after(path, "voluntary_ctxt_switches:");
    }
    closedir(tasks);
    return n;
}

// An engine that has worked goes to sleep again.
static void assert_engine_worked(unsigned long sleeps_before)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (engine_sleeps() == sleeps_before)
        ck_assert(deadline_pause(deadline));
}

// While anything is swapped out the engine reads, since the loop might have to wait.
static bool loop_reads(void)
{
    struct sysinfo info;
    return sysinfo(&info) == 0 && info.freeswap == info.totalswap;
}

// ---- tests ------------------------------------------------------------------------------------

// Whatever is all in the mapped part, up to the largest request.
START_TEST(no_engine_wakes_up)
{
    static const struct {
        uint32_t at, length;
    } reads[] = {{PAGE, 1},
                 {PAGE + 17, 64},
                 {PAGE + 4095, 4096},
                 {PAGE + SHARED - 1, 1},
                 {PAGE, QP_CHUNK_SIZE}};
    bool resident = loop_reads();
    unsigned long before = engine_sleeps();
    for (unsigned i = 0; i < READS; i++) {
        size_t k = i % ARRAY_SIZE(reads);
        ck_assert_uint_eq(read_status(reads[k].at, reads[k].length), DOCA_SUCCESS);
    }
    if (resident && loop_reads())
        ck_assert_uint_le(engine_sleeps() - before, RARELY);
}
END_TEST

// What is not mapped, or only in part, is the engine's, as before.
START_TEST(the_engine_reads_the_rest)
{
    unsigned long before = engine_sleeps();
    for (unsigned i = 0; i < READS; i++) {
        ck_assert_uint_eq(read_status(i, 64), DOCA_SUCCESS);
        ck_assert_uint_eq(read_status(PAGE - 1 - i % 8, 64), DOCA_SUCCESS);
    }
    assert_engine_worked(before);
    ck_assert_uint_eq(read_status(PAGE + SHARED - 7, 8), DOCA_ERROR_NOT_PERMITTED);
}
END_TEST

// A read sees what was written before it, by the engine or by the owner.
START_TEST(a_read_sees_what_was_written)
{
    static uint8_t none[QP_CHUNK_SIZE];
    static const uint8_t bytes[] = "written over the link";
    struct qp_request r = request(QP_WRITE, PAGE + 100, sizeof(bytes));
    uint32_t status;
    send_frame(queue, r.offset, bytes, sizeof(bytes), &r, sizeof(r));
    take_answer(none, &status);
    ck_assert_uint_eq(status, DOCA_SUCCESS);
    ck_assert_mem_eq(memory + PAGE + 100, bytes, sizeof(bytes));
    ck_assert_uint_eq(read_status(PAGE + 90, 64), DOCA_SUCCESS);
    memory[PAGE + 101]++;
    ck_assert_uint_eq(read_status(PAGE + 90, 64), DOCA_SUCCESS);
    // A hole in the file is read as zeroes.
    ck_assert_int_eq(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 2 * PAGE), 0);
    ck_assert_uint_eq(read_status(PAGE + 90, 64), DOCA_SUCCESS);
    ck_assert_uint_eq(read_status(PAGE + 2 * PAGE - 8, 16), DOCA_SUCCESS);
}
END_TEST

// Once the grant has ended nothing is read any more.
START_TEST(what_was_revoked_is_not_read)
{
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    ck_assert_uint_eq(read_status(PAGE, 64), DOCA_SUCCESS);
    m.region_id = region;
    post(owner.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m);
    receive_any(fake);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED);
    ck_assert_uint_ne(read_status(PAGE, 64), DOCA_SUCCESS);
}
END_TEST

static void ask_for_all(void)
{
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        struct qp_request r = request(QP_READ, PAGE + i, QP_CHUNK_SIZE);
        r.offset = i % QP_CHUNKS * QP_CHUNK_SIZE;
        r.tag = i;
        ask(&r);
    }
}

// docad has handled what it was sent.
static void wait_until_handled(void)
{
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
}

// Nobody listens: what the link does not take is read when it does.
START_TEST(a_full_link_wakes_nobody)
{
    static uint8_t out[QP_CHUNK_SIZE];
    bool resident = loop_reads();
    unsigned long before = engine_sleeps();
    for (unsigned i = 0; i < RARELY; i++) {
        uint64_t seen = 0;
        ask_for_all();
        wait_until_handled();
        memory[PAGE + QP_CHUNK_SIZE / 2]++;
        for (unsigned left = QP_ENTRIES; left > 0; left--) {
            uint32_t status, tag = take_answer(out, &status);
            ck_assert_uint_lt(tag, QP_ENTRIES);
            ck_assert_uint_eq(status, DOCA_SUCCESS);
            ck_assert_mem_eq(out, memory + PAGE + tag, QP_CHUNK_SIZE / 4);
            seen |= 1ull << tag;
        }
        ck_assert_uint_eq(seen, UINT64_MAX);
    }
    if (resident && loop_reads())
        ck_assert_uint_le(engine_sleeps() - before, RARELY);
}
END_TEST

// The memory goes while most answers wait: those are errors.
START_TEST(what_waits_ends_with_the_memory)
{
    Docad__RegionUnregister end = DOCAD__REGION_UNREGISTER__INIT;
    unsigned answers = 0, refused = 0, after = 0;
    bool ended = false;
    ask_for_all();
    wait_until_handled();
    end.region_id = region;
    post(owner.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &end);
    wait_until_handled();
    while (answers < QP_ENTRIES || !ended) {
        receive_any(fake);
        if (answer->body_case == DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED) {
            ended = true;
            continue;
        }
        struct qp_completion done;
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        if (answer->peer_queue_pair_data->header.len == 0)
            continue;
        memcpy(&done, answer->peer_queue_pair_data->header.data, sizeof(done));
        answers++;
        refused += done.status != DOCA_SUCCESS;
        after += done.status == DOCA_SUCCESS && refused > 0;
    }
    ck_assert_uint_gt(refused, QP_ENTRIES / 2);
    ck_assert_uint_eq(after, 0);
}
END_TEST

// Of memory that others only read docad may have the read-only descriptor alone.
START_TEST(read_only_memory)
{
    static uint8_t none[QP_CHUNK_SIZE];
    struct qp_request r = request(QP_WRITE, PAGE, 64);
    uint32_t status;
    unsigned long before = engine_sleeps();
    bool resident = loop_reads();
    for (unsigned i = 0; i < READS; i++)
        ck_assert_uint_eq(read_status(PAGE + i, PAGE), DOCA_SUCCESS);
    if (resident && loop_reads())
        ck_assert_uint_le(engine_sleeps() - before, RARELY);
    send_frame(queue, r.offset, none, 64, &r, sizeof(r));
    take_answer(none, &status);
    ck_assert_uint_eq(status, DOCA_ERROR_NOT_PERMITTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link_mapped");
    TCase *writable = tcase_create("writable"), *read_only = tcase_create("read_only");
    tcase_add_checked_fixture(writable, setup, teardown);
    tcase_add_test(writable, no_engine_wakes_up);
    tcase_add_test(writable, the_engine_reads_the_rest);
    tcase_add_test(writable, a_read_sees_what_was_written);
    tcase_add_test(writable, what_was_revoked_is_not_read);
    tcase_add_test(writable, a_full_link_wakes_nobody);
    tcase_add_test(writable, what_waits_ends_with_the_memory);
    suite_add_tcase(suite, writable);
    tcase_add_checked_fixture(read_only, setup_read_only, teardown);
    tcase_add_test(read_only, read_only_memory);
    suite_add_tcase(suite, read_only);
    return run_suite(suite);
}
