// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_print.h"

#include "cleanup.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

// In front of a line that says what is so by default.
static const char *mark(bool is_default)
{
    return is_default ? "# " : "";
}

static const char *level_name(enum log_level level)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    enum log_level found;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (log_level_parse(names[i], &found) && found == level)
            return names[i];
    return "info";
}

static void print_node(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(out,
            "# Configuration of docad. Lines with # in front say what is so by default.\n"
            "# docad --check-config tells whether this file is right; SIGHUP (systemctl reload)\n"
            "# has docad read it again, without harm to those who are connected.\n\n");
    fprintf(out, "# What this node is: host or dpu.\n%srole = %s\n\n", mark(c->role == d->role),
            role_name(c->role));
    fprintf(
        out,
        "# How logs, listings and other nodes call it; by default its role.\n%sname = \"%s\"\n\n",
        mark(strcmp(c->name, role_name(c->role)) == 0), c->name);
    fprintf(out,
            "# Where clients and other daemons connect, and who may: the file's mode. Of a socket\n"
            "# that systemd makes, the socket unit says both.\n"
            "# socket = \"%s\"\n%ssocket_mode = %04o\n\n",
            c->socket, mark(c->socket_mode == d->socket_mode), (unsigned)c->socket_mode);
    fprintf(out,
            "# Where metrics can be read, or none; by default beside the socket.\n"
            "%smetrics_socket = \"%s\"\n\n",
            mark(!c->metrics_none && !c->metrics_socket[0]),
            c->metrics_none        ? "none"
            : c->metrics_socket[0] ? c->metrics_socket
                                   : "/run/docad/docad-metrics.sock");
    fprintf(out, "# error, warning, info or debug.\n%slog_level = %s\n\n",
            mark(c->log_level == d->log_level), level_name(c->log_level));
    fprintf(out,
            "# user: connected RDMA instances of one user share memory, and so copy faster;\n"
            "# strict: they do not.\n%sisolation = %s\n\n",
            mark(c->isolation_strict == d->isolation_strict),
            c->isolation_strict ? "strict" : "user");
}

static void print_peers(const struct config *c, FILE *out)
{
    fprintf(out, "# Other daemons to link to, and the users, beside root and docad's own, that\n"
                 "# such daemons may have. One side dials, the other need not know.\n");
    fprintf(out, "%speer_uids = {", mark(c->n_peer_uids == 0));
    for (size_t i = 0; i < c->n_peer_uids; i++)
        fprintf(out, "%s%u", i ? ", " : "", (unsigned)c->peer_uids[i]);
    fprintf(out, "}\n");
    fprintf(
        out,
        "# How long what goes over a link waits for a docad that was restarted, or crashed and\n"
        "# is started again, or for the network between the two.\n%speer_grace_ms = %" PRIu64 "\n",
        mark(c->peer_grace_ms == 5000), c->peer_grace_ms);
    if (c->n_peers == 0)
        fprintf(out, "# peer \"host\" {\n#     socket = \"/run/docad/host.sock\"\n# }\n");
    for (size_t i = 0; i < c->n_peers; i++) {
        if (c->peers[i].address[0]) {
            fprintf(out, "peer \"%s\" {\n    address = \"%s\"\n}\n", c->peers[i].name,
                    c->peers[i].address);
            continue;
        }
        // Those of the command line have no name: the file's, without its ending, is one.
        const char *base = strrchr(c->peers[i].socket, '/');
        base = base ? base + 1 : c->peers[i].socket;
        fprintf(out, "peer \"");
        if (c->peers[i].name[0])
            fprintf(out, "%s", c->peers[i].name);
        else
            fprintf(out, "%.*s", (int)strcspn(base, "."), base);
        fprintf(out, "\" {\n    socket = \"%s\"\n", c->peers[i].socket);
        // As a link between machines is: for tests of that on one machine.
        if (c->peers[i].no_descriptors)
            fprintf(out, "    descriptors = no\n");
        fprintf(out, "}\n");
    }
}

static void print_tls(const struct config *c, FILE *out)
{
    const struct tls_settings *tls = &c->tls;
    fprintf(
        out,
        "\n# Links to daemons on other machines, over TCP. Each shows a certificate that names\n"
        "# its node, signed by the authority; docactl certificates makes them. A peer there\n"
        "# has address = \"HOST:PORT\" instead of a socket, and its node's name.\n");
    if (!tls->certificate[0]) {
        fprintf(out, "# tls {\n#     listen = \"0.0.0.0:18570\"\n"
                     "#     certificate = \"/etc/docad/host1.crt\"\n"
                     "#     key = \"/etc/docad/host1.key\"\n"
                     "#     authority = \"/etc/docad/authority.crt\"\n# }\n");
        return;
    }
    fprintf(out, "tls {\n");
    if (tls->listen[0])
        fprintf(out, "    listen = \"%s\"\n", tls->listen);
    fprintf(out, "    certificate = \"%s\"\n    key = \"%s\"\n    authority = \"%s\"\n}\n",
            tls->certificate, tls->key, tls->authority);
}

static void print_verbs_function(const struct function_setting *setting, FILE *out)
{
    const struct function *f = &setting->function;
    char text[INET6_ADDRSTRLEN];

    fprintf(out, "function \"%s\" {\n    backing = verbs\n    ibdev = \"%s\"\n", f->name, f->ibdev);
    if (f->verbs.port)
        fprintf(out, "    ibport = %u\n", f->verbs.port);
    if (f->pci[0])
        fprintf(out, "    pci = \"%s\"\n", f->pci);
    if (setting->ipv4 == SETTING_YES)
        fprintf(out, "    ipv4 = \"%s\"\n", inet_ntop(AF_INET, f->ipv4, text, sizeof(text)));
    if (setting->ipv6 == SETTING_YES)
        fprintf(out, "    ipv6 = \"%s\"\n", inet_ntop(AF_INET6, f->ipv6, text, sizeof(text)));
    fprintf(out, "}\n");
}

static void print_verbs(const struct config *c, const struct config *d, FILE *out)
{
    const struct verbs_settings *v = &c->verbs, *w = &d->verbs;

    fprintf(out,
            "\n# The ibverbs devices (RDMA cards, Soft-RoCE) that become functions: patterns of\n"
            "# names, separated by commas. The numbers are those of ibverbs: timeout of an\n"
            "# answer (14: 67 ms) and how often what was asked is repeated (7: on Soft-RoCE for\n"
            "# ever), how often (7: for ever) and after what time (1: 0.01 ms) a message is that\n"
            "# nobody is ready to receive.\n"
            "verbs {\n    %sinclude = \"%s\"\n    %sexclude = \"%s\"\n",
            mark(strcmp(v->include, w->include) == 0), v->include,
            mark(strcmp(v->exclude, w->exclude) == 0), v->exclude);
    fprintf(out, "    %stimeout = %u\n    %sretries = %u\n", mark(v->timeout == w->timeout),
            v->timeout, mark(v->retries == w->retries), v->retries);
    fprintf(out, "    %srnr_retries = %u\n    %srnr_timer = %u\n}\n",
            mark(v->rnr_retries == w->rnr_retries), v->rnr_retries,
            mark(v->rnr_timer == w->rnr_timer), v->rnr_timer);
}

static void print_functions(const struct config *c, FILE *out)
{
    struct function_setting built_in[FUNCTIONS_MAX];
    size_t n = topology_default(c->role, built_in);
    bool same = n == c->n_functions && memcmp(built_in, c->functions, n * sizeof(*built_in)) == 0;

    fprintf(out,
            "\n# The functions (devices) of this node. With none here it has those of its role.\n"
            "# Beside these options there are vuid, iface, ibdev, mac, ipv4, ipv6 (or none) and,\n"
            "# yes or no, can_export_dpu, can_import_dpu, can_dma, can_list_reps.\n"
            "# An ibverbs device gets a name, or RDMA an address of several, like this:\n"
            "# function \"storage\" {\n#     backing = verbs\n#     ibdev = \"mlx5_0\"\n"
            "#     ipv4 = \"10.0.0.1\"\n# }\n");
    for (size_t i = 0; i < c->n_functions; i++) {
        const struct function *f = &c->functions[i].function;
        if (f->backing == DOCAD__BACKING__VERBS) {
            print_verbs_function(&c->functions[i], out);
            continue;
        }
        fprintf(out, "%sfunction \"%s\" {\n", mark(same), f->name);
        fprintf(out, "%s    type = %s\n", mark(same), function_type_name(f->type));
        if (f->type != DOCAD__FUNCTION_TYPE__SF)
            fprintf(out, "%s    pci = \"%s\"\n", mark(same), f->pci);
        fprintf(out, "%s    port = %u\n%s}\n", mark(same), f->port, mark(same));
    }
}

static void print_ids(const struct policy_ids *ids, const char *users, const char *groups,
                      FILE *out)
{
    if (!ids->given)
        return;
    fprintf(out, "    %s = {", users);
    for (size_t i = 0; i < ids->n_uids; i++)
        fprintf(out, "%s\"%u\"", i ? ", " : "", (unsigned)ids->uids[i]);
    fprintf(out, "}\n    %s = {", groups);
    for (size_t i = 0; i < ids->n_gids; i++)
        fprintf(out, "%s\"%u\"", i ? ", " : "", (unsigned)ids->gids[i]);
    fprintf(out, "}\n");
}

static void print_rule(const struct policy_rule *rule, FILE *out)
{
    static const char *const targets[] = {"", "dpu", "rdma", "sync_event"};
    const char *comma = "";

    fprintf(out, "policy \"%s\" {\n", rule->name);
    print_ids(&rule->who, "users", "groups", out);
    if (rule->open_given) {
        fprintf(out, "    open = {");
        for (size_t i = 0; i < rule->n_open; i++)
            fprintf(out, "%s\"%s\"", i ? ", " : "", rule->open[i]);
        fprintf(out, "}\n");
    }
    if (rule->targets_given) {
        fprintf(out, "    export = {");
        for (size_t i = 1; i < ARRAY_SIZE(targets); i++) {
            if (rule->targets & 1u << i) {
                fprintf(out, "%s\"%s\"", comma, targets[i]);
                comma = ", ";
            }
        }
        fprintf(out, "}\n");
    }
    print_ids(&rule->to, "to_users", "to_groups", out);
    fprintf(out, "}\n");
}

static void print_policy(const struct config *c, FILE *out)
{
    fprintf(
        out,
        "\n# Who may do what. Rules are tried in this order, the first one that is for a\n"
        "# process decides; without rules everything is allowed, with rules what none of them\n"
        "# is for is not. A list that is left out allows everything, an empty one nothing.\n"
        "# policy \"guests\" {\n"
        "#     users = {\"alice\", \"1001\"}   # whom the rule is for; without users and groups:\n"
        "#     groups = {\"guests\"}         # everybody\n"
        "#     open = {\"pf0vf*\"}           # functions that they may open\n"
        "#     export = {\"dpu\"}            # what they may export: dpu, rdma, sync_event\n"
        "#     to_users = {\"alice\"}        # whose processes may import it; with neither of\n"
        "#     to_groups = {}              # the two: everybody's\n"
        "# }\n");
    for (size_t i = 0; i < c->policy.n_rules; i++)
        print_rule(&c->policy.rules[i], out);
}

static void print_limits(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(out, "\n# Quotas: 4096, 64K, 2G, or unlimited.\nlimits {\n");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        uint64_t value = c->limits.value[i];
        fprintf(out, "    %s%s = ", mark(value == d->limits.value[i]), limit_option((enum limit)i));
        if (value == LIMIT_UNLIMITED)
            fprintf(out, "unlimited\n");
        else
            fprintf(out, "%" PRIu64 "\n", value);
    }
    fprintf(out, "}\n");
}

static void print_engine(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(out,
            "\n# The threads that copy for those who may not copy themselves, the CPUs that they\n"
            "# are bound to (0,2-3; by default none), and how long they watch an idle queue.\n"
            "engine {\n    %sthreads = %u\n",
            mark(c->engine.threads == d->engine.threads), c->engine.threads);
    if (c->engine.pinned) {
        const char *comma = "";
        fprintf(out, "    cpus = \"");
        for (int i = 0; i < CPU_SETSIZE; i++) {
            if (CPU_ISSET(i, &c->engine.cpus)) {
                fprintf(out, "%s%d", comma, i);
                comma = ",";
            }
        }
        fprintf(out, "\"\n");
    } else {
        fprintf(out, "    # cpus = \"0\"\n");
    }
    fprintf(out, "    %sspin_us = %" PRIu64 "\n", mark(c->engine.spin_ns == d->engine.spin_ns),
            c->engine.spin_ns / 1000);
    fprintf(
        out,
        "    # DMA jobs of more bytes than this (and than 1M) are copied by the engine, so that\n"
        "    # the program's CPU is free; 0: none. docad then maps the memory that is registered\n"
        "    # and imported, and pages that it fills for others count as its own: limit them\n"
        "    # with region_bytes_per_uid.\n"
        "    %scopies_over = %" PRIu64 "\n}\n",
        mark(c->engine.copies_over == d->engine.copies_over), c->engine.copies_over);
}

void config_print(const struct config *config, FILE *out)
{
    cleanup_free struct config *defaults = malloc(sizeof(*defaults));
    if (!defaults)
        return;
    config_init(defaults);
    print_node(config, defaults, out);
    print_peers(config, out);
    print_tls(config, out);
    print_functions(config, out);
    print_policy(config, out);
    print_limits(config, defaults, out);
    print_engine(config, defaults, out);
    print_verbs(config, defaults, out);
}
