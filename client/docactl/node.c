// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The daemon itself, what it offers, and the other nodes it knows.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"

#include <arpa/inet.h>
#include <time.h>

static enum outcome get_status(struct ctl *ctl, Docad__Message **reply)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_STATUS;
    request.status = &status;
    return connection_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_STATUS_REPLY, reply);
}

enum outcome run_status(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"node", "node_name", COLUMN_TEXT},
        {"role", "role", COLUMN_TEXT},
        {"node id", "node", COLUMN_TEXT},
        {"version", "version", COLUMN_TEXT},
        {"pid", "pid", COLUMN_NUMBER},
        {"uid", "uid", COLUMN_NUMBER},
        {"up for", "uptime_ms", COLUMN_DURATION},
        {"socket", "socket", COLUMN_TEXT},
        {"configuration", "config", COLUMN_TEXT},
        {"functions", "functions", COLUMN_NUMBER},
        {"representors", "representors", COLUMN_NUMBER},
        {"sessions", "sessions", COLUMN_NUMBER},
        {"regions", "regions", COLUMN_NUMBER},
        {"registered", "region_bytes", COLUMN_BYTES},
        {"exports", "exports", COLUMN_NUMBER},
        {"imports", "imports", COLUMN_NUMBER},
        {"queue pairs", "queue_pairs", COLUMN_NUMBER},
        {"peers", "peers", COLUMN_NUMBER},
        {"peers linked", "peers_linked", COLUMN_NUMBER},
        {"names", "publications", COLUMN_NUMBER},
        {.title = NULL},
    };
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = get_status(ctl, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;

    const Docad__StatusReply *s = reply->status_reply;
    struct json_object *object = json_object_new_object();
    put_text(object, "node_name", s->node_name);
    put_text(object, "node", s->node);
    put_text(object, "role", s->role);
    put_text(object, "version", s->version);
    put_number(object, "pid", s->pid);
    put_number(object, "uid", s->uid);
    put_number(object, "uptime_ms", s->uptime_ms);
    put_text(object, "socket", s->socket);
    put_text(object, "config", s->config);
    put_number(object, "functions", s->functions);
    put_number(object, "representors", s->representors);
    put_number(object, "sessions", s->sessions);
    put_number(object, "regions", s->regions);
    put_number(object, "region_bytes", s->region_bytes);
    put_number(object, "exports", s->exports);
    put_number(object, "imports", s->imports);
    put_number(object, "queue_pairs", s->queue_pairs);
    put_number(object, "peers", s->peers);
    put_number(object, "peers_linked", s->peers_linked);
    put_number(object, "publications", s->publications);
    return show_object(ctl, object, columns);
}

enum outcome run_ping(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"node", "node_name", COLUMN_TEXT},
        {"round trip (us)", "round_trip_us", COLUMN_NUMBER},
        {.title = NULL},
    };
    enum outcome outcome = connection_open(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct timespec before, after;
    cleanup_message Docad__Message *reply = NULL;
    clock_gettime(CLOCK_MONOTONIC, &before);
    outcome = get_status(ctl, &reply);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (outcome != OUTCOME_DONE)
        return outcome;

    int64_t ns =
        (after.tv_sec - before.tv_sec) * INT64_C(1000000000) + after.tv_nsec - before.tv_nsec;
    struct json_object *object = json_object_new_object();
    put_text(object, "node_name", reply->status_reply->node_name);
    put_number(object, "round_trip_us", (uint64_t)(ns + 500) / 1000);
    return show_object(ctl, object, columns);
}

// ---- functions ---------------------------------------------------------------------

static const char *type_name(Docad__FunctionType type)
{
    switch (type) {
    case DOCAD__FUNCTION_TYPE__PF:
        return "pf";
    case DOCAD__FUNCTION_TYPE__VF:
        return "vf";
    case DOCAD__FUNCTION_TYPE__SF:
        return "sf";
    default:
        return "unknown";
    }
}

static void put_ip(struct json_object *object, const char *key, int family,
                   const ProtobufCBinaryData *address, size_t size)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (address->len == size)
        inet_ntop(family, address->data, text, sizeof(text));
    put_text(object, key, text);
}

static void put_mac(struct json_object *object, const ProtobufCBinaryData *mac)
{
    char text[24] = "";
    if (mac->len == 6)
        snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac->data[0], mac->data[1],
                 mac->data[2], mac->data[3], mac->data[4], mac->data[5]);
    put_text(object, "mac", text);
}

static void put_capabilities(struct json_object *object, const Docad__Function *f)
{
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
    put_texts(object, "capabilities", names, n);
}

static struct json_object *function_object(const Docad__Function *f)
{
    struct json_object *object = json_object_new_object();
    put_number(object, "id", f->id);
    put_text(object, "name", f->name);
    put_text(object, "type", type_name(f->type));
    put_text(object, "pci_address", f->pci_address);
    put_number(object, "port", f->port);
    put_text(object, "vuid", f->vuid);
    put_text(object, "iface", f->iface);
    put_text(object, "ibdev", f->ibdev);
    put_mac(object, &f->mac);
    put_ip(object, "ipv4", AF_INET, &f->ipv4, 4);
    put_ip(object, "ipv6", AF_INET6, &f->ipv6, 16);
    put_text(object, "backing", f->backing == DOCAD__BACKING__VERBS ? "verbs" : "shm");
    put_capabilities(object, f);
    return object;
}

static enum outcome get_functions(struct ctl *ctl, Docad__Message **reply)
{
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST;
    request.function_list = &list;
    return connection_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY, reply);
}

enum outcome run_devices(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"NAME", "name", COLUMN_TEXT},
        {"TYPE", "type", COLUMN_TEXT},
        {"PCI", "pci_address", COLUMN_TEXT},
        {"PORT", "port", COLUMN_NUMBER},
        {"IFACE", "iface", COLUMN_TEXT},
        {"IBDEV", "ibdev", COLUMN_TEXT},
        {"MAC", "mac", COLUMN_TEXT},
        {"IPV4", "ipv4", COLUMN_TEXT},
        {"BACKING", "backing", COLUMN_TEXT},
        {"CAPABILITIES", "capabilities", COLUMN_LIST},
        {.title = NULL},
    };
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = get_functions(ctl, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < reply->function_list_reply->n_functions; i++)
        json_object_array_add(array, function_object(reply->function_list_reply->functions[i]));
    return show_array(ctl, array, columns);
}

// ---- representors --------------------------------------------------------------------

struct representors {
    const Docad__FunctionListReply *functions;
    struct json_object *array;
};

static const char *function_name(const Docad__FunctionListReply *list, uint32_t id)
{
    for (size_t i = 0; i < list->n_functions; i++) {
        if (list->functions[i]->id == id)
            return list->functions[i]->name;
    }
    return "";
}

static void add_representors(const Docad__ListReply *page, void *arg)
{
    struct representors *all = arg;
    for (size_t i = 0; i < page->n_representors; i++) {
        const Docad__Representor *r = page->representors[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", r->id);
        put_text(object, "name", r->name);
        put_text(object, "type", type_name(r->type));
        put_text(object, "pci_address", r->pci_address);
        put_text(object, "vuid", r->vuid);
        put_text(object, "parent", function_name(all->functions, r->parent_function));
        put_hex(object, "node", r->node.data, r->node.len);
        json_object_array_add(all->array, object);
    }
}

enum outcome run_representors(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"NAME", "name", COLUMN_TEXT},
        {"TYPE", "type", COLUMN_TEXT},
        {"PCI", "pci_address", COLUMN_TEXT},
        {"PARENT", "parent", COLUMN_TEXT},
        {"VUID", "vuid", COLUMN_TEXT},
        {"NODE", "node", COLUMN_TEXT},
        {.title = NULL},
    };
    cleanup_message Docad__Message *functions = NULL;
    enum outcome outcome = get_functions(ctl, &functions);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct representors all = {functions->function_list_reply, json_object_new_array()};
    outcome = connection_list(ctl, DOCAD__LIST__KIND__REPRESENTORS, add_representors, &all);
    if (outcome == OUTCOME_DONE)
        return show_array(ctl, all.array, columns);
    json_object_put(all.array);
    return outcome;
}

// ---- peers -----------------------------------------------------------------------------

static void add_peers(const Docad__ListReply *page, void *arg)
{
    struct json_object *array = arg;
    for (size_t i = 0; i < page->n_peers; i++) {
        const Docad__PeerInfo *p = page->peers[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", p->id);
        put_text(object, "node", p->node);
        put_text(object, "name", p->name);
        put_text(object, "role", p->role);
        put_text(object, "address", p->address);
        put_text(object, "state", p->state);
        put_number(object, "functions", p->functions);
        put_text(object, "last_error", p->last_error);
        json_object_array_add(array, object);
    }
}

enum outcome run_peers(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"NAME", "name", COLUMN_TEXT},
        {"ROLE", "role", COLUMN_TEXT},
        {"STATE", "state", COLUMN_TEXT},
        {"FUNCTIONS", "functions", COLUMN_NUMBER},
        {"ADDRESS", "address", COLUMN_TEXT},
        {"LAST ERROR", "last_error", COLUMN_TEXT},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__PEERS, add_peers, columns);
}
