// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "config_cards.h"
#include "node_id.h"
#include "packet.h"
#include "topology.h"

#include <string.h>
#include <unistd.h>

static void make(const char *role, const char *name, const char *socket, uint8_t id[NODE_ID_SIZE])
{
    ck_assert(node_id_make(role, name, socket, id));
}

START_TEST(same_again)
{
    uint8_t a[NODE_ID_SIZE], b[NODE_ID_SIZE];
    make("host", "n", "/tmp/x.sock", a);
    make("host", "n", "/tmp/x.sock", b);
    ck_assert_mem_eq(a, b, NODE_ID_SIZE);
}
END_TEST

START_TEST(all_of_it_counts)
{
    static const char *const ways[][3] = {{"host", "n", "/tmp/x.sock"},
                                          {"dpu", "n", "/tmp/x.sock"},
                                          {"host", "m", "/tmp/x.sock"},
                                          {"host", "n", "/tmp/y.sock"},
                                          {"host", "n", "/x.sock"}};
    uint8_t ids[5][NODE_ID_SIZE];
    for (int i = 0; i < 5; i++) {
        make(ways[i][0], ways[i][1], ways[i][2], ids[i]);
        for (int j = 0; j < i; j++)
            ck_assert_mem_ne(ids[i], ids[j], NODE_ID_SIZE);
    }
}
END_TEST

// One socket is one node, however its path is written.
START_TEST(relative_path)
{
    uint8_t a[NODE_ID_SIZE], b[NODE_ID_SIZE], c[NODE_ID_SIZE];
    ck_assert_int_eq(chdir("/tmp"), 0);
    make("host", "n", "/tmp/x.sock", a);
    make("host", "n", "x.sock", b);
    make("host", "n", "/tmp/../tmp/./x.sock", c);
    ck_assert_mem_eq(a, b, NODE_ID_SIZE);
    ck_assert_mem_eq(a, c, NODE_ID_SIZE);
}
END_TEST

START_TEST(text)
{
    const uint8_t id[NODE_ID_SIZE] = {0x00, 0x01, 0xab, 0xff};
    char out[NODE_ID_TEXT_SIZE];
    node_id_format(id, out);
    ck_assert_str_eq(out, "0001abff000000000000000000000000");
}
END_TEST

// ---- what follows from it ------------------------------------------------------------

static struct function functions[FUNCTIONS_MAX];

static size_t build(enum role role, const char *name)
{
    static const uint8_t id[NODE_ID_SIZE] = {1, 2, 3, 4};
    struct function_setting settings[FUNCTIONS_MAX];
    size_t n = topology_default(role, settings);
    topology_complete(settings, n, role, name, id, functions);
    return n;
}

START_TEST(host_functions)
{
    ck_assert_uint_eq(build(ROLE_HOST, "host"), 5);
    const struct function *f = &functions[2];
    ck_assert_str_eq(f->name, "pf0vf1");
    ck_assert_str_eq(f->pci, "0000:0b:00.3");
    ck_assert_int_eq(f->type, DOCAD__FUNCTION_TYPE__VF);
    ck_assert_uint_eq(f->id, 3);
    ck_assert_str_eq(f->vuid, "HOSTS0D0F2");
    ck_assert_str_eq(f->iface, "pf0vf1");
    ck_assert_str_eq(f->ibdev, "docad_2");
    ck_assert_mem_eq(f->mac, ((uint8_t[]){2, 1, 2, 3, 4, 2}), 6);
    ck_assert_mem_eq(f->ipv4, ((uint8_t[]){192, 168, 100, 3}), 4);
    ck_assert_mem_eq(f->ipv6,
                     ((uint8_t[]){0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0xff, 0xfe, 3, 4, 2}), 16);
    ck_assert(f->can_export_dpu && !f->can_import_dpu && f->can_dma && !f->can_list_reps);
}
END_TEST

START_TEST(dpu_functions)
{
    ck_assert_uint_eq(build(ROLE_DPU, "bf"), 4);
    ck_assert_str_eq(functions[1].name, "p1");
    ck_assert_uint_eq(functions[1].port, 1);
    ck_assert(functions[1].can_import_dpu && functions[1].can_list_reps);
    ck_assert(!functions[1].can_export_dpu && functions[1].can_dma);
    ck_assert_str_eq(functions[3].pci, "0000:03:00.1");
    ck_assert(!functions[3].can_import_dpu && !functions[3].can_list_reps);
    ck_assert_uint_eq(functions[0].ipv4[2], 101);
    ck_assert_str_eq(functions[0].vuid, "BFS0D0F0");
}
END_TEST

START_TEST(settings_win)
{
    static const uint8_t id[NODE_ID_SIZE];
    struct function_setting s = {.function = {.type = DOCAD__FUNCTION_TYPE__PF,
                                              .name = "x",
                                              .pci = "0000:01:00.0",
                                              .vuid = "V",
                                              .iface = "eth0"},
                                 .ipv4 = SETTING_NO,
                                 .can_dma = SETTING_NO,
                                 .can_import_dpu = SETTING_YES};
    topology_complete(&s, 1, ROLE_HOST, "h", id, functions);
    ck_assert_str_eq(functions[0].vuid, "V");
    ck_assert_str_eq(functions[0].iface, "eth0");
    ck_assert(!functions[0].has_ipv4 && functions[0].has_ipv6);
    ck_assert(!functions[0].can_dma && functions[0].can_import_dpu && functions[0].can_export_dpu);
}
END_TEST

// A function that one node sends is read unchanged by another.
START_TEST(function_over_the_wire)
{
    struct function_messages messages;
    struct function back[FUNCTIONS_MAX];
    size_t n = build(ROLE_DPU, "bf");
    functions_to_messages(functions, n, true, &messages);
    ck_assert_int_eq(functions_from_messages(messages.list, n, back, NULL), DOCA_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(back[i].name, functions[i].name);
        ck_assert_str_eq(back[i].vuid, functions[i].vuid);
        ck_assert_mem_eq(back[i].ipv6, functions[i].ipv6, 16);
        ck_assert_uint_eq(back[i].can_import_dpu, functions[i].can_import_dpu);
    }
}
END_TEST

START_TEST(function_that_makes_no_sense)
{
    char bell[] = "a\ab", empty[] = "", address[] = "0b:00";
    struct function f;
    struct errtext err;
    Docad__Function good, bad;
    build(ROLE_HOST, "h");
    function_to_message(&functions[0], &good);
    ck_assert_int_eq(function_from_message(&good, &f, &err), DOCA_SUCCESS);
#define ASSERT_BAD(assignment)                                                                     \
    bad = good;                                                                                    \
    bad.assignment;                                                                                \
    ck_assert_msg(function_from_message(&bad, &f, &err) == DOCA_ERROR_INVALID_VALUE, #assignment)
    ASSERT_BAD(id = 0);
    ASSERT_BAD(name = bell);
    ASSERT_BAD(name = empty);
    ASSERT_BAD(vuid = empty);
    ASSERT_BAD(pci_address = address);
    ASSERT_BAD(type = (Docad__FunctionType)7);
    ASSERT_BAD(port = 64);
    ASSERT_BAD(mac.len = 5);
    ASSERT_BAD(ipv4.len = 3);
    ASSERT_BAD(ipv6.len = 17);
    Docad__Function *twice[] = {&good, &good};
    struct function all[FUNCTIONS_MAX];
    ck_assert_int_eq(functions_from_messages(twice, 2, all, &err), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

// Cards of the longest names, each of which differs from software in everything.
static void fill_cards(struct config *config)
{
    config->n_cards = CONFIG_CARDS_MAX;
    for (size_t i = 0; i < CONFIG_CARDS_MAX; i++) {
        memset(config->cards[i].name, 'c', sizeof(config->cards[i].name) - 1);
        for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++)
            config->cards[i].values[key] = card_is_flag((enum card_key)key)
                                               ? !card_software_value((enum card_key)key)
                                               : UINT64_MAX - 1;
    }
}

// The longest list there can be fits one message.
START_TEST(most_functions)
{
    static struct verbs_gid gids[VERBS_GIDS_MAX];
    static struct function_messages messages;
    static struct config config;
    static struct card_messages cards;
    Docad__FunctionListReply reply = DOCAD__FUNCTION_LIST_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    for (unsigned i = 0; i < VERBS_GIDS_MAX; i++)
        gids[i] = (struct verbs_gid){.index = 1000 + i, .type = VERBS_GID_ROCE_V2};
    for (unsigned i = 0; i < FUNCTIONS_MAX; i++) {
        struct function *f = &functions[i];
        *f = (struct function){.id = i + 1,
                               .type = DOCAD__FUNCTION_TYPE__SF,
                               .backing = DOCAD__BACKING__VERBS,
                               .port = FUNCTION_PORT_MAX,
                               .has_ipv4 = true,
                               .has_ipv6 = true,
                               .can_export_dpu = true,
                               .can_import_dpu = true,
                               .can_dma = true,
                               .can_list_reps = true};
        strcpy(f->pci, "0000:0b:00.0");
        memset(f->name, 'n', sizeof(f->name) - 1);
        memset(f->vuid, 'v', sizeof(f->vuid) - 1);
        memset(f->iface, 'i', sizeof(f->iface) - 1);
        memset(f->ibdev, 'd', sizeof(f->ibdev) - 1);
        memset(f->card, 'c', sizeof(f->card) - 1);
        f->verbs = (struct function_verbs){.port = UINT8_MAX,
                                           .active = true,
                                           .ethernet = true,
                                           .atomics = true,
                                           .lid = UINT16_MAX,
                                           .mtu = 5,
                                           .max_message = UINT32_MAX,
                                           .max_queue = UINT32_MAX,
                                           .max_list = UINT32_MAX,
                                           .gid_table = UINT32_MAX,
                                           .gids = gids,
                                           .n_gids = VERBS_GIDS_MAX,
                                           .timeout = 31,
                                           .retries = 7,
                                           .rnr_retries = 7,
                                           .rnr_timer = 31,
                                           .address_size = VERBS_GID_SIZE};
    }
    reply.n_functions = functions_to_messages(functions, FUNCTIONS_MAX, true, &messages);
    reply.functions = messages.list;
    fill_cards(&config);
    reply.n_cards = cards_to_messages(&config, &cards);
    reply.cards = cards.list;
    ck_assert_uint_eq(cards.list[0]->n_keys, CARD_KEYS_END - 1);
    ck_assert_uint_eq(reply.n_functions, FUNCTIONS_MAX);
    ck_assert_uint_eq(messages.list[63]->verbs->n_gids, FUNCTION_GIDS_MAX / FUNCTIONS_MAX);
    message.serial = UINT64_MAX;
    message.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY;
    message.function_list_reply = &reply;
    ck_assert_uint_le(docad__message__get_packed_size(&message), PACKET_SIZE_MAX);
}
END_TEST

UNIT_MAIN("node_id", same_again, all_of_it_counts, relative_path, text, host_functions,
          dpu_functions, settings_win, function_over_the_wire, function_that_makes_no_sense,
          most_functions)
