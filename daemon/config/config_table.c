// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_table.h"

#include "cleanup.h"
#include "config_types.h"

#include <string.h>

#define IN(type, member)                                                                           \
    .at = offsetof(struct type, member), .size = sizeof(((struct type *)NULL)->member)
// A list and its length, which are neighbours.
#define LIST(type, first, last)                                                                    \
    .at = offsetof(struct type, first), .size = offsetof(struct type, last) +                      \
                                                sizeof(((struct type *)NULL)->last) -              \
                                                offsetof(struct type, first)
#define GIVEN(member) .given = offsetof(struct policy_rule, member)
#define WORDS(...)                                                                                 \
    .words = (const char *const[]){__VA_ARGS__},                                                   \
    .n_words = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

// ---- outside of sections ------------------------------------------------------------------

static const struct config_option root_options[] = {
    {"role", &config_word, IN(config, role), .noun = "a role", WORDS("host", "dpu"),
     .text = "\n# What this node is: host or dpu.\n"},
    {"name", &config_name, IN(config, name),
     .text = "\n"
             "# Its name in logs, in listings and for other nodes; by default its\n"
             "# role.\n"},
    {"socket", &config_path, IN(config, socket), .noun = "a socket",
     .text = "\n"
             "# Where clients and other daemons connect, and who may: the file's mode.\n"
             "# Its user and group are docad's; 0666 lets everybody on the machine in.\n"
             "# For a socket that systemd makes, the socket unit sets all of this\n"
             "# (SocketGroup=, SocketMode=).\n"},
    {"socket_mode", &config_number, IN(config, socket_mode), .noun = "a file mode", .max = 0777,
     .octal = true},
    {"metrics_socket", &config_metrics, IN(config, metrics_socket), .noun = "a socket",
     .text = "\n"
             "# Where metrics can be read, or none; by default beside the socket.\n"
             "# Everybody who may use that socket may read them.\n"},
    {"log_level", &config_word, IN(config, log_level), .noun = "a level",
     WORDS([LOG_LEVEL_ERROR] = "error", [LOG_LEVEL_WARNING] = "warning", [LOG_LEVEL_INFO] = "info",
           [LOG_LEVEL_DEBUG] = "debug"),
     .text = "\n# error, warning, info or debug.\n"},
    {"isolation", &config_word, IN(config, isolation_strict), .noun = "an isolation",
     WORDS("user", "strict"),
     .text = "\n# user: connected RDMA instances of one user share memory, and so copy\n"
             "# faster; strict: they do not.\n"},
    {"names", &config_word, IN(config, names_utf8), .noun = "a kind of names",
     WORDS("ascii", "utf8"),
     .text = "\n# Which characters published names may have. ascii: letters, digits and\n"
             "# . _ : @ + -; utf8: all that can be printed, also what looks alike or is\n"
             "# not seen. In neither /, which stands between a user and a name.\n"},
    {"workers", &config_number, IN(config, workers), .noun = "a number of threads",
     .max = CONFIG_WORKERS_MAX,
     .text = "\n# The most threads on which a program's library computes long jobs (SHA,\n"
             "# AES-GCM, compression, erasure coding); 0: none, and the program's own\n"
             "# threads do. There are never more than the program may use cores.\n"
             "# Programs that connect later follow it.\n"},
    {"spin_us", &config_number, IN(config, wait.spin_us), .noun = "a number of microseconds",
     .max = WAIT_US_MAX,
     .text = "\n# How programs' threads wait while they poll, in microseconds: spin_us in\n"
             "# vain before they yield their CPU, spin_shared_us where other threads\n"
             "# have run on it in the last 100 ms, and block_us at most in the kernel\n"
             "# if a yield was in vain and a large copy is in progress (0: not at all).\n"
             "# Programs that connect later follow it.\n"},
    {"spin_shared_us", &config_number, IN(config, wait.spin_shared_us),
     .noun = "a number of microseconds", .max = WAIT_US_MAX},
    {"block_us", &config_number, IN(config, wait.block_us), .noun = "a number of microseconds",
     .max = WAIT_US_MAX},
    {"card", &config_card, IN(config, card),
     .text = "\n# The card that the node's functions imitate, with its limits and its\n"
             "# errors: software (none), or a profile of docad-cards(7), such as\n"
             "# bluefield-3 or bluefield-2/2.2. Values may follow, then in quotes:\n"
             "# \"bluefield-3,sha=yes\".\n"},
    {"faults", &config_faults, IN(config, faults),
     .text = "\n# Faults for tests: rules of docad-run(1) about export, import and link,\n"
             "# such as \"export: revoke after 10 imports\", \"import: NO_MEMORY, 3rd\" or\n"
             "# \"link: down for 2 s, after 100 messages\". By default there are none.\n"},
    {"peer_uids", &config_uids, LIST(config, peer_uids, n_peer_uids),
     .text = "\n"
             "# Other daemons to link to, and the users, beside root and docad's own,\n"
             "# that such daemons may have. Only one side needs to be told to dial.\n"},
    {"subuids", &config_path, IN(config, subuids), .noun = "a file",
     .text = "# The users' ranges of subordinate uids and gids, see subuid(5). A\n"
             "# process with such a uid counts as its user's for limits, and may do\n"
             "# only what the policy allows both it and its user. So may a process\n"
             "# that has dropped groups of a user with such ranges.\n"},
    {"subgids", &config_path, IN(config, subgids), .noun = "a file"},
    {"peer_grace_ms", &config_number, IN(config, peer_grace_ms), .noun = "a number of milliseconds",
     .max = 600000,
     .text = "# How long objects that use a link wait for a docad that is restarted,\n"
             "# or that has crashed and is started again, or for the network between\n"
             "# the two.\n"},
    {"release_limit_ms", &config_number, IN(config, release_limit_ms),
     .noun = "a number of milliseconds", .max = 600000,
     .text = "# How long the end of an export waits for programs that are copying its\n"
             "# memory, on this node and on linked ones, once docad has ended all its\n"
             "# imports. Then the owner goes on, and such a copy may still read or\n"
             "# write the memory.\n"},
};

// ---- peers --------------------------------------------------------------------------------

static bool has_no_descriptors(const void *base)
{
    return ((const struct config_peer *)base)->no_descriptors;
}

static const struct config_option peer_options[] = {
    {"socket", &config_path, IN(config_peer, socket), .noun = "a socket"},
    {"address", &config_address, IN(config_peer, address)},
    {"descriptors", &config_word, IN(config_peer, no_descriptors), .noun = "yes or no",
     WORDS("yes", "no"), .shown = has_no_descriptors},
};

static const struct config_option tls_options[] = {
    {"listen", &config_address, IN(config, tls.listen)},
    {"certificate", &config_path, IN(config, tls.certificate), .noun = "a file"},
    {"key", &config_path, IN(config, tls.key), .noun = "a file"},
    {"authority", &config_path, IN(config, tls.authority), .noun = "a file"},
    {"revoked", &config_path, IN(config, tls.revoked), .noun = "a file"},
};

_Static_assert(ARRAY_SIZE(tls_options) == ARRAY_SIZE(((struct config *)NULL)->lines.tls),
               "each has a line");

// ---- functions ----------------------------------------------------------------------------

// An ibverbs device supplies the rest.
static bool is_verbs(const void *base)
{
    const struct function_setting *s = base;
    return s->function.backing == DOCAD__BACKING__VERBS;
}

static bool has_type(const void *base)
{
    const struct function_setting *s = base;
    return !is_verbs(s) || s->function.type != DOCAD__FUNCTION_TYPE__PF;
}

static bool has_port(const void *base)
{
    const struct function_setting *s = base;
    return !is_verbs(s) || s->function.port;
}

static bool has_ibport(const void *base)
{
    return ((const struct function_setting *)base)->function.verbs.port;
}

#define SETTING_IN(member) .setting = offsetof(struct function_setting, member)

static const struct config_option function_options[] = {
    {"backing", &config_word, IN(function_setting, function.backing), WORDS("shm", "verbs"),
     .noun = "a backing", .shown = is_verbs,
     .text = "#   backing         shm (default): a software function; verbs: an ibverbs\n"
             "#                   device\n"},
    {"type", &config_word, IN(function_setting, function.type), .noun = "a type",
     WORDS("PF", "VF", "SF"), .shown = has_type,
     .text = "#   type            pf, vf or sf; a software function needs it\n"},
    {"pci", &config_pci, IN(function_setting, function.pci),
     .text = "#   pci             its PCI address; an SF has that of its PF\n"},
    {"port", &config_number, IN(function_setting, function.port), .noun = "a port",
     .max = FUNCTION_PORT_MAX, .shown = has_port,
     .text = "#   port            the number of its PF's port; of a PF 0 by default\n"},
    {"vuid", &config_name, IN(function_setting, function.vuid),
     .text = "#   vuid            its unique name among all nodes; by default made from\n"
             "#                   the node's name\n"},
    {"iface", &config_name, IN(function_setting, function.iface),
     .text = "#   iface           its network interface; by default the function's\n"
             "#                   name\n"},
    {"ibdev", &config_name, IN(function_setting, function.ibdev),
     .text = "#   ibdev           its ibverbs device; by default docad_0 and so on\n"},
    {"ibport", &config_number, IN(function_setting, function.verbs.port),
     .noun = "a port of an ibverbs device", .min = 1, .max = 254, .shown = has_ibport,
     .text = "#   ibport          which port of the ibverbs device it is; by default 1\n"},
    {"mac", &config_mac, IN(function_setting, function.mac), SETTING_IN(mac),
     .text = "#   mac             by default made from the node's id\n"},
    {"ipv4", &config_ip, IN(function_setting, function.ipv4), SETTING_IN(ipv4),
     .text = "#   ipv4, ipv6      its addresses, or none; by default 192.168.100.1 and\n"
             "#                   so on (on a DPU 192.168.101.1), and an IPv6 address\n"
             "#                   made from mac\n"},
    {"ipv6", &config_ip, IN(function_setting, function.ipv6), SETTING_IN(ipv6)},
    {"card", &config_card, IN(function_setting, card),
     .text = "#   card            the card that it imitates; by default the node's\n"},
    {"can_export_dpu", &config_yes_no, IN(function_setting, can_export_dpu),
     .text = "#   can_export_dpu  whether maps can be exported to the DPU; by default\n"
             "#                   yes on a host\n"},
    {"can_import_dpu", &config_yes_no, IN(function_setting, can_import_dpu),
     .text = "#   can_import_dpu  whether such exports of linked hosts and of this node\n"
             "#                   can be imported; by default yes for the PFs of a DPU\n"},
    {"can_list_reps", &config_yes_no, IN(function_setting, can_list_reps),
     .text = "#   can_list_reps   whether it lists representors; by default yes for a\n"
             "#                   DPU's PFs\n"},
    {"can_dma", &config_yes_no, IN(function_setting, can_dma),
     .text = "#   can_dma         whether it does DMA jobs; by default yes\n"},
};

// ---- policy, limits, engine, verbs ----------------------------------------------------------

static const struct config_option policy_options[] = {
    {"users", &config_users, IN(policy_rule, who.users), GIVEN(who.users.given)},
    {"groups", &config_groups, IN(policy_rule, who.groups), GIVEN(who.groups.given)},
    {"open", &config_functions, LIST(policy_rule, open, n_open), GIVEN(open_given)},
    {"export", &config_targets, IN(policy_rule, targets), GIVEN(targets_given),
     WORDS([DOCAD__EXPORT_TARGET__TARGET_DPU] = "dpu", [DOCAD__EXPORT_TARGET__TARGET_RDMA] = "rdma",
           [DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT] = "sync_event",
           [DOCAD__EXPORT_TARGET__TARGET_HOST] = "host",
           [DOCAD__EXPORT_TARGET__TARGET_NET_EVENT] = "net_event")},
    {"to_users", &config_users, IN(policy_rule, to.users), GIVEN(to.users.given)},
    {"to_groups", &config_groups, IN(policy_rule, to.groups), GIVEN(to.groups.given)},
};

static struct config_option limit_options[LIMIT_COUNT]; // in the order of limit.h

static const struct config_option engine_options[] = {
    {"threads", &config_number, IN(config, engine.threads), .noun = "a number of threads", .min = 1,
     .max = ENGINE_THREADS_MAX},
    {"cpus", &config_cpus},
    {"spin_us", &config_number, IN(config, engine.spin_ns), .noun = "a number of microseconds",
     .max = ENGINE_SPIN_US_MAX, .scale = 1000},
    {"copies_over", &config_bytes, IN(config, engine.copies_over),
     .text = "    # DMA jobs of more bytes than this (and than 1M) are copied by the\n"
             "    # engine, so that the program's CPU is free; 0: none. docad then\n"
             "    # maps the memory that is registered and imported, and pages that it\n"
             "    # fills for others count as its own: limit them with\n"
             "    # region_bytes_per_uid.\n"},
};

static const struct config_option verbs_options[] = {
    {"include", &config_patterns, IN(config, verbs.include)},
    {"exclude", &config_patterns, IN(config, verbs.exclude)},
    {"timeout", &config_number, IN(config, verbs.timeout), .noun = "a number of ibverbs",
     .max = 31},
    {"retries", &config_number, IN(config, verbs.retries), .noun = "a number of ibverbs", .max = 7},
    {"rnr_retries", &config_number, IN(config, verbs.rnr_retries), .noun = "a number of ibverbs",
     .max = 7},
    {"rnr_timer", &config_number, IN(config, verbs.rnr_timer), .noun = "a number of ibverbs",
     .max = 31},
};

// ---- sections -----------------------------------------------------------------------------

#define OPTIONS(array) .options = array, .n_options = ARRAY_SIZE(array)
#define TITLED(array, n, most, type, member)                                                       \
    .sparse = true, .max = most, .items = offsetof(struct config, array),                          \
    .item_size = sizeof(struct type), .count = offsetof(struct config, n),                         \
    .title = offsetof(struct type, member), .title_size = sizeof(((struct type *)NULL)->member)

static const struct config_section sections[] = {
    {OPTIONS(root_options),
     .text = "# Configuration of docad. Lines that start with # show the defaults.\n"
             "# docad --check-config tells whether this file is right; SIGHUP\n"
             "# (systemctl reload) makes docad read it again, without harm to those\n"
             "# who are connected. It must be restarted for changes of role, name,\n"
             "# socket, socket_mode, metrics_socket, of the engine section, of listen\n"
             "# in the tls section, and to add or drop certificates.\n"},
    {"peer", OPTIONS(peer_options), TITLED(peers, n_peers, CONFIG_PEERS_MAX, config_peer, name),
     .example = "# peer \"host\" {\n#     socket = \"/run/docad/host.sock\"\n"
                "#     descriptors = yes   # no: the link carries bytes alone, as one\n"
                "# }                       # between machines does; for tests of that\n"},
    {"tls", OPTIONS(tls_options), .sparse = true,
     .text = "\n"
             "# Links to daemons on other machines, over TCP. Each shows a certificate\n"
             "# that names its node, signed by the authority; docactl certificates\n"
             "# makes them. A peer on another machine has address = \"HOST:PORT\"\n"
             "# instead of a socket, and is named like its node. revoked is the\n"
             "# authority's list of revoked certificates, if there is one: docactl\n"
             "# certificates revoke makes it.\n",
     .example = "# tls {\n#     listen = \"0.0.0.0:18570\"\n"
                "#     certificate = \"/etc/docad/host1.crt\"\n"
                "#     key = \"/etc/docad/host1.key\"\n"
                "#     authority = \"/etc/docad/authority.crt\"\n# }\n"},
    {"function", OPTIONS(function_options),
     TITLED(functions, n_functions, FUNCTIONS_MAX, function_setting, function.name),
     .text = "\n"
             "# The functions (devices) of this node. If all functions here are\n"
             "# ibverbs devices, or there are none, it also has those of its role. The\n"
             "# options of a function:\n",
     .text_after = "# An ibverbs device needs only backing and ibdev. The device supplies\n"
                   "# the rest; a section can give it a name, or choose one of several\n"
                   "# addresses for RDMA:\n"
                   "# function \"storage\" {\n"
                   "#     backing = verbs\n"
                   "#     ibdev = \"mlx5_0\"\n"
                   "#     ipv4 = \"10.0.0.1\"\n"
                   "# }\n"},
    {"policy", OPTIONS(policy_options),
     TITLED(policy.rules, policy.n_rules, POLICY_RULES_MAX, policy_rule, name),
     .text = "\n"
             "# Who may do what. Rules are tried in this order, and the first one that\n"
             "# applies to a process decides. Without rules everything is allowed; if\n"
             "# there are rules, a process to which none applies may do nothing. A\n"
             "# list that is left out allows everything, an empty one nothing.\n"
             "# policy \"guests\" {\n"
             "#     users = {\"alice\", \"1001\"}   # the rule applies to these; without\n"
             "#     groups = {\"guests\"}         # both lists, to everybody\n"
             "#     open = {\"pf0vf*\"}           # functions that they may open\n"
             "#     export = {\"dpu\"}            # what they may export: dpu, host,\n"
             "#                                 # rdma, sync_event, net_event\n"
             "#     to_users = {\"alice\"}        # whose processes may import it;\n"
             "#     to_groups = {}              # without both lists: everybody's\n"
             "# }\n"},
    {"limits", OPTIONS(limit_options),
     .text = "\n"
             "# Quotas: 4096, 64K, 2G, or unlimited. A session is a program that is\n"
             "# connected; an importer is a session of a linked node that uses memory\n"
             "# of this one; a peer is a linked node: what is held for its sessions\n"
             "# counts for it, not for users of this node. Regions are memory maps\n"
             "# that were started; channels are services of doca_comm_channel.h and\n"
             "# connections to them; state slots are imports and queue pairs; monitors\n"
             "# are sessions that follow events, as docactl monitor does; listeners\n"
             "# are ports where RDMA connections are accepted; queued output is what a\n"
             "# client has not read; descriptors are those that docad keeps. Pinned\n"
             "# bytes belong to regions that are registered with RDMA devices for\n"
             "# other machines, once for each. Beyond the limits, of a user or of all,\n"
             "# docad copies. A user has a uid and all uids that are subordinate to\n"
             "# it. What users share (sessions, descriptors, state slots, pinned and\n"
             "# metadata bytes, what a peer may have, and the connections of a\n"
             "# service) is shared out: a user may have half of what the others leave.\n"
             "# Metadata bytes are memory of docad for what a user has, queues\n"
             "# and waiting lookups included.\n"},
    {"engine", OPTIONS(engine_options),
     .text = "\n"
             "# The threads that copy for clients that may not copy themselves, the\n"
             "# CPUs that they are bound to (0,2-3; by default none), and how long\n"
             "# they poll an idle queue.\n"},
    {"verbs", OPTIONS(verbs_options),
     .text = "\n"
             "# The ibverbs devices (RDMA cards, Soft-RoCE) that become functions, and\n"
             "# that docad itself uses between machines: patterns of names, separated\n"
             "# by commas. The numbers are those of ibverbs: the timeout of an answer\n"
             "# (14: 67 ms) and how often a request is repeated (7: on Soft-RoCE\n"
             "# forever), how often (7: forever) and after what time (1: 0.01 ms) a\n"
             "# message is repeated that nobody is ready to receive.\n"},
};

const struct config_section *config_sections(size_t *n)
{
    for (int i = 0; i < LIMIT_COUNT && !limit_options[i].name; i++)
        limit_options[i] = (struct config_option){
            limit_option((enum limit)i), &config_bytes, IN(config, limits.value[i]),
            .max = LIMIT_UNLIMITED, .by_default = limit_default((enum limit)i)};
    *n = ARRAY_SIZE(sections);
    return sections;
}

bool config_set(struct config *config, const char *option, const char *text,
                char why[CONFIG_WHY_SIZE])
{
    const struct config_option *o = root_options;
    while (strcmp(o->name, option) != 0)
        o++;
    return o->type->read(o, config, text, why);
}

bool config_set_peer_socket(struct config_peer *peer, const char *text, char why[CONFIG_WHY_SIZE])
{
    return config_path.read(&peer_options[0], peer, text, why);
}

int config_tls_line(const struct config *config, const char *option)
{
    for (size_t i = 0; i < ARRAY_SIZE(tls_options); i++)
        if (strcmp(tls_options[i].name, option) == 0)
            return config->lines.tls[i];
    return 0;
}
