// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The examples of DOCA 3 run, and do what they say; deflate_file, of 2.2, does what compress_file
// does.

#include "example_run.h"
#include "run.h"

#include "cleanup.h"
#include "text_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef DOCAD_EXAMPLES_IN_CXX
START_TEST(coroutines_of_cxx)
{
    const struct daemon *here = _i ? nodes.host : nodes.dpu;
    RUN_OK(here, "rdma_coroutines", "200");
    ck_assert_str_eq(result.out, "1600 questions answered, 0 open, 0 coroutines left\n");
    ck_assert_int_eq(RUN(here, "rdma_coroutines", "0"), 1);
}
END_TEST
#endif

START_TEST(tasks_of_3)
{
    const struct daemon *here = _i ? nodes.host : nodes.dpu;
    RUN_OK(here, "dma_tasks", "1001");
    assert_names(result.out, "1001");
    RUN_OK(here, "dma_tasks", "1");
    ck_assert_int_eq(RUN(here, "dma_tasks", "0"), 1);
    RUN_OK(here, "dma_task", "a few words");
    ck_assert_str_eq(result.out, "copied: a few words\n");
}
END_TEST

#define SHELL(...) run_shell((const char *const[]){__VA_ARGS__, NULL})

// Runs a line of the shell, in pieces.
static void run_shell(const char *const pieces[])
{
    char line[4096] = "";
    for (; *pieces; pieces++)
        strcat(strcat(line, *pieces), " ");
    ck_assert_msg(system(line) == 0, "%s", line);
}

// Counter 2 is the first of the cipher text: openssl's command has the counter mode that AES-GCM
// is made of, but no tags.
static void decrypt_by_openssl(const struct path *key, const struct path *from,
                               const struct path *to)
{
    SHELL("tail -c +13", from->s, "| head -c -16 | openssl enc -d -aes-256-ctr",
          "-K $(od -An -v -tx1", key->s, "| tr -d ' \n')", //
          "-iv $(head -c 12", from->s, "| od -An -v -tx1 | tr -d ' \n')00000002 >", to->s);
}

START_TEST(an_encrypted_file)
{
    struct path file = _i ? make_file(1048576 + 4321) : temp_file("words", "a few words");
    struct path key = temp_path("key"), other = temp_path("other"), secret = temp_path("secret");
    struct path back = temp_path("back");

    SHELL("openssl rand -out", key.s, "32");
    SHELL("openssl rand -out", other.s, "32");
    RUN_OK(nodes.host, "encrypt_file", key.s, file.s, secret.s);
    decrypt_by_openssl(&key, &secret, &back);
    assert_same(file.s, back.s);
    unlink(back.s);
    RUN_OK(nodes.dpu, "encrypt_file", "-d", key.s, secret.s, back.s);
    assert_same(file.s, back.s);
    unlink(back.s);
    ck_assert_int_eq(RUN(nodes.dpu, "encrypt_file", "-d", other.s, secret.s, back.s), 1);
    assert_names(result.err, "the file was changed, or is not of this key");
    flip_byte(&secret, _i ? 1000000 : 13);
    ck_assert_int_eq(RUN(nodes.dpu, "encrypt_file", "-d", key.s, secret.s, back.s), 1);
    ck_assert_int_ne(access(back.s, F_OK), 0);
    ck_assert_int_eq(RUN(nodes.dpu, "encrypt_file", file.s, file.s, back.s), 1); // it is no key
    unlink(file.s);
    unlink(key.s);
    unlink(other.s);
    unlink(secret.s);
}
END_TEST

#ifdef DOCAD_HAVE_ISAL
// What we compress gzip reads, and the other way round, by jobs and by tasks.
START_TEST(a_compressed_file)
{
    const char *program = _i & 2 ? "deflate_file" : "compress_file";
    struct path file = _i & 1 ? make_file(1048576 + 4321) : temp_file("words", "a few words");
    struct path ours = temp_path("ours.gz"), theirs = temp_path("theirs.gz");
    struct path back = temp_path("back");

    RUN_OK(nodes.host, program, file.s, ours.s);
    SHELL("gzip -dc", ours.s, ">", back.s);
    assert_same(file.s, back.s);
    unlink(back.s);
    SHELL("gzip -nc", file.s, ">", theirs.s);
    RUN_OK(nodes.dpu, program, "-d", theirs.s, back.s);
    assert_same(file.s, back.s);
    unlink(back.s);
    ck_assert_int_eq(RUN(nodes.dpu, program, "-d", file.s, back.s), 1); // it is not gzip's
    flip_byte(&ours, 12);
    ck_assert_int_eq(RUN(nodes.dpu, program, "-d", ours.s, back.s), 1);
    ck_assert_int_ne(access(back.s, F_OK), 0);
    unlink(file.s);
    unlink(ours.s);
    unlink(theirs.s);
}
END_TEST

// Any four of twelve blocks can be lost.
START_TEST(a_file_of_which_blocks_are_lost)
{
    static const unsigned lost[][5] = {{0, 2, 5, 10}, {4, 5, 6, 7}, {8, 9, 10, 11}, {0, 1, 2, 3}};
    struct path file = _i ? make_file(1048576 + 4321) : temp_file("words", "a few words");
    struct path blocks = temp_path("blocks"), back = temp_path("back");
    char name[4 * sizeof(blocks.s)];

    for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
        RUN_OK(nodes.host, "spread_file", file.s, blocks.s);
        for (size_t n = 0; n < 4; n++) {
            snprintf(name, sizeof(name), "%s.%u", blocks.s, lost[i][n]);
            ck_assert_int_eq(unlink(name), 0);
        }
        RUN_OK(nodes.dpu, "spread_file", "-d", blocks.s, back.s);
        ck_assert_str_eq(result.out, "4 blocks were missing\n");
        assert_same(file.s, back.s);
        unlink(back.s);
    }
    snprintf(name, sizeof(name), "%s.%u", blocks.s, 8);
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_int_eq(RUN(nodes.dpu, "spread_file", "-d", blocks.s, back.s), 1);
    assert_names(result.err, "5 blocks");
    ck_assert_int_ne(access(back.s, F_OK), 0);
    snprintf(name, sizeof(name), "rm %s %s.*", file.s, blocks.s);
    SHELL(name);
}
END_TEST
#endif

START_TEST(a_file_to_the_dpu)
{
    struct path file = _i ? make_file(1048576 + 4321) : temp_file("few", "abc");
    struct path desc = temp_path("desc"), copy = temp_path("copy");
    char made[2][256];
    const char *const argv[] = {"file_to_dpu", file.s, desc.s, NULL};
    struct child *host = child_start(nodes.host, "host", become, (void *)argv);
    wait_for_log("exported ");
    RUN_OK(nodes.dpu, "file_from_host", desc.s, copy.s);
    child_join(host);
    ck_assert(log_has("the DPU has the file"));
    assert_same(file.s, copy.s);
    ck_assert_int_eq(RUN(nodes.dpu, "file_from_host", desc.s, copy.s), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "file_to_dpu must still run"));
    for (int i = 0; i < 2; i++) {
        snprintf(made[i], sizeof(made[i]), "%s%s", desc.s, i ? ".map" : ".event");
        unlink(made[i]);
    }
    unlink(copy.s);
    unlink(file.s);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1);
    Suite *suite = suite_create("examples_3");
    TCase *tcase = tcase_create("examples_3");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, tasks_of_3, 0, 2);
#ifdef DOCAD_EXAMPLES_IN_CXX
    tcase_add_loop_test(tcase, coroutines_of_cxx, 0, 2);
#endif
    tcase_add_loop_test(tcase, an_encrypted_file, 0, 2);
#ifdef DOCAD_HAVE_ISAL
    tcase_add_loop_test(tcase, a_compressed_file, 0, 4);
    tcase_add_loop_test(tcase, a_file_of_which_blocks_are_lost, 0, 2);
#endif
    tcase_add_loop_test(tcase, a_file_to_the_dpu, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
