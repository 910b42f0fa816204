// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices of DOCA 3: its names of what 2.2 has, and more properties.

#include "core/device_list.h"
#include "core/report.h"

#include "cleanup.h"

#include <doca_dev.h>

#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- lists ----------------------------------------------------------------------

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    return devinfo_list_make(__func__, dev_list, nb_devs);
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
    return devinfo_list_free(__func__, dev_list);
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    return devinfo_rep_list_make(__func__, dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
    return devinfo_rep_list_free(__func__, dev_list_rep);
}

// ---- closing --------------------------------------------------------------------

// Programs close devices a second time, after they have set them to NULL.
doca_error_t doca_dev_close(struct doca_dev *dev)
{
    return dev ? dev_close(__func__, dev) : DOCA_SUCCESS;
}

// ---- addresses ------------------------------------------------------------------

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal)
{
    return devinfo_pci_equal(__func__, devinfo, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal)
{
    return devinfo_rep_pci_equal(__func__, devinfo_rep, pci_addr_str, is_equal);
}

// ---- properties of devices --------------------------------------------------------

// The number that ends a name ("pf0vf1"). Returns false if there is none.
static bool number_of(const char *name, uint32_t *number)
{
    const char *end = name + strlen(name), *digits = end;

    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits == end)
        return false;
    *number = (uint32_t)strtoul(digits, NULL, 10);
    return true;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type)
{
    if (!devinfo || !pci_func_type)
        return REFUSED_NULL(devinfo, pci_func_type);
    *pci_func_type = (enum doca_pci_func_type)devinfo_function(devinfo)->type;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
    struct errtext err;

    if (!devinfo || !sf_index)
        return REFUSED_NULL(devinfo, sf_index);
    const Docad__Function *function = devinfo_function(devinfo);
    if (function->type != DOCAD__FUNCTION_TYPE__SF)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                                  "function %s is not a sub-function", function->name),
                      &err);
    if (!number_of(function->name, sf_index))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_DRIVER,
                                  "the name of sub-function %s does not end in a number; give it "
                                  "such a name in docad's configuration",
                                  function->name),
                      &err);
    return DOCA_SUCCESS;
}

// The kernel has the rate of an ibverbs device as a text that begins with the number of Gbit/s.
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
    struct errtext err;
    char path[160], text[32] = "";

    if (!devinfo || !active_rate)
        return REFUSED_NULL(devinfo, active_rate);
    const Docad__Function *function = devinfo_function(devinfo);
    snprintf(path, sizeof(path), "/sys/class/infiniband/%.63s/ports/%u/rate", function->ibdev,
             function->verbs ? function->verbs->port : 1);
    FILE *file = function->verbs ? fopen(path, "re") : NULL;
    if (file) {
        if (!fgets(text, sizeof(text), file))
            text[0] = 0;
        fclose(file);
    }
    double rate = strtod(text, NULL);
    if (!(rate > 0))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_DRIVER, "function %s has no port with a rate",
                                  function->name),
                      &err);
    *active_rate = (uint64_t)(rate * 1e9);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
    if (!devinfo || !vhca_id)
        return REFUSED_NULL(devinfo, vhca_id);
    *vhca_id = (uint16_t)devinfo_function(devinfo)->id;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port)
{
    if (!devinfo || !ib_port)
        return REFUSED_NULL(devinfo, ib_port);
    const Docad__FunctionVerbs *verbs = devinfo_function(devinfo)->verbs;
    *ib_port = verbs ? (uint16_t)verbs->port : 1;
    return DOCA_SUCCESS;
}

static doca_error_t interface_index(const char *function, const char *interface, uint32_t *index)
{
    struct errtext err;
    unsigned found = if_nametoindex(interface);

    if (!found)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_OPERATING_SYSTEM,
                                  "the kernel has no network interface \"%s\"", interface),
                      &err);
    *index = found;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo, uint32_t *iface_index)
{
    if (!devinfo || !iface_index)
        return REFUSED_NULL(devinfo, iface_index);
    return interface_index(__func__, devinfo_function(devinfo)->iface, iface_index);
}

static doca_error_t no_data_direct(const char *function)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED, "there is no data-direct function");
}

doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str)
{
    if (!devinfo || !pci_addr_str)
        return REFUSED_NULL(devinfo, pci_addr_str);
    return no_data_direct(__func__);
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
    if (!dev)
        return REFUSED_NULL(dev);
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                      "there are no resources in a card that it could speed up");
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

static bool lists_representors(const struct doca_devinfo *devinfo)
{
    return devinfo && devinfo_function(devinfo)->can_list_reps;
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager)
{
    return get_flag(__func__, devinfo, is_hotplug_manager, false);
}

doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
                                                      uint8_t *is_notification_moderation_supported)
{
    return get_flag(__func__, devinfo, is_notification_moderation_supported, false);
}

doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim)
{
    return get_flag(__func__, devinfo, is_accelerate_resource_reclaim, false);
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported)
{
    return get_flag(__func__, devinfo, filter_all_supported, lists_representors(devinfo));
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported)
{
    return get_flag(__func__, devinfo, filter_net_supported, lists_representors(devinfo));
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported)
{
    return get_flag(__func__, devinfo, filter_emulated_supported, false);
}

// ---- properties of representors ---------------------------------------------------

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug)
{
    if (!devinfo_rep || !is_hotplug)
        return REFUSED_NULL(devinfo_rep, is_hotplug);
    *is_hotplug = 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_uplink_representor(const struct doca_devinfo_rep *devinfo_rep,
                                                        uint8_t *is_uplink_representor)
{
    if (!devinfo_rep || !is_uplink_representor)
        return REFUSED_NULL(devinfo_rep, is_uplink_representor);
    *is_uplink_representor = 0;
    return DOCA_SUCCESS;
}

// Its name is that of its interface.
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size)
{
    if (!devinfo_rep || !iface_name)
        return REFUSED_NULL(devinfo_rep, iface_name);
    return devinfo_copy_name(__func__, devinfo_rep_representor(devinfo_rep)->name,
                             DOCA_DEVINFO_IFACE_NAME_SIZE, iface_name, size);
}

doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index)
{
    if (!devinfo_rep || !iface_index)
        return REFUSED_NULL(devinfo_rep, iface_index);
    return interface_index(__func__, devinfo_rep_representor(devinfo_rep)->name, iface_index);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id)
{
    if (!devinfo_rep || !vhca_id)
        return REFUSED_NULL(devinfo_rep, vhca_id);
    *vhca_id = (uint16_t)devinfo_rep_representor(devinfo_rep)->id;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *ib_port)
{
    if (!devinfo_rep || !ib_port)
        return REFUSED_NULL(devinfo_rep, ib_port);
    // The first port is the uplink's.
    *ib_port = (uint16_t)(devinfo_rep_representor(devinfo_rep)->id + 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index)
{
    if (!devinfo_rep || !host_index)
        return REFUSED_NULL(devinfo_rep, host_index);
    *host_index = 0; // a DPU has one host
    return DOCA_SUCCESS;
}

// The device under which it is listed is at the port of its physical function.
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index)
{
    if (!devinfo_rep || !pf_index)
        return REFUSED_NULL(devinfo_rep, pf_index);
    *pf_index = dev_function(devinfo_rep_parent(devinfo_rep))->port;
    return DOCA_SUCCESS;
}

static doca_error_t index_of(const char *function, const struct doca_devinfo_rep *devinfo_rep,
                             Docad__FunctionType type, uint32_t *index)
{
    struct errtext err;
    const Docad__Representor *rep = devinfo_rep_representor(devinfo_rep);

    if (rep->type != type)
        return report(
            function,
            errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "representor %s is not of a %s", rep->name,
                        type == DOCAD__FUNCTION_TYPE__VF ? "virtual function" : "sub-function"),
            &err);
    if (!number_of(rep->name, index))
        return report(function,
                      errtext_set(&err, DOCA_ERROR_DRIVER,
                                  "the name of function %s does not end in a number", rep->name),
                      &err);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index)
{
    if (!devinfo_rep || !vf_index)
        return REFUSED_NULL(devinfo_rep, vf_index);
    return index_of(__func__, devinfo_rep, DOCAD__FUNCTION_TYPE__VF, vf_index);
}

doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index)
{
    if (!devinfo_rep || !sf_index)
        return REFUSED_NULL(devinfo_rep, sf_index);
    return index_of(__func__, devinfo_rep, DOCAD__FUNCTION_TYPE__SF, sf_index);
}

doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep,
                                                      char *pci_addr_str)
{
    if (!devinfo_rep || !pci_addr_str)
        return REFUSED_NULL(devinfo_rep, pci_addr_str);
    return no_data_direct(__func__);
}

// ---- its siblings -----------------------------------------------------------------

// The functions of one port of the host are listed under the same device.
doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep,
                                            uint32_t *total_vfs)
{
    cleanup_message Docad__Message *reply = NULL;
    struct errtext err = {""};
    uint32_t count = 0;

    if (!devinfo_rep || !total_vfs)
        return REFUSED_NULL(devinfo_rep, total_vfs);
    if (devinfo_rep_representor(devinfo_rep)->type != DOCAD__FUNCTION_TYPE__PF)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "only the representor of a physical function has virtual functions");
    doca_error_t e = representors_ask(devinfo_rep_parent(devinfo_rep), &reply, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    const Docad__RepresentorListReply *list = reply->representor_list_reply;
    for (size_t i = 0; i < list->n_representors; i++)
        count += list->representors[i]->type == DOCAD__FUNCTION_TYPE__VF;
    *total_vfs = count;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid,
                                          uint32_t size)
{
    cleanup_message Docad__Message *reply = NULL;
    struct errtext err = {""};

    if (!devinfo_rep || !pf_vuid)
        return REFUSED_NULL(devinfo_rep, pf_vuid);
    const struct doca_dev *parent = devinfo_rep_parent(devinfo_rep);
    // A sub-function belongs to the DPU's own physical function.
    const char *vuid = dev_function(parent)->vuid;
    if (devinfo_rep_representor(devinfo_rep)->type != DOCAD__FUNCTION_TYPE__SF) {
        doca_error_t e = representors_ask(parent, &reply, &err);
        if (e != DOCA_SUCCESS)
            return report(__func__, e, &err);
        const Docad__RepresentorListReply *list = reply->representor_list_reply;
        for (size_t i = 0; i < list->n_representors; i++)
            if (list->representors[i]->type == DOCAD__FUNCTION_TYPE__PF)
                vuid = list->representors[i]->vuid;
    }
    return devinfo_copy_name(__func__, vuid, DOCA_DEVINFO_REP_VUID_SIZE, pf_vuid, size);
}
