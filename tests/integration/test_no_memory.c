// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sends each request with one of docad's allocations for it failing: the first, the second and
// so on. docad reports that, or drops the connection, and continues; nothing is left of
// half-made objects.
//
// The daemons run in this program, so that malloc() is what is defined here, also for
// libevent and protobuf-c.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

int main(void)
{
    puts("SKIPPED: no_memory: a sanitizer has malloc() for itself");
    return TEST_SKIPPED;
}

#else

// ---- allocations that fail ------------------------------------------------------------------

// One for each daemon, shared with the test.
static struct control {
    _Atomic long countdown; // 0: none is to fail
    _Atomic bool reached;
} * controls;

static struct control *control; // in a daemon: its own

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static bool fails(void)
{
    if (!control || atomic_load(&control->countdown) == 0 ||
        atomic_fetch_sub(&control->countdown, 1) != 1)
        return false;
    atomic_store(&control->reached, true);
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}

// ---- the daemons --------------------------------------------------------------------------------

int docad_main(int argc, char **argv); // daemon/main.c

static int run_daemon(char **argv, struct control *own)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    control = own;
    return docad_main(argc, argv);
}

static int run_host(char **argv)
{
    return run_daemon(argv, &controls[0]);
}

static int run_dpu(char **argv)
{
    return run_daemon(argv, &controls[1]);
}

static struct daemon *host, *dpu;

static void setup(void)
{
    env_setup();
    controls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(controls, MAP_FAILED);
    host = daemon_start(&(struct daemon_options){.role = "host", .run = run_host});
    dpu = daemon_start(
        &(struct daemon_options){.role = "dpu", .run = run_dpu, .peers = {host->socket.s}});
}

static void teardown(void)
{
    answer_drop();
    env_teardown();
    munmap(controls, 4096);
}

// ---- a scene: what is there before the request --------------------------------------------------

static char memory[64];

struct scene {
    struct raw_session owner, other; // of the host, of the DPU
    uint32_t pf0, p0;
    uint64_t region, export_id;
    struct descriptor d;
};

static void scene_make(struct scene *s)
{
    struct export_desc desc;
    s->owner = session_start(host);
    s->other = session_start(dpu);
    s->pf0 = open_function(s->owner.sock, "pf0");
    s->p0 = open_function(s->other.sock, "p0");
    s->region = register_brokered(s->owner.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE,
                                  s->pf0);
    s->d = export_to(s->owner.sock, s->region, s->pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(s->d.bytes, s->d.size, &desc, NULL), DOCA_SUCCESS);
    s->export_id = desc.export_id;
}

static void scene_end(struct scene *s)
{
    session_end(&s->owner);
    session_end(&s->other);
}

// ---- requests -----------------------------------------------------------------------------------

enum outcome { DONE, REFUSED, DROPPED };

// Like call(), but the connection may end instead.
static enum outcome attempt(int sock, Docad__Message__BodyCase body, const void *payload,
                            const int *fds, size_t n_fds)
{
    Docad__Message m = DOCAD__MESSAGE__INIT;
    struct pollfd p = {.fd = sock, .events = POLLIN};
    m.serial = 99;
    m.body_case = body;
    m.ok = (Docad__Empty *)payload;
    answer_drop();
    int r = message_send(sock, &m, fds, n_fds, 0);
    if (r == -EPIPE || r == -ECONNRESET)
        return DROPPED;
    ck_assert_int_eq(r, 0);
    ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "no answer");
    r = message_recv(sock, &answer, &answer_fds, 0);
    if (r <= 0)
        return DROPPED;
    if (answer->body_case != DOCAD__MESSAGE__BODY_ERROR)
        return DONE;
    ck_assert_str_ne(answer->error->text, "");
    return REFUSED;
}

static enum outcome send_hello(const struct daemon *daemon)
{
    Docad__Hello m = DOCAD__HELLO__INIT;
    m.version_min = m.version_max = 1;
    m.program = (char *)"no memory";
    int sock = raw_connect(daemon->socket.s);
    enum outcome r = attempt(sock, DOCAD__MESSAGE__BODY_HELLO, &m, NULL, 0);
    close(sock);
    return r;
}

static enum outcome hello(struct scene *s)
{
    (void)s;
    return send_hello(host);
}

static enum outcome peer_hello(struct scene *s)
{
    Docad__PeerHello m = fake_hello_fields();
    (void)s;
    int sock = raw_connect(host->socket.s);
    enum outcome r = attempt(sock, DOCAD__MESSAGE__BODY_PEER_HELLO, &m, NULL, 0);
    close(sock);
    return r;
}

static enum outcome rdma_endpoint_create(struct scene *s)
{
    Docad__RdmaEndpointCreate m = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    m.function_id = s->pf0;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &m, NULL, 0);
}

static enum outcome function_list(struct scene *s)
{
    Docad__FunctionList m = DOCAD__FUNCTION_LIST__INIT;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_FUNCTION_LIST, &m, NULL, 0);
}

static enum outcome representor_list(struct scene *s)
{
    Docad__RepresentorList m = DOCAD__REPRESENTOR_LIST__INIT;
    m.function_id = s->p0;
    return attempt(s->other.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &m, NULL, 0);
}

static enum outcome representor_open(struct scene *s)
{
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen m = DOCAD__REPRESENTOR_OPEN__INIT;
    long armed = atomic_exchange(&controls[1].countdown, 0);
    list.function_id = s->p0;
    ck_assert_int_eq(call(s->other.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list), 0);
    m.representor_id = answer->representor_list_reply->representors[0]->id;
    atomic_store(&controls[1].countdown, armed);
    return attempt(s->other.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &m, NULL, 0);
}

static enum outcome region_register(struct scene *s)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    cleanup_fd int own = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    segment.address = m.address = (uintptr_t)memory;
    segment.length = m.length = sizeof(memory);
    m.access = DOCA_ACCESS_DPU_READ_WRITE;
    m.function_ids = &s->pf0;
    m.n_function_ids = 1;
    m.segments = &list;
    m.n_segments = 1;
    m.has_memory_fd = true;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m, &own, 1);
}

static enum outcome region_unregister(struct scene *s)
{
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = s->region;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m, NULL, 0);
}

static enum outcome export_create(struct scene *s)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    m.region_id = s->region;
    m.function_id = s->pf0;
    m.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m, NULL, 0);
}

static enum outcome import_create(struct scene *s)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.descriptor = (ProtobufCBinaryData){s->d.size, s->d.bytes};
    m.function_id = s->p0;
    return attempt(s->other.sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m, NULL, 0);
}

// Messages that the host sent to the DPU before the answer to this have arrived, too.
static void go_there_and_back(struct scene *s)
{
    import_create(s);
}

// With an import on the other node, which learns of it.
static enum outcome export_revoke(struct scene *s)
{
    Docad__ExportRevoke m = DOCAD__EXPORT_REVOKE__INIT;
    long armed[2];
    for (int i = 0; i < 2; i++)
        armed[i] = atomic_exchange(&controls[i].countdown, 0);
    ck_assert_int_eq(import_create(s), DONE);
    for (int i = 0; i < 2; i++)
        atomic_store(&controls[i].countdown, armed[i]);
    m.export_id = s->export_id;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &m, NULL, 0);
}

static enum outcome export_revoke_there(struct scene *s)
{
    enum outcome r = export_revoke(s);
    go_there_and_back(s);
    return r;
}

// An end that is refused has ended nothing.
static enum outcome end_session(struct scene *s)
{
    Docad__SessionEnd m = DOCAD__SESSION_END__INIT;
    long armed = atomic_exchange(&controls[0].countdown, 0);
    struct raw_session victim = session_start(host);
    atomic_store(&controls[0].countdown, armed);
    m.session_id = victim.id;
    enum outcome r = attempt(s->owner.sock, DOCAD__MESSAGE__BODY_SESSION_END, &m, NULL, 0);
    if (r == DONE)
        raw_expect_closed(victim.sock);
    session_end(&victim);
    return r;
}

static enum outcome queue_pair_here(struct scene *s)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, s->owner.node};
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m, NULL, 0);
}

static enum outcome queue_pair_there(struct scene *s)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, s->owner.node};
    return attempt(s->other.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m, NULL, 0);
}

static enum outcome do_publish(struct scene *s)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char *)"name";
    m.descriptor = (ProtobufCBinaryData){s->d.size, s->d.bytes};
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_PUBLISH, &m, NULL, 0);
}

static enum outcome do_publish_there(struct scene *s)
{
    enum outcome r = do_publish(s);
    go_there_and_back(s);
    return r;
}

static enum outcome do_lookup(struct scene *s)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)"nothing";
    m.timeout_ms = 1;
    enum outcome r = attempt(s->owner.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m, NULL, 0);
    bool waited = r == REFUSED && answer->error->code != DOCA_ERROR_NO_MEMORY;
    return waited ? DONE : r;
}

static enum outcome list_all(struct scene *s)
{
    Docad__List m = DOCAD__LIST__INIT;
    enum outcome r = DONE;
    for (int kind = 0; kind <= DOCAD__LIST__KIND__IMPORTS && r == DONE; kind++) {
        m.kind = (Docad__List__Kind)kind;
        r = attempt(s->owner.sock, DOCAD__MESSAGE__BODY_LIST, &m, NULL, 0);
    }
    return r;
}

static enum outcome status(struct scene *s)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    return attempt(s->owner.sock, DOCAD__MESSAGE__BODY_STATUS, &m, NULL, 0);
}

static const struct {
    const char *name;
    enum outcome (*request)(struct scene *scene);
    int daemon; // where allocations fail
} rows[] = {
    {"hello", hello, 0},
    {"peer hello", peer_hello, 0},
    {"RDMA endpoint create", rdma_endpoint_create, 0},
    {"function list", function_list, 0},
    {"representor list", representor_list, 1},
    {"representor open", representor_open, 1},
    {"region register", region_register, 0},
    {"region unregister", region_unregister, 0},
    {"export create", export_create, 0},
    {"import create, at the importer", import_create, 1},
    {"import create, at the owner", import_create, 0},
    {"export revoke, at the owner", export_revoke, 0},
    {"export revoke, at the importer", export_revoke_there, 1},
    {"session end", end_session, 0},
    {"queue pair", queue_pair_here, 0},
    {"queue pair elsewhere, at the client", queue_pair_there, 1},
    {"queue pair elsewhere, at the engine", queue_pair_there, 0},
    {"publish", do_publish, 0},
    {"publish, at the other node", do_publish_there, 1},
    {"lookup", do_lookup, 0},
    {"list", list_all, 0},
    {"status", status, 0},
};

// ---- the test -----------------------------------------------------------------------------------

// True once the request needed fewer allocations than `n`.
static bool fail_nth(int row, long n)
{
    struct scene s;
    struct control *c = &controls[rows[row].daemon];
    // A link that broke for want of memory comes back.
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
    scene_make(&s);
    atomic_store(&c->reached, false);
    atomic_store(&c->countdown, n);
    enum outcome outcome = rows[row].request(&s);
    atomic_store(&c->countdown, 0);
    bool enough = !atomic_load(&c->reached);
    ck_assert_msg(!enough || outcome == DONE, "%s: refused without a reason: %s", rows[row].name,
                  outcome == REFUSED ? answer->error->text : "dropped");
    scene_end(&s);
    daemon_assert_alive(host);
    daemon_assert_alive(dpu);
    assert_baseline(host);
    assert_baseline(dpu);
    return enough;
}

START_TEST(every_allocation_may_fail)
{
    long n = 1;
    while (!fail_nth(_i, n)) {
        n++;
        ck_assert_msg(n < 1000, "%s: no end of allocations", rows[_i].name);
    }
    ck_assert_msg(n > 1, "%s: not one allocation", rows[_i].name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("no_memory");
    TCase *tcase = tcase_create("requests");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, every_allocation_may_fail, 0, ARRAY_SIZE(rows));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

#endif
