// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "function.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

const char *function_type_name(Docad__FunctionType type)
{
    switch (type) {
    case DOCAD__FUNCTION_TYPE__PF:
        return "PF";
    case DOCAD__FUNCTION_TYPE__VF:
        return "VF";
    case DOCAD__FUNCTION_TYPE__SF:
        return "SF";
    default:
        return "?";
    }
}

void function_to_message(const struct function *f, Docad__Function *out)
{
    docad__function__init(out);
    out->id = f->id;
    out->name = (char *)f->name;
    out->type = f->type;
    out->pci_address = (char *)f->pci;
    out->port = f->port;
    out->vuid = (char *)f->vuid;
    out->iface = (char *)f->iface;
    out->ibdev = (char *)f->ibdev;
    out->card = (char *)f->card;
    out->mac = (ProtobufCBinaryData){sizeof(f->mac), (uint8_t *)f->mac};
    if (f->has_ipv4)
        out->ipv4 = (ProtobufCBinaryData){sizeof(f->ipv4), (uint8_t *)f->ipv4};
    if (f->has_ipv6)
        out->ipv6 = (ProtobufCBinaryData){sizeof(f->ipv6), (uint8_t *)f->ipv6};
    out->backing = f->backing;
    out->can_export_dpu = f->can_export_dpu;
    out->can_import_dpu = f->can_import_dpu;
    out->can_dma = f->can_dma;
    out->can_list_reps = f->can_list_reps;
}

bool function_same(const struct function *a, const struct function *b)
{
    Docad__Function left, right;
    uint8_t l[1024], r[1024];

    function_to_message(a, &left);
    function_to_message(b, &right);
    size_t size = docad__function__get_packed_size(&left);
    return size <= sizeof(l) && size == docad__function__get_packed_size(&right) &&
           docad__function__pack(&left, l) == docad__function__pack(&right, r) &&
           memcmp(l, r, size) == 0;
}

// Copies an address of fixed size; an empty one leaves *present false.
static bool copy_bytes(const ProtobufCBinaryData *from, uint8_t *to, size_t size, bool *present)
{
    *present = from->len == size;
    if (*present)
        memcpy(to, from->data, size);
    return *present || from->len == 0;
}

doca_error_t function_from_message(const Docad__Function *m, struct function *out,
                                   struct errtext *err)
{
    struct function f = {.id = m->id,
                         .type = m->type,
                         .port = m->port,
                         .backing = m->backing,
                         .can_export_dpu = m->can_export_dpu,
                         .can_import_dpu = m->can_import_dpu,
                         .can_dma = m->can_dma,
                         .can_list_reps = m->can_list_reps};
    struct pci_address address;
    bool has_mac;

    if (m->id == 0 || m->type < DOCAD__FUNCTION_TYPE__PF || m->type > DOCAD__FUNCTION_TYPE__SF ||
        m->port > FUNCTION_PORT_MAX || !pci_address_parse(m->pci_address, &address) ||
        !text_is_name(m->name, sizeof(f.name)) || !text_is_name(m->vuid, sizeof(f.vuid)) ||
        !text_is_name(m->iface, sizeof(f.iface)) || !text_is_name(m->ibdev, sizeof(f.ibdev)) ||
        !copy_bytes(&m->mac, f.mac, sizeof(f.mac), &has_mac) ||
        !copy_bytes(&m->ipv4, f.ipv4, sizeof(f.ipv4), &f.has_ipv4) ||
        !copy_bytes(&m->ipv6, f.ipv6, sizeof(f.ipv6), &f.has_ipv6))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "function %u: its description is not valid", m->id);
    copy_text(f.name, m->name);
    copy_text(f.vuid, m->vuid);
    copy_text(f.iface, m->iface);
    copy_text(f.ibdev, m->ibdev);
    pci_address_format(&address, f.pci);
    *out = f;
    return DOCA_SUCCESS;
}

doca_error_t functions_from_messages(Docad__Function *const *messages, size_t n,
                                     struct function out[FUNCTIONS_MAX], struct errtext *err)
{
    if (n > FUNCTIONS_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%zu functions; at most %d are possible",
                           n, FUNCTIONS_MAX);
    for (size_t i = 0; i < n; i++) {
        doca_error_t r = function_from_message(messages[i], &out[i], err);
        if (r != DOCA_SUCCESS)
            return r;
        if (function_find(out, i, out[i].id))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "two functions have the id %u",
                               out[i].id);
    }
    return DOCA_SUCCESS;
}

void function_drop_gids(struct function *f)
{
    free(f->verbs.gids);
    f->verbs.gids = NULL;
    f->verbs.n_gids = 0;
}

size_t functions_gids_max(const struct function *functions, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += functions[i].backing == DOCAD__BACKING__VERBS && !functions[i].gone;
    size_t max = count ? FUNCTION_GIDS_MAX / count : VERBS_GIDS_MAX;
    return max < VERBS_GIDS_MAX ? max : VERBS_GIDS_MAX;
}

static void gids_to_message(const struct function_verbs *v, size_t max, Docad__FunctionVerbs *m,
                            struct function_messages *out)
{
    m->gids = &out->gid_list[out->n_gids];
    for (; m->n_gids < v->n_gids && m->n_gids < max; m->n_gids++) {
        const struct verbs_gid *gid = &v->gids[m->n_gids];
        Docad__VerbsGid *g = out->gid_list[out->n_gids] = &out->gids[out->n_gids];
        docad__verbs_gid__init(g);
        g->index = gid->index;
        g->gid = (ProtobufCBinaryData){sizeof(gid->raw), (uint8_t *)gid->raw};
        g->type = gid->type;
        out->n_gids++;
    }
}

static void verbs_to_message(const struct function_verbs *v, Docad__FunctionVerbs *m)
{
    docad__function_verbs__init(m);
    m->port = v->port;
    m->active = v->active;
    m->ethernet = v->ethernet;
    m->lid = v->lid;
    m->mtu = v->mtu;
    m->max_message = v->max_message;
    m->max_queue = v->max_queue;
    m->max_list = v->max_list;
    m->atomics = v->atomics;
    m->gid_table = v->gid_table;
    m->timeout = v->timeout;
    m->retries = v->retries;
    m->rnr_retries = v->rnr_retries;
    m->rnr_timer = v->rnr_timer;
    m->address = (ProtobufCBinaryData){v->address_size, (uint8_t *)v->address};
}

size_t functions_to_messages(const struct function *functions, size_t n, bool all,
                             struct function_messages *out)
{
    size_t count = 0, max_gids = functions_gids_max(functions, n);
    out->n_gids = 0;
    for (size_t i = 0; i < n; i++) {
        const struct function *f = &functions[i];
        bool verbs = f->backing == DOCAD__BACKING__VERBS;
        if (f->gone || (verbs && !all))
            continue;
        Docad__Function *m = out->list[count] = &out->items[count];
        function_to_message(f, m);
        if (verbs) {
            m->verbs = &out->verbs[count];
            verbs_to_message(&f->verbs, m->verbs);
            gids_to_message(&f->verbs, max_gids, m->verbs, out);
        }
        count++;
    }
    return count;
}

const struct function *function_find(const struct function *functions, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++)
        if (functions[i].id == id && !functions[i].gone)
            return &functions[i];
    return NULL;
}
