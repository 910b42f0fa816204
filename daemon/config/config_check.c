// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_check.h"

#include <stdarg.h>
#include <string.h>

void complain(struct complaints *complaints, int line, const char *format, ...)
{
    va_list args;
    if (line > 0)
        fprintf(complaints->to, "%s:%d: ", complaints->path, line);
    else
        fprintf(complaints->to, "%s: ", complaints->path);
    va_start(args, format);
    vfprintf(complaints->to, format, args);
    va_end(args);
    fputc('\n', complaints->to);
    complaints->n++;
}

// ---- functions ------------------------------------------------------------------------------

static unsigned ibport(const struct function *f)
{
    return f->verbs.port ? f->verbs.port : 1;
}

// Checks a pair of functions, each of which is valid by itself.
static void check_pair(const struct function *a, const struct function *b, int line,
                       struct complaints *complaints)
{
    bool sf = b->type == DOCAD__FUNCTION_TYPE__SF, pf = b->type == DOCAD__FUNCTION_TYPE__PF;
    bool verbs = a->backing == DOCAD__BACKING__VERBS || b->backing == DOCAD__BACKING__VERBS;

    if (!sf && a->type != DOCAD__FUNCTION_TYPE__SF && b->pci[0] && strcmp(a->pci, b->pci) == 0)
        complain(complaints, line,
                 "function \"%s\": PCI address %s belongs to \"%s\" (give it another)", b->name,
                 b->pci, a->name);
    if (!verbs && pf && a->type == DOCAD__FUNCTION_TYPE__PF && a->port == b->port)
        complain(complaints, line,
                 "function \"%s\": port %u belongs to \"%s\" (give each PF its own port)", b->name,
                 b->port, a->name);
    if (a->backing == b->backing && verbs && strcmp(a->ibdev, b->ibdev) == 0 &&
        ibport(a) == ibport(b))
        complain(complaints, line,
                 "function \"%s\": port %u of %s belongs to \"%s\" (give it another ibport)",
                 b->name, ibport(b), b->ibdev, a->name);
    if (b->vuid[0] && strcmp(a->vuid, b->vuid) == 0)
        complain(complaints, line, "function \"%s\": VUID %s belongs to \"%s\" (give it another)",
                 b->name, b->vuid, a->name);
}

// An SF has the address of the PF on its port.
static void check_sf(const struct config *config, const struct function *sf, int line,
                     struct complaints *complaints)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        const struct function *pf = &config->functions[i].function;
        if (pf->type != DOCAD__FUNCTION_TYPE__PF || pf->port != sf->port)
            continue;
        if (sf->pci[0] && strcmp(sf->pci, pf->pci) != 0)
            complain(complaints, line,
                     "function \"%s\": PCI address %s, but its PF \"%s\" has %s (leave it "
                     "out: an SF has the address of its PF)",
                     sf->name, sf->pci, pf->name, pf->pci);
        return;
    }
    complain(complaints, line,
             "function \"%s\": an SF on port %u, which has no PF (add a PF with port = %u)",
             sf->name, sf->port, sf->port);
}

static void check_functions(const struct config *config, const int *pci_lines,
                            struct complaints *complaints)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        const struct function *f = &config->functions[i].function;
        for (size_t j = 0; j < i; j++)
            check_pair(&config->functions[j].function, f, pci_lines[i], complaints);
        if (f->type == DOCAD__FUNCTION_TYPE__SF && f->backing != DOCAD__BACKING__VERBS)
            check_sf(config, f, pci_lines[i], complaints);
    }
}

// ---- peers ----------------------------------------------------------------------------------

static void check_peers(const struct config *config, struct complaints *complaints)
{
    const struct config_peer *peers = config->peers;
    bool remote = config->tls.listen[0];

    for (size_t i = 0; i < config->n_peers; i++) {
        remote = remote || peers[i].address[0];
        for (size_t j = 0; j < i; j++)
            if (strcmp(config_peer_where(&peers[i]), config_peer_where(&peers[j])) == 0)
                complain(complaints, 0, "peers \"%s\" and \"%s\" have the same %s (remove one)",
                         peers[j].name, peers[i].name, peers[i].socket[0] ? "socket" : "address");
    }
    if (remote && (!config->tls.certificate[0] || !config->tls.key[0] || !config->tls.authority[0]))
        complain(complaints, 0,
                 "links to other machines, but no certificate, key and authority (name the three "
                 "files in the tls section; docactl certificates makes them)");
}

void config_check(const struct config *config, const int *pci_lines, struct complaints *complaints)
{
    check_functions(config, pci_lines, complaints);
    check_peers(config, complaints);
}
