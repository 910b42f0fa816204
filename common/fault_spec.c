// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_spec.h"

#include "choice.h"
#include "cleanup.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#define DELAY_MAX_NS (3600 * UINT64_C(1000000000))
#define NUMBER_MAX   UINT64_C(1000000000000)
#define WORD_MAX     72

static const char *const words[] = {"after", "delay",  "down", "drop",  "every", "fatal",
                                    "once",  "revoke", "seed", "stall", "times"};

// Targets that are neither functions nor tasks.
static const struct kind {
    const char *name;
    enum fault_kind kind;
    enum fault_action action; // FAULT_FAILS: there is none
    const char *verb, *unit;
    const char *example;
} kinds[] = {
    {"comch", FAULT_COMCH, FAULT_DROP, "drop", "messages", "comch: drop peer after 100 messages"},
    {"comm_channel", FAULT_COMM_CHANNEL, FAULT_DROP, "drop", "messages",
     "comm_channel: drop peer after 100 messages"},
    {"rdma", FAULT_RDMA, FAULT_DROP, "drop", "operations", "rdma: drop peer after 100 operations"},
    {"export", FAULT_EXPORT, FAULT_REVOKE, "revoke", "imports", "export: revoke after 10 imports"},
    {"import", FAULT_IMPORT, FAULT_FAILS, "", "imports", "import: NOT_PERMITTED, 3rd"},
    {"link", FAULT_LINK, FAULT_DOWN, "down", "messages", "link: down for 2 s, after 10 messages"},
};

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
    const struct kind *kind; // of the target; NULL: a function or a task
    bool has_seed, has_chance;
};

// ---- errors

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

// A word of the text, copied; words that are too long are cut.
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

// Takes the text before the next of these characters, and that character, from `rest`.
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

// Takes a number from the beginning.
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

// Takes a number with a unit of time: 200us, 5 ms.
static bool take_duration(struct part *part, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t number;
    if (!take_number(part, &number))
        return false;
    struct part unit = cut(part, " \t");
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (is_word(unit, units[i].name) && number <= DELAY_MAX_NS / units[i].ns) {
            *ns = number * units[i].ns;
            *part = trimmed(*part);
            return true;
        }
    return false;
}

static bool read_delay(struct reader *reader, struct part item, struct part value)
{
    uint64_t ns;
    if (take_duration(&value, &ns) && !value.length)
        return set_once(reader, item, &reader->rule->delay_ns, ns);
    return fail(
        reader, item.at,
        "'%s': a delay is a number with ns, us, ms or s, such as 200us, and an hour at most",
        word_of(item).s);
}

static bool read_stall(struct reader *reader, struct part item, struct part value)
{
    int number = 0;
    if (is_word(cut(&value, " \t"), "until")) {
        value = trimmed(value);
        number = fault_signal_value(word_of(value).s);
    }
    if (!number)
        return fail(reader, item.at,
                    "'%s': it is written as 'stall until SIGUSR2', or with SIGUSR1, SIGHUP, SIGALRM"
                    " or SIGWINCH",
                    word_of(item).s);
    if (reader->rule->signal)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    reader->rule->signal = number;
    return true;
}

// The fault of a target of this kind: 'comch: drop peer after 100 messages'.
static bool wrong_for_kind(struct reader *reader, struct part item)
{
    return fail(reader, item.at, "'%s' is not for '%s', which is written as in '%s'",
                word_of(item).s, reader->kind->name, reader->kind->example);
}

static bool is_unit(struct part word, const char *unit)
{
    size_t length = strlen(unit);
    return is_word(word, unit) ||
           (word.length == length - 1 && memcmp(word.at, unit, length - 1) == 0); // one message
}

// 'after 100', and for targets that count something else than calls 'after 100 messages'.
static bool read_after(struct reader *reader, struct part item, struct part value)
{
    const struct kind *kind = reader->kind;
    uint64_t number;
    if (!take_number(&value, &number))
        return fail(reader, item.at, "'%s': a number is missing, or is too large", word_of(item).s);
    if (value.length && !(kind && is_unit(value, kind->unit)))
        return fail(reader, item.at, "'%s': %s", word_of(item).s,
                    !kind                                 ? "only the number follows"
                    : strcmp(kind->unit, "imports") == 0  ? "imports are counted"
                    : strcmp(kind->unit, "messages") == 0 ? "messages are counted"
                                                          : "operations are counted");
    return set_once(reader, item, &reader->rule->after, number);
}

// Also the targets that are neither.
static void suggest_target(struct reader *reader, const char *const *list, size_t count)
{
    struct choice near = {.n = 0};
    for (size_t i = 0; i < count; i++)
        choice_add_near(&near, list[i], reader->rule->target);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        choice_add_near(&near, kinds[i].name, reader->rule->target);
    choice_did_you_mean(&near, reader->error->text, sizeof(reader->error->text));
}

static bool no_action(struct reader *reader, struct part item)
{
    fail(reader, item.at, "'%s' is for connections (drop), exports (revoke) and links (down)",
         word_of(item).s);
    suggest_target(reader, NULL, 0);
    return false;
}

// The word that introduces the rest of 'drop peer after 100 messages'.
static bool read_action(struct reader *reader, struct part item, struct part value,
                        enum fault_action action)
{
    struct fault_rule *rule = reader->rule;
    struct part rest = value, word = cut(&rest, " \t");
    bool fine = true;
    if (!reader->kind)
        return no_action(reader, item);
    if (reader->kind->action != action)
        return wrong_for_kind(reader, item);
    if (rule->action)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    rule->action = action;
    if (action == FAULT_DROP && (is_word(word, "peer") || is_word(word, "connection")))
        value = trimmed(rest);
    if (action == FAULT_DOWN && is_word(word, "for")) {
        value = trimmed(rest);
        fine = take_duration(&value, &rule->down_ns) && rule->down_ns;
    }
    rest = value;
    word = cut(&rest, " \t");
    if (fine && is_word(word, "after"))
        return read_after(reader, item, trimmed(rest));
    return fine && !value.length ? true : wrong_for_kind(reader, item);
}

static bool read_every(struct reader *reader, struct part item, struct part value)
{
    uint64_t number;
    if (take_number(&value, &number) && (is_ordinal(value) || !value.length))
        return set_once(reader, item, &reader->rule->every, number);
    return fail(reader, item.at, "'%s': it is written as in 'every 3rd'", word_of(item).s);
}

static bool read_seed(struct reader *reader, struct part item, struct part value)
{
    uint64_t number;
    if (!take_number(&value, &number) || value.length)
        return fail(reader, item.at, "'%s': a number is missing, or is too large", word_of(item).s);
    if (reader->has_seed)
        return fail(reader, item.at, "'%s': the rule has one already", word_of(item).s);
    reader->rule->seed = number;
    reader->has_seed = true;
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
    size_t count;
    const char *const *errors = fault_error_names(&count);
    int error = fault_error_value(word.s);
    if (error)
        return set_error(reader, item, error);
    fail(reader, item.at, "'%s' is neither an error of DOCA nor a condition", word.s);
    if (isupper((unsigned char)word.s[0]))
        suggest(reader, errors, count, word.s + (strncmp(word.s, "DOCA_ERROR_", 11) == 0 ? 11 : 0));
    else
        suggest(reader, words, ARRAY_SIZE(words), word.s);
    return false;
}

static bool read_fatal(struct reader *reader, struct part item)
{
    if (reader->kind || reader->rule->kind != FAULT_TASK)
        return fail(reader, item.at,
                    "'fatal' is for tasks, whose failure can take their context down, such as"
                    " dma.memcpy");
    const char *kind = strchr(reader->rule->target, '.');
    if (strcmp(kind, ".job") == 0)
        return fail(reader, item.at,
                    "'fatal' is for tasks of DOCA 3: a job does not take its context down");
    reader->rule->fatal = true;
    return true;
}

// Parses items that begin with a keyword. Returns false if the item has none.
static bool read_word(struct reader *reader, struct part item, struct part word, struct part value,
                      bool *fine)
{
    static const struct {
        const char *word;
        enum fault_action action;
    } actions[] = {{"drop", FAULT_DROP}, {"revoke", FAULT_REVOKE}, {"down", FAULT_DOWN}};
    for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
        if (is_word(word, actions[i].word)) {
            *fine = read_action(reader, item, value, actions[i].action);
            return true;
        }
    if (is_word(word, "delay"))
        *fine = reader->kind ? wrong_for_kind(reader, item) : read_delay(reader, item, value);
    else if (is_word(word, "stall"))
        *fine = reader->kind ? wrong_for_kind(reader, item) : read_stall(reader, item, value);
    else if (is_word(word, "every"))
        *fine = read_every(reader, item, value);
    else if (is_word(word, "after"))
        *fine = read_after(reader, item, value);
    else if (is_word(word, "seed"))
        *fine = read_seed(reader, item, value);
    else
        return false;
    return true;
}

static bool read_item(struct reader *reader, struct part item)
{
    struct part value = item;
    bool fine;
    if (!item.length)
        return fail(reader, item.at, "an error, a delay or a condition is missing");
    if (isdigit((unsigned char)item.at[0]))
        return read_number(reader, item);
    struct part word = cut(&value, " \t");
    value = trimmed(value);
    if (read_word(reader, item, word, value, &fine))
        return fine;
    if (is_word(item, "once"))
        return set_once(reader, item, &reader->rule->times, 1);
    if (is_word(item, "fatal"))
        return read_fatal(reader, item);
    if (value.length) {
        fail(reader, item.at, "'%s' is no condition", word_of(word).s);
        suggest(reader, words, ARRAY_SIZE(words), word_of(word).s);
        return false;
    }
    return read_error(reader, item);
}

// ---- rules

static bool matches(const struct fault_rule *rule, const char *name)
{
    size_t length = strlen(rule->target);
    return strncmp(name, rule->target, length) == 0 && (rule->any || !name[length]);
}

static bool is_known(const struct fault_rule *rule, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (matches(rule, list[i]))
            return true;
    return false;
}

// Returns whether any function of the target returns an error.
static bool can_fail(const struct fault_rule *rule, const struct fault_names *names)
{
    if (rule->kind != FAULT_FUNCTION || !names || !names->can_fail)
        return true;
    for (size_t i = 0; i < names->function_count; i++)
        if (names->can_fail[i] && matches(rule, names->functions[i]))
            return true;
    return false;
}

static const char *hint_for(const struct fault_names *names, const char *target)
{
    for (size_t i = 0; i < names->hint_count; i++)
        if (strcmp(names->hints[i].name, target) == 0)
            return names->hints[i].text;
    return NULL;
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
    const char *hint = hint_for(names, rule->target);
    if (hint)
        return fail(reader, at, "'%s' %s", rule->target, hint);
    fail(reader, at, "'%s' is no %s", rule->target, task ? "task" : "function of DOCA");
    suggest_target(reader, list, count);
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
    for (size_t i = 0; i < ARRAY_SIZE(kinds) && !rule->any; i++)
        if (strcmp(rule->target, kinds[i].name) == 0) {
            reader->kind = &kinds[i];
            rule->kind = kinds[i].kind;
            return true;
        }
    rule->kind = strchr(rule->target, '.') ? FAULT_TASK : FAULT_FUNCTION;
    return check_target(reader, target.at);
}

// The states that a revoked export may have for its importers.
static bool is_error_of_end(int error)
{
    static const char *const names[] = {"IO_FAILED", "NOT_PERMITTED", "CONNECTION_RESET"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (error == fault_error_value(names[i]))
            return true;
    return error == 0;
}

static bool check_rule(struct reader *reader, struct part text)
{
    const struct fault_rule *rule = reader->rule;
    const struct kind *kind = reader->kind;
    if (!kind && !rule->error && !rule->delay_ns && !rule->signal)
        return fail(reader, text.at, "the rule names neither an error nor a delay");
    if (rule->error && !can_fail(rule, reader->names))
        return fail(reader, text.at,
                    "'%s%s' returns no error, so it cannot fail: it takes 'delay' and 'stall'",
                    rule->target, rule->any ? "*" : "");
    if (rule->fatal && !rule->error)
        return fail(reader, text.at,
                    "'fatal' needs an error, as in 'dma.memcpy: IO_FAILED, fatal'");
    if (kind && kind->action != FAULT_FAILS && !rule->action)
        return fail(reader, text.at, "'%s' without '%s': it is written as in '%s'", kind->name,
                    kind->verb, kind->example);
    if (rule->kind == FAULT_IMPORT && !rule->error)
        return fail(reader, text.at, "'import' names no error: it is written as in '%s'",
                    kind->example);
    if (rule->kind == FAULT_EXPORT && !is_error_of_end(rule->error))
        return fail(reader, text.at,
                    "the use of revoked memory fails with IO_FAILED (if none is named),"
                    " NOT_PERMITTED or CONNECTION_RESET");
    if (kind && rule->error && rule->kind != FAULT_IMPORT && rule->kind != FAULT_EXPORT)
        return fail(reader, text.at, "'%s' names an error: it is written as in '%s'", kind->name,
                    kind->example);
    if (reader->has_seed && !reader->has_chance)
        return fail(reader, text.at, "a seed is of no use without a chance, such as 1 %%");
    return true;
}

// What follows the 100th message is 'after 100', so that one is not left out; without a condition
// it follows the first. Ordinals count those that come after it.
static void settle_action(const struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    if (!rule->action || rule->nth || rule->every)
        return;
    if (rule->times > 1 || reader->has_chance) {
        rule->after -= rule->after > 0;
        return;
    }
    rule->nth = rule->after ? rule->after : 1;
    rule->after = 0;
    rule->times = 1;
}

static bool read_rule(struct reader *reader, struct part text)
{
    struct part rest = text;
    *reader->rule = (struct fault_rule){.chance = FAULT_CHANCE_FULL, .seed = 1};
    reader->has_seed = reader->has_chance = false;
    reader->kind = NULL;
    reader->rule->at = (size_t)(text.at - reader->text);
    reader->rule->length = text.length;
    memcpy(reader->rule->text, text.at,
           text.length < FAULT_TEXT_MAX ? text.length : FAULT_TEXT_MAX - 1);
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
    if (!check_rule(reader, text))
        return false;
    settle_action(reader);
    locate(reader, text.at);
    reader->rule->line = reader->error->line;
    return true;
}

const struct fault_rule *fault_spec_find(const struct fault_spec *spec, bool of_node)
{
    for (size_t i = 0; i < spec->count; i++)
        if (fault_is_of_node(spec->rules[i].kind) == of_node)
            return &spec->rules[i];
    return NULL;
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
