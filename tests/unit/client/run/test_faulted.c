// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which rules of --faults docad-run leaves to docad, and in which words.

#include "faulted.h"

#include "fault_spec.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Frees them, too.
static void assert_rules(const char *rules, const char *expected)
{
    ck_assert_str_eq(rules, expected);
    free((char *)rules);
}

START_TEST(rules_of_nodes)
{
    const char *nodes, *text = "export: revoke; dma.memcpy: AGAIN # some\n link: down, 3rd\n";
    ck_assert_ptr_eq(faulted_read(text, &nodes), text);
    assert_rules(faulted_of_nodes(text), nodes);
    assert_rules(faulted_without_links(nodes), "export: revoke");
    assert_rules(nodes, "export: revoke\nlink: down, 3rd");
    ck_assert_ptr_null(faulted_without_links("link: down"));
    ck_assert_ptr_null(faulted_read("link: down", &nodes));
    assert_rules(nodes, "link: down");
    ck_assert_ptr_eq(faulted_read("comch: drop", &nodes), "comch: drop");
    ck_assert_ptr_null(nodes);
}
END_TEST

// However far its words are apart, and however many digits its numbers have.
START_TEST(long_rules_arrive_whole)
{
    char text[512];
    const char *nodes;
    snprintf(text, sizeof(text), "import:%80s,\t \t5 %%, %20s %060d", "NO_MEMORY", "seed", 123456);
    ck_assert_ptr_null(faulted_read(text, &nodes));
    snprintf(text, sizeof(text), "import: NO_MEMORY, 5 %%, seed %060d", 123456);
    assert_rules(nodes, text);
    snprintf(text, sizeof(text), "import: NO_MEMORY, after %0130d, seed 7, 1 %%", 5);
    ck_assert_ptr_null(faulted_read(text, &nodes));
    assert_rules(faulted_without_links(nodes), text);
    assert_rules(nodes, text);
}
END_TEST

UNIT_MAIN("faulted", rules_of_nodes, long_rules_arrive_whole)
