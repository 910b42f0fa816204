// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_listener.h"

#include "fd_reaper.h"
#include "session_rig.h"
#include "touched.h"
#include "unit.h"
#include "user.h"

#include <sys/socket.h>
#include <unistd.h>

#define ALICE   4711
#define MALLORY 4712
#define MANY    10000u
#define FEW     200 // a tree of MANY is some 30 deep, and a call looks for two functions

static const struct object_kind *const kinds[] = {&listener_kind, NULL};
static struct rig_session alice, mallory;

static void begin(void)
{
    rig_begin(kinds);
    rig_node.functions[1] = (struct function){.id = 2, .name = "pf1", .has_ipv4 = true};
    rig_node.functions[0].has_ipv4 = true;
    memcpy(rig_node.functions[0].ipv4, (const uint8_t[]){10, 0, 0, 1}, 4);
    memcpy(rig_node.functions[1].ipv4, (const uint8_t[]){10, 0, 0, 2}, 4);
    rig_node.n_functions = 2;
    rig_session_begin(&alice);
    rig_session_begin(&mallory);
    rig_session_be(&alice, ALICE);
    rig_session_be(&mallory, MALLORY);
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        rig_config.limits.value[i] = LIMIT_UNLIMITED;
}

static void end(void)
{
    rig_session_end(&mallory);
    rig_session_end(&alice);
    ck_assert_ptr_null(rig_node.listeners_by_port.root);
    rig_end();
}

static void enter(struct rdma_listener *listener)
{
    struct errtext err;
    ck_assert_msg(rdma_listener_enter(listener, node_next_id(&rig_node), &rig_config.limits,
                                      &err) == DOCA_SUCCESS,
                  "%s", err.s);
}

static struct rdma_listener *listen_on(struct rig_session *by, size_t function, uint16_t port)
{
    struct rdma_listener *listener =
        rdma_listener_make(&by->session, &rig_node.functions[function], port);
    ck_assert_ptr_nonnull(listener);
    enter(listener);
    return listener;
}

static doca_error_t try_listen(struct rig_session *by, uint32_t port)
{
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct errtext err;
    struct request request = {&by->session, &message, NULL, &err};
    m.function_id = 1;
    m.port = port;
    message.serial = 1;
    message.rdma_listen = &m;
    return on_rdma_listen(&request);
}

static uint8_t address[2][RDMA_ADDRESS_SIZE] = {
    {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1},
    {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2},
};

static struct rdma_listener *find(const uint8_t *at, uint32_t port, const struct function *first)
{
    return rdma_listener_find(&rig_node, &(struct rdma_target){at, port, ALICE, first});
}

START_TEST(a_listener_is_found_by_its_port)
{
    struct rdma_listener *theirs = listen_on(&mallory, 0, 7), *mine = listen_on(&alice, 1, 7),
                         *later = listen_on(&alice, 0, 8), *first = listen_on(&alice, 1, 8);
    const struct function *f = rig_node.functions;
    // A call to an address finds any user's listener, one without an address the caller's own.
    ck_assert_ptr_eq(find(address[0], 7, NULL), theirs);
    ck_assert_ptr_eq(find(address[1], 7, NULL), mine);
    ck_assert_ptr_eq(find(NULL, 7, &f[0]), mine);
    ck_assert_ptr_null(find(address[0], 9, NULL));
    ck_assert_ptr_null(find(NULL, 6, NULL));
    // First the caller's function, then who listens longest.
    ck_assert_ptr_eq(find(NULL, 8, &f[1]), first);
    ck_assert_ptr_eq(find(NULL, 8, NULL), later);
    rdma_listener_free(later);
    ck_assert_ptr_eq(find(NULL, 8, &f[0]), first);
    rdma_listener_end(mine); // with its function
    ck_assert_ptr_null(find(address[1], 7, NULL));
    ck_assert_ptr_null(find(NULL, 7, NULL));
}
END_TEST

START_TEST(ports_of_others_are_few_steps)
{
    for (uint32_t i = 0; i < MANY; i++) {
        struct rdma_listener *listener = touched_new();
        object_init(&listener->object, DOCAD__RECORD__WHAT_LISTENER, &rig_node, &mallory.session);
        listener->accept_fd = -1;
        listener->function = &rig_node.functions[i % 2];
        listener->port = (uint16_t)(i + 1);
        list_init(&listener->callers);
        ck_assert_int_eq(in_flight_init(&listener->in_flight, -1, MALLORY), 0);
        enter(listener);
    }
    struct rdma_listener *mine = listen_on(&alice, 0, MANY + 1);
    touched_begin();
    ck_assert_ptr_eq(find(NULL, MANY + 1, NULL), mine);
    ck_assert_ptr_eq(find(address[0], MANY + 1, NULL), mine);
    ck_assert_ptr_null(find(address[0], MANY + 2, NULL));
    ck_assert_int_eq(try_listen(&alice, MANY + 1), DOCA_ERROR_ALREADY_EXIST);
    ck_assert_uint_le(touched_end(), FEW);
}
END_TEST

START_TEST(a_user_has_a_limited_number_of_listeners)
{
    rig_config.limits.value[LIMIT_LISTENERS] = 2;
    listen_on(&mallory, 0, 1);
    listen_on(&mallory, 0, 2);
    ck_assert_int_eq(try_listen(&mallory, 3), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(mallory.session.user->n_listeners, 2);
    listen_on(&alice, 0, 3);
}
END_TEST

// ---- calls ------------------------------------------------------------------------------------

static bool no_sockets;

int __real_socketpair(int domain, int type, int protocol, int fds[2]);
int __wrap_socketpair(int domain, int type, int protocol, int fds[2]);
int __wrap_socketpair(int domain, int type, int protocol, int fds[2])
{
    if (!no_sockets)
        return __real_socketpair(domain, type, protocol, fds);
    errno = EMFILE;
    return -1;
}

static doca_error_t call(struct rdma_listener *listener)
{
    const Docad__RdmaOffer offer = DOCAD__RDMA_OFFER__INIT;
    struct errtext err;
    int fd = -1;
    doca_error_t r = rdma_listener_offer(listener, mallory.session.user, NULL, &offer, &fd, &err);
    if (fd >= 0)
        close(fd);
    return r;
}

// One call waits, so that the places are not given back for that.
static struct rdma_listener *called(int *client)
{
    int pair[2];
    struct rdma_listener *listener = listen_on(&alice, 0, 7);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    listener->accept_fd = pair[0];
    *client = pair[1];
    ck_assert_int_eq(call(listener), DOCA_SUCCESS);
    ck_assert_uint_eq(listener->n_waiting, 1);
    return listener;
}

START_TEST(calls_that_fail_give_their_place_back)
{
    int client;
    struct rdma_listener *listener = called(&client);

    no_sockets = true;
    for (int i = 0; i < 2 * RDMA_CALLS_WAITING; i++)
        ck_assert_int_eq(call(listener), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(listener->n_waiting, 1);
    no_sockets = false;
    ck_assert_int_eq(call(listener), DOCA_SUCCESS);
    ck_assert_uint_eq(listener->n_waiting, 2);
    close(client); // from now on nothing can be sent
    for (int i = 0; i < 2 * RDMA_CALLS_WAITING; i++)
        ck_assert_int_eq(call(listener), DOCA_ERROR_NOT_FOUND);
    ck_assert_uint_le(listener->n_waiting, 2);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("listeners");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_listener_is_found_by_its_port);
    tcase_add_test(tcase, ports_of_others_are_few_steps);
    tcase_add_test(tcase, a_user_has_a_limited_number_of_listeners);
    tcase_add_test(tcase, calls_that_fail_give_their_place_back);
    return unit_run_case("RDMA listeners", tcase);
}
