// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The language of faults: what it says, and what it says of what is wrong.

#include "fault_spec.h"

#include "cleanup.h"
#include "text_names.h"
#include "unit.h"

#include <doca_error.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct fault_spec spec;
static struct fault_error error;

static const char *const functions[] = {"doca_buf_inventory_create", "doca_dma_create",
                                        "doca_mmap_create",          "doca_mmap_export_pci",
                                        "doca_pe_progress",          "doca_pe_create"};
static const bool can_fail[] = {true, true, true, true, false, true};
static const struct fault_hint hints[] = {{"doca_log", "takes any number of arguments"}};
static const char *const tasks[] = {"dma.job", "dma.memcpy", "sha.hash"};
static const struct fault_names names = {functions, tasks, ARRAY_SIZE(functions), ARRAY_SIZE(tasks),
                                         can_fail,  hints, ARRAY_SIZE(hints)};

static const struct fault_rule *read_all(const char *text, size_t count)
{
    bool fine = fault_spec_read(text, &names, &spec, &error);
    ck_assert_msg(fine, "%u:%u: %s", error.line, error.column, error.text);
    ck_assert_uint_eq(spec.count, count);
    return spec.rules;
}

static void assert_wrong(const char *text, unsigned line, unsigned column, const char *name)
{
    ck_assert_msg(!fault_spec_read(text, &names, &spec, &error), "%s: is taken", text);
    ck_assert_msg(error.line == line && error.column == column, "%s: %u:%u: %s", text, error.line,
                  error.column, error.text);
    ck_assert_msg(text_names(error.text, name), "%s: %s is not named in: %s", text, name,
                  error.text);
}

START_TEST(function_fails)
{
    const struct fault_rule *rule = read_all("doca_mmap_export_pci: NO_MEMORY, every 3rd", 1);
    ck_assert_int_eq(rule->kind, FAULT_FUNCTION);
    ck_assert_str_eq(rule->target, "doca_mmap_export_pci");
    ck_assert(!rule->any);
    ck_assert_int_eq(rule->error, DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(rule->every, 3);
    ck_assert_uint_eq(rule->chance, FAULT_CHANCE_FULL);
    ck_assert_uint_eq(rule->delay_ns + rule->after + rule->nth + rule->times, 0);
}
END_TEST

START_TEST(task_fails_by_chance)
{
    const struct fault_rule *rule = read_all("dma.memcpy: DOCA_ERROR_IO_FAILED, 1 %, seed 7", 1);
    ck_assert_int_eq(rule->kind, FAULT_TASK);
    ck_assert_str_eq(rule->target, "dma.memcpy");
    ck_assert_int_eq(rule->error, DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(rule->chance, FAULT_CHANCE_FULL / 100);
    ck_assert_uint_eq(rule->seed, 7);
}
END_TEST

START_TEST(chances)
{
    static const struct {
        const char *text;
        uint32_t chance;
    } all[] = {{"100%", 1000000}, {"0.5 %", 5000},   {"12.25%", 122500},
               {"0.0001%", 1},    {"99.9%", 999000}, {"1.%", 10000}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        char text[64];
        snprintf(text, sizeof(text), "dma.memcpy: AGAIN, %s", all[i].text);
        ck_assert_uint_eq(read_all(text, 1)->chance, all[i].chance);
    }
}
END_TEST

START_TEST(delays)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } all[] = {{"200us", 200000}, {"5 ms", 5000000}, {"1s", 1000000000}, {"7ns", 7}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        char text[64];
        snprintf(text, sizeof(text), "doca_dma_create: delay %s", all[i].text);
        ck_assert_uint_eq(read_all(text, 1)->delay_ns, all[i].ns);
        ck_assert_int_eq(spec.rules[0].error, 0);
    }
}
END_TEST

START_TEST(conditions)
{
    const struct fault_rule *rule = read_all("sha.hash: AGAIN, after 10, 4th, 5 times", 1);
    ck_assert_uint_eq(rule->after, 10);
    ck_assert_uint_eq(rule->nth, 4);
    ck_assert_uint_eq(rule->times, 5);
    ck_assert_uint_eq(read_all("sha.hash: AGAIN, once", 1)->times, 1);
    ck_assert_uint_eq(read_all("sha.hash: AGAIN, every 2", 1)->every, 2);
    ck_assert_uint_eq(read_all("sha.hash: AGAIN, 1st", 1)->nth, 1);
    ck_assert_uint_eq(read_all("sha.hash: AGAIN, 22nd", 1)->nth, 22);
}
END_TEST

START_TEST(several_rules)
{
    const struct fault_rule *rules = read_all("# all of it\n"
                                              "dma.memcpy: AGAIN ; doca_buf_*: delay 1us # why\n"
                                              ";;\n"
                                              "\t dma.* : EMPTY\r\n"
                                              "*: NO_MEMORY",
                                              4);
    ck_assert_uint_eq(rules[0].line, 2);
    ck_assert_uint_eq(rules[1].line, 2);
    ck_assert(rules[1].any);
    ck_assert_str_eq(rules[1].target, "doca_buf_");
    ck_assert_uint_eq(rules[2].line, 4);
    ck_assert_int_eq(rules[2].kind, FAULT_TASK);
    ck_assert_str_eq(rules[3].target, "");
    ck_assert_int_eq(rules[3].kind, FAULT_FUNCTION);
}
END_TEST

// Every error that a program may see, by the value that its header has.
START_TEST(all_errors)
{
    for (int code = DOCA_ERROR_UNKNOWN; code <= DOCA_ERROR_IN_PROGRESS; code++) {
        const char *name = fault_error_name(code);
        char whole[64], text[96];
        snprintf(whole, sizeof(whole), "DOCA_ERROR_%s", name);
        ck_assert_str_eq(whole, doca_get_error_name((doca_error_t)code));
        snprintf(text, sizeof(text), "doca_dma_create: %s", name);
        ck_assert_int_eq(read_all(text, 1)->error, code);
    }
    ck_assert_ptr_null(fault_error_name(0));
    ck_assert_ptr_null(fault_error_name(-1));
    ck_assert_ptr_null(fault_error_name(31));
    ck_assert_str_eq(fault_error_name(30), "SKIPPED");
}
END_TEST

START_TEST(fitting_errors)
{
    ck_assert_int_eq(read_all("*: ANY, 5th", 1)->error, FAULT_ANY);
    ck_assert_int_eq(fault_fitting_error("doca_mmap_create"), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(fault_fitting_error("doca_task_submit"), DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(fault_fitting_error("dma.memcpy"), DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(fault_fitting_error("doca_ctx_start"), DOCA_ERROR_DRIVER);
}
END_TEST

START_TEST(task_takes_its_context_down)
{
    const struct fault_rule *rule = read_all("dma.memcpy: IO_FAILED, fatal, 3rd", 1);
    ck_assert(rule->fatal);
    ck_assert_int_eq(rule->error, DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(rule->nth, 3);
    ck_assert(!read_all("dma.memcpy: IO_FAILED", 1)->fatal);
    assert_wrong("doca_dma_create: AGAIN, fatal", 1, 25, "dma.memcpy");
    assert_wrong("dma.memcpy: delay 1ns, fatal", 1, 1, "fatal");
    assert_wrong("dma.job: IO_FAILED, fatal", 1, 21, "DOCA 3");
    assert_wrong("dma.memcpy: IO_FAILED, fatl", 1, 24, "fatal");
}
END_TEST

START_TEST(stalls)
{
    static const struct {
        const char *text;
        int number;
    } all[] = {{"signal", SIGUSR2}, {"SIGUSR2", SIGUSR2}, {"USR1", SIGUSR1}, {"SIGHUP", SIGHUP}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        char text[64];
        snprintf(text, sizeof(text), "dma.memcpy: stall until %s, 2nd", all[i].text);
        ck_assert_int_eq(read_all(text, 1)->signal, all[i].number);
        ck_assert_uint_eq(spec.rules[0].nth, 2);
    }
    ck_assert_str_eq(fault_signal_name(SIGUSR1), "SIGUSR1");
    ck_assert_ptr_null(fault_signal_name(SIGKILL));
    assert_wrong("doca_dma_create: stall", 1, 18, "SIGUSR2");
    assert_wrong("doca_dma_create: stall until SIGKILL", 1, 18, "SIGUSR2");
    assert_wrong("doca_dma_create: stall for 2 s", 1, 18, "SIGUSR2");
    assert_wrong("doca_dma_create: stall until signal, stall until signal", 1, 38, "already");
}
END_TEST

// What follows the 100th message is written as "after 100".
START_TEST(connections_break)
{
    static const struct {
        const char *text;
        enum fault_kind kind;
        uint64_t nth;
    } all[] = {{"comch: drop peer after 100 messages", FAULT_COMCH, 100},
               {"comch: drop", FAULT_COMCH, 1},
               {"comm_channel: drop connection after 1 message", FAULT_COMM_CHANNEL, 1},
               {"rdma: drop peer, after 7", FAULT_RDMA, 7},
               {"rdma: after 8 operations, drop", FAULT_RDMA, 8}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        const struct fault_rule *rule = read_all(all[i].text, 1);
        ck_assert_int_eq(rule->kind, all[i].kind);
        ck_assert_int_eq(rule->action, FAULT_DROP);
        ck_assert_uint_eq(rule->nth, all[i].nth);
        ck_assert_uint_eq(rule->after, 0);
        ck_assert_uint_eq(rule->times, 1);
        ck_assert_str_eq(rule->text, all[i].text);
    }
}
END_TEST

// The 10th is the first that "after 10" lets through, unless an ordinal counts from there.
START_TEST(actions_follow_what_is_counted)
{
    const struct fault_rule *rule = read_all("comch: drop peer, every 10th, after 5, 2 times", 1);
    ck_assert_uint_eq(rule->nth, 0);
    ck_assert_uint_eq(rule->after, 5);
    ck_assert_uint_eq(rule->times, 2);
    rule = read_all("export: revoke after 10 imports, 2 times", 1);
    ck_assert_uint_eq(rule->after, 9);
    ck_assert_uint_eq(rule->nth, 0);
    ck_assert_uint_eq(read_all("rdma: drop after 10, 5 %", 1)->after, 9);
    ck_assert_uint_eq(read_all("rdma: drop, 5 %", 1)->after, 0);
    ck_assert_uint_eq(read_all("rdma: drop after 1, 2 times", 1)->after, 0);
    rule = read_all("link: down for 1 s after 10, 3rd", 1);
    ck_assert_uint_eq(rule->after, 10);
    ck_assert_uint_eq(rule->nth, 3);
    ck_assert_uint_eq(read_all("import: AGAIN, after 10, 2 times", 1)->after, 10);
}
END_TEST

START_TEST(memory_and_links)
{
    const struct fault_rule *rule = read_all("export: revoke after 10 imports", 1);
    ck_assert_int_eq(rule->kind, FAULT_EXPORT);
    ck_assert_int_eq(rule->action, FAULT_REVOKE);
    ck_assert_uint_eq(rule->nth, 10);
    ck_assert_int_eq(read_all("export: revoke, NOT_PERMITTED", 1)->error, DOCA_ERROR_NOT_PERMITTED);
    rule = read_all("import: NO_MEMORY, 3rd", 1);
    ck_assert_int_eq(rule->kind, FAULT_IMPORT);
    ck_assert_int_eq(rule->action, FAULT_FAILS);
    ck_assert_int_eq(rule->error, DOCA_ERROR_NO_MEMORY);
    rule = read_all("link: down for 2 s after 20 messages", 1);
    ck_assert_int_eq(rule->kind, FAULT_LINK);
    ck_assert_uint_eq(rule->down_ns, 2000000000);
    ck_assert_uint_eq(rule->nth, 20);
    ck_assert_uint_eq(read_all("link: down for 5ms", 1)->nth, 1);
    ck_assert_uint_eq(read_all("link: down, 3rd", 1)->down_ns, 0);
    ck_assert_ptr_null(fault_spec_find(&spec, false));
    ck_assert_ptr_eq(fault_spec_find(&spec, true), spec.rules);
    read_all("link: down; comch: drop; dma.memcpy: AGAIN", 3);
    ck_assert_ptr_eq(fault_spec_find(&spec, false), &spec.rules[1]);
}
END_TEST

// Each names the entry, and what it could be.
START_TEST(wrong_kinds)
{
    assert_wrong("comch: NO_MEMORY", 1, 1, "drop peer after 100 messages");
    assert_wrong("comch: drop, NO_MEMORY", 1, 1, "error");
    assert_wrong("comch: revoke", 1, 8, "drop peer after 100 messages");
    assert_wrong("comch: delay 1s", 1, 8, "drop peer after 100 messages");
    assert_wrong("comch: drop peer after 10 imports", 1, 8, "messages");
    assert_wrong("comch: drop peer now", 1, 8, "drop peer after 100 messages");
    assert_wrong("comch: drop, drop", 1, 14, "already");
    assert_wrong("comch: drop after 5, after 6", 1, 22, "already");
    assert_wrong("comch: drop after 0", 1, 8, "0");
    assert_wrong("comch: drop, after 0, after 5", 1, 14, "0");
    assert_wrong("comm_channel: 3rd", 1, 1, "drop");
    assert_wrong("rdma: drop after 10 messages", 1, 7, "operations");
    assert_wrong("export: NO_MEMORY, revoke", 1, 1, "IO_FAILED");
    assert_wrong("export: IO_FAILED", 1, 1, "revoke after 10 imports");
    assert_wrong("import: 3rd", 1, 1, "import: NOT_PERMITTED");
    assert_wrong("link: 2 s", 1, 7, "2 s");
    assert_wrong("link: down for ever", 1, 7, "link: down for 2 s");
    assert_wrong("link: down for 0 s", 1, 7, "link: down for 2 s");
    assert_wrong("link: stall until signal", 1, 7, "link: down for 2 s");
    assert_wrong("doca_dma_create: drop", 1, 18, "connections");
    assert_wrong("doca_dma_create: AGAIN, after 3 messages", 1, 25, "number");
    assert_wrong("dma.memcpy: IO_FAILED, dwon", 1, 24, "down");
    assert_wrong("comhc: drop", 1, 1, "comch");
    assert_wrong("exports: revoke", 1, 1, "export");
}
END_TEST

START_TEST(names_are_suggested)
{
    assert_wrong("doca_mmap_exprt_pci: AGAIN", 1, 1, "doca_mmap_export_pci");
    assert_wrong("doca_dma_create: AGAIN;\n  dma.memcopy: AGAIN", 2, 3, "dma.memcpy");
    assert_wrong("doca_dma_create: NO_MEMROY", 1, 18, "NO_MEMORY");
    assert_wrong("doca_dma_create: DOCA_ERROR_AGIAN", 1, 18, "AGAIN");
    assert_wrong("doca_dma_create: AGAIN, evry 3rd", 1, 25, "every");
    assert_wrong("doca_dma_create: AGAIN, onec", 1, 25, "once");
    assert_wrong("doca_rdma_*: AGAIN", 1, 1, "doca_rdma_");
    assert_wrong("aes.*: AGAIN", 1, 1, "aes");
}
END_TEST

// Rules that would never do anything.
START_TEST(functions_without_an_error)
{
    assert_wrong("doca_pe_progress: NO_MEMORY", 1, 1, "returns no error");
    assert_wrong("doca_pe_progress: NO_MEMORY, delay 1us", 1, 1, "returns no error");
    assert_wrong("doca_pe_pro*: ANY", 1, 1, "doca_pe_pro*");
    assert_wrong("doca_log: AGAIN", 1, 1, "any number of arguments");
    (void)read_all("doca_pe_progress: delay 1us; doca_pe_*: AGAIN; *: ANY, 1st", 3);
}
END_TEST

START_TEST(wrong_rules)
{
    assert_wrong("", 1, 1, "rule");
    assert_wrong(" # nothing\n", 1, 1, "rule");
    assert_wrong("doca_dma_create", 1, 1, "function");
    assert_wrong("\n\n : AGAIN", 3, 2, "function");
    assert_wrong("doca_*_create: AGAIN", 1, 6, "*");
    assert_wrong("doca-dma: AGAIN", 1, 5, "-");
    assert_wrong("doca_dma_create:", 1, 17, "missing");
    assert_wrong("doca_dma_create: AGAIN,", 1, 24, "missing");
    assert_wrong("doca_dma_create: , AGAIN", 1, 18, "missing");
    assert_wrong("doca_dma_create: every 3rd", 1, 1, "error");
    assert_wrong("doca_dma_create: AGAIN, EMPTY", 1, 25, "EMPTY");
    assert_wrong("doca_dma_create: SUCCESS", 1, 18, "SUCCESS");
    assert_wrong("doca_dma_create: AGAIN, seed 3", 1, 1, "seed");
    assert_wrong("doca_dma_create: AGAIN, 1 %, 2 %", 1, 30, "2 %");
    assert_wrong("doca_dma_create: AGAIN, 3", 1, 25, "3");
    assert_wrong("doca_dma_create: AGAIN, 0th", 1, 25, "0th");
    assert_wrong("doca_dma_create: AGAIN, every 0", 1, 25, "0");
    assert_wrong("doca_dma_create: AGAIN, every 2nd, every 3rd", 1, 36, "every 3rd");
    assert_wrong("doca_dma_create: AGAIN, 0 %", 1, 25, "0 %");
    assert_wrong("doca_dma_create: AGAIN, 100.0001 %", 1, 25, "100 %");
    assert_wrong("doca_dma_create: AGAIN, 101 %", 1, 25, "101 %");
    assert_wrong("doca_dma_create: AGAIN, 1x %", 1, 25, "1x %");
    assert_wrong("doca_dma_create: delay 5", 1, 18, "us");
    assert_wrong("doca_dma_create: delay 3601s", 1, 18, "hour");
    assert_wrong("doca_dma_create: delay", 1, 18, "us");
    assert_wrong("doca_dma_create: AGAIN, after", 1, 25, "number");
    assert_wrong("doca_dma_create: AGAIN, after 0", 1, 25, "0");
    assert_wrong("doca_dma_create: AGAIN, after 99999999999999999999", 1, 25, "number");
    assert_wrong("doca_dma_create: AGAIN, 99999999999999999999 times", 1, 25, "times");
}
END_TEST

START_TEST(names_may_be_unknown)
{
    ck_assert(fault_spec_read("doca_of_tomorrow: AGAIN", NULL, &spec, &error));
    ck_assert_str_eq(spec.rules[0].target, "doca_of_tomorrow");
}
END_TEST

START_TEST(limits)
{
    char text[FAULT_RULES_MAX * 32 + 64] = "", name[2 * FAULT_TARGET_MAX + 16];
    for (int i = 0; i < FAULT_RULES_MAX; i++)
        strcat(text, "doca_dma_create: AGAIN\n");
    read_all(text, FAULT_RULES_MAX);
    strcat(text, "doca_dma_create: AGAIN\n");
    assert_wrong(text, FAULT_RULES_MAX + 1, 1, "64");
    memset(name, 'x', sizeof(name));
    strcpy(name + FAULT_TARGET_MAX, ": AGAIN");
    assert_wrong(name, 1, 1, "longer");
    strcpy(name + FAULT_TARGET_MAX - 1, ": AGAIN");
    ck_assert(fault_spec_read(name, NULL, &spec, &error));
    // A word of any length can be reported.
    memset(name, 'y', sizeof(name));
    memcpy(name, "dma.memcpy: ", 12);
    name[sizeof(name) - 1] = '\0';
    assert_wrong(name, 1, 13, "error");
}
END_TEST

UNIT_MAIN("fault_spec", function_fails, task_fails_by_chance, chances, delays, conditions,
          several_rules, all_errors, fitting_errors, task_takes_its_context_down, stalls,
          connections_break, actions_follow_what_is_counted, memory_and_links, wrong_kinds,
          names_are_suggested, functions_without_an_error, wrong_rules, names_may_be_unknown,
          limits)
