// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fields.h"

#include "cleanup.h"

#include <string.h>

// For members that the command itself makes.
static void put_nothing(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    (void)object;
    (void)column;
    (void)message;
}

// ---- the node --------------------------------------------------------------------------

static void put_certificate(struct json_object *object, const struct column *column,
                            const ProtobufCMessage *message)
{
    const Docad__StatusReply *status = (const Docad__StatusReply *)message;
    if (status->has_certificate)
        put_number(object, column->key, status->certificate_valid_ms);
}

// The rules, which are one a line, in one line.
static void put_faults(struct json_object *object, const struct column *column,
                       const ProtobufCMessage *message)
{
    const Docad__StatusReply *status = (const Docad__StatusReply *)message;
    cleanup_free char *text = strdup(status->faults);
    for (char *at = text; at && (at = strchr(at, '\n'));)
        *at = ';';
    if (text && *text)
        put_text(object, column->key, text);
}

static void put_injected(struct json_object *object, const struct column *column,
                         const ProtobufCMessage *message)
{
    const Docad__StatusReply *status = (const Docad__StatusReply *)message;
    if (status->faults[0])
        put_number(object, column->key, status->faults_injected);
}

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
    {"certificate", "certificate_valid_ms", COLUMN_DURATION,
     "with TLS: milliseconds until the node's certificate, or one that it trusts, expires",
     .put = put_certificate, .optional = true},
    {"faults", "faults", COLUMN_TEXT, "rules for faults that its configuration has",
     .put = put_faults, .optional = true},
    {"injected", "faults_injected", COLUMN_NUMBER, "with faults: how many there were",
     .put = put_injected, .optional = true},
    COLUMNS_END,
};

const struct column ping_fields[] = {
    {"node", "node_name", COLUMN_TEXT, "name of the node"},
    {"round trip (us)", "round_trip_us", COLUMN_NUMBER, "microseconds from request to answer"},
    COLUMNS_END,
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

// enum ibv_mtu numbers the powers of two, beginning with 1 for 256.
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
    COLUMNS_END,
};

static const struct column verbs_fields[] = {
    {NULL, "port", COLUMN_NUMBER, "number of the device's port"},
    {NULL, "active", COLUMN_YES_NO, "whether it carries data"},
    {NULL, "link_layer", COLUMN_TEXT, "ethernet or infiniband", .put = put_link_layer},
    {NULL, "lid", COLUMN_NUMBER, "its address in an InfiniBand network"},
    {NULL, "mtu", COLUMN_NUMBER, "most bytes of data in a packet", .put = put_mtu},
    {NULL, "max_message", COLUMN_BYTES, "most bytes of a job or a message"},
    {NULL, "max_queue", COLUMN_NUMBER, "most jobs in a queue"},
    {NULL, "max_list", COLUMN_NUMBER, "most parts of a job's buffer"},
    {NULL, "atomics", COLUMN_YES_NO, "whether it does atomic operations"},
    {NULL, "gid_table", COLUMN_NUMBER, "entries of its table of GIDs"},
    {NULL, "gids", COLUMN_OBJECTS, "those in use", .members = gid_fields},
    {NULL, "address", COLUMN_IP, "address whose GID connections use; empty: docad chooses"},
    {NULL, "timeout", COLUMN_NUMBER, "as in the verbs section of docad.conf(5)"},
    {NULL, "retries", COLUMN_NUMBER, "as there"},
    {NULL, "rnr_retries", COLUMN_NUMBER, "as there"},
    {NULL, "rnr_timer", COLUMN_NUMBER, "as there"},
    COLUMNS_END,
};

const struct column device_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the function within its node"},
    {"NAME", "name", COLUMN_TEXT, "name of the function"},
    {"TYPE", "type", COLUMN_ENUM, "pf, vf or sf", .names = function_types, .n_names = 3},
    {"PCI", "pci_address", COLUMN_TEXT, "PCI address with domain"},
    {"PORT", "port", COLUMN_NUMBER, "number of the uplink it belongs to"},
    {NULL, "vuid", COLUMN_TEXT, "VUID"},
    {"IFACE", "iface", COLUMN_TEXT, "name of the network interface", .rank = 1},
    {"IBDEV", "ibdev", COLUMN_TEXT, "name of the RDMA device", .rank = 2},
    {"MAC", "mac", COLUMN_MAC, "MAC address", .rank = 4},
    {"IPV4", "ipv4", COLUMN_IP, "IPv4 address, may be empty", .rank = 3},
    {NULL, "ipv6", COLUMN_IP, "IPv6 address, may be empty"},
    {"BACKING", "backing", COLUMN_ENUM, "shm (software) or verbs", .names = backings, .n_names = 2},
    {"STATE", "state", COLUMN_TEXT, "active or down with backing verbs; else empty",
     .put = put_state},
    {"CAPABILITIES", "capabilities", COLUMN_LIST,
     "some of dma, export_dpu, import_dpu, list_representors", .put = put_capabilities},
    {NULL, "card", COLUMN_TEXT, "the card that it imitates; empty: software"},
    {NULL, "verbs", COLUMN_OBJECT, "the port of the ibverbs device; only with backing verbs",
     .members = verbs_fields, .optional = true},
    COLUMNS_END,
};

const struct column representor_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the representor"},
    {"NAME", "name", COLUMN_TEXT, "name of the representor"},
    {"TYPE", "type", COLUMN_ENUM, "pf, vf or sf", .names = function_types, .n_names = 3},
    {"PCI", "pci_address", COLUMN_TEXT, "PCI address of what it represents"},
    {"PARENT", "parent", COLUMN_TEXT, "the DPU's function that it is listed under",
     .put = put_nothing},
    {"VUID", "vuid", COLUMN_TEXT, "VUID of what it represents", .rank = 1},
    {"NODE", "node", COLUMN_HEX, "id of the node whose function it represents", .rank = 2},
    COLUMNS_END,
};

const struct column quota_fields[] = {
    {"QUOTA", "name", COLUMN_TEXT, "option in the limits section of docad.conf(5)"},
    {"USED", "used", COLUMN_NUMBER, "how much is used"},
    {"LIMIT", "limit", COLUMN_LIMIT, "how much may be used, null if unlimited"},
    COLUMNS_END,
};

static void put_peer_certificate(struct json_object *object, const struct column *column,
                                 const ProtobufCMessage *message)
{
    const Docad__PeerInfo *peer = (const Docad__PeerInfo *)message;
    if (peer->has_certificate)
        put_number(object, column->key, peer->certificate_valid_ms);
}

const struct column peer_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the connection"},
    {NULL, "node", COLUMN_TEXT, "id of the node, empty while unknown"},
    {"NAME", "name", COLUMN_TEXT, "name of the node"},
    {"ROLE", "role", COLUMN_TEXT, "host or dpu, empty while unknown"},
    {"STATE", "state", COLUMN_TEXT, "connecting, linked or refused"},
    {"FUNCTIONS", "functions", COLUMN_NUMBER, "functions of that node", .rank = 1},
    {"BYTES", "bytes", COLUMN_TEXT, "way of the bytes: memory, rdma or link; empty if not linked"},
    {NULL, "without_device", COLUMN_TEXT,
     "with bytes over the link: the node that uses no RDMA device"},
    {"ADDRESS", "address", COLUMN_TEXT,
     "socket or HOST:PORT that docad dials, or address of a peer that dials (empty if local)"},
    {"CERTIFICATE", "certificate_valid_ms", COLUMN_DURATION,
     "of a linked node on another machine: milliseconds until its certificate expires",
     .put = put_peer_certificate, .optional = true, .rank = 2},
    {"LAST ERROR", "last_error", COLUMN_TEXT, "why there is, or was, no link"},
    {NULL, "quotas", COLUMN_OBJECTS, "its use of this node's resources", .members = quota_fields},
    COLUMNS_END,
};
