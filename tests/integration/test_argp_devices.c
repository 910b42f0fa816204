// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Flags of DOCA 3.1 and later, whose values are devices, representors, and numbers with a fraction;
// and files with members that are unknown.

#include "child.h"
#include "env.h"
#include "nodes.h"
#include "run.h"

#include <doca_argp.h>
#include <doca_dev.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define HOST_PF0            "0b:00.0"
#define DPU_P0              "03:00.0"
#define TEXT                64

// What callbacks got.
static struct {
    struct doca_dev *devs[4];
    struct doca_dev_rep *reps[4];
    char arguments[4][TEXT];
    unsigned n_devs, n_reps, n_opens;
    double real;
    doca_error_t answer;
} got;

static void note(const struct doca_argp_device_ctx *ctx, unsigned i)
{
    ck_assert_uint_lt(i, 4);
    snprintf(got.arguments[i], TEXT, "%s", ctx->devargs ? ctx->devargs : "none");
}

static doca_error_t on_device(void *param, void *config)
{
    const struct doca_argp_device_ctx *ctx = param;
    ck_assert_ptr_eq(config, &got);
    note(ctx, got.n_devs);
    got.devs[got.n_devs++] = ctx->dev;
    return got.answer;
}

static doca_error_t on_rep(void *param, void *config)
{
    const struct doca_argp_device_rep_ctx *ctx = param;
    (void)config;
    note(&ctx->dev_ctx, got.n_reps);
    ck_assert_ptr_nonnull(ctx->dev_ctx.dev);
    got.devs[3] = ctx->dev_ctx.dev;
    got.reps[got.n_reps++] = ctx->dev_rep;
    return got.answer;
}

static doca_error_t on_real(void *param, void *config)
{
    (void)config;
    got.real = *(double *)param;
    return DOCA_SUCCESS;
}

static doca_error_t open_it(struct doca_devinfo *info, void *context, struct doca_dev **dev)
{
    ck_assert_ptr_eq(context, &got.n_opens);
    got.n_opens++;
    return doca_dev_open(info, dev);
}

static void flag(const char *name, const char *word, enum doca_argp_type type,
                 doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;
    OK(doca_argp_param_create(&param));
    doca_argp_param_set_short_name(param, name);
    if (word)
        doca_argp_param_set_long_name(param, word);
    doca_argp_param_set_description(param, "a flag");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    doca_argp_param_set_multiplicity(param);
    OK(doca_argp_register_param(param));
}

static bool own_open, lenient;

static doca_error_t start_words(const char **words)
{
    int n = 0;

    memset(&got, 0, offsetof(typeof(got), answer));
    OK(doca_argp_init("devices", &got));
    flag("a", NULL, DOCA_ARGP_TYPE_DEVICE, on_device);
    flag("d", "device", DOCA_ARGP_TYPE_DEVICE, on_device);
    flag("r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, on_rep);
    flag("f", "fraction", DOCA_ARGP_TYPE_DOUBLE, on_real);
    if (own_open)
        OK(doca_argp_register_dev_open_callback(open_it, &got.n_opens));
    if (lenient)
        OK(doca_argp_disable_pedantic_config_parsing());
    while (words[n])
        n++;
    doca_error_t r = doca_argp_start(n, (char **)(uintptr_t)words);
    OK(doca_argp_destroy());
    return r;
}

#define START(...) start_words((const char *[]){"devices", __VA_ARGS__, NULL})

static doca_error_t start_file(const char *text)
{
    struct path file = temp_file("flags.json", text);
    doca_error_t r = START("-j", file.s);
    unlink(file.s);
    return r;
}

// ---- on the host -------------------------------------------------------------------------------

static int takes_devices(struct child *self, void *arg)
{
    (void)self, (void)arg;
    OK(START("-a", "pci/" HOST_PF0 ",fast=1,x=2"));
    ck_assert_uint_eq(got.n_devs, 1);
    ck_assert_str_eq(got.arguments[0], "fast=1,x=2");
    OK(doca_dev_close(got.devs[0]));
    OK(START("-a", "0000:" HOST_PF0));
    ck_assert_str_eq(got.arguments[0], "none");
    OK(doca_dev_close(got.devs[0]));
    // Flags of one device share it.
    OK(START("-a", "pci/" HOST_PF0, "--device=pci/" HOST_PF0 ",y"));
    ck_assert_uint_eq(got.n_devs, 2);
    ck_assert_ptr_eq(got.devs[0], got.devs[1]);
    OK(doca_dev_close(got.devs[0]));
    // The program opens them itself.
    own_open = true;
    OK(START("-a", "pci/" HOST_PF0, "-a", "pci/" HOST_PF0));
    ck_assert_uint_eq(got.n_opens, 1);
    OK(doca_dev_close(got.devs[0]));
    own_open = false;
    OK(start_file("{\"doca_program_flags\": {\"device\": \"pci/" HOST_PF0 ",z\"}}"));
    ck_assert_str_eq(got.arguments[0], "z");
    OK(doca_dev_close(got.devs[0]));
    return 0;
}

START_TEST(devices)
{
    child_join(child_start(nodes.host, "host", takes_devices, NULL));
    assert_baseline(nodes.host);
}
END_TEST

static int refuses_devices(struct child *self, void *arg)
{
    static const char *const wrong[] = {"", "pci/", "pci/7f:00.0", "eth0", "aux/mlx5_core.sf.2",
                                        ","};
    (void)self, (void)arg;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        REFUSED(DOCA_ERROR_INVALID_VALUE, START("-a", "pci/" HOST_PF0, "-a", wrong[i]));
        ck_assert_uint_eq(got.n_devs, 0); // no callback runs before all are open
    }
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-r", "pci/" HOST_PF0));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("-r", "pci/" HOST_PF0 ",pf0vf0")); // of a host
    // A device that the program has got is the program's, also when it refuses it; others are
    // closed.
    got.answer = DOCA_ERROR_NOT_PERMITTED;
    REFUSED(DOCA_ERROR_NOT_PERMITTED, START("-a", "pci/" HOST_PF0, "-a", "pci/0b:00.1"));
    got.answer = DOCA_SUCCESS;
    ck_assert_uint_eq(got.n_devs, 1);
    OK(doca_dev_close(got.devs[0]));
    return 0;
}

START_TEST(what_is_no_device)
{
    child_join(child_start(nodes.host, "host", refuses_devices, NULL));
    assert_baseline(nodes.host);
}
END_TEST

// ---- on the DPU --------------------------------------------------------------------------------

static int takes_reps(struct child *self, void *arg)
{
    static const char *const names[] = {"pci/" DPU_P0 ",pf0vf1,fast=1",
                                        "pci/" DPU_P0 ",vf1,fast=1"};
    (void)self, (void)arg;

    for (size_t i = 0; i < 2; i++) {
        OK(START("-a", "pci/" DPU_P0, "-r", names[i]));
        ck_assert_uint_eq(got.n_reps, 1);
        ck_assert_ptr_eq(got.devs[3], got.devs[0]);
        ck_assert_str_eq(got.arguments[0], "fast=1");
        OK(doca_dev_rep_close(got.reps[0]));
        OK(doca_dev_close(got.devs[0]));
    }
    OK(START("-r", "pci/" DPU_P0 ",pf0"));
    ck_assert_str_eq(got.arguments[0], "none");
    OK(doca_dev_rep_close(got.reps[0]));
    OK(doca_dev_close(got.devs[3]));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-r", "pci/" DPU_P0 ",pf0vf99"));
    return 0;
}

START_TEST(representors)
{
    child_join(child_start(nodes.dpu, "dpu", takes_reps, NULL));
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- without docad -----------------------------------------------------------------------------

START_TEST(numbers_with_a_fraction)
{
    static const char *const wrong[] = {"", " 1", "1x", "nan", "inf", "1e999", "one"};

    OK(START("-f", "-2.5e3"));
    ck_assert_double_eq(got.real, -2500);
    OK(START("--fraction=7"));
    ck_assert_double_eq(got.real, 7);
    OK(start_file("{\"doca_program_flags\": {\"fraction\": 0.25}}"));
    ck_assert_double_eq(got.real, 0.25);
    OK(start_file("{\"doca_program_flags\": {\"fraction\": [1, 4]}}"));
    ck_assert_double_eq(got.real, 4);
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            start_file("{\"doca_program_flags\": {\"fraction\": \"1\"}}"));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        REFUSED(DOCA_ERROR_INVALID_VALUE, START("-f", wrong[i]));
}
END_TEST

#define UNKNOWN                                                                                    \
    "{\"doca_program_flags\": {\"new\": 1, \"fraction\": 3}, \"doca_general_flags\": {\"x\": 1}, " \
    "\"comment\": {}}"

START_TEST(members_that_are_unknown)
{
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, start_file(UNKNOWN));
    lenient = true;
    OK(start_file(UNKNOWN));
    ck_assert_double_eq(got.real, 3);
    REFUSED(DOCA_ERROR_IO_FAILED, start_file("{"));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("--new"));
    lenient = false;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("argp_devices");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, what_is_no_device);
    tcase_add_test(tcase, representors);
    tcase_add_test(tcase, numbers_with_a_fraction);
    tcase_add_test(tcase, members_that_are_unknown);
    return run_suite(suite);
}
