// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The list of devices and their properties.

#include "core/device_card.h"
#include "core/device_list.h"
#include "core/device_object.h"
#include "core/info_list.h"
#include "core/report.h"

#include <stdatomic.h>
#include <string.h>

struct doca_devinfo *devinfo_ref(struct doca_devinfo *devinfo)
{
    atomic_fetch_add(&devinfo->refs, 1);
    return devinfo;
}

struct doca_devinfo *devinfo_unref(struct doca_devinfo *devinfo)
{
    if (!devinfo || atomic_fetch_sub(&devinfo->refs, 1) > 1)
        return NULL;
    session_unref(devinfo->session);
    if (devinfo->function)
        docad__function__free_unpacked(devinfo->function, NULL);
    free(devinfo);
    return NULL;
}

const Docad__Function *devinfo_function(const struct doca_devinfo *devinfo)
{
    return devinfo->function;
}

// Takes over *function.
static doca_error_t devinfo_new(struct session *session, Docad__Function **function,
                                const struct card *card, struct doca_devinfo **out,
                                struct errtext *err)
{
    struct pci_address pci;

    if (!*function || !pci_address_parse((*function)->pci_address, &pci))
        return errtext_set(err, DOCA_ERROR_UNEXPECTED,
                           "docad lists a function with the PCI address \"%s\"; check its "
                           "configuration",
                           *function ? (*function)->pci_address : "");
    struct doca_devinfo *devinfo = calloc(1, sizeof(*devinfo));
    if (!devinfo)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    atomic_init(&devinfo->refs, 1);
    devinfo->session = session_ref(session);
    devinfo->function = steal_ptr(*function);
    devinfo->pci = pci;
    devinfo->card = *card;
    card_restrict_to_function(&devinfo->card, devinfo->function, session_on_dpu(session));
    *out = devinfo;
    return DOCA_SUCCESS;
}

// ---- the list -------------------------------------------------------------------

static void list_free(struct info_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        devinfo_unref(list->entries[i]);
    info_list_end(list);
}

static doca_error_t ask_functions(struct session *session, Docad__Message **reply,
                                  struct errtext *err)
{
    Docad__FunctionList ask = DOCAD__FUNCTION_LIST__INIT;

    doca_error_t e = session_call(session, message_of(FUNCTION_LIST, function_list, &ask), NULL, 0,
                                  reply, NULL, err);
    if (e == DOCA_SUCCESS && (*reply)->body_case != DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY)
        e = errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer has the wrong type");
    return e;
}

// Fills the list, whose length is the number of docad's functions.
static doca_error_t list_fill(struct session *session, Docad__FunctionListReply *functions,
                              struct info_list *list, struct errtext *err)
{
    struct card card;
    bool given;

    doca_error_t e = card_of_environment(&card, &given, err);
    for (size_t i = 0; i < list->count && e == DOCA_SUCCESS; i++) {
        struct doca_devinfo *devinfo = NULL;
        const Docad__Function *function = functions->functions[i];
        if (!given)
            e = card_of_list(functions, function ? function->card : "", &card, err);
        if (e == DOCA_SUCCESS)
            e = devinfo_new(session, &functions->functions[i], &card, &devinfo, err);
        list->entries[i] = devinfo;
    }
    return e;
}

static doca_error_t list_create(struct session *session, struct info_list **out,
                                struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    doca_error_t e = ask_functions(session, &reply, err);
    if (e != DOCA_SUCCESS)
        return e;

    Docad__FunctionListReply *functions = reply->function_list_reply;
    struct info_list *list = info_list_new(functions->n_functions);
    if (!list)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    e = list_fill(session, functions, list, err);
    if (e != DOCA_SUCCESS) {
        list_free(list);
        return e;
    }
    *out = list;
    return DOCA_SUCCESS;
}

doca_error_t devinfo_list_make(const char *function, struct doca_devinfo ***dev_list,
                               uint32_t *nb_devs)
{
    struct errtext err = {""};
    struct session *session = NULL;
    struct info_list *list = NULL;

    if (!dev_list || !nb_devs)
        return REFUSED_NULL_OF(function, dev_list, nb_devs);
    doca_error_t e = session_get(&session, &err);
    if (e == DOCA_SUCCESS)
        e = list_create(session, &list, &err);
    session_unref(session);
    if (e != DOCA_SUCCESS)
        return report(function, CODE_AMONG(e, DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NO_MEMORY), &err);
    *dev_list = (struct doca_devinfo **)list->entries;
    *nb_devs = (uint32_t)list->count;
    return DOCA_SUCCESS;
}

doca_error_t devinfo_list_free(const char *function, struct doca_devinfo **dev_list)
{
    if (!dev_list)
        return REFUSED_NULL_OF(function, dev_list);
    struct info_list *list = info_list_of(dev_list);
    if (!alive_now(&list->alive))
        return report_why(function, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    list_free(list);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    return devinfo_list_make(__func__, dev_list, nb_devs);
}

doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list)
{
    return devinfo_list_free(__func__, dev_list);
}

// ---- properties -----------------------------------------------------------------

doca_error_t pci_text_equal(const struct pci_address *pci, const char *text, uint8_t *is_equal,
                            struct errtext *err)
{
    struct pci_address asked;

    if (!pci_address_parse(text, &asked))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "\"%.32s\" is not a PCI address; write it as 0000:03:00.0 or 03:00.0",
                           text);
    *is_equal = pci_address_is(&asked, pci);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
    if (!devinfo || !pci_addr_str)
        return REFUSED_NULL(devinfo, pci_addr_str);
    pci_address_format(&devinfo->pci, pci_addr_str);
    return DOCA_SUCCESS;
}

doca_error_t devinfo_pci_equal(const char *function, const struct doca_devinfo *devinfo,
                               const char *pci_addr_str, uint8_t *is_equal)
{
    struct errtext err = {""};

    if (!devinfo || !pci_addr_str || !is_equal)
        return REFUSED_NULL_OF(function, devinfo, pci_addr_str, is_equal);
    doca_error_t e = pci_text_equal(&devinfo->pci, pci_addr_str, is_equal, &err);
    return report_once(function, e, &err);
}

doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
                                                const char *pci_addr_str, uint8_t *is_equal)
{
    return devinfo_pci_equal(__func__, devinfo, pci_addr_str, is_equal);
}

// Copies a property of `length` bytes; returns `missing` if the device does not have it.
static doca_error_t get_bytes(const char *function, const struct doca_devinfo *devinfo,
                              const ProtobufCBinaryData *value, uint32_t length,
                              doca_error_t missing, uint8_t *out, uint32_t size)
{
    struct errtext err = {""};

    if (size < length)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the buffer has %u bytes, the property needs %u", size, length),
                      &err);
    if (value->len != length)
        return report(
            function,
            errtext_set(&err, missing, "function %s has no such address", devinfo->function->name),
            &err);
    memcpy(out, value->data, length);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size)
{
    if (!devinfo || !ipv4_addr)
        return REFUSED_NULL(devinfo, ipv4_addr);
    return get_bytes(__func__, devinfo, &devinfo->function->ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE,
                     DOCA_ERROR_OPERATING_SYSTEM, ipv4_addr, size);
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size)
{
    if (!devinfo || !ipv6_addr)
        return REFUSED_NULL(devinfo, ipv6_addr);
    return get_bytes(__func__, devinfo, &devinfo->function->ipv6, DOCA_DEVINFO_IPV6_ADDR_SIZE,
                     DOCA_ERROR_OPERATING_SYSTEM, ipv6_addr, size);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size)
{
    if (!devinfo || !mac_addr)
        return REFUSED_NULL(devinfo, mac_addr);
    return get_bytes(__func__, devinfo, &devinfo->function->mac, DOCA_DEVINFO_MAC_ADDR_SIZE,
                     DOCA_ERROR_NOT_SUPPORTED, mac_addr, size);
}

doca_error_t devinfo_copy_name(const char *function, const char *name, uint32_t room, char *out,
                               uint32_t size)
{
    struct errtext err = {""};

    if (size < room)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the buffer has %u bytes, the property needs %u", size, room),
                      &err);
    size_t length = strnlen(name, room - 1);
    memcpy(out, name, length);
    out[length] = '\0';
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size)
{
    struct errtext err = {""};

    if (!devinfo || !iface_name)
        return REFUSED_NULL(devinfo, iface_name);
    if (size >= DOCA_DEVINFO_IFACE_NAME_SIZE && !devinfo->function->iface[0])
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_OPERATING_SYSTEM,
                                  "function %s has no network interface", devinfo->function->name),
                      &err);
    return devinfo_copy_name(__func__, devinfo->function->iface, DOCA_DEVINFO_IFACE_NAME_SIZE,
                             iface_name, size);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size)
{
    if (!devinfo || !ibdev_name)
        return REFUSED_NULL(devinfo, ibdev_name);
    return devinfo_copy_name(__func__, devinfo->function->ibdev, DOCA_DEVINFO_IBDEV_NAME_SIZE,
                             ibdev_name, size);
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
    struct errtext err = {""};

    if (!devinfo || !lid)
        return REFUSED_NULL(devinfo, lid);
    const Docad__Function *function = devinfo->function;
    if (!function->verbs || function->verbs->ethernet)
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "function %s %s, and has no LID",
                        function->name,
                        function->verbs ? "has an Ethernet port" : "is a software function"),
            &err);
    *lid = (uint16_t)function->verbs->lid;
    return DOCA_SUCCESS;
}

// ---- capabilities ---------------------------------------------------------------

static doca_error_t get_flag(const char *function, const struct doca_devinfo *devinfo, uint8_t *out,
                             bool value)
{
    if (!devinfo || !out)
        return REFUSED_NULL_OF(function, devinfo, out);
    *out = value;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager)
{
    return get_flag(__func__, devinfo, is_hotplug_manager, false);
}

doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *mmap_export)
{
    return get_flag(__func__, devinfo, mmap_export, devinfo && devinfo->function->can_export_dpu);
}

doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                                uint8_t *from_export)
{
    return get_flag(__func__, devinfo, from_export, devinfo && devinfo->function->can_import_dpu);
}

doca_error_t doca_devinfo_rep_get_is_list_all_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *all_supported)
{
    return get_flag(__func__, devinfo, all_supported, devinfo && devinfo->function->can_list_reps);
}

doca_error_t doca_devinfo_rep_get_is_list_net_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *net_supported)
{
    return get_flag(__func__, devinfo, net_supported, devinfo && devinfo->function->can_list_reps);
}

doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(const struct doca_devinfo *devinfo,
                                                             uint8_t *emulated_supported)
{
    return get_flag(__func__, devinfo, emulated_supported, false);
}
