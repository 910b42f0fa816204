// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors whose closing waits (hanging.h), and what docad does meanwhile.

#include "unit.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "hanging.h"
#include "log.h"
#include "memfd.h"
#include "packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SENDER   4711
#define MANY     64
#define SPARE    3 // docad's
#define RETRY_MS 20
#define CLOG_MS  5000

pid_t __real_fork(void);
pid_t __wrap_fork(void);

// Shared with the process that makes helpers.
static struct {
    pid_t test;
    _Atomic bool no_forks; // but the test may
    _Atomic unsigned made, failed;
} * forks;

pid_t __wrap_fork(void)
{
    if (!forks || getpid() == forks->test)
        return __real_fork();
    if (!atomic_load(&forks->no_forks)) {
        atomic_fetch_add(&forks->made, 1);
        return __real_fork();
    }
    atomic_fetch_add(&forks->failed, 1);
    errno = EAGAIN;
    return -1;
}

// The time that the test sets, which goes on when the reaper waits; 0: the real one.
static uint64_t said_ms;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!said_ms)
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){(time_t)(said_ms / 1000), (long)(said_ms % 1000) * 1000000};
    return 0;
}

int __real_epoll_wait(int epoll, struct epoll_event *events, int n, int ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int n, int ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int n, int ms)
{
    if (!said_ms || ms <= 0)
        return __real_epoll_wait(epoll, events, n, ms);
    said_ms += (uint64_t)ms;
    return __real_epoll_wait(epoll, events, n, 0);
}

static void setup(void)
{
    forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(forks, MAP_FAILED);
    forks->test = getpid();
    ck_assert(fd_reaper_start());
}

static void teardown(void)
{
    said_ms = 0;
    fd_reaper_stop();
    munmap(forks, sizeof(*forks));
    forks = NULL;
}

static void work(void)
{
    fd_reaper_work();
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

// Some whose last close waits until hanging_end().
static bool open_many(struct hanging *h, int *fds, size_t n)
{
    bool can = hanging_open_many(h, fds, n);
    if (!can)
        fprintf(stderr, "skipped: no /dev/fuse or no user namespaces for this user\n");
    return can;
}

// Waits until nobody has the other end of a pipe.
static void await_hang_up(int reader)
{
    struct pollfd p = {.fd = reader, .events = POLLIN};
    while (poll(&p, 1, 1) == 0)
        fd_reaper_work();
    ck_assert(p.revents & POLLHUP);
    close(reader);
}

static int make_pipe(int *reader)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    *reader = ends[0];
    return ends[1];
}

static void make_pair(int type, int pair[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair), 0);
}

static bool is_closed(int fd)
{
    return fcntl(fd, F_GETFD) < 0;
}

START_TEST(waiting_closes_hold_up_nobody)
{
    int fds[MANY], pair[2], reader;
    struct hanging h;
    if (!open_many(&h, fds, MANY))
        return;
    said_ms = clock_ms();
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(fd_reaper_load(SENDER), FD_REAPER_READY);
        fd_reaper_close(fds[i], SENDER);
    }
    // Only the sender has to wait.
    ck_assert_int_ne(fd_reaper_load(SENDER), FD_REAPER_READY);
    make_pair(SOCK_STREAM, pair);
    int fd = make_pipe(&reader);
    ck_assert_int_eq(packet_send(pair[1], "", 1, &fd, 1, 0), 0);
    close(fd);
    close(pair[1]);
    fd_reaper_close(pair[0], SENDER + 1);
    await_hang_up(reader);
    said_ms += CLOG_MS - 1;
    ck_assert_int_eq(fd_reaper_load(SENDER), FD_REAPER_BUSY);
    said_ms++;
    ck_assert_int_eq(fd_reaper_load(SENDER), FD_REAPER_STUCK);
    ck_assert_int_eq(fd_reaper_load(SENDER + 1), FD_REAPER_READY);
    hanging_end(&h);
    while (fd_reaper_load(SENDER) != FD_REAPER_READY)
        work();
}
END_TEST

// A service manager that starts the next docad finds no process of this one. Without init their
// processes are left to us.
START_TEST(none_is_left_over)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    fd_reaper_stop();
    ck_assert(fd_reaper_start());
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), 0); // there are some
    fd_reaper_stop();
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

// docad ends though helpers hang, and has nothing open that could make its end wait.
START_TEST(leaves_those_that_hang)
{
    int fds[MANY];
    struct hanging h;
    if (!open_many(&h, fds, MANY))
        return;
    for (int i = 0; i < MANY; i++)
        fd_reaper_close(fds[i], SENDER);
    said_ms = clock_ms();
    fd_reaper_stop();
    for (int i = 0; i < MANY; i++)
        ck_assert(is_closed(fds[i]));
    hanging_end(&h);
}
END_TEST

// More users than there are helpers that may hang for all of them.
START_TEST(helpers_are_left_for_others)
{
    int fds[MANY], reader;
    struct hanging h;
    if (!open_many(&h, fds, MANY))
        return;
    for (int i = 0; i < MANY; i++)
        fd_reaper_close(fds[i], SENDER + (uid_t)i / 4);
    for (int i = 0; i < 100; i++)
        work();
    fd_reaper_close(make_pipe(&reader), SENDER - 1);
    await_hang_up(reader);
    hanging_end(&h);
}
END_TEST

// Each kind, one after the other: a descriptor of another user is closed meanwhile.
START_TEST(every_kind_hangs_alone)
{
    struct hanging h;
    int reader;
    if (_i == HANGING_FILE || _i == HANGING_POSITION || // these do not enter docad
        !hanging_open(&h, (enum hanging_kind)_i, NULL))
        return;
    int fd = fcntl(h.fd, F_DUPFD_CLOEXEC, 0);
    hanging_leave(&h);
    fd_reaper_close(fd, SENDER);
    fd_reaper_close(make_pipe(&reader), SENDER);
    await_hang_up(reader);
    hanging_end(&h);
}
END_TEST

static void assert_closed_at_once(int fd)
{
    ck_assert_int_ge(fd, 0);
    fd_reaper_close(fd, SENDER);
    ck_assert(is_closed(fd));
}

START_TEST(small_memory_closes_at_once)
{
    int large = memfd_create_sealed("a", 64 << 20);
    assert_closed_at_once(memfd_create_sealed("a", 4096));
    fd_reaper_close(-1, SENDER);
    fd_reaper_close_socket(-1, SENDER);
    ck_assert_int_eq(fd_reaper_load(SENDER), FD_REAPER_READY);
    fd_reaper_close(large, SENDER);
    fd_reaper_stop(); // a helper has closed it
    ck_assert(is_closed(large));
    setup();
}
END_TEST

static void note(void *arg, enum fd_verdict finding)
{
    *(int *)arg = (int)finding;
}

static int await_finding(struct fd_inspection *look, const int *finding)
{
    ck_assert_ptr_nonnull(look);
    while (*finding < 0)
        work();
    return *finding;
}

// What a helper finds in the packet that `fds` come with.
static int look_at(const int *fds, size_t n)
{
    int pair[2], good = -1;
    make_pair(SOCK_SEQPACKET, pair);
    ck_assert_int_eq(packet_send(pair[1], "x", 1, fds, n, 0), 0);
    await_finding(fd_reaper_inspect(pair[0], SENDER, note, &good), &good);
    fd_reaper_close_socket(pair[0], SENDER);
    close(pair[1]);
    return good;
}

START_TEST(looks_at_descriptors)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), memory = memfd_create_sealed("a", 4096);
    int event = eventfd(0, EFD_CLOEXEC), mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    const int good[] = {memory, event, mem}, bad[] = {memory, null};
    ck_assert_int_eq(look_at(good, 3), FD_VERDICT_GOOD);
    ck_assert_int_eq(look_at(bad, 2), FD_VERDICT_REFUSED);
    ck_assert_int_eq(look_at(&null, 1), FD_VERDICT_REFUSED);
    close(null);
    close(memory);
    close(event);
    close(mem);
}
END_TEST

// What docad may have, but has no room for: this packet goes, and no other.
START_TEST(takes_away_what_is_refused)
{
    int pair[2], reader, fd = make_pipe(&reader), finding = -1;
    char byte;
    make_pair(SOCK_SEQPACKET, pair);
    ck_assert_int_eq(packet_send(pair[1], "x", 1, &fd, 1, 0), 0);
    ck_assert_int_eq(packet_send(pair[1], "y", 1, NULL, 0, 0), 0);
    close(fd);
    ck_assert_int_eq(await_finding(fd_reaper_refuse(pair[0], SENDER, note, &finding), &finding),
                     FD_VERDICT_REFUSED);
    ck_assert_int_eq(recv(pair[0], &byte, 1, MSG_DONTWAIT), 1);
    ck_assert_int_eq(byte, 'y');
    await_hang_up(reader);
    fd_reaper_close_socket(pair[0], SENDER);
    close(pair[1]);
}
END_TEST

// A helper that finds such a file says so before it hangs.
START_TEST(looks_at_files_that_hang)
{
    struct hanging h;
    if (!hanging_open(&h, HANGING_FILE, NULL))
        return;
    ck_assert_int_eq(look_at(&h.fd, 1), FD_VERDICT_REFUSED);
    ck_assert_int_eq(look_at(&h.fd, 1), FD_VERDICT_REFUSED);
    hanging_end(&h);
}
END_TEST

START_TEST(looks_end_with_their_connection)
{
    int pair[2], good = -1;
    for (int i = 0; i < 20; i++) {
        make_pair(SOCK_SEQPACKET, pair);
        ck_assert_int_eq(packet_send(pair[1], "x", 1, &pair[1], 1, 0), 0);
        struct fd_inspection *look = fd_reaper_inspect(pair[0], SENDER, note, &good);
        if (i & 1)
            work();
        if (good < 0)
            fd_reaper_inspect_cancel(look);
        good = -1;
        close(pair[0]);
        close(pair[1]);
    }
    fd_reaper_inspect_cancel(NULL);
}
END_TEST

// Whether the other side has closed, and whatever docad has said to it.
START_TEST(empty_sockets_end_at_once)
{
    for (int i = 0; i < 16; i++) {
        int pair[2];
        make_pair(i & 8 ? SOCK_STREAM : SOCK_SEQPACKET, pair);
        if (i & 1)
            ck_assert_int_eq(send(pair[0], "x", 1, 0), 1);
        if (i & 2)
            close(pair[1]);
        // The other side sees the end though this one is in the store, too.
        int again = i & 4 ? dup(pair[0]) : -1;
        fd_reaper_close_socket(pair[0], SENDER);
        ck_assert(is_closed(pair[0]));
        if (!(i & 2)) {
            char byte;
            ck_assert_int_eq(recv(pair[1], &byte, 1, 0), i & 1);
            ck_assert_int_eq(recv(pair[1], &byte, 1, 0), 0);
            ck_assert_int_lt(send(pair[1], "x", 1, MSG_NOSIGNAL), 0);
            close(pair[1]);
        }
        close_fdp(&again);
    }
    ck_assert_int_eq(fd_reaper_load(SENDER), FD_REAPER_READY);
}
END_TEST

static const struct {
    int type, flags;
    size_t size;
} packets[] = {
    {SOCK_STREAM, 0, 1},
    {SOCK_STREAM, MSG_OOB, 1},
    {SOCK_SEQPACKET, 0, 1},
    {SOCK_SEQPACKET, 0, 0},
};

// docad's end of a socket in which a descriptor lies unread.
static void end_with(int fd, int type, size_t size, int flags)
{
    int pair[2];
    make_pair(type, pair);
    ck_assert_int_eq(packet_send(pair[1], "x", size, &fd, 1, flags), 0);
    close(fd);
    close(pair[1]);
    fd_reaper_close_socket(pair[0], SENDER);
}

// It would not return if it closed what hangs.
START_TEST(sockets_with_descriptors_end_elsewhere)
{
    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        struct hanging h;
        int fd;
        if (!open_many(&h, &fd, 1))
            return;
        end_with(fd, packets[i].type, packets[i].size, packets[i].flags);
        hanging_end(&h);
    }
}
END_TEST

// Otherwise a client that connects again and again could make docad run out of descriptors.
START_TEST(ends_do_not_wait_for_what_was_taken)
{
    int fds[8], reader;
    struct hanging h;
    if (!open_many(&h, fds, ARRAY_SIZE(fds)))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fd_reaper_close(fds[i], SENDER);
    end_with(make_pipe(&reader), SOCK_STREAM, 1, 0);
    await_hang_up(reader);
    hanging_end(&h);
}
END_TEST

// A TCP socket that would wait an hour until its data is read.
static int lingering(void)
{
    static const char data[65536];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct linger linger = {.l_onoff = 1, .l_linger = 3600};
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
        ;
    return fd; // nobody accepts the connection: the listener stays open
}

START_TEST(nothing_lingers)
{
    int reader;
    for (int i = 0; i < 4; i++) {
        fd_reaper_close(lingering(), SENDER);
        end_with(lingering(), SOCK_SEQPACKET, 1, 0);
    }
    fd_reaper_close(make_pipe(&reader), SENDER);
    await_hang_up(reader);
    end_with(make_pipe(&reader), SOCK_SEQPACKET, 1, 0);
    await_hang_up(reader);
}
END_TEST

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += !is_closed(fd);
    return n;
}

// Of the helpers that were made for many tasks at once, those that stay are as many as at the
// start, however many ended theirs in the same turn of the loop.
START_TEST(helpers_go_when_there_is_nothing_to_do)
{
    enum { TASKS = 12 };
    unsigned before = open_descriptors();
    for (int round = 0; round < 50; round++) {
        int readers[TASKS];
        for (uid_t i = 0; i < TASKS; i++)
            fd_reaper_close(make_pipe(&readers[i]), SENDER + i);
        for (int i = 0; i < TASKS; i++)
            await_hang_up(readers[i]);
    }
    for (int looks = 0; looks < 10000 && open_descriptors() != before; looks++)
        work();
    ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

static void count_line(void *arg, const char *line)
{
    (void)line;
    ++*(unsigned *)arg;
}

// From now on there are no more helpers than those of the start.
static void forbid_forks(void)
{
    while (atomic_load(&forks->made) < SPARE)
        work();
    atomic_store(&forks->no_forks, true);
}

static void assert_serves(uid_t uid)
{
    int reader;
    for (int i = 0; i < 10; i++) {
        fd_reaper_close(make_pipe(&reader), uid);
        await_hang_up(reader);
    }
}

static void await_failures(unsigned n)
{
    unsigned before = atomic_load(&forks->failed);
    while (atomic_load(&forks->failed) < before + n)
        work();
}

// No more helpers can be made, and those that there are hang: nothing is closed here, docad does
// not try it all the time, and who waits is first when one can be made.
START_TEST(goes_on_without_new_helpers)
{
    int fds[8], reader;
    unsigned said = 0;
    struct hanging h;
    if (!open_many(&h, fds, ARRAY_SIZE(fds)))
        return;
    forbid_forks();
    log_listen(count_line, &said);
    uint64_t since = clock_ms();
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fd_reaper_close(fds[i], SENDER + (uid_t)i / 4);
    await_failures(2);
    fd_reaper_close(make_pipe(&reader), SENDER + 2);
    await_failures(8);
    ck_assert_uint_le(atomic_load(&forks->failed), (clock_ms() - since) / RETRY_MS + 2);
    ck_assert_uint_eq(said, 1);
    log_listen(NULL, NULL);
    atomic_store(&forks->no_forks, false);
    await_hang_up(reader);
    hanging_end(&h);
    while (fd_reaper_load(SENDER) != FD_REAPER_READY)
        work();
    assert_serves(SENDER);
}
END_TEST

// Whatever a uid has docad close: it does not get the last helper, if one of its own hangs.
START_TEST(the_last_helper_is_for_others)
{
    int fds[8];
    struct hanging h;
    if (!open_many(&h, fds, ARRAY_SIZE(fds)))
        return;
    forbid_forks();
    for (size_t i = 0; i < ARRAY_SIZE(fds) / 2; i++)
        fd_reaper_close(fds[i], SENDER);
    await_failures(1);
    for (size_t i = ARRAY_SIZE(fds) / 2; i < ARRAY_SIZE(fds); i++)
        end_with(fds[i], SOCK_STREAM, 1, 0);
    await_failures(2);
    assert_serves(SENDER + 1);
    hanging_end(&h);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {waiting_closes_hold_up_nobody,
                                  none_is_left_over,
                                  leaves_those_that_hang,
                                  helpers_are_left_for_others,
                                  small_memory_closes_at_once,
                                  looks_at_descriptors,
                                  takes_away_what_is_refused,
                                  looks_at_files_that_hang,
                                  looks_end_with_their_connection,
                                  empty_sockets_end_at_once,
                                  sockets_with_descriptors_end_elsewhere,
                                  ends_do_not_wait_for_what_was_taken,
                                  nothing_lingers,
                                  goes_on_without_new_helpers,
                                  the_last_helper_is_for_others,
                                  helpers_go_when_there_is_nothing_to_do};
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    TCase *tcase = tcase_create("fd_reaper");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, every_kind_hangs_alone, 0, HANGING_KINDS);
    return unit_run_case("fd_reaper", tcase);
}
