// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Links between machines: two daemons over TLS, and strangers at the door.

#include "protocol.h"

#include "child.h"
#include "cleanup.h"
#include "client.h"
#include "deadline.h"
#include "hanging.h"
#include "manager.h"
#include "request.h"
#include "text_names.h"
#include "tls_client.h"
#include "tls_nodes.h"

#include <arpa/inet.h>
#include <signal.h>
#include <string.h>

static struct command_result result;

static void teardown(void)
{
    answer_drop();
    tls_teardown();
}

// ---- good links -------------------------------------------------------------------------

START_TEST(links_and_shows_what_is_there)
{
    struct node_pair nodes = tls_nodes_start();
    command_run(nodes.dpu, (const char *const[]){"docactl", "peers", NULL}, &result);
    assert_names(result.out, tls_host_ip);
    assert_names(result.out, "linked");
    command_run(nodes.host, (const char *const[]){"docactl", "peers", NULL}, &result);
    assert_names(result.out, "127.0.0.1");
    assert_names(result.out, "linked");
    command_run(nodes.dpu, (const char *const[]){"docactl", "representors", NULL}, &result);
    assert_names(result.out, "hpf0vf1");
}
END_TEST

START_TEST(comes_back_after_either_side_was_restarted)
{
    struct node_pair nodes = tls_nodes_start();
    daemon_kill(nodes.dpu);
    daemon_wait_links(nodes.host, 0);
    daemon_restart(nodes.dpu);
    daemon_wait_links(nodes.host, 1);
    daemon_stop(nodes.host);
    daemon_wait_links(nodes.dpu, 0);
    daemon_restart(nodes.host);
    daemon_wait_links(nodes.dpu, 1);
}
END_TEST

// More than any socket holds, while nobody reads.
START_TEST(carries_many_messages_in_order_and_without_loss)
{
    enum { NAMES = 900 };
    struct daemon *host =
        tls_node_start(&(struct tls_plan){.role = "host", .certificates = "good"});
    static uint8_t memory[64];
    struct raw_session s = session_start(host);
    uint32_t pf0 = open_function(s.sock, "pf0");
    uint64_t region =
        register_brokered(s.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    struct descriptor d = export_to(s.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    char name[200];
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof(name), "%0120d", i);
        ck_assert_success(publish(s.sock, name, &d));
    }
    struct daemon *dpu =
        tls_node_start(&(struct tls_plan){.role = "dpu", .certificates = "good", .dial = "host"});
    daemon_wait_links(dpu, 1);
    struct raw_session other = session_start(dpu);
    ck_assert_success(lookup(other.sock, name, 30000));
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof(name), "%0120d", i);
        ck_assert_success(lookup(other.sock, name, 0));
    }
    ck_assert_success(import_on(other.sock, &d, open_function(other.sock, "p0")));
    session_end(&other);
    session_end(&s);
}
END_TEST

// Messages that came on the link and were not handled yet are given back, too.
START_TEST(stops_while_bytes_arrive)
{
    enum { NAMES = 20 };
    struct node_pair nodes = tls_nodes_start();
    static uint8_t memory[64];
    char name[32];
    struct raw_session s = session_start(nodes.host);
    uint32_t pf0 = open_function(s.sock, "pf0");
    uint64_t region =
        register_brokered(s.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    struct descriptor d = export_to(s.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    kill(nodes.dpu->pid, SIGSTOP);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof(name), "export%d", i);
        ck_assert_success(publish(s.sock, name, &d));
    }
    kill(nodes.dpu->pid, SIGTERM); // it finds the bytes first, then this
    kill(nodes.dpu->pid, SIGCONT);
    daemon_ended(nodes.dpu);
    session_end(&s);
}
END_TEST

#define COPIED (3u << 20)

static uint8_t byte_at(size_t i, unsigned salt)
{
    return (uint8_t)((i * 2654435761u >> 11) + salt);
}

static int offers_bytes(struct child *self, void *arg)
{
    static uint8_t memory[COPIED + 1]; // it ends in the midst of a page
    struct exporter e;
    (void)arg;
    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = byte_at(i, 1);
    exporter_start(&e, HOST_PF0, memory + 1, COPIED, DOCA_ACCESS_DPU_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "look");
    ck_assert_uint_eq(memory[0], byte_at(0, 1));
    for (size_t i = 1; i < sizeof(memory); i++)
        ck_assert_uint_eq(memory[i], byte_at(i, 2));
    exporter_stop(&e);
    return 0;
}

static int turns_bytes_round(struct child *self, void *arg)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = child_receive(self, desc, sizeof(desc));
    struct copier c;
    (void)arg;
    copier_start(&c, DPU_P0, COPIED);
    copier_import(&c, desc, size);
    ck_assert_success(copier_read(&c, 0, COPIED));
    for (size_t i = 0; i < COPIED; i++) {
        ck_assert_uint_eq(c.memory[i], byte_at(i + 1, 1));
        c.memory[i] = byte_at(i + 1, 2);
    }
    ck_assert_success(copier_write(&c, 0, COPIED));
    copier_release(&c);
    copier_stop(&c);
    return 0;
}

// The log says it once, docactl whenever it is asked.
static void assert_says_way(const struct daemon *daemon, const char *other)
{
    cleanup_file FILE *log = fopen(daemon->log.s, "re");
    unsigned lines = 0;
    char line[1024];
    while (log && fgets(line, sizeof(line), log))
        lines += strstr(line, "bytes from and to node") != NULL;
    ck_assert_uint_eq(lines, 1);
    bool device = daemon_logged(daemon, "go by RDMA"); // this machine has one
    command_run(daemon, (const char *const[]){"docactl", "check", NULL}, &result);
    assert_names(result.out, other);
    assert_names(result.out, device ? "RDMA" : "rdma link add"); // or what to do to have it
    command_run(daemon, (const char *const[]){"docactl", "peers", NULL}, &result);
    assert_names(result.out, device ? "rdma" : "link");
}

START_TEST(carries_bytes_both_ways)
{
    struct node_pair nodes = tls_nodes_start();
    for (int i = 0; i < 2; i++) {
        struct child *host = child_start(nodes.host, "host", offers_bytes, NULL);
        struct child *dpu = child_start(nodes.dpu, "dpu", turns_bytes_round, NULL);
        uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
        size_t size = child_receive(host, desc, sizeof(desc));
        child_send(dpu, desc, size);
        child_join(dpu);
        child_tell(host, "look");
        child_join(host);
    }
    assert_says_way(nodes.host, "dpu");
    assert_says_way(nodes.dpu, "host");
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(printed_configuration_is_the_same_one)
{
    struct tls_plan plan = {.role = "dpu", .certificates = "good", .dial = "host"};
    struct daemon_options options = tls_options(&plan, "good/dpu.conf");
    const char *argv[] = {"docad",    "--print-config", "--role", "dpu",
                          "--config", options.config,   NULL};
    static struct command_result first;
    command_run(NULL, argv, &first);
    ck_assert_msg(first.status == 0, "%s", first.err);
    struct path again = temp_file("good/again.conf", first.out);
    argv[5] = again.s;
    command_run(NULL, argv, &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    ck_assert_str_eq(first.out, result.out);
    assert_names(result.out, tls_host_ip);
    ck_assert_ptr_nonnull(strstr(result.out, "/good/dpu.key"));
}
END_TEST

// ---- strangers ----------------------------------------------------------------------------------

static struct daemon *alone;

static void setup_alone(void)
{
    tls_setup();
    alone = tls_node_start(&(struct tls_plan){.role = "host", .certificates = "good"});
}

static void assert_closes(int fd)
{
    char byte;
    ssize_t n;
    while ((n = recv(fd, &byte, 1, 0)) > 0)
        ;
    ck_assert_msg(n == 0 || errno == ECONNRESET, "%s", strerror(errno));
    close(fd);
}

START_TEST(no_tls_at_all)
{
    int fd = tcp_connect(tls_host_ip, TLS_PORT);
    ck_assert_int_eq(send(fd, "GET / HTTP/1.0\r\n\r\n", 18, 0), 18);
    assert_closes(fd);
    assert_closes(tcp_connect(tls_host_ip, TLS_PORT)); // and who says nothing is not waited for
    daemon_assert_alive(alone);
}
END_TEST

START_TEST(tls_without_a_certificate)
{
    struct tls_client client;
    // TLS 1.3 lets the client finish before its certificate is looked at.
    tls_client_start(&client, tls_host_ip, TLS_PORT, NULL, NULL);
    ck_assert_ptr_null(tls_client_receive(&client));
    tls_client_stop(&client);
    daemon_wait_metric(alone, "docad_links_refused_total{reason=\"handshake\"}", 1);
    daemon_assert_alive(alone);
}
END_TEST

static void connect_as(struct tls_client *client, const char *name)
{
    char crt[32], key[32];
    snprintf(crt, sizeof(crt), "%s.crt", name);
    snprintf(key, sizeof(key), "%s.key", name);
    ck_assert(tls_client_start(client, tls_host_ip, TLS_PORT, certificates_file("good", crt).s,
                               certificates_file("good", key).s));
}

static void connect_well(struct tls_client *client)
{
    connect_as(client, "dpu");
}

static void say(struct tls_client *client, uint64_t serial, Docad__Message__BodyCase body,
                const void *payload)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = serial;
    message.body_case = body;
    message.ok = (Docad__Empty *)payload; // all members of the union are pointers
    tls_client_send(client, &message);
}

static bool keeps_nothing; // over a restart: no other docad will go on there

// A node that docad waits for when its link ends. Returns what the hello is answered with.
static Docad__Message *hello_with(struct tls_client *client, const char *name, const uint8_t *id)
{
    static uint8_t run[16] = "the same docad";
    Docad__PeerHello hello = fake_hello_fields();
    hello.name = (char *)name;
    hello.role = (char *)"dpu";
    hello.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)id};
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    hello.resumes_apart = true;
    hello.resumable = !keeps_nothing;
    say(client, 1, DOCAD__MESSAGE__BODY_PEER_HELLO, &hello);
    return tls_client_receive(client);
}

START_TEST(sizes_that_no_message_has)
{
    static const uint8_t sizes[][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {255, 255, 255, 255}};
    struct tls_client client;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        connect_well(&client);
        tls_client_write(&client, sizes[i], 4);
        ck_assert_ptr_null(tls_client_receive(&client));
        tls_client_stop(&client);
    }
    connect_well(&client);
    tls_client_write(&client, "\0\0\0\5hello", 9); // no message
    ck_assert_ptr_null(tls_client_receive(&client));
    tls_client_stop(&client);
    daemon_assert_alive(alone);
}
END_TEST

START_TEST(a_client_program_from_another_machine)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct tls_client client;
    hello.version_min = hello.version_max = 1;
    hello.program = (char *)"far";
    message.serial = 1;
    message.body_case = DOCAD__MESSAGE__BODY_HELLO;
    message.hello = &hello;
    connect_well(&client);
    tls_client_send(&client, &message);
    cleanup_message Docad__Message *reply = tls_client_receive(&client);
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_ERROR);
    ck_assert_int_eq(reply->error->code, DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(tls_client_receive(&client));
    tls_client_stop(&client);
}
END_TEST

// ---- ids that are another node's ------------------------------------------------------------

static void link_as(struct tls_client *client, const char *name, const uint8_t *id)
{
    connect_as(client, name);
    cleanup_message Docad__Message *reply = hello_with(client, name, id);
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY);
}

static void assert_id_refused(const char *name, const uint8_t *id)
{
    struct tls_client client;
    connect_as(&client, name);
    cleanup_message Docad__Message *reply = hello_with(&client, name, id);
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_ERROR);
    ck_assert_int_eq(reply->error->code, DOCA_ERROR_NOT_PERMITTED);
    tls_client_stop(&client);
}

// The node's messages so far have been handled, and its link is up.
static void settle(struct tls_client *client)
{
    Docad__PeerGrantEnded nothing = DOCAD__PEER_GRANT_ENDED__INIT;
    bool done = false;
    say(client, 7, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, &nothing);
    while (!done) {
        cleanup_message Docad__Message *m = tls_client_receive(client);
        ck_assert_ptr_nonnull(m);
        done = m->body_case == DOCAD__MESSAGE__BODY_OK && m->serial == 7;
    }
}

static void assert_link_ends(struct tls_client *client)
{
    bool ended = false;
    while (!ended) {
        cleanup_message Docad__Message *m = tls_client_receive(client);
        ended = !m;
    }
    tls_client_stop(client);
}

static void publish_as(struct tls_client *client, const char *name)
{
    struct descriptor d = fake_descriptor(9);
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){d.size, d.bytes};
    say(client, 0, DOCAD__MESSAGE__BODY_PEER_PUBLISH, &m);
    settle(client);
}

START_TEST(the_id_of_another_node)
{
    struct tls_client good;
    docactl_done("certificates", "node", "mallory", temp_path("good").s);
    link_as(&good, "dpu", fake_node);
    assert_id_refused("mallory", fake_node);
    daemon_wait_links(alone, 1);
    settle(&good);
    tls_client_stop(&good);
    daemon_wait_links(alone, 0);
    assert_id_refused("mallory", fake_node); // docad waits for it
}
END_TEST

// However many ids it takes before: one certificate has one link, and one id.
START_TEST(the_id_of_another_node_after_many_of_its_own)
{
    struct tls_client good, bad[70];
    uint8_t id[NODE_ID_SIZE] = "one of mallory's";
    docactl_done("certificates", "node", "mallory", temp_path("good").s);
    link_as(&good, "dpu", fake_node);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        id[0] = (uint8_t)i;
        link_as(&bad[i], "mallory", id);
    }
    daemon_wait_links(alone, 2);
    for (size_t i = 0; i + 1 < ARRAY_SIZE(bad); i++)
        assert_link_ends(&bad[i]);
    assert_id_refused("mallory", fake_node);
    daemon_wait_links(alone, 2);
    settle(&bad[ARRAY_SIZE(bad) - 1]);
    settle(&good);
    tls_client_stop(&bad[ARRAY_SIZE(bad) - 1]);
    tls_client_stop(&good);
}
END_TEST

// Objects that the node had under its first id are not waited for, and not given to it either.
START_TEST(another_id_ends_what_a_node_had)
{
    uint8_t first[NODE_ID_SIZE] = "first", second[NODE_ID_SIZE] = "second";
    struct tls_client client, again;
    struct raw_session s = session_start(alone);
    for (int linked = 0; linked < 2; linked++) {
        link_as(&client, "dpu", first);
        publish_as(&client, "name");
        if (!linked)
            tls_client_stop(&client);
        daemon_wait_links(alone, (unsigned)linked);
        ck_assert_success(lookup(s.sock, "name", 0));
        link_as(&again, "dpu", second);
        settle(&again);
        assert_refused(lookup(s.sock, "name", 0), DOCA_ERROR_NOT_FOUND, "a name of the first id");
        daemon_wait_links(alone, 1);
        if (linked)
            assert_link_ends(&client);
        tls_client_stop(&again);
        daemon_wait_links(alone, 0);
    }
    session_end(&s);
}
END_TEST

// A node whose machine is slow gives up its attempt to link when this side is linked already: it
// closes what it has not read, and the kernel tells that by a reset. It tries again.
START_TEST(a_node_that_gives_up_an_attempt_is_waited_for)
{
    struct linger reset = {.l_onoff = 1};
    struct tls_client client;
    struct raw_session s = session_start(alone);
    keeps_nothing = true;
    link_as(&client, "dpu", fake_node);
    publish_as(&client, "name");
    setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    tls_client_stop(&client);
    daemon_wait_logged(alone, "is down: Connection reset by peer; waiting for it to come back");
    ck_assert_success(lookup(s.sock, "name", 0));
    link_as(&client, "dpu", fake_node);
    settle(&client);
    tls_client_stop(&client);
    daemon_wait_links(alone, 0);
    session_end(&s);
}
END_TEST

// The next docad keeps to whose ids they are.
START_TEST(ids_stay_theirs_over_a_restart)
{
    uint8_t own[NODE_ID_SIZE] = "mallory's own", other[NODE_ID_SIZE] = "not mallory's";
    struct tls_plan plan = {.role = "host", .certificates = "good"};
    struct daemon_options options = tls_options(&plan, "good/host.conf");
    struct tls_client good, bad;
    docactl_done("certificates", "node", "mallory", temp_path("good").s);
    options.run = manager_run;
    struct daemon *daemon = daemon_start(&options);
    link_as(&good, "dpu", fake_node);
    link_as(&bad, "mallory", own);
    publish_as(&bad, "name");
    manager_restart(daemon, SIGTERM);
    assert_link_ends(&good);
    assert_link_ends(&bad);
    assert_id_refused("mallory", fake_node);
    link_as(&bad, "mallory", other);
    settle(&bad);
    link_as(&good, "dpu", fake_node);
    settle(&good);
    daemon_wait_links(daemon, 2);
    manager_wait_kept(daemon, 3); // the node's own record, and those of the two
    tls_client_stop(&bad);
    tls_client_stop(&good);
    daemon_stop(daemon);
}
END_TEST

// One machine with nothing to show keeps no other one out.
START_TEST(many_links_without_a_certificate)
{
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("127.77.7.7")},
                       to = {.sin_family = AF_INET, .sin_port = htons(TLS_PORT)};
    struct tls_client good;
    int strangers[80];
    ck_assert_int_eq(inet_pton(AF_INET, tls_host_ip, &to.sin_addr), 1);
    for (size_t i = 0; i < ARRAY_SIZE(strangers); i++) {
        strangers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ck_assert_int_eq(bind(strangers[i], (struct sockaddr *)&from, sizeof(from)), 0);
        ck_assert_int_eq(connect(strangers[i], (struct sockaddr *)&to, sizeof(to)), 0);
    }
    daemon_wait_metric(alone, "docad_links_refused_total{reason=\"crowd\"}",
                       ARRAY_SIZE(strangers) - 8);
    link_as(&good, "dpu", fake_node);
    tls_client_stop(&good);
    for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
        close(strangers[i]);
}
END_TEST

// They keep nobody else out.
START_TEST(many_links_without_a_hello)
{
    struct tls_client silent[8], good;
    docactl_done("certificates", "node", "mallory", temp_path("good").s);
    for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
        connect_as(&silent[i], "mallory");
    daemon_wait_metric(alone, "docad_links_refused_total{reason=\"silence\"}", 4);
    link_as(&good, "dpu", fake_node);
    daemon_wait_links(alone, 1);
    for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
        tls_client_stop(&silent[i]);
    tls_client_stop(&good);
}
END_TEST

// ---- clients here ---------------------------------------------------------------------------

// docad accepts nothing more from their user, which is its own: a link carries no descriptors,
// and continues.
START_TEST(clients_whose_descriptors_do_not_close)
{
    int fds[80]; // more than it takes
    struct hanging hanging;
    struct tls_client client;
    link_as(&client, "dpu", fake_node);
    if (!hanging_open_many(&hanging, fds, ARRAY_SIZE(fds))) {
        tls_client_stop(&client);
        return;
    }
    daemon_freeze(alone); // so that its close is the last one
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        cleanup_fd int sock = raw_connect(alone->socket.s);
        ck_assert_int_eq(packet_send(sock, "\xff", 1, &fds[i], 1, 0), 0);
        close_fdp(&fds[i]);
    }
    daemon_thaw(alone);
    // After some seconds, and when the log takes lines again.
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(alone, "sent file descriptors that ")) { // do not, or cannot, close
        cleanup_fd int sock = raw_connect(alone->socket.s);
        char byte = 'x';
        send(sock, &byte, 1, MSG_NOSIGNAL); // unless it was dropped at once
        ck_assert_int_le(recv(sock, &byte, 1, 0), 0);
        ck_assert(deadline_pause(deadline));
    }
    settle(&client);
    tls_client_stop(&client);
    hanging_end(&hanging);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("links");
    TCase *good = tcase_create("good"), *strangers = tcase_create("strangers");

    tcase_add_unchecked_fixture(good, certificates_prepare, NULL);
    tcase_add_checked_fixture(good, tls_setup, teardown);
    tcase_add_test(good, links_and_shows_what_is_there);
    tcase_add_test(good, comes_back_after_either_side_was_restarted);
    tcase_add_test(good, carries_many_messages_in_order_and_without_loss);
    tcase_add_test(good, stops_while_bytes_arrive);
    tcase_add_test(good, carries_bytes_both_ways);
    tcase_add_test(good, printed_configuration_is_the_same_one);
    suite_add_tcase(suite, good);
    tcase_add_unchecked_fixture(strangers, certificates_prepare, NULL);
    tcase_add_checked_fixture(strangers, setup_alone, teardown);
    tcase_add_test(strangers, no_tls_at_all);
    tcase_add_test(strangers, tls_without_a_certificate);
    tcase_add_test(strangers, sizes_that_no_message_has);
    tcase_add_test(strangers, a_client_program_from_another_machine);
    tcase_add_test(strangers, the_id_of_another_node);
    tcase_add_test(strangers, the_id_of_another_node_after_many_of_its_own);
    tcase_add_test(strangers, another_id_ends_what_a_node_had);
    tcase_add_test(strangers, a_node_that_gives_up_an_attempt_is_waited_for);
    tcase_add_test(good, ids_stay_theirs_over_a_restart);
    tcase_add_test(strangers, many_links_without_a_certificate);
    tcase_add_test(strangers, many_links_without_a_hello);
    tcase_add_test(strangers, clients_whose_descriptors_do_not_close);
    suite_add_tcase(suite, strangers);
    return run_suite(suite);
}
