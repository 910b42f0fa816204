// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Thousands of objects: how many of them docad looks at for a list, and that a session with many
// ends for others as one, although its objects end one after the other. Counts, not times.

#include "client.h"
#include "protocol.h"

#include "activity.h"
#include "child.h"
#include "cleanup.h"
#include "deadline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MANY  4000 // regions, each with an export; fewer than a session may have
#define NAMES 500
#define PAGES 350 // more than fit on three pages of a list

static struct daemon *host;
static struct raw_session owner, other;
static uint32_t owners_function, others_function;
static char memory[64];

static void setup(void)
{
    env_setup();
    host = daemon_start(&(struct daemon_options){.role = "host"});
    owner = session_start(host);
    other = session_start(host);
    owners_function = open_function(owner.sock, "pf0");
    others_function = open_function(other.sock, "pf0");
}

static void teardown(void)
{
    if (owner.sock >= 0)
        session_end(&owner);
    session_end(&other);
    assert_baseline(host);
    env_teardown();
}

static struct descriptor export_one(const struct raw_session *session, uint32_t function)
{
    uint64_t region =
        register_brokered(session->sock, memory, sizeof(memory), DOCA_ACCESS_RDMA_READ, function);
    return export_to(session->sock, region, function, DOCAD__EXPORT_TARGET__TARGET_RDMA);
}

static uint64_t metric(const char *name)
{
    Docad__Metrics m = DOCAD__METRICS__INIT;
    ck_assert_int_eq(call(other.sock, DOCAD__MESSAGE__BODY_METRICS, &m), DOCA_SUCCESS);
    const char *line = strstr(answer->metrics_reply->text, name);
    while (line && line != answer->metrics_reply->text && line[-1] != '\n')
        line = strstr(line + 1, name);
    ck_assert_msg(line, "there is no metric %s", name);
    return strtoull(line + strlen(name), NULL, 10);
}

START_TEST(lists_look_at_each_object_once)
{
    for (int i = 0; i < PAGES; i++)
        export_one(&owner, owners_function);
    uint64_t before = metric("docad_list_looks_total"), last = 0, n = 0;
    for (bool more = true; more;) {
        cleanup_message Docad__Message *list =
            raw_list(other.sock, DOCAD__LIST__KIND__REGIONS, last);
        n += list->list_reply->n_regions;
        more = list->list_reply->more;
        last = list->list_reply->last;
    }
    ck_assert_uint_eq(n, PAGES);
    // The first of each page was looked at for the page before, too.
    ck_assert_uint_le(metric("docad_list_looks_total") - before, PAGES + PAGES / 20);
}
END_TEST

struct import {
    uint64_t id;
    uint32_t slot;
};

static struct import import_one(const struct descriptor *d)
{
    ck_assert_int_eq(import_on(other.sock, d, others_function), DOCA_SUCCESS);
    return (struct import){answer->import_create_reply->import_id,
                           answer->import_create_reply->state_slot};
}

static bool is_live(const struct import *import)
{
    return state_table_read(other.states, import->slot, import->id) == SLOT_LIVE;
}

// Once one of its objects has ended, no other can be imported or found by its name; what others
// have imported ends before any of it is freed.
START_TEST(a_large_session_ends_as_one)
{
    struct descriptor first, last;
    struct daemon_counts counts;
    char name[16];

    first = last = export_one(&owner, owners_function);
    for (int i = 0; i < MANY; i++) {
        last = export_one(&owner, owners_function);
        snprintf(name, sizeof(name), "ring-%d", i);
        if (i < NAMES)
            ck_assert_int_eq(publish(owner.sock, name, &last), DOCA_SUCCESS);
    }
    ck_assert_int_eq(publish(owner.sock, "last", &last), DOCA_SUCCESS);
    struct import imports[] = {import_one(&first), import_one(&last)};
    struct descriptor own = export_one(&other, others_function);

    session_end(&owner);
    owner.sock = -1;
    while (is_live(&imports[0]))
        ;
    // What docad answers now, it answers after it has noticed the end.
    assert_refused(lookup(other.sock, "last", 0), DOCA_ERROR_NOT_FOUND, "name");
    assert_refused(import_on(other.sock, &last, others_function), DOCA_ERROR_NOT_PERMITTED,
                   "import");
    for (bool live = true; live;) {
        daemon_counts(host, &counts);
        live = is_live(&imports[1]);
        ck_assert(!live || counts.exports == MANY + 2);
    }
    ck_assert_int_eq(publish(other.sock, "last", &own), DOCA_SUCCESS);
    ck_assert_uint_gt(metric("docad_end_slices_total"), 0);

    int64_t deadline = deadline_in(60000);
    do {
        daemon_counts(host, &counts);
        ck_assert(deadline_pause(deadline));
    } while (counts.exports > 1);
    ck_assert_uint_eq(counts.publications, 1);
    while (metric("docad_trims_total") == 0)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(lookup(other.sock, "last", 0), DOCA_SUCCESS);
}
END_TEST

// Sessions end while docad does, too.
START_TEST(docad_ends_with_a_session_that_ends)
{
    for (int i = 0; i < MANY; i++)
        export_one(&owner, owners_function);
    session_end(&owner);
    owner.sock = -1;
    daemon_restart((daemon_stop(host), host));
    session_end(&other);
    other = session_start(host);
}
END_TEST

// How many activity pages docad has mapped.
static unsigned pages(void)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    char path[32], line[512];
    unsigned n = 0;

    ck_assert_int_eq(call(other.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    snprintf(path, sizeof(path), "/proc/%u/maps", answer->status_reply->pid);
    cleanup_file FILE *maps = fopen(path, "re");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof(line), maps))
        n += strstr(line, "docad-activity") != NULL;
    return n;
}

// Most of what a session costs is its activity page, which many never need.
START_TEST(a_page_comes_when_it_is_needed)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    Docad__ActivityPage ask = DOCAD__ACTIVITY_PAGE__INIT;
    struct stat st;
    unsigned before = pages();

    cleanup_fd int sock = raw_connect(host->socket.s);
    hello.version_min = hello.version_max = 1;
    hello.program = (char *)"scale";
    hello.page_later = true;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_HELLO, &hello), DOCA_SUCCESS);
    ck_assert_uint_eq(answer_fds.count, 1);
    ck_assert_uint_eq(pages(), before);

    // An import can end before there is a page.
    struct descriptor d = export_one(&owner, owners_function);
    uint32_t function = open_function(sock, "pf0");
    ck_assert_int_eq(import_on(sock, &d, function), DOCA_SUCCESS);
    Docad__ImportRelease end = DOCAD__IMPORT_RELEASE__INIT;
    end.import_id = answer->import_create_reply->import_id;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_IMPORT_RELEASE, &end), DOCA_SUCCESS);

    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_ACTIVITY_PAGE, &ask), DOCA_SUCCESS);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_ACTIVITY_PAGE_REPLY);
    ck_assert_uint_eq(answer_fds.count, 1);
    ck_assert_int_eq(fstat(answer_fds.fds[0], &st), 0);
    ck_assert_int_eq(st.st_size, sizeof(struct activity));
    ck_assert_uint_eq(pages(), before + 1);
    // A client that could not map it asks again.
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_ACTIVITY_PAGE, &ask), DOCA_SUCCESS);
    ck_assert_int_eq(call(owner.sock, DOCAD__MESSAGE__BODY_ACTIVITY_PAGE, &ask), DOCA_SUCCESS);
    ck_assert_uint_eq(pages(), before + 1);
    answer_drop();
}
END_TEST

static int export_then_copy(struct child *self, void *arg)
{
    struct exporter exporter;
    struct copier copier;
    (void)arg;

    exporter_start(&exporter, HOST_PF0, pages_new(4096), 4096, DOCA_ACCESS_DPU_READ_ONLY);
    child_tell(self, "exported");
    child_wait(self, "go on");
    copier_start(&copier, HOST_PF0, 4096);
    child_tell(self, "ready to copy");
    child_wait(self, "go on");
    copier_stop(&copier);
    exporter_stop(&exporter);
    return 0;
}

START_TEST(a_program_that_only_exports_has_no_page)
{
    unsigned before = pages();
    struct child *program = child_start(host, "program", export_then_copy, NULL);
    child_wait(program, "exported");
    ck_assert_uint_eq(pages(), before);
    child_tell(program, "go on");
    child_wait(program, "ready to copy");
    ck_assert_uint_eq(pages(), before + 1);
    child_tell(program, "go on");
    child_join(program);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scale");
    TCase *tcase = tcase_create("scale");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, lists_look_at_each_object_once);
    tcase_add_test(tcase, a_large_session_ends_as_one);
    tcase_add_test(tcase, docad_ends_with_a_session_that_ends);
    tcase_add_test(tcase, a_page_comes_when_it_is_needed);
    tcase_add_test(tcase, a_program_that_only_exports_has_no_page);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
