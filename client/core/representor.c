// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Representors: listed under a device, and opened and closed like one.

#include "core/device_list.h"
#include "core/device_object.h"
#include "core/info_list.h"
#include "core/process.h"
#include "core/report.h"

#include <stdatomic.h>
#include <string.h>

// Reference-counted: held by its list, and by the representor that was opened through it.
struct doca_devinfo_rep {
    _Atomic unsigned refs;
    struct doca_dev *parent;
    Docad__Representor *representor;
    struct pci_address pci;
    struct doca_dev_rep *opened; // the representor that holds it
    struct doca_devinfo_rep *next_opened;
};

struct doca_dev_rep {
    struct list link;               // in `representors`
    unsigned opens;                 // of the program
    unsigned refs;                  // of objects, and one while it is open
    struct doca_devinfo_rep *info;  // the first that it was opened through
    struct doca_devinfo_rep *infos; // all of them
};

// Changed under `opening`, as are the representors on it.
static struct list representors = {&representors, &representors};
static struct call_lock opening = CALL_LOCK_INIT;

static struct doca_devinfo_rep *info_unref(struct doca_devinfo_rep *info)
{
    if (!info || atomic_fetch_sub(&info->refs, 1) > 1)
        return NULL;
    dev_unref(info->parent);
    docad__representor__free_unpacked(info->representor, NULL);
    free(info);
    return NULL;
}

// Takes over *representor.
static doca_error_t info_new(struct doca_dev *parent, Docad__Representor **representor,
                             struct doca_devinfo_rep **out, struct errtext *err)
{
    struct pci_address pci;

    if (!*representor || !pci_address_parse((*representor)->pci_address, &pci))
        return errtext_set(err, DOCA_ERROR_DRIVER,
                           "docad lists a representor with the PCI address \"%s\"; check the "
                           "configuration of the node it stands for",
                           *representor ? (*representor)->pci_address : "");
    struct doca_devinfo_rep *info = calloc(1, sizeof(*info));
    if (!info)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    atomic_init(&info->refs, 1);
    info->parent = dev_ref(parent);
    info->representor = steal_ptr(*representor);
    info->pci = pci;
    *out = info;
    return DOCA_SUCCESS;
}

// ---- the list -------------------------------------------------------------------

static void list_free(struct info_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        info_unref(list->entries[i]);
    info_list_end(list);
}

static doca_error_t check_filter(const struct doca_dev *dev, int filter, struct errtext *err)
{
    const int known = DOCA_DEV_REP_FILTER_NET | DOCA_DEV_REP_FILTER_EMULATED;

    if (filter & ~known)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the filter %#x has bits that are not in its enumeration", filter);
    if (!dev_function(dev)->can_list_reps)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s has no representors: only the physical functions of a DPU "
                           "have",
                           dev_function(dev)->name);
    if (filter == DOCA_DEV_REP_FILTER_EMULATED)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s has no emulated functions, only network functions",
                           dev_function(dev)->name);
    return DOCA_SUCCESS;
}

doca_error_t representors_ask(const struct doca_dev *dev, Docad__Message **reply,
                              struct errtext *err)
{
    Docad__RepresentorList ask = DOCAD__REPRESENTOR_LIST__INIT;

    ask.function_id = dev_function(dev)->id;
    doca_error_t e =
        session_call(dev_session(dev), message_of(REPRESENTOR_LIST, representor_list, &ask), NULL,
                     0, reply, NULL, err);
    if (e == DOCA_SUCCESS && (*reply)->body_case != DOCAD__MESSAGE__BODY_REPRESENTOR_LIST_REPLY)
        e = errtext_set(err, DOCA_ERROR_DRIVER, "docad's answer has the wrong type");
    return e;
}

static doca_error_t list_create(struct doca_dev *dev, struct info_list **out, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    doca_error_t e = representors_ask(dev, &reply, err);
    if (e != DOCA_SUCCESS)
        return e;

    Docad__RepresentorListReply *r = reply->representor_list_reply;
    struct info_list *list = info_list_new(r->n_representors);
    if (!list)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && e == DOCA_SUCCESS; i++) {
        struct doca_devinfo_rep *info = NULL;
        e = info_new(dev, &r->representors[i], &info, err);
        list->entries[i] = info;
    }
    if (e != DOCA_SUCCESS) {
        list_free(list);
        return e;
    }
    *out = list;
    return DOCA_SUCCESS;
}

doca_error_t devinfo_rep_list_make(const char *function, struct doca_dev *dev, int filter,
                                   struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep)
{
    struct errtext err = {""};
    struct info_list *list = NULL;

    if (!dev || !dev_list_rep || !nb_devs_rep)
        return REFUSED_NULL_OF(function, dev, dev_list_rep, nb_devs_rep);
    doca_error_t e = check_filter(dev, filter, &err);
    if (e == DOCA_SUCCESS)
        e = list_create(dev, &list, &err);
    if (e != DOCA_SUCCESS)
        return report(function,
                      CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE,
                                 DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NOT_SUPPORTED),
                      &err);
    *dev_list_rep = (struct doca_devinfo_rep **)list->entries;
    *nb_devs_rep = (uint32_t)list->count;
    return DOCA_SUCCESS;
}

doca_error_t devinfo_rep_list_free(const char *function, struct doca_devinfo_rep **dev_list_rep)
{
    if (!dev_list_rep)
        return REFUSED_NULL_OF(function, dev_list_rep);
    struct info_list *list = info_list_of(dev_list_rep);
    if (!alive_now(&list->alive))
        return report_why(function, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    list_free(list);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    return devinfo_rep_list_make(__func__, dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep)
{
    return devinfo_rep_list_free(__func__, dev_list_rep);
}

// ---- opening and closing, under `opening` ---------------------------------------

static struct doca_dev_rep *rep_find(const struct doca_devinfo_rep *info)
{
    struct doca_dev_rep *rep;
    list_for_each (rep, &representors, link)
        if (rep->info->parent == info->parent &&
            rep->info->representor->id == info->representor->id)
            return rep;
    return NULL;
}

static void rep_hold_info(struct doca_dev_rep *rep, struct doca_devinfo_rep *info)
{
    if (info->opened == rep)
        return;
    atomic_fetch_add(&info->refs, 1);
    info->opened = rep;
    info->next_opened = rep->infos;
    rep->infos = info;
}

static doca_error_t ask_open(const struct doca_devinfo_rep *info, struct errtext *err)
{
    Docad__RepresentorOpen ask = DOCAD__REPRESENTOR_OPEN__INIT;

    ask.representor_id = info->representor->id;
    return session_call(dev_session(info->parent),
                        message_of(REPRESENTOR_OPEN, representor_open, &ask), NULL, 0, NULL, NULL,
                        err);
}

static void ask_close(const struct doca_devinfo_rep *info)
{
    Docad__RepresentorClose ask = DOCAD__REPRESENTOR_CLOSE__INIT;

    ask.representor_id = info->representor->id;
    // The representor may have ended with its node, or docad may have ended.
    session_call(dev_session(info->parent), message_of(REPRESENTOR_CLOSE, representor_close, &ask),
                 NULL, 0, NULL, NULL, NULL);
}

static doca_error_t rep_new(struct doca_devinfo_rep *info, struct doca_dev_rep **out,
                            struct errtext *err)
{
    struct doca_dev_rep *rep = calloc(1, sizeof(*rep));
    if (!rep)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t e = ask_open(info, err);
    if (e != DOCA_SUCCESS) {
        free(rep);
        return e;
    }
    rep->info = info;
    process_lock();
    list_append(&representors, &rep->link);
    process_unlock();
    *out = rep;
    return DOCA_SUCCESS;
}

static void rep_free(struct doca_dev_rep *rep)
{
    process_lock();
    list_remove(&rep->link);
    process_unlock();
    ask_close(rep->info);
    while (rep->infos) {
        struct doca_devinfo_rep *info = rep->infos;
        rep->infos = info->next_opened;
        info->opened = NULL;
        info_unref(info);
    }
    free(rep);
}

static doca_error_t rep_open(struct doca_devinfo_rep *info, struct doca_dev_rep **out,
                             struct errtext *err)
{
    struct doca_dev_rep *rep = rep_find(info);
    doca_error_t e = rep ? DOCA_SUCCESS : rep_new(info, &rep, err);
    if (e != DOCA_SUCCESS)
        return e;
    rep_hold_info(rep, info);
    if (rep->opens++ == 0)
        rep->refs++;
    *out = rep;
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
    struct errtext err = {""};

    if (!devinfo || !dev_rep)
        return REFUSED_NULL(devinfo, dev_rep);
    call_lock(&opening);
    doca_error_t e = rep_open(devinfo, dev_rep, &err);
    call_unlock(&opening);
    if (e == DOCA_ERROR_NOT_FOUND)
        e = DOCA_ERROR_INVALID_VALUE;
    return report(
        __func__,
        CODE_AMONG(e, DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY),
        &err);
}

static void unref_locked(struct doca_dev_rep *rep)
{
    if (--rep->refs == 0)
        rep_free(rep);
}

struct doca_dev_rep *dev_rep_ref(struct doca_dev_rep *rep)
{
    call_lock(&opening);
    rep->refs++;
    call_unlock(&opening);
    return rep;
}

struct doca_dev_rep *dev_rep_unref(struct doca_dev_rep *rep)
{
    if (!rep)
        return NULL;
    call_lock(&opening);
    unref_locked(rep);
    call_unlock(&opening);
    return NULL;
}

const Docad__Representor *dev_rep_representor(const struct doca_dev_rep *rep)
{
    return rep->info->representor;
}

struct session *dev_rep_session(const struct doca_dev_rep *rep)
{
    return dev_session(rep->info->parent);
}

// Only compares the address: the representor may be freed.
static bool is_there(const struct doca_dev_rep *dev)
{
    const struct doca_dev_rep *rep;

    list_for_each (rep, &representors, link)
        if (rep == dev)
            return true;
    return false;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
    if (!dev)
        return REFUSED_NULL(dev);
    doca_error_t e = DOCA_SUCCESS;
    call_lock(&opening);
    if (!is_there(dev))
        e = DOCA_ERROR_INVALID_VALUE;
    else if (dev->opens == 0)
        e = DOCA_ERROR_IN_USE;
    else if (--dev->opens == 0)
        unref_locked(dev);
    call_unlock(&opening);
    return e == DOCA_SUCCESS
               ? e
               : report_why(__func__, e,
                            e == DOCA_ERROR_IN_USE
                                ? "the representor was closed as often as it was opened; objects "
                                  "still hold it"
                                : "the representor was closed already");
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
    return dev_rep ? dev_rep->info : NULL;
}

// ---- properties -----------------------------------------------------------------

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size)
{
    struct errtext err = {""};

    if (!devinfo_rep || !rep_vuid)
        return REFUSED_NULL(devinfo_rep, rep_vuid);
    if (size < DOCA_DEVINFO_REP_VUID_SIZE)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the buffer has %u bytes, the property needs %u", size,
                                  (unsigned)DOCA_DEVINFO_REP_VUID_SIZE),
                      &err);
    const char *vuid = devinfo_rep->representor->vuid;
    size_t length = strnlen(vuid, DOCA_DEVINFO_REP_VUID_SIZE - 1);
    memcpy(rep_vuid, vuid, length);
    rep_vuid[length] = '\0';
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str)
{
    if (!devinfo_rep || !pci_addr_str)
        return REFUSED_NULL(devinfo_rep, pci_addr_str);
    pci_address_format(&devinfo_rep->pci, pci_addr_str);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type)
{
    if (!devinfo_rep || !pci_func_type)
        return REFUSED_NULL(devinfo_rep, pci_func_type);
    *pci_func_type = (enum doca_pci_func_type)devinfo_rep->representor->type;
    return DOCA_SUCCESS;
}

doca_error_t devinfo_rep_pci_equal(const char *function, const struct doca_devinfo_rep *devinfo_rep,
                                   const char *pci_addr_str, uint8_t *is_equal)
{
    struct errtext err = {""};

    if (!devinfo_rep || !pci_addr_str || !is_equal)
        return REFUSED_NULL_OF(function, devinfo_rep, pci_addr_str, is_equal);
    doca_error_t e = pci_text_equal(&devinfo_rep->pci, pci_addr_str, is_equal, &err);
    return report_once(function, e, &err);
}

doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(const struct doca_devinfo_rep *devinfo_rep,
                                                    const char *pci_addr_str, uint8_t *is_equal)
{
    return devinfo_rep_pci_equal(__func__, devinfo_rep, pci_addr_str, is_equal);
}

const Docad__Representor *devinfo_rep_representor(const struct doca_devinfo_rep *devinfo_rep)
{
    return devinfo_rep->representor;
}

const struct doca_dev *devinfo_rep_parent(const struct doca_devinfo_rep *devinfo_rep)
{
    return devinfo_rep->parent;
}
