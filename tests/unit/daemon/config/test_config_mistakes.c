// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Each mistake of a configuration is reported once, with its line and what was perhaps meant, and
// nothing that follows from another mistake.

#include "loaded.h"

#include "config_check.h"
#include "text_names.h"

static struct config config;
static char errors[16384];

struct mistakes {
    const char *text;
    struct {
        int line; // 0: no more
        const char *says[2];
    } found[10];
};

static const struct mistakes cases[] = {
    // All kinds together, the first one at the top.
    {"rolle = dpu\n"
     "name = \"\"\n"
     "peer \"a\" {\n adress = x\n socket = y\n}\n"
     "engine {\n thraeds = 2\n spin_us = soon\n}\n"
     "role host\n"
     "limits {\n sessions_per_uid = many\n nonsense = 3\n}\n"
     "role = switch\n",
     {{1, {"rolle", "did you mean role?"}},
      {2, {"name", NULL}},
      {4, {"adress", "did you mean address?"}},
      {8, {"thraeds", "did you mean threads?"}},
      {9, {"spin_us", NULL}},
      {11, {"role", "equal sign"}},
      {13, {"sessions_per_uid", NULL}},
      {14, {"nonsense", "possible here"}},
      {16, {"switch", NULL}}}},
    // Several in one line.
    {"engine { thraeds = 2 spinn_us = 3 threads = no }\n",
     {{1, {"thraeds", NULL}}, {1, {"spinn_us", NULL}}, {1, {"threads", NULL}}}},
    {"role = host rolle = dpu rolle = x nmae = y\n", {{1, {"rolle", NULL}}, {1, {"nmae", NULL}}}},
    // A list, and a section that does not exist, with what is in it.
    {"peer_uid = {\n 1,\n 2\n}\npolicies \"x\" {\n users = { nouser }\n}\nnames = ascci\n",
     {{1, {"peer_uid", "peer_uids"}},
      {5, {"policies", NULL}},
      {8, {"ascci", "did you mean ascii?"}}}},
    // An option of another section.
    {"threads = 2\npolicy \"p\" {\n role = dpu\n}\n",
     {{1, {"threads", "belongs in section engine"}},
      {3, {"role", "belongs outside of all sections"}}}},
    // What seems to be missing was mistyped.
    {"function \"a\" {\n tpye = pf\n pci = 0b:00.0\n}\npeer \"b\" {\n sokcet = /x\n}\n",
     {{2, {"tpye", "did you mean type?"}}, {6, {"sokcet", "did you mean socket?"}}}},
    {"tls {\n certificat = a\n key = b\n authority = c\n}\npeer \"b\" {\n address = \"h:1\"\n}\n",
     {{2, {"certificat", "did you mean certificate?"}}}},
    {"functoin \"a\" { type = pf pci = 0b:00.0 }\nfunction \"s\" { type = sf port = 0 }\n",
     {{1, {"functoin", "did you mean function?"}}}},
    // Nor does a mistake hide what is wrong with the whole.
    {"rolle = dpu\nfunction \"a\" { type = pf pci = 0b:00.0 }\n"
     "function \"b\" { type = pf port = 1 pci = 0b:00.0 }\n",
     {{1, {"rolle", NULL}}, {3, {"0b:00.0", NULL}}}},
    // Words and users.
    {"policy \"p\" {\n export = { dpuu }\n users = { rooot }\n groups = { no-such-group-here "
     "}\n}\n",
     {{2, {"dpuu", "did you mean dpu?"}},
      {3, {"rooot", "did you mean root?"}},
      {4, {"no-such-group-here", NULL}}}},
    // Titles.
    {"peer {\n socket = a\n}\npeer \"a\" { socket = x }\npeer \"a\" { sokcet = y }\nnmae = x\n",
     {{1, {"peer", "title"}}, {5, {"'a'", NULL}}, {6, {"nmae", "did you mean name?"}}}},
    // Two peers at one place.
    {"peer \"a\" { socket = x }\n\npeer \"b\" {\n socket = x\n}\n", {{5, {"same socket", NULL}}}},
    {"peer \"a\" {\n address = \"h:1\"\n}\n", {{3, {"no certificate", NULL}}}},
    // None of these have anything in common.
    {"peer \"a\" {\n sokcet = /x\n}\npeer \"b\" {\n sokcet = /y\n}\n",
     {{2, {"sokcet", NULL}}, {5, {"sokcet", NULL}}}},
    {"function \"a\" { type = pf pci = 0b:00.0 }\n"
     "function \"b\" { type = pf pci = 0b:00.1\n prot = 1 }\n",
     {{3, {"prot", "did you mean port?"}}}},
    {"function \"a\" { backing = verbs\n ibdve = rxe0 }\n"
     "function \"b\" { backing = verbs\n ibdve = rxe1 }\n",
     {{2, {"ibdve", NULL}}, {4, {"ibdve", NULL}}}},
    // The statement before the wrong one stays, though it begins with the same word.
    {"limits {\n sessions_per_uid = 3x\n sessions_per_uid 4\n}\nb = 1\n",
     {{2, {"3x", NULL}}, {3, {"equal sign", NULL}}, {5, {"'b' (possible", NULL}}}},
    {"tls {\n certificate = a\n}\n", {{2, {"no key and no authority", NULL}}}},
    {"tls {\n key = a\n certificate = b\n}\n", {{3, {"no authority", NULL}}}},
    // A word alone, noticed in the next line, and at the end.
    {"role\nname = x\nnmae = y\n", {{2, {"role", NULL}}, {3, {"nmae", NULL}}}},
};

START_TEST(each_is_reported_once)
{
    const struct mistakes *m = &cases[_i];
    char *save, *line;
    size_t n = 0;

    ck_assert_msg(!load_text(&config, m->text, errors, sizeof(errors)), "accepted: %s", m->text);
    char *copy = strdup(errors);
    for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save), n++) {
        ck_assert_msg(n < 10 && m->found[n].line, "one more: %s\nof\n%s", line, errors);
        char at[16];
        snprintf(at, sizeof(at), ":%d:", m->found[n].line);
        ck_assert_msg(strstr(line, at) != NULL, "not %s %s\nof\n%s", at, line, errors);
        for (int i = 0; i < 2 && m->found[n].says[i]; i++)
            ck_assert_msg(strstr(line, m->found[n].says[i]) != NULL, "no %s: %s",
                          m->found[n].says[i], line);
    }
    ck_assert_msg(n == 10 || !m->found[n].line, "only %zu of\n%s", n, errors);
    free(copy);
}
END_TEST

// More than passes: the last ones are not read, and it ends.
START_TEST(very_many)
{
    char text[16384] = "";
    size_t n = 0, lines = 0;
    for (int i = 0; i < 500; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "wrong%d = 1\n", i);
    ck_assert(!load_text(&config, text, errors, sizeof(errors)));
    for (const char *p = errors; (p = strchr(p, '\n')); p++)
        lines++;
    ck_assert_uint_ge(lines, 8);
    assert_names(errors, "wrong0");
}
END_TEST

// ---- functions that a policy names --------------------------------------------------------------

static void note(void *arg, int line, const char *text)
{
    size_t used = strlen(errors);
    ck_assert_ptr_eq(arg, &config);
    snprintf(errors + used, sizeof(errors) - used, "%d: %s\n", line, text);
}

static unsigned check_policy(const char *rules)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "function \"pf0\" { type = pf pci = 0b:00.0 }\n"
             "function \"pf0vf0\" { type = vf port = 0 pci = 0b:00.2 }\n%s",
             rules);
    ck_assert_msg(load_text(&config, text, errors, sizeof(errors)), "%s", errors);
    return config_check_policy(&config, note, &config);
}

START_TEST(functions_that_do_not_exist)
{
    ck_assert_uint_eq(check_policy(""), 0);
    ck_assert_uint_eq(check_policy("policy \"a\" {\n open = { pf0, \"pf0vf*\", \"*\" }\n}\n"
                                   "policy \"b\" { open = {} }\npolicy \"c\" { users = { 1 } }\n"),
                      0);
    ck_assert_uint_eq(check_policy("policy \"a\" {\n users = { 1 }\n open = { pf00, pf0 }\n}\n"
                                   "policy \"b\" {\n open = { \"no_such_function*\" }\n}\n"),
                      2);
    ck_assert_msg(strstr(errors, "5: policy \"a\": open = \"pf00\": ") == errors, "%s", errors);
    ck_assert_ptr_nonnull(strstr(errors, "did you mean pf0?"));
    ck_assert_ptr_nonnull(strstr(errors, "\n8: policy \"b\": open = \"no_such_function*\": "));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("config_mistakes");
    tcase_add_loop_test(tcase, each_is_reported_once, 0, ARRAY_SIZE(cases));
    tcase_add_test(tcase, very_many);
    tcase_add_test(tcase, functions_that_do_not_exist);
    return unit_run_case("config_mistakes", tcase);
}
