// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_spec.h"

#include "choice.h"
#include "cleanup.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#define ERROR_PREFIX "DOCA_ERROR_"
#define DELAY_MAX_NS (3600 * UINT64_C(1000000000))
#define NUMBER_MAX   UINT64_C(1000000000000)
#define WORD_MAX     72

// Values that this file uses itself.
enum { NO_MEMORY = 7, IO_FAILED = 17, DRIVER = 21 };

// The index is the value, which is the same in all generations.
static const char *const errors[] = {
    NULL,
    "UNKNOWN",
    "NOT_PERMITTED",
    "IN_USE",
    "NOT_SUPPORTED",
    "AGAIN",
    "INVALID_VALUE",
    "NO_MEMORY",
    "INITIALIZATION",
    "TIME_OUT",
    "SHUTDOWN",
    "CONNECTION_RESET",
    "CONNECTION_ABORTED",
    "CONNECTION_INPROGRESS",
    "NOT_CONNECTED",
    "NO_LOCK",
    "NOT_FOUND",
    "IO_FAILED",
    "BAD_STATE",
    "UNSUPPORTED_VERSION",
    "OPERATING_SYSTEM",
    "DRIVER",
    "UNEXPECTED",
    "ALREADY_EXIST",
    "FULL",
    "EMPTY",
    "IN_PROGRESS",
    "TOO_BIG",
    "AUTHENTICATION",
    "BAD_CONFIG",
    "SKIPPED",
};

static const char *const words[] = {"after", "delay", "every", "once", "seed", "times"};

const char *fault_error_name(int error)
{
    return error > 0 && (size_t)error < ARRAY_SIZE(errors) ? errors[error] : NULL;
}

int fault_fitting_error(const char *name)
{
    static const char *const makes[] = {"create", "alloc", "_init", "_add_", "export", "_open"};
    for (size_t i = 0; i < ARRAY_SIZE(makes); i++)
        if (strstr(name, makes[i]))
            return NO_MEMORY;
    return strchr(name, '.') || strstr(name, "submit") ? IO_FAILED : DRIVER;
}

// A part of the text, without spaces at its ends.
struct part {
    const char *at;
    size_t length;
};

struct reader {
    const char *text;
    const struct fault_names *names;
    struct fault_error *error;
    struct fault_rule *rule;
    bool has_seed, has_chance;
};

// ---- what is wrong

static void locate(struct reader *reader, const char *at)
{
    struct fault_error *error = reader->error;
    error->line = error->column = 1;
    for (const char *p = reader->text; p < at; p++) {
        error->column = *p == '\n' ? 1 : error->column + 1;
        error->line += *p == '\n';
    }
}

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *reader, const char *at,
                                                       const char *format, ...)
{
    va_list arguments;
    locate(reader, at);
    va_start(arguments, format);
    vsnprintf(reader->error->text, sizeof(reader->error->text), format, arguments);
    va_end(arguments);
    return false;
}

// A word of the text, as a text of its own; too long ones are cut.
struct word {
    char s[WORD_MAX + 1];
};

static struct word word_of(struct part part)
{
    struct word word = {""};
    size_t length = part.length < WORD_MAX ? part.length : WORD_MAX;
    memcpy(word.s, part.at, length);
    return word;
}

static void suggest(struct reader *reader, const char *const *list, size_t count, const char *word)
{
    struct choice near = {.n = 0};
    for (size_t i = 0; i < count; i++)
        if (list[i])
            choice_add_near(&near, list[i], word);
    choice_did_you_mean(&near, reader->error->text, sizeof(reader->error->text));
}

// ---- words

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct part trimmed(struct part part)
{
    while (part.length && is_space(part.at[0])) {
        part.at++;
        part.length--;
    }
    while (part.length && is_space(part.at[part.length - 1]))
        part.length--;
    return part;
}

// Takes what is in front of the next of these characters, and that, from `rest`.
static struct part cut(struct part *rest, const char *ends)
{
    size_t n = 0;
    while (n < rest->length && !strchr(ends, rest->at[n]))
        n++;
    struct part first = {rest->at, n};
    bool found = n < rest->length;
    rest->at += n + found;
    rest->length -= n + found;
    return trimmed(first);
}

// Takes the number at the beginning.
static bool take_number(struct part *part, uint64_t *number)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < part->length && isdigit((unsigned char)part->at[n]); n++) {
        value = value * 10 + (uint64_t)(part->at[n] - '0');
        if (value > NUMBER_MAX)
            return false;
    }
    if (n == 0)
        return false;
    *number = value;
    *part = trimmed((struct part){part->at + n, part->length - n});
    return true;
}

static bool is_word(struct part part, const char *word)
{
    return part.length == strlen(word) && memcmp(part.at, word, part.length) == 0;
}

static bool is_ordinal(struct part part)
{
    return is_word(part, "st") || is_word(part, "nd") || is_word(part, "rd") || is_word(part, "th");
}

// ---- items

static bool set_once(struct reader *reader, struct part item, uint64_t *where, uint64_t value)
{
    if (value == 0)
        return fail(reader, item.at, "'%s': 0 is no such number", word_of(item).s);
    if (*where)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    *where = value;
    return true;
}

static bool read_delay(struct reader *reader, struct part item, struct part value)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t number;
    if (take_number(&value, &number))
        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
            if (is_word(value, units[i].name) && number <= DELAY_MAX_NS / units[i].ns)
                return set_once(reader, item, &reader->rule->delay_ns, number * units[i].ns);
    return fail(
        reader, item.at,
        "'%s': a delay is a number with ns, us, ms or s, such as 200us, and an hour at most",
        word_of(item).s);
}

static bool read_every(struct reader *reader, struct part item, struct part value)
{
    uint64_t number;
    if (take_number(&value, &number) && (is_ordinal(value) || !value.length))
        return set_once(reader, item, &reader->rule->every, number);
    return fail(reader, item.at, "'%s': it is written as in 'every 3rd'", word_of(item).s);
}

static bool read_plain(struct reader *reader, struct part item, struct part value, uint64_t *where,
                       bool *seen)
{
    uint64_t number;
    if (!take_number(&value, &number) || value.length)
        return fail(reader, item.at, "'%s': a number is missing, or is too large", word_of(item).s);
    if (*seen)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    *where = number;
    *seen = true;
    return true;
}

// Percent, with up to four digits after the point.
static bool read_chance(struct reader *reader, struct part item)
{
    struct part value = {item.at, item.length - 1};
    uint64_t whole, parts = 0, unit = FAULT_CHANCE_FULL / 100;
    bool fine = take_number(&value, &whole);
    if (fine && value.length && value.at[0] == '.') {
        for (value.at++, value.length--; value.length && isdigit((unsigned char)value.at[0]);
             value.at++, value.length--) {
            unit /= 10;
            parts += unit * (uint64_t)(value.at[0] - '0');
        }
    }
    value = trimmed(value);
    uint64_t chance = fine && whole <= 100 ? whole * (FAULT_CHANCE_FULL / 100) + parts : 0;
    if (value.length || chance == 0 || chance > FAULT_CHANCE_FULL)
        return fail(reader, item.at, "'%s': more than 0 %%, and not more than 100 %%",
                    word_of(item).s);
    if (reader->has_chance)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    reader->has_chance = true;
    reader->rule->chance = (uint32_t)chance;
    return true;
}

// An item that begins with a digit: 3rd, 5 times, 1 %.
static bool read_number(struct reader *reader, struct part item)
{
    struct part rest = item;
    uint64_t number;
    if (item.at[item.length - 1] == '%')
        return read_chance(reader, item);
    if (take_number(&rest, &number)) {
        if (is_ordinal(rest))
            return set_once(reader, item, &reader->rule->nth, number);
        if (is_word(rest, "times"))
            return set_once(reader, item, &reader->rule->times, number);
    }
    return fail(reader, item.at, "'%s' is no condition: one is written as 3rd, 5 times or 1 %%",
                word_of(item).s);
}

static bool set_error(struct reader *reader, struct part item, int error)
{
    if (reader->rule->error)
        return fail(reader, item.at, "'%s': the rule has an error already", word_of(item).s);
    reader->rule->error = error;
    return true;
}

static bool read_error(struct reader *reader, struct part item)
{
    struct word word = word_of(item);
    const char *name = word.s;
    if (strncmp(name, ERROR_PREFIX, strlen(ERROR_PREFIX)) == 0)
        name += strlen(ERROR_PREFIX);
    if (strcmp(name, "ANY") == 0)
        return set_error(reader, item, FAULT_ANY);
    for (size_t i = 1; i < ARRAY_SIZE(errors); i++)
        if (strcmp(errors[i], name) == 0)
            return set_error(reader, item, (int)i);
    fail(reader, item.at, "'%s' is neither an error of DOCA nor a condition", word.s);
    if (isupper((unsigned char)name[0]))
        suggest(reader, errors, ARRAY_SIZE(errors), name);
    else
        suggest(reader, words, ARRAY_SIZE(words), name);
    return false;
}

static bool read_item(struct reader *reader, struct part item)
{
    struct part value = item;
    if (!item.length)
        return fail(reader, item.at, "an error, a delay or a condition is missing");
    if (isdigit((unsigned char)item.at[0]))
        return read_number(reader, item);
    struct part word = cut(&value, " \t");
    value = trimmed(value);
    if (is_word(word, "delay"))
        return read_delay(reader, item, value);
    if (is_word(word, "every"))
        return read_every(reader, item, value);
    if (is_word(word, "after")) {
        bool seen = reader->rule->after != 0;
        return read_plain(reader, item, value, &reader->rule->after, &seen);
    }
    if (is_word(word, "seed"))
        return read_plain(reader, item, value, &reader->rule->seed, &reader->has_seed);
    if (is_word(item, "once"))
        return set_once(reader, item, &reader->rule->times, 1);
    if (value.length) {
        fail(reader, item.at, "'%s' is no condition", word_of(word).s);
        suggest(reader, words, ARRAY_SIZE(words), word_of(word).s);
        return false;
    }
    return read_error(reader, item);
}

// ---- rules

static bool is_known(const struct fault_rule *rule, const char *const *list, size_t count)
{
    size_t length = strlen(rule->target);
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i], rule->target, length) == 0 && (rule->any || !list[i][length]))
            return true;
    return false;
}

static bool check_target(struct reader *reader, const char *at)
{
    const struct fault_rule *rule = reader->rule;
    bool task = rule->kind == FAULT_TASK;
    const struct fault_names *names = reader->names;
    const char *const *list = !names ? NULL : task ? names->tasks : names->functions;
    size_t count = !names ? 0 : task ? names->task_count : names->function_count;
    if (!list || is_known(rule, list, count))
        return true;
    if (rule->any)
        return fail(reader, at, "no %s begins with '%s'", task ? "task" : "function of DOCA",
                    rule->target);
    fail(reader, at, "'%s' is no %s", rule->target, task ? "task" : "function of DOCA");
    suggest(reader, list, count, rule->target);
    return false;
}

static bool read_target(struct reader *reader, struct part target)
{
    struct fault_rule *rule = reader->rule;
    struct part name = target;
    if (!target.length)
        return fail(reader, target.at, "a function or a task is missing in front of ':'");
    rule->any = target.at[target.length - 1] == '*';
    name.length -= rule->any;
    for (size_t i = 0; i < name.length; i++)
        if (!isalnum((unsigned char)name.at[i]) && name.at[i] != '_' && name.at[i] != '.')
            return fail(reader, name.at + i,
                        "'%c' cannot be in a name; '*' can be at its end, and nowhere else",
                        isprint((unsigned char)name.at[i]) ? name.at[i] : '?');
    if (name.length >= sizeof(rule->target))
        return fail(reader, target.at, "the name is longer than those of DOCA");
    memcpy(rule->target, name.at, name.length);
    rule->kind = strchr(rule->target, '.') ? FAULT_TASK : FAULT_FUNCTION;
    return check_target(reader, target.at);
}

static bool read_rule(struct reader *reader, struct part text)
{
    struct part rest = text;
    *reader->rule = (struct fault_rule){.chance = FAULT_CHANCE_FULL, .seed = 1};
    reader->has_seed = reader->has_chance = false;
    if (!memchr(text.at, ':', text.length))
        return fail(reader, text.at,
                    "a rule has the form 'function: error' or 'library.task: error'");
    if (!read_target(reader, cut(&rest, ":")))
        return false;
    rest = trimmed(rest);
    do {
        bool last = !memchr(rest.at, ',', rest.length);
        if (!read_item(reader, cut(&rest, ",")))
            return false;
        if (last)
            break;
    } while (true);
    if (!reader->rule->error && !reader->rule->delay_ns)
        return fail(reader, text.at, "the rule names neither an error nor a delay");
    if (reader->has_seed && !reader->has_chance)
        return fail(reader, text.at, "a seed is of no use without a chance, such as 1 %%");
    locate(reader, text.at);
    reader->rule->line = reader->error->line;
    return true;
}

bool fault_spec_read(const char *text, const struct fault_names *names, struct fault_spec *spec,
                     struct fault_error *error)
{
    struct reader reader = {.text = text, .names = names, .error = error};
    const char *at = text;
    spec->count = 0;
    while (*at) {
        size_t length = strcspn(at, ";\n#");
        struct part rule = trimmed((struct part){at, length});
        if (rule.length && spec->count == FAULT_RULES_MAX)
            return fail(&reader, rule.at, "there are more than %d rules", FAULT_RULES_MAX);
        reader.rule = &spec->rules[spec->count];
        if (rule.length && !read_rule(&reader, rule))
            return false;
        spec->count += rule.length > 0;
        at += length;
        if (*at == '#')
            at += strcspn(at, "\n");
        at += *at != '\0';
    }
    *error = (struct fault_error){.text = ""};
    if (spec->count == 0)
        return fail(&reader, text, "there is no rule");
    return true;
}
