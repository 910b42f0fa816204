// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "cleanup.h"
#include "config.h"
#include "config_cards.h"
#include "config_text.h"
#include "text_names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct config config;
static char errors[8192];

// Loads a text as if it were a file; what is wrong with it ends in `errors`.
static bool load_bytes(const char *text, size_t size)
{
    char path[32];
    cleanup_fd int fd = memfd_create("docad.conf", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    memset(errors, 0, sizeof(errors));
    FILE *out = fmemopen(errors, sizeof(errors) - 1, "w");
    ck_assert_ptr_nonnull(out);
    config_init(&config);
    bool ok = config_load(&config, path, CONFIG_ALL_MISTAKES, out);
    fclose(out);
    return ok;
}

static bool load(const char *text)
{
    return load_bytes(text, strlen(text));
}

static void assert_loads(const char *text)
{
    ck_assert_msg(load(text), "%s", errors);
    ck_assert_str_eq(errors, "");
}

#define TLS "tls { certificate = a key = b authority = c }\n"

// Exactly one error, in this line, that names this and says what to write.
static void assert_refused(const char *text, int line, const char *name)
{
    char at[32];
    ck_assert_msg(!load(text), "accepted: %s", text);
    snprintf(at, sizeof(at), ":%d", line);
    assert_names(errors, at);
    assert_names(strchr(errors, ' '), name);
    ck_assert_msg(strchr(errors, '(') && strchr(errors, ')'), "no word of what to write: %s",
                  errors);
    ck_assert_ptr_eq(strchr(errors, '\n'), errors + strlen(errors) - 1);
}

START_TEST(cards_are_chosen)
{
    static const char text[] = "card = bluefield-3\n"
                               "function \"pf0\" { type = pf pci = 0b:00.0 }\n"
                               "function \"pf1\" { type = pf port = 1 pci = 0b:00.1\n"
                               "  card = \"bluefield-2/2.2\" }\n"
                               "function \"pf2\" { type = pf port = 2 pci = 0b:00.2\n"
                               "  card = software }\n";
    assert_loads("");
    ck_assert_str_eq(config.card, "software");
    assert_loads(text);
    ck_assert(config_take_cards(&config, stderr));
    ck_assert_uint_eq(config.n_cards, 2);
    ck_assert_str_eq(config.cards[0].name, "bluefield-3");
    ck_assert_str_eq(config.cards[1].name, "bluefield-2/2.2");
    assert_refused("\ncard = bluefield-9\n", 2, "bluefield-3");
    char long_path[CARD_SPEC_SIZE + 32];
    snprintf(long_path, sizeof(long_path), "card = \"/%0*d\"\n", CARD_SPEC_SIZE - 1, 0);
    assert_refused(long_path, 1, "1023");
    snprintf(long_path, sizeof(long_path), "card = \"/%0*d\"\n", 200, 0);
    assert_refused(long_path, 1, "name a profile");
    assert_refused("\ncard = \"bluefield-3,shar=no\"\n", 2, "sha");
    assert_loads("card = \"bluefield-3,sha=yes,reorder=3\"\n");
    ck_assert(config_take_cards(&config, stderr));
    ck_assert_uint_eq(config.cards[0].values[CARD_REORDER], 3);
    ck_assert_uint_eq(config.cards[0].values[CARD_SHA], 1);
}
END_TEST

// The list that programs get has the last 63 characters of a name.
START_TEST(cards_that_end_alike_are_refused)
{
    char messages[1024] = "", path[] = "/tmp/docad-alike-XXXXXX", first[128], second[256];
    FILE *out = fmemopen(messages, sizeof(messages) - 1, "w");
    cleanup_fd int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    // The same file, by paths of different length.
    snprintf(first, sizeof(first), "/%s%s", "////////////////////////////////////////", path + 1);
    snprintf(second, sizeof(second), "//%s", first);
    assert_loads("");
    snprintf(config.functions[0].function.name, sizeof(config.functions[0].function.name), "pf0");
    snprintf(config.functions[1].function.name, sizeof(config.functions[1].function.name), "pf1");
    copy_text(config.functions[0].card, first);
    copy_text(config.functions[1].card, second);
    config.n_functions = 2;
    ck_assert(!config_take_cards(&config, out));
    fclose(out);
    assert_names(messages, "63");
    assert_names(messages, "(copy");
    copy_text(config.functions[1].card, first);
    ck_assert(config_take_cards(&config, stderr));
    ck_assert_uint_eq(config.n_cards, 1);
    ck_assert_uint_lt(strlen(config.cards[0].name), CARD_NAME_SIZE);
    struct function made[FUNCTIONS_MAX]; // they have the name by which programs find the card
    topology_complete(config.functions, 2, ROLE_HOST, "node", (const uint8_t[NODE_ID_SIZE]){1},
                      made);
    ck_assert_str_eq(made[1].card, config.cards[0].name);
    made[0] = topology_verbs(&config.functions[0]);
    ck_assert_str_eq(made[0].card, config.cards[0].name);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

// Files that differ by their names are different cards.
START_TEST(too_many_cards)
{
    char messages[1024] = "", path[] = "/tmp/docad-many-XXXXXX";
    FILE *out = fmemopen(messages, sizeof(messages) - 1, "w");
    cleanup_fd int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    assert_loads("");
    for (int i = 0; i < CONFIG_CARDS_MAX + 1; i++) {
        struct function *f = &config.functions[i].function;
        snprintf(f->name, sizeof(f->name), "pf%d", i);
        snprintf(config.functions[i].card, sizeof(config.functions[i].card), "/tmp/%.*s%s", i,
                 "//////////", path + 5);
    }
    config.n_functions = CONFIG_CARDS_MAX + 1;
    ck_assert(!config_take_cards(&config, out));
    fclose(out);
    assert_names(messages, "function \"pf8\"");
    assert_names(messages, "(choose");
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(cards_reach_programs)
{
    struct card_messages cards;
    Docad__Function plain = DOCAD__FUNCTION__INIT, own = DOCAD__FUNCTION__INIT;
    Docad__Function *functions[] = {&plain, &own};
    uint64_t size = 0;

    own.card = (char *)CARD_SOFTWARE;
    assert_loads("card = bluefield-3\n");
    ck_assert(config_take_cards(&config, stderr));
    cards_name(&config, functions, 2);
    ck_assert_str_eq(plain.card, "bluefield-3");
    ck_assert_str_eq(own.card, "software");
    ck_assert_uint_eq(cards_to_messages(&config, &cards), 1);
    const Docad__Card *card = cards.list[0];
    ck_assert_uint_eq(card->n_keys, card->n_values);
    for (size_t i = 0; i < card->n_keys; i++)
        if (card->keys[i] == CARD_DMA_BUF_SIZE)
            size = card->values[i];
    ck_assert_uint_eq(size, 2u << 20);
    assert_loads("");
    ck_assert(config_take_cards(&config, stderr));
    ck_assert_uint_eq(cards_to_messages(&config, &cards), 0);
}
END_TEST

START_TEST(faults_are_rules)
{
    assert_loads("");
    ck_assert_str_eq(config.faults, "");
    assert_loads("faults = {\"export: revoke after 10 imports\", \"import: NO_MEMORY, 3rd\"}\n"
                 "faults += \"link: down for 2 s\"\n");
    ck_assert_str_eq(config.faults, "export: revoke after 10 imports\nimport: NO_MEMORY, 3rd\n"
                                    "link: down for 2 s");
    assert_refused("\nfaults = {\"export: revoke after 10 messages\"}\n", 2, "imports");
    assert_refused("faults = {\"comch: drop\"}\n", 1, "docad-run");
    assert_refused("faults = {\"dma.memcpy: IO_FAILED\"}\n", 1, "docad-run");
    assert_refused("faults = {\"lnik: down\"}\n", 1, "link");
    assert_refused("faults = {\"link: dwon\"}\n", 1, "down");
    assert_refused("faults = {\"\"}\n", 1, "rule");
}
END_TEST

// However many there are.
START_TEST(too_many_faults)
{
    char text[CONFIG_FAULTS_SIZE * 4] = "faults = {\"link: down\"";
    size_t used = strlen(text);
    for (int i = 0; i < 64; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", \"link: down\"");
    snprintf(text + used, sizeof(text) - used, "}\n");
    assert_refused(text, 1, "64");
    used = (size_t)snprintf(text, sizeof(text), "faults = {\"link: down for 2 s");
    memset(text + used, ' ', CONFIG_FAULTS_SIZE);
    strcpy(text + used + CONFIG_FAULTS_SIZE, "\"}\n");
    assert_refused(text, 1, "2048");
}
END_TEST

START_TEST(empty_is_default)
{
    assert_loads("");
    ck_assert_int_eq(config.role, ROLE_HOST);
    ck_assert_int_eq(config.socket_mode, 0660);
    ck_assert_int_eq(config.log_level, LOG_LEVEL_INFO);
    ck_assert_uint_eq(config.n_functions, 0);
    ck_assert_uint_eq(config.limits.value[LIMIT_SESSIONS], 16384);
    ck_assert_uint_eq(config.engine.threads, 1);
    ck_assert_uint_eq(config.engine.spin_ns, 20000);
    ck_assert(!config.engine.pinned);
    ck_assert_uint_eq(config.limits.value[LIMIT_REGION_BYTES], LIMIT_UNLIMITED);
}
END_TEST

START_TEST(all_options)
{
    assert_loads("# a comment { \"\n"
                 "role = dpu\n"
                 "name = \"bf 1\" // another\n"
                 "socket = /run/x.sock\n"
                 "socket_mode = 0600\n"
                 "log_level = debug\n"
                 "peer_uids = { 1000, \"1001\" }\n"
                 "peer \"one\" { socket = /run/h.sock\n descriptors = no }\n"
                 "peer \"two\" { socket = /run/i.sock }\n"
                 "/* over\n lines } */\n"
                 "function \"p0\" { type = pf  pci = 03:00.0  port = 0\n"
                 "  vuid = V  iface = eth9  ibdev = rxe0  mac = 02:00:00:00:00:0a\n"
                 "  ipv4 = 10.0.0.1  ipv6 = none  can_dma = no can_export_dpu = yes }\n"
                 "function \"p0s0\" { type = SF  port = 0 }\n"
                 "engine { threads = 4  cpus = \"1,5-7\"  spin_us = 7 }\n"
                 "limits { sessions_per_uid = 3  region_bytes_per_uid = 2G }\n");
    ck_assert_int_eq(config.role, ROLE_DPU);
    ck_assert_str_eq(config.name, "bf 1");
    ck_assert_str_eq(config.socket, "/run/x.sock");
    ck_assert_int_eq(config.socket_mode, 0600);
    ck_assert_int_eq(config.log_level, LOG_LEVEL_DEBUG);
    ck_assert_uint_eq(config.n_peer_uids, 2);
    ck_assert_uint_eq(config.peer_uids[1], 1001);
    ck_assert_uint_eq(config.n_peers, 2);
    ck_assert(config.peers[0].no_descriptors && !config.peers[1].no_descriptors);
    ck_assert_str_eq(config.peers[0].socket, "/run/h.sock");
    ck_assert_uint_eq(config.n_functions, 2);
    const struct function_setting *s = &config.functions[0];
    ck_assert_str_eq(s->function.pci, "0000:03:00.0");
    ck_assert_str_eq(s->function.ibdev, "rxe0");
    ck_assert_uint_eq(s->function.mac[5], 10);
    ck_assert_int_eq(s->ipv4, SETTING_YES);
    ck_assert_int_eq(s->ipv6, SETTING_NO);
    ck_assert_int_eq(s->can_dma, SETTING_NO);
    ck_assert_int_eq(s->can_export_dpu, SETTING_YES);
    ck_assert_int_eq(s->can_import_dpu, SETTING_UNSET);
    ck_assert_int_eq(config.functions[1].function.type, DOCAD__FUNCTION_TYPE__SF);
    ck_assert_uint_eq(config.engine.threads, 4);
    ck_assert_uint_eq(config.engine.spin_ns, 7000);
    ck_assert(config.engine.pinned);
    ck_assert_int_eq(CPU_COUNT(&config.engine.cpus), 4);
    ck_assert(CPU_ISSET(1, &config.engine.cpus) && CPU_ISSET(5, &config.engine.cpus) &&
              CPU_ISSET(6, &config.engine.cpus) && CPU_ISSET(7, &config.engine.cpus));
    ck_assert_uint_eq(config.limits.value[LIMIT_SESSIONS], 3);
    ck_assert_uint_eq(config.limits.value[LIMIT_REGION_BYTES], 2ull << 30);
}
END_TEST

static const struct {
    const char *text;
    int line;
    const char *names;
} wrong[] = {
    {"\n\nrole = switch\n", 3, "role"},
    {"# c\n# c\nrole = switch\n", 3, "role"},
    {"/* c\n c */\nname = \"\"\n", 3, "name"},
    {"name = \"a\tb\"\n", 1, "name"},
    {"log_level = loud\n", 1, "log_level"},
    {"socket_mode = 888\n", 1, "socket_mode"},
    {"socket_mode = 10000\n", 1, "socket_mode"},
    {"socket = \"\"\n", 1, "socket"},
    {"rolle = host\n", 1, "rolle"},
    {"role host\n", 1, "role"},
    {"peer_uids = { x }\n", 1, "peer_uids"},
    {"peer_uids = { -1 }\n", 1, "peer_uids"},
    {"peer { socket = a }\n", 1, "peer"},
    {"peer \"a\" {\n}\n", 2, "\"a\""},
    {"peer \"a\" { socket = x\ndescriptors = maybe\n}\n", 2, "descriptors"},
    {"peer \"a\" { socket = x }\npeer \"a\" { socket = y }\n", 2, "'a'"},
    {"peer \"a\" {\n address = \"h\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n address = \"h:0\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n address = \"h:65536\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n address = \":1\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n address = \"fd00::1:1\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n address = \"[]:1\"\n}\n" TLS, 2, "address"},
    {"peer \"a\" {\n socket = x\n address = \"h:1\"\n}\n" TLS, 4, "address"},
    {"tls {\n listen = \"everywhere\"\n}\n", 2, "listen"},
    {"tls {\n key = \"\"\n}\n", 2, "key"},
    {"tls {\n revoked = \"\"\n}\n", 2, "revoked"},
    {"engine {\n threads = 0\n}\n", 2, "threads"},
    {"engine {\n threads = 17\n}\n", 2, "threads"},
    {"engine {\n threads = two\n}\n", 2, "threads"},
    {"engine {\n spin_us = 1000001\n}\n", 2, "spin_us"},
    {"engine {\n spin_us = -1\n}\n", 2, "spin_us"},
    {"engine {\n cpus = \"\"\n}\n", 2, "cpus"},
    {"engine {\n cpus = \"0,\"\n}\n", 2, "cpus"},
    {"engine {\n cpus = \"3-1\"\n}\n", 2, "cpus"},
    {"engine {\n cpus = \"1-\"\n}\n", 2, "cpus"},
    {"engine {\n cpus = \"1024\"\n}\n", 2, "cpus"},
    {"engine {\n cpus = \"0 1\"\n}\n", 2, "cpus"},
    {"engine {\n cpu = 1\n}\n", 2, "cpu"},
    {"verbs {\n timeout = 32\n}\n", 2, "timeout"},
    {"verbs {\n timeout = -1\n}\n", 2, "timeout"},
    {"verbs {\n retries = 8\n}\n", 2, "retries"},
    {"verbs {\n rnr_retries = 8\n}\n", 2, "rnr_retries"},
    {"verbs {\n rnr_timer = 32\n}\n", 2, "rnr_timer"},
    {"verbs {\n rnr_timer = soon\n}\n", 2, "rnr_timer"},
    {"verbs {\n devices = rxe0\n}\n", 2, "devices"},
    {"limits {\n sessions_per_uid = many\n}\n", 2, "sessions_per_uid"},
    {"limits {\n sessions = 3\n}\n", 2, "sessions"},
    {"function \"a\" {\n type = pf\n pci = 0b:00\n}\n", 3, "pci"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.8\n}\n", 3, "pci"},
    {"function \"a\" {\n type = xf\n pci = 0b:00.0\n port = 0\n}\n", 2, "type"},
    {"function \"a\" {\n pci = 0b:00.0\n}\n", 3, "type"},
    {"function \"a\" {\n type = pf\n}\n", 3, "PCI"},
    {"function \"a\" {\n type = vf\n pci = 0b:00.1\n}\n", 4, "port"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n port = 64\n}\n", 4, "port"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n mac = 1:2:3\n}\n", 4, "mac"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n mac = 01:00:00:00:00:00\n}\n", 4, "mac"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n ipv4 = 1.2.3\n}\n", 4, "ipv4"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n ipv6 = x::y\n}\n", 4, "ipv6"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n can_dma = maybe\n}\n", 4, "can_dma"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n colour = red\n}\n", 4, "colour"},
    {"function \"a\" { type = pf pci = 0b:00.0 }\n"
     "function \"b\" {\n type = vf\n port = 0\n pci = 0b:00.0\n}\n",
     5, "0b:00.0"},
    {"function \"a\" { type = pf pci = 0b:00.0 }\nfunction \"b\" { type = pf pci = 0b:00.1 }\n", 2,
     "port 0"},
    {"function \"a\" { type = pf pci = 0b:00.0 vuid = V }\n"
     "function \"b\" { type = vf port = 0 pci = 0b:00.1 vuid = V }\n",
     2, "VUID"},
    {"function \"a\" { type = pf pci = 0b:00.0 }\nfunction \"a\" { type = pf }\n", 2, "'a'"},
    {"function \"a\" {\n type = pf\n pci = 0b:00.0\n backing = disk\n}\n", 4, "backing"},
    {"function \"a\" {\n backing = verbs\n}\n", 3, "ibverbs"},
    {"function \"a\" {\n backing = verbs\n ibdev = x\n ibport = 0\n}\n", 4, "ibport"},
    {"function \"a\" {\n backing = verbs\n ibdev = x\n ibport = 255\n}\n", 4, "ibport"},
    {"function \"a\" { backing = verbs ibdev = x }\n"
     "function \"b\" { backing = verbs ibdev = x ibport = 1 }\n",
     2, "port 1"},
    {"function \"s\" { type = sf port = 1 }\n", 1, "port"},
    {"function \"a\" { type = pf pci = 0b:00.0 }\n"
     "function \"s\" { type = sf port = 0 pci = 0b:00.1 }\n",
     2, "0000:0b:00.1"},
    {"function \"a\" {\n type = pf\n", 1, "{"},
    {"role = host\n}\n", 2, "}"},
    {"role = host\nname = \"x\n\n", 2, "string"},
    {"\n/* x\n", 2, "comment"},
};

// ---- ibverbs devices ----------------------------------------------------------------------

START_TEST(ibverbs_options)
{
    assert_loads("verbs {\n include = \"mlx5_*\"\n exclude = \"mlx5_1,rxe*\"\n timeout = 31\n"
                 " retries = 0\n rnr_retries = 6\n rnr_timer = 12\n}\n"
                 "function \"a\" {\n backing = verbs\n ibdev = x\n ibport = 2\n}\n"
                 "function \"b\" {\n backing = verbs\n ibdev = x\n can_dma = no\n}\n");
    ck_assert_str_eq(config.verbs.include, "mlx5_*");
    ck_assert_str_eq(config.verbs.exclude, "mlx5_1,rxe*");
    ck_assert_uint_eq(config.verbs.timeout, 31);
    ck_assert_uint_eq(config.verbs.retries, 0);
    ck_assert_uint_eq(config.verbs.rnr_retries, 6);
    ck_assert_uint_eq(config.verbs.rnr_timer, 12);
    ck_assert_uint_eq(config.n_functions, 2);
    ck_assert_int_eq(config.functions[0].function.backing, DOCAD__BACKING__VERBS);
    ck_assert_str_eq(config.functions[0].function.ibdev, "x");
    ck_assert_uint_eq(config.functions[0].function.verbs.port, 2);
    ck_assert_int_eq(config.functions[1].can_dma, SETTING_NO);
}
END_TEST

START_TEST(ibverbs_defaults)
{
    assert_loads("");
    ck_assert_str_eq(config.verbs.include, "*");
    ck_assert_str_eq(config.verbs.exclude, "");
    ck_assert_uint_eq(config.verbs.timeout, 14);
    ck_assert_uint_eq(config.verbs.retries, 6);
    ck_assert_uint_eq(config.verbs.rnr_retries, 7);
    ck_assert_uint_eq(config.verbs.rnr_timer, 1);
}
END_TEST

START_TEST(ibverbs_patterns)
{
    static const struct {
        const char *include, *exclude, *name;
        bool offered;
    } cases[] = {
        {"*", "", "rxe0", true},
        {"*", "*", "rxe0", false},
        {"", "", "rxe0", false},
        {"rxe0", "", "rxe0", true},
        {"rxe0", "", "rxe01", false},
        {"mlx5_*, rxe?", "", "rxe1", true},
        {"mlx5_*,  rxe?", "rxe1", "rxe1", false},
        {"mlx5_[01]", "", "mlx5_1", true},
        {"mlx5_[01]", "", "mlx5_2", false},
        {"*", "siw*,rxe[2-9]", "rxe3", false},
        {"*", "siw*,rxe[2-9]", "rxe1", true},
        {",", "", "rxe1", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verbs_settings v = VERBS_SETTINGS_DEFAULT;
        strcpy(v.include, cases[i].include);
        strcpy(v.exclude, cases[i].exclude);
        ck_assert_msg(verbs_settings_offer(&v, cases[i].name) == cases[i].offered,
                      "%s without %s: %s", cases[i].include, cases[i].exclude, cases[i].name);
    }
}
END_TEST

START_TEST(wrong_line)
{
    assert_refused(wrong[_i].text, wrong[_i].line, wrong[_i].names);
}
END_TEST

START_TEST(every_error_is_told)
{
    ck_assert(
        !load("role = x\nname = \"\"\nfunction \"a\" {\n type = y\n pci = z\n port = -1\n}\n"));
    for (const char **line = (const char *[]){":1", ":2", ":4", ":5", ":6", NULL}; *line; line++)
        assert_names(errors, *line);
}
END_TEST

START_TEST(unknown_option_names_the_known)
{
    ck_assert(!load("peer \"a\" { adress = x }\n"));
    assert_names(errors, "socket");
}
END_TEST

START_TEST(no_file)
{
    char out[512] = "";
    FILE *f = fmemopen(out, sizeof(out), "w");
    config_init(&config);
    ck_assert(!config_load(&config, "/nonexistent/docad.conf", CONFIG_ALL_MISTAKES, f));
    fclose(f);
    assert_names(out, "/nonexistent/docad.conf");
}
END_TEST

START_TEST(zero_bytes)
{
    ck_assert(!load_bytes("role = host\0name = x\n", 21));
    ck_assert_str_ne(errors, "");
}
END_TEST

// The last list of a name is the one that holds, and what is told of it is told once.
START_TEST(lists)
{
    assert_loads("peer_uids = { 1, 1, 2 }\npeer_uids = { 3 }\npeer_uids += { 4, 5 }\n"
                 "policy \"p\" { users = { 1, 2 }\n users = { 7 }\n groups = {}\n"
                 "  export = { dpu }\n export = { rdma }\n open = { a }\n open = {} }\n"
                 "policy \"q\" { to_users = { 8 } }\n");
    ck_assert_uint_eq(config.n_peer_uids, 3);
    for (uid_t i = 0; i < 3; i++)
        ck_assert_uint_eq(config.peer_uids[i], 3 + i);
    const struct policy_rule *p = &config.policy.rules[0], *q = &config.policy.rules[1];
    ck_assert(p->who.users.given && p->who.users.n == 1 && p->who.users.ids[0] == 7);
    ck_assert(p->who.groups.given && p->who.groups.n == 0);
    ck_assert_uint_eq(p->targets, 1u << DOCAD__EXPORT_TARGET__TARGET_RDMA);
    ck_assert(p->targets_given && p->open_given && p->n_open == 0 && !p->to.users.given);
    ck_assert(q->to.users.given && q->to.users.n == 1 && !q->who.users.given && !q->open_given);
    ck_assert(!load("peer_uids = { 1, x, 2 }\n"));
    ck_assert_ptr_eq(strstr(errors, "\"x\""), strrchr(errors, 'x') - 1);
}
END_TEST

START_TEST(too_many_functions)
{
    char text[16384] = "";
    size_t n = 0;
    for (int i = 0; i <= FUNCTIONS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "function \"v%d\" { type = vf port = 0 pci = %02x:00.1 }\n", i, i);
    ck_assert(!load(text));
    assert_names(errors, ":65");
    assert_names(errors, "v64");
}
END_TEST

// Comments give way to spaces and strings keep what looks like one.
START_TEST(comments_keep_lines)
{
    struct config_fault fault;
    char text[] = "a = \"#x // /*\" # y\n/* b\nc */ d = 'e'\n";
    ck_assert_int_eq(config_text_prepare(text, &fault), 0);
    ck_assert_str_eq(text, "a = \"#x // /*\"    \n    \n     d = 'e'\n");
}
END_TEST

START_TEST(peers_on_other_machines)
{
    assert_loads("peer \"far\" { address = \"[fd00::1]:18570\" }\n"
                 "tls { listen = \"0.0.0.0:1\" certificate = a key = b authority = c }\n");
    ck_assert_str_eq(config_peer_where(&config.peers[0]), "[fd00::1]:18570");
    ck_assert_str_eq(config.tls.listen, "0.0.0.0:1");
    ck_assert_str_eq(config.tls.authority, "c");
    ck_assert(!load("peer \"far\" { address = \"h:1\" }\n"));
    assert_names(errors, "certificate, key and authority");
    ck_assert(!load(TLS "peer \"a\" { address = \"h:1\" }\npeer \"b\" { address = \"h:1\" }\n"));
    assert_names(errors, "\"b\"");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("config");
    tcase_add_test(tcase, empty_is_default);
    tcase_add_test(tcase, cards_are_chosen);
    tcase_add_test(tcase, cards_reach_programs);
    tcase_add_test(tcase, cards_that_end_alike_are_refused);
    tcase_add_test(tcase, too_many_cards);
    tcase_add_test(tcase, faults_are_rules);
    tcase_add_test(tcase, too_many_faults);
    tcase_add_test(tcase, all_options);
    tcase_add_test(tcase, ibverbs_options);
    tcase_add_test(tcase, ibverbs_defaults);
    tcase_add_test(tcase, ibverbs_patterns);
    tcase_add_loop_test(tcase, wrong_line, 0, ARRAY_SIZE(wrong));
    tcase_add_test(tcase, lists);
    tcase_add_test(tcase, every_error_is_told);
    tcase_add_test(tcase, unknown_option_names_the_known);
    tcase_add_test(tcase, peers_on_other_machines);
    tcase_add_test(tcase, no_file);
    tcase_add_test(tcase, zero_bytes);
    tcase_add_test(tcase, too_many_functions);
    tcase_add_test(tcase, comments_keep_lines);
    return unit_run_case("config", tcase);
}
