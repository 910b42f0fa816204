// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_setting.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT 18571

struct daemon *rc_host;
struct far_node rc_far;
struct raw_session rc_owner;
uint8_t rc_memory[QP_CHUNK_SIZE];
uint32_t rc_key;

static const char *device;
static char ip[32]; // of docad

static void docactl(const char *a, const char *b, const char *c, const char *d)
{
    static struct command_result result;
    command_run(NULL, (const char *const[]){"docactl", a, b, c, d, NULL}, &result);
    ck_assert_msg(result.status == 0, "docactl %s %s: %s", a, b, result.err);
}

static void start_daemon(void)
{
    struct path keys = temp_path("keys");
    char text[2048];
    docactl("certificates", "authority", keys.s, NULL);
    docactl("certificates", "node", "host", keys.s);
    docactl("certificates", "node", "dpu", keys.s);
    docactl("certificates", "node", "other", keys.s);
    int n = snprintf(text, sizeof(text),
                     "tls {\n    listen = \"%s:%d\"\n    certificate = \"%s/host.crt\"\n"
                     "    key = \"%s/host.key\"\n    authority = \"%s/authority.crt\"\n}\n",
                     ip, PORT, keys.s, keys.s, keys.s);
    ck_assert_int_lt(n, (int)sizeof(text));
    struct path config = temp_file("keys/host.conf", text);
    rc_host = daemon_start(&(struct daemon_options){.config = config.s});
}

// The far node has imported the program's memory.
static void export_memory(void)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    struct export_desc desc;
    struct errtext err;
    rc_owner = session_start(rc_host);
    uint32_t pf0 = open_function(rc_owner.sock, "pf0");
    uint64_t region = register_brokered(rc_owner.sock, rc_memory, sizeof(rc_memory),
                                        DOCA_ACCESS_DPU_READ_WRITE, pf0);
    struct descriptor d = export_to(rc_owner.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, &err), DOCA_SUCCESS);
    import.export_id = desc.export_id;
    import.token = (ProtobufCBinaryData){sizeof(desc.token), desc.token};
    import.function_pci = (char *)"0000:99:00.0";
    import.importer = 7;
    import.pid = (uint32_t)getpid();
    ck_assert_msg(far_call(&rc_far, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import) == DOCA_SUCCESS,
                  "%s", answer->error->text);
    rc_key = answer->peer_import_reply->grant_key;
}

void rc_link(struct far_node *node, const char *name, const uint8_t id[NODE_ID_SIZE])
{
    far_start(node, name, id, device, ip, PORT, temp_path("keys").s);
}

static void setup(void)
{
    unsigned pid = (unsigned)getpid();
    env_setup();
    snprintf(ip, sizeof(ip), "127.%u.%u.%u", 1 + (pid >> 16) % 250, (pid >> 8) & 255,
             1 + pid % 250);
    start_daemon();
    rc_link(&rc_far, "dpu", fake_node);
    export_memory();
    for (size_t i = 0; i < sizeof(rc_memory); i++)
        rc_memory[i] = (uint8_t)(i * 7 + 1);
}

static void teardown(void)
{
    daemon_assert_alive(rc_host);
    session_end(&rc_owner);
    far_stop(&rc_far);
    assert_baseline(rc_host);
    remove_tree(temp_path("keys").s);
    env_teardown();
}

// How often docad's log has this text.
static unsigned logged(const char *text)
{
    cleanup_file FILE *log = fopen(rc_host->log.s, "re");
    char line[1024];
    unsigned n = 0;
    ck_assert_ptr_nonnull(log);
    while (fgets(line, sizeof(line), log))
        n += strstr(line, text) != NULL;
    return n;
}

void rc_assert_logged_once(const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (logged(text) == 0)
        ck_assert_msg(deadline_pause(deadline), "never logged: %s", text);
    ck_assert_msg(logged(text) == 1, "logged %u times: %s", logged(text), text);
}

void rc_remove_device(void)
{
    execlp("rdma", "rdma", "link", "delete", device, NULL);
}

int rc_run(const char *name, const TTest *const tests[], size_t n)
{
    device = getenv("DOCAD_TEST_FUNCTION");
    if (!device) {
        printf("SKIPPED: %s: DOCAD_TEST_FUNCTION names no ibverbs device; see "
               "tests/vm/tests/rc-hostile\n",
               name);
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 300);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
