// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An importer that bypasses the library: it writes into its ring, and does with what it
// was handed whatever it likes. Not a byte outside the export is read, and none is
// written that the export does not allow.

#include "client.h"
#include "nodes.h"
#include "protocol.h"

#include "child.h"
#include "cleanup.h"

#include <doca_error.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#define EXPORTED 5000u // bytes, in the middle of `memory`: nothing is page-aligned
#define MEMORY   16384u
#define MARGIN   1000u
#define SECRET   0x5e
#define OFFERED  0x0f
#define OWN      0xaa // what the importer's data area holds

// ---- the owner: this process -----------------------------------------------------------

static uint8_t memory[MEMORY];
static struct raw_session owner, importer;
static uint64_t export_id;
static uint32_t p0;

// Everything that the importer was given.
static struct qp_client qp;
static uint32_t key;

static void create_queue_pair(void)
{
    struct raw_session at_owner = session_start(nodes.host);
    qp = raw_queue_pair(&importer, at_owner.node);
    session_end(&at_owner);
}

static void offer(uint32_t access)
{
    env_setup();
    nodes = node_pair_start();
    memset(memory, SECRET, MEMORY);
    memset(memory + MARGIN, OFFERED, EXPORTED);
    owner = session_start(nodes.host);
    uint32_t pf0 = open_function(owner.sock, "pf0");
    uint64_t region = register_brokered(owner.sock, memory + MARGIN, EXPORTED, access, pf0);
    struct descriptor d = export_to(owner.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    export_id = answer->export_create_reply->export_id;
    importer = session_start(nodes.dpu);
    p0 = open_function(importer.sock, "p0");
    ck_assert_success(import_on(importer.sock, &d, p0));
    key = answer->import_create_reply->grant_key;
    create_queue_pair();
}

static void offer_read_only(void)
{
    offer(DOCA_ACCESS_DPU_READ_ONLY);
}

static void offer_read_write(void)
{
    offer(DOCA_ACCESS_DPU_READ_WRITE);
}

static void withdraw(void)
{
    qp_client_fini(&qp);
    session_end(&importer);
    session_end(&owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
    env_teardown();
}

// ---- the importer ------------------------------------------------------------------------

static doca_error_t run(const struct qp_request *request)
{
    return (doca_error_t)raw_request(&qp, request);
}

// Nothing has changed in the owner's memory, and none of its bytes are in the data area.
static void assert_nothing_moved(const char *what)
{
    for (size_t i = 0; i < MEMORY; i++) {
        bool inside = i >= MARGIN && i < MARGIN + EXPORTED;
        if (memory[i] != (inside ? OFFERED : SECRET))
            ck_abort_msg("%s: writes at %zu", what, i);
    }
    const uint8_t *data = qp.shared->data[0];
    for (size_t i = 0; i < sizeof(qp.shared->data); i++)
        if (data[i] != OWN) // ck_assert writes to a file each time
            ck_abort_msg("%s: data area at %zu is %02x", what, i, data[i]);
}

#define START ((uint64_t)(uintptr_t)memory + MARGIN)
#define AREA  ((uint32_t)sizeof(qp.shared->data))

// Fields that no library would write. Address relative to the export, key to its grant.
static const struct {
    const char *what;
    uint64_t address;
    uint32_t length, key, offset, opcode;
} lies[] = {
    {"read one byte before", (uint64_t)-1, 1, 0, 0, QP_READ},
    {"read across the start", (uint64_t)-1, 2, 0, 0, QP_READ},
    {"read one byte behind", EXPORTED, 1, 0, 0, QP_READ},
    {"read across the end", EXPORTED - 1, 2, 0, 0, QP_READ},
    {"read far behind", 1u << 20, 8, 0, 0, QP_READ},
    {"read nothing", 0, 0, 0, 0, QP_READ},
    {"read nothing behind", EXPORTED, 0, 0, 0, QP_READ},
    {"read more than a chunk", 0, QP_CHUNK_SIZE + 1, 0, 0, QP_READ},
    {"read everything", 0, UINT32_MAX, 0, 0, QP_READ},
    {"write one byte before", (uint64_t)-1, 1, 0, 0, QP_WRITE},
    {"write across the end", EXPORTED - 1, 2, 0, 0, QP_WRITE},
    {"write one byte behind", EXPORTED, 1, 0, 0, QP_WRITE},
    {"data behind its area", 0, 1, 0, UINT32_MAX, QP_READ},
    {"data across the end of its area", 0, 2, 0, sizeof(((struct qp_shared *)0)->data) - 1,
     QP_READ},
    {"write from behind the data area", 0, 2, 0, sizeof(((struct qp_shared *)0)->data) - 1,
     QP_WRITE},
    {"the next grant", 0, 1, 1, 0, QP_READ},
    {"a grant far off", 0, 1, 1000000, 0, QP_READ},
    {"the grant before", 0, 1, UINT32_MAX, 0, QP_READ},
    {"no operation", 0, 8, 0, 0, 0},
    {"an unknown operation", 0, 8, 0, 0, 77},
    {"an operation without end", 0, 8, 0, 0, UINT32_MAX},
};

START_TEST(lie)
{
    memset(qp.shared->data, OWN, sizeof(qp.shared->data));
    struct qp_request request = {
        .address = START + lies[_i].address,
        .length = lies[_i].length,
        .key = key + lies[_i].key,
        .offset = lies[_i].offset,
        .tag = 5,
        .opcode = lies[_i].opcode,
    };
    ck_assert_msg(run(&request) != DOCA_SUCCESS, "%s: done", lies[_i].what);
    assert_nothing_moved(lies[_i].what);
    // The whole range once, properly: a refusal costs nothing else.
    request =
        (struct qp_request){.address = START, .length = EXPORTED, .key = key, .opcode = QP_READ};
    ck_assert_success(run(&request));
    ck_assert_uint_eq(qp.shared->data[0][0], OFFERED);
    ck_assert_uint_eq(qp.shared->data[0][EXPORTED - 1], OFFERED);
    ck_assert_uint_eq(qp.shared->data[0][EXPORTED], OWN);
}
END_TEST

START_TEST(address_that_wraps)
{
    memset(qp.shared->data, OWN, sizeof(qp.shared->data));
    static const uint64_t addresses[] = {0, 1, UINT64_MAX, UINT64_MAX - 7, INT64_MAX, 1ull << 63};
    for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
        struct qp_request request = {
            .address = addresses[i], .length = 8, .key = key, .opcode = QP_READ};
        ck_assert_int_ne(run(&request), DOCA_SUCCESS);
    }
    assert_nothing_moved("a wrapped address");
}
END_TEST

// Each operation that changes memory, on an export that may only be read.
START_TEST(write_to_read_only)
{
    static const uint32_t opcodes[] = {QP_WRITE, QP_FETCH_ADD, QP_CMP_SWP};
    memset(qp.shared->data, OWN, sizeof(qp.shared->data));
    struct qp_request request = {.address = START, .length = 8, .key = key, .opcode = opcodes[_i]};
    request.address = (request.address + 7) & ~(uint64_t)7;
    ck_assert_error(run(&request), DOCA_ERROR_NOT_PERMITTED);
    assert_nothing_moved("writing to a read-only export");
}
END_TEST

// The state table only saves time: the engine refuses by itself, too.
START_TEST(after_revocation)
{
    memset(qp.shared->data, OWN, sizeof(qp.shared->data));
    raw_revoke(nodes.host->socket.s, export_id);
    struct qp_request request = {.address = START, .length = 8, .key = key, .opcode = QP_READ};
    ck_assert_error(run(&request), DOCA_ERROR_NOT_PERMITTED);
    request.opcode = QP_WRITE;
    ck_assert_error(run(&request), DOCA_ERROR_NOT_PERMITTED);
    assert_nothing_moved("a revoked export");
}
END_TEST

// Another session's grant, by its key, through one's own queue pair.
START_TEST(grant_of_another)
{
    struct qp_client other = qp;
    struct raw_session rightful = importer;
    importer = session_start(nodes.dpu);
    create_queue_pair();
    memset(qp.shared->data, OWN, sizeof(qp.shared->data));
    for (uint32_t guess = 0; guess < 64; guess++) {
        struct qp_request request = {
            .address = START, .length = 8, .key = guess, .opcode = QP_READ};
        ck_assert_int_ne(run(&request), DOCA_SUCCESS);
    }
    assert_nothing_moved("another session's grant");
    qp_client_fini(&qp);
    session_end(&importer);
    qp = other;
    importer = rightful;
}
END_TEST

// ---- what was handed over ---------------------------------------------------------------

static int exports_read_only(struct child *self, void *arg)
{
    struct exporter e;
    struct descriptor d;
    (void)arg;
    exporter_start(&e, HOST_PF0, pages_new(8192), 8192, DOCA_ACCESS_DPU_READ_ONLY);
    memcpy(d.bytes, e.desc, e.desc_len);
    d.size = e.desc_len;
    child_send(self, &d, sizeof(d));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

static void assert_cannot_be_written(int fd, size_t size)
{
    char again[64];
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    ck_assert_int_lt(write(fd, "x", 1), 0);
    ck_assert_int_lt(ftruncate(fd, 0), 0);
    ck_assert_ptr_eq(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(map, MAP_FAILED);
    ck_assert_int_lt(mprotect(map, size, PROT_READ | PROT_WRITE), 0);
    munmap(map, size);
    // Root may open it anew for writing; the seal still holds.
    snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
    cleanup_fd int writable = open(again, O_RDWR | O_CLOEXEC);
    if (writable < 0)
        return;
    ck_assert_int_lt(write(writable, "x", 1), 0);
    ck_assert_int_lt(ftruncate(writable, 0), 0);
    ck_assert_ptr_eq(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, writable, 0), MAP_FAILED);
}

START_TEST(pages_of_a_read_only_export)
{
    struct descriptor d;
    nodes = node_pair_start();
    struct child *child = child_start(nodes.host, "host", exports_read_only, NULL);
    ck_assert_uint_eq(child_receive(child, &d, sizeof(d)), sizeof(d));
    struct raw_session session = session_start(nodes.dpu);
    ck_assert_success(import_on(session.sock, &d, open_function(session.sock, "p0")));
    ck_assert(answer->import_create_reply->has_memfd);
    assert_cannot_be_written(answer_fds.fds[0], 8192);
    session_end(&session);
    child_tell(child, "end");
    child_join(child);
}
END_TEST

START_TEST(state_table_cannot_be_written)
{
    nodes = node_pair_start();
    cleanup_fd int sock = raw_connect(nodes.dpu->socket.s);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    char program[] = "hostile";
    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = program;
    ck_assert_success(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello));
    assert_cannot_be_written(answer_fds.fds[0], state_table_size(answer->hello_reply->state_slots));
    answer_drop();
}
END_TEST

static void nothing_held(void)
{
    answer_drop();
    env_teardown();
}

// ---- a server that is not docad ---------------------------------------------------------------

#define STRANGER 64009 // a user that no machine has

// Listens where docad should, and tells whether it was told anything.
static int pretends(struct child *self, void *arg)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct path *path = arg;
    char byte;

    memcpy(address.sun_path, path->s, sizeof(path->s));
    cleanup_fd int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(setresuid(STRANGER, STRANGER, STRANGER), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    child_tell(self, "listening");
    cleanup_fd int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(sock, 0);
    ck_assert_int_eq(recv(sock, &byte, 1, MSG_TRUNC), 0);
    return 0;
}

static int meets_stranger(struct child *self, void *arg)
{
    struct doca_devinfo **list;
    uint32_t n;
    (void)self;
    (void)arg;
    ck_assert_int_ne(doca_devinfo_list_create(&list, &n), DOCA_SUCCESS);
    return 0;
}

START_TEST(another_user_where_docad_should_be)
{
    struct path path = temp_path("stranger.sock");
    if (geteuid() != 0) {
        puts("hostile: only root can start a server of another user");
        return;
    }
    unsetenv("DOCAD_SERVER_USER");
    struct child *stranger = child_start(NULL, "stranger", pretends, &path);
    child_wait(stranger, "listening");
    setenv("DOCAD_SOCKET", path.s, 1);
    child_join(child_start(NULL, "program", meets_stranger, NULL));
    child_join(stranger);
    unlink(path.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hostile");
    TCase *tcase = tcase_create("ring");
    tcase_add_checked_fixture(tcase, offer_read_write, withdraw);
    tcase_add_loop_test(tcase, lie, 0, (int)ARRAY_SIZE(lies));
    tcase_add_test(tcase, address_that_wraps);
    tcase_add_test(tcase, after_revocation);
    tcase_add_test(tcase, grant_of_another);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("read-only");
    tcase_add_checked_fixture(tcase, offer_read_only, withdraw);
    tcase_add_loop_test(tcase, write_to_read_only, 0, 3);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("handed over");
    tcase_add_checked_fixture(tcase, env_setup, nothing_held);
    tcase_add_test(tcase, pages_of_a_read_only_export);
    tcase_add_test(tcase, state_table_cannot_be_written);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("server");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, another_user_where_docad_should_be);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
