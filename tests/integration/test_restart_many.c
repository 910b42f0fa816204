// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Many sessions with many objects each, whose docad is restarted. Without numbers of its own this
// is a test that counts. $DOCAD_TEST_SESSIONS and $DOCAD_TEST_EXPORTS (of each session) set
// others, and then it also tells how long everything took.

#include "protocol.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "restarts.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define EXPORTS_OF_A_REGION 50

static unsigned number(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void tell(const char *what, double us)
{
    if (getenv("DOCAD_TEST_SESSIONS"))
        fprintf(stderr, "%-44s %12.1f us\n", what, us);
}

// The processor time of docad so far: a busy machine does not count.
static double cpu_us(const struct daemon *daemon)
{
    char path[64];
    int pid = 0;
    unsigned long long user = 0, system = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)daemon->pid, (int)daemon->pid);
    cleanup_file FILE *children = fopen(path, "re");
    if (!children || fscanf(children, "%d", &pid) != 1)
        return 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    cleanup_file FILE *stat = fopen(path, "re");
    if (!stat || fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
                        &user, &system) != 2)
        return 0;
    return (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

static struct daemon *start(void)
{
    struct path path = log_path("many.conf");
    cleanup_file FILE *file = fopen(path.s, "we");
    struct rlimit files;

    ck_assert_ptr_nonnull(file);
    fprintf(file, "limits { sessions_per_uid = 100000\n descriptors = 1000000\n "
                  "descriptors_per_uid = 1000000\n"
                  " regions_per_session = 100000\n exports_per_session = 100000\n }\n");
    fflush(file);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    return restartable_start("host", NULL, path.s);
}

struct owner {
    int sock;
    uint32_t function;
    uint64_t region; // its last one
    uint64_t asked;  // the request that waits for its answer
};

static void fill(struct owner *owners, unsigned n, unsigned exports, const struct daemon *daemon)
{
    double begun = now_us(), cpu = cpu_us(daemon);
    for (unsigned i = 0; i < n; i++) {
        owners[i].sock = session_connect(daemon, "many");
        owners[i].function = open_function(owners[i].sock, "pf0");
    }
    tell("a session", (now_us() - begun) / n);
    tell("  of that, docad's processor time", (cpu_us(daemon) - cpu) / n);
    cpu = cpu_us(daemon);
    unsigned regions = (exports + EXPORTS_OF_A_REGION - 1) / EXPORTS_OF_A_REGION;
    begun = now_us();
    for (unsigned r = 0; r < regions; r++)
        for (unsigned i = 0; i < n; i++)
            owners[i].region =
                register_mapped(owners[i].sock, 4096, DOCA_ACCESS_RDMA_READ, owners[i].function);
    tell("a region (with a memory file made for it)", (now_us() - begun) / n / regions);
    tell("  of that, docad's processor time", (cpu_us(daemon) - cpu) / n / regions);
    begun = now_us();
    cpu = cpu_us(daemon);
    for (unsigned i = 0; i < n; i++)
        for (unsigned e = 0; e < exports; e++) {
            make_export(owners[i].sock, owners[i].region, owners[i].function,
                        DOCAD__EXPORT_TARGET__TARGET_RDMA);
            answer_drop();
        }
    tell("an export", (now_us() - begun) / n / exports);
    tell("  of that, docad's processor time", (cpu_us(daemon) - cpu) / n / exports);
}

static unsigned count_kept(unsigned n, unsigned exports)
{
    unsigned regions = (exports + EXPORTS_OF_A_REGION - 1) / EXPORTS_OF_A_REGION;
    return 1 + n * (1 + regions + exports); // and the node's own record
}

// Each session asks while docad is away, and has its answer when the next one is there.
static void ask_all(struct owner *owners, unsigned n)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    for (unsigned i = 0; i < n; i++)
        owners[i].asked = post(owners[i].sock, DOCAD__MESSAGE__BODY_STATUS, &status);
}

static void ask_again(const struct owner *owner, uint32_t restart_number)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = owner->asked;
    message.again = restart_number;
    message.body_case = DOCAD__MESSAGE__BODY_STATUS;
    message.status = &status;
    ck_assert_int_eq(message_send(owner->sock, &message, NULL, 0, 0), 0);
}

static void await_all(const struct owner *owners, unsigned n, double since)
{
    double longest = 0;
    for (unsigned i = 0; i < n; i++) {
        bool replied = false, resumed = false;
        while (!replied || !resumed) {
            receive_any(owners[i].sock);
            replied = replied || answer->body_case == DOCAD__MESSAGE__BODY_STATUS_REPLY;
            if (answer->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
                resumed = true;
                if (!replied)
                    ask_again(&owners[i], answer->resumed->restart);
            }
            answer_drop();
        }
        double waited = now_us() - since;
        longest = waited > longest ? waited : longest;
    }
    tell("the longest wait for an answer", longest);
}

static void restart(struct daemon *daemon, struct owner *owners, unsigned n, int signal)
{
    double begun = now_us();
    manager_begin_restart(daemon, signal);
    ask_all(owners, n);
    manager_wait(daemon);
    tell(signal == SIGKILL ? "SIGKILL to READY" : "SIGTERM to READY", now_us() - begun);
    tell("  of that, processor time", cpu_us(daemon));
    await_all(owners, n, begun);
}

static void end_all(struct owner *owners, unsigned n, struct daemon *daemon)
{
    Docad__RegionUnregister gone = DOCAD__REGION_UNREGISTER__INIT;
    double begun = now_us();
    for (unsigned i = 0; i < n; i += 2) {
        gone.region_id = owners[i].region;
        ck_assert_int_eq(call(owners[i].sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &gone),
                         DOCA_SUCCESS);
        answer_drop();
    }
    for (unsigned i = 0; i < n; i++)
        close(owners[i].sock);
    manager_wait_kept(daemon, 1);
    tell("the end of all sessions", now_us() - begun);
}

START_TEST(all_are_there_again)
{
    unsigned n = number("DOCAD_TEST_SESSIONS", 40), exports = number("DOCAD_TEST_EXPORTS", 60);
    struct owner *owners = calloc(n, sizeof(*owners));
    if (_i) // a service manager that reads one message in a while
        setenv("DOCAD_TEST_MANAGER_DELAY_US", "20000", 1);
    struct daemon *daemon = start();
    unsigned before =
        daemon_settled_descriptors(daemon); // of the manager, which has a constant number

    fill(owners, n, exports, daemon);
    for (int i = 0; i < 2; i++) {
        restart(daemon, owners, n, restart_signal(i));
        manager_wait_kept(daemon, count_kept(n, exports));
    }
    // What is made now is kept, too.
    uint64_t more =
        register_mapped(owners[0].sock, 4096, DOCA_ACCESS_RDMA_READ, owners[0].function);
    ck_assert_uint_gt(more, owners[n - 1].region);
    restart(daemon, owners, n, SIGKILL);
    manager_wait_kept(daemon, count_kept(n, exports) + 1);
    end_all(owners, n, daemon);
    daemon_wait_descriptors(daemon, before);
    daemon_stop(daemon);
    free(owners);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart_many");
    TCase *tcase = tcase_create("restart_many");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, all_are_there_again, 0, 2);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
