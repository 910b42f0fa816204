// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The card profiles.

#include "card.h"

#include "card_import.h"
#include "cleanup.h"
#include "listing.h"
#include "themes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES ((size_t)1 << 20)

static bool is_built_in(const char *name)
{
    for (const struct card_built_in *card = cards_built_in; card->name; card++)
        if (strcmp(card->name, name) == 0)
            return true;
    return strcmp(name, CARD_SOFTWARE) == 0;
}

// Prints "2.2, 2.9" into a text that is large enough for what is common.
static void list_releases(const char *profile, char *out, size_t size)
{
    struct choice releases = {.n = 0};

    card_releases(profile, &releases);
    out[0] = '\0';
    for (size_t i = 0; i < releases.n; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", i ? ", " : "", releases.words[i]);
    }
}

static void add_profile(struct json_object *array, const char *name)
{
    struct json_object *object = json_object_new_object();
    char why[CARD_WHY_SIZE], wrong[CARD_WHY_SIZE], releases[256] = "";
    struct card card;

    bool is_good = card_find(name, &card, wrong);
    cleanup_free char *profile = strcmp(name, CARD_SOFTWARE) == 0 ? NULL : card_text(name, why);
    if (profile)
        list_releases(profile, releases, sizeof(releases));
    put_text(object, "card", name);
    put_text(object, "from", is_built_in(name) ? "built in" : "file");
    put_text(object, "releases", releases);
    put_text(object, "wrong", is_good ? "" : wrong);
    json_object_array_add(array, object);
}

enum outcome run_card_list(struct ctl *ctl)
{
    struct json_object *array = json_object_new_array();
    struct choice names = {.n = 0};

    card_names(&names);
    for (size_t i = 0; i < names.n; i++)
        add_profile(array, names.words[i]);
    return show_array(ctl, array, card_fields);
}

static void add(struct json_object *array, const struct card *card, enum card_key key)
{
    struct json_object *object = json_object_new_object();
    char text[24];

    put_text(object, "key", card_key_infos[key].key);
    card_print_value(key, card->values[key], text);
    put_text(object, "value", text);
    card_print_value(key, card_software_value(key), text);
    put_text(object, "software", text);
    put_text(object, "meaning", card_key_infos[key].text);
    json_object_array_add(array, object);
}

enum outcome run_card_show(struct ctl *ctl)
{
    struct card card;
    char why[CARD_WHY_SIZE];

    if (!card_find(ctl->args.positional[0], &card, why))
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, "card '%s': %s",
                        ctl->args.positional[0], why);
    struct json_object *array = json_object_new_array();
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++)
        add(array, &card, (enum card_key)key);
    return show_array(ctl, array, card_value_fields);
}

// ---- import ----------------------------------------------------------------------------------

static char *read_all(const char *path)
{
    cleanup_file FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    cleanup_free char *text = file ? calloc(1, FILE_BYTES + 1) : NULL;

    if (!text)
        return NULL;
    size_t n = fread(text, 1, FILE_BYTES, file);
    text[n] = '\0';
    return ferror(file) ? NULL : steal_ptr(text);
}

static void print_profile(const struct card_import *found)
{
    printf("# Made by docactl card import of what doca_caps printed for %s.\n", found->device);
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++) {
        char text[24];
        card_print_value((enum card_key)key, found->card.values[key], text);
        if (found->given[key])
            printf("%s = %s\n", card_key_infos[key].key, text);
    }
    if (found->given[CARD_RDMA] && !card_has(&found->card, CARD_RDMA))
        printf("# PFs on the Arm side of a DPU have no RDMA. If %s is one, write rdma = yes and\n"
               "# rdma.sf_only_on_dpu = yes instead, and import RDMA's limits from an SF.\n",
               found->device);
    for (size_t i = 0; i < found->n_unknown; i++)
        printf("# %s\n", found->unknown[i]);
}

enum outcome run_card_import(struct ctl *ctl)
{
    const char *path = ctl->args.positional[0];
    cleanup_free char *text = read_all(path);
    cleanup_free struct card_import *found = calloc(1, sizeof(*found));

    if (!text || !found)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "%s: %s", path,
                        strerror(errno));
    card_import(text, ctl->args.options[OPTION_NAME], found);
    if (!found->n_given)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "%s has no capabilities of %s%s; name a file with the output of "
                        "doca_caps without options",
                        path, ctl->args.options[OPTION_NAME] ? "device " : "a device",
                        ctl->args.options[OPTION_NAME] ? ctl->args.options[OPTION_NAME] : "");
    if (!ctl->json) {
        print_profile(found);
        return OUTCOME_DONE;
    }
    struct json_object *array = json_object_new_array();
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++)
        if (found->given[key])
            add(array, &found->card, (enum card_key)key);
    return show_array(ctl, array, card_value_fields);
}
