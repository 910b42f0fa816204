// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds card profiles: built in, and in files of users.

#include "card.h"

#include "cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_SIZE   65536
#define PATH_SIZE   4096
#define SYSTEM_DIR  "/etc/docad/cards"
#define FILE_ENDING ".conf"

static bool is_path(const char *name)
{
    return name[0] == '/' || strncmp(name, "./", 2) == 0;
}

static bool is_name(const char *name, size_t length)
{
    if (length == 0 || length >= CARD_NAME_SIZE || name[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
            return false;
    return true;
}

// The directories of users' files, in the order in which they are searched. Returns false: no more.
static bool directory(unsigned i, char path[PATH_SIZE])
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (i == 0 && config && *config)
        snprintf(path, PATH_SIZE, "%s/docad/cards", config);
    else if (i == 0 && home && *home)
        snprintf(path, PATH_SIZE, "%s/.config/docad/cards", home);
    else
        snprintf(path, PATH_SIZE, "%s", SYSTEM_DIR);
    return i < 2;
}

static const char *built_in(const char *name, size_t length)
{
    for (const struct card_built_in *card = cards_built_in; card->name; card++)
        if (strlen(card->name) == length && memcmp(card->name, name, length) == 0)
            return card->text;
    return NULL;
}

// Returns NULL with errno set. Does not block on other types of files.
static char *read_file(const char *path)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cleanup_free char *text = calloc(1, FILE_SIZE + 1);
    struct stat status;
    size_t n = 0;

    if (fd < 0 || !text || fstat(fd, &status) < 0)
        return NULL;
    errno = S_ISDIR(status.st_mode) ? EISDIR : !S_ISREG(status.st_mode) ? EINVAL : EFBIG;
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_SIZE)
        return NULL;
    ssize_t got = 1;
    while (got > 0 && n < FILE_SIZE) {
        got = read(fd, text + n, FILE_SIZE - n);
        if (got < 0)
            return NULL;
        n += (size_t)got;
    }
    errno = EILSEQ;
    return memchr(text, '\0', n) ? NULL : steal_ptr(text); // it is no text
}

static char *read_named(const char *name, size_t length)
{
    char path[PATH_SIZE];

    for (unsigned i = 0; directory(i, path); i++) {
        size_t used = strlen(path);
        snprintf(path + used, sizeof(path) - used, "/%.*s" FILE_ENDING, (int)length, name);
        char *text = read_file(path);
        if (text)
            return text;
    }
    return NULL;
}

static void add_files(struct choice *names, const char *path)
{
    DIR *files = opendir(path);
    const struct dirent *file;
    size_t ending = strlen(FILE_ENDING);

    while (files && (file = readdir(files))) {
        size_t n = strlen(file->d_name);
        if (n > ending && strcmp(file->d_name + n - ending, FILE_ENDING) == 0 &&
            is_name(file->d_name, n - ending))
            choice_add(names, file->d_name, n - ending);
    }
    if (files)
        closedir(files);
}

void card_names(struct choice *names)
{
    char path[PATH_SIZE];

    choice_add(names, CARD_SOFTWARE, strlen(CARD_SOFTWARE));
    for (const struct card_built_in *card = cards_built_in; card->name; card++)
        choice_add(names, card->name, strlen(card->name));
    for (unsigned i = 0; directory(i, path); i++)
        add_files(names, path);
}

static void unknown(const char *name, char why[CARD_WHY_SIZE])
{
    struct choice names = {.n = 0};
    char base[CARD_NAME_SIZE];

    card_names(&names);
    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "/,"), name);
    snprintf(why, CARD_WHY_SIZE, "there is no card of this name");
    choice_suggest(&names, base, why, CARD_WHY_SIZE);
    size_t used = strlen(why);
    snprintf(why + used, CARD_WHY_SIZE - used, " (choose ");
    choice_list(&names, why, CARD_WHY_SIZE);
    used = strlen(why);
    snprintf(why + used, CARD_WHY_SIZE - used, ")");
}

char *card_text(const char *name, char why[CARD_WHY_SIZE])
{
    char *text = NULL;

    if (is_path(name)) {
        text = read_file(name);
        if (!text)
            snprintf(why, CARD_WHY_SIZE, "%s (name a profile that can be read)", strerror(errno));
        return text;
    }
    size_t length = strcspn(name, "/");
    const char *found = built_in(name, length);
    if (found)
        text = strdup(found);
    else if (is_name(name, length))
        text = read_named(name, length);
    if (!text)
        unknown(name, why);
    return text;
}

// ---- a text that names a profile ---------------------------------------------------------------

const char *card_short_name(const char *name)
{
    size_t length = strlen(name);
    return length < CARD_NAME_SIZE ? name : name + length - (CARD_NAME_SIZE - 1);
}

// Returns where ",key = value" begins, or the end. A path may have commas: the first value has a
// known key.
static size_t name_length(const char *spec)
{
    size_t at = strcspn(spec, ",");

    while (spec[at] && is_path(spec)) {
        const char *key = spec + at + 1;
        key += strspn(key, " ");
        if (card_key_find(key, strcspn(key, " =")) != CARD_NONE)
            break;
        at += 1 + strcspn(spec + at + 1, ",");
    }
    return at;
}

static bool read_values(const char *values, struct card *card, char why[CARD_WHY_SIZE])
{
    char line[CARD_SPEC_SIZE];

    while (*values) {
        size_t n = strcspn(++values, ","); // behind a comma
        if (strspn(values, " \t") >= n) {
            snprintf(why, CARD_WHY_SIZE,
                     "a comma has no value behind it (write key=value, or no "
                     "comma)");
            return false;
        }
        snprintf(line, sizeof(line), "%.*s", (int)n, values);
        if (!card_read_line(line, card, why))
            return false;
        values += n;
    }
    return true;
}

bool card_find(const char *spec, struct card *card, char why[CARD_WHY_SIZE])
{
    struct card made;
    char name[CARD_SPEC_SIZE];

    size_t length = name_length(spec);

    card_init(&made);
    if (strlen(spec) >= CARD_SPEC_SIZE || (length >= CARD_NAME_SIZE && !is_path(spec))) {
        snprintf(why, CARD_WHY_SIZE, "longer than %d characters",
                 is_path(spec) ? CARD_SPEC_SIZE - 1 : CARD_NAME_SIZE - 1);
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", (int)length, spec);
    snprintf(made.name, sizeof(made.name), "%s", card_short_name(spec));
    if (strcmp(name, CARD_SOFTWARE) != 0) {
        cleanup_free char *text = card_text(name, why);
        const char *release = is_path(name) ? NULL : strchr(name, '/');
        if (!text || !card_parse(text, release ? release + 1 : "", &made, why))
            return false;
    }
    if (!read_values(spec + length, &made, why))
        return false;
    *card = made;
    return true;
}

// "2.10" is later than "2.9".
static int compare_releases(const char *a, const char *b)
{
    while (*a && *b) {
        unsigned long of_a = strtoul(a, (char **)&a, 10), of_b = strtoul(b, (char **)&b, 10);
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
        if (*a != '.' || *b != '.')
            break;
        a++;
        b++;
    }
    return 0; // a release of three numbers is one of its first two
}

bool card_fit_release(const char *name, const char *release, char fitting[CARD_SPEC_SIZE],
                      char why[CARD_WHY_SIZE])
{
    size_t length = name_length(name);
    struct choice releases = {.n = 0};
    const char *best = NULL;

    if (!is_path(name) && !memchr(name, '/', length) && *release) {
        char base[CARD_NAME_SIZE];
        snprintf(base, sizeof(base), "%.*s", (int)length, name);
        cleanup_free char *text = strcmp(base, CARD_SOFTWARE) == 0 ? NULL : card_text(base, why);
        if (text)
            card_releases(text, &releases);
    }
    for (size_t i = 0; i < releases.n; i++)
        if (!best || compare_releases(releases.words[i], release) <= 0)
            best = releases.words[i];
    int n = snprintf(fitting, CARD_SPEC_SIZE, "%.*s%s%s%s", (int)length, name, best ? "/" : "",
                     best ? best : "", name + length);
    if (n < CARD_SPEC_SIZE)
        return true;
    snprintf(why, CARD_WHY_SIZE, "longer than %d characters", CARD_SPEC_SIZE - 1);
    return false;
}

bool card_add_value(const char *name, enum card_key key, const char *value,
                    char with[CARD_SPEC_SIZE], char why[CARD_WHY_SIZE])
{
    int n = snprintf(with, CARD_SPEC_SIZE, "%s,%s=%s", name ? name : CARD_SOFTWARE,
                     card_key_infos[key].key, value);
    if (n < CARD_SPEC_SIZE)
        return true;
    snprintf(why, CARD_WHY_SIZE, "longer than %d characters", CARD_SPEC_SIZE - 1);
    return false;
}
