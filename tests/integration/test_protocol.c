// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One daemon and raw requests: each malformed field by itself, and objects that belong to
// another client. A refused request must leave nothing behind.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "lingering.h"
#include "memfd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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

// ---- the first message -----------------------------------------------------------------

static const struct {
    uint32_t min, max;
    doca_error_t expected;
} versions[] = {
    {0, 0, DOCA_ERROR_INVALID_VALUE},
    {2, 1, DOCA_ERROR_INVALID_VALUE},
    {0, 1, DOCA_ERROR_INVALID_VALUE},
    {2, 9, DOCA_ERROR_UNSUPPORTED_VERSION},
    {UINT32_MAX, UINT32_MAX, DOCA_ERROR_UNSUPPORTED_VERSION},
};

START_TEST(hello_version)
{
    int sock = raw_connect(host->socket.s);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = versions[_i].min;
    hello.version_max = versions[_i].max;
    assert_refused(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello), versions[_i].expected, "hello");
    raw_expect_closed(sock);
    close(sock);
}
END_TEST

START_TEST(hello_program_is_tamed)
{
    int sock = raw_connect(host->socket.s);
    char program[300];
    memset(program, '\n', sizeof(program));
    program[299] = '\0';
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    hello.program = program;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello), DOCA_SUCCESS);
    uint64_t id = answer->hello_reply->session_id;
    cleanup_message Docad__Message *list = raw_list(sock, DOCAD__LIST__KIND__SESSIONS, id - 1);
    ck_assert_uint_eq(list->list_reply->n_sessions, 1);
    ck_assert_str_eq(list->list_reply->sessions[0]->program,
                     "???????????????????????????????????????????????????????????????");
    close(sock);
}
END_TEST

START_TEST(hello_twice)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_HELLO, &hello), DOCA_ERROR_BAD_STATE,
                   "hello");
    Docad__PeerHello peer = fake_hello_fields();
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_PEER_HELLO, &peer), DOCA_ERROR_BAD_STATE,
                   "peer hello");
}
END_TEST

START_TEST(request_before_hello)
{
    int sock = raw_connect(host->socket.s);
    Docad__Status status = DOCAD__STATUS__INIT;
    assert_refused(call(sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_ERROR_INVALID_VALUE,
                   "status");
    raw_expect_closed(sock);
    close(sock);
}
END_TEST

// ---- a socket that the service manager made --------------------------------------------------

#define OTHER_GROUP 12345

// Does in the daemon's process what a socket unit does, with a socket that can wait.
static int run_activated(char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char pid[16];
    for (char **arg = argv; *arg; arg++)
        if (strcmp(*arg, "--socket") == 0)
            strcpy(address.sun_path, arg[1]);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 8) < 0)
        return 100;
    // The mode differs from what docad would set. Only root can give a group that docad is not
    // in.
    if (chmod(address.sun_path, 0640) < 0 ||
        (geteuid() == 0 && chown(address.sun_path, (uid_t)-1, OTHER_GROUP) < 0))
        return 103;
    if (fd != 3 && dup2(fd, 3) < 0)
        return 101;
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
    execv(DOCAD_BIN_DIR "/docad", argv);
    return 102;
}

// All users who may connect to the socket may read metrics, whatever socket_mode says.
static void assert_metrics_are_alike(const struct path *path)
{
    struct stat clients, metrics;
    struct path beside = temp_path("activated-metrics.sock");
    ck_assert_int_eq(stat(path->s, &clients), 0);
    ck_assert_int_eq(stat(beside.s, &metrics), 0);
    ck_assert_int_eq(clients.st_mode & 0777, 0640);
    ck_assert_int_eq(metrics.st_mode & 0777, 0640);
    ck_assert_uint_eq(metrics.st_gid, clients.st_gid);
}

START_TEST(socket_of_the_service_manager)
{
    struct daemon *daemon = daemon_start(
        &(struct daemon_options){.role = "host", .label = "activated", .run = run_activated});
    for (int i = 0; i < 3; i++) {
        struct raw_session s = session_start(daemon);
        session_end(&s);
    }
    assert_metrics_are_alike(&daemon->socket);
    daemon_stop(daemon);
    ck_assert_int_eq(unlink(daemon->socket.s), 0); // the daemon must not remove it
}
END_TEST

// ---- any message ----------------------------------------------------------------------------

START_TEST(serial_zero)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    post_raw(client.sock, 0, DOCAD__MESSAGE__BODY_STATUS, &status, NULL, 0);
    receive_any(client.sock);
    ck_assert_uint_eq(answer->error->code, DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
}
END_TEST

START_TEST(request_unknown)
{
    Docad__StatusReply reply = DOCAD__STATUS_REPLY__INIT;
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_STATUS_REPLY, &reply),
                   DOCA_ERROR_NOT_SUPPORTED, "reply");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import),
                   DOCA_ERROR_NOT_SUPPORTED, "peer import");
    const uint8_t later[] = {0x08, 0x07, 0xc2, 0x3e, 0x00}; // serial 7, field 1000
    ck_assert_int_eq(send(client.sock, later, sizeof(later), 0), sizeof(later));
    receive_any(client.sock);
    ck_assert_uint_eq(answer->serial, 7);
    ck_assert_uint_eq(answer->error->code, DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

START_TEST(bytes_that_are_no_message)
{
    const uint8_t bytes[] = {0xff, 0xff, 0xff};
    ck_assert_int_eq(send(client.sock, bytes, sizeof(bytes), 0), sizeof(bytes));
    raw_expect_closed(client.sock);
    ck_assert(daemon_logged(host, "sent bytes that are not a message"));
}
END_TEST

START_TEST(packet_too_large)
{
    static uint8_t bytes[PACKET_SIZE_MAX + 1];
    ck_assert_int_eq(send(client.sock, bytes, sizeof(bytes), 0), sizeof(bytes));
    raw_expect_closed(client.sock);
}
END_TEST

START_TEST(too_many_descriptors)
{
    // More than packet_send() lets through.
    union {
        char bytes[CMSG_SPACE(sizeof(int) * 16)];
        struct cmsghdr align;
    } control = {0};
    unsigned before = daemon_descriptors(host);
    struct raw_session other = session_start(host);
    struct iovec iov = {.iov_base = (char[]){8, 1}, .iov_len = 2};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * 16);
    for (int i = 0; i < 16; i++)
        memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &other.sock, sizeof(int));
    ck_assert_int_eq(sendmsg(other.sock, &msg, 0), 2);
    shutdown(other.sock, SHUT_WR);
    raw_expect_closed(other.sock);
    session_end(&other);
    daemon_wait_descriptors(host, before);
}
END_TEST

// Descriptors beside a request that takes none are closed.
START_TEST(descriptors_nobody_asked_for)
{
    unsigned before = daemon_descriptors(host);
    Docad__Status status = DOCAD__STATUS__INIT;
    cleanup_fd int memory = memfd_create_sealed("large", 64 << 20);
    const int fds[3] = {memory, client.sock, memory};
    ck_assert_int_eq(call_with_fds(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status, fds, 3),
                     DOCA_SUCCESS);
    daemon_wait_descriptors(host, before);
}
END_TEST

// Files of file systems and devices do not enter docad, which answers as if there were none.
START_TEST(descriptors_of_files)
{
    unsigned before = daemon_descriptors(host);
    Docad__Status status = DOCAD__STATUS__INIT;
    cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(call_with_fds(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status, &null, 1),
                     DOCA_SUCCESS);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    daemon_wait_descriptors(host, before);
}
END_TEST

// Closing a TCP socket can wait for its other end. That costs docad a helper, not the loop.
START_TEST(descriptors_that_do_not_close)
{
    struct lingering lingering;
    lingering_open(&lingering);
    Docad__Status status = DOCAD__STATUS__INIT;
    daemon_freeze(host); // so that the last one to close it is docad
    post_raw(client.sock, 1, DOCAD__MESSAGE__BODY_STATUS, &status, &lingering.fd, 1);
    lingering_leave(&lingering);
    daemon_thaw(host);
    receive_any(client.sock);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    lingering_end(&lingering);
}
END_TEST

START_TEST(client_that_does_not_read)
{
    Docad__List list = DOCAD__LIST__INIT;
    Docad__Message m = DOCAD__MESSAGE__INIT;
    int r = 0;
    m.serial = 1;
    m.body_case = DOCAD__MESSAGE__BODY_LIST;
    m.list = &list;
    struct raw_session other = session_start(host);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (r == 0 || r == -EAGAIN) {
        r = message_send(client.sock, &m, NULL, 0, MSG_DONTWAIT);
        ck_assert_msg(now_ms() < deadline, "never dropped");
    }
    ck_assert(r == -EPIPE || r == -ECONNRESET);
    Docad__Status status = DOCAD__STATUS__INIT;
    ck_assert_int_eq(call(other.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    ck_assert(daemon_logged(host, "queued_output_per_connection"));
    session_end(&other);
}
END_TEST

// ---- functions -------------------------------------------------------------------------------

START_TEST(function_of_no_such_id)
{
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    Docad__FunctionClose close_ = DOCAD__FUNCTION_CLOSE__INIT;
    const uint32_t ids[] = {0, 6, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        open.function_id = close_.function_id = ids[i];
        assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &open),
                       DOCA_ERROR_NOT_FOUND, "open");
        assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, &close_),
                       DOCA_ERROR_NOT_FOUND, "close");
    }
}
END_TEST

START_TEST(function_closed_once_for_each_open)
{
    Docad__FunctionClose m = DOCAD__FUNCTION_CLOSE__INIT;
    m.function_id = open_function(client.sock, "pf0");
    open_function(client.sock, "pf0");
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, &m), DOCA_SUCCESS);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, &m), DOCA_SUCCESS);
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, &m), DOCA_ERROR_BAD_STATE,
                   "third");
}
END_TEST

START_TEST(representors_of_a_host)
{
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
    Docad__RepresentorClose close_ = DOCAD__REPRESENTOR_CLOSE__INIT;
    list.function_id = 1;
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list),
                   DOCA_ERROR_BAD_STATE, "not open");
    list.function_id = open_function(client.sock, "pf0");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list),
                   DOCA_ERROR_NOT_SUPPORTED, "host");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open),
                   DOCA_ERROR_NOT_FOUND, "open");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE, &close_),
                   DOCA_ERROR_BAD_STATE, "close");
}
END_TEST

static char memory[64];

// ---- tools ----------------------------------------------------------------------------------

START_TEST(export_by_id)
{
    Docad__ExportGet get = DOCAD__EXPORT_GET__INIT;
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    uint32_t pf0 = open_function(client.sock, "pf0");
    uint64_t region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    uint64_t id = make_export(client.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    get.export_id = revoke.export_id = id ^ 1;
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_GET, &get), DOCA_ERROR_NOT_FOUND,
                   "get");
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke),
                   DOCA_ERROR_NOT_FOUND, "revoke");
    get.export_id = revoke.export_id = id;
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_GET, &get), DOCA_SUCCESS);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke), DOCA_SUCCESS);
    assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &revoke),
                   DOCA_ERROR_NOT_FOUND, "again");
}
END_TEST

START_TEST(list_kind_unknown)
{
    Docad__List m = DOCAD__LIST__INIT;
    const int kinds[] = {200, 1000, -1};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        m.kind = (Docad__List__Kind)kinds[i];
        assert_refused(call(client.sock, DOCAD__MESSAGE__BODY_LIST, &m), DOCA_ERROR_NOT_SUPPORTED,
                       "kind");
    }
}
END_TEST

START_TEST(list_in_pages)
{
    enum { N = 250 };
    uint32_t pf0 = open_function(client.sock, "pf0");
    for (int i = 0; i < N; i++)
        register_brokered(client.sock, memory, 64, 1, pf0);
    uint64_t after = 0;
    size_t seen = 0, pages = 0;
    bool more = true;
    while (more) {
        cleanup_message Docad__Message *m =
            raw_list(client.sock, DOCAD__LIST__KIND__REGIONS, after);
        ck_assert_uint_le(m->list_reply->n_regions, 100);
        for (size_t i = 0; i < m->list_reply->n_regions; i++, seen++) {
            ck_assert_uint_gt(m->list_reply->regions[i]->id, after);
            after = m->list_reply->regions[i]->id;
        }
        ck_assert_uint_eq(m->list_reply->last, after);
        more = m->list_reply->more;
        pages++;
    }
    ck_assert_uint_eq(seen, N);
    ck_assert_uint_eq(pages, 3);
}
END_TEST

// ---- names ----------------------------------------------------------------------------------

static struct descriptor some_export(uint64_t *region)
{
    uint32_t pf0 = open_function(client.sock, "pf0");
    *region = register_brokered(client.sock, memory, 64, DOCA_ACCESS_DPU_READ_WRITE, pf0);
    return export_to(client.sock, *region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
}

START_TEST(name_fields)
{
    uint64_t region;
    struct descriptor d = some_export(&region), bad = d;
    char longest[257];
    memset(longest, 'n', 256);
    longest[256] = '\0';
    assert_refused(publish(client.sock, "", &d), DOCA_ERROR_INVALID_VALUE, "empty");
    assert_refused(publish(client.sock, longest, &d), DOCA_ERROR_INVALID_VALUE, "too long");
    assert_refused(publish(client.sock, "a\nb", &d), DOCA_ERROR_INVALID_VALUE, "control");
    assert_refused(publish(client.sock, "a\xff", &d), DOCA_ERROR_INVALID_VALUE, "no UTF-8");
    assert_refused(lookup(client.sock, "", 0), DOCA_ERROR_INVALID_VALUE, "lookup");
    assert_refused(unpublish(client.sock, ""), DOCA_ERROR_INVALID_VALUE, "unpublish");
    bad.size--;
    assert_refused(publish(client.sock, "a", &bad), DOCA_ERROR_INVALID_VALUE, "descriptor");
    bad.size = 0;
    assert_refused(publish(client.sock, "a", &bad), DOCA_ERROR_INVALID_VALUE, "no descriptor");
    longest[255] = '\0';
    ck_assert_int_eq(publish(client.sock, longest, &d), DOCA_SUCCESS);
    assert_refused(publish(client.sock, longest, &d), DOCA_ERROR_ALREADY_EXIST, "taken");
    ck_assert_int_eq(lookup(client.sock, longest, 0), DOCA_SUCCESS);
    ck_assert_mem_eq(answer->lookup_reply->descriptor.data, d.bytes, d.size);
    ck_assert_int_eq(unpublish(client.sock, longest), DOCA_SUCCESS);
    assert_refused(unpublish(client.sock, longest), DOCA_ERROR_NOT_FOUND, "again");
    assert_refused(lookup(client.sock, longest, 0), DOCA_ERROR_NOT_FOUND, "lookup");
}
END_TEST

START_TEST(name_of_forged_export)
{
    uint64_t region;
    struct descriptor d = some_export(&region);
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
    desc.token[0] ^= 1;
    ck_assert_int_eq(export_desc_encode(&desc, d.bytes, &d.size), DOCA_SUCCESS);
    assert_refused(publish(client.sock, "a", &d), DOCA_ERROR_NOT_PERMITTED, "token");
}
END_TEST

START_TEST(name_goes_with_its_export)
{
    uint64_t region;
    struct descriptor d = some_export(&region);
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = region;
    ck_assert_int_eq(publish(client.sock, "a", &d), DOCA_SUCCESS);
    ck_assert_int_eq(publish(client.sock, "b", &d), DOCA_SUCCESS);
    ck_assert_int_eq(call(client.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &m), DOCA_SUCCESS);
    assert_refused(lookup(client.sock, "a", 0), DOCA_ERROR_NOT_FOUND, "a");
    assert_refused(lookup(client.sock, "b", 0), DOCA_ERROR_NOT_FOUND, "b");
}
END_TEST

START_TEST(lookup_waits)
{
    uint64_t region;
    struct descriptor d = some_export(&region);
    struct raw_session other = session_start(host);
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)"later";
    m.timeout_ms = HARNESS_LIMIT_MS;
    uint64_t serial = post(other.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
    Docad__Status status = DOCAD__STATUS__INIT; // a waiting lookup holds up nothing
    ck_assert_int_eq(call(other.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    ck_assert_int_eq(publish(client.sock, "later", &d), DOCA_SUCCESS);
    receive_any(other.sock);
    ck_assert_uint_eq(answer->serial, serial);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_LOOKUP_REPLY);
    session_end(&other);
}
END_TEST

START_TEST(lookup_times_out)
{
    assert_refused(lookup(client.sock, "never", 20), DOCA_ERROR_TIME_OUT, "lookup");
}
END_TEST

START_TEST(lookup_of_one_who_leaves)
{
    struct raw_session other = session_start(host);
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    uint64_t region;
    m.name = (char *)"later";
    m.timeout_ms = HARNESS_LIMIT_MS;
    post(other.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
    session_end(&other);
    struct descriptor d = some_export(&region);
    ck_assert_int_eq(publish(client.sock, "later", &d), DOCA_SUCCESS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol");
    TCase *tcase = tcase_create("protocol");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, hello_version, 0, ARRAY_SIZE(versions));
    const TTest *const tests[] = {hello_program_is_tamed,
                                  hello_twice,
                                  request_before_hello,
                                  socket_of_the_service_manager,
                                  serial_zero,
                                  request_unknown,
                                  bytes_that_are_no_message,
                                  packet_too_large,
                                  too_many_descriptors,
                                  descriptors_nobody_asked_for,
                                  descriptors_of_files,
                                  descriptors_that_do_not_close,
                                  client_that_does_not_read,
                                  function_of_no_such_id,
                                  function_closed_once_for_each_open,
                                  representors_of_a_host,
                                  export_by_id,
                                  list_kind_unknown,
                                  list_in_pages,
                                  name_fields,
                                  name_of_forged_export,
                                  name_goes_with_its_export,
                                  lookup_waits,
                                  lookup_times_out,
                                  lookup_of_one_who_leaves};
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
