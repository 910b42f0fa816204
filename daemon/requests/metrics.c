// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "metrics.h"

#include "clock.h"
#include "config.h"
#include "engine.h"
#include "latency.h"
#include "log.h"
#include "metric_label.h"
#include "metrics_quotas.h"
#include "node.h"
#include "node_faults.h"
#include "node_id.h"
#include "peer.h"
#include "session_requests.h"
#include "tls.h"
#include "tls_endpoint.h"

#include <doca_error.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- text ------------------------------------------------------------------------------

static void head(FILE *f, const char *name, const char *type, const char *help)
{
    fprintf(f, "# TYPE docad_%s %s\n# HELP docad_%s %s\n", name, type, name, help);
}

static void gauge(FILE *f, const char *name, const char *help, uint64_t value)
{
    head(f, name, "gauge", help);
    fprintf(f, "docad_%s %" PRIu64 "\n", name, value);
}

static void counter(FILE *f, const char *name, const char *help, uint64_t value)
{
    head(f, name, "counter", help);
    fprintf(f, "docad_%s_total %" PRIu64 "\n", name, value);
}

static void sample(FILE *f, const char *name, const char *key, const char *text, uint64_t value)
{
    fprintf(f, "docad_%s{", name);
    metric_label(f, key, text);
    fprintf(f, "} %" PRIu64 "\n", value);
}

static void seconds(FILE *f, const char *name, uint64_t us)
{
    fprintf(f, "docad_%s %" PRIu64 ".%06" PRIu64 "\n", name, us / 1000000, us % 1000000);
}

// "DOCA_ERROR_NOT_FOUND" is the code NOT_FOUND.
static const char *code_name(size_t code)
{
    const char *name = doca_get_error_name((doca_error_t)code);
    return strncmp(name, "DOCA_ERROR_", 11) == 0 ? name + 11 : name;
}

static void by_code(FILE *f, const char *name, const uint64_t counts[COUNTERS_CODES])
{
    for (size_t code = 0; code < COUNTERS_CODES; code++)
        if (counts[code])
            sample(f, name, "code", code ? code_name(code) : "other", counts[code]);
}

static void write_node(FILE *f, const struct node *node)
{
    head(f, "build", "info", "The daemon and its node.");
    fputs("docad_build_info{", f);
    metric_label(f, "version", DOCAD_VERSION);
    fputc(',', f);
    metric_label(f, "role", role_name(node->config->role));
    fputc(',', f);
    metric_label(f, "node", node->config->name);
    fputs("} 1\n", f);
    head(f, "uptime_seconds", "gauge", "Time since the daemon started.");
    fputs("# UNIT docad_uptime_seconds seconds\n", f);
    seconds(f, "uptime_seconds", (clock_ms() - node->started_ms) * 1000);
    head(f, "certificate_expires_seconds", "gauge",
         "When the node's certificate, or one that it trusts, expires: seconds since 1970.");
    fputs("# UNIT docad_certificate_expires_seconds seconds\n", f);
    if (node->tls)
        fprintf(f, "docad_certificate_expires_seconds %" PRId64 "\n",
                tls_expires_s(node->tls->tls));
}

static void write_peer_certificates(FILE *f, const struct node *node)
{
    const struct peer *p;
    int64_t expires_s;
    char id[NODE_ID_TEXT_SIZE];

    head(f, "peer_certificate_expires_seconds", "gauge",
         "When the certificate of a linked node expires: seconds since 1970.");
    fputs("# UNIT docad_peer_certificate_expires_seconds seconds\n", f);
    list_for_each (p, &node->peers, in_node) {
        if (!peer_certificate_expires(p, &expires_s))
            continue;
        node_id_format(p->id_there, id);
        fputs("docad_peer_certificate_expires_seconds{", f);
        metric_label(f, "peer", p->name);
        fprintf(f, ",peer_id=\"%s\"} %" PRId64 "\n", id, expires_s);
    }
}

static void write_objects(FILE *f, const struct node *node)
{
    uint64_t linked = 0, unlinked = 0;
    const struct peer *p;

    list_for_each (p, &node->peers, in_node)
        *(p->state == PEER_LINKED ? &linked : &unlinked) += p->state != PEER_STANDBY;

    head(f, "sessions", "gauge", "Programs and tools connected.");
    sample(f, "sessions", "kind", "program", node->n_programs);
    sample(f, "sessions", "kind", "tool", node->n_tools);
    gauge(f, "regions", "Registered memory regions.", NODE_OBJECTS_COUNT(node, REGION));
    head(f, "region_bytes", "gauge", "Registered memory, by how others access it.");
    fputs("# UNIT docad_region_bytes bytes\n", f);
    sample(f, "region_bytes", "backing", "mapped", node->mapped_bytes);
    sample(f, "region_bytes", "backing", "brokered", node->brokered_bytes);
    head(f, "rdma_registered_bytes", "gauge",
         "Bytes of regions registered with RDMA devices, for other machines.");
    fputs("# UNIT docad_rdma_registered_bytes bytes\n", f);
    fprintf(f, "docad_rdma_registered_bytes %" PRIu64 "\n", node->rdma_bytes);
    gauge(f, "exports", "Exports, including those of sync events.",
          NODE_OBJECTS_COUNT(node, EXPORT));
    gauge(f, "imports", "Imports by programs of this node.", NODE_OBJECTS_IN_USE(node, IMPORT));
    gauge(f, "queue_pairs", "Queue pairs to engines.", NODE_OBJECTS_IN_USE(node, QUEUE_PAIR));
    gauge(f, "rdma_endpoints", "RDMA endpoints.", NODE_OBJECTS_COUNT(node, RDMA));
    gauge(f, "channels", "Connections of the Comm Channel.", NODE_OBJECTS_IN_USE(node, CHANNEL));
    gauge(f, "channels_waiting", "Clients of the Comm Channel that wait for a service.",
          NODE_OBJECTS_COUNT(node, CHANNEL) - NODE_OBJECTS_IN_USE(node, CHANNEL));
    gauge(f, "publications", "Published names.", node->n_publications);
    head(f, "peers", "gauge", "Other nodes.");
    sample(f, "peers", "state", "linked", linked);
    sample(f, "peers", "state", "unlinked", unlinked);
}

static void library_sample(FILE *f, const char *name, size_t library, const char *path,
                           uint64_t value)
{
    fprintf(f, "docad_%s{library=\"%s\"", name, work_library_name((uint32_t)library));
    if (path)
        fprintf(f, ",path=\"%s\"", path);
    fprintf(f, "} %" PRIu64 "\n", value);
}

#define FOR_LIBRARIES(i) for (size_t i = WORK_LIBRARY_NONE + 1; i < WORK_LIBRARIES; i++)

static void write_work(FILE *f, const struct session_work *work)
{
    head(f, "jobs", "counter", "Jobs that have ended, as counted by programs.");
    FOR_LIBRARIES(i)
    library_sample(f, "jobs_total", i, NULL, work->of[i].jobs);
    head(f, "job_bytes", "counter", "Bytes that jobs moved, as counted by programs.");
    fputs("# UNIT docad_job_bytes bytes\n", f);
    FOR_LIBRARIES(i)
    {
        library_sample(f, "job_bytes_total", i, "mapped", work->of[i].mapped_bytes);
        library_sample(f, "job_bytes_total", i, "engine", work->of[i].engine_bytes);
    }
    head(f, "job_errors", "counter", "Jobs that failed, as counted by programs.");
    by_code(f, "job_errors_total", work->errors);
    head(f, "jobs_in_flight", "gauge", "Jobs submitted and not retrieved.");
    FOR_LIBRARIES(i)
    library_sample(f, "jobs_in_flight", i, NULL, work->of[i].in_flight);
    head(f, "work_queues", "gauge", "Contexts of work queues.");
    FOR_LIBRARIES(i)
    library_sample(f, "work_queues", i, NULL, work->of[i].queues);
}

static void write_engine(FILE *f, const struct node *node)
{
    struct engine_totals t;
    engine_totals(node->engine, &t);
    counter(f, "engine_requests", "Requests that the engine served.", t.requests);
    head(f, "engine_bytes", "counter", "Bytes that the engine moved.");
    fputs("# UNIT docad_engine_bytes bytes\n", f);
    fprintf(f, "docad_engine_bytes_total %" PRIu64 "\n", t.bytes);
    head(f, "rdma_bytes", "counter", "Bytes that RDMA moved to and from registered regions.");
    fputs("# UNIT docad_rdma_bytes bytes\n", f);
    fprintf(f, "docad_rdma_bytes_total %" PRIu64 "\n", t.held_bytes);
    counter(f, "engine_errors", "Requests that the engine refused or could not serve.", t.errors);
    head(f, "engine_busy_seconds", "counter", "Time that engine threads spent in copies.");
    fputs("# UNIT docad_engine_busy_seconds seconds\n", f);
    seconds(f, "engine_busy_seconds_total", t.busy_ns / 1000);
    gauge(f, "engine_threads", "Engine threads, including replacements of hanging ones.",
          t.threads);
    gauge(f, "engine_queue_depth", "Requests that wait for the engine.", t.waiting);
}

static void write_requests(FILE *f, const struct node *node)
{
    const struct counters *c = &node->counters;
    head(f, "requests", "counter", "Requests of programs and tools.");
    for (size_t i = 0; i < COUNTERS_REQUESTS; i++) {
        if (c->requests[i])
            sample(f, "requests_total", "request",
                   session_find_request(node, (Docad__Message__BodyCase)i)->name, c->requests[i]);
    }
    head(f, "request_errors", "counter", "Requests that were refused.");
    by_code(f, "request_errors_total", c->refusals);
    counter(f, "sessions_begun", "Programs and tools that connected.", c->sessions_begun);
    counter(f, "sessions_dropped", "Sessions that docad ended.", c->sessions_dropped);
    counter(f, "exports_revoked", "Exports that a tool revoked.", c->exports_revoked);
    counter(f, "end_slices", "Turns of the loop in which a part of something large ended.",
            c->end_slices);
    counter(f, "trims", "Times that memory of objects that had ended went back to the system.",
            c->trims);
    counter(f, "list_looks", "Objects that were looked at for lists.", c->list_looks);
    head(f, "faults_injected", "counter", "Faults that rules of the configuration have injected.");
    sample(f, "faults_injected_total", "target", "export", node_faults_of(node, NODE_FAULT_EXPORT));
    sample(f, "faults_injected_total", "target", "import", node_faults_of(node, NODE_FAULT_IMPORT));
    sample(f, "faults_injected_total", "target", "link", node_faults_of(node, NODE_FAULT_LINK));
    counter(f, "monitor_events_lost", "Events that were not sent to slow tools.",
            c->monitor_events_lost);
}

static void write_links(FILE *f, const struct node *node)
{
    const struct counters *c = &node->counters;
    const struct tls_endpoint *endpoint = node->tls;
    counter(f, "links_lost", "Links to other nodes that went down.", c->links_lost);
    counter(f, "dials_failed", "Attempts to reach another node that failed.", c->dials_failed);
    head(f, "links_refused", "counter", "Links of other nodes that were refused.");
    sample(f, "links_refused_total", "reason", "crowd",
           endpoint ? endpoint->refused[TLS_REFUSED_TOO_MANY] : 0);
    sample(f, "links_refused_total", "reason", "handshake",
           endpoint ? endpoint->refused[TLS_REFUSED_HANDSHAKE] : 0);
    sample(f, "links_refused_total", "reason", "silence", c->links_silent);
    sample(f, "links_refused_total", "reason", "hello", c->links_unwelcome);
}

// A dialler is refused for several reasons at one step.
static bool is_of(const struct refusal *a, const struct refusal *b)
{
    return a->who[0] && strcmp(a->who, b->who) == 0 && strcmp(a->at, b->at) == 0;
}

static void refused_samples(FILE *f, const struct refusals *refusals)
{
    const struct refusal *list = refusals->list;

    for (size_t i = 0; i <= REFUSALS_MAX; i++) {
        uint64_t count = 0;
        bool first = list[i].who[0] != '\0';
        for (size_t j = 0; j < i && first; j++)
            first = !is_of(&list[j], &list[i]);
        if (!first)
            continue;
        for (size_t j = i; j <= REFUSALS_MAX; j++)
            count += is_of(&list[j], &list[i]) ? list[j].count : 0;
        fputs("docad_links_refused_by_total{", f);
        metric_label(f, "dialler", list[i].who);
        fprintf(f, ",reason=\"%s\"} %" PRIu64 "\n", list[i].at, count);
    }
}

static void write_refused(FILE *f, const struct node *node)
{
    head(f, "links_refused_by", "counter",
         "Links that were refused, by diallers of the last hour: nodes, addresses, users.");
    if (node->tls)
        refused_samples(f, &node->tls->refusals);
    refused_samples(f, &node->refusals);
}

static void write_latency(FILE *f)
{
    const struct latency *latency = latency_read();
    static const char *const bounds[LATENCY_BUCKETS] = {"0.00001", "0.0001", "0.001", "0.01",
                                                        "0.1",     "1.0",    "+Inf"};
    uint64_t sum = 0;
    head(f, "loop_latency_seconds", "histogram",
         "Time from when the loop woke until a message was handled.");
    fputs("# UNIT docad_loop_latency_seconds seconds\n", f);
    for (size_t i = 0; i < LATENCY_BUCKETS; i++) {
        sum += latency->counts[i];
        sample(f, "loop_latency_seconds_bucket", "le", bounds[i], sum);
    }
    fprintf(f, "docad_loop_latency_seconds_count %" PRIu64 "\n", sum);
    seconds(f, "loop_latency_seconds_sum", latency->sum_us);
}

char *metrics_text(const struct node *node, const struct session_work *work)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    write_node(f, node);
    write_peer_certificates(f, node);
    write_objects(f, node);
    metrics_write_quotas(f, node);
    write_work(f, work);
    write_engine(f, node);
    write_requests(f, node);
    write_links(f, node);
    write_refused(f, node);
    write_latency(f);
    fputs("# EOF\n", f);
    bool failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
