// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel of programs of the 1.3 interface: properties at the start, no device, and
// calls that wait.

#include "doca_1_3.h"

#include "child.h"
#include "daemon.h"
#include "nodes.h"
#include "run.h"

#include <doca_comm_channel.h>

#define MESSAGES 300

static struct doca_comm_channel_ep_t *endpoint(uint32_t flags, uint32_t maxmsgs)
{
    struct doca_comm_channel_init_attr attr = {0};
    struct doca_comm_channel_ep_t *ep = NULL;
    attr.flags = flags;
    attr.maxmsgs = maxmsgs;
    attr.msgsize = 1024;
    ck_assert_success(doca_comm_channel_ep_create(&attr, &ep));
    ck_assert_ptr_nonnull(ep);
    return ep;
}

// ---- making one ------------------------------------------------------------------------

START_TEST(properties)
{
    struct doca_comm_channel_init_attr attr = {0};
    struct doca_comm_channel_ep_t *ep = NULL;
    struct doca_comm_channel_init_attr wrong[] = {
        {.flags = 2}, {.maxmsgs = 8193}, {.maxmsgs = 65537}, {.msgsize = 4081}, {.msgsize = 65537}};
    uint16_t n;

    ck_assert_error(doca_comm_channel_ep_create(NULL, &ep), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_create(&attr, NULL), DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        ck_assert_error(doca_comm_channel_ep_create(&wrong[i], &ep),
                        wrong[i].msgsize ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(ep);

    ck_assert_success(doca_comm_channel_ep_create(&attr, &ep));
    ck_assert_success(doca_comm_channel_ep_get_max_msg_size(ep, &n));
    ck_assert_uint_eq(n, 4080);
    ck_assert_success(doca_comm_channel_ep_destroy(ep));

    ep = endpoint(DOCA_CC_INIT_FLAG_NONBLOCK, 10);
    ck_assert_success(doca_comm_channel_ep_get_max_msg_size(ep, &n));
    ck_assert_uint_eq(n, 1024);
    ck_assert_success(doca_comm_channel_ep_get_send_queue_size(ep, &n));
    ck_assert_uint_eq(n, 16); // as in 2.2, a power of two
    ck_assert_success(doca_comm_channel_ep_get_recv_queue_size(ep, &n));
    ck_assert_uint_eq(n, 16);
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
}
END_TEST

// ---- question and answer -----------------------------------------------------------------

// Answers messages as programs written for 1.3 do, then lets the queues fill up.
static int serve(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(0, 2);
    struct doca_comm_channel_addr_t *peer = NULL;
    char got[1024];
    size_t len = sizeof(got);
    (void)arg;

    ck_assert_success(doca_comm_channel_ep_listen(ep, "service"));
    child_tell(self, "listening");
    ck_assert_success(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &peer));
    ck_assert_str_eq(got, "question");
    ck_assert_uint_eq(len, 9);
    ck_assert_success(doca_comm_channel_ep_sendto(ep, "answer", 7, 0, peer));

    child_wait(self, "full");
    for (unsigned i = 0, number;; i++) {
        len = sizeof(got);
        ck_assert_success(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &peer));
        if (i == MESSAGES)
            break;
        memcpy(&number, got, sizeof(number));
        ck_assert_uint_eq(number, i);
    }
    ck_assert_str_eq(got, "end");
    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, got, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &peer),
                    DOCA_ERROR_AGAIN);
    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, got, &len, 2, &peer),
                    DOCA_ERROR_INVALID_VALUE);
    child_wait(self, "go");
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    return 0;
}

static int ask(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(0, 2);
    struct doca_comm_channel_addr_t *peer = NULL, *from = NULL;
    char got[1024];
    size_t len = sizeof(got);
    unsigned i = 0;
    (void)arg;

    ck_assert_success(doca_comm_channel_ep_connect(ep, "service", &peer));
    ck_assert_success(doca_comm_channel_ep_sendto(ep, "question", 9, 0, peer)); // is accepted
    ck_assert_success(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &from));
    ck_assert_str_eq(got, "answer");
    ck_assert_ptr_eq(from, peer);

    // Nobody takes these.
    doca_error_t r;
    while ((r = doca_comm_channel_ep_sendto(ep, &i, sizeof(i), DOCA_CC_MSG_FLAG_DONTWAIT, peer)) ==
           DOCA_SUCCESS)
        ck_assert_uint_lt(++i, MESSAGES);
    ck_assert_error(r, DOCA_ERROR_AGAIN);
    child_tell(self, "full");
    for (; i < MESSAGES; i++)
        ck_assert_success(doca_comm_channel_ep_sendto(ep, &i, sizeof(i), 0, peer));
    ck_assert_success(doca_comm_channel_ep_sendto(ep, "end", 4, 0, peer));

    // Waits until the other side goes.
    child_tell(self, "waiting");
    len = sizeof(got);
    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &from),
                    DOCA_ERROR_CONNECTION_RESET);
    ck_assert_success(doca_comm_channel_ep_disconnect(ep, peer));
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    return 0;
}

START_TEST(calls_that_wait)
{
    struct child *service = child_start(nodes.dpu, "service", serve, NULL);
    child_wait(service, "listening");
    struct child *client = child_start(nodes.host, "client", ask, NULL);
    child_wait(client, "full");
    child_tell(service, "full");
    child_wait(client, "waiting");
    child_tell(service, "go");
    child_join(service);
    child_join(client);
}
END_TEST

// ---- endpoints that do not wait, and where nobody may listen ----------------------------------

static int do_not_wait(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(DOCA_CC_INIT_FLAG_NONBLOCK, 0);
    struct doca_comm_channel_addr_t *peer;
    char got[8];
    size_t len = sizeof(got);
    (void)self;
    (void)arg;

    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &peer),
                    DOCA_ERROR_NOT_CONNECTED);
    ck_assert_success(doca_comm_channel_ep_listen(ep, "service"));
    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, got, &len, 0, &peer), DOCA_ERROR_AGAIN);
    ck_assert_error(doca_comm_channel_ep_listen(ep, "service"), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    return 0;
}

static int try_on_the_host(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(0, 0);
    struct doca_comm_channel_addr_t *peer = NULL;
    (void)self;
    (void)arg;

    ck_assert_error(doca_comm_channel_ep_listen(ep, "service"), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_comm_channel_ep_listen(NULL, "service"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_connect(ep, NULL, &peer), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_connect(ep, "nobody", &peer),
                    DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_ptr_null(peer);
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    return 0;
}

START_TEST(refusals)
{
    child_join(child_start(nodes.dpu, "service", do_not_wait, NULL));
    child_join(child_start(nodes.host, "client", try_on_the_host, NULL));
}
END_TEST

// ---- a device of the program's choice -----------------------------------------------------

static int listen_on_pf1(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(0, 0);
    struct doca_dev *dev = open_1_3("03:00.1");
    struct doca_devinfo_remote **list;
    struct doca_dev_remote *remote = NULL;
    struct doca_pci_bdf bdf;
    (void)arg;

    ck_assert_success(doca_devinfo_remote_list_create(dev, &list));
    for (size_t i = 0; list[i] && !remote; i++) {
        ck_assert_success(doca_devinfo_remote_property_get(
            list[i], DOCA_DEVINFO_REMOTE_PROPERTY_PCI_ADDR, (uint8_t *)&bdf, sizeof(bdf)));
        if (bdf.bus == 0x0b && bdf.function == 1)
            ck_assert_success(doca_dev_remote_open(list[i], &remote));
    }
    ck_assert_ptr_nonnull(remote);
    ck_assert_success(doca_devinfo_remote_list_destroy(list));
    ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
    ck_assert_success(doca_comm_channel_ep_set_device_rep(ep, (struct doca_dev_rep *)remote));
    ck_assert_success(doca_comm_channel_ep_listen(ep, "service"));
    child_tell(self, "listening");
    child_wait(self, "go");
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    ck_assert_success(doca_dev_remote_close(remote));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

static int connect_there_only(struct child *self, void *arg)
{
    struct doca_comm_channel_ep_t *ep = endpoint(0, 0), *other = endpoint(0, 0);
    struct doca_dev *dev = open_1_3("0b:00.1");
    struct doca_comm_channel_addr_t *peer;
    (void)self;
    (void)arg;

    ck_assert_error(doca_comm_channel_ep_connect(other, "service", &peer),
                    DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
    ck_assert_success(doca_comm_channel_ep_connect(ep, "service", &peer));
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    ck_assert_success(doca_comm_channel_ep_destroy(other));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(devices_that_were_chosen)
{
    struct child *service = child_start(nodes.dpu, "service", listen_on_pf1, NULL);
    child_wait(service, "listening");
    child_join(child_start(nodes.host, "client", connect_there_only, NULL));
    child_tell(service, "go");
    child_join(service);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comm_channel_1_3");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, properties);
    tcase_add_test(tcase, calls_that_wait);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, devices_that_were_chosen);
    return run_suite(suite);
}
