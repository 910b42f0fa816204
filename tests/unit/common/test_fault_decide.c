// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which calls get a fault, by rule and count.

#include "fault_decide.h"

#include "unit.h"

#include <doca_error.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct fault_spec spec;
static struct fault_counts counts;
static struct fault fault;

static void read_rules(const char *text)
{
    struct fault_error error;
    ck_assert_msg(fault_spec_read(text, NULL, &spec, &error), "%u:%u: %s", error.line, error.column,
                  error.text);
    memset(&counts, 0, sizeof(counts));
}

static bool call(const char *function)
{
    return fault_decide(&spec, fault_rules_of(&spec, FAULT_FUNCTION, function), &counts, &fault);
}

// The numbers of the first calls that get a fault, as text.
static const char *numbers(const char *rules, unsigned calls)
{
    static char text[1024];
    size_t used = 0;
    read_rules(rules);
    text[0] = '\0';
    for (unsigned i = 1; i <= calls; i++)
        if (call("f") && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%u ", i);
    return text;
}

START_TEST(counted_calls)
{
    ck_assert_str_eq(numbers("f: AGAIN", 4), "1 2 3 4 ");
    ck_assert_str_eq(numbers("f: AGAIN, 3rd", 8), "3 ");
    ck_assert_str_eq(numbers("f: AGAIN, every 3rd", 10), "3 6 9 ");
    ck_assert_str_eq(numbers("f: AGAIN, after 5", 8), "6 7 8 ");
    ck_assert_str_eq(numbers("f: AGAIN, after 5, every 2nd", 10), "7 9 ");
    ck_assert_str_eq(numbers("f: AGAIN, after 2, 2nd", 10), "4 ");
    ck_assert_str_eq(numbers("f: AGAIN, 2 times", 5), "1 2 ");
    ck_assert_str_eq(numbers("f: AGAIN, every 2nd, once", 8), "2 ");
    ck_assert_str_eq(numbers("g: AGAIN", 4), "");
}
END_TEST

// Drops, and the like, come after what was counted.
START_TEST(actions)
{
    static const struct {
        const char *rules, *numbers;
    } all[] = {{"comch: drop peer after 3 messages", "3 "},
               {"comch: drop", "1 "},
               {"comch: drop, every 4th", "4 8 "},
               {"comch: drop after 4, 2 times", "4 5 "},
               {"comch: drop after 4, 100 %, 3 times", "4 5 6 "},
               {"comch: drop, every 2nd, after 4, once", "6 "}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char text[64] = "";
        size_t used = 0;
        read_rules(all[i].rules);
        uint64_t rules = fault_rules_of(&spec, FAULT_COMCH, "comch");
        ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "comch"), 0);
        for (unsigned n = 1; n <= 9; n++)
            if (fault_decide(&spec, rules, &counts, &fault))
                used += (size_t)snprintf(text + used, sizeof(text) - used, "%u ", n);
        ck_assert_str_eq(text, all[i].numbers);
    }
}
END_TEST

START_TEST(what_else_a_fault_does)
{
    read_rules("f: stall until SIGUSR1; f: AGAIN, 2nd; f: EMPTY; g: delay 5ns");
    ck_assert(call("f"));
    ck_assert_int_eq(fault.signal, SIGUSR1);
    ck_assert_int_eq(fault.error, DOCA_ERROR_EMPTY);
    ck_assert_uint_eq(fault.rule, 2);
    ck_assert(call("f"));
    ck_assert_int_eq(fault.error, DOCA_ERROR_AGAIN);
    ck_assert(call("g"));
    ck_assert_int_eq(fault.signal, 0);
    ck_assert_uint_eq(fault.delay_ns, 5);
    read_rules("dma.memcpy: IO_FAILED, fatal, 2nd");
    uint64_t rules = fault_rules_of(&spec, FAULT_TASK, "dma.memcpy");
    ck_assert(!fault_decide(&spec, rules, &counts, &fault) && !fault.fatal);
    ck_assert(fault_decide(&spec, rules, &counts, &fault) && fault.fatal);
}
END_TEST

START_TEST(names)
{
    read_rules("doca_buf_*: AGAIN; doca_dma_create: EMPTY; doca_dma.x: FULL; *: delay 1ns");
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "doca_buf_get_data"), 9);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "doca_buf"), 8);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "doca_dma_create"), 10);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "doca_dma_create2"), 8);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_FUNCTION, "doca_dma.x"), 8);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_TASK, "doca_dma.x"), 4);
    ck_assert_uint_eq(fault_rules_of(&spec, FAULT_TASK, "doca_buf_x"), 0);
}
END_TEST

// A rule for many functions counts the calls of all of them.
START_TEST(calls_of_several_functions)
{
    read_rules("f*: AGAIN, 3rd");
    ck_assert(!call("fa"));
    ck_assert(!call("fb"));
    ck_assert(!call("g"));
    ck_assert(call("fc"));
    ck_assert_uint_eq(fault.call, 3);
}
END_TEST

START_TEST(first_error_decides_and_delays_add_up)
{
    read_rules("f: delay 1us; f: AGAIN, every 2nd, delay 2us; f: EMPTY, delay 4us; f: FULL, once");
    ck_assert(call("f"));
    ck_assert_int_eq(fault.error, DOCA_ERROR_EMPTY);
    ck_assert_uint_eq(fault.delay_ns, 5000);
    ck_assert_uint_eq(fault.rule, 2);
    ck_assert(call("f"));
    ck_assert_int_eq(fault.error, DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(fault.delay_ns, 7000);
    ck_assert_uint_eq(fault.rule, 1);
    // A rule that was not needed has not used up its times.
    ck_assert_uint_eq(atomic_load(&counts.injected[3]), 0);
    ck_assert_uint_eq(atomic_load(&counts.matched[3]), 2);
}
END_TEST

START_TEST(chance_is_the_same_for_a_seed)
{
    char first[1024];
    strcpy(first, numbers("f: AGAIN, 10 %, seed 7", 300));
    ck_assert_str_ne(first, "");
    ck_assert_str_eq(first, numbers("f: AGAIN, 10 %, seed 7", 300));
    ck_assert_str_ne(first, numbers("f: AGAIN, 10 %, seed 8", 300));
    // The default is a seed, too.
    strcpy(first, numbers("f: AGAIN, 10 %", 300));
    ck_assert_str_eq(first, numbers("f: AGAIN, 10 %, seed 1", 300));
}
END_TEST

// For these seeds; another function of chance may need other bounds.
START_TEST(chance_is_about_what_it_says)
{
    static const unsigned percent[] = {1, 10, 50, 99};
    for (size_t i = 0; i < sizeof(percent) / sizeof(percent[0]); i++) {
        char rules[64];
        snprintf(rules, sizeof(rules), "f: AGAIN, %u %%, seed %zu", percent[i], i);
        read_rules(rules);
        unsigned n = 0;
        for (unsigned k = 0; k < 100000; k++)
            n += call("f");
        ck_assert_uint_gt(n, percent[i] * 1000 * 9 / 10);
        ck_assert_uint_lt(n, percent[i] * 1000 * 11 / 10);
    }
    ck_assert_uint_eq(strlen(numbers("f: AGAIN, 100 %", 9)), 18);
}
END_TEST

UNIT_MAIN("fault_decide", counted_calls, actions, what_else_a_fault_does, names,
          calls_of_several_functions, first_error_decides_and_delays_add_up,
          chance_is_the_same_for_a_seed, chance_is_about_what_it_says)
