// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card.h"
#include "card_time.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct card card;
static char why[CARD_WHY_SIZE];

static bool parse(const char *text, const char *release)
{
    card_init(&card);
    why[0] = '\0';
    return card_parse(text, release, &card, why);
}

static bool names(const char *word)
{
    return strstr(why, word) != NULL;
}

START_TEST(software_has_all_and_no_limits)
{
    card_init(&card);
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++) {
        ck_assert_ptr_nonnull(card_key_infos[key].key);
        ck_assert_uint_eq(card.values[key], card_software_value((enum card_key)key));
        ck_assert_int_eq(card_key_find(card_key_infos[key].key, strlen(card_key_infos[key].key)),
                         key);
    }
    ck_assert(card_has(&card, CARD_DMA));
    ck_assert(!card_has(&card, CARD_OVER_LIMIT));
    ck_assert_uint_eq(card_most(&card, CARD_DMA_LIST, 64), 64);
}
END_TEST

START_TEST(lines_set_values)
{
    ck_assert(parse("# a comment\n\n  dma.max_buf_size = 2M   # its source\nsha=no\n"
                    "dma.max_num_tasks\t=\t4096\nec.max_block_size = unlimited",
                    ""));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 2u << 20);
    ck_assert(!card_has(&card, CARD_SHA));
    ck_assert_uint_eq(card.values[CARD_DMA_TASKS], 4096);
    ck_assert_uint_eq(card.values[CARD_EC_BLOCK_SIZE], CARD_UNLIMITED);
    ck_assert(card_has(&card, CARD_GCM)); // as in software
}
END_TEST

START_TEST(times_have_a_limit)
{
    ck_assert(parse("dma.local.latency_ns = 1000000000000\ndma.local.rate = 1\n", ""));
    struct card_work work = {.model = CARD_DMA_LOCAL_TASK_NS, .bytes = UINT64_MAX};
    struct card_times times = card_times(&card, &work);
    ck_assert_uint_eq(times.engine_ns, CARD_NS_MAX);
    ck_assert_uint_eq(times.latency_ns, CARD_NS_MAX);
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++) // as another docad might send them
        card.values[key] = UINT64_MAX;
    times = card_times(&card, &work);
    ck_assert_uint_eq(times.queue_ns, CARD_NS_MAX);
    ck_assert_uint_eq(times.engine_ns, CARD_NS_MAX);
    ck_assert_uint_eq(times.latency_ns, CARD_NS_MAX);
    work = (struct card_work){
        .model = CARD_EC_MODEL, .bytes = UINT64_MAX, .n_data = 128, .n_rdnc = 32};
    ck_assert_uint_eq(card_times(&card, &work).engine_ns, CARD_NS_MAX);
    ck_assert(!parse("dma.local.latency_ns = 1000000000001\n", ""));
    ck_assert(names("1000 seconds"));
    ck_assert(!parse("dma.local.latency_ns = 18446744073709551614\n", ""));
    ck_assert(parse("dma.local.rate = 18446744073709551614\nreorder = 18446744073709551614\n", ""));
}
END_TEST

START_TEST(releases_differ)
{
    static const char text[] = "sha = no\n[2.2]\ndma.max_buf_size = 128M\n[2.9]\n"
                               "dma.max_buf_size = 2M\nec = no\n";
    ck_assert(parse(text, "2.2"));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 128u << 20);
    ck_assert(card_has(&card, CARD_EC));
    ck_assert(!card_has(&card, CARD_SHA));
    ck_assert(parse(text, ""));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 2u << 20);
    ck_assert(!card_has(&card, CARD_EC));
    ck_assert(!parse(text, "2.5"));
    ck_assert(names("2.5") && names("2.2 or 2.9"));
    ck_assert(!parse("sha = no\n", "2.2"));
}
END_TEST

START_TEST(wrong_lines_are_named)
{
    static const struct {
        const char *text, *named;
    } wrong[] = {
        {"dma\n", "line 1"},
        {"\nsha = perhaps\n", "line 2"},
        {"dma.max_buf_sice = 2M\n", "did you mean dma.max_buf_size?"},
        {"dma.max_buf_size = 1023K\n", "1M"},
        {"dma.max_buf_size = -1\n", "-1"},
        {"comch.max_recv_queue_size = 0\n", "write no"},
        {"ec.block_size_multiple = 0\n", "less than 1"},
        {"ec.block_size_multiple = unlimited\n", "not a number"},
        {"dma.max_num_tasks = yes\n", "not a number"},
        {"dma.max_num_tasks = 99999999999999999999\n", "not a number"},
        {"[2.2]\nsha = perhaps\n[2.9]\nsha = no\n",
         "line 2"}, // of a release that was not asked for
        {"= 3\n", "key"},
        {"[]\n", "line 1"},
        {"reorder = 0\n", "begin at 1"},
        {"sha = no\ndma = yes\nsha = no\n", "line 3: sha"},
        {"sha = no\n[2.2]\nsha = yes\nsha = no\n", "line 4: sha"},
        {"[2.2]\nsha = no\n[2.9]\nsha = no\n[2.2]\n", "line 5: [2.2]"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(!parse(wrong[i].text, ""), "%s", wrong[i].text);
        ck_assert_msg(names(wrong[i].named), "%s: %s", wrong[i].text, why);
    }
}
END_TEST

START_TEST(long_lines_and_odd_texts_are_refused_or_read)
{
    char text[4096];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert(!parse(text, ""));
    memcpy(text, "[r", 2);
    ck_assert(!parse(text, ""));
    memcpy(text, "# ", 2);
    ck_assert(parse(text, ""));
    ck_assert(parse("", ""));
    ck_assert(parse("\r\n sha = no\r\n", ""));
    ck_assert(!card_has(&card, CARD_SHA));
}
END_TEST

START_TEST(built_in_profiles_are_right)
{
    for (const struct card_built_in *b = cards_built_in; b->name; b++)
        ck_assert_msg(card_find(b->name, &card, why), "%s: %s", b->name, why);
    ck_assert(card_find("bluefield-2/2.2", &card, why));
    ck_assert_str_eq(card.name, "bluefield-2/2.2");
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 128u << 20);
    ck_assert(card_find("bluefield-2", &card, why));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 2u << 20);
    ck_assert(card_find("software", &card, why));
    ck_assert(card_has(&card, CARD_SHA));
}
END_TEST

START_TEST(unknown_names_are_explained)
{
    card_init(&card);
    ck_assert(!card_find("bluefeild-3", &card, why));
    ck_assert_msg(names("did you mean bluefield-3?"), "%s", why);
    ck_assert_msg(
        names("software, bluefield-2, bluefield-3, bluefield-4, connectx-6dx, connectx-7 or "
              "connectx-8"),
        "%s", why);
    ck_assert(!card_find("connectx-7/9.9", &card, why));
    ck_assert(names("9.9") && names("write its name without"));
    ck_assert(!card_find("bluefield-2/2.20", &card, why));
    ck_assert_msg(names("did you mean 2.2?") && names("2.2, 2.5, 2.9 or 3.2"), "%s", why);
    ck_assert(!card_find("/", &card, why));
    ck_assert_msg(names("Is a directory"), "%s", why);
    ck_assert(!card_find("", &card, why));
    ck_assert(!card_find("../../etc/passwd", &card, why));
    ck_assert(!card_find("/no/such/file", &card, why));
    ck_assert(!card_find("/dev/zero", &card, why));
    char longest[200];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    ck_assert(!card_find(longest, &card, why));
    ck_assert_str_eq(card.name, "software"); // nothing was changed
}
END_TEST

START_TEST(values_stand_behind_a_name)
{
    char with[CARD_SPEC_SIZE];

    ck_assert_msg(card_find("bluefield-3,reorder=7, sha = yes", &card, why), "%s", why);
    ck_assert_uint_eq(card.values[CARD_REORDER], 7);
    ck_assert(card_has(&card, CARD_SHA));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 2u << 20);
    ck_assert_str_eq(card.name, "bluefield-3,reorder=7, sha = yes");
    ck_assert(card_find("bluefield-2/2.2,reorder=7", &card, why));
    ck_assert_uint_eq(card.values[CARD_DMA_BUF_SIZE], 128u << 20);
    ck_assert(card_find("software,reorder=18446744073709551614", &card, why));
    ck_assert_uint_eq(card.values[CARD_REORDER], UINT64_MAX - 1);
    ck_assert(card_find("software,reorder=no", &card, why));
    ck_assert_uint_eq(card.values[CARD_REORDER], 0);
    ck_assert(!card_find("bluefield-3,reorder=x", &card, why));
    ck_assert_msg(names("reorder = x"), "%s", why);
    ck_assert(!card_find("bluefield-3,reordr=7", &card, why));
    ck_assert_msg(names("did you mean reorder?"), "%s", why);
    ck_assert(!card_find("bluefield-3,", &card, why));
    ck_assert_msg(names("comma"), "%s", why);
    ck_assert(!card_find("bluefield-3, ,sha=yes", &card, why));
    ck_assert_msg(names("comma"), "%s", why);
    ck_assert(!card_find("bluefield-3,reorder=0", &card, why));
    ck_assert_msg(names("begin at 1"), "%s", why);
    ck_assert(!card_find("bluefield-3,7", &card, why));
    ck_assert(!card_find("bluefeild-3,reorder=7", &card, why));
    ck_assert_msg(names("did you mean bluefield-3?"), "%s", why);
    ck_assert(card_add_value(NULL, CARD_REORDER, "7", with, why));
    ck_assert_str_eq(with, "software,reorder=7");
    ck_assert(card_add_value("bluefield-3,sha=yes", CARD_REORDER, "7", with, why));
    ck_assert_str_eq(with, "bluefield-3,sha=yes,reorder=7");
    char longest[CARD_SPEC_SIZE];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    ck_assert(!card_add_value(longest, CARD_REORDER, "7", with, why));
    ck_assert(!card_fit_release(longest, "2.2", with, why) || strcmp(with, longest) == 0);
}
END_TEST

START_TEST(the_release_of_a_program_is_found)
{
    static const struct {
        const char *name, *release, *fitting;
    } cases[] = {
        {"bluefield-3", "3.1.0105", "bluefield-3/3.1"},
        {"bluefield-3", "3.0", "bluefield-3/2.9"},
        {"bluefield-3", "2.10.0087", "bluefield-3/2.9"},
        {"bluefield-3", "2.9.2005", "bluefield-3/2.9"},
        {"bluefield-3", "2.8.0082", "bluefield-3/2.7"},
        {"bluefield-3", "2.6", "bluefield-3/2.2"},
        {"bluefield-2", "2.7", "bluefield-2/2.5"},
        {"bluefield-3", "3.4", "bluefield-3/3.2"},
        {"bluefield-3", "1.5", "bluefield-3/2.2"}, // the first that there is
        {"bluefield-3", "", "bluefield-3"},
        {"bluefield-3/3.2", "2.2", "bluefield-3/3.2"},
        {"bluefield-2,reorder=7", "2.2", "bluefield-2/2.2,reorder=7"},
        {"bluefield-2,reorder=7", "", "bluefield-2,reorder=7"},
        {"software,reorder=7", "2.2", "software,reorder=7"},
        {"connectx-7", "2.2", "connectx-7"},
        {"/a/path", "2.2", "/a/path"},
    };
    char fitting[CARD_SPEC_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert(card_fit_release(cases[i].name, cases[i].release, fitting, why));
        ck_assert_str_eq(fitting, cases[i].fitting);
    }
}
END_TEST

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(users_have_files)
{
    char dir[] = "/tmp/docad-cards-XXXXXX", path[128];
    struct choice known = {.n = 0};

    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", dir, 1), 0);
    snprintf(path, sizeof(path), "%s/docad", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/docad/cards", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/docad/cards/mine.conf", dir);
    write_file(path, "sha = no\n");
    ck_assert_msg(card_find("mine", &card, why), "%s", why);
    ck_assert(!card_has(&card, CARD_SHA));
    ck_assert_msg(card_find(path, &card, why), "%s", why); // by its path
    char longer[256];                                      // the same file
    snprintf(longer, sizeof(longer), "%s/.//////////////////////////////./docad/cards/mine.conf",
             dir);
    ck_assert_uint_gt(strlen(longer), CARD_NAME_SIZE);
    ck_assert_msg(card_find(longer, &card, why), "%s", why);
    ck_assert_uint_eq(strlen(card.name), CARD_NAME_SIZE - 1);
    snprintf(longer, sizeof(longer), "%s/docad/cards/mine.conf,reorder=7", dir);
    ck_assert_msg(card_find(longer, &card, why), "%s", why);
    ck_assert_uint_eq(card.values[CARD_REORDER], 7);
    snprintf(longer, sizeof(longer), "%s/docad/cards/a,b", dir); // a path may have commas
    ck_assert_int_eq(rename(path, longer), 0);
    ck_assert_msg(card_find(longer, &card, why), "%s", why);
    ck_assert_int_eq(rename(longer, path), 0);
    card_names(&known);
    ck_assert_str_eq(known.words[known.n - 1], "mine");
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "\0ec = no\n", 9), 9); // what follows is not ignored
    ck_assert_int_eq(close(fd), 0);
    ck_assert(!card_find(path, &card, why));
    write_file(path, "sha = maybe\n");
    ck_assert(!card_find("mine", &card, why));
    ck_assert(names("line 1"));
    ck_assert_int_eq(unlink(path), 0);
    snprintf(path, sizeof(path), "%s/docad/cards", dir);
    ck_assert_int_eq(rmdir(path), 0);
    snprintf(path, sizeof(path), "%s/docad", dir);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(values_are_printed_as_they_are_read)
{
    char text[24];
    card_print_value(CARD_SHA, 0, text);
    ck_assert_str_eq(text, "no");
    card_print_value(CARD_DMA_BUF_SIZE, 2u << 20, text);
    ck_assert_str_eq(text, "2097152");
    card_print_value(CARD_DMA_BUF_SIZE, CARD_UNLIMITED, text);
    ck_assert_str_eq(text, "unlimited");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        software_has_all_and_no_limits,
        lines_set_values,
        times_have_a_limit,
        releases_differ,
        wrong_lines_are_named,
        long_lines_and_odd_texts_are_refused_or_read,
        built_in_profiles_are_right,
        unknown_names_are_explained,
        values_stand_behind_a_name,
        the_release_of_a_program_is_found,
        users_have_files,
        values_are_printed_as_they_are_read,
    };
    return unit_run("card", tests, sizeof(tests) / sizeof(tests[0]));
}
