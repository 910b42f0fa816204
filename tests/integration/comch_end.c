// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "comch_end.h"

#include <poll.h>
#include <string.h>

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"
#define DPU_SF   "p0s0" // its interface: SFs have the PCI address of their PF

bool beside;

static bool is_sf(const struct doca_devinfo *info)
{
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    return doca_devinfo_get_iface_name(info, name, sizeof(name)) == DOCA_SUCCESS &&
           strcmp(name, DPU_SF) == 0;
}

static struct doca_dev *open_by(const char *pci, bool sf)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;
    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
        if (equal && is_sf(list[i]) == sf)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n = 0;
    OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_rep_is_equal_pci_addr(list[i], beside ? DPU_P0 : HOST_PF0, &equal));
        if (equal)
            OK(doca_dev_rep_open(list[i], &rep));
    }
    OK(doca_devinfo_rep_destroy_list(list));
    ck_assert_ptr_nonnull(rep);
    return rep;
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                     enum doca_ctx_states next)
{
    struct end *e = data.ptr;
    (void)ctx, (void)prev;
    e->state = next;
}

static void connect_engine(struct end *e)
{
    OK(doca_pe_create(&e->pe));
    OK(doca_pe_connect_ctx(e->pe, e->ctx));
    OK(doca_ctx_set_user_data(e->ctx, (union doca_data){.ptr = e}));
    OK(doca_ctx_set_state_changed_cb(e->ctx, on_state));
}

void end_make_server(struct end *e, const char *name)
{
    *e = (struct end){.dev = open_by(DPU_P0, false)};
    e->rep = open_rep(e->dev);
    OK(doca_comch_server_create(e->dev, e->rep, name, &e->server));
    e->ctx = doca_comch_server_as_ctx(e->server);
    connect_engine(e);
}

void end_make_client(struct end *e, const char *name)
{
    *e = (struct end){.dev = beside ? open_by(DPU_P0, true) : open_by(HOST_PF0, false)};
    OK(doca_comch_client_create(e->dev, name, &e->client));
    e->ctx = doca_comch_client_as_ctx(e->client);
    connect_engine(e);
}

void end_destroy(struct end *e)
{
    if (e->server)
        OK(doca_comch_server_destroy(e->server));
    else
        OK(doca_comch_client_destroy(e->client));
    OK(doca_pe_destroy(e->pe));
    if (e->rep)
        OK(doca_dev_rep_close(e->rep));
    OK(doca_dev_close(e->dev));
}

struct end *end_of(struct doca_comch_connection *c)
{
    union doca_data data;
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(c);
    struct doca_comch_client *client = doca_comch_client_get_client_ctx(c);
    ck_assert(!server != !client);
    OK(doca_ctx_get_user_data(
        server ? doca_comch_server_as_ctx(server) : doca_comch_client_as_ctx(client), &data));
    return data.ptr;
}

void engine_sleep(struct doca_pe *pe)
{
    doca_notification_handle_t handle;
    OK(doca_pe_get_notification_handle(pe, &handle));
    OK(doca_pe_request_notification(pe));
    struct pollfd sleeper = {.fd = handle, .events = POLLIN};
    ck_assert_msg(poll(&sleeper, 1, HARNESS_LIMIT_MS) == 1, "nobody wakes the sleeper");
    OK(doca_pe_clear_notification(pe, 0));
}

void end_sleep(struct end *e)
{
    engine_sleep(e->pe);
}

struct doca_comch_connection *end_start_client(struct end *e)
{
    struct doca_comch_connection *c = NULL;
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_STARTING);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_comch_client_get_connection(e->client, &c));
    UNTIL(e, e->state == DOCA_CTX_STATE_RUNNING);
    OK(doca_comch_client_get_connection(e->client, &c));
    return c;
}
