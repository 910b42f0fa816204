// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_check.h"

#include "choice.h"
#include "cleanup.h"

#include <dirent.h>
#include <fnmatch.h>
#include <string.h>

// ---- functions ------------------------------------------------------------------------------

static unsigned ibport(const struct function *f)
{
    return f->verbs.port ? f->verbs.port : 1;
}

// Checks a pair of functions, each of which is valid by itself.
static void check_pair(const struct function *a, const struct function *b, int line,
                       struct complaints *complaints)
{
    bool whole =
        complaints->n_syntax == 0; // otherwise a port may be in a statement that was not read
    bool sf = b->type == DOCAD__FUNCTION_TYPE__SF, pf = b->type == DOCAD__FUNCTION_TYPE__PF;
    bool verbs = a->backing == DOCAD__BACKING__VERBS || b->backing == DOCAD__BACKING__VERBS;

    if (!sf && a->type != DOCAD__FUNCTION_TYPE__SF && b->pci[0] && strcmp(a->pci, b->pci) == 0)
        complain(complaints, line,
                 "function \"%s\": PCI address %s belongs to \"%s\" (give it another)", b->name,
                 b->pci, a->name);
    if (!verbs && pf && a->type == DOCAD__FUNCTION_TYPE__PF && a->port == b->port && whole)
        complain(complaints, line,
                 "function \"%s\": port %u belongs to \"%s\" (give each PF its own port)", b->name,
                 b->port, a->name);
    if (a->backing == b->backing && verbs && strcmp(a->ibdev, b->ibdev) == 0 &&
        ibport(a) == ibport(b) && whole)
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
    if (complaints->n_syntax > 0)
        return;
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

// `remote` is the line that configures links to other machines, 0 without any.
static void check_files(const struct tls_settings *tls, const struct config_lines *lines,
                        int remote, struct complaints *complaints)
{
    bool key = tls->key[0], authority = tls->authority[0];

    if (complaints->n_syntax > 0)
        return; // they may be there
    if (tls->certificate[0] && !(key && authority))
        complain(complaints, lines->tls[1],
                 "a certificate, but %s%s%s (name the three files in the tls section; docactl "
                 "certificates makes them)",
                 key ? "" : "no key", !key && !authority ? " and " : "",
                 authority ? "" : "no authority");
    else if (remote && !tls->certificate[0])
        complain(complaints, remote,
                 "links to other machines, but no certificate, key and authority (name the three "
                 "files in the tls section; docactl certificates makes them)");
}

static void check_peers(const struct config *config, struct complaints *complaints)
{
    const struct config_peer *peers = config->peers;
    const struct config_lines *lines = &config->lines;
    int remote = config->tls.listen[0] ? lines->tls[0] : 0;

    for (size_t i = 0; i < config->n_peers; i++) {
        if (!remote && peers[i].address[0])
            remote = lines->peers[i];
        for (size_t j = 0; j < i; j++)
            if (config_peer_where(&peers[i])[0] &&
                strcmp(config_peer_where(&peers[i]), config_peer_where(&peers[j])) == 0)
                complain(complaints, lines->peers[i],
                         "peers \"%s\" and \"%s\" have the same %s (remove one)", peers[j].name,
                         peers[i].name, peers[i].socket[0] ? "socket" : "address");
    }
    check_files(&config->tls, lines, remote, complaints);
}

void config_check(const struct config *config, const int *pci_lines, struct complaints *complaints)
{
    check_functions(config, pci_lines, complaints);
    check_peers(config, complaints);
}

// ---- names of functions in the policy -----------------------------------------------------------

// A device with several ports has a function for each, whose name begins with the device's.
static bool is_device(const char *pattern)
{
    DIR *dir = opendir("/sys/class/infiniband");
    bool found = false;

    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        found = e->d_name[0] != '.' && (fnmatch(pattern, e->d_name, 0) == 0 ||
                                        strncmp(pattern, e->d_name, strlen(e->d_name)) == 0);
    if (dir)
        closedir(dir);
    return found;
}

static bool is_function(const struct config *config, const char *pattern)
{
    for (size_t i = 0; i < config->n_functions; i++)
        if (fnmatch(pattern, config->functions[i].function.name, 0) == 0)
            return true;
    return is_device(pattern);
}

static void report_no_function(const struct config *config, const struct policy_rule *rule,
                               const char *pattern, char *text, size_t size)
{
    struct choice names = {.n = 0};

    for (size_t i = 0; i < config->n_functions; i++) {
        const char *name = config->functions[i].function.name;
        choice_add(&names, name, strlen(name));
    }
    snprintf(text, size, "policy \"%s\": open = \"%s\": no function of this node", rule->name,
             pattern);
    choice_suggest(&names, pattern, text, size);
    size_t n = strlen(text);
    snprintf(text + n, size - n,
             " (docactl devices lists them; an ibverbs device that comes later "
             "needs a function section)");
}

unsigned config_check_policy(const struct config *config,
                             void (*wrong)(void *arg, int line, const char *text), void *arg)
{
    unsigned n = 0;
    char text[512];

    for (size_t i = 0; i < config->policy.n_rules; i++) {
        const struct policy_rule *rule = &config->policy.rules[i];
        for (size_t j = 0; j < rule->n_open; j++) {
            if (is_function(config, rule->open[j]))
                continue;
            report_no_function(config, rule, rule->open[j], text, sizeof(text));
            wrong(arg, config->lines.open[i], text);
            n++;
        }
    }
    return n;
}
