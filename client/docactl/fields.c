// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fields.h"

#include <stdio.h>

#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }

// For members that their command makes.
static void put_nothing(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    (void)object;
    (void)column;
    (void)message;
}

// ---- the node --------------------------------------------------------------------------

const struct column status_fields[] = {
    {"node", "node_name", COLUMN_TEXT, "name of the node"},
    {"role", "role", COLUMN_TEXT, "host or dpu"},
    {"node id", "node", COLUMN_TEXT, "the node's id, 32 hexadecimal digits"},
    {"version", "version", COLUMN_TEXT, "the daemon's version"},
    {"pid", "pid", COLUMN_NUMBER, "the daemon's process"},
    {"uid", "uid", COLUMN_NUMBER, "the user it runs as"},
    {"up for", "uptime_ms", COLUMN_DURATION, "milliseconds since it started"},
    {"socket", "socket", COLUMN_TEXT, "where clients connect"},
    {"configuration", "config", COLUMN_TEXT, "its configuration file, empty if it has none"},
    {"functions", "functions", COLUMN_NUMBER, "functions of the node"},
    {"representors", "representors", COLUMN_NUMBER, "representors it shows"},
    {"sessions", "sessions", COLUMN_NUMBER, "programs connected, tools left out"},
    {"regions", "regions", COLUMN_NUMBER, "registered memory regions"},
    {"registered", "region_bytes", COLUMN_BYTES, "bytes registered"},
    {"exports", "exports", COLUMN_NUMBER, "exports"},
    {"imports", "imports", COLUMN_NUMBER, "imports of programs here"},
    {"queue pairs", "queue_pairs", COLUMN_NUMBER, "queue pairs and RDMA endpoints"},
    {"peers", "peers", COLUMN_NUMBER, "nodes that it is configured or asked to link with"},
    {"peers linked", "peers_linked", COLUMN_NUMBER, "those that are linked now"},
    {"names", "publications", COLUMN_NUMBER, "published names"},
    END,
};

const struct column ping_fields[] = {
    {"node", "node_name", COLUMN_TEXT, "name of the node"},
    {"round trip (us)", "round_trip_us", COLUMN_NUMBER, "microseconds from request to answer"},
    END,
};

static const char *const function_types[] = {"pf", "vf", "sf"};
static const char *const backings[] = {"shm", "verbs"};

static void put_capabilities(struct json_object *object, const struct column *column,
                             const ProtobufCMessage *message)
{
    const Docad__Function *f = (const Docad__Function *)message;
    const char *names[4];
    size_t n = 0;
    if (f->can_dma)
        names[n++] = "dma";
    if (f->can_export_dpu)
        names[n++] = "export_dpu";
    if (f->can_import_dpu)
        names[n++] = "import_dpu";
    if (f->can_list_reps)
        names[n++] = "list_representors";
    put_texts(object, column->key, names, n);
}

// ---- ports of ibverbs devices ------------------------------------------------------------

static void put_state(struct json_object *object, const struct column *column,
                      const ProtobufCMessage *message)
{
    const Docad__FunctionVerbs *v = ((const Docad__Function *)message)->verbs;
    put_text(object, column->key, !v ? "" : v->active ? "active" : "down");
}

static void put_link_layer(struct json_object *object, const struct column *column,
                           const ProtobufCMessage *message)
{
    bool ethernet = ((const Docad__FunctionVerbs *)message)->ethernet;
    put_text(object, column->key, ethernet ? "ethernet" : "infiniband");
}

// enum ibv_mtu counts powers of two from 256, which is 1.
static void put_mtu(struct json_object *object, const struct column *column,
                    const ProtobufCMessage *message)
{
    uint32_t mtu = ((const Docad__FunctionVerbs *)message)->mtu;
    put_number(object, column->key, mtu >= 1 && mtu <= 5 ? 128u << mtu : 0);
}

static const char *const gid_types[] = {"ib", "roce_v1", "roce_v2"};

static const struct column gid_fields[] = {
    {NULL, "index", COLUMN_NUMBER, "number of the entry in the port's table"},
    {NULL, "gid", COLUMN_IP, "the GID as an IPv6 address"},
    {NULL, "type", COLUMN_ENUM, "ib, roce_v1 or roce_v2", .names = gid_types, .n_names = 3},
    END,
};

static const struct column verbs_fields[] = {
    {NULL, "port", COLUMN_NUMBER, "number of the device's port"},
    {NULL, "active", COLUMN_YES_NO, "whether it carries data"},
    {NULL, "link_layer", COLUMN_TEXT, "ethernet or infiniband", .put = put_link_layer},
    {NULL, "lid", COLUMN_NUMBER, "its address in an InfiniBand network"},
    {NULL, "mtu", COLUMN_NUMBER, "bytes of a packet's data at most", .put = put_mtu},
    {NULL, "max_message", COLUMN_BYTES, "bytes of a job or a message at most"},
    {NULL, "max_queue", COLUMN_NUMBER, "jobs of a queue at most"},
    {NULL, "max_list", COLUMN_NUMBER, "parts of a job's buffer at most"},
    {NULL, "atomics", COLUMN_YES_NO, "whether it does atomic operations"},
    {NULL, "gid_table", COLUMN_NUMBER, "entries of its table of GIDs"},
    {NULL, "gids", COLUMN_OBJECTS, "those in use", .members = gid_fields},
    {NULL, "address", COLUMN_IP, "whose GID connections use, empty: the best there is"},
    {NULL, "timeout", COLUMN_NUMBER, "as in the verbs section of docad.conf(5)"},
    {NULL, "retries", COLUMN_NUMBER, "as there"},
    {NULL, "rnr_retries", COLUMN_NUMBER, "as there"},
    {NULL, "rnr_timer", COLUMN_NUMBER, "as there"},
    END,
};

const struct column device_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the function within its node"},
    {"NAME", "name", COLUMN_TEXT, "name of the function"},
    {"TYPE", "type", COLUMN_ENUM, "pf, vf or sf", .names = function_types, .n_names = 3},
    {"PCI", "pci_address", COLUMN_TEXT, "PCI address with domain"},
    {"PORT", "port", COLUMN_NUMBER, "number of the uplink it belongs to"},
    {NULL, "vuid", COLUMN_TEXT, "VUID"},
    {"IFACE", "iface", COLUMN_TEXT, "name of the network interface"},
    {"IBDEV", "ibdev", COLUMN_TEXT, "name of the RDMA device"},
    {"MAC", "mac", COLUMN_MAC, "MAC address"},
    {"IPV4", "ipv4", COLUMN_IP, "IPv4 address, may be empty"},
    {NULL, "ipv6", COLUMN_IP, "IPv6 address, may be empty"},
    {"BACKING", "backing", COLUMN_ENUM, "shm (software) or verbs", .names = backings, .n_names = 2},
    {"STATE", "state", COLUMN_TEXT, "of verbs: active or down; else empty", .put = put_state},
    {"CAPABILITIES", "capabilities", COLUMN_LIST,
     "of dma, export_dpu, import_dpu, list_representors", .put = put_capabilities},
    {NULL, "verbs", COLUMN_OBJECT, "the port of the ibverbs device; only with backing verbs",
     .members = verbs_fields, .optional = true},
    END,
};

const struct column representor_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the representor"},
    {"NAME", "name", COLUMN_TEXT, "name of the representor"},
    {"TYPE", "type", COLUMN_ENUM, "pf, vf or sf", .names = function_types, .n_names = 3},
    {"PCI", "pci_address", COLUMN_TEXT, "PCI address of what it represents"},
    {"PARENT", "parent", COLUMN_TEXT, "the DPU's function that it is listed under",
     .put = put_nothing},
    {"VUID", "vuid", COLUMN_TEXT, "VUID of what it represents"},
    {"NODE", "node", COLUMN_HEX, "id of the node whose function it represents"},
    END,
};

static const struct column quota_fields[] = {
    {NULL, "name", COLUMN_TEXT, "option in the limits section of docad.conf(5)"},
    {NULL, "used", COLUMN_NUMBER, "what is used of it"},
    {NULL, "limit", COLUMN_LIMIT, "how much may be used, null if unlimited"},
    END,
};

const struct column peer_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the connection"},
    {NULL, "node", COLUMN_TEXT, "id of the node, empty while unknown"},
    {"NAME", "name", COLUMN_TEXT, "name of the node"},
    {"ROLE", "role", COLUMN_TEXT, "host or dpu, empty while unknown"},
    {"STATE", "state", COLUMN_TEXT, "connecting, linked or refused"},
    {"FUNCTIONS", "functions", COLUMN_NUMBER, "functions of that node"},
    {"BYTES", "bytes", COLUMN_TEXT, "which way they go: memory, rdma or link, empty if not linked"},
    {NULL, "without_device", COLUMN_TEXT, "if over the link: the node that uses no RDMA device"},
    {"ADDRESS", "address", COLUMN_TEXT,
     "socket, or HOST:PORT, that is dialled, empty if the peer dials"},
    {"LAST ERROR", "last_error", COLUMN_TEXT, "why there is no link, or was none"},
    {NULL, "quotas", COLUMN_OBJECTS, "what is held here for it", .members = quota_fields},
    END,
};

// ---- programs --------------------------------------------------------------------------

// The quota that is the fullest.
static void put_fullest(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__SessionInfo *s = (const Docad__SessionInfo *)message;
    const Docad__QuotaInfo *fullest = NULL;
    double share = 0;
    for (size_t i = 0; i < s->n_quotas; i++) {
        const Docad__QuotaInfo *q = s->quotas[i];
        double own = q->limit ? (double)q->used / (double)q->limit : 1;
        if (q->used && (!fullest || own > share)) {
            fullest = q;
            share = own;
        }
    }
    char text[160] = "";
    if (fullest)
        snprintf(text, sizeof(text), "%s %d%%", fullest->name, (int)(share * 100));
    put_text(object, column->key, text);
}

const struct column session_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {NULL, "tool", COLUMN_YES_NO, "docactl or another tool"},
    {"CONNECTED", "connected_ms", COLUMN_DURATION, "milliseconds since it connected"},
    {"DEVICES", "functions_open", COLUMN_NUMBER, "functions it has open"},
    {"REGIONS", "regions", COLUMN_NUMBER, "memory regions it has registered"},
    {"REGISTERED", "region_bytes", COLUMN_BYTES, "their bytes"},
    {"EXPORTS", "exports", COLUMN_NUMBER, "its exports"},
    {"IMPORTS", "imports", COLUMN_NUMBER, "its imports"},
    {"QUEUES", "queue_pairs", COLUMN_NUMBER, "its queue pairs"},
    {"JOBS", "jobs", COLUMN_NUMBER, "jobs that have ended, as the program counts"},
    {NULL, "failed_jobs", COLUMN_NUMBER, "those that failed"},
    {NULL, "mapped_bytes", COLUMN_BYTES, "bytes it moved itself in shared memory"},
    {NULL, "engine_bytes", COLUMN_BYTES, "bytes that engines moved for it"},
    {"FULLEST QUOTA", "fullest_quota", COLUMN_TEXT, "the quota that is nearest to its limit",
     .put = put_fullest},
    {NULL, "quotas", COLUMN_OBJECTS, "what it, and its user, may use", .members = quota_fields},
    END,
};

const struct column importer_fields[] = {
    {"NODE", "node", COLUMN_TEXT, "name of the importer's node"},
    {"SESSION", "session_id", COLUMN_NUMBER, "its session there"},
    {"PID", "pid", COLUMN_NUMBER, "its process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    END,
};

static void put_backing(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__RegionInfo *r = (const Docad__RegionInfo *)message;
    put_text(object, column->key,
             !r->mapped_bytes    ? "brokered"
             : r->brokered_bytes ? "both"
                                 : "mapped");
}

const struct column region_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the region"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"ADDRESS", "address", COLUMN_ADDRESS, "where it begins, in that process"},
    {"LENGTH", "length", COLUMN_BYTES, "its bytes"},
    {"BACKING", "backing", COLUMN_TEXT, "mapped, brokered or both", .put = put_backing},
    {"MAPPED", "mapped_bytes", COLUMN_BYTES,
     "bytes in a memory file that docad keeps and importers map"},
    {"BROKERED", "brokered_bytes", COLUMN_BYTES, "bytes that only docad's engine can reach"},
    {"RDMA", "rdma_bytes", COLUMN_BYTES,
     "bytes registered with RDMA devices, because other machines ask for them"},
    {"EXPORTS", "exports", COLUMN_NUMBER, "exports of it"},
    {NULL, "importers", COLUMN_NUMBER, "how many have imported it"},
    {"IMPORTERS", "imported_by", COLUMN_OBJECTS, "who has imported it, at most 32",
     .source = "importer_list", .members = importer_fields},
    {"FUNCTIONS", "functions", COLUMN_LIST, "functions it is registered on"},
    {"ACCESS", "access", COLUMN_ACCESS, "what it permits"},
    END,
};

const struct column import_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the import"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"OWNER", "owner_node", COLUMN_TEXT, "node of the memory"},
    {"EXPORT", "export_id", COLUMN_ID, "id of the export there"},
    {"ADDRESS", "address", COLUMN_ADDRESS, "where it begins, in the owner's process"},
    {"LENGTH", "length", COLUMN_BYTES, "its bytes"},
    {"STATE", "state", COLUMN_TEXT, "live, revoked, owner-gone or peer-gone"},
    {"ACCESS", "access", COLUMN_ACCESS, "what it permits"},
    END,
};

const struct column queue_fields[] = {
    {"KIND", "kind", COLUMN_TEXT,
     "engine: a queue pair to an engine; work: a work queue's context; rdma: an RDMA endpoint"},
    {"ID", "id", COLUMN_NUMBER, "its number; each kind has numbers of its own"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {NULL, "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself, empty for one of another node"},
    {"LIBRARY", "library", COLUMN_TEXT, "of kind work: dma, sha, rdma, sync_event, graph, other"},
    {"CLIENT NODE", "client_node", COLUMN_TEXT, "node of the program"},
    {"ENGINE", "engine_node", COLUMN_TEXT, "of kind engine: node whose engine serves it"},
    {"PEER", "peer", COLUMN_TEXT, "of kind rdma: node and endpoint at the other end"},
    {"PATH", "path", COLUMN_TEXT,
     "how its bytes have travelled: mapped, engine, rdma, both, verbs"},
    {"DEPTH", "depth", COLUMN_NUMBER, "how many jobs or requests fit"},
    {"IN FLIGHT", "in_flight", COLUMN_NUMBER, "how many are not complete"},
    {"REQUESTS", "requests", COLUMN_NUMBER, "how many are; of an engine, only its node counts"},
    {"MOVED", "bytes", COLUMN_BYTES, "bytes moved"},
    {NULL, "mapped_bytes", COLUMN_BYTES, "those moved by the program itself"},
    {NULL, "engine_bytes", COLUMN_BYTES, "those moved by an engine"},
    {NULL, "rdma_bytes", COLUMN_BYTES,
     "those moved by RDMA between registered memory and another machine"},
    {"ERRORS", "errors", COLUMN_NUMBER, "how many failed"},
    {"STATE", "state", COLUMN_TEXT, "live, revoked, owner-gone, peer-gone, or for rdma waiting"},
    END,
};

// ---- channels and events ---------------------------------------------------------------

const struct column service_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the service"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"REPRESENTOR", "representor", COLUMN_TEXT, "representor of the function that it serves"},
    {"PCI ADDRESS", "pci_address", COLUMN_TEXT, "PCI address of that function"},
    {"CHANNELS", "channels", COLUMN_NUMBER, "connections it has"},
    {"NAME", "name", COLUMN_TEXT, "name of the service"},
    END,
};

const struct column channel_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the connection"},
    {NULL, "session_id", COLUMN_NUMBER, "session of the side that is here"},
    {"PID", "pid", COLUMN_NUMBER, "its process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"SIDE", "side", COLUMN_TEXT, "service or client"},
    {"PEER NODE", "peer_node", COLUMN_TEXT, "node of the other side"},
    {"PEER PID", "peer_pid", COLUMN_NUMBER, "its process"},
    {"RELAYED", "relayed", COLUMN_YES_NO,
     "by the two daemons, over a link that carries no descriptors; else the processes talk "
     "directly"},
    {"SERVICE", "service", COLUMN_TEXT, "name of the service", .source = "name"},
    END,
};

static void put_counter(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__ExportInfo *e = (const Docad__ExportInfo *)message;
    put_text(object, column->key, e->length == 8 ? "brokered" : "mapped");
}

static void put_n_importers(struct json_object *object, const struct column *column,
                            const ProtobufCMessage *message)
{
    put_number(object, column->key, ((const Docad__ExportInfo *)message)->n_importers);
}

const struct column event_fields[] = {
    {"ID", "id", COLUMN_ID, "id of the export"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"FUNCTION", "function", COLUMN_TEXT, "function it is exported on"},
    {"COUNTER", "counter", COLUMN_TEXT, "mapped, or brokered if in memory of the application's",
     .put = put_counter},
    {"IMPORTERS", "importers", COLUMN_NUMBER, "how many have imported it", .put = put_n_importers},
    END,
};

// ---- exports ---------------------------------------------------------------------------

static const char *const targets[] = {"none", "dpu", "rdma", "sync-event"};

#define EXPORT_FIELDS(title_of)                                                                    \
    {title_of("ID", "export"), "id", COLUMN_ID, "id of the export"},                               \
        {title_of(NULL, "region"), "region_id", COLUMN_NUMBER, "the region it offers"},            \
        {title_of(NULL, "session"), "session_id", COLUMN_NUMBER, "its session"},                   \
        {title_of("PID", "pid"), "pid", COLUMN_NUMBER, "the program's process"},                   \
        {title_of("UID", "uid"), "uid", COLUMN_NUMBER, "its user"},                                \
        {title_of("PROGRAM", "program"), "program", COLUMN_TEXT, "what it calls itself"},          \
        {title_of("FUNCTION", "function"), "function", COLUMN_TEXT, "function it is exported on"}, \
        {title_of(NULL, "PCI address"), "pci_address", COLUMN_TEXT,                                \
         "PCI address of that function"},                                                          \
        {title_of("TARGET", "target"), "target",         COLUMN_ENUM,                              \
         "dpu, rdma or sync-event",    .names = targets, .n_names = 4},                            \
        {title_of(NULL, "address"), "address", COLUMN_ADDRESS,                                     \
         "where it begins, in the owner's process"},                                               \
        {title_of("LENGTH", "length"), "length", COLUMN_BYTES, "its bytes"},                       \
        {title_of("IMPORTERS", "importers"), "importers", COLUMN_OBJECTS,                          \
         "who has imported it, at most 32", .members = importer_fields},                           \
        {title_of("NAMES", "names"), "published", COLUMN_LIST, "names it is published under"},     \
        {title_of("ACCESS", "access"), "access", COLUMN_ACCESS, "what it permits"}, END,

#define OF_LIST(list, one) list
#define OF_ONE(list, one)  one

const struct column export_fields[] = {EXPORT_FIELDS(OF_LIST)};
const struct column export_show_fields[] = {EXPORT_FIELDS(OF_ONE)};

const struct column name_fields[] = {
    {"NAME", "name", COLUMN_TEXT, "the name"},
    {"PUBLISHED ON", "node", COLUMN_TEXT, "node it was published on"},
    {"EXPORT", "export_id", COLUMN_ID, "id of the export"},
    {"OWNER", "owner_node", COLUMN_TEXT, "node of the memory"},
    END,
};

const struct column descriptor_fields[] = {
    {"export", "export_id", COLUMN_ID, "id of the export"},
    {NULL, "node", COLUMN_HEX, "id of its node"},
    {NULL, "address", COLUMN_ADDRESS, "where the memory begins, in the owner's process"},
    {NULL, "length", COLUMN_BYTES, "its bytes"},
    {NULL, "access", COLUMN_ACCESS, "what the export permits"},
    {NULL, "pci_address", COLUMN_TEXT, "PCI address of the function it is for"},
    {NULL, "vuid", COLUMN_TEXT, "VUID of that function"},
    {"size", "size", COLUMN_BYTES, "bytes of the descriptor"},
    {"written to", "file", COLUMN_TEXT, "where it was written; only with -o", .optional = true},
    {NULL, "descriptor", COLUMN_HEX, "the descriptor; not with -o", .optional = true},
    END,
};

const struct column published_fields[] = {
    {"name", "name", COLUMN_TEXT, "the name"},
    {"export", "export_id", COLUMN_ID, "id of the export"},
    END,
};

const struct column unpublished_fields[] = {
    {"unpublished", "name", COLUMN_TEXT, "the name"},
    END,
};

const struct column revoked_fields[] = {
    {"revoked", "id", COLUMN_ID, "id of the export"},
    END,
};

const struct column certificate_fields[] = {
    {"certificate", "certificate", COLUMN_TEXT, "file of the certificate"},
    {"key", "key", COLUMN_TEXT, "file of its key, readable by its owner only"},
    END,
};

// ---- what happens ----------------------------------------------------------------------

const struct column level_fields[] = {
    {"log level", "level", COLUMN_TEXT, "error, warning, info or debug"},
    END,
};

const struct column reload_fields[] = {
    {"reloaded", "notes", COLUMN_LIST, "what has changed, and what needs a restart"},
    END,
};

const struct column metric_fields[] = {
    {"NAME", "name", COLUMN_TEXT, "name of the sample"},
    {"TYPE", "type", COLUMN_TEXT, "gauge, counter, histogram or info"},
    {"LABELS", "labels", COLUMN_LABELS, "its labels, texts"},
    {"VALUE", "value", COLUMN_FRACTION, "its value"},
    END,
};

const struct column check_fields[] = {
    {"CHECK", "check", COLUMN_TEXT, "what was looked at"},
    {"RESULT", "result", COLUMN_TEXT, "ok, warning or failed"},
    {"FOUND", "found", COLUMN_TEXT, "what there is"},
    {"FIX", "fix", COLUMN_TEXT, "what to do, empty if all is well"},
    END,
};

const struct column top_session_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"JOBS/s", "jobs_per_s", COLUMN_NUMBER, "jobs that ended"},
    {"FAILED/s", "failed_per_s", COLUMN_NUMBER, "jobs that failed"},
    {"MAPPED/s", "mapped_bytes_per_s", COLUMN_BYTES, "bytes it moved itself"},
    {"ENGINE/s", "engine_bytes_per_s", COLUMN_BYTES, "bytes that engines moved for it"},
    {"REGISTERED", "region_bytes", COLUMN_BYTES, "bytes it has registered"},
    END,
};

const struct column top_fields[] = {
    {NULL, "time_us", COLUMN_NUMBER, "microseconds since 1970"},
    {NULL, "interval_us", COLUMN_NUMBER, "what the rates are over"},
    {NULL, "sessions", COLUMN_OBJECTS, "the programs", .members = top_session_fields},
    END,
};

const struct column monitor_fields[] = {
    {NULL, "time_us", COLUMN_NUMBER, "microseconds since 1970"},
    {NULL, "event", COLUMN_TEXT, "what has happened, see above"},
    {NULL, "id", COLUMN_NUMBER, "number of the object", .optional = true},
    {NULL, "export_id", COLUMN_ID, "id of the export", .optional = true},
    {NULL, "session_id", COLUMN_NUMBER, "session it is about", .optional = true},
    {NULL, "pid", COLUMN_NUMBER, "its process", .optional = true},
    {NULL, "uid", COLUMN_NUMBER, "its user", .optional = true},
    {NULL, "program", COLUMN_TEXT, "what it calls itself", .optional = true},
    {NULL, "name", COLUMN_TEXT, "function, node, representor or request", .optional = true},
    {NULL, "bytes", COLUMN_BYTES, "size of the memory", .optional = true},
    {NULL, "error", COLUMN_TEXT, "name of a doca_error_t", .optional = true},
    {NULL, "text", COLUMN_TEXT, "why", .optional = true},
    {NULL, "lost", COLUMN_NUMBER, "of the event lost: how many were left out", .optional = true},
    END,
};

// ---- all of it -------------------------------------------------------------------------

#define LIST_OF(name)                                                                              \
    {                                                                                              \
        NULL, name, COLUMN_OBJECTS, "as the command's"                                             \
    }

const struct column dump_fields[] = {
    {NULL, "status", COLUMN_OBJECT, "as the command's"},
    LIST_OF("devices"),
    LIST_OF("representors"),
    LIST_OF("peers"),
    LIST_OF("sessions"),
    LIST_OF("regions"),
    LIST_OF("exports"),
    LIST_OF("exports_names"),
    LIST_OF("imports"),
    LIST_OF("queues"),
    LIST_OF("channels"),
    LIST_OF("channels_services"),
    LIST_OF("events"),
    LIST_OF("metrics"),
    END,
};
