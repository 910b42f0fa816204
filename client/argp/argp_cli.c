// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command line.

#include "argp.h"

#include <stdlib.h>
#include <string.h>

// A parsed word: the flag that it names, and the value behind "=" if there is one.
struct word {
    const char *text;
    struct doca_argp_param *param;
    char *value;
};

static doca_error_t unknown(const char *text, struct errtext *err)
{
    size_t dashes = text[1] == '-' ? 2 : 1;
    size_t length = strcspn(text + dashes, "=");
    const char *hint = argp.dpdk ? "; arguments for DPDK stand before \"--\"" : "";

    // One dash too many or too few is the most common mistake.
    const struct doca_argp_param *meant =
        dashes == 1 ? flag_by_long(text + 1, length) : flag_by_short(text + 2, length);
    if (meant)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "unknown flag \"%s\": is \"%s%.*s\" meant?", text,
                           dashes == 1 ? "--" : "-", (int)length, text + dashes);
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "unknown flag \"%s\": --help lists all%s",
                       text, hint);
}

static doca_error_t word_read(char *text, struct word *out, struct errtext *err)
{
    *out = (struct word){.text = text, .param = flag_by_word(text)};
    if (out->param)
        return DOCA_SUCCESS;
    if (text[0] != '-' || !text[1])
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "\"%s\" belongs to no flag%s: a value must follow its flag directly",
                           text, list_empty(&argp.current->cmds) ? "" : ", and is not a command");

    char *equals = strchr(text, '=');
    size_t dashes = text[1] == '-' ? 2 : 1;
    if (equals && (size_t)(equals - text) > dashes) {
        size_t length = equals - text - dashes;
        out->param = dashes == 2 ? flag_by_long(text + 2, length) : flag_by_short(text + 1, length);
        out->value = equals + 1;
    }
    return out->param ? DOCA_SUCCESS : unknown(text, err);
}

// Finds the value of a flag that takes one: behind "=", or the next word.
static doca_error_t word_value(struct word *word, char **argv, int argc, int *at,
                               struct errtext *err)
{
    const char *placeholder = word->param->arguments ? word->param->arguments : "<value>";

    if (word->value)
        return DOCA_SUCCESS;
    if (*at + 1 >= argc)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s needs a value: %s %s", word->text,
                           word->text, placeholder);
    char *next = argv[*at + 1];
    if (flag_by_word(next))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s needs a value, and \"%s\" is a flag: give %s %s, or %s=%s if that "
                           "is the value",
                           word->text, next, word->text, placeholder, word->text, next);
    word->value = next;
    ++*at;
    return DOCA_SUCCESS;
}

static doca_error_t check_may_stand(const struct word *word, struct errtext *err)
{
    const struct doca_argp_param *param = word->param;
    if (param->type == DOCA_ARGP_TYPE_JSON_OBJ && argp.interface != ARGP_3)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s can only be given in a file (--json <path>)", FLAG_NAME(param));
    if (param->given && !param->multiplicity)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s is given twice: give it once",
                           FLAG_NAME(param));
    if (param->type == DOCA_ARGP_TYPE_BOOLEAN && word->value)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s takes no value: leave \"=%s\" out, or the whole flag",
                           FLAG_NAME(param), word->value);
    return DOCA_SUCCESS;
}

static doca_error_t take_value(struct values *values, const struct word *word, struct errtext *err)
{
    int number = 0;
    if (word->param->type == DOCA_ARGP_TYPE_INT && !number_parse(word->value, &number))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: \"%s\" is not a whole number, or is too large",
                           FLAG_NAME(word->param), word->value);

    double real = 0;
    if (word->param->type == ARGP_TYPE_DOUBLE && !real_parse(word->value, &real))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s: \"%s\" is not a number",
                           FLAG_NAME(word->param), word->value);

    struct value *value = value_add(&values->from_line, word->param);
    if (!value)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    value->string = word->value;
    value->number = number;
    value->real = real;
    value->yes = true;
    return builtin_take(values, value, err);
}

static doca_error_t run_version(bool *ended)
{
    *ended = true;
    if (argp.version && argp.no_results) {
        ((argp_plain_cb)(void (*)(void))argp.version)(argp.config, NULL);
    } else if (argp.version) {
        doca_error_t result = argp.version_config_first ? argp.version(argp.config, NULL)
                                                        : argp.version(NULL, argp.config);
        if (result != DOCA_SUCCESS)
            return result;
    } else {
        version_print(stdout);
    }
    exit(EXIT_SUCCESS);
}

// Reads the flag at argv[*at], and the next word if that is its value.
static doca_error_t parse_flag(int argc, char **argv, int *at, struct values *values, bool *ended,
                               struct errtext *err)
{
    struct word word;
    doca_error_t result = word_read(argv[*at], &word, err);
    if (result == DOCA_SUCCESS)
        result = check_may_stand(&word, err);
    if (result != DOCA_SUCCESS)
        return result;

    switch (flag_builtin(word.param)) {
    case BUILTIN_HELP:
        help_print(stdout);
        exit(EXIT_SUCCESS);
    case BUILTIN_VERSION:
        return run_version(ended);
    default:
        break;
    }
    if (word.param->type != DOCA_ARGP_TYPE_BOOLEAN)
        result = word_value(&word, argv, argc, at, err);
    return result == DOCA_SUCCESS ? take_value(values, &word, err) : result;
}

// Words before "--" are for DPDK. Returns the position where the program's flags begin,
// or 0 if out of memory.
static int take_dpdk_words(int argc, char **argv)
{
    int end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (end == argc)
        return 1;
    for (int i = 1; i < end; i++)
        if (!words_add(&argp.dpdk_words, argv[i], NULL))
            return 0;
    return end + 1;
}

doca_error_t cli_parse(int argc, char **argv, struct values *values, bool *ended,
                       struct errtext *err)
{
    int begin = argp.dpdk ? take_dpdk_words(argc, argv) : 1;
    if (!begin)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");

    doca_error_t result = DOCA_SUCCESS;
    for (int i = begin; i < argc && result == DOCA_SUCCESS; i++) {
        if (!strcmp(argv[i], "--")) {
            // The flags end, and no flag takes the words that might follow.
            if (i + 1 < argc)
                return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                                   "\"%s\" behind \"--\" belongs to no flag", argv[i + 1]);
            break;
        }
        struct doca_argp_cmd *cmd = cmd_named(argp.current, argv[i]);
        if (cmd)
            argp.current = cmd;
        else
            result = parse_flag(argc, argv, &i, values, ended, err);
    }
    return result;
}
