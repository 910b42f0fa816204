// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory runs out while a message is unpacked, over each of the transports, with descriptors and
// without. The other side is not told to have sent what it has not: whoever reads in the log of a
// malformed message looks for the fault in the program.

#include "connection_rig.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "packet.h"
#include "text_names.h"
#include "tls_nodes.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
Docad__Message *__real_docad__message__unpack(ProtobufCAllocator *allocator, size_t size,
                                              const uint8_t *data);
Docad__Message *__wrap_docad__message__unpack(ProtobufCAllocator *allocator, size_t size,
                                              const uint8_t *data);

static bool unpacking;             // Check allocates, too
static long calls_left = LONG_MAX; // of malloc(), before one fails
static bool failed;

void *__wrap_malloc(size_t size)
{
    if (!unpacking || calls_left-- != 0)
        return __real_malloc(size);
    failed = true;
    return NULL;
}

Docad__Message *__wrap_docad__message__unpack(ProtobufCAllocator *allocator, size_t size,
                                              const uint8_t *data)
{
    unpacking = true;
    Docad__Message *message = __real_docad__message__unpack(allocator, size, data);
    unpacking = false;
    return message;
}

static void on_reaper(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    fd_reaper_work();
}

static struct event *closing;

// From now on packets with descriptors are looked at before they are received.
static void setup_looks(void)
{
    ck_assert(fd_reaper_start());
    setup_unix();
    closing = event_new(base, fd_reaper_fd(), EV_READ | EV_PERSIST, on_reaper, NULL);
    ck_assert_int_eq(event_add(closing, NULL), 0);
}

static void teardown_looks(void)
{
    event_free(closing);
    teardown_unix();
    fd_reaper_stop();
}

// True if it arrived without so many calls.
static bool nth_fails(void (*setup)(void), void (*teardown)(void), const char *file, long nth)
{
    setup();
    if (file) {
        Docad__Message message = DOCAD__MESSAGE__INIT;
        Docad__Error error = DOCAD__ERROR__INIT;
        cleanup_fd int fd = open(file, O_RDWR | O_CLOEXEC);
        ck_assert_int_ge(fd, 0);
        error.text = (char *)"bbb";
        message.serial = 1;
        message.body_case = DOCAD__MESSAGE__BODY_ERROR;
        message.error = &error;
        ck_assert_int_eq(connection_send(a.connection, &message, &fd, 1), 0);
    } else {
        send_text(&a, 1, 100);
    }
    failed = false;
    calls_left = nth;
    run_until(b.closed || b.received > 0);
    if (b.closed)
        assert_names(b.why, "memory");
    ck_assert(b.closed == failed);
    teardown();
    return !failed;
}

static void each_fails(void (*setup)(void), void (*teardown)(void), const char *file)
{
    long nth = 0;
    while (!nth_fails(setup, teardown, file, nth))
        nth++;
    ck_assert_int_gt(nth, 1);
}

START_TEST(over_a_socket)
{
    each_fails(setup_unix, teardown_unix, NULL);
}
END_TEST

START_TEST(over_a_link)
{
    each_fails(setup_tls, teardown_tls, NULL);
}
END_TEST

START_TEST(with_a_descriptor_that_is_refused)
{
    each_fails(setup_looks, teardown_looks, "/dev/null");
}
END_TEST

// Otherwise none of the above says anything.
START_TEST(bytes_that_are_no_message)
{
    int ends[2];
    cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (size_t n_fds = 0; n_fds < 2; n_fds++) {
        struct connection *connection;
        setup_looks();
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        b.connection = connection_free(b.connection);
        ck_assert_int_eq(connection_new(&connection, base, ends[0], OUTPUT_MAX), 0);
        take_end(&b, connection);
        ck_assert_int_eq(packet_send(ends[1], "\xff", 1, &null, n_fds, 0), 0);
        run_until(b.closed);
        ck_assert(!text_names(b.why, "memory"));
        close(ends[1]);
        teardown_looks();
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {over_a_socket, over_a_link, with_a_descriptor_that_is_refused,
                                  bytes_that_are_no_message};
    Suite *suite = suite_create("connection_memory");
    TCase *tcase = tcase_create("received");
    tcase_add_unchecked_fixture(tcase, certificates_prepare, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
