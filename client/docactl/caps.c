// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the libraries can do on each device. docactl queries libdoca-client itself, so that it shows
// what programs get. It is loaded for this command only: nothing else of docactl needs it. It is
// queried twice: as the card that the device imitates, and as the one to compare that with.

#include "caps.h"

#include "card.h"
#include "cleanup.h"
#include "listing.h"
#include "themes.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libdoca-client.so.2"

struct doca_devinfo;
typedef doca_error_t (*any_fn)(const struct doca_devinfo *devinfo, ...);

struct client {
    void *library;
    doca_error_t (*create_list)(struct doca_devinfo ***list, uint32_t *n);
    doca_error_t (*destroy_list)(struct doca_devinfo **list);
    doca_error_t (*get_ibdev_name)(const struct doca_devinfo *devinfo, char *ibdev, uint32_t size);
    struct side {
        const char *card; // NULL: that of each device
        struct doca_devinfo **list;
        uint32_t n;
    } sides[2];
};

static enum outcome load(struct ctl *ctl, struct client *c)
{
    const struct {
        const char *name;
        void *function; // a pointer to one
    } functions[] = {{"doca_devinfo_create_list", &c->create_list},
                     {"doca_devinfo_destroy_list", &c->destroy_list},
                     {"doca_devinfo_get_ibdev_name", &c->get_ibdev_name}};

    setenv("DOCAD_SOCKET", ctl->socket_path, 1); // the same daemon
    setenv("DOCAD_LOG_LEVEL", "off", 1);         // an unsupported capability is no failure here
    c->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "docactl asks the library that programs use, and cannot load it: %s; "
                        "install " LIBRARY,
                        dlerror());
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *found = dlsym(c->library, functions[i].name);
        if (!found)
            return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, LIBRARY ": %s", dlerror());
        memcpy(functions[i].function, &found, sizeof(found));
    }
    return OUTCOME_DONE;
}

// The library reads DOCAD_CARD when it makes a list.
static enum outcome make_lists(struct ctl *ctl, struct client *c)
{
    for (size_t i = 0; i < 2; i++) {
        struct side *side = &c->sides[i];
        if (side->card)
            setenv("DOCAD_CARD", side->card, 1);
        doca_error_t r = c->create_list(&side->list, &side->n);
        if (r != DOCA_SUCCESS)
            return ctl_fail(ctl, OUTCOME_REFUSED, r, LIBRARY " cannot list devices");
    }
    return OUTCOME_DONE;
}

static void unload(struct client *c)
{
    for (size_t i = 0; i < 2; i++)
        if (c->sides[i].list)
            c->destroy_list(c->sides[i].list);
    if (c->library)
        dlclose(c->library);
}

static const struct doca_devinfo *find(const struct client *c, const struct side *side,
                                       const char *ibdev)
{
    char text[128];
    for (uint32_t i = 0; i < side->n; i++)
        if (c->get_ibdev_name(side->list[i], text, sizeof(text)) == DOCA_SUCCESS &&
            strcmp(text, ibdev) == 0)
            return side->list[i];
    return NULL;
}

// ---- one capability -------------------------------------------------------------------------

#define ASK(type, fn, devinfo, row, out)                                                           \
    ((row)->choice < 0                                                                             \
         ? ((doca_error_t(*)(const struct doca_devinfo *, type *))(fn))(devinfo, out)              \
         : ((doca_error_t(*)(const struct doca_devinfo *, int, type *))(fn))(devinfo,              \
                                                                             (row)->choice, out))

static doca_error_t query(const struct cap_row *row, any_fn fn, const struct doca_devinfo *devinfo,
                          uint64_t *value)
{
    doca_error_t r;
    uint8_t flag = 0;
    uint32_t number = 0;
    size_t size = 0;

    switch (row->form) {
    case CAP_FLAG:
        r = ASK(uint8_t, fn, devinfo, row, &flag);
        *value = flag;
        return r == DOCA_SUCCESS && !flag ? DOCA_ERROR_NOT_SUPPORTED : r;
    case CAP_UINT32:
        r = ASK(uint32_t, fn, devinfo, row, &number);
        *value = number;
        return r;
    case CAP_UINT64:
        return ASK(uint64_t, fn, devinfo, row, value);
    case CAP_SIZE:
        r = ASK(size_t, fn, devinfo, row, &size);
        *value = size;
        return r;
    case CAP_STATUS:
    default:
        if (row->choice < 0)
            return ((doca_error_t(*)(const struct doca_devinfo *))fn)(devinfo);
        return ((doca_error_t(*)(const struct doca_devinfo *, int))fn)(devinfo, row->choice);
    }
}

struct answer {
    doca_error_t r;
    uint64_t value;
    char text[64];
};

static bool is_limit(const struct cap_row *row)
{
    return row->form != CAP_STATUS && row->form != CAP_FLAG;
}

static struct answer answer(const struct cap_row *row, any_fn fn,
                            const struct doca_devinfo *devinfo)
{
    struct answer a = {.value = 0};

    a.r = query(row, fn, devinfo, &a.value);
    bool no =
        a.r == DOCA_ERROR_NOT_SUPPORTED || (a.r == DOCA_ERROR_INVALID_VALUE && row->choice >= 0);
    if (a.r == DOCA_SUCCESS && is_limit(row))
        snprintf(a.text, sizeof(a.text), "%" PRIu64, a.value);
    else
        snprintf(a.text, sizeof(a.text), "%s",
                 no                    ? "no"
                 : a.r != DOCA_SUCCESS ? doca_get_error_name(a.r)
                                       : "yes");
    return a;
}

// A device, with the cards of both sides.
struct asked {
    const char *device, *cards[2];
    const struct doca_devinfo *infos[2];
};

static void add(struct json_object *array, const struct asked *asked, const struct cap_row *row,
                const struct answer answers[2])
{
    struct json_object *object = json_object_new_object();
    bool differs = strcmp(answers[0].text, answers[1].text) != 0;

    put_text(object, "device", asked->device);
    put_text(object, "library", row->library);
    put_text(object, "capability", row->capability);
    put_text(object, "value", answers[0].text);
    if (is_limit(row) && answers[0].r == DOCA_SUCCESS)
        put_number(object, "limit", answers[0].value);
    put_text(object, "function", row->function);
    put_text(object, "card", asked->cards[0]);
    put_text(object, "other_card", asked->cards[1]);
    put_text(object, "other", differs ? answers[1].text : "");
    json_object_array_add(array, object);
}

// ---- all of them ----------------------------------------------------------------------------

static enum outcome ask_all(struct ctl *ctl, const struct client *c, const struct asked *asked,
                            struct json_object *array)
{
    for (size_t i = 0; i < n_cap_rows; i++) {
        any_fn fn;
        void *found = dlsym(c->library, cap_rows[i].function);
        if (!found)
            return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                            "%s; " LIBRARY " is of another version than docactl (%s)", dlerror(),
                            DOCAD_VERSION);
        memcpy(&fn, &found, sizeof(fn));
        const struct answer answers[2] = {answer(&cap_rows[i], fn, asked->infos[0]),
                                          answer(&cap_rows[i], fn, asked->infos[1])};
        add(array, asked, &cap_rows[i], answers);
    }
    return OUTCOME_DONE;
}

static bool is_library(const char *name)
{
    for (size_t i = 0; i < n_cap_rows; i++)
        if (strcmp(cap_rows[i].library, name) == 0)
            return true;
    return false;
}

static enum outcome no_device(struct ctl *ctl, const char *wanted)
{
    if (is_library(wanted))
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "node %s has no device '%s'; to see the library of that name, use "
                        "'docactl caps -f library=%s'",
                        ctl->node_name, wanted, wanted);
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "node %s has no device '%s'; see 'docactl devices'", ctl->node_name, wanted);
}

static const char *card_of(const struct side *side, struct json_object *device)
{
    const char *named = json_object_get_string(json_object_object_get(device, "card"));
    return side->card ? side->card : named && *named ? named : CARD_SOFTWARE;
}

static enum outcome ask_devices(struct ctl *ctl, const struct client *c, const char *wanted,
                                struct json_object *devices, struct json_object *array)
{
    enum outcome outcome = OUTCOME_DONE;

    for (size_t i = 0; i < json_object_array_length(devices) && outcome == OUTCOME_DONE; i++) {
        struct json_object *object = json_object_array_get_idx(devices, i);
        const char *name = json_object_get_string(json_object_object_get(object, "name"));
        const char *ibdev = json_object_get_string(json_object_object_get(object, "ibdev"));
        const struct asked asked = {
            .device = name,
            .cards = {card_of(&c->sides[0], object), card_of(&c->sides[1], object)},
            .infos = {find(c, &c->sides[0], ibdev), find(c, &c->sides[1], ibdev)}};
        if (asked.infos[0] && asked.infos[1] && (!wanted || strcmp(name, wanted) == 0))
            outcome = ask_all(ctl, c, &asked, array);
    }
    if (outcome == OUTCOME_DONE && wanted && json_object_array_length(array) == 0)
        return no_device(ctl, wanted);
    return outcome;
}

// --compare has two cards, then perhaps a device; without it the device stands alone.
static enum outcome choose_cards(struct ctl *ctl, struct client *c, const char **wanted)
{
    const struct arguments *args = &ctl->args;
    const char *own = getenv("DOCAD_CARD");
    struct card card;
    char why[CARD_WHY_SIZE];
    bool compares = args->options[OPTION_COMPARE];

    if (compares && args->n < 2)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--compare takes two cards, such as bluefield-2 bluefield-3");
    if (!compares && args->n > 1)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE, "unexpected argument '%s'",
                        args->positional[1]);
    *wanted = args->positional[compares ? 2 : 0];
    c->sides[0].card = compares ? args->positional[0] : own && *own ? own : NULL;
    c->sides[1].card = compares ? args->positional[1] : CARD_SOFTWARE;
    for (size_t i = 0; i < 2; i++)
        if (c->sides[i].card && !card_find(c->sides[i].card, &card, why))
            return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, "card '%s': %s",
                            c->sides[i].card, why);
    return OUTCOME_DONE;
}

enum outcome run_caps(struct ctl *ctl)
{
    struct json_object *devices = json_object_new_array(), *array = json_object_new_array();
    struct client client = {0};
    const char *wanted = NULL;

    enum outcome outcome = choose_cards(ctl, &client, &wanted);
    if (outcome == OUTCOME_DONE)
        outcome = fetch_devices(ctl, devices);
    if (outcome == OUTCOME_DONE)
        outcome = load(ctl, &client);
    if (outcome == OUTCOME_DONE)
        outcome = make_lists(ctl, &client);
    if (outcome == OUTCOME_DONE)
        outcome = ask_devices(ctl, &client, wanted, devices, array);
    unload(&client);
    json_object_put(devices);
    if (outcome == OUTCOME_DONE)
        return show_array(ctl, array, cap_fields);
    json_object_put(array);
    return outcome;
}
