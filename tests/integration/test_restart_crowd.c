// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One user's many sessions, each with an export and a name for it, under the limits that docad has
// by itself. While it is restarted some end, give up what they have, or lose their name; and it is
// ended again before it is ready. $DOCAD_TEST_SESSIONS sets another number of sessions.

#include "protocol.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "restarts.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NAME_LENGTH_MAX 255

enum fate { STAYS, IS_KILLED, UNREGISTERS, UNPUBLISHES, FATES };

struct owner {
    int sock;
    uint32_t function;
    uint64_t region;
    enum fate fate; // in the next restart
    bool named;     // there is its name
    uint64_t asked;
    char name[NAME_LENGTH_MAX + 1];
    struct descriptor descriptor;
};

static struct daemon *daemon_;
static struct owner *owners;
static unsigned n_owners, n_restarts;

// As long as a name may be, as short as it may be, and with whatever a name may have in it.
static void make_name(struct owner *owner, unsigned i)
{
    static const char *const odd[] = {"a:b", "with a space", "\xc3\xa4\xe6\xbc\xa2", "%s%n",
                                      "'\"\\"};
    int n = snprintf(owner->name, sizeof(owner->name), "%u", i);

    if (i % 3 == 0)
        memset(owner->name + n, 'x', NAME_LENGTH_MAX - (size_t)n);
    else if (i % 3 == 1)
        snprintf(owner->name, sizeof(owner->name), "%s%u", odd[i / 3 % 5], i);
}

static void fill(void)
{
    for (unsigned i = 0; i < n_owners; i++) {
        struct owner *o = &owners[i];
        make_name(o, i);
        o->sock = session_connect(daemon_, "crowd");
        o->function = open_function(o->sock, "pf0");
        o->region = register_mapped(o->sock, 4096, DOCA_ACCESS_RDMA_READ, o->function);
        o->descriptor =
            export_to(o->sock, o->region, o->function, DOCAD__EXPORT_TARGET__TARGET_RDMA);
        ck_assert_int_eq(publish(o->sock, o->name, &o->descriptor), DOCA_SUCCESS);
        o->named = true;
        answer_drop();
    }
}

// Each name that should be there is, with the descriptor that it had, which can be imported.
static void check_names(void)
{
    struct raw_session late = session_start(daemon_);
    uint32_t function = open_function(late.sock, "pf0");

    for (unsigned i = 0; i < n_owners; i++) {
        const struct owner *o = &owners[i];
        doca_error_t r = lookup(late.sock, o->name, 0);
        ck_assert_msg(r == (o->named ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND), "%u: %d", i, r);
        if (!o->named)
            continue;
        ck_assert_uint_eq(answer->lookup_reply->descriptor.len, o->descriptor.size);
        ck_assert_mem_eq(answer->lookup_reply->descriptor.data, o->descriptor.bytes,
                         o->descriptor.size);
        ck_assert_int_eq(import_on(late.sock, &o->descriptor, function), DOCA_SUCCESS);
        answer_drop();
    }
    session_end(&late);
}

// ---- while docad is away -----------------------------------------------------------------------

static void meet_fate(struct owner *o)
{
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__Unpublish unpublish = DOCAD__UNPUBLISH__INIT;

    unregister.region_id = o->region;
    unpublish.name = o->name;
    o->asked = 0;
    if (o->fate == IS_KILLED) {
        close(o->sock);
        o->sock = -1;
    } else if (o->fate == UNREGISTERS) {
        o->asked = post(o->sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister);
    } else if (o->fate == UNPUBLISHES) {
        o->asked = post(o->sock, DOCAD__MESSAGE__BODY_UNPUBLISH, &unpublish);
    }
    if (o->fate != STAYS)
        o->named = false;
}

static void again(const struct owner *o, uint32_t restart)
{
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__Unpublish unpublish = DOCAD__UNPUBLISH__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    unregister.region_id = o->region;
    unpublish.name = (char *)o->name;
    message.serial = o->asked;
    message.again = restart;
    if (o->fate == UNREGISTERS) {
        message.body_case = DOCAD__MESSAGE__BODY_REGION_UNREGISTER;
        message.region_unregister = &unregister;
    } else {
        message.body_case = DOCAD__MESSAGE__BODY_UNPUBLISH;
        message.unpublish = &unpublish;
    }
    ck_assert_int_eq(message_send(o->sock, &message, NULL, 0, 0), 0);
}

// Waits for the word that docad is there again, and for the answer to what was asked meanwhile.
static void resume(struct owner *o)
{
    bool replied = !o->asked, resumed = false;

    while (!replied || !resumed) {
        receive_any(o->sock);
        if (answer->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
            resumed = true;
            if (!replied)
                again(o, answer->resumed->restart);
        } else {
            ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
            replied = true;
        }
        answer_drop();
    }
    o->fate = STAYS;
}

static void choose_fates(void)
{
    for (unsigned i = 0; i < n_owners; i++)
        owners[i].fate =
            owners[i].named && i % 4 == n_restarts % 4 ? (enum fate)(i / 4 % FATES) : STAYS;
}

static void restart(int signal)
{
    choose_fates();
    manager_begin_restart(daemon_, signal);
    for (unsigned i = 0; i < n_owners; i++)
        if (owners[i].sock >= 0)
            meet_fate(&owners[i]);
    manager_wait(daemon_);
    for (unsigned i = 0; i < n_owners; i++)
        if (owners[i].sock >= 0)
            resume(&owners[i]);
    n_restarts++;
}

// docad reads it when it starts.
static void configure(const char *text)
{
    struct path path = log_path("crowd.conf");
    cleanup_file FILE *file = fopen(path.s, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fprintf(file, "names = utf8\n%s", text), 0);
}

static void setup(void)
{
    const char *text = getenv("DOCAD_TEST_SESSIONS");
    struct rlimit files;

    env_setup();
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    n_restarts = 0;
    n_owners = text ? (unsigned)strtoul(text, NULL, 10) : 60;
    owners = calloc(n_owners, sizeof(*owners));
    configure("");
    setenv("DOCAD_TEST_MANAGER_PATIENT", "failures", true);
    daemon_ = restartable_start("host", NULL, log_path("crowd.conf").s);
}

static void teardown(void)
{
    for (unsigned i = 0; i < n_owners; i++)
        if (owners[i].sock >= 0)
            close(owners[i].sock);
    free(owners);
    manager_wait_kept(daemon_, 1);
    daemon_stop(daemon_);
    env_teardown();
}

START_TEST(all_names_are_there_again)
{
    fill();
    check_names();
    for (int i = 0; i < 4; i++) {
        restart(restart_signal(i));
        check_names();
    }
}
END_TEST

// The next docad is ended, too, and the one after it.
START_TEST(again_before_it_is_ready)
{
    fill();
    for (int i = 0; i < 5; i++)
        manager_begin_restart(daemon_, SIGKILL);
    for (unsigned i = 0; i < n_owners; i++)
        resume(&owners[i]);
    check_names();
}
END_TEST

// What was granted is kept, although it would be refused now.
START_TEST(limits_are_lower_afterwards)
{
    fill();
    configure(
        "limits { sessions_per_uid = 10\n exports_per_session = 0\n publications_per_uid = 5\n "
        "regions_per_session = 0\n descriptors = 40\n state_slots_per_uid = 1000\n }\n");
    restart(SIGTERM);
    configure("");
    restart(SIGKILL);
    check_names();
}
END_TEST

// The manager starts docad again as long as sessions wait, and not otherwise: it ends with 2 then,
// and systemd would forget them.
START_TEST(a_wrong_configuration_loses_nothing)
{
    fill();
    configure("no_such_option = 1\n");
    manager_begin_restart(daemon_, SIGTERM);
    daemon_wait_logged(daemon_, "start it again until the configuration is right");
    configure("");
    manager_wait(daemon_);
    for (unsigned i = 0; i < n_owners; i++)
        resume(&owners[i]);
    check_names();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart_crowd");
    TCase *tcase = tcase_create("restart_crowd");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, all_names_are_there_again);
    tcase_add_test(tcase, again_before_it_is_ready);
    tcase_add_test(tcase, limits_are_lower_afterwards);
    tcase_add_test(tcase, a_wrong_configuration_loses_nothing);
    tcase_set_timeout(tcase, 300);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
