// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_print.h"

#include "cleanup.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

void config_print_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\\n", out); // one line, also in a comment
            continue;
        }
        if (strchr("\"\\$", *text)) // ${NAME} would be the environment's
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

// `before` ends with the option's name.
static void print_string(const char *before, const char *text, FILE *out)
{
    fprintf(out, "%s = ", before);
    config_print_text(text, out);
    fputc('\n', out);
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

static bool is_default_socket(const char *path)
{
    char otherwise[SOCKET_PATH_MAX];
    return socket_path_for_daemon(otherwise) && strcmp(path, otherwise) == 0;
}

static void print_sockets(const struct config *c, const struct config *d, FILE *out)
{
    char metrics[SOCKET_PATH_MAX];
    bool metrics_set = c->metrics_none || c->metrics_socket[0];

    if (c->metrics_none || !config_metrics_path(c, metrics))
        strcpy(metrics, "none");
    fprintf(
        out,
        "# Where clients and other daemons connect, and who may: the file's mode. Its user and\n"
        "# group are docad's; 0666 lets everybody on the machine in. For a socket that systemd\n"
        "# makes, the socket unit says all that (SocketGroup=, SocketMode=).\n%s",
        config_mark(is_default_socket(c->socket)));
    print_string("socket", c->socket, out);
    fprintf(out, "%ssocket_mode = %04o\n\n", config_mark(c->socket_mode == d->socket_mode),
            (unsigned)c->socket_mode);
    fprintf(out,
            "# Where metrics can be read, or none; by default beside the socket. Whoever may use\n"
            "# that may read them.\n%s",
            config_mark(!metrics_set));
    print_string("metrics_socket", metrics, out);
    fputc('\n', out);
}

static void print_node(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(out,
            "# Configuration of docad. Lines with # in front say what is so by default.\n"
            "# docad --check-config tells whether this file is right; SIGHUP (systemctl reload)\n"
            "# has docad read it again, without harm to those who are connected. It has to be\n"
            "# restarted for role, name, socket, socket_mode, metrics_socket, the engine section,\n"
            "# and in the tls section for listen and for the first or no certificate.\n\n");
    fprintf(out, "# What this node is: host or dpu.\n%srole = %s\n\n",
            config_mark(c->role == d->role), role_name(c->role));
    fprintf(out, "# How logs, listings and other nodes call it; by default its role.\n%s",
            config_mark(strcmp(c->name, role_name(c->role)) == 0));
    print_string("name", c->name, out);
    fputc('\n', out);
    print_sockets(c, d, out);
    fprintf(out, "# error, warning, info or debug.\n%slog_level = %s\n\n",
            config_mark(c->log_level == d->log_level), level_name(c->log_level));
    fprintf(out,
            "# user: connected RDMA instances of one user share memory, and so copy faster;\n"
            "# strict: they do not.\n%sisolation = %s\n\n",
            config_mark(c->isolation_strict == d->isolation_strict),
            c->isolation_strict ? "strict" : "user");
}

static bool is_peer_name(const struct config *c, size_t n, char names[][NODE_NAME_SIZE],
                         const char *name)
{
    for (size_t i = 0; i < c->n_peers; i++)
        if (strcmp(c->peers[i].name, name) == 0 || (i < n && strcmp(names[i], name) == 0))
            return true;
    return false;
}

// Those of the command line have no name: the file's, without its ending, is one, with a
// number if it is another's.
static void name_peers(const struct config *c, char names[][NODE_NAME_SIZE])
{
    for (size_t i = 0; i < c->n_peers; i++) {
        char base[NODE_NAME_SIZE - 4]; // the number
        strcpy(names[i], c->peers[i].name);
        if (names[i][0])
            continue;
        const char *file = strrchr(c->peers[i].socket, '/');
        file = file ? file + 1 : c->peers[i].socket;
        snprintf(base, sizeof(base), "%.*s", (int)strcspn(file, "."), file);
        if (!text_is_name(base, sizeof(base)))
            strcpy(base, "peer");
        strcpy(names[i], base);
        for (unsigned number = 2; is_peer_name(c, i, names, names[i]); number++)
            snprintf(names[i], NODE_NAME_SIZE, "%s-%u", base, number % 100);
    }
}

static void print_peer(const struct config_peer *peer, const char *name, FILE *out)
{
    fprintf(out, "peer ");
    config_print_text(name, out);
    fprintf(out, " {\n");
    if (peer->address[0])
        print_string("    address", peer->address, out);
    else
        print_string("    socket", peer->socket, out);
    // As a link between machines is: for tests of that on one machine.
    if (peer->no_descriptors)
        fprintf(out, "    descriptors = no\n");
    fprintf(out, "}\n");
}

static void print_peers(const struct config *c, FILE *out)
{
    char names[CONFIG_PEERS_MAX][NODE_NAME_SIZE];

    fprintf(out, "# Other daemons to link to, and the users, beside root and docad's own, that\n"
                 "# such daemons may have. One side dials, the other need not know.\n");
    fprintf(out, "%speer_uids = {", config_mark(c->n_peer_uids == 0));
    for (size_t i = 0; i < c->n_peer_uids; i++)
        fprintf(out, "%s%u", i ? ", " : "", (unsigned)c->peer_uids[i]);
    fprintf(out, "}\n");
    fprintf(
        out,
        "# How long what goes over a link waits for a docad that was restarted, or crashed and\n"
        "# is started again, or for the network between the two.\n%speer_grace_ms = %" PRIu64 "\n",
        config_mark(c->peer_grace_ms == 5000), c->peer_grace_ms);
    if (c->n_peers == 0)
        fprintf(out,
                "# peer \"host\" {\n#     socket = \"/run/docad/host.sock\"\n"
                "#     descriptors = yes   # no: the link carries bytes alone, as one between\n"
                "# }                       # machines does; for tests of that\n");
    name_peers(c, names);
    for (size_t i = 0; i < c->n_peers; i++)
        print_peer(&c->peers[i], names[i], out);
}

static void print_tls(const struct config *c, FILE *out)
{
    const struct tls_settings *tls = &c->tls;
    const struct {
        const char *option, *text;
    } options[] = {{"    listen", tls->listen},
                   {"    certificate", tls->certificate},
                   {"    key", tls->key},
                   {"    authority", tls->authority},
                   {"    revoked", tls->revoked}};
    bool any = false;

    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        any = any || options[i].text[0];
    fprintf(
        out,
        "\n# Links to daemons on other machines, over TCP. Each shows a certificate that names\n"
        "# its node, signed by the authority; docactl certificates makes them. A peer there\n"
        "# has address = \"HOST:PORT\" instead of a socket, and its node's name. revoked is the\n"
        "# authority's list of certificates that are good no more, if there is one: docactl\n"
        "# certificates revoke makes it.\n");
    if (!any) {
        fprintf(out, "# tls {\n#     listen = \"0.0.0.0:18570\"\n"
                     "#     certificate = \"/etc/docad/host1.crt\"\n"
                     "#     key = \"/etc/docad/host1.key\"\n"
                     "#     authority = \"/etc/docad/authority.crt\"\n# }\n");
        return;
    }
    fprintf(out, "tls {\n");
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        if (options[i].text[0])
            print_string(options[i].option, options[i].text, out);
    fprintf(out, "}\n");
}

static void print_verbs(const struct config *c, const struct config *d, FILE *out)
{
    const struct verbs_settings *v = &c->verbs, *w = &d->verbs;

    fprintf(
        out,
        "\n# The ibverbs devices (RDMA cards, Soft-RoCE) that become functions, and that docad\n"
        "# itself uses between machines: patterns of names, separated by commas. The numbers\n"
        "# are those of ibverbs: timeout of an answer (14: 67 ms) and how often what was asked\n"
        "# is repeated (7: on Soft-RoCE for ever), how often (7: for ever) and after what time\n"
        "# (1: 0.01 ms) a message is that nobody is ready to receive.\n"
        "verbs {\n");
    fprintf(out, "    %s", config_mark(strcmp(v->include, w->include) == 0));
    print_string("include", v->include, out);
    fprintf(out, "    %s", config_mark(strcmp(v->exclude, w->exclude) == 0));
    print_string("exclude", v->exclude, out);
    fprintf(out, "    %stimeout = %u\n    %sretries = %u\n", config_mark(v->timeout == w->timeout),
            v->timeout, config_mark(v->retries == w->retries), v->retries);
    fprintf(out, "    %srnr_retries = %u\n    %srnr_timer = %u\n}\n",
            config_mark(v->rnr_retries == w->rnr_retries), v->rnr_retries,
            config_mark(v->rnr_timer == w->rnr_timer), v->rnr_timer);
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

    fprintf(out, "policy ");
    config_print_text(rule->name, out);
    fprintf(out, " {\n");
    print_ids(&rule->who, "users", "groups", out);
    if (rule->open_given) {
        fprintf(out, "    open = {");
        for (size_t i = 0; i < rule->n_open; i++) {
            fputs(i ? ", " : "", out);
            config_print_text(rule->open[i], out);
        }
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

// What is so by default is the same text on every machine: it is installed with docad, too.
static void print_limit(enum limit limit, uint64_t value, bool is_default, FILE *out)
{
    const char *by_default = is_default ? limit_default(limit) : NULL;

    fprintf(out, "    %s%s = ", config_mark(is_default), limit_option(limit));
    if (by_default)
        fprintf(out, "%s\n", by_default);
    else if (value == LIMIT_UNLIMITED)
        fprintf(out, "unlimited\n");
    else
        fprintf(out, "%" PRIu64 "\n", value);
}

static void print_limits(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(
        out,
        "\n# Quotas: 4096, 64K, 2G, or unlimited. A session is a program that is connected; an\n"
        "# importer, a session of a linked node that uses memory of this one; a peer, that\n"
        "# node: what is held for its sessions counts for it, not for users of this node.\n"
        "# Regions are memory maps that were started; channels, services of\n"
        "# doca_comm_channel.h and connections to them; state slots, imports and queue pairs;\n"
        "# queued output is what a client does not read; descriptors are those that docad keeps.\n"
        "# Pinned bytes are those of regions that are registered with RDMA devices for other\n"
        "# machines, once for each; beyond the limits, of a user or of all, docad copies.\n"
        "limits {\n");
    for (int i = 0; i < LIMIT_COUNT; i++)
        print_limit((enum limit)i, c->limits.value[i], c->limits.value[i] == d->limits.value[i],
                    out);
    fprintf(out, "}\n");
}

static void print_engine(const struct config *c, const struct config *d, FILE *out)
{
    fprintf(out,
            "\n# The threads that copy for those who may not copy themselves, the CPUs that they\n"
            "# are bound to (0,2-3; by default none), and how long they watch an idle queue.\n"
            "engine {\n    %sthreads = %u\n",
            config_mark(c->engine.threads == d->engine.threads), c->engine.threads);
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
    fprintf(out, "    %sspin_us = %" PRIu64 "\n",
            config_mark(c->engine.spin_ns == d->engine.spin_ns), c->engine.spin_ns / 1000);
    fprintf(
        out,
        "    # DMA jobs of more bytes than this (and than 1M) are copied by the engine, so that\n"
        "    # the program's CPU is free; 0: none. docad then maps the memory that is registered\n"
        "    # and imported, and pages that it fills for others count as its own: limit them\n"
        "    # with region_bytes_per_uid.\n"
        "    %scopies_over = %" PRIu64 "\n}\n",
        config_mark(c->engine.copies_over == d->engine.copies_over), c->engine.copies_over);
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
    config_print_functions(config, out);
    print_policy(config, out);
    print_limits(config, defaults, out);
    print_engine(config, defaults, out);
    print_verbs(config, defaults, out);
}
