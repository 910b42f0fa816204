// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Execution of instances. The item of a submitted instance keeps two lists for itself and all
// instances below it: nodes that may start, and nodes that wait. Each time it is moved on, it
// checks the waiting nodes, and starts nodes until one is done.

#include "core/refused.h"
#include "graph.h"
#include "work/workq.h"
#include "work_stats.h"

static void fifo_init(struct run_fifo *fifo)
{
    fifo->head = NULL;
    fifo->tail = &fifo->head;
}

static void fifo_push(struct run_fifo *fifo, struct node_run *run)
{
    run->next = NULL;
    *fifo->tail = run;
    fifo->tail = &run->next;
}

static struct node_run *fifo_pop(struct run_fifo *fifo)
{
    struct node_run *run = fifo->head;
    if (run && !(fifo->head = run->next))
        fifo->tail = &fifo->head;
    return run;
}

// Puts the items of `front` before those of `fifo`.
static void fifo_prepend(struct run_fifo *fifo, struct run_fifo *front)
{
    if (!front->head)
        return;
    *front->tail = fifo->head;
    if (!fifo->head)
        fifo->tail = front->tail;
    fifo->head = front->head;
}

// ---- ends of nodes -------------------------------------------------------------------------

static bool is_over(const struct doca_graph_instance *instance)
{
    return !instance->left || (instance->status != DOCA_SUCCESS && !instance->under_way);
}

static void wake_children(struct doca_graph_instance *root, const struct node_run *run)
{
    const struct doca_graph_node *node = run->node;

    for (uint32_t i = 0; i < node->n_children; i++) {
        struct node_run *child = &run->instance->runs[node->children[i]->index];
        if (--child->pending == 0)
            fifo_push(&root->ready, child);
    }
}

// The last node of an instance ends the node whose data the instance is, and so on.
static void node_done(struct doca_graph_instance *root, struct node_run *run, doca_error_t error)
{
    for (;;) {
        struct doca_graph_instance *instance = run->instance;
        run->state = error == DOCA_SUCCESS ? DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED
                                           : DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR;
        instance->left--;
        instance->under_way--;
        instance->n_failed += error != DOCA_SUCCESS;
        if (instance->status == DOCA_SUCCESS)
            instance->status = error;
        if (instance->status == DOCA_SUCCESS)
            wake_children(root, run);
        if (instance == root || !is_over(instance))
            return;
        run = instance->parent;
        error = instance->status;
        run->result.u64 = error;
        if (run->event)
            *run->event = (struct doca_event){.type = DOCA_GRAPH_JOB, .result = run->result};
    }
}

static void count_in_flight(struct work_link *link)
{
    WORK_STATS_WRITE(link->stats->in_flight, link->in_flight);
}

static void release_item(struct work_item *item)
{
    item->account &= (uint8_t)~WORK_OF_GRAPH;
    executor_put(item->link->executor, item);
    count_in_flight(item->link);
}

// Counts it like an event that a work queue returns.
static void count_job(struct work_stats *stats, doca_error_t error)
{
    WORK_STATS_ADD(stats->jobs, 1);
    if (error != DOCA_SUCCESS)
        work_stats_error(stats, error);
}

static void ctx_node_done(struct doca_graph_instance *root, struct node_run *run)
{
    struct work_item *item = run->item;
    struct doca_event own = {0}, *event = run->event ? run->event : &own;
    doca_error_t error = item->error;

    event->type = item->type;
    event->user_data = item->user_data;
    if (item->link->ops->finish)
        item->link->ops->finish(item, &event->result);
    else
        event->result.u64 = error;
    run->result = event->result;
    run->item = NULL;
    count_job(item->link->stats, error);
    release_item(item);
    node_done(root, run, error);
}

static void ctx_node_refused(struct doca_graph_instance *root, struct node_run *run,
                             doca_error_t error, const char *why)
{
    struct work_item *item = run->item;

    log_own_error("The job of node %u was refused: %s (%s)", run->node->index, why,
                  doca_get_error_name(error));
    run->result.u64 = error;
    if (run->event)
        *run->event = (struct doca_event){
            .type = run->job->type, .user_data = run->job->user_data, .result = run->result};
    run->item = NULL;
    count_job(item->link->stats, error);
    release_item(item);
    node_done(root, run, error);
}

// ---- starts of nodes -------------------------------------------------------------------------

enum started {
    STARTED_AND_DONE,
    STARTED,
    STARTED_FOR_LATER, // it waits for its turn
    NOT_NOW,
};

static void mark_started(struct node_run *run)
{
    run->state = DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED;
    run->instance->under_way++;
}

// The program may have changed the job since it was set as data.
static doca_error_t prepare_job(const struct node_run *run)
{
    const struct doca_job *job = run->job;
    struct work_item *item = run->item;

    if (job->type != run->node->job_type || job->ctx != run->node->ctx ||
        job->flags != DOCA_JOB_FLAGS_NONE) {
        item->refusal = "its type or context is not the node's, or it has unknown flags";
        return DOCA_ERROR_INVALID_VALUE;
    }
    item->type = job->type;
    item->user_data = job->user_data;
    return item->link->ops->prepare(item, job);
}

static enum started start_ctx_node(struct doca_graph_instance *root, struct node_run *run)
{
    doca_error_t r = prepare_job(run);
    if (r == DOCA_ERROR_NO_MEMORY)
        return NOT_NOW; // the context is full; its jobs were, or will be, retrieved
    mark_started(run);
    if (r != DOCA_SUCCESS) {
        ctx_node_refused(root, run, r, run->item->refusal);
        return STARTED_AND_DONE;
    }
    run->item->over = false;
    run->kept = false;
    enum work_status status = run->item->link->ops->execute(run->item);
    run->kept = status == WORK_KEPT;
    if (status != WORK_DONE) {
        fifo_push(&root->waiting, run);
        return status == WORK_LATER ? STARTED_FOR_LATER : STARTED;
    }
    ctx_node_done(root, run);
    return STARTED_AND_DONE;
}

static enum started start_user_node(struct doca_graph_instance *root, struct node_run *run)
{
    mark_started(run);
    doca_error_t r = ((doca_graph_user_node_cb_t)run->node->callback)(run->cookie, run->event);
    run->result.u64 = r;
    node_done(root, run, r);
    return STARTED_AND_DONE;
}

static void push_roots(struct doca_graph_instance *root, struct doca_graph_instance *instance)
{
    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++)
        if (!instance->runs[i].pending)
            fifo_push(&root->ready, &instance->runs[i]);
}

static enum started start_node(struct work_item *item, struct node_run *run)
{
    struct doca_graph_instance *root = *graph_instance_of(item);

    switch (run->node->kind) {
    case NODE_CTX:
        return start_ctx_node(root, run);
    case NODE_USER:
        return item->link->executor->arming ? NOT_NOW : start_user_node(root, run);
    case NODE_SUB_GRAPH:
        mark_started(run);
        push_roots(root, run->sub);
        return STARTED;
    }
    __builtin_unreachable();
}

// ---- the item of an instance ------------------------------------------------------------------

// Starts nodes until one is done. Returns true if there is more to do: one is done, or has put its
// job off.
static bool start_ready(struct work_item *item)
{
    struct doca_graph_instance *root = *graph_instance_of(item);
    struct run_fifo not_now;
    struct node_run *run;
    bool done = false, more = false;

    fifo_init(&not_now);
    while (!done && (run = fifo_pop(&root->ready))) {
        if (run->instance->status != DOCA_SUCCESS)
            continue; // its instance has failed: it will not be started
        enum started started = start_node(item, run);
        done = started == STARTED_AND_DONE;
        more = more || started == STARTED_FOR_LATER;
        if (started == NOT_NOW)
            fifo_push(&not_now, run);
    }
    fifo_prepend(&root->ready, &not_now);
    return done || more;
}

// Moves the job of a node on; false: it is done.
static bool is_under_way(struct node_run *run, struct work_item *item)
{
    if (run->kept)
        return !item->over;
    enum work_status status = item->link->ops->progress(item);
    run->kept = status == WORK_KEPT;
    return status != WORK_DONE;
}

// Returns true if a node is done.
static bool move_waiting(struct doca_graph_instance *root)
{
    struct run_fifo still;
    struct node_run *run;
    bool done = false;

    fifo_init(&still);
    while ((run = fifo_pop(&root->waiting))) {
        struct work_item *item = run->item;
        if (is_under_way(run, item)) {
            fifo_push(&still, run);
        } else {
            ctx_node_done(root, run);
            done = true;
        }
    }
    fifo_prepend(&root->waiting, &still);
    return done;
}

enum work_status graph_execute(struct work_item *item)
{
    struct doca_graph_instance *root = *graph_instance_of(item);
    struct graph_queue *queue = item->link->state;

    bool more = move_waiting(root);
    if (!is_over(root))
        more = start_ready(item) || more;
    if (is_over(root)) {
        if (root->status != DOCA_SUCCESS)
            graph_release_items(item->link->executor, root);
        item->error = DOCA_SUCCESS; // for retrieving; the event has the status
        return WORK_DONE;
    }
    // A node may have done what another one waits for, without our knowledge.
    if (more || root->ready.head)
        queue->ready = true;
    return WORK_WAITING;
}

void graph_finish(const struct work_item *item, union doca_data *result)
{
    struct doca_graph_instance *instance = *(struct doca_graph_instance *const *)item->job;

    result->u64 = instance->status;
    instance->in_flight = false;
}

// ---- submission -----------------------------------------------------------------------------

void graph_release_items(struct executor *executor, struct doca_graph_instance *instance)
{
    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++) {
        struct node_run *run = &instance->runs[i];
        if (run->item) {
            release_item(run->item);
            run->item = NULL;
        } else if (run->node->kind == NODE_SUB_GRAPH && run->sub) {
            graph_release_items(executor, run->sub);
        }
    }
}

// Checks that each node has data and a context. Nesting is limited, and so is recursion.
static const char *missing(struct doca_workq *workq, const struct doca_graph_instance *instance)
{
    const char *what = NULL;

    for (uint32_t i = 0; !what && i < instance->graph->plan.n_nodes; i++) {
        const struct node_run *run = &instance->runs[i];
        if (run->node->kind == NODE_USER)
            continue;
        if (!run->job) // or sub: the same address
            what = "a context node or sub-graph node has no data";
        else if (run->node->kind == NODE_SUB_GRAPH)
            what = missing(workq, run->sub);
        else if (!workq_link(workq, run->node->ctx))
            what = "the work queue was removed from the context of a node";
    }
    return what;
}

// Takes an item for each context node. Returns false if there are not enough.
static bool take_items(struct doca_workq *workq, struct work_link *own,
                       struct doca_graph_instance *instance)
{
    struct work_link *link = own;

    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++) {
        struct node_run *run = &instance->runs[i];
        if (run->node->kind == NODE_CTX) {
            if (link->ctx != run->node->ctx)
                link = workq_link(workq, run->node->ctx);
            run->item = executor_take(own->executor, link);
            if (!run->item)
                return false;
            run->item->account |= WORK_OF_GRAPH;
            count_in_flight(link);
        } else if (run->node->kind == NODE_SUB_GRAPH && !take_items(workq, own, run->sub)) {
            return false;
        }
    }
    return true;
}

static void reset(struct doca_graph_instance *instance)
{
    instance->status = DOCA_SUCCESS;
    instance->n_failed = 0;
    instance->left = instance->graph->plan.n_nodes;
    instance->under_way = 0;
    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++) {
        struct node_run *run = &instance->runs[i];
        run->state = DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED;
        run->pending = run->node->n_parents;
        if (run->node->kind == NODE_SUB_GRAPH)
            reset(run->sub);
    }
}

static doca_error_t submit(struct doca_workq *workq, struct work_link *link,
                           struct doca_graph_instance *instance, union doca_data user_data)
{
    struct executor *executor = link->executor;

    struct work_item *item = executor_take(executor, link);
    if (!item)
        return DOCA_ERROR_NO_MEMORY;
    if (!take_items(workq, link, instance)) {
        graph_release_items(executor, instance);
        executor_put(executor, item);
        return DOCA_ERROR_NO_MEMORY;
    }
    reset(instance);
    fifo_init(&instance->ready);
    fifo_init(&instance->waiting);
    push_roots(instance, instance);
    instance->in_flight = true;
    *graph_instance_of(item) = instance;
    item->type = DOCA_GRAPH_JOB;
    item->user_data = user_data;
    count_in_flight(link);
    executor_queue(executor, item);
    return DOCA_SUCCESS;
}

doca_error_t doca_workq_graph_submit(struct doca_workq *workq,
                                     struct doca_graph_instance *graph_instance,
                                     union doca_data user_data)
{
    struct errtext err;

    if (!workq || !graph_instance)
        return REFUSED_NULL(workq, graph_instance);
    if (graph_instance->in_flight || graph_instance->parent)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_IN_USE, "the instance is %s",
                                  graph_instance->parent ? "the data of a sub-graph node"
                                                         : "in flight; retrieve its event first"),
                      &err);
    struct work_link *link = workq_link(workq, &graph_instance->graph->ctx);
    if (!link)
        return refused(__func__, "the work queue was not added to the instance's graph");
    const char *what = missing(workq, graph_instance);
    if (what)
        return refused(__func__, what);
    doca_error_t r = submit(workq, link, graph_instance, user_data);
    return r == DOCA_SUCCESS
               ? r
               : report_often(__func__, r,
                              "the work queue has too few places for the graph's jobs; retrieve "
                              "events first, or make it deeper");
}

// ---- work queues come and go --------------------------------------------------------------------

static void new_round(struct work_source *source)
{
    container_of(source, struct graph_queue, source)->ready = false;
}

static bool turn_is_due(struct work_source *source)
{
    return container_of(source, struct graph_queue, source)->ready;
}

doca_error_t graph_attach(struct work_link *link, struct errtext *err)
{
    struct graph_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a graph's work queue");
    queue->source = (struct work_source){.poll = new_round, .arm = turn_is_due, .clear = new_round};
    executor_add_source(link->executor, &queue->source);
    link->state = queue;
    return DOCA_SUCCESS;
}

void graph_detach(struct work_link *link)
{
    struct graph_queue *queue = link->state;

    list_remove(&queue->source.node);
    free(queue);
}
