// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Daemons on different machines accept certificates: good ones, not bad ones, and ones that change
// while docad runs, and revoked ones.

#include "tls_nodes.h"

#include "child.h"
#include "cleanup.h"
#include "message.h"
#include "protocol.h"
#include "text_names.h"
#include "tls_client.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct command_result result;

// Fails with this status.
static void docactl_refused(int status, const char *command, const char *name)
{
    const char *const argv[] = {"docactl", "certificates",      command,
                                name,      temp_path("good").s, NULL};
    command_run(NULL, argv, &result);
    ck_assert_msg(result.status == status, "%s %s: %d", command, name, result.status);
}

static void reload(const struct daemon *daemon)
{
    command_run(daemon, (const char *const[]){"docactl", "reload", NULL}, &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
}

// ---- changed ------------------------------------------------------------------------------

// A link that is up stays; the next one uses the certificates that are there now.
START_TEST(reload_takes_new_certificates)
{
    struct node_pair nodes = tls_nodes_start();
    struct path crt = certificates_file("good", "host.crt"),
                key = certificates_file("good", "host.key");
    certificates_make("bad");
    ck_assert_int_eq(rename(certificates_file("bad", "host.crt").s, crt.s), 0);
    reload(nodes.host);
    daemon_wait_logged(nodes.host, "the certificates are unchanged"); // the key is another's
    daemon_wait_links(nodes.dpu, 1);
    ck_assert_int_eq(rename(certificates_file("bad", "host.key").s, key.s), 0);
    reload(nodes.host);
    daemon_wait_links(nodes.dpu, 1);
    daemon_kill(nodes.dpu);
    daemon_wait_links(nodes.host, 0);
    daemon_restart(nodes.dpu);
    daemon_wait_metric(nodes.dpu, "docad_dials_failed_total", 1);
    daemon_wait_links(nodes.dpu, 0);
}
END_TEST

// ---- bad certificates ---------------------------------------------------------------------

// `refused`: why the host refuses it, or NULL. Returns the DPU's daemon.
static struct daemon *assert_never_linked(const struct tls_plan *dpu_plan, const char *refused)
{
    char name[80];
    struct daemon *host =
        tls_node_start(&(struct tls_plan){.role = "host", .certificates = "good"});
    struct daemon *dpu = tls_node_start(dpu_plan);
    daemon_wait_metric(dpu, "docad_dials_failed_total", 2);
    snprintf(name, sizeof(name), "docad_links_refused_total{reason=\"%s\"}", refused);
    if (refused)
        daemon_wait_metric(host, name, 1);
    daemon_wait_links(host, 0);
    daemon_wait_links(dpu, 0);
    return dpu;
}

START_TEST(an_authority_that_the_dialler_does_not_know)
{
    certificates_make("bad");
    assert_never_linked(&(struct tls_plan){.role = "dpu", .certificates = "bad", .dial = "host"},
                        "handshake");
}
END_TEST

START_TEST(an_authority_that_the_other_side_does_not_know)
{
    certificates_make("bad");
    struct daemon *dpu = assert_never_linked(
        &(struct tls_plan){
            .role = "dpu", .certificates = "bad", .authority_dir = "good", .dial = "host"},
        "handshake");
    ck_assert(daemon_logged(dpu, "authority"));
}
END_TEST

START_TEST(a_node_with_the_certificate_of_another)
{
    assert_never_linked(
        &(struct tls_plan){
            .role = "dpu", .certificates = "good", .certificate = "host", .dial = "host"},
        "hello");
}
END_TEST

START_TEST(another_node_than_the_one_that_was_dialled)
{
    docactl_done("certificates", "node", "host2", temp_path("good").s);
    assert_never_linked(&(struct tls_plan){.role = "dpu", .certificates = "good", .dial = "host2"},
                        NULL);
}
END_TEST

// ---- files that are wrong ---------------------------------------------------------------------

START_TEST(files_that_cannot_be_used)
{
    struct tls_plan plan = {.role = "host", .certificates = "good"};
    certificates_make("bad");
    chmod(certificates_file("good", "host.key").s, 0644);
    tls_assert_start_refused(&plan, "host.key");
    chmod(certificates_file("good", "host.key").s, 0600);
    ck_assert_int_eq(
        rename(certificates_file("bad", "host.key").s, certificates_file("good", "host.key").s), 0);
    tls_assert_start_refused(&plan, "host.key");
    plan.certificate = "nobody";
    tls_assert_start_refused(&plan, "nobody.crt");
}
END_TEST

// Checks the files before anything is started. Each file is reported, whatever is wrong with
// others.
static void check_config(const struct tls_plan *plan, int status, const char *first,
                         const char *second)
{
    struct daemon_options options = tls_options(plan, "good/checked.conf");
    command_run(NULL,
                (const char *[]){"docad", "--socket", "/s", "--config", options.config,
                                 "--check-config", NULL},
                &result);
    ck_assert_msg(result.status == status, "%d: %s", result.status, result.err);
    ck_assert_msg(!first || text_names(result.err, first), "%s", result.err);
    ck_assert_msg(!second || text_names(result.err, second), "%s", result.err);
}

START_TEST(files_are_looked_at_by_check_config)
{
    struct tls_plan plan = {.role = "host", .certificates = "good", .revoked_dir = "good"};
    docactl_done("certificates", "node", "old", temp_path("good").s);
    docactl_done("certificates", "revoke", "old", temp_path("good").s);
    check_config(&plan, 0, NULL, NULL);
    chmod(certificates_file("good", "host.key").s, 0644);
    check_config(&plan, 2, "host.key", NULL);
    chmod(certificates_file("good", "host.key").s, 0600);
    certificates_make("bad");
    plan.authority_dir = "nowhere";
    ck_assert_int_eq(
        rename(certificates_file("bad", "host.key").s, certificates_file("good", "host.key").s), 0);
    check_config(&plan, 2, "host.key", "nowhere/authority.crt");
    plan.certificate = "nobody";
    check_config(&plan, 2, "nobody.crt", "nobody.key");
    plan = (struct tls_plan){.role = "dpu", .certificates = "good", .revoked_dir = "nowhere"};
    check_config(&plan, 2, "nowhere", NULL);
    // Other nodes would refuse it.
    plan = (struct tls_plan){.role = "host", .certificates = "bad", .certificate = "dpu"};
    check_config(&plan, 2, "dpu.crt", "\"host\"");
}
END_TEST

// What `docactl check` finds about the certificate.
static void assert_check(const struct daemon *daemon, const char *verdict, const char *found)
{
    char line[128];
    command_run(daemon, (const char *const[]){"docactl", "check", NULL}, &result);
    snprintf(line, sizeof(line), "certificate");
    const char *row = strstr(result.out, line);
    ck_assert_msg(row, "%s%s", result.out, result.err);
    snprintf(line, sizeof(line), "%.*s", (int)strcspn(row, "\n"), row);
    ck_assert_msg(strstr(line, verdict) && strstr(line, found), "%s", line);
}

START_TEST(a_certificate_that_expires_is_renewed)
{
    struct path crt = certificates_file("good", "host.crt"),
                key = certificates_file("good", "host.key");
    struct stat before, after;
    unlink(crt.s);
    docactl_refused(1, "renew", "missing");
    ck_assert_ptr_nonnull(strstr(result.err, "certificates node missing"));
    unlink(key.s);
    const char *const make[] = {"docactl", "certificates",      "node", "--days", "3",
                                "host",    temp_path("good").s, NULL};
    command_run(NULL, make, &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    struct node_pair nodes = tls_nodes_start();
    assert_check(nodes.host, "warning", "valid for");
    assert_check(nodes.dpu, "ok", "valid for 82");
    uint64_t expires = (uint64_t)daemon_metric(nodes.host, "docad_certificate_expires_seconds");
    // The other side sees it, too: not quite three days, or three in the second in which it was
    // made.
    command_run(nodes.dpu, (const char *const[]){"docactl", "check", NULL}, &result);
    ck_assert_msg(strstr(result.out, "node host's certificate is valid for 2 days") ||
                      strstr(result.out, "node host's certificate is valid for 3 days"),
                  "%s", result.out);
    command_run(nodes.dpu,
                (const char *const[]){"docactl", "peers", "-o", "certificate_valid_ms", NULL},
                &result);
    ck_assert_msg(strstr(result.out, "2 d") || strstr(result.out, "2d") ||
                      strstr(result.out, "3 d") || strstr(result.out, "3d"),
                  "%s", result.out);
    command_run(nodes.dpu, (const char *const[]){"docactl", "metrics", NULL}, &result);
    ck_assert_msg(strstr(result.out, "docad_peer_certificate_expires_seconds{peer=\"host\","), "%s",
                  result.out);
    ck_assert_int_eq(stat(key.s, &before), 0);
    docactl_done("certificates", "renew", "host", temp_path("good").s);
    ck_assert_int_eq(stat(key.s, &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    reload(nodes.host);
    assert_check(nodes.host, "ok", "valid for 82");
    ck_assert_uint_gt(daemon_metric(nodes.host, "docad_certificate_expires_seconds"),
                      expires + 800u * 86400);
    daemon_wait_links(nodes.dpu, 1);
    daemon_kill(nodes.dpu);
    daemon_restart(nodes.dpu);
    daemon_wait_links(nodes.dpu, 1); // with the new one
}
END_TEST

START_TEST(certificates_are_not_overwritten)
{
    struct stat before, after;
    ck_assert_int_eq(stat(certificates_file("good", "host.key").s, &before), 0);
    docactl_refused(1, "node", "host");
    ck_assert_int_eq(stat(certificates_file("good", "host.key").s, &after), 0);
    ck_assert_int_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(before.st_mode & 0777, 0600);
    for (const char *const *name = (const char *const[]){"", "a b", "authority", "../x", NULL};
         *name; name++)
        docactl_refused(2, "node", *name);
}
END_TEST

// ---- revoked ------------------------------------------------------------------------------

static void put_in_list(const char *name)
{
    docactl_done("certificates", "revoke", name, temp_path("good").s);
}

// How many lines of its log have this text.
static unsigned count_logged(const struct daemon *daemon, const char *text)
{
    cleanup_file FILE *file = fopen(daemon->log.s, "re");
    char line[1024];
    unsigned n = 0;

    while (file && fgets(line, sizeof(line), file))
        n += strstr(line, text) != NULL;
    return n;
}

// The link ends at once, nothing waits for it to come back, and it does not come back.
START_TEST(a_revoked_certificate)
{
    docactl_done("certificates", "node", "old", temp_path("good").s);
    put_in_list("old");
    struct daemon *host = tls_node_start(
        &(struct tls_plan){.role = "host", .certificates = "good", .revoked_dir = "good"});
    struct daemon *dpu =
        tls_node_start(&(struct tls_plan){.role = "dpu", .certificates = "good", .dial = "host"});
    daemon_wait_links(host, 1);
    daemon_wait_links(dpu, 1);
    reload(host); // nothing new
    daemon_wait_links(host, 1);
    put_in_list("dpu");
    reload(host);
    daemon_wait_links(host, 0);
    ck_assert(!daemon_logged(host, "waiting for it to come back"));
    daemon_wait_metric(host, "docad_links_refused_total{reason=\"handshake\"}", 1);
    daemon_wait_metric(dpu, "docad_dials_failed_total", 1);
    ck_assert(daemon_logged(dpu, "revoked")); // the node is told why
    // It dials again and again: one line, with its name, and a count.
    daemon_wait_metric(host, "docad_links_refused_total{reason=\"handshake\"}", 3);
    daemon_wait_metric(
        host, "docad_links_refused_by_total{dialler=\"127.0.0.1\",reason=\"handshake\"}", 3);
    ck_assert_uint_eq(count_logged(host, "a link from another machine"), 1);
    ck_assert_uint_eq(count_logged(host, "certificate (node dpu) is refused"), 1);
    daemon_assert_alive(host);
}
END_TEST

static void send_hello(struct tls_client *client)
{
    Docad__PeerHello hello = fake_hello_fields();
    Docad__Message message = DOCAD__MESSAGE__INIT;
    hello.name = hello.role = (char *)"dpu";
    message.serial = 1;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO;
    message.peer_hello = &hello;
    tls_client_send(client, &message);
}

// A node that has shown its certificate, but has not sent hello yet, is too late.
START_TEST(revoked_before_the_hello)
{
    docactl_done("certificates", "node", "old", temp_path("good").s);
    put_in_list("old");
    struct daemon *host = tls_node_start(
        &(struct tls_plan){.role = "host", .certificates = "good", .revoked_dir = "good"});
    struct tls_client client;
    ck_assert(tls_client_start(&client, tls_host_ip, TLS_PORT,
                               certificates_file("good", "dpu.crt").s,
                               certificates_file("good", "dpu.key").s));
    tls_client_wait_accepted(&client);
    put_in_list("dpu");
    reload(host);
    send_hello(&client);
    cleanup_message Docad__Message *reply = tls_client_receive(&client);
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_ERROR);
    ck_assert_str_eq(reply->error->text, "the certificate of node dpu has been revoked");
    ck_assert_ptr_null(tls_client_receive(&client));
    tls_client_stop(&client);
    ck_assert_uint_eq(daemon_metric(host, "docad_links_refused_total{reason=\"hello\"}"), 1);
    daemon_assert_alive(host);
}
END_TEST

static X509 *read_certificate(const char *name)
{
    FILE *file = fopen(certificates_file("good", name).s, "r");
    ck_assert_ptr_nonnull(file);
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    ck_assert_ptr_nonnull(certificate);
    fclose(file);
    return certificate;
}

static X509_REVOKED *new_entry(const X509 *certificate, ASN1_TIME *when)
{
    ASN1_INTEGER *serial = ASN1_INTEGER_dup(X509_get0_serialNumber(certificate));
    X509_REVOKED *entry = X509_REVOKED_new();
    ck_assert_int_eq(X509_REVOKED_set_serialNumber(entry, serial), 1);
    ck_assert_int_eq(X509_REVOKED_set_revocationDate(entry, when), 1);
    ASN1_INTEGER_free(serial);
    return entry;
}

// Makes the list as other tools do, with a date by which there should have been another one.
static void make_outdated_list(const char *revoked)
{
    X509 *issuer = read_certificate("authority.crt"), *certificate = read_certificate(revoked);
    FILE *file = fopen(certificates_file("good", "authority.key").s, "r");
    ck_assert_ptr_nonnull(file);
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    ASN1_TIME *since = X509_gmtime_adj(NULL, -7200), *until = X509_gmtime_adj(NULL, -3600);
    X509_CRL *list = X509_CRL_new();
    X509_CRL_set_version(list, X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer));
    X509_CRL_set1_lastUpdate(list, since);
    X509_CRL_set1_nextUpdate(list, until);
    X509_CRL_add0_revoked(list, new_entry(certificate, since));
    ck_assert_int_gt(X509_CRL_sign(list, key, EVP_sha256()), 0);
    file = fopen(certificates_file("good", "authority.crl").s, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(PEM_write_X509_CRL(file, list), 1);
    fclose(file);
    X509_CRL_free(list);
    ASN1_TIME_free(since);
    ASN1_TIME_free(until);
    EVP_PKEY_free(key);
    X509_free(certificate);
    X509_free(issuer);
}

// Certificates in a list stay revoked when the list is out of date.
START_TEST(revoked_by_an_outdated_list)
{
    docactl_done("certificates", "node", "old", temp_path("good").s);
    put_in_list("old");
    struct daemon *host = tls_node_start(
        &(struct tls_plan){.role = "host", .certificates = "good", .revoked_dir = "good"});
    tls_node_start(&(struct tls_plan){.role = "dpu", .certificates = "good", .dial = "host"});
    daemon_wait_links(host, 1);
    make_outdated_list("dpu.crt");
    reload(host);
    daemon_wait_links(host, 0);
}
END_TEST

// The same if the node that dials knows of the revocation.
START_TEST(a_revoked_certificate_of_the_other_side)
{
    put_in_list("host");
    struct daemon *host =
        tls_node_start(&(struct tls_plan){.role = "host", .certificates = "good"});
    struct daemon *dpu = tls_node_start(&(struct tls_plan){
        .role = "dpu", .certificates = "good", .dial = "host", .revoked_dir = "good"});
    daemon_wait_metric(dpu, "docad_dials_failed_total", 2);
    daemon_wait_links(host, 0);
}
END_TEST

START_TEST(lists_that_cannot_be_used)
{
    struct tls_plan plan = {.role = "host", .certificates = "good", .revoked_dir = "good"};
    tls_assert_start_refused(&plan, "authority.crl");
    temp_file("good/authority.crl", "no list");
    tls_assert_start_refused(&plan, "authority.crl");
    certificates_make("bad");
    docactl_done("certificates", "revoke", "dpu", temp_path("bad").s);
    plan.revoked_dir = "bad";
    tls_assert_start_refused(&plan, "authority.crl");
}
END_TEST

START_TEST(lists_grow)
{
    docactl_done("certificates", "node", "other", temp_path("good").s);
    put_in_list("dpu");
    docactl_refused(1, "revoke", "dpu"); // already
    docactl_refused(1, "revoke", "nobody");
    docactl_refused(2, "revoke", "authority");
    const char *const argv[] = {"docactl",           "--json", "certificates", "revoke", "other",
                                temp_path("good").s, NULL};
    command_run(NULL, argv, &result);
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(text_names(result.out, "\"entries\":2"), "%s", result.out);
    // Neither another authority's certificate nor a list that the authority has not made is
    // accepted.
    certificates_make("bad");
    ck_assert_int_eq(
        rename(certificates_file("bad", "host.crt").s, certificates_file("good", "alien.crt").s),
        0);
    docactl_refused(1, "revoke", "alien");
    docactl_done("certificates", "revoke", "dpu", temp_path("bad").s);
    ck_assert_int_eq(rename(certificates_file("bad", "authority.crl").s,
                            certificates_file("good", "authority.crl").s),
                     0);
    docactl_refused(1, "revoke", "host");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificates");
    TCase *tcase = tcase_create("certificates");

    tcase_add_unchecked_fixture(tcase, certificates_prepare, NULL);
    tcase_add_checked_fixture(tcase, tls_setup, tls_teardown);
    tcase_add_test(tcase, reload_takes_new_certificates);
    tcase_add_test(tcase, an_authority_that_the_dialler_does_not_know);
    tcase_add_test(tcase, an_authority_that_the_other_side_does_not_know);
    tcase_add_test(tcase, a_node_with_the_certificate_of_another);
    tcase_add_test(tcase, another_node_than_the_one_that_was_dialled);
    tcase_add_test(tcase, files_that_cannot_be_used);
    tcase_add_test(tcase, files_are_looked_at_by_check_config);
    tcase_add_test(tcase, a_certificate_that_expires_is_renewed);
    tcase_add_test(tcase, certificates_are_not_overwritten);
    tcase_add_test(tcase, a_revoked_certificate);
    tcase_add_test(tcase, revoked_before_the_hello);
    tcase_add_test(tcase, revoked_by_an_outdated_list);
    tcase_add_test(tcase, a_revoked_certificate_of_the_other_side);
    tcase_add_test(tcase, lists_that_cannot_be_used);
    tcase_add_test(tcase, lists_grow);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
