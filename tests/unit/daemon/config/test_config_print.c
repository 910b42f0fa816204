// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The printed configuration: it says everything, and read again it is the same.

#include "unit.h"

#include "cleanup.h"
#include "options.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static struct config first, second;

// Reads options like docad with --config, where the text is the file, and with this many more
// arguments.
static void read_config(const char *text, const char *const *more, struct config *out)
{
    char path[32], *argv[16] = {(char *)"docad", (char *)"--config", path};
    int argc = 3;
    cleanup_fd int fd = memfd_create("docad.conf", MFD_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (; more && *more; more++)
        argv[argc++] = (char *)*more;
    ck_assert_msg(options_read(argc, argv, out) == OPTIONS_RUN, "refused: %s", text);
}

static char *print(const struct config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    config_print(config, out);
    fclose(out);
    return text;
}

static void assert_same(const struct config *a, const struct config *b)
{
#define SAME(member) ck_assert_mem_eq(&a->member, &b->member, sizeof(a->member))
    ck_assert_int_eq(a->role, b->role);
    ck_assert_str_eq(a->name, b->name);
    ck_assert_str_eq(a->socket, b->socket);
    ck_assert_int_eq(a->socket_mode, b->socket_mode);
    ck_assert_str_eq(a->metrics_socket, b->metrics_socket);
    ck_assert_int_eq(a->metrics_none, b->metrics_none);
    ck_assert_uint_eq(a->peer_grace_ms, b->peer_grace_ms);
    ck_assert_uint_eq(a->release_limit_ms, b->release_limit_ms);
    ck_assert_int_eq(a->log_level, b->log_level);
    ck_assert_int_eq(a->isolation_strict, b->isolation_strict);
    ck_assert_int_eq(a->names_utf8, b->names_utf8);
    ck_assert_uint_eq(a->workers, b->workers);
    SAME(wait);
    ck_assert_uint_eq(a->n_peer_uids, b->n_peer_uids);
    ck_assert_str_eq(a->faults, b->faults);
    SAME(peer_uids);
    ck_assert_str_eq(a->subuids, b->subuids);
    ck_assert_str_eq(a->subgids, b->subgids);
    ck_assert_uint_eq(a->n_peers, b->n_peers);
    SAME(tls);
    ck_assert_uint_eq(a->n_functions, b->n_functions);
    SAME(functions);
    SAME(limits);
    ck_assert_uint_eq(a->engine.threads, b->engine.threads);
    ck_assert_int_eq(a->engine.pinned, b->engine.pinned);
    SAME(engine.cpus);
    ck_assert_uint_eq(a->engine.spin_ns, b->engine.spin_ns);
    ck_assert_uint_eq(a->engine.copies_over, b->engine.copies_over);
    SAME(policy);
    SAME(verbs);
}

static void assert_same_peers(const struct config *a, const struct config *b)
{
    for (size_t i = 0; i < a->n_peers; i++)
        ck_assert_mem_eq(&a->peers[i], &b->peers[i], sizeof(a->peers[i]));
}

// Every option, none as it is by default, each as it is printed.
static const char everything[] =
    "role = dpu\n"
    "name = \"a \\\"name\\\" of \\${HOME} \\\\ {\"\n"
    "socket = \"/tmp/a.sock\"\n"
    "socket_mode = 0640\n"
    "metrics_socket = \"/tmp/b.sock\"\n"
    "log_level = debug\n"
    "isolation = strict\n"
    "names = utf8\n"
    "workers = 3\n"
    "spin_us = 4\n"
    "spin_shared_us = 5\n"
    "block_us = 6\n"
    "peer_uids = {7, 8}\n"
    "subuids = \"/s\"\n"
    "subgids = \"/g\"\n"
    "card = \"bluefield-3\"\n"
    "peer_grace_ms = 1234\n"
    "faults = {\"import: AGAIN, 2nd; link: down for 1 s\", \"export: revoke\"}\n"
    "release_limit_ms = 2345\n"
    "peer \"one\" {\n    socket = \"/tmp/c.sock\"\n    descriptors = no\n}\n"
    "peer \"two\" {\n    address = \"[fd00::1]:18570\"\n    descriptors = no\n}\n"
    "tls {\n    listen = \"0.0.0.0:1\"\n    certificate = \"/c rt\"\n    key = \"/k\"\n"
    "    authority = \"/a\"\n    revoked = \"/r\"\n}\n"
    "function \"f\" {\n    type = PF\n    pci = \"0000:0b:00.0\"\n    port = 3\n"
    "    vuid = \"V\"\n    iface = \"eth9\"\n    ibdev = \"rxe9\"\n    ibport = 2\n"
    "    mac = \"02:00:00:00:00:0a\"\n    ipv4 = \"10.0.0.1\"\n    ipv6 = none\n"
    "    can_export_dpu = yes\n    can_import_dpu = no\n    can_list_reps = no\n"
    "    can_dma = no\n    card = \"bluefield-2/2.2\"\n}\n"
    "function \"s\" {\n    type = SF\n    pci = \"0000:0b:00.0\"\n    port = 3\n}\n"
    "function \"v\" {\n    backing = verbs\n    type = VF\n    pci = \"0000:0b:00.2\"\n"
    "    port = 1\n    vuid = \"W\"\n    iface = \"eth8\"\n    ibdev = \"rxe8\"\n"
    "    ibport = 2\n    mac = \"02:00:00:00:00:0b\"\n    ipv4 = none\n    ipv6 = \"fe80::1\"\n"
    "    can_export_dpu = no\n    can_import_dpu = yes\n    can_list_reps = yes\n"
    "    can_dma = no\n}\n"
    "policy \"p\" {\n    users = {\"1\"}\n    groups = {\"2\", \"3\"}\n    open = {\"f*\"}\n"
    "    export = {\"dpu\", \"sync_event\"}\n    to_users = {}\n    to_groups = {\"4\"}\n}\n"
    "limits {\n    sessions_per_uid = 1\n    regions_per_session = 2\n"
    "    exports_per_session = 3\n    imports_per_session = 4\n"
    "    queue_pairs_per_session = 5\n    publications_per_uid = 6\n"
    "    lookups_per_session = 7\n    queued_output_per_connection = 65536\n"
    "    region_bytes_per_uid = 9\n    descriptors_per_uid = unlimited\n"
    "    state_slots_per_uid = 11\n    channels_per_session = 12\n"
    "    pinned_bytes_per_uid = 17\n    pinned_bytes = 18\n"
    "    metadata_bytes_per_uid = 22\n    metadata_bytes = 23\n    descriptors = 24\n"
    "    monitors_per_uid = 25\n    listeners_per_uid = 26\n"
    "    importers_per_peer = 13\n    queue_pairs_per_peer = 14\n"
    "    descriptors_per_peer = 15\n    queue_pairs_per_importer = 16\n"
    "    grants_per_peer = 19\n    grants_per_importer = 20\n"
    "    publications_per_peer = 21\n}\n"
    "engine {\n    threads = 2\n    cpus = \"0,5\"\n    spin_us = 3\n"
    "    copies_over = 4194304\n}\n"
    "verbs {\n    include = \"a*,b\"\n    exclude = \"b\\\"\"\n    timeout = 1\n"
    "    retries = 2\n    rnr_retries = 3\n    rnr_timer = 4\n}\n";

static void assert_all_lines(const char *text, const char *in)
{
    cleanup_free char *lines = strdup(text);
    char *save, line[256];
    for (char *l = strtok_r(lines, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        snprintf(line, sizeof(line), "\n%s\n", l);
        ck_assert_msg(strstr(in, line) != NULL, "not printed: %s", l);
    }
}

START_TEST(everything_is_printed)
{
    read_config(everything, NULL, &first);
    ck_assert_str_eq(first.name, "a \"name\" of ${HOME} \\ {");
    cleanup_free char *text = print(&first);
    assert_all_lines(everything, text);
}
END_TEST

START_TEST(what_is_printed_is_the_same)
{
    read_config(everything, NULL, &first);
    cleanup_free char *text = print(&first);
    read_config(text, NULL, &second);
    assert_same(&first, &second);
    assert_same_peers(&first, &second);
    cleanup_free char *again = print(&second);
    ck_assert_str_eq(text, again);
}
END_TEST

static const char *defaults;

// The options that can be in a section are in the text above; and what docad prints where
// nothing was configured has a word of each.
static void assert_covered(const char *wrong)
{
    char errors[2048] = "", path[32], option[64];
    cleanup_fd int fd = memfd_create("docad.conf", MFD_CLOEXEC);

    ck_assert_int_eq(write(fd, wrong, strlen(wrong)), (ssize_t)strlen(wrong));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    FILE *out = fmemopen(errors, sizeof(errors) - 1, "w");
    config_init(&second);
    ck_assert(!config_load(&second, path, CONFIG_ALL_MISTAKES, out));
    fclose(out);
    char *save, *list = strstr(errors, "possible here: ");
    ck_assert_msg(list != NULL, "%s", errors);
    for (char *name = strtok_r(list + strlen("possible here: "), ", )\n", &save); name;
         name = strtok_r(NULL, ", )\n", &save)) {
        snprintf(option, sizeof(option), "\n%s ", name);
        bool found = strstr(everything, option + 1) == everything || strstr(everything, option);
        snprintf(option, sizeof(option), "\n    %s = ", name);
        ck_assert_msg(found || strstr(everything, option), "not tested: %s", name);
        ck_assert_msg(strstr(defaults, name) != NULL, "not explained: %s", name);
    }
}

START_TEST(everything_is_everything)
{
    read_config("", (const char *[]){"--socket", "/s", NULL}, &first);
    cleanup_free char *text = print(&first);
    defaults = text;
    assert_covered("nothing = 1\n");
    assert_covered("peer \"p\" { nothing = 1 }\n");
    assert_covered("function \"f\" { nothing = 1 }\n");
    assert_covered("policy \"p\" { nothing = {} }\n");
    assert_covered("limits { nothing = 1 }\n");
    assert_covered("engine { nothing = 1 }\n");
    assert_covered("tls { nothing = 1 }\n");
    assert_covered("verbs { nothing = 1 }\n");
}
END_TEST

// All of it stands in comments: nothing else says something.
START_TEST(defaults_are_comments)
{
    setenv("XDG_RUNTIME_DIR", "/run", 1);
    read_config("", NULL, &first);
    cleanup_free char *text = print(&first);
    char *save;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ck_assert_msg(line[0] == '#' || strncmp(line, "    # ", 6) == 0 || strchr("}", line[0]) ||
                          line[strlen(line) - 1] == '{',
                      "%s", line);
}
END_TEST

START_TEST(defaults_are_the_same)
{
    setenv("XDG_RUNTIME_DIR", "/run", 1);
    for (int dpu = 0; dpu < 2; dpu++) {
        read_config(dpu ? "role = dpu\n" : "", NULL, &first);
        cleanup_free char *text = print(&first);
        ck_assert_ptr_nonnull(strstr(text, "\n# socket = \"/run/docad/docad.sock\"\n"));
        ck_assert_ptr_nonnull(
            strstr(text, "\n# metrics_socket = \"/run/docad/docad-metrics.sock\"\n"));
        read_config(text, NULL, &second);
        assert_same(&first, &second);
    }
}
END_TEST

// The file that is installed is made where docad is built.
START_TEST(defaults_are_those_of_every_machine)
{
    struct rlimit files;
    read_config("", (const char *[]){"--socket", "/s", NULL}, &first);
    cleanup_free char *text = print(&first);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max = 64;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    read_config("", (const char *[]){"--socket", "/s", NULL}, &second);
    ck_assert_uint_ne(first.limits.value[LIMIT_DESCRIPTORS],
                      second.limits.value[LIMIT_DESCRIPTORS]);
    cleanup_free char *other = print(&second);
    ck_assert_str_eq(text, other);
    ck_assert_ptr_nonnull(strstr(text, "    # pinned_bytes_per_uid = half of the memory\n"));
    ck_assert_ptr_nonnull(strstr(text, "    # pinned_bytes = three quarters of the memory\n"));
    read_config("limits { pinned_bytes = 1M }\n", NULL, &second);
    cleanup_free char *set = print(&second);
    ck_assert_ptr_nonnull(strstr(set, "    pinned_bytes = 1048576\n"));
}
END_TEST

START_TEST(metrics_are_beside_the_socket)
{
    read_config("", (const char *[]){"--socket", "/tmp/host.sock", NULL}, &first);
    cleanup_free char *text = print(&first);
    ck_assert_ptr_nonnull(strstr(text, "\nsocket = \"/tmp/host.sock\"\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n# metrics_socket = \"/tmp/host-metrics.sock\"\n"));
    read_config("metrics_socket = none\n", (const char *[]){"--socket", "/s", NULL}, &first);
    cleanup_free char *none = print(&first);
    ck_assert_ptr_nonnull(strstr(none, "\nmetrics_socket = \"none\"\n"));
    read_config(none, NULL, &second);
    assert_same(&first, &second);
}
END_TEST

// Each gets a name of its own, that names in the file do not have either.
START_TEST(peers_of_the_command_line)
{
    read_config("socket = \"/s\"\npeer \"a-2\" { socket = \"/w/a.sock\" }\n",
                (const char *[]){"--peer", "/x/a.sock", "--peer", "/y/a.sock", "--peer",
                                 "/z/a.sock", "--peer", "/z/.sock", NULL},
                &first);
    cleanup_free char *text = print(&first);
    read_config(text, NULL, &second);
    assert_same(&first, &second);
    static const char *const names[] = {"a-2", "a", "a-3", "a-4", "peer"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        ck_assert_str_eq(second.peers[i].name, names[i]);
        ck_assert_str_eq(second.peers[i].socket, first.peers[i].socket);
    }
}
END_TEST

UNIT_MAIN("config_print", everything_is_printed, what_is_printed_is_the_same,
          everything_is_everything, defaults_are_comments, defaults_are_the_same,
          defaults_are_those_of_every_machine, metrics_are_beside_the_socket,
          peers_of_the_command_line)
