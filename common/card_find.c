// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Where card profiles are: built in, and in files of users.

#include "card.h"

#include "cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

// The directories of users' files, in the order in which they are searched. False: no more.
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

// NULL with errno set. Does not wait for what is not a file.
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
    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "/"), name);
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

bool card_find(const char *name, struct card *card, char why[CARD_WHY_SIZE])
{
    struct card made;

    size_t length = strlen(name);

    card_init(&made);
    if (length >= CARD_NAME_SIZE && !is_path(name)) {
        snprintf(why, CARD_WHY_SIZE, "longer than %d characters", CARD_NAME_SIZE - 1);
        return false;
    }
    // Of a long path its end.
    snprintf(made.name, sizeof(made.name), "%s",
             length < CARD_NAME_SIZE ? name : name + length - (CARD_NAME_SIZE - 1));
    if (strcmp(name, CARD_SOFTWARE) != 0) {
        cleanup_free char *text = card_text(name, why);
        const char *release = is_path(name) ? NULL : strchr(name, '/');
        if (!text || !card_parse(text, release ? release + 1 : "", &made, why))
            return false;
    }
    *card = made;
    return true;
}
