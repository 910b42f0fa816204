// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Flags whose value is a device, of DOCA 3.1 and later:
//
//     pci/03:00.0                  a device by its PCI address; "pci/" may be missing
//     pci/03:00.0,fast=1           with arguments, which the program reads
//     pci/03:00.0,pf0vf1           a representor under that device, by its name
//     pci/03:00.0,vf1,fast=1       of the device's own port, with arguments

#include "argp.h"

#include "core/device_list.h"
#include "pci_address.h"

#include <string.h>

// Returns the next part of a text that is separated by commas, or NULL.
static char *cut(char *text)
{
    char *comma = text ? strchr(text, ',') : NULL;

    if (!comma)
        return NULL;
    *comma = 0;
    return comma + 1;
}

static doca_error_t not_found(const struct value *value, const char *what, const char *name,
                              struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s: there is no %s \"%s\"",
                       FLAG_NAME(value->param), what, name);
}

// ---- devices -------------------------------------------------------------------------

// Returns a device that an earlier value has opened, or NULL.
static struct doca_dev *opened_before(const struct list *list, const struct doca_devinfo *info)
{
    const struct value *value;
    list_for_each (value, list, link) {
        const struct doca_dev *dev = value->device.device.dev;
        if (dev && dev_function(dev)->id == devinfo_function(info)->id)
            return value->device.device.dev;
    }
    return NULL;
}

static doca_error_t open_found(struct values *values, struct value *value,
                               struct doca_devinfo *info, struct errtext *err)
{
    struct doca_dev *dev = opened_before(&values->from_file, info);
    if (!dev)
        dev = opened_before(&values->from_line, info);
    if (!dev) {
        doca_error_t result = argp.open_device ? argp.open_device(info, argp.open_context, &dev)
                                               : doca_dev_open(info, &dev);
        if (result != DOCA_SUCCESS || !dev)
            return errtext_set(err, result != DOCA_SUCCESS ? result : DOCA_ERROR_INVALID_VALUE,
                               "%s: device %s cannot be opened", FLAG_NAME(value->param),
                               devinfo_function(info)->name);
        value->own_device = !argp.open_device; // otherwise the program closes it
    }
    value->device.device.dev = dev;
    return DOCA_SUCCESS;
}

static doca_error_t open_device(struct values *values, struct value *value, const char *address,
                                struct errtext *err)
{
    struct doca_devinfo **list, *found = NULL;
    struct pci_address wanted, own;
    uint32_t count;

    if (!pci_address_parse(address, &wanted))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: \"%s\" is not a PCI address, such as pci/03:00.0",
                           FLAG_NAME(value->param), address);
    doca_error_t result = devinfo_list_make("doca_argp_start", &list, &count);
    if (result != DOCA_SUCCESS)
        return errtext_set(err, result, "%s: the devices cannot be listed",
                           FLAG_NAME(value->param));
    for (uint32_t i = 0; i < count && !found; i++)
        if (pci_address_parse(devinfo_function(list[i])->pci_address, &own) &&
            pci_address_is(&own, &wanted))
            found = list[i];
    result =
        found ? open_found(values, value, found, err) : not_found(value, "device", address, err);
    (void)devinfo_list_free("doca_argp_start", list);
    return result;
}

// ---- representors --------------------------------------------------------------------

// "pf0vf1", or "vf1" of the device's own port; docad puts an h before names of the host's
// functions.
static bool is_named(const struct doca_devinfo_rep *rep, const char *name)
{
    const char *own = devinfo_rep_representor(rep)->name;
    char whole[64];

    if (strcmp(own, name) == 0)
        return true;
    own += *own == 'h';
    snprintf(whole, sizeof(whole), "pf%u%s", dev_function(devinfo_rep_parent(rep))->port, name);
    return strcmp(own, name) == 0 || strcmp(own, whole) == 0;
}

static doca_error_t open_representor(struct value *value, const char *name, struct errtext *err)
{
    struct doca_devinfo_rep **list, *found = NULL;
    uint32_t count;

    if (!name)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: name a representor behind the device, such as pci/03:00.0,pf0vf1",
                           FLAG_NAME(value->param));
    doca_error_t result = devinfo_rep_list_make("doca_argp_start", value->device.device.dev,
                                                DOCA_DEV_REP_FILTER_NET, &list, &count);
    if (result != DOCA_SUCCESS)
        return errtext_set(err, result, "%s: the representors cannot be listed",
                           FLAG_NAME(value->param));
    for (uint32_t i = 0; i < count && !found; i++)
        if (is_named(list[i], name))
            found = list[i];
    if (!found)
        result = not_found(value, "representor", name, err);
    else if ((result = doca_dev_rep_open(found, &value->device.rep)) != DOCA_SUCCESS)
        errtext_set(err, result, "%s: representor %s cannot be opened", FLAG_NAME(value->param),
                    name);
    value->own_rep = result == DOCA_SUCCESS;
    (void)devinfo_rep_list_free("doca_argp_start", list);
    return result;
}

// ---- all values ----------------------------------------------------------------------

static doca_error_t open_value(struct values *values, struct value *value, struct errtext *err)
{
    static const char bus[] = "pci/";
    bool is_rep = value->param->type == ARGP_TYPE_DEVICE_REP;

    value->device_text = strdup(value->string);
    if (!value->device_text)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    char *address = value->device_text, *rest = cut(address), *name = is_rep ? rest : NULL;
    value->device.device.arguments = is_rep ? cut(name) : rest;
    if (strncmp(address, bus, strlen(bus)) == 0)
        address += strlen(bus);
    doca_error_t result = open_device(values, value, address, err);
    return result == DOCA_SUCCESS && is_rep ? open_representor(value, name, err) : result;
}

static doca_error_t open_list(struct values *values, struct list *list, struct errtext *err)
{
    struct value *value;
    list_for_each (value, list, link) {
        doca_error_t result =
            value_is_device(value) ? open_value(values, value, err) : DOCA_SUCCESS;
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

doca_error_t devices_open(struct values *values, struct errtext *err)
{
    doca_error_t result = open_list(values, &values->from_file, err);
    return result == DOCA_SUCCESS ? open_list(values, &values->from_line, err) : result;
}

static void close_list(struct list *list)
{
    struct value *value;
    list_for_each (value, list, link) {
        if (value->own_rep)
            (void)doca_dev_rep_close(value->device.rep);
        if (value->own_device)
            (void)dev_close("doca_argp_start", value->device.device.dev);
        value->own_rep = value->own_device = false;
    }
}

void devices_close(struct values *values)
{
    close_list(&values->from_line);
    close_list(&values->from_file);
}
