// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How ibverbs devices become functions of a node, with devices that are made up.

#include "cleanup.h"
#include "config.h"
#include "deadline.h"
#include "export.h"
#include "fake_ibverbs.h"
#include "idmap.h"
#include "log.h"
#include "node.h"
#include "node_life.h"
#include "region.h"
#include "reload.h"
#include "session.h"
#include "unit.h"
#include "user.h"
#include "verbs.h"
#include "verbs_watch.h"

#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct config config;
static struct node *node;
static char said[65536];

static void hear(void *arg, const char *line)
{
    (void)arg;
    size_t n = strlen(said);
    snprintf(said + n, sizeof(said) - n, "%s\n", line);
}

#define FASTER 100 // than real time, for timers and clocks

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int r = (int)syscall(SYS_clock_gettime, clock, time);
    uint64_t ns = ((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec) * FASTER;
    *time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return r;
}

int __real_event_add(struct event *event, const struct timeval *timeout);
// The linker takes libevent's own calls for calls of this one, and wants to see it.
__attribute__((visibility("default"))) int __wrap_event_add(struct event *event,
                                                            const struct timeval *timeout);
int __wrap_event_add(struct event *event, const struct timeval *timeout)
{
    if (!timeout)
        return __real_event_add(event, NULL);
    uint64_t us = ((uint64_t)timeout->tv_sec * 1000000 + (uint64_t)timeout->tv_usec) / FASTER;
    const struct timeval sooner = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
    return __real_event_add(event, &sooner);
}

static void setup(void)
{
    config_init(&config);
    strcpy(config.name, "n");
    strcpy(config.socket, "/nowhere/n.sock");
    memset(fake_devices, 0, sizeof(fake_devices));
    said[0] = '\0';
    log_init(LOG_LEVEL_INFO);
    log_listen(hear, NULL);
}

static void start(void)
{
    struct errtext err;
    ck_assert_msg(node_new(&node, &config, &err) == DOCA_SUCCESS, "%s", err.s);
    node_find_devices(node);
}

static void teardown(void)
{
    node = node_free(node);
    log_listen(NULL, NULL);
    for (int i = 0; i < FAKE_DEVICES; i++)
        ck_assert_uint_eq(fake_devices[i].opened, 0);
}

// A function section of the configuration.
static struct function_setting *section(const char *name, const char *device, uint8_t port)
{
    struct function_setting *s = &config.functions[config.n_functions++];
    memset(s, 0, sizeof(*s));
    strcpy(s->function.name, name);
    strcpy(s->function.ibdev, device);
    s->function.backing = DOCAD__BACKING__VERBS;
    s->function.verbs.port = port;
    return s;
}

// The function of this name that is there, or NULL.
static const struct function *find(const char *name)
{
    for (size_t i = 0; i < node->n_functions; i++)
        if (!node->functions[i].gone && strcmp(node->functions[i].name, name) == 0)
            return &node->functions[i];
    return NULL;
}

static unsigned count(const char *text)
{
    unsigned n = 0;
    for (const char *s = said; (s = strstr(s, text)); s++)
        n++;
    return n;
}

// Lets time go on until it is said so often.
static void wait_said(const char *text, unsigned n)
{
    int64_t deadline = deadline_in((int64_t)FASTER * HARNESS_LIMIT_MS);
    while (count(text) < n) {
        ck_assert_msg(deadline_pause(deadline), "not said: %s\n%s", text, said);
        event_base_loop(node->base, EVLOOP_NONBLOCK);
    }
}

// ---- what is offered ------------------------------------------------------------------------

START_TEST(each_port_is_a_function)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 2, .port[0].n_gids = 2};
    fake_devices[0].port[1].down = true;
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 1};
    start();
    ck_assert_uint_eq(node_count_functions(node), 3);
    ck_assert(find("a")->verbs.active && find("a")->verbs.n_gids == 2);
    ck_assert(!find("a.2")->verbs.active && find("a.2")->verbs.n_gids == 0);
    ck_assert_uint_eq(find("a.2")->verbs.port, 2);
    ck_assert_ptr_nonnull(find("b"));
}
END_TEST

START_TEST(patterns_leave_devices_out)
{
    fake_devices[0] = (struct fake_device){.name = "rxe0", .ports = 1};
    fake_devices[1] = (struct fake_device){.name = "rxe1", .ports = 1};
    fake_devices[2] = (struct fake_device){.name = "siw0", .ports = 1};
    strcpy(config.verbs.include, "rxe*, siw*");
    strcpy(config.verbs.exclude, "rxe1");
    start();
    ck_assert_uint_eq(node_count_functions(node), 2);
    ck_assert_ptr_nonnull(find("rxe0"));
    ck_assert_ptr_nonnull(find("siw0"));
    ck_assert_uint_eq(fake_devices[1].opened, 0);
}
END_TEST

// Whatever the patterns say, and that one port alone.
START_TEST(a_section_offers_its_port)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 2};
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 2};
    fake_devices[2] = (struct fake_device){.name = "c", .ports = 2};
    strcpy(config.verbs.exclude, "*");
    section("second", "a", 2);
    section("first", "b", 0);
    start();
    ck_assert_uint_eq(node_count_functions(node), 2);
    ck_assert_str_eq(find("second")->ibdev, "a");
    ck_assert_uint_eq(find("second")->verbs.port, 2);
    ck_assert_uint_eq(find("first")->verbs.port, 1);
    ck_assert_uint_eq(fake_devices[2].opened, 0);
}
END_TEST

START_TEST(ports_that_are_not_there)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    section("s", "a", 2);
    start();
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("function s: ibverbs device a has no port 2"), 1);
    ck_assert_ptr_nonnull(find("a"));
}
END_TEST

START_TEST(how_connections_wait)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    config.verbs.timeout = 3;
    config.verbs.retries = 4;
    config.verbs.rnr_retries = 5;
    config.verbs.rnr_timer = 6;
    start();
    const struct function_verbs *v = &find("a")->verbs;
    ck_assert(v->timeout == 3 && v->retries == 4 && v->rnr_retries == 5 && v->rnr_timer == 6);
}
END_TEST

// ---- the configuration changes --------------------------------------------------------------

START_TEST(a_reload_takes_the_settings)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 2};
    start();
    struct function_setting *s = section("s", "a", 2);
    verbs_reload(node->verbs);
    ck_assert_ptr_null(find("a.2"));
    ck_assert_ptr_nonnull(find("a"));
    uint32_t id = find("s")->id;
    ck_assert(find("s")->can_dma);
    // The other options of the section.
    s->can_dma = SETTING_NO;
    strcpy(s->function.vuid, "V");
    config.verbs.timeout = 9;
    verbs_reload(node->verbs);
    ck_assert_uint_eq(find("s")->id, id);
    ck_assert(!find("s")->can_dma);
    ck_assert_str_eq(find("s")->vuid, "V");
    ck_assert_uint_eq(find("s")->verbs.timeout, 9);
    ck_assert_uint_eq(count("function s has changed"), 1);
    // And back.
    memset(s, 0, sizeof(*s));
    config.n_functions = 0;
    verbs_reload(node->verbs);
    ck_assert_ptr_null(find("s"));
    ck_assert(find("a.2")->can_dma);
    ck_assert_str_ne(find("a.2")->vuid, "V");
}
END_TEST

START_TEST(a_reload_excludes)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    start();
    strcpy(config.verbs.exclude, "a");
    verbs_reload(node->verbs);
    ck_assert_uint_eq(node_count_functions(node), 0);
    ck_assert_uint_eq(fake_devices[0].opened, 0);
    config.verbs.exclude[0] = '\0';
    verbs_reload(node->verbs);
    ck_assert_ptr_nonnull(find("a"));
}
END_TEST

// ---- coming and going -----------------------------------------------------------------------

// One that comes back has its id, also where a session still has the old one open.
START_TEST(a_device_keeps_its_id)
{
    struct session session = {.id = 1};
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 1};
    start();
    uint32_t a = find("a")->id, b = find("b")->id;
    list_append(&node->sessions, &session.in_node);
    session.open[b - 1] = 1;
    fake_devices[0].name = fake_devices[1].name = NULL;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(node_count_functions(node), 0);
    fake_devices[0] = (struct fake_device){.name = "b", .ports = 1};
    verbs_scan(node->verbs);
    ck_assert_uint_eq(find("b")->id, b);
    fake_devices[1] = (struct fake_device){.name = "a", .ports = 1};
    verbs_scan(node->verbs);
    ck_assert_uint_eq(find("a")->id, a);
    list_remove(&session.in_node);
}
END_TEST

// Like after a restart: kept objects know functions by their names.
START_TEST(a_device_has_the_id_that_was_kept)
{
    struct function old[5] = {
        {.name = "x"}, {.name = ""}, {.name = "b"}, {.name = "s"}, {.name = "a"}};
    struct errtext err;
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 1};
    config.n_functions = topology_default(ROLE_HOST, config.functions);
    strcpy(config.functions[0].function.name, "x");
    strcpy(config.functions[1].function.name, "s");
    config.n_functions = 2;
    ck_assert_int_eq(node_new(&node, &config, &err), DOCA_SUCCESS);
    node_place_functions(node, old, 5);
    node_find_devices(node);
    ck_assert_uint_eq(node_count_functions(node), 4);
    ck_assert_uint_eq(find("x")->id, 1);
    ck_assert_uint_eq(find("b")->id, 3);
    ck_assert_uint_eq(find("s")->id, 4);
    ck_assert_uint_eq(find("a")->id, 5);
}
END_TEST

// A software function that takes the name of a device's takes its place, too.
START_TEST(a_name_changes_hands)
{
    struct config next;
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    config.n_functions = 0;
    start();
    uint32_t id = find("a")->id;
    next = config;
    struct function *f = &next.functions[next.n_functions++].function;
    strcpy(f->name, "a");
    strcpy(f->pci, "0000:0b:00.0");
    reload(node, &next);
    ck_assert_uint_eq(count("function a is gone"), 1);
    ck_assert_uint_eq(node_count_functions(node), 2);
    ck_assert_int_eq(node_function(node, id)->backing, DOCAD__BACKING__SHM);
    ck_assert_int_eq(node_function(node, id + 1)->backing, DOCAD__BACKING__VERBS);
    ck_assert_uint_eq(fake_devices[0].opened, 1);
}
END_TEST

START_TEST(exports_end_with_their_device)
{
    struct user user = {0};
    struct session session = {.id = 1, .user = &user};
    struct region region = {.object.session = &session};
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    start();
    session.node = region.object.node = node;
    list_init(&session.objects[DOCAD__RECORD__WHAT_EXPORT]);
    list_init(&region.exports);
    struct export *export = export_make(&region, find("a"));
    ck_assert(export && export_enter(export, 7, NULL, NULL) == DOCA_SUCCESS);
    verbs_scan(node->verbs);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(node, EXPORT), 1);
    fake_devices[0].name = NULL;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(node, EXPORT), 0);
    ck_assert_uint_eq(session.n_exports, 0);
}
END_TEST

START_TEST(too_many_say_how_to_leave_some_out)
{
    config.n_functions = FUNCTIONS_MAX;
    for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
        struct function *f = &config.functions[i].function;
        snprintf(f->name, sizeof(f->name), "f%zu", i);
        strcpy(f->pci, "0000:0b:00.0");
    }
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1};
    start();
    ck_assert_uint_eq(node_count_functions(node), FUNCTIONS_MAX);
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("exclude others in the verbs"), 1);
}
END_TEST

// ---- what is said ---------------------------------------------------------------------------

START_TEST(refused_devices_are_told_once)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .refuses = true};
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 1, .refuses = true};
    start();
    ck_assert_uint_eq(count("cannot be opened"), 0); // udev may be about to give the right
    wait_said("cannot be opened", 2);
    ck_assert_uint_eq(count("a: cannot be opened: Permission denied"), 1);
    ck_assert_uint_eq(count("b: cannot be opened"), 1);
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("cannot be opened"), 2);
    // Anew once it could be opened.
    fake_devices[0].refuses = false;
    verbs_scan(node->verbs);
    ck_assert_ptr_nonnull(find("a"));
    fake_devices[0].name = NULL;
    verbs_scan(node->verbs);
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .refuses = true};
    verbs_scan(node->verbs);
    wait_said("a: cannot be opened", 2);
}
END_TEST

// Its queue pairs cannot be connected as docad does it.
START_TEST(iwarp_is_left_out)
{
    fake_devices[0] = (struct fake_device){.name = "siw0", .ports = 1, .iwarp = true};
    fake_devices[1] = (struct fake_device){.name = "b", .ports = 1};
    start();
    wait_said("siw0: its transport is iWARP", 1);
    ck_assert_uint_eq(count("siw0: its transport is iWARP"), 1);
    ck_assert_ptr_null(find("siw0"));
    ck_assert_uint_eq(fake_devices[0].opened, 0);
    ck_assert_ptr_nonnull(find("b"));
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("its transport is iWARP"), 1);
}
END_TEST

START_TEST(devices_that_get_their_right_late)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .refuses = true};
    start();
    fake_devices[0].refuses = false;
    wait_said("function a: ibverbs device a port 1", 1);
    ck_assert_uint_eq(count("cannot be opened"), 0);
}
END_TEST

START_TEST(changes_are_told)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .port[0].n_gids = 1};
    start();
    ck_assert_uint_eq(count("active), GID 0 (10.0.0.1, RoCE v2)"), 1);
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("active), GID 0 (10.0.0.1, RoCE v2)"), 1);
    // Another address instead, then none, then it goes down.
    fake_devices[0].port[0].first = 9;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("active), GID 0 (10.0.0.9, RoCE v2)"), 1);
    fake_devices[0].port[0].n_gids = 0;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("active), no GID"), 1);
    fake_devices[0].port[0].down = true;
    fake_device_event(&fake_devices[0], IBV_EVENT_PORT_ERR);
    wait_said("down), no GID", 1);
    ck_assert(!find("a")->verbs.active);
}
END_TEST

// Objects that were made on it are lost: it is released, and becomes a function again when it
// can be opened.
START_TEST(a_failed_device_goes)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 2};
    start();
    uint32_t id = find("a")->id;
    fake_devices[0].refuses = true;
    fake_device_event(&fake_devices[0], IBV_EVENT_DEVICE_FATAL);
    wait_said("ibverbs device a: its driver reports that it has failed", 1);
    ck_assert_uint_eq(node_count_functions(node), 0);
    ck_assert_uint_eq(fake_devices[0].opened, 0);
    wait_said("a: cannot be opened", 1);
    fake_devices[0].refuses = false;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(find("a")->id, id);
    ck_assert_ptr_nonnull(find("a.2"));
    // One that can be opened again at once.
    fake_device_event(&fake_devices[0], IBV_EVENT_DEVICE_FATAL);
    wait_said("function a: ibverbs device a port 1", 3);
    ck_assert_uint_eq(count("ibverbs device a: its driver reports that it has failed"), 2);
    ck_assert_uint_eq(find("a")->id, id);
}
END_TEST

// ---- many GIDs ------------------------------------------------------------------------------

static size_t gids_told(void)
{
    static struct function_messages messages;
    size_t total = 0;
    size_t n = functions_to_messages(node->functions, node->n_functions, true, &messages);
    for (size_t i = 0; i < n; i++)
        if (messages.list[i]->verbs)
            total += messages.list[i]->verbs->n_gids;
    return total;
}

// Those of all ports are asked for at once.
START_TEST(all_gids_of_a_port)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 2, .port[0].n_gids = 256};
    fake_devices[0].port[1].n_gids = 20;
    start();
    ck_assert_uint_eq(find("a")->verbs.n_gids, 256);
    ck_assert_uint_eq(find("a.2")->verbs.n_gids, 20);
    ck_assert_uint_eq(find("a.2")->verbs.gids[19].index, 19);
    ck_assert_uint_eq(gids_told(), 276);
    ck_assert_uint_eq(count("programs only see the first"), 0);
}
END_TEST

START_TEST(gids_that_are_left_out_are_told)
{
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .port[0].n_gids = 300};
    start();
    ck_assert_uint_eq(find("a")->verbs.n_gids, VERBS_GIDS_MAX);
    ck_assert_uint_eq(count("a: its port has 300 GIDs, and programs only see the first 256"), 1);
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("programs only see the first"), 1);
    fake_devices[0].port[0].n_gids = 200;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(gids_told(), 200);
    fake_devices[0].port[0].n_gids = 260;
    verbs_scan(node->verbs);
    ck_assert_uint_eq(count("its port has 260 GIDs, and programs only see the first 256"), 1);
}
END_TEST

// More ports share the room that a message has.
START_TEST(gids_of_many_ports)
{
    for (int i = 0; i < FAKE_DEVICES; i++) {
        static const char *const names[FAKE_DEVICES] = {"a", "b", "c", "d"};
        fake_devices[i] = (struct fake_device){.name = names[i], .ports = 2};
        fake_devices[i].port[0].n_gids = fake_devices[i].port[1].n_gids = 200;
    }
    start();
    ck_assert_uint_eq(gids_told(), 1024);
    ck_assert_uint_eq(count("its port has 200 GIDs, and programs only see the first 128"), 8);
}
END_TEST

// ---- the kernel's news ------------------------------------------------------------------------

static int fake_errno;

ssize_t __real_recv(int fd, void *buf, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags);

ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags)
{
    if (!fake_errno)
        return __real_recv(fd, buf, size, flags);
    errno = fake_errno;
    fake_errno = 0;
    return -1;
}

static enum verbs_change news(int pair[2], const char *text, size_t size)
{
    if (text)
        ck_assert_int_eq(send(pair[1], text, size, 0), (ssize_t)size);
    return verbs_watch_read(pair[0]);
}

#define NEWS(text) news(pair, text, sizeof(text))

START_TEST(what_the_kernel_says)
{
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert_int_eq(news(pair, NULL, 0), VERBS_CHANGE_NONE);
    ck_assert_int_eq(NEWS("add@/devices/x\0ACTION=add\0SUBSYSTEM=net"), VERBS_CHANGE_NONE);
    ck_assert_int_eq(NEWS("add@/devices/x\0SUBSYSTEM=infiniband"), VERBS_CHANGE_CHANGED);
    ck_assert_int_eq(send(pair[1], "remove@/x\0SUBSYSTEM=infiniband_verbs", 36, 0), 36);
    ck_assert_int_eq(NEWS("add@/devices/x\0SUBSYSTEM=infiniband"), VERBS_CHANGE_REMOVED);
    // More than the socket holds: what was lost may have been a removal.
    fake_errno = ENOBUFS;
    ck_assert_int_eq(NEWS("add@/devices/x\0SUBSYSTEM=net"), VERBS_CHANGE_REMOVED);
    ck_assert_int_eq(news(pair, NULL, 0), VERBS_CHANGE_NONE);
    close(pair[0]);
    close(pair[1]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {each_port_is_a_function,
                                  patterns_leave_devices_out,
                                  a_section_offers_its_port,
                                  ports_that_are_not_there,
                                  how_connections_wait,
                                  a_reload_takes_the_settings,
                                  a_reload_excludes,
                                  a_device_keeps_its_id,
                                  a_device_has_the_id_that_was_kept,
                                  a_name_changes_hands,
                                  exports_end_with_their_device,
                                  too_many_say_how_to_leave_some_out,
                                  refused_devices_are_told_once,
                                  iwarp_is_left_out,
                                  devices_that_get_their_right_late,
                                  changes_are_told,
                                  a_failed_device_goes,
                                  all_gids_of_a_port,
                                  gids_that_are_left_out_are_told,
                                  gids_of_many_ports,
                                  what_the_kernel_says};
    TCase *tcase = tcase_create("verbs_discovery");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("verbs_discovery", tcase);
}
