// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "topology.h"

#include "cleanup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct default_function {
    const char *name, *pci;
    Docad__FunctionType type;
    uint32_t port;
};

static const struct default_function host_functions[] = {
    {"pf0", "0000:0b:00.0", DOCAD__FUNCTION_TYPE__PF, 0},
    {"pf0vf0", "0000:0b:00.2", DOCAD__FUNCTION_TYPE__VF, 0},
    {"pf0vf1", "0000:0b:00.3", DOCAD__FUNCTION_TYPE__VF, 0},
    {"pf1", "0000:0b:00.1", DOCAD__FUNCTION_TYPE__PF, 1},
    {"pf1vf0", "0000:0b:00.4", DOCAD__FUNCTION_TYPE__VF, 1},
};

static const struct default_function dpu_functions[] = {
    {"p0", "0000:03:00.0", DOCAD__FUNCTION_TYPE__PF, 0},
    {"p1", "0000:03:00.1", DOCAD__FUNCTION_TYPE__PF, 1},
    {"p0s0", "0000:03:00.0", DOCAD__FUNCTION_TYPE__SF, 0},
    {"p1s0", "0000:03:00.1", DOCAD__FUNCTION_TYPE__SF, 1},
};

const char *role_name(enum role role)
{
    return role == ROLE_HOST ? "host" : "dpu";
}

bool role_parse(const char *text, enum role *out)
{
    if (strcmp(text, "host") != 0 && strcmp(text, "dpu") != 0)
        return false;
    *out = strcmp(text, "host") == 0 ? ROLE_HOST : ROLE_DPU;
    return true;
}

size_t topology_default(enum role role, struct function_setting out[FUNCTIONS_MAX])
{
    const struct default_function *from = role == ROLE_HOST ? host_functions : dpu_functions;
    size_t n = role == ROLE_HOST ? ARRAY_SIZE(host_functions) : ARRAY_SIZE(dpu_functions);

    memset(out, 0, n * sizeof(*out));
    for (size_t i = 0; i < n; i++) {
        struct function *f = &out[i].function;
        copy_text(f->name, from[i].name);
        copy_text(f->pci, from[i].pci);
        f->type = from[i].type;
        f->port = from[i].port;
    }
    return n;
}

static bool decide(enum setting setting, bool otherwise)
{
    return setting == SETTING_UNSET ? otherwise : setting == SETTING_YES;
}

static void complete_capabilities(const struct function_setting *s, enum role role,
                                  struct function *f)
{
    bool dpu_pf = role == ROLE_DPU && f->type == DOCAD__FUNCTION_TYPE__PF;
    f->can_export_dpu = decide(s->can_export_dpu, role == ROLE_HOST);
    f->can_import_dpu = decide(s->can_import_dpu, dpu_pf);
    f->can_list_reps = decide(s->can_list_reps, dpu_pf);
    f->can_dma = decide(s->can_dma, true);
}

static void complete_addresses(const struct function_setting *s, enum role role, size_t index,
                               const uint8_t node[NODE_ID_SIZE], struct function *f)
{
    if (s->mac == SETTING_UNSET) {
        // 02: locally administered, so never the address of a real card.
        const uint8_t mac[6] = {0x02, node[0], node[1], node[2], node[3], (uint8_t)index};
        memcpy(f->mac, mac, sizeof(mac));
    }
    if (s->ipv4 == SETTING_UNSET) {
        const uint8_t ipv4[4] = {192, 168, role == ROLE_HOST ? 100 : 101, (uint8_t)(index + 1)};
        memcpy(f->ipv4, ipv4, sizeof(ipv4));
    }
    if (s->ipv6 == SETTING_UNSET) {
        const uint8_t *m = f->mac;
        const uint8_t ipv6[16] = {0xfe,     0x80, 0,    0,    0,    0,    0,    0,
                                  m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]};
        memcpy(f->ipv6, ipv6, sizeof(ipv6));
    }
    f->has_ipv4 = s->ipv4 != SETTING_NO;
    f->has_ipv6 = s->ipv6 != SETTING_NO;
}

static void complete_names(size_t index, const char *node_name, struct function *f)
{
    if (!f->vuid[0]) {
        // Names in UTF-8 keep their bytes: only ASCII letters change case.
        int n = snprintf(f->vuid, sizeof(f->vuid), "%.63sS0D0F%zu", node_name, index);
        for (int i = 0; i < n; i++)
            if (f->vuid[i] >= 'a' && f->vuid[i] <= 'z')
                f->vuid[i] = (char)toupper(f->vuid[i]);
    }
    if (!f->iface[0])
        copy_text(f->iface, f->name);
    if (!f->ibdev[0])
        snprintf(f->ibdev, sizeof(f->ibdev), "docad_%zu", index);
}

// An SF shares the PCI address of the PF on its port.
static void complete_pci(const struct function_setting *settings, size_t n, struct function *f)
{
    for (size_t i = 0; i < n && !f->pci[0]; i++) {
        const struct function *pf = &settings[i].function;
        if (!settings[i].absent && pf->type == DOCAD__FUNCTION_TYPE__PF && pf->port == f->port)
            copy_text(f->pci, pf->pci);
    }
}

struct function topology_verbs(const struct function_setting *s)
{
    struct function f = s->function;

    copy_text(f.card, card_short_name(s->card));
    f.gone = true;
    f.can_export_dpu = s->can_export_dpu == SETTING_YES;
    f.can_import_dpu = s->can_import_dpu == SETTING_YES;
    f.can_list_reps = s->can_list_reps == SETTING_YES;
    f.can_dma = decide(s->can_dma, true);
    return f;
}

void topology_complete(const struct function_setting *settings, size_t n, enum role role,
                       const char *node_name, const uint8_t node[NODE_ID_SIZE],
                       struct function out[FUNCTIONS_MAX])
{
    for (size_t i = 0; i < n; i++) {
        struct function *f = &out[i];
        bool verbs = settings[i].function.backing == DOCAD__BACKING__VERBS;
        *f = verbs ? topology_verbs(&settings[i]) : settings[i].function;
        f->id = (uint32_t)i + 1;
        f->gone = verbs || settings[i].absent;
        copy_text(f->card, card_short_name(settings[i].card));
        if (f->gone)
            continue;
        complete_pci(settings, n, f);
        complete_names(i, node_name, f);
        complete_addresses(&settings[i], role, i, node, f);
        complete_capabilities(&settings[i], role, f);
    }
}

// Finds a slot for a function of this name: its former one, or else one that was never used or is
// free again. FUNCTIONS_MAX if there is none.
static size_t find_place(const struct function_setting *placed, const struct function *old,
                         size_t n_old, const char *name)
{
    for (size_t i = 0; i < n_old; i++)
        if (strcmp(old[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < FUNCTIONS_MAX; i++)
        if (placed[i].absent && (i >= n_old || old[i].name[0] == '\0'))
            return i;
    return FUNCTIONS_MAX;
}

size_t topology_place(const struct function_setting *settings, size_t n, const struct function *old,
                      size_t n_old, struct function out[FUNCTIONS_MAX], enum role role,
                      const char *node_name, const uint8_t node[NODE_ID_SIZE])
{
    struct function_setting placed[FUNCTIONS_MAX];
    size_t end = 0;

    memset(placed, 0, sizeof(placed));
    for (size_t i = 0; i < FUNCTIONS_MAX; i++)
        placed[i].absent = true;
    for (size_t i = 0; i < n; i++) {
        size_t place = find_place(placed, old, n_old, settings[i].function.name);
        if (place == FUNCTIONS_MAX)
            continue; // every slot has a function that was removed but is still open
        placed[place] = settings[i];
        end = place + 1 > end ? place + 1 : end;
    }
    topology_complete(placed, end, role, node_name, node, out);
    return end;
}
