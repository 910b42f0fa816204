// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card.h"

#include "card_time.h"
#include "cleanup.h"
#include "copy_text.h"
#include "number.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define BUF_SIZE_MIN (UINT64_C(1) << 20) // below this, a profile's rate has no effect on DMA

const struct card_key_info card_key_infos[CARD_KEYS_END] = {
#define CARD_KEY_INFO(name, number, key, kind, text) [number] = {key, text, CARD_KIND_##kind},
    CARD_KEYS(CARD_KEY_INFO)
#undef CARD_KEY_INFO
};

__attribute__((format(printf, 2, 3))) static bool no(char why[CARD_WHY_SIZE], const char *format,
                                                     ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, CARD_WHY_SIZE, format, args);
    va_end(args);
    return false;
}

uint64_t card_software_value(enum card_key key)
{
    switch (card_key_infos[key].kind) {
    case CARD_KIND_FEATURE:
    case CARD_KIND_MULTIPLE:
        return 1;
    case CARD_KIND_QUIRK:
    case CARD_KIND_NUMBER:
        return 0;
    case CARD_KIND_LIMIT:
    default:
        return CARD_UNLIMITED;
    }
}

void card_init(struct card *card)
{
    *card = (struct card){.name = CARD_SOFTWARE};
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++)
        card->values[key] = card_software_value((enum card_key)key);
}

// ---- one line --------------------------------------------------------------------------------

enum card_key card_key_find(const char *name, size_t length)
{
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++) {
        const char *known = card_key_infos[key].key;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return (enum card_key)key;
    }
    return CARD_NONE;
}

static bool no_key(const char *name, char why[CARD_WHY_SIZE])
{
    struct choice keys = {.n = 0};
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++)
        choice_add(&keys, card_key_infos[key].key, strlen(card_key_infos[key].key));
    no(why, "there is no key \"%.64s\"", name);
    choice_suggest(&keys, name, why, CARD_WHY_SIZE);
    size_t used = strlen(why);
    snprintf(why + used, CARD_WHY_SIZE - used, " (docactl card show software lists all)");
    return false;
}

// Returns whether it is a number of nanoseconds.
static bool is_time(const struct card_key_info *info)
{
    size_t n = strlen(info->key);

    return info->kind == CARD_KIND_NUMBER && n > 3 && strcmp(info->key + n - 3, "_ns") == 0;
}

static bool read_value(enum card_key key, const char *text, uint64_t *out, char why[CARD_WHY_SIZE])
{
    const struct card_key_info *info = &card_key_infos[key];
    bool yes = strcmp(text, "yes") == 0;

    if (card_is_flag(key)) {
        *out = yes;
        return yes || strcmp(text, "no") == 0 ||
               no(why, "%s = %.32s: neither yes nor no", info->key, text);
    }
    if (info->kind == CARD_KIND_LIMIT && strcmp(text, "unlimited") == 0) {
        *out = CARD_UNLIMITED;
        return true;
    }
    if (info->kind == CARD_KIND_NUMBER && strcmp(text, "no") == 0) {
        *out = 0;
        return true;
    }
    if (!number_read_size(text, CARD_UNLIMITED - 1, out))
        return no(why, "%s = %.32s: not a number (write 64, 4K, 2M or %s)", info->key, text,
                  info->kind == CARD_KIND_NUMBER ? "no" : "unlimited");
    if (key == CARD_REORDER && *out == 0)
        return no(why, "%s = %.32s: seeds begin at 1 (write no for none)", info->key, text);
    if (*out < card_least(key))
        return no(why, "%s = %.32s: less than %s", info->key, text,
                  key == CARD_DMA_BUF_SIZE ? "1M" : "1 (write no for what the card lacks)");
    if (is_time(info) && *out > CARD_NS_MAX)
        return no(why, "%s = %.32s: more than %" PRIu64 ", which is 1000 seconds", info->key, text,
                  CARD_NS_MAX);
    return true;
}

uint64_t card_least(enum card_key key)
{
    if (card_is_flag(key) || card_key_infos[key].kind == CARD_KIND_NUMBER)
        return 0;
    return key == CARD_DMA_BUF_SIZE ? BUF_SIZE_MIN : 1;
}

void card_print_value(enum card_key key, uint64_t value, char text[24])
{
    if (card_is_flag(key))
        snprintf(text, 24, "%s", value ? "yes" : "no");
    else if (value == 0 && card_key_infos[key].kind == CARD_KIND_NUMBER)
        snprintf(text, 24, "no");
    else if (value == CARD_UNLIMITED)
        snprintf(text, 24, "unlimited");
    else
        snprintf(text, 24, "%" PRIu64, value);
}

// Cuts blanks and a comment off; returns where the text begins.
static char *trim(char *text)
{
    text[strcspn(text, "#")] = '\0';
    while (isspace((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

static bool read_line(char *line, struct card *card, enum card_key *key, char why[CARD_WHY_SIZE])
{
    char *equals = strchr(line, '=');

    if (!equals)
        return no(why, "\"%.64s\" is not a line (write key = value, or [release])", line);
    *equals = '\0';
    char *name = trim(line), *value = trim(equals + 1);
    *key = card_key_find(name, strlen(name));
    if (*key == CARD_NONE)
        return no_key(name, why);
    return read_value(*key, value, &card->values[*key], why);
}

bool card_read_line(char *line, struct card *card, char why[CARD_WHY_SIZE])
{
    enum card_key key;

    return read_line(line, card, &key, why);
}

// ---- a text ------------------------------------------------------------------------------------

// Copies the next line, which may be too long, and moves *text behind it. False at the end.
static bool next_line(const char **text, char *line, size_t size)
{
    size_t n = strcspn(*text, "\n");

    if (!**text)
        return false;
    snprintf(line, size, "%.*s", (int)(n < size ? n : size - 1), *text);
    *text += n + ((*text)[n] == '\n');
    return true;
}

static bool is_release(const char *line, char release[CARD_NAME_SIZE])
{
    size_t n = strlen(line);

    if (n < 3 || n > CARD_NAME_SIZE || line[0] != '[' || line[n - 1] != ']')
        return false;
    snprintf(release, CARD_NAME_SIZE, "%.*s", (int)n - 2, line + 1);
    return true;
}

void card_releases(const char *text, struct choice *releases)
{
    char line[512], release[CARD_NAME_SIZE];

    while (next_line(&text, line, sizeof(line)))
        if (is_release(trim(line), release))
            choice_add(releases, release, strlen(release));
}

static bool choose_release(const char *text, const char *wanted, char chosen[CARD_NAME_SIZE],
                           char why[CARD_WHY_SIZE])
{
    struct choice releases = {.n = 0};

    card_releases(text, &releases);
    snprintf(chosen, CARD_NAME_SIZE, "%s", wanted);
    if (!*wanted && releases.n)
        snprintf(chosen, CARD_NAME_SIZE, "%.*s", CARD_NAME_SIZE - 1,
                 releases.words[releases.n - 1]);
    for (size_t i = 0; i < releases.n; i++)
        if (strcmp(releases.words[i], chosen) == 0)
            return true;
    if (!*wanted)
        return true;
    if (!releases.n)
        return no(why, "it has no releases (write its name without /%.32s)", wanted);
    no(why, "it has no release %.32s", wanted);
    choice_suggest(&releases, wanted, why, CARD_WHY_SIZE);
    snprintf(why + strlen(why), CARD_WHY_SIZE - strlen(why), " (choose ");
    choice_list(&releases, why, CARD_WHY_SIZE);
    snprintf(why + strlen(why), CARD_WHY_SIZE - strlen(why), ")");
    return false;
}

// What a reader of a text has seen of it.
struct reader {
    struct choice sections;
    char section[CARD_NAME_SIZE]; // where it is; "" before the first
    bool seen[CARD_KEYS_END];     // the keys of that section
};

static bool begin_section(struct reader *reader, char why[CARD_WHY_SIZE])
{
    size_t n = reader->sections.n;

    choice_add(&reader->sections, reader->section, strlen(reader->section));
    memset(reader->seen, 0, sizeof(reader->seen));
    return reader->sections.n > n ||
           no(why, "[%.32s] is there already, or is one release too many (write it once)",
              reader->section);
}

static bool take_line(struct reader *reader, char *line, struct card *card, char why[CARD_WHY_SIZE])
{
    enum card_key key;

    if (!read_line(line, card, &key, why))
        return false;
    if (reader->seen[key])
        return no(why, "%s is there twice%s%.32s%s (remove one of the lines)",
                  card_key_infos[key].key, reader->section[0] ? " in [" : "", reader->section,
                  reader->section[0] ? "]" : "");
    reader->seen[key] = true;
    return true;
}

bool card_parse(const char *text, const char *release, struct card *card, char why[CARD_WHY_SIZE])
{
    char line[512], chosen[CARD_NAME_SIZE], what[CARD_WHY_SIZE - 32];
    struct reader reader = {.section = ""};
    struct card ignored; // the lines of other releases are checked, too

    if (!choose_release(text, release, chosen, why))
        return false;
    card_init(&ignored);
    for (unsigned number = 1; next_line(&text, line, sizeof(line)); number++) {
        char *trimmed = trim(line);
        bool mine = !reader.section[0] || strcmp(reader.section, chosen) == 0;
        if (!*trimmed)
            continue;
        bool good = is_release(trimmed, reader.section)
                        ? begin_section(&reader, why)
                        : take_line(&reader, trimmed, mine ? card : &ignored, why);
        if (!good) {
            snprintf(what, sizeof(what), "%s", why);
            return no(why, "line %u: %s", number, what);
        }
    }
    return true;
}
