// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A store whose owner is killed at any moment, and what the next one finds in it.

#include "unit.h"

#include "fdstore.h"

#include "cleanup.h"
#include "log.h"
#include "notify.h"
#include "record_file.h"
#include "user.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

// ---- the service manager ----------------------------------------------------------------

#define KEPT_MAX 16

static struct {
    int sock;
    int fds[KEPT_MAX];
    char names[KEPT_MAX][64];
    size_t n;
    unsigned messages;
} manager;

static void manager_begin(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(address);
    char name[128];

    manager.sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(
        bind(manager.sock, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)), 0);
    ck_assert_int_eq(getsockname(manager.sock, (struct sockaddr *)&address, &size), 0);
    snprintf(name, sizeof(name), "@%.*s", (int)(size - offsetof(struct sockaddr_un, sun_path) - 1),
             address.sun_path + 1);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("FDSTORE", "4", 1); // its queue has room for the messages
    log_init(LOG_LEVEL_ERROR);
}

static void manager_read(void)
{
    char text[512];
    struct fd_list fds;
    ssize_t n;
    while ((n = packet_recv(manager.sock, text, sizeof(text) - 1, &fds, MSG_DONTWAIT)) > 0) {
        text[n] = '\0';
        const char *name = strstr(text, "FDNAME=") + strlen("FDNAME=");
        manager.messages++;
        if (strncmp(text, "FDSTORE=1\n", 10) == 0) {
            snprintf(manager.names[manager.n], sizeof(manager.names[0]), "%s", name);
            manager.fds[manager.n++] = fds.fds[0];
            continue;
        }
        size_t left = 0;
        for (size_t i = 0; i < manager.n; i++) {
            if (strcmp(manager.names[i], name) == 0) {
                close(manager.fds[i]);
                continue;
            }
            manager.fds[left] = manager.fds[i];
            memmove(manager.names[left++], manager.names[i], sizeof(manager.names[0]));
        }
        manager.n = left;
    }
}

// In the process that uses the store: as docad begins.
static void begin(struct stored_items *items)
{
    notify_init();
    fdstore_init();
    ck_assert(fdstore_is_on());
    for (size_t i = 0; i < manager.n; i++)
        ck_assert(fdstore_receive(dup(manager.fds[i]), manager.names[i]));
    *items = (struct stored_items){0};
    fdstore_read(items);
    ck_assert(fdstore_is_on());
}

static void end(void)
{
    fdstore_end();
    notify_fini();
    manager_read();
}

// ---- objects ----------------------------------------------------------------------------

#define OBJECTS 48

// The serial tells what an object's record says, and how large its files are.
static doca_error_t store(struct stored *stored, uint64_t id, uint64_t serial, struct user *user)
{
    Docad__RegionRecord what = DOCAD__REGION_RECORD__INIT;
    Docad__Record record;
    uint32_t functions[200] = {0};
    struct errtext err;
    int fds[PACKET_FDS_MAX];
    size_t n_fds = (id + serial) % (PACKET_FDS_MAX + 1);

    for (size_t i = 0; i < n_fds; i++) {
        fds[i] = memfd_create("object", MFD_CLOEXEC);
        ck_assert_int_eq(ftruncate(fds[i], (off_t)serial), 0);
    }
    stored->serial = serial;
    record_init(&record, id, 7, stored);
    what.functions = functions;
    what.n_functions = serial * 13 % 200;
    record.what_case = DOCAD__RECORD__WHAT_REGION;
    record.region = &what;
    doca_error_t r = fdstore_put(stored, &record, user, fds, n_fds, &err);
    if (r == DOCA_SUCCESS && n_fds && serial % 2) // once more, with the same descriptors
        r = fdstore_put(stored, &record, user, NULL, n_fds, &err);
    for (size_t i = 0; i < n_fds; i++)
        close(fds[i]);
    return r;
}

static void assert_whole(const struct stored_item *item)
{
    const Docad__Record *r = item->record;
    ck_assert_int_eq(r->what_case, DOCAD__RECORD__WHAT_REGION);
    ck_assert_uint_eq(r->region->n_functions, r->serial * 13 % 200);
    ck_assert_uint_eq(item->fds.count, (r->id + r->serial) % (PACKET_FDS_MAX + 1));
    for (size_t i = 0; i < item->fds.count; i++) {
        struct stat st;
        ck_assert_int_eq(fstat(item->fds.fds[i], &st), 0);
        ck_assert_int_eq(st.st_size, (off_t)r->serial);
    }
}

START_TEST(the_next_one_has_them)
{
    static struct stored stored[OBJECTS];
    struct stored_items items;
    struct user user = {.uid = 1000};

    manager_begin();
    begin(&items);
    ck_assert_uint_eq(items.count, 0);
    manager_read();
    unsigned messages = manager.messages;
    for (uint64_t i = 0; i < OBJECTS; i++)
        ck_assert_int_eq(store(&stored[i], i + 1, i + 1, &user), DOCA_SUCCESS);
    for (uint64_t i = 0; i < OBJECTS; i += 2)
        ck_assert_int_eq(store(&stored[i], i + 1, i + 101, &user), DOCA_SUCCESS);
    for (uint64_t i = 0; i < OBJECTS; i += 3)
        fdstore_drop(&stored[i]);
    manager_read();
    ck_assert_uint_eq(manager.messages, messages); // the manager has no part in it
    end();
    begin(&items);
    ck_assert_uint_eq(items.count, OBJECTS - OBJECTS / 3);
    user.record_places = 0;
    for (size_t i = 0; i < items.count; i++) {
        uint64_t id = items.items[i].record->id;
        assert_whole(&items.items[i]);
        ck_assert_uint_ne(id % 3, 1);
        ck_assert_uint_eq(items.items[i].record->serial, id % 2 ? id + 100 : id);
        if (i < 10)
            fdstore_take(&items.items[i], &stored[id - 1], &user);
    }
    ck_assert_uint_gt(user.record_places, 0);
    fdstore_items_free(&items); // what was not taken leaves
    end();
    begin(&items);
    ck_assert_uint_eq(items.count, 10);
    fdstore_items_free(&items);
    end();
}
END_TEST

// Nobody has more than is left for the others, but everybody may have some records.
START_TEST(users_share_the_room)
{
    struct user greedy = {.uid = 1, .record_places = RECORD_PLACES_MAX}, other = {.uid = 2};
    struct stored one = {0}, two = {0};
    struct stored_items items;

    manager_begin();
    begin(&items);
    ck_assert_int_eq(store(&one, 1, 1, &greedy), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(one.place, RECORD_PLACE_NONE);
    ck_assert_uint_eq(greedy.record_places, RECORD_PLACES_MAX);
    ck_assert_int_eq(store(&two, 2, 2, &other), DOCA_SUCCESS);
    ck_assert_uint_eq(other.record_places, two.n_places);
    greedy.record_places = 100;
    ck_assert_int_eq(store(&one, 1, 1, &greedy), DOCA_SUCCESS);
    greedy.record_places = RECORD_PLACES_MAX;
    ck_assert_int_eq(store(&one, 1, 2, &greedy), DOCA_SUCCESS); // what exists can be changed
    end();
}
END_TEST

static unsigned lines;

static void count_line(void *arg, const char *line)
{
    (void)arg;
    (void)line;
    lines++;
}

// One capsule for each object, as docad stored them before: they leave, with a line.
START_TEST(the_former_layout_is_refused)
{
    struct stored_items items;
    int pair[2];

    manager_begin();
    log_listen(count_line, NULL);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < 2; i++) {
        manager.fds[manager.n] = pair[i];
        snprintf(manager.names[manager.n++], sizeof(manager.names[0]), "docad-%x", i + 1);
    }
    begin(&items);
    ck_assert_uint_eq(items.count, 0);
    ck_assert_uint_eq(lines, 1);
    manager_read();
    for (size_t i = 0; i < manager.n; i++)
        ck_assert(strcmp(manager.names[i], "docad-1") != 0 &&
                  strcmp(manager.names[i], "docad-2") != 0);
    end();
    begin(&items);
    ck_assert_uint_eq(lines, 1);
    end();
    log_listen(NULL, NULL);
}
END_TEST

// ---- bytes ------------------------------------------------------------------------------

START_TEST(records_are_checked)
{
    static const struct {
        const char *what;
        uint8_t bytes[8];
        size_t size, n_fds;
        bool valid;
    } cases[] = {
        {"nothing", {0}, 0, 0, false},
        {"no id", {0x72, 0}, 2, 0, false},
        {"no object", {0x10, 1}, 2, 0, false},
        {"a region", {0x10, 1, 0x72, 0}, 4, 0, true},
        {"the most descriptors", {0x10, 1, 0x72, 0}, 4, PACKET_FDS_MAX, true},
        {"more descriptors", {0x10, 1, 0x72, 0}, 4, PACKET_FDS_MAX + 1, false},
        {"cut off", {0x10, 1, 0x72, 5, 1}, 5, 0, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        Docad__Record *r = record_read(cases[i].bytes, cases[i].size, cases[i].n_fds);
        ck_assert_msg((r != NULL) == cases[i].valid, "%s", cases[i].what);
        if (r)
            docad__record__free_unpacked(r, NULL);
    }
}
END_TEST

// ---- killed at any moment -----------------------------------------------------------------

// What the process that is killed has done: written before and after each step.
struct diary {
    _Atomic uint64_t steps;
    _Atomic uint64_t serial[OBJECTS]; // 0: not stored
    _Atomic uint64_t changing, to;    // object + 1
};

static void __attribute__((noreturn)) work(struct diary *diary, unsigned seed)
{
    static struct stored stored[OBJECTS];
    struct stored_items items;
    struct user user = {.uid = 1000};

    begin(&items);
    for (size_t i = 0; i < items.count; i++)
        fdstore_take(&items.items[i], &stored[items.items[i].record->id - 1], &user);
    fdstore_items_free(&items);
    for (uint64_t serial = diary->steps + 1;; serial++) {
        size_t which = (size_t)rand_r(&seed) % OBJECTS;
        bool drops = rand_r(&seed) % 3 == 0;
        diary->to = drops ? 0 : serial;
        diary->changing = which + 1;
        if (drops)
            fdstore_drop(&stored[which]);
        else if (store(&stored[which], which + 1, serial, &user) != DOCA_SUCCESS)
            _exit(1);
        diary->serial[which] = drops ? 0 : serial;
        diary->changing = 0;
        diary->steps = serial;
    }
}

static void assert_as_in(const struct diary *diary, const struct stored_items *items)
{
    uint64_t found[OBJECTS] = {0};
    for (size_t i = 0; i < items->count; i++) {
        assert_whole(&items->items[i]);
        found[items->items[i].record->id - 1] = items->items[i].record->serial;
    }
    for (size_t i = 0; i < OBJECTS; i++)
        ck_assert_msg(found[i] == diary->serial[i] ||
                          (diary->changing == i + 1 && found[i] == diary->to),
                      "object %zu: %llu is stored, not %llu", i, (unsigned long long)found[i],
                      (unsigned long long)diary->serial[i]);
}

static void kill_after(pid_t pid, const struct diary *diary, uint64_t steps, unsigned spins)
{
    int status;
    while (diary->steps < steps && waitpid(pid, &status, WNOHANG) == 0)
        sched_yield();
    for (volatile unsigned i = 0; i < spins; i++)
        ;
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

START_TEST(killed_at_any_moment)
{
    unsigned seed = 20260 + (unsigned)_i;
    struct diary *diary =
        mmap(NULL, sizeof(*diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(diary, MAP_FAILED);

    manager_begin();
    for (int round = 0; round < 12; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            work(diary, seed + (unsigned)round * 1000);
        kill_after(pid, diary, diary->steps + 1 + (unsigned)rand_r(&seed) % 100,
                   (unsigned)rand_r(&seed) % 20000);
        manager_read();
        struct stored_items items;
        struct stored kept[OBJECTS] = {0};
        begin(&items);
        assert_as_in(diary, &items);
        memset(diary->serial, 0, sizeof(diary->serial));
        diary->changing = 0;
        for (size_t i = 0; i < items.count; i++) {
            diary->serial[items.items[i].record->id - 1] = items.items[i].record->serial;
            fdstore_take(&items.items[i], &kept[i], NULL);
        }
        fdstore_items_free(&items);
        end();
    }
    munmap(diary, sizeof(*diary));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("fdstore");
    tcase_add_test(tcase, the_next_one_has_them);
    tcase_add_test(tcase, users_share_the_room);
    tcase_add_test(tcase, the_former_layout_is_refused);
    tcase_add_test(tcase, records_are_checked);
    tcase_add_loop_test(tcase, killed_at_any_moment, 0, 4);
    return unit_run_case("fdstore", tcase);
}
