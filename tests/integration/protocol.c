// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

Docad__Message *answer;
struct fd_list answer_fds;

void answer_drop(void)
{
    message_freep(&answer);
    fd_list_close(&answer_fds);
}

void assert_refused(doca_error_t r, doca_error_t expected, const char *what)
{
    ck_assert_msg(r == expected, "%s: %s, not %s", what, doca_get_error_name(r),
                  doca_get_error_name(expected));
}

void wait_state(const struct raw_session *s, uint32_t slot, uint64_t id, enum slot_state state)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(s->states, slot, id) != state)
        ck_assert_msg(deadline_pause(deadline), "never %s", slot_state_name(state));
}

void post_raw(int sock, uint64_t serial, Docad__Message__BodyCase body, const void *payload,
              const int *fds, size_t n_fds)
{
    Docad__Message m = DOCAD__MESSAGE__INIT;
    m.serial = serial;
    m.body_case = body;
    m.ok = (Docad__Empty *)payload; // all members of the union are pointers
    int r = message_send(sock, &m, fds, n_fds, 0);
    ck_assert_msg(r == 0, "sending: %s", strerror(-r));
}

static uint64_t last_serial = 1000;

uint64_t post(int sock, Docad__Message__BodyCase body, const void *payload)
{
    post_raw(sock, ++last_serial, body, payload, NULL, 0);
    return last_serial;
}

void receive_any(int sock)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    answer_drop();
    ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "nothing comes from the daemon");
    int r = message_recv(sock, &answer, &answer_fds, 0);
    ck_assert_msg(r == 1, "receiving: %s", r ? strerror(-r) : "connection closed");
}

doca_error_t call_with_fds(int sock, Docad__Message__BodyCase body, const void *payload,
                           const int *fds, size_t n_fds)
{
    post_raw(sock, ++last_serial, body, payload, fds, n_fds);
    receive_any(sock);
    ck_assert_uint_eq(answer->serial, last_serial);
    if (answer->body_case != DOCAD__MESSAGE__BODY_ERROR)
        return DOCA_SUCCESS;
    ck_assert_uint_ne(answer->error->code, DOCA_SUCCESS);
    ck_assert_str_ne(answer->error->text, "");
    return (doca_error_t)answer->error->code;
}

doca_error_t call(int sock, Docad__Message__BodyCase body, const void *payload)
{
    return call_with_fds(sock, body, payload, NULL, 0);
}

static void must(doca_error_t r)
{
    ck_assert_msg(r == DOCA_SUCCESS, "refused: %s", answer->error->text);
}

// ---- sessions -----------------------------------------------------------------------------

static void send_hello(int sock, const char *program)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    hello.program = (char *)program;
    must(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello));
}

int session_connect(const struct daemon *daemon, const char *program)
{
    int sock = raw_connect(daemon->socket.s);
    send_hello(sock, program);
    answer_drop();
    return sock;
}

struct raw_session session_start(const struct daemon *daemon)
{
    struct raw_session s = {.sock = raw_connect(daemon->socket.s)};
    send_hello(s.sock, "protocol");
    const Docad__HelloReply *reply = answer->hello_reply;
    s.id = reply->session_id;
    memcpy(s.node, reply->node.data, NODE_ID_SIZE);
    s.states = state_table_map(answer_fds.fds[0], reply->state_slots);
    ck_assert_ptr_nonnull(s.states);
    // After the second answer the daemon has finished its work for the first.
    Docad__Status status = DOCAD__STATUS__INIT;
    must(call(s.sock, DOCAD__MESSAGE__BODY_STATUS, &status));
    answer_drop();
    return s;
}

void session_end(struct raw_session *s)
{
    answer_drop();
    if (s->states)
        state_table_unmap(s->states, s->states->slots);
    close_fdp(&s->sock);
}

uint32_t find_function(int sock, const char *name)
{
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    uint32_t id = 0;
    must(call(sock, DOCAD__MESSAGE__BODY_FUNCTION_LIST, &list));
    const Docad__FunctionListReply *reply = answer->function_list_reply;
    for (size_t i = 0; i < reply->n_functions; i++)
        if (strcmp(reply->functions[i]->name, name) == 0)
            id = reply->functions[i]->id;
    ck_assert_uint_ne(id, 0);
    return id;
}

uint32_t open_function(int sock, const char *name)
{
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    open.function_id = find_function(sock, name);
    must(call(sock, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &open));
    return open.function_id;
}

static uint64_t register_one(int sock, Docad__Segment *segment, uint32_t access, uint32_t function,
                             const int *fds, size_t n_fds)
{
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    m.address = segment->address;
    m.length = segment->length;
    m.access = access;
    m.function_ids = &function;
    m.n_function_ids = 1;
    m.segments = &segment;
    m.n_segments = 1;
    m.has_memory_fd = !segment->mapped;
    m.has_memfd = segment->mapped;
    m.has_memfd_ro = segment->mapped;
    must(call_with_fds(sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m, fds, n_fds));
    return answer->region_register_reply->region_id;
}

uint64_t register_brokered(int sock, const void *address, size_t length, uint32_t access,
                           uint32_t function)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT;
    cleanup_fd int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    segment.address = (uintptr_t)address;
    segment.length = length;
    return register_one(sock, &segment, access, function, &memory, 1);
}

uint64_t register_mapped(int sock, size_t size, uint32_t access, uint32_t function)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT;
    int fds[2];
    fds[0] = memfd_create_sealed("region", size);
    fds[1] = memfd_reopen_readonly(fds[0]);
    segment.address = 0x7f0000000000;
    segment.length = size;
    segment.mapped = true;
    uint64_t id = register_one(sock, &segment, access, function, fds, 2);
    close(fds[0]);
    close(fds[1]);
    return id;
}

uint64_t make_export(int sock, uint64_t region, uint32_t function, Docad__ExportTarget target)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    m.region_id = region;
    m.function_id = function;
    m.target = target;
    must(call(sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m));
    return answer->export_create_reply->export_id;
}

struct descriptor export_to(int sock, uint64_t region, uint32_t function,
                            Docad__ExportTarget target)
{
    struct descriptor d;
    make_export(sock, region, function, target);
    d.size = answer->export_create_reply->descriptor.len;
    ck_assert_uint_le(d.size, sizeof(d.bytes));
    memcpy(d.bytes, answer->export_create_reply->descriptor.data, d.size);
    return d;
}

static ProtobufCBinaryData bytes_of(const struct descriptor *d)
{
    return (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
}

doca_error_t import_on(int sock, const struct descriptor *d, uint32_t function)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.descriptor = bytes_of(d);
    m.function_id = function;
    return call(sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m);
}

doca_error_t publish(int sock, const char *name, const struct descriptor *d)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = bytes_of(d);
    return call(sock, DOCAD__MESSAGE__BODY_PUBLISH, &m);
}

doca_error_t unpublish(int sock, const char *name)
{
    Docad__Unpublish m = DOCAD__UNPUBLISH__INIT;
    m.name = (char *)name;
    return call(sock, DOCAD__MESSAGE__BODY_UNPUBLISH, &m);
}

doca_error_t lookup(int sock, const char *name, uint32_t timeout_ms)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)name;
    m.timeout_ms = timeout_ms;
    return call(sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
}

// ---- the daemon's process -------------------------------------------------------------------

unsigned daemon_descriptors(const struct daemon *daemon)
{
    char path[32];
    unsigned n = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)daemon->pid);
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e; (e = readdir(dir));)
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

unsigned daemon_settled_descriptors(const struct daemon *daemon)
{
    unsigned least = daemon_descriptors(daemon);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (int looks = 0; looks < 20 && deadline_pause(deadline); looks++) {
        unsigned now = daemon_descriptors(daemon);
        least = now < least ? now : least;
    }
    return least;
}

void daemon_wait_descriptors(const struct daemon *daemon, unsigned n)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (daemon_descriptors(daemon) != n)
        if (!deadline_pause(deadline))
            ck_abort_msg("%u descriptors open, not %u", daemon_descriptors(daemon), n);
}

struct qp_client raw_queue_pair_take(void)
{
    struct qp_client qp;
    int fds[3];
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY);
    ck_assert_uint_eq(answer_fds.count, 3);
    for (size_t i = 0; i < 3; i++)
        fds[i] = fd_list_take(&answer_fds, i);
    ck_assert_int_eq(qp_client_init(&qp, fds[0], fds[1], fds[2]), 0);
    return qp;
}

struct qp_client raw_queue_pair(const struct raw_session *session, const uint8_t *node)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node};
    must(call(session->sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m));
    return raw_queue_pair_take();
}

uint32_t raw_request(struct qp_client *qp, const struct qp_request *request)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct qp_completion done;
    ck_assert(qp_post(qp, request));
    qp_ring(qp);
    while (!qp_poll(qp, &done))
        ck_assert_msg(now_ms() < deadline, "the engine does not answer");
    ck_assert_uint_eq(done.tag, request->tag);
    return done.status;
}

uint32_t raw_move(struct qp_client *qp, uint32_t opcode, uint64_t address, uint32_t length,
                  uint32_t key)
{
    return raw_request(
        qp, &(struct qp_request){
                .address = address, .length = length, .key = key, .opcode = (uint16_t)opcode});
}

uint64_t raw_listen(int sock, const char *name, const char *of, int *accept_sock)
{
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
    Docad__ChannelListen m = DOCAD__CHANNEL_LISTEN__INIT;
    uint32_t p0 = open_function(sock, "p0");

    list.function_id = p0;
    must(call(sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list));
    const Docad__RepresentorListReply *r = answer->representor_list_reply;
    for (size_t i = 0; i < r->n_representors; i++)
        if (strstr(r->representors[i]->pci_address, of))
            open.representor_id = r->representors[i]->id;
    m.representor_id = open.representor_id;
    must(call(sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open));
    m.function_id = p0;
    m.name = (char *)name;
    m.max_message = 64;
    m.takes_ring = true;
    m.send_queue = m.recv_queue = 8;
    must(call(sock, DOCAD__MESSAGE__BODY_CHANNEL_LISTEN, &m));
    *accept_sock = fd_list_take(&answer_fds, 0);
    return answer->channel_listen_reply->service_id;
}

// ---- a linked node that is none ----------------------------------------------------------------

const uint8_t fake_node[NODE_ID_SIZE] = "no such node id";

static Docad__Function *fake_functions(void)
{
    static Docad__Function f = DOCAD__FUNCTION__INIT;
    f.id = 1;
    f.name = (char *)"pf0";
    f.pci_address = (char *)"0000:99:00.0";
    f.vuid = (char *)"FAKE";
    f.iface = (char *)"pf0";
    f.ibdev = (char *)"fake_0";
    return &f;
}

Docad__PeerHello fake_hello_fields(void)
{
    static Docad__Function *list[1];
    Docad__PeerHello hello = DOCAD__PEER_HELLO__INIT;
    list[0] = fake_functions();
    hello.version_min = hello.version_max = 1;
    hello.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    hello.name = (char *)"fake";
    hello.role = (char *)"host";
    hello.functions = list;
    hello.n_functions = 1;
    return hello;
}

doca_error_t fake_hello(int sock, const Docad__PeerHello *hello)
{
    return call(sock, DOCAD__MESSAGE__BODY_PEER_HELLO, hello);
}

int fake_link(const struct daemon *daemon)
{
    int sock = raw_connect(daemon->socket.s);
    Docad__PeerHello hello = fake_hello_fields();
    must(fake_hello(sock, &hello));
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY);
    answer_drop();
    return sock;
}

struct descriptor fake_descriptor(uint64_t export_id)
{
    struct descriptor d;
    struct export_desc desc = {.export_id = export_id,
                               .address = 0x10000,
                               .length = 4096,
                               .access = DOCA_ACCESS_DPU_READ_WRITE,
                               .target = DOCAD__EXPORT_TARGET__TARGET_DPU,
                               .pci_address = "0000:99:00.0",
                               .vuid = "FAKE"};
    memcpy(desc.node, fake_node, sizeof(desc.node));
    ck_assert_int_eq(export_desc_encode(&desc, d.bytes, &d.size), DOCA_SUCCESS);
    return d;
}

void fake_publish(int link, const char *name, const struct descriptor *d)
{
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.uid = geteuid();
    post_raw(link, 0, DOCAD__MESSAGE__BODY_PEER_PUBLISH, &m, NULL, 0);
}
