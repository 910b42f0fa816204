// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An attacker that may import some of the victim's memory tries to reach the rest of it:
// bytes around it, memory that it may only read, memory that it was not given, memory of others.

#include "walls.h"

#include "cleanup.h"

#include <fcntl.h>
#include <signal.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PAGE 4096u

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static void assert_no_secret(const uint8_t *bytes, size_t n)
{
    ck_assert_ptr_null(memchr(bytes, SECRET_BYTE, n));
}

// ---- a byte outside ------------------------------------------------------------------------

static void reach_around(struct attacker *a, struct loot *l, struct qp_client *qp)
{
    const struct {
        uint64_t address;
        uint32_t length;
    } rows[] = {
        {l->address - 1, 1},
        {l->address + l->length, 1},
        {l->address - 1, 2},
        {l->address + l->length - 1, 2},
        {l->address - 1, 4096},
        {l->address, (uint32_t)l->length + 1},
        {l->address - 8, 8},
        {l->address + l->length, 8},
        {UINT64_MAX, 2},
        {0, 1},
        {l->address - 4096, 65536},
        {l->address | UINT64_C(1) << 63, 1},
    };
    (void)a;
    memset(qp->shared->data, 0, sizeof(qp->shared->data));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        static const uint32_t opcodes[] = {QP_READ, QP_WRITE, QP_FETCH_ADD, QP_CMP_SWP};
        for (size_t k = 0; k < ARRAY_SIZE(opcodes); k++)
            ck_assert_msg(raw_move(qp, opcodes[k], rows[i].address, rows[i].length, l->key) !=
                              DOCA_SUCCESS,
                          "row %zu, opcode %u", i, opcodes[k]);
    }
    assert_no_secret(qp->shared->data[0], sizeof(qp->shared->data));
    ck_assert_uint_eq(raw_move(qp, QP_READ, l->address, 8, l->key), DOCA_SUCCESS);
    ck_assert_uint_eq(qp->shared->data[0][0], SHARED_BYTE);
}

static void attack_outside_through_engine(struct attacker *a)
{
    struct export_desc desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_only.d.bytes, a->prey.read_only.d.size, &desc, NULL), 0);
    struct qp_client qp = raw_queue_pair(&a->on_dpu, desc.node);
    struct loot ro = attacker_import(a, &a->prey.read_only);
    struct loot rw = attacker_import(a, &a->prey.read_write);
    reach_around(a, &ro, &qp);
    reach_around(a, &rw, &qp);
    // The attacker may write what it was given for writing, to the byte.
    ck_assert_uint_eq(raw_move(&qp, QP_WRITE, rw.address, 8, rw.key), DOCA_SUCCESS);
    // The key of one export does not open the other.
    ck_assert_uint_eq(raw_move(&qp, QP_READ, rw.address, 8, ro.key), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(raw_move(&qp, QP_READ, a->prey.keep.address, 8, rw.key),
                      DOCA_ERROR_NOT_PERMITTED);
    loot_drop(&ro);
    loot_drop(&rw);
    qp_client_fini(&qp);
}

// Is this byte of a mapping there?
static bool readable(const volatile uint8_t *byte)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        _exit(*byte == 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status);
}

static void look_around_file(const struct loot *l, const struct prey *prey, int protection)
{
    static uint8_t beyond[PAGE];
    struct stat st;
    ck_assert_int_eq(fstat(l->memfd, &st), 0);
    ck_assert_uint_eq(st.st_size, prey->mapped);
    uint8_t *p = mmap(NULL, prey->mapped + 2 * PAGE, protection, MAP_SHARED, l->memfd, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    ck_assert_uint_eq(p[0], SHARED_BYTE);
    assert_no_secret(p, prey->mapped);
    ck_assert(!readable(p + prey->mapped));
    ck_assert(!readable(p + prey->mapped + PAGE));
    ck_assert_int_eq(pread(l->memfd, beyond, PAGE, (off_t)prey->mapped), 0);
    ck_assert_int_eq(pread(l->memfd, beyond, PAGE, (off_t)prey->mapped - 1), 1);
    ck_assert_int_eq(mremap(p, PAGE, 16 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED, 0);
    munmap(p, prey->mapped + 2 * PAGE);
}

static void attack_outside_through_memory(struct attacker *a)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    struct loot rw = attacker_import(a, &a->prey.read_write);
    look_around_file(&ro, &a->prey.read_only, PROT_READ);
    look_around_file(&rw, &a->prey.read_write, PROT_READ | PROT_WRITE);
    loot_drop(&ro);
    loot_drop(&rw);
}

// ---- read-only ------------------------------------------------------------------------------

static void attack_read_only_by_mapping(struct attacker *a)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    char path[64];
    void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ro.memfd, 0);
    ck_assert_ptr_eq(p, MAP_FAILED);
    p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro.memfd, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    ck_assert_int_lt(mprotect(p, PAGE, PROT_READ | PROT_WRITE), 0);
    ck_assert_int_lt(mprotect(p, PAGE, PROT_WRITE), 0);
    ck_assert_int_lt(madvise(p, PAGE, MADV_REMOVE), 0);
    madvise(p, PAGE, MADV_DONTNEED);
    snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (long)p, (long)p + PAGE);
    ck_assert_int_lt(open(path, O_RDWR | O_CLOEXEC), 0);
    // Writes through the attacker's own /proc/self/mem: a forced write must not reach a shared
    // mapping.
    cleanup_fd int self = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    ck_assert_int_lt(pwrite(self, "x", 1, (off_t)(uintptr_t)p), 0);
    ck_assert_uint_eq(*(uint8_t *)p, SHARED_BYTE);
    munmap(p, PAGE);
    // A private copy is the attacker's own.
    p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, ro.memfd, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 0, PAGE);
    munmap(p, PAGE);
    loot_drop(&ro);
}

static void attack_read_only_by_descriptor(struct attacker *a)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    static const int modes[] = {O_RDWR, O_WRONLY, O_RDWR | O_TRUNC, O_WRONLY | O_APPEND};
    char path[64];
    ck_assert_int_eq(fcntl(ro.memfd, F_GETFL) & O_ACCMODE, O_RDONLY);
    ck_assert_int_lt(write(ro.memfd, "x", 1), 0);
    ck_assert_int_lt(pwrite(ro.memfd, "x", 1, 0), 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ro.memfd);
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        ck_assert_int_lt(open(path, modes[i] | O_CLOEXEC), 0);
    fcntl(ro.memfd, F_SETFL, O_RDWR);
    ck_assert_int_lt(pwrite(ro.memfd, "x", 1, 0), 0);
    ck_assert_int_lt(fchmod(ro.memfd, 0666), 0);
    ck_assert_int_lt(chmod(path, 0666), 0);
    ck_assert_int_lt(fchown(ro.memfd, WALLS_ATTACKER, WALLS_ATTACKER), 0);
    ck_assert_int_lt(ftruncate(ro.memfd, 0), 0);
    ck_assert_int_lt(truncate(path, 0), 0);
    ck_assert_int_lt(fallocate(ro.memfd, 0, 0, PAGE), 0);
    ck_assert_int_lt(fallocate(ro.memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), 0);
    static const int seals[] = {F_SEAL_SEAL, F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_GROW};
    for (size_t i = 0; i < ARRAY_SIZE(seals); i++)
        ck_assert_int_lt(fcntl(ro.memfd, F_ADD_SEALS, seals[i]), 0);
    // The memory after the imported range is in the same file, in others' tables too.
    cleanup_fd int again = fcntl(ro.memfd, F_DUPFD_CLOEXEC, 0);
    ck_assert_int_lt(pwrite(again, "x", 1, 0), 0);
    loot_drop(&ro);
}

static void attack_read_only_through_engine(struct attacker *a)
{
    struct export_desc desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_only.d.bytes, a->prey.read_only.d.size, &desc, NULL), 0);
    struct qp_client qp = raw_queue_pair(&a->on_dpu, desc.node);
    struct loot ro = attacker_import(a, &a->prey.read_only);
    static const uint32_t opcodes[] = {QP_WRITE, QP_FETCH_ADD, QP_CMP_SWP};
    ck_assert_uint_eq(ro.access, DOCA_ACCESS_DPU_READ_ONLY);
    uint64_t word = (ro.address + 7) & ~UINT64_C(7);
    memset(qp.shared->data, SHARED_BYTE, 16);
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
        ck_assert_uint_eq(raw_move(&qp, opcodes[i], word, 8, ro.key), DOCA_ERROR_NOT_PERMITTED);
        ck_assert_uint_eq(raw_move(&qp, opcodes[i], word + PAGE, 8, ro.key),
                          DOCA_ERROR_NOT_PERMITTED);
    }
    loot_drop(&ro);
    qp_client_fini(&qp);
}

// ---- what is shared keeps its size and its ways in ----------------------------------------------

static void try_to_resize(int fd, off_t size)
{
    ck_assert_int_lt(ftruncate(fd, 0), 0);
    ck_assert_int_lt(ftruncate(fd, size - 1), 0);
    ck_assert_int_lt(ftruncate(fd, size + 1), 0);
    ck_assert_int_lt(fallocate(fd, 0, size, PAGE), 0);
    ck_assert_int_lt(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, PAGE), 0);
    ck_assert_int_lt(fallocate(fd, FALLOC_FL_INSERT_RANGE, 0, PAGE), 0);
    ck_assert_int_lt(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
}

static void attack_size_of_export(struct attacker *a)
{
    struct loot rw = attacker_import(a, &a->prey.read_write);
    try_to_resize(rw.memfd, (off_t)a->prey.read_write.mapped);
    // Nor may it keep later importers from writing.
    ck_assert_int_lt(fcntl(rw.memfd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
    ck_assert_int_lt(fcntl(rw.memfd, F_ADD_SEALS, F_SEAL_SEAL), 0);
    ck_assert_int_lt(fchmod(rw.memfd, 0666), 0);
    struct loot again = attacker_import(a, &a->prey.read_write);
    void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, again.memfd, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    munmap(p, PAGE);
    loot_drop(&rw);
    loot_drop(&again);
}

static void attack_state_table(struct attacker *a)
{
    int sock = raw_connect(a->host->socket.s);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    char path[64];
    hello.version_min = hello.version_max = 1;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello), DOCA_SUCCESS);
    int table = fd_list_take(&answer_fds, 0), activity = fd_list_take(&answer_fds, 1);
    size_t size = state_table_size(answer->hello_reply->state_slots);
    ck_assert_ptr_eq(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, table, 0), MAP_FAILED);
    void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, table, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    ck_assert_int_lt(mprotect(p, size, PROT_READ | PROT_WRITE), 0);
    ck_assert_int_lt(madvise(p, size, MADV_REMOVE), 0);
    munmap(p, size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", table);
    ck_assert_int_lt(open(path, O_RDWR | O_CLOEXEC), 0);
    ck_assert_int_lt(fchmod(table, 0666), 0);
    try_to_resize(table, (off_t)size);
    struct stat st;
    ck_assert_int_eq(fstat(activity, &st), 0);
    try_to_resize(activity, st.st_size);
    close(table);
    close(activity);
    close(sock);
}

static void attack_queue_pair_file(struct attacker *a)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, a->on_host.node};
    ck_assert_int_eq(call(a->on_host.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m),
                     DOCA_SUCCESS);
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = fd_list_take(&answer_fds, (size_t)i);
    try_to_resize(fds[0], sizeof(struct qp_shared));
    // Pages that go come back empty, also under docad.
    ck_assert_int_eq(
        fallocate(fds[0], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, sizeof(struct qp_shared)),
        0);
    uint64_t much = UINT64_MAX - 1;
    fcntl(fds[1], F_SETFL, 0);
    ck_assert_int_eq(write(fds[1], &much, sizeof(much)), sizeof(much)); // rings, and is full
    shutdown(fds[2], SHUT_RDWR);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
}

// ---- tokens -----------------------------------------------------------------------------------

static doca_error_t try_import(struct attacker *a, const struct export_desc *desc)
{
    struct descriptor d;
    ck_assert_int_eq(export_desc_encode(desc, d.bytes, &d.size), DOCA_SUCCESS);
    doca_error_t r = import_on(a->on_dpu.sock, &d, a->p0);
    fd_list_close(&answer_fds);
    return r;
}

static void attack_token_by_guessing(struct attacker *a)
{
    struct export_desc good, desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_write.d.bytes, a->prey.read_write.d.size, &good, NULL), 0);
    // The one it was not given is a neighbour of the ones it was: same node, next id.
    for (int i = 0; i < 500; i++) {
        desc = good;
        desc.export_id = a->prey.keep.id;
        desc.token[i % EXPORT_TOKEN_SIZE] ^= (uint8_t)(i + 1);
        ck_assert_int_eq(try_import(a, &desc), DOCA_ERROR_NOT_PERMITTED);
    }
    memset(desc.token, 0, sizeof(desc.token));
    ck_assert_int_eq(try_import(a, &desc), DOCA_ERROR_NOT_PERMITTED);
    for (int bit = 0; bit < 64; bit++) {
        desc = good;
        desc.export_id ^= UINT64_C(1) << bit;
        ck_assert_int_eq(try_import(a, &desc), DOCA_ERROR_NOT_PERMITTED);
    }
    for (size_t i = 0; i < EXPORT_TOKEN_SIZE * 8; i++) {
        desc = good;
        desc.token[i / 8] ^= (uint8_t)(1 << i % 8);
        ck_assert_int_eq(try_import(a, &desc), DOCA_ERROR_NOT_PERMITTED);
    }
}

static void attack_descriptor_by_altering(struct attacker *a)
{
    struct descriptor d = a->prey.read_only.d;
    for (size_t i = 0; i < d.size; i++) {
        d.bytes[i] ^= 0x10;
        ck_assert_int_ne(import_on(a->on_dpu.sock, &d, a->p0), DOCA_SUCCESS);
        d.bytes[i] ^= 0x10;
    }
    // Fields that only describe do not decide.
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), 0);
    desc.access = DOCA_ACCESS_DPU_READ_WRITE;
    desc.address -= PAGE;
    desc.length += 2 * PAGE;
    ck_assert_int_eq(export_desc_encode(&desc, d.bytes, &d.size), DOCA_SUCCESS);
    if (import_on(a->on_dpu.sock, &d, a->p0) == DOCA_SUCCESS) {
        const Docad__ImportCreateReply *reply = answer->import_create_reply;
        ck_assert_uint_eq(reply->access, DOCA_ACCESS_DPU_READ_ONLY);
        ck_assert_uint_eq(reply->address, a->prey.read_only.address);
        ck_assert_uint_eq(reply->length, a->prey.read_only.length);
        ck_assert_int_eq(fcntl(answer_fds.fds[0], F_GETFL) & O_ACCMODE, O_RDONLY);
        fd_list_close(&answer_fds);
    }
}

static void attack_token_of_a_revoked_export(struct attacker *a)
{
    struct loot rw = attacker_import(a, &a->prey.read_write);
    child_tell(a->self, "imported");
    child_wait(a->self, "revoked");
    ck_assert_int_eq(import_on(a->on_dpu.sock, &a->prey.read_write.d, a->p0),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(state_table_read(a->on_dpu.states, rw.slot, rw.id), SLOT_REVOKED);
    struct export_desc desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_write.d.bytes, a->prey.read_write.d.size, &desc, NULL), 0);
    struct qp_client qp = raw_queue_pair(&a->on_dpu, desc.node);
    ck_assert_uint_ne(raw_move(&qp, QP_READ, rw.address, 8, rw.key), DOCA_SUCCESS);
    ck_assert_uint_ne(raw_move(&qp, QP_WRITE, rw.address, 8, rw.key), DOCA_SUCCESS);
    // The attacker keeps the pages that it has mapped until the victim moves its memory away.
    uint8_t *p =
        mmap(NULL, a->prey.read_write.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, rw.memfd, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    child_tell(a->self, "kept");
    child_wait(a->self, "moved");
    memset(p, 0xee, a->prey.read_write.mapped);
    child_tell(a->self, "scribbled");
    child_wait(a->self, "started");
    memset(p, 0xdd, a->prey.read_write.mapped);
    child_tell(a->self, "scribbled");
    child_wait(a->self, "written");
    for (size_t i = 0; i < a->prey.read_write.mapped; i++)
        ck_assert_uint_eq(p[i], 0xdd);
    munmap(p, a->prey.read_write.mapped);
    loot_drop(&rw);
    qp_client_fini(&qp);
}

START_TEST(revoked_pages)
{
    struct child *attacker = walls_attack_start(attack_token_of_a_revoked_export);
    child_wait(attacker, "imported");
    walls_victim_does("revoke");
    child_tell(attacker, "revoked");
    child_wait(attacker, "kept");
    walls_victim_does("stop");
    child_tell(attacker, "moved");
    child_wait(attacker, "scribbled");
    walls_victim_does("untouched");
    walls_victim_does("start"); // again shared, in another file
    child_tell(attacker, "started");
    child_wait(attacker, "scribbled");
    walls_victim_does("untouched");
    walls_victim_does("scribble");
    child_tell(attacker, "written");
    child_join(attacker);
}
END_TEST

// ---- ids and keys of others --------------------------------------------------------------------

static void refuse_all(struct raw_session *s, uint64_t id, const struct attacker *a)
{
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__ExportCreate export = DOCAD__EXPORT_CREATE__INIT;
    Docad__ImportRelease import = DOCAD__IMPORT_RELEASE__INIT;
    Docad__QueuePairDestroy queue_pair = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    Docad__ExportGet get = DOCAD__EXPORT_GET__INIT;
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    Docad__SessionEnd end = DOCAD__SESSION_END__INIT;
    const struct {
        Docad__Message__BodyCase body;
        const void *payload;
    } rows[] = {
        {DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister},
        {DOCAD__MESSAGE__BODY_EXPORT_CREATE, &export},
        {DOCAD__MESSAGE__BODY_IMPORT_RELEASE, &import},
        {DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &queue_pair},
        {DOCAD__MESSAGE__BODY_EXPORT_GET, &get},
        {DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke},
        {DOCAD__MESSAGE__BODY_SESSION_END, &end},
    };
    unregister.region_id = export.region_id = import.import_id = queue_pair.queue_pair_id = id;
    get.export_id = revoke.export_id = end.session_id = id;
    export.function_id = s == &a->on_host ? a->pf0 : a->p0;
    export.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        ck_assert_msg(call(s->sock, rows[i].body, rows[i].payload) != DOCA_SUCCESS,
                      "id %llu, request %d", (unsigned long long)id, (int)rows[i].body);
}

static void attack_ids_of_others(struct attacker *a)
{
    const uint64_t exports[] = {a->prey.read_only.id, a->prey.read_write.id, a->prey.keep.id};
    for (uint64_t id = 0; id < 100; id++) {
        refuse_all(&a->on_host, id, a);
        refuse_all(&a->on_dpu, id, a);
    }
    for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
        refuse_all(&a->on_host, exports[i], a);
        refuse_all(&a->on_dpu, exports[i], a);
    }
    // It does not see any of them, either.
    for (int kind = 0; kind <= DOCAD__LIST__KIND__IMPORTS; kind++) {
        if (kind == DOCAD__LIST__KIND__PEERS || kind == DOCAD__LIST__KIND__REPRESENTORS ||
            kind == DOCAD__LIST__KIND__PUBLICATIONS)
            continue;
        cleanup_message Docad__Message *m = raw_list(a->on_host.sock, (Docad__List__Kind)kind, 0);
        const Docad__ListReply *r = m->list_reply;
        for (size_t i = 0; i < r->n_sessions; i++)
            ck_assert_uint_eq(r->sessions[i]->uid, WALLS_ATTACKER);
        ck_assert_uint_eq(r->n_regions + r->n_exports + r->n_imports + r->n_queue_pairs, 0);
    }
}

static void attack_keys_of_another_session(struct attacker *a)
{
    struct export_desc desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_only.d.bytes, a->prey.read_only.d.size, &desc, NULL), 0);
    struct raw_session other = session_start(a->dpu);
    struct loot ro = attacker_import(a, &a->prey.read_only);
    struct qp_client qp = raw_queue_pair(&other, desc.node);
    for (uint32_t generation = 0; generation < 4; generation++)
        for (uint32_t index = 0; index < 64; index++)
            ck_assert_uint_eq(raw_move(&qp, QP_READ, ro.address, 8, generation << 16 | index),
                              DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(raw_move(&qp, QP_READ, ro.address, 8, ro.key), DOCA_ERROR_NOT_PERMITTED);
    loot_drop(&ro);
    qp_client_fini(&qp);
    session_end(&other);
}

static void attack_functions_not_open(struct attacker *a)
{
    struct raw_session s = session_start(a->dpu);
    uint32_t p1 = open_function(s.sock, "p1");
    ck_assert_int_eq(import_on(s.sock, &a->prey.read_write.d, a->p0), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(import_on(s.sock, &a->prey.read_write.d, p1), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(import_on(a->on_host.sock, &a->prey.read_write.d, a->pf0),
                     DOCA_ERROR_NOT_SUPPORTED);
    Docad__FunctionClose close = DOCAD__FUNCTION_CLOSE__INIT;
    for (uint32_t id = 0; id < 20; id++) {
        close.function_id = id;
        if (id != p1)
            ck_assert_int_ne(call(s.sock, DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, &close),
                             DOCA_SUCCESS);
    }
    session_end(&s);
}

// ---- memory that is not the attacker's ------------------------------------------------------

// A region of memory that the attacker itself cannot open.
static void attack_memory_descriptors(struct attacker *a)
{
    static const char *const paths[] = {"/proc/self/mem", "/proc/self/environ", "/dev/zero",
                                        "/proc/self/oom_score_adj", "/proc/self/comm"};
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    segment.address = m.address = a->prey.keep.address;
    segment.length = m.length = 64;
    m.access = DOCA_ACCESS_DPU_READ_WRITE;
    m.function_ids = &a->pf0;
    m.n_function_ids = 1;
    m.segments = &list;
    m.n_segments = 1;
    m.has_memory_fd = true;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        cleanup_fd int fd = open(paths[i], (i == 1 ? O_RDONLY : O_RDWR) | O_CLOEXEC);
        ck_assert_msg(fd >= 0, "%s", paths[i]);
        doca_error_t r =
            call_with_fds(a->on_host.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m, &fd, 1);
        ck_assert_msg((r == DOCA_SUCCESS) == (i == 0), "%s: %s", paths[i], doca_get_error_name(r));
    }
}

#define ATTACK(name)                                                                               \
    START_TEST(name)                                                                               \
    {                                                                                              \
        walls_attack(attack_##name);                                                               \
    }                                                                                              \
    END_TEST

ATTACK(outside_through_engine)
ATTACK(outside_through_memory)
ATTACK(read_only_by_mapping)
ATTACK(read_only_by_descriptor)
ATTACK(read_only_through_engine)
ATTACK(size_of_export)
ATTACK(state_table)
ATTACK(queue_pair_file)
ATTACK(token_by_guessing)
ATTACK(descriptor_by_altering)
ATTACK(ids_of_others)
ATTACK(keys_of_another_session)
ATTACK(functions_not_open)
ATTACK(memory_descriptors)

int main(void)
{
    const TTest *const tests[] = {outside_through_engine,
                                  outside_through_memory,
                                  read_only_by_mapping,
                                  read_only_by_descriptor,
                                  read_only_through_engine,
                                  size_of_export,
                                  state_table,
                                  queue_pair_file,
                                  token_by_guessing,
                                  descriptor_by_altering,
                                  ids_of_others,
                                  keys_of_another_session,
                                  functions_not_open,
                                  memory_descriptors,
                                  revoked_pages};
    if (geteuid() != 0) {
        puts("SKIPPED: walls: the daemons, the victim and the attacker are three users, which "
             "takes root");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("walls");
    TCase *tcase = tcase_create("memory");
    tcase_add_checked_fixture(tcase, walls_setup, walls_teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
