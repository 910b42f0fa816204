// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The table of commands. Parsing, dispatch and help all follow from it.

#include "themes.h"

#include "cleanup.h"
#include "fields.h"

// The options of view.c.
#define VIEW_OPTIONS                                                                               \
    {OPTION_COLUMNS, 'o', "columns", "LIST",                                                       \
     "columns to show, by title or JSON name, as in pid,program; +LIST: besides the usual ones"},  \
        {OPTION_FILTER, 'f', "filter", "CONDITIONS",                                               \
         "rows to show, as in state=live,program!=test*: all conditions must hold"},               \
    {                                                                                              \
        OPTION_SORT, 'x', "sort", "COLUMN", "sort by a column, numbers from the largest"           \
    }
#define NO_HEADERS_OPTION                                                                          \
    {                                                                                              \
        OPTION_NO_HEADERS, 'H', "no-headers", NULL, "print no titles above the columns"            \
    }

static const struct option_spec output_options[] = {
    {OPTION_OUTPUT, 'o', "output", "FILE",
     "write the descriptor to FILE, readable by its owner only"},
    {.name = NULL},
};

static const struct option_spec lookup_options[] = {
    {OPTION_WAIT, 't', "timeout", "SECONDS",
     "time to wait for the name to be published (default: 0)"},
    {OPTION_OUTPUT, 'o', "output", "FILE",
     "write the descriptor to FILE, readable by its owner only"},
    {.name = NULL},
};

#define WHO_HELP "who else may look it up: all, or users and :groups as in alice,:video"

static const struct option_spec put_options[] = {
    {OPTION_NAME, 'n', "name", "NAME", "the name to publish it under (required)"},
    {OPTION_TO, 't', "to", "WHO", WHO_HELP},
    {.name = NULL},
};

static const struct option_spec publish_options[] = {
    {OPTION_TO, 't', "to", "WHO", WHO_HELP},
    {.name = NULL},
};

static const struct option_spec revoke_options[] = {
    {OPTION_NAME, 'n', "name", "PUBLISHED", "the export that is published under a name"},
    {OPTION_PID, 'p', "pid", "PID", "all exports of a process"},
    {.name = NULL},
};

static const struct option_spec end_options[] = {
    {OPTION_PID, 'p', "pid", "PID", "all sessions of a process"},
    {.name = NULL},
};

static const struct option_spec monitor_options[] = {
    {OPTION_COUNT, 'n', "count", "N", "end after N events"},
    {.name = NULL},
};

static const struct option_spec top_options[] = {
    {OPTION_INTERVAL, 'i', "interval", "SECONDS", "time between two looks (default: 1)"},
    {OPTION_COUNT, 'n', "count", "N", "end after N looks"},
    VIEW_OPTIONS,
    {.name = NULL},
};

static const struct option_spec help_options[] = {
    {OPTION_AS, 'f', "as", "FORMAT",
     "print the manual page (man), or completions for a shell (bash, zsh)"},
    {.name = NULL},
};

const struct option_spec list_options[] = {
    VIEW_OPTIONS,
    NO_HEADERS_OPTION,
    {.name = NULL},
};

static const struct option_spec import_options[] = {
    {OPTION_NAME, 'n', "name", "ADDRESS", "the PCI address of the device in the output"},
    {.name = NULL},
};

static const struct option_spec caps_options[] = {
    {OPTION_COMPARE, 'c', "compare", NULL, "compare two card profiles: CARD CARD [DEVICE]"},
    VIEW_OPTIONS,
    NO_HEADERS_OPTION,
    {.name = NULL},
};

static const struct option_spec sessions_options[] = {
    VIEW_OPTIONS,
    NO_HEADERS_OPTION,
    {OPTION_ALL, 'a', "all", NULL, "list tools such as docactl too"},
    {.name = NULL},
};

static const struct option_spec certificate_options[] = {
    {OPTION_DAYS, 'd', "days", "NUMBER",
     "how long it is valid (default: 3650 for an authority, 825 for a node)"},
    {.name = NULL},
};

static const struct option_spec demo_options[] = {
    {OPTION_SIZE, 's', "size", "SIZE", "bytes to copy, such as 256M (default: 64M)"},
    {.name = NULL},
};

static const struct option_spec ping_options[] = {
    {OPTION_WAIT, 'w', "wait", "SECONDS",
     "time to wait for a daemon that answers, and with --linked for its links (default: 0)"},
    {OPTION_LINKED, 'l', "linked", NULL,
     "fail unless the node is linked with another one, and with each that it is to dial"},
    {.name = NULL},
};

const struct command ctl_commands[] = {
    {"status", NULL, "show the daemon: node, version, sizes", NULL, NULL, 0, 0, run_status,
     SHAPE_OBJECT, status_fields},
    {"ping", NULL, "check that the daemon answers, and show the round-trip time",
     "'docactl ping --wait 30 --linked' waits in a script until programs can run.", ping_options, 0,
     0, run_ping, SHAPE_OBJECT, ping_fields},
    {"demo", NULL, "copy a file from a host's memory to a DPU, on nodes of its own",
     "docad-run starts a docad for a host and one for a DPU, which other programs do not see.\n"
     "A program of the host exports random bytes, one of the DPU copies them by DMA, and the\n"
     "copy is compared. The rate is shown beside memcpy's. Nothing is left: no process, no file.\n"
     "It needs no daemon and no rights, and the package docad-tools.",
     demo_options, 0, 0, run_demo, SHAPE_OBJECT, demo_fields},
    {"devices", NULL, "list the node's functions: addresses, names, capabilities", NULL,
     list_options, 0, 0, run_list, SHAPE_ARRAY, device_fields},
    {"caps", "[DEVICE]", "list what each library can do on each device, with limits",
     "libdoca-client is asked, as programs of DOCA 3 ask it: the member \"function\" of the JSON\n"
     "names the function. 'docactl caps pf0 -f library=rdma' shows one library on one device. If\n"
     "the device imitates a card (docad-cards(7)), OTHER shows what software has, where that\n"
     "differs. 'docactl caps --compare bluefield-2 bluefield-3 p0' shows two cards.",
     caps_options, 0, 3, run_caps, SHAPE_ARRAY, cap_fields},
    {"card list", NULL, "list the card profiles: built in, and those of users",
     "docad.conf(5), docad --card, docad-run --card and DOCAD_CARD take their names. Needs no\n"
     "daemon.",
     list_options, 0, 0, run_card_list, SHAPE_ARRAY, card_fields},
    {"card show", "CARD", "show the values of a card profile",
     "A release may follow the name: bluefield-2/2.2. Needs no daemon.", list_options, 1, 1,
     run_card_show, SHAPE_ARRAY, card_value_fields},
    {"card times", "CARD", "compare a profile's model of times with published figures",
     "What a profile has for timing = yes, beside each figure that it was fitted to. Needs no\n"
     "daemon.",
     list_options, 1, 1, run_card_times, SHAPE_ARRAY, card_time_fields},
    {"card import", "FILE", "make a card profile of the output of doca_caps",
     "Reads what the vendor's tool has printed on a machine with the card (FILE; - is standard\n"
     "input), for the first device or the one of --name, and prints a profile: save it as\n"
     "NAME.conf in one of the directories that docad-cards(7) names. With --json: an array of\n"
     "keys and values. Needs no daemon.",
     import_options, 1, 1, run_card_import, SHAPE_ARRAY, card_value_fields},
    {"representors", NULL, "list the representors of the host's functions and of local SFs",
     "A host node has none.", list_options, 0, 0, run_list, SHAPE_ARRAY, representor_fields},
    {"peers", NULL, "list the other nodes: connections and their state",
     "The state is connecting, linked or refused.", list_options, 0, 0, run_list, SHAPE_ARRAY,
     peer_fields},
    {"sessions", NULL, "list the programs that use the daemon, and their use of quotas", NULL,
     sessions_options, 0, 0, run_list, SHAPE_ARRAY, session_fields},
    {"sessions show", "SESSION", "show one session, with its use of each quota",
     "What its user has of a quota by uid is what all programs of that user have.", NULL, 1, 1,
     run_sessions_show, SHAPE_OBJECT, session_show_fields},
    {"sessions end", "[SESSION]", "end sessions, as if their processes had ended",
     "All that they own ends, for others too: its users get an error. docactl returns once that\n"
     "is certain. A process itself goes on, sees that its docad has gone, and may connect again.\n"
     "It takes the number of a session, or --pid.",
     end_options, 0, 1, run_sessions_end, SHAPE_OBJECT, ended_fields},
    {"regions", NULL, "list registered memory: owner, address, size",
     "MAPPED bytes are shared with importers as pages, BROKERED bytes are moved by the\n"
     "daemon's engine.",
     list_options, 0, 0, run_list, SHAPE_ARRAY, region_fields},
    {"imports", NULL, "list memory that programs here have imported from others",
     "The state is live, revoked, owner-gone or peer-gone.", list_options, 0, 0, run_list,
     SHAPE_ARRAY, import_fields},
    {"queues", NULL, "list queue pairs, work queues and RDMA endpoints: how full, how busy",
     "Jobs over mapped memory bypass the daemon: the counts of work queues are those that their\n"
     "programs report.",
     list_options, 0, 0, run_list, SHAPE_ARRAY, queue_fields},
    {"channels", NULL, "list connections of the Comm Channel, and clients that wait for one",
     "Each side is listed by its own daemon; messages do not pass through the daemon. A client of\n"
     "Comch waits until there is a server of its name: it is listed with the state waiting until "
     "it\n"
     "is connected or its context stops. A client of the Comm Channel, also of DOCA 2.2, waits "
     "for\n"
     "no service; it is listed as waiting while its daemon asks another node.",
     list_options, 0, 0, run_list, SHAPE_ARRAY, channel_fields},
    {"channels services", NULL, "list services of the Comm Channel: owner, function",
     "Only the daemon of a DPU has services.", list_options, 0, 0, run_list, SHAPE_ARRAY,
     service_fields},
    {"listeners", NULL, "list RDMA listeners: owner, function, address, port",
     "Programs of DOCA 3 reach them at that address and at the function's other address or GID;\n"
     "programs of the same user also at any address of this machine.",
     list_options, 0, 0, run_list, SHAPE_ARRAY, listener_fields},
    {"events", NULL, "list exported sync events",
     "The COUNTER is mapped, or brokered if it lies in the application's own memory. 'exports\n"
     "revoke' ends the export of an event.",
     list_options, 0, 0, run_list, SHAPE_ARRAY, event_fields},
    {"exports", NULL, "list exported memory; the same as 'exports list'", NULL, list_options, 0, 0,
     run_exports_list, SHAPE_ARRAY, export_fields},
    {"exports list", NULL, "list exported memory: owner, target, names", NULL, list_options, 0, 0,
     run_exports_list, SHAPE_ARRAY, export_fields},
    {"exports show", "ID", "show one export with its importers", NULL, NULL, 1, 1, run_exports_show,
     SHAPE_OBJECT, export_show_fields},
    {"exports get", "ID", "fetch an export's descriptor, to be carried by hand",
     "Writes the raw bytes to standard output, unless that is a terminal. Anybody who shows\n"
     "the descriptor to the right daemon may import the memory: keep it as safe as a key.\n"
     "With --json: one object that has the bytes as hexadecimal digits.",
     output_options, 1, 1, run_exports_get, SHAPE_OBJECT, descriptor_fields},
    {"exports put", "FILE", "publish a descriptor that was carried here",
     "Reads the descriptor from FILE (- is standard input), checks it, and publishes it on\n"
     "this node. It may be text, as programs of DOCA 1.3 write it. The name stays until it is\n"
     "unpublished or the daemon learns that the export has ended; if this node has never been\n"
     "linked with the export's, nobody would tell it, and the name is refused. Without --to it\n"
     "is for programs of the user who runs docactl, of root and of docad's own user.",
     put_options, 1, 1, run_exports_put, SHAPE_OBJECT, published_fields},
    {"exports publish", "ID NAME", "give an export of this node a name",
     "Programs on this node and on linked nodes find it by that name if they belong to the user\n"
     "who runs docactl. Those of the export's owner, of root, and of users whom --to names find\n"
     "it as USER/NAME. A name has letters, digits and . _ : @ + -.",
     publish_options, 2, 2, run_exports_publish, SHAPE_OBJECT, published_fields},
    {"exports unpublish", "PUBLISHED", "take a name back; the export stays",
     "PUBLISHED is as for 'exports lookup'.", NULL, 1, 1, run_exports_unpublish, SHAPE_OBJECT,
     unpublished_fields},
    {"exports lookup", "PUBLISHED", "fetch the descriptor published under a name",
     "PUBLISHED is a name of the user who runs docactl, or another user's as USER/NAME or\n"
     "UID/NAME. The output is as for 'exports get'. Here --timeout is the time to wait; put\n"
     "the time limit for the daemon's answer before the command.",
     lookup_options, 1, 1, run_exports_lookup, SHAPE_OBJECT, descriptor_fields},
    {"exports names", NULL, "list the published names that one may look up", NULL, list_options, 0,
     0, run_list, SHAPE_ARRAY, name_fields},
    {"exports revoke", "[ID]", "end exports: nobody can use the memory any more",
     "Jobs of importers fail from then on. docactl returns once that is certain. It takes an\n"
     "ID, or --name, or --pid.",
     revoke_options, 0, 1, run_exports_revoke, SHAPE_OBJECT, revoked_fields},
    {"top", NULL, "show how fast each program works, again and again",
     "Programs count their jobs themselves. With --json: one object on each line.", top_options, 0,
     0, run_top, SHAPE_LINES, top_fields},
    {"monitor", NULL, "print what happens, as it happens",
     "Events: session-begin, session-end, session-dropped, region-begin, region-end,\n"
     "export-begin, export-end (its text says why: revoked, owner-gone, ...), import-begin,\n"
     "import-end, peer-linked, peer-lost, representor-begin, representor-end,\n"
     "request-refused, fault. If they come faster than they are read, some are left out, and the\n"
     "event lost says so. Users other than root and docad's own see only their own events.\n"
     "With --json: one object on each line.",
     monitor_options, 0, 0, run_monitor, SHAPE_LINES, monitor_fields},
    {"metrics", NULL, "print what the daemon counts, in OpenMetrics format",
     "docad's metrics socket gives the same text, see docad.conf(5). Programs count their jobs,\n"
     "bytes and errors themselves: trust these numbers as far as you trust the programs. With\n"
     "--json: an array of samples.",
     NULL, 0, 0, run_metrics, SHAPE_ARRAY, metric_fields},
    {"log-level", "[LEVEL]", "show or change which messages the daemon writes to its log",
     "LEVEL is error, warning, info or debug. Root and docad's own user may change it; the\n"
     "change lasts until docad ends or reloads.",
     NULL, 0, 1, run_log_level, SHAPE_OBJECT, level_fields},
    {"reload", NULL, "make the daemon read its configuration again",
     "Only root and docad's own user may do this.", NULL, 0, 0, run_reload, SHAPE_OBJECT,
     reload_fields},
    {"policy test", "USER DEVICE", "say what the daemon's policy lets a user do on a device",
     "USER is a name or a number, with the groups that the system's database has for it; a "
     "process\n"
     "may have others. DEVICE is a name of 'docactl devices'. WHY names the rule that refuses.\n"
     "Users other than root and docad's own may ask for themselves, with the groups of docactl.",
     list_options, 2, 2, run_policy_test, SHAPE_ARRAY, verdict_fields},
    {"check", NULL, "check that everything docad and programs need is there, and say what to do",
     "Checks limits, permissions, features of the kernel, RDMA devices, huge pages, the daemon,\n"
     "its peers and quotas. Run it as the user whose programs fail. The exit status is 1 if a\n"
     "check failed; a warning is not a failure.",
     list_options, 0, 0, run_check, SHAPE_ARRAY, check_fields},
    {"why", "FUNCTION [ERROR]", "explain an error that a DOCA function has returned",
     "Says in which cases FUNCTION, a name or a pattern, returns ERROR, or everything that it\n"
     "returns, in each generation of the interface. ERROR is a name (DOCA_ERROR_IN_USE, or\n"
     "in_use) or a number. The program's log says which case it was. FUNCTION may also be\n"
     "the id of a rule of docad-run --check=rules. Needs no daemon.",
     list_options, 1, 2, run_why, SHAPE_ARRAY, why_fields},
    {"dump", NULL, "print everything that docactl can show, as one JSON object",
     "For bug reports, and for programs that want everything at once.", NULL, 0, 0, run_dump,
     SHAPE_OBJECT, dump_fields},
    {"certificates authority", "DIR", "make an authority for links between machines",
     "Writes DIR/authority.crt, which every node needs, and DIR/authority.key, which signs\n"
     "certificates and should stay on the machine where you make them. Needs no daemon.",
     certificate_options, 1, 1, run_certificates_authority, SHAPE_OBJECT, certificate_fields},
    {"certificates node", "NAME DIR", "make the certificate of a node",
     "Writes DIR/NAME.crt, signed by the authority in DIR, and DIR/NAME.key. NAME must be the\n"
     "node's name (docad --name): a link is refused if they differ. Needs no daemon.",
     certificate_options, 2, 2, run_certificates_node, SHAPE_OBJECT, certificate_fields},
    {"certificates renew", "NAME DIR", "make a node's certificate anew, for its key",
     "Writes DIR/NAME.crt, signed by the authority in DIR, in the place of the one that is there.\n"
     "Copy it to the node and reload docad: links stay up. 'docactl check' on the node says how\n"
     "long its certificate is valid. Needs no daemon.",
     certificate_options, 2, 2, run_certificates_renew, SHAPE_OBJECT, certificate_fields},
    {"certificates revoke", "NAME DIR", "declare the certificate of a node void",
     "Adds DIR/NAME.crt to the authority's list, DIR/authority.crl. Copy the list to the nodes,\n"
     "name it as revoked in the tls section of docad.conf(5), and reload docad: links with that\n"
     "certificate end, and no new ones are made. Before you make a new certificate of that name,\n"
     "move the old files away. Needs no daemon.",
     NULL, 2, 2, run_certificates_revoke, SHAPE_OBJECT, revocation_fields},
    {"help", "[COMMAND]", "print help on docactl or on a command",
     "With --json: all commands, options and fields, for programs.", help_options, 0, 2, run_help,
     SHAPE_NONE, NULL},
};

const size_t n_ctl_commands = ARRAY_SIZE(ctl_commands);
