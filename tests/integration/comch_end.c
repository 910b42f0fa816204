// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "comch_end.h"

#include "nodes.h"

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

// ---- life

static void hear(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                 struct doca_comch_connection *from)
{
    ck_assert(event && bytes && len);
    end_of(from)->got++;
}

static void make_server(struct end *e, const struct end_plan *plan)
{
    e->dev = open_by(DPU_P0, false);
    e->rep = open_rep(e->dev);
    OK(doca_comch_server_create(e->dev, e->rep, plan->name, &e->server));
    e->ctx = doca_comch_server_as_ctx(e->server);
    if (plan->size)
        OK(doca_comch_server_set_max_msg_size(e->server, plan->size));
    if (plan->queue)
        OK(doca_comch_server_set_recv_queue_size(e->server, plan->queue));
    OK(doca_comch_server_task_send_set_conf(e->server, plan->over, plan->over, plan->tasks));
    OK(doca_comch_server_event_msg_recv_register(e->server, plan->hear));
    OK(doca_comch_server_event_connection_status_changed_register(e->server, plan->come,
                                                                  plan->leave));
    if (plan->consumer_came)
        OK(doca_comch_server_event_consumer_register(e->server, plan->consumer_came,
                                                     plan->consumer_expired));
}

static void make_client(struct end *e, const struct end_plan *plan)
{
    e->dev = beside ? open_by(DPU_P0, true) : open_by(HOST_PF0, false);
    OK(doca_comch_client_create(e->dev, plan->name, &e->client));
    e->ctx = doca_comch_client_as_ctx(e->client);
    if (plan->size)
        OK(doca_comch_client_set_max_msg_size(e->client, plan->size));
    if (plan->queue)
        OK(doca_comch_client_set_recv_queue_size(e->client, plan->queue));
    OK(doca_comch_client_task_send_set_conf(e->client, plan->over, plan->over, plan->tasks));
    OK(doca_comch_client_event_msg_recv_register(e->client, plan->hear));
    if (plan->consumer_came)
        OK(doca_comch_client_event_consumer_register(e->client, plan->consumer_came,
                                                     plan->consumer_expired));
}

void end_make(struct end *e, const struct end_plan *wanted)
{
    struct end_plan plan = *wanted;
    plan.tasks = plan.tasks ? plan.tasks : 1;
    plan.over = plan.over ? plan.over : end_over;
    plan.hear = plan.hear ? plan.hear : hear;
    plan.come = plan.come ? plan.come : end_come;
    plan.leave = plan.leave ? plan.leave : end_leave;
    *e = (struct end){.state = DOCA_CTX_STATE_IDLE};
    (plan.serves ? make_server : make_client)(e, &plan);
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

// ---- callbacks

void end_over(struct doca_comch_task_send *task, union doca_data task_data,
              union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    (void)task_data;
    e->last = doca_task_get_status(doca_comch_task_send_as_task(task));
    e->sent += e->last == DOCA_SUCCESS;
    e->failed += e->last != DOCA_SUCCESS;
    doca_task_free(doca_comch_task_send_as_task(task));
}

void end_come(struct doca_comch_event_connection_status_changed *event,
              struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && successful);
    end_of(c)->came++;
}

void end_leave(struct doca_comch_event_connection_status_changed *event,
               struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && successful);
    end_of(c)->left++;
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
    return e->connection = c;
}

void end_stop(struct end *e)
{
    if (e->state != DOCA_CTX_STATE_RUNNING)
        return;
    REFUSED(e->server ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
}

struct doca_task *end_task(struct end *e, struct doca_comch_connection *to, const void *bytes,
                           size_t size)
{
    struct doca_comch_task_send *task;
    if (e->server)
        OK(doca_comch_server_task_send_alloc_init(e->server, to, bytes, (uint32_t)size, &task));
    else
        OK(doca_comch_client_task_send_alloc_init(e->client, to, bytes, (uint32_t)size, &task));
    return doca_comch_task_send_as_task(task);
}

void end_say(struct end *e, struct doca_comch_connection *to, const void *bytes, size_t size)
{
    OK(doca_task_submit(end_task(e, to, bytes, size)));
}

// ---- processes

struct process {
    const struct end_plan *plan;
    end_fn fn;
    bool starts;
};

static int run_process(struct child *self, void *arg)
{
    const struct process *process = arg;
    struct end e;
    end_make(&e, process->plan);
    e.self = self;
    if (process->starts) {
        if (e.client)
            end_start_client(&e);
        else
            OK(doca_ctx_start(e.ctx));
        child_tell(self, "runs");
    }
    process->fn(&e);
    end_stop(&e);
    end_destroy(&e);
    return 0;
}

static struct child *start_process(struct process process, const char *name)
{
    struct child *child = child_start(process.plan->serves || beside ? nodes.dpu : nodes.host, name,
                                      run_process, &process);
    if (process.starts)
        child_wait(child, "runs");
    return child;
}

struct child *end_make_in(const struct end_plan *plan, const char *name, end_fn fn)
{
    return start_process((struct process){.plan = plan, .fn = fn}, name);
}

struct child *end_start_in(const struct end_plan *plan, const char *name, end_fn fn)
{
    return start_process((struct process){.plan = plan, .fn = fn, .starts = true}, name);
}

void end_stay(struct end *e)
{
    child_wait(e->self, "never");
}

void end_progress_until(struct end *e, const char *word)
{
    while (!child_hears(e->self))
        doca_pe_progress(e->pe);
    child_wait(e->self, word);
}
