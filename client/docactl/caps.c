// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the libraries can do on each device. libdoca-client itself is asked, so that docactl says
// what programs are told. It is loaded for this command alone: nothing else of docactl needs it.

#include "caps.h"

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
    struct doca_devinfo **list;
    uint32_t n;
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
    setenv("DOCAD_LOG_LEVEL", "off", 1);         // what is not supported is no failure here
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
    doca_error_t r = c->create_list(&c->list, &c->n);
    return r == DOCA_SUCCESS ? OUTCOME_DONE
                             : ctl_fail(ctl, OUTCOME_REFUSED, r, LIBRARY " cannot list devices");
}

static void unload(struct client *c)
{
    if (c->list)
        c->destroy_list(c->list);
    if (c->library)
        dlclose(c->library);
}

static const struct doca_devinfo *find(const struct client *c, const char *ibdev)
{
    char text[128];
    for (uint32_t i = 0; i < c->n; i++)
        if (c->get_ibdev_name(c->list[i], text, sizeof(text)) == DOCA_SUCCESS &&
            strcmp(text, ibdev) == 0)
            return c->list[i];
    return NULL;
}

// ---- one capability -------------------------------------------------------------------------

#define ASK(type, fn, devinfo, row, out)                                                           \
    ((row)->choice < 0                                                                             \
         ? ((doca_error_t(*)(const struct doca_devinfo *, type *))(fn))(devinfo, out)              \
         : ((doca_error_t(*)(const struct doca_devinfo *, int, type *))(fn))(devinfo,              \
                                                                             (row)->choice, out))

static doca_error_t ask(const struct cap_row *row, any_fn fn, const struct doca_devinfo *devinfo,
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

static void add(struct json_object *array, const char *device, const struct cap_row *row,
                doca_error_t r, uint64_t value)
{
    struct json_object *object = json_object_new_object();
    bool limit = row->form != CAP_STATUS && row->form != CAP_FLAG;
    bool no = r == DOCA_ERROR_NOT_SUPPORTED || (r == DOCA_ERROR_INVALID_VALUE && row->choice >= 0);
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, value);
    put_text(object, "device", device);
    put_text(object, "library", row->library);
    put_text(object, "capability", row->capability);
    put_text(object, "value",
             no                  ? "no"
             : r != DOCA_SUCCESS ? doca_get_error_name(r)
             : limit             ? number
                                 : "yes");
    if (limit && r == DOCA_SUCCESS)
        put_number(object, "limit", value);
    put_text(object, "function", row->function);
    json_object_array_add(array, object);
}

// ---- all of them ----------------------------------------------------------------------------

static enum outcome ask_all(struct ctl *ctl, const struct client *c, const char *device,
                            const struct doca_devinfo *devinfo, struct json_object *array)
{
    for (size_t i = 0; i < n_cap_rows; i++) {
        uint64_t value = 0;
        any_fn fn;
        void *found = dlsym(c->library, cap_rows[i].function);
        if (!found)
            return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                            "%s; " LIBRARY " is of another version than docactl (%s)", dlerror(),
                            DOCAD_VERSION);
        memcpy(&fn, &found, sizeof(fn));
        doca_error_t r = ask(&cap_rows[i], fn, devinfo, &value);
        add(array, device, &cap_rows[i], r, value);
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

static enum outcome ask_devices(struct ctl *ctl, const struct client *c,
                                struct json_object *devices, struct json_object *array)
{
    const char *wanted = ctl->args.positional[0];
    enum outcome outcome = OUTCOME_DONE;

    for (size_t i = 0; i < json_object_array_length(devices) && outcome == OUTCOME_DONE; i++) {
        struct json_object *object = json_object_array_get_idx(devices, i);
        const char *name = json_object_get_string(json_object_object_get(object, "name"));
        const char *ibdev = json_object_get_string(json_object_object_get(object, "ibdev"));
        const struct doca_devinfo *devinfo = find(c, ibdev);
        if (devinfo && (!wanted || strcmp(name, wanted) == 0))
            outcome = ask_all(ctl, c, name, devinfo, array);
    }
    if (outcome == OUTCOME_DONE && wanted && json_object_array_length(array) == 0)
        return no_device(ctl, wanted);
    return outcome;
}

enum outcome run_caps(struct ctl *ctl)
{
    struct json_object *devices = json_object_new_array(), *array = json_object_new_array();
    struct client client = {0};

    enum outcome outcome = fetch_devices(ctl, devices);
    if (outcome == OUTCOME_DONE)
        outcome = load(ctl, &client);
    if (outcome == OUTCOME_DONE)
        outcome = ask_devices(ctl, &client, devices, array);
    unload(&client);
    json_object_put(devices);
    if (outcome == OUTCOME_DONE)
        return show_array(ctl, array, cap_fields);
    json_object_put(array);
    return outcome;
}
