// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The texts of libdoca-client that users act on; those of docad and the programs are in
// test_messages.c, which says what is looked at.

#include "argp/argp_program.h"
#include "core/copies_over.h"
#include "log_capture.h"
#include "says.h"
#include "unit.h"

// ---- command lines of programs that use doca_argp ----------------------------------------

static const struct {
    const char *words[3]; // NULL ends them
    const char *says[SAYS_MAX];
} lines[] = {
    {{"-x"}, {"prog: ", "unknown flag \"-x\""}},
    {{"-alpha"}, {"is \"--alpha\" meant?"}},
    {{"--a"}, {"is \"-a\" meant?"}},
    {{"stray"}, {"\"stray\" belongs to no flag"}},
    {{"--yes=true"}, {"--yes takes no value"}},
    {{"-n", "five"}, {"--number", "\"five\"", "whole number"}},
    {{"--alpha"}, {"--alpha needs a value", "<value>"}},
    {{"--alpha", "-b"}, {"--alpha needs a value, and \"-b\" is a flag"}},
    {{"-y", "--yes"}, {"--yes is given twice"}},
    {{"-l", "35"}, {"20 (critical), 30 (error), 40 (warning), 50 (info) or 60 (debug)"}},
    {{"-j", "/nonexistent/file"},
     {"cannot open the file /nonexistent/file", "No such file or directory"}},
    {{"-j", "/tmp"}, {"cannot read the file /tmp", "Is a directory"}},
};

START_TEST(what_is_wrong_with_a_command_line)
{
    program_begin();
    flag("m", "must", on_b, MANDATORY);
    ck_assert_int_ne(START(lines[_i].words[0], lines[_i].words[1]), DOCA_SUCCESS);
    assert_says(log_lines(), lines[_i].says);
    doca_argp_destroy();
}
END_TEST

START_TEST(flags_that_are_missing)
{
    program_begin();
    flag("m", "must", on_b, MANDATORY);
    flag("o", NULL, on_n, MANDATORY);
    ck_assert_int_ne(START("-a", "x"), DOCA_SUCCESS);
    ASSERT_SAYS(log_lines(), "missing: --must, -o are mandatory");
    ck_assert_int_ne(START("-m", "x"), DOCA_SUCCESS);
    ASSERT_SAYS(log_lines(), "missing: -o is mandatory");
    doca_argp_destroy();
}
END_TEST

// ---- files with flags -----------------------------------------------------------------------

static const struct {
    const char *text;
    const char *says[SAYS_MAX];
} files[] = {
    {"{\n\"doca_program_flags\":\n{]}}", {"prog: ", "line 3: "}},
    {"{\"doca_progam_flags\": {}}", {"there is no \"doca_progam_flags\""}},
    {"{\"doca_program_flags\": []}", {"\"doca_program_flags\" must be an object"}},
    {"{\"doca_program_flags\": {\"a\": \"1\"}}", {"there is no flag \"a\""}},
    {"{\"doca_program_flags\": {\"alpha\": 1}}", {"\"alpha\" must be a string"}},
    {"{\"doca_program_flags\": {\"number\": \"1\"}}",
     {"\"number\" must be a whole number, not \"1\""}},
    {"{\"doca_general_flags\": {\"json\": \"x\"}}",
     {"\"json\" may only be given on the command line"}},
};

START_TEST(what_is_wrong_with_a_file)
{
    program_begin();
    ck_assert_int_ne(START_FILE(files[_i].text), DOCA_SUCCESS);
    assert_says(log_lines(), files[_i].says);
    doca_argp_destroy();
}
END_TEST

// ---- environment ------------------------------------------------------------------------------

START_TEST(a_size_that_is_not_valid)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(setenv("DOCAD_COPIES_OVER", "16MB", 1), 0);
    copies_over(4096);
    ASSERT_SAYS(log_text(s.err), "DOCAD_COPIES_OVER=\"16MB\" is not a valid size",
                "write for instance 16M, or never");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("library_messages");
    tcase_add_loop_test(tcase, what_is_wrong_with_a_command_line, 0,
                        (int)(sizeof(lines) / sizeof(lines[0])));
    tcase_add_test(tcase, flags_that_are_missing);
    tcase_add_loop_test(tcase, what_is_wrong_with_a_file, 0,
                        (int)(sizeof(files) / sizeof(files[0])));
    tcase_add_test(tcase, a_size_that_is_not_valid);
    return unit_run_case("library_messages", tcase);
}
