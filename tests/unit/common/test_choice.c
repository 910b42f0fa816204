// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "choice.h"
#include "unit.h"

#include <stdio.h>

static struct choice words(void)
{
    static const char *const all[] = {"dma_bw", "dma_lat", "write_bw", "buf", "event", "dma_bw"};
    struct choice choice = {.n = 0};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        choice_add(&choice, all[i], strlen(all[i]));
    return choice;
}

START_TEST(each_word_stands_once)
{
    struct choice choice = words();
    char text[80] = "";
    ck_assert_uint_eq(choice.n, 5);
    choice_list(&choice, text, sizeof(text));
    ck_assert_str_eq(text, "dma_bw, dma_lat, write_bw, buf or event");
}
END_TEST

START_TEST(a_word_may_be_cut_short)
{
    struct choice choice = words();
    choice_add(&choice, "dma", 3);
    ck_assert_uint_eq(choice_matches(&choice, "w").n, 1);
    ck_assert_uint_eq(choice_matches(&choice, "dma_").n, 2);
    ck_assert_uint_eq(choice_matches(&choice, "dma").n, 1);
    ck_assert_uint_eq(choice_matches(&choice, "x").n, 0);
}
END_TEST

START_TEST(a_word_may_be_mistyped)
{
    static const struct {
        const char *word, *says;
    } rows[] = {
        {"dma-bw", "none; did you mean dma_bw?"},         // another letter
        {"wirte_bw", "none; did you mean write_bw?"},     // two that are swapped
        {"evnt", "none; did you mean event?"},            // one that is missing
        {"buff", "none; did you mean buf?"},              // one too many
        {"dma", "none; did you mean dma_bw or dma_lat?"}, // cut short
        {"bug", "none; did you mean buf?"},
        {"foo", "none"}, // of top, two letters of three
        {"xx", "none"},  // all of it would have to change
        {"", "none"},
        {"something_else", "none"},
        {"a_word_that_is_longer_than_all", "none"},
    };
    struct choice choice = words();
    choice_add(&choice, "up", 2);
    choice_add(&choice, "top", 3);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[80] = "none";
        choice_suggest(&choice, rows[i].word, text, sizeof(text));
        ck_assert_str_eq(text, rows[i].says);
    }
}
END_TEST

START_TEST(what_has_no_place_is_left_out)
{
    struct choice choice = {.n = 0};
    char word[CHOICE_WORD_MAX + 2], small[12] = "none";

    memset(word, 'x', sizeof(word));
    choice_add(&choice, word, CHOICE_WORD_MAX);
    ck_assert_uint_eq(choice.n, 0);
    for (int i = 0; i < CHOICE_MAX + 1; i++) {
        snprintf(word, sizeof(word), "word%d", i);
        choice_add(&choice, word, strlen(word));
    }
    ck_assert_uint_eq(choice.n, CHOICE_MAX);
    choice_suggest(&choice, "word", small, sizeof(small));
    ck_assert_str_eq(small, "none; did y");
}
END_TEST

UNIT_MAIN("choice", each_word_stands_once, a_word_may_be_cut_short, a_word_may_be_mistyped,
          what_has_no_place_is_left_out)
