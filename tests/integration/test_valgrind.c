// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Both daemons under valgrind through start, traffic and stop: no invalid access, no leak.
// The daemons' exit status, which the harness checks, is valgrind's verdict.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "run.h"

#include <string.h>

static struct daemon *host_daemon, *dpu_daemon;

static struct daemon *start(const char *role, const char *peer)
{
    return daemon_start(&(struct daemon_options){
        .role = role,
        .peers = {peer},
        .wrapper = {"valgrind", "--error-exitcode=99", "--leak-check=full",
                    "--errors-for-leak-kinds=definite,indirect,possible", "--num-callers=30",
                    "--child-silent-after-fork=yes"},
    });
}

static void setup(void)
{
    env_setup();
    host_daemon = start("host", NULL);
    dpu_daemon = start("dpu", host_daemon->socket.s);
    daemon_wait_links(host_daemon, 1);
    daemon_wait_links(dpu_daemon, 1);
}

static int host(struct child *self, void *arg)
{
    struct exporter mapped, brokered;
    (void)arg;
    exporter_start(&mapped, HOST_PF0, pages_new(BROKERED_SIZE), BROKERED_SIZE,
                   DOCA_ACCESS_DPU_READ_WRITE);
    exporter_start(&brokered, HOST_PF1, brokered_memory, BROKERED_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    ck_assert_success(docad_export_publish("mapped", mapped.desc, mapped.desc_len));
    ck_assert_success(docad_export_publish("brokered", brokered.desc, brokered.desc_len));
    child_tell(self, "published");
    child_wait(self, "copied");
    exporter_stop(&mapped);
    child_wait(self, "done");
    exporter_stop(&brokered);
    return 0;
}

static void copy_published(const char *name, const char *pci_address, bool writable)
{
    struct copier c;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    copier_start(&c, pci_address, BROKERED_SIZE);
    ck_assert_success(docad_export_lookup(name, 10000, desc, &size));
    copier_import(&c, desc, size);
    ck_assert_success(copier_read(&c, 0, BROKERED_SIZE));
    ck_assert_error(copier_write(&c, 1, 1000), writable ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
    copier_stop(&c);
}

static int dpu(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    copy_published("mapped", DPU_P0, true);
    copy_published("brokered", DPU_P1, false);
    return 0;
}

// Refused requests have their own ways through the code.
static int is_refused(struct child *self, void *arg)
{
    struct doca_mmap *map = NULL;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    (void)self;
    (void)arg;
    struct doca_dev *dev = client_open(DPU_P0);
    ck_assert_error(docad_export_lookup("nothing", 10, desc, &size), DOCA_ERROR_TIME_OUT);
    ck_assert_success(docad_export_lookup("brokered", 10000, desc, &size));
    ck_assert_error(doca_mmap_create_from_export(NULL, desc, size, dev, &map),
                    DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_mmap_create_from_export(NULL, desc, size - 1, dev, &map),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(traffic)
{
    struct child *exporter = child_start(host_daemon, "host", host, NULL);
    child_wait(exporter, "published");
    child_join(child_start(dpu_daemon, "dpu", dpu, NULL));
    child_join(child_start(dpu_daemon, "refused", is_refused, NULL));
    child_tell(exporter, "copied");
    child_tell(exporter, "done");
    child_join(exporter);
    assert_baseline(host_daemon);
    assert_baseline(dpu_daemon);
}
END_TEST

START_TEST(killed_clients)
{
    struct child *exporter = child_start(host_daemon, "host", host, NULL);
    child_wait(exporter, "published");
    child_join(child_start(dpu_daemon, "dpu", dpu, NULL));
    child_kill(exporter);
    assert_baseline(host_daemon);
    assert_baseline(dpu_daemon);
}
END_TEST

int main(void)
{
    if (system("valgrind --version >/dev/null 2>&1") != 0) {
        puts("SKIPPED: valgrind test: valgrind is not installed; tests/install-packages --full");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("valgrind");
    TCase *tcase = tcase_create("valgrind");
    tcase_add_checked_fixture(tcase, setup, env_teardown);
    tcase_add_test(tcase, traffic);
    tcase_add_test(tcase, killed_clients);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
