// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices of the 1.3 interface.

#include "compat13/compat13.h"
#include "compat13/property.h"
#include "core/device_object.h"

#define CAP_HW_OFFLOAD 1u

struct doca_pci_bdf pci_bdf_of(const struct pci_address *pci)
{
    return (struct doca_pci_bdf){.bus = pci->bus, .device = pci->device, .function = pci->function};
}

static doca_error_t give_bytes(const char *function, const Docad__Function *f,
                               const ProtobufCBinaryData *bytes, uint32_t wanted, uint8_t *value,
                               uint32_t size)
{
    struct errtext err;

    doca_error_t r = property_size(function, size, wanted);
    if (r != DOCA_SUCCESS)
        return r;
    if (bytes->len != wanted)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_OPERATING_SYSTEM,
                                  "function %s has no such address", f->name),
                      &err);
    memcpy(value, bytes->data, wanted);
    return DOCA_SUCCESS;
}

static doca_error_t give_iface(const char *function, const Docad__Function *f, uint8_t *value,
                               uint32_t size)
{
    struct errtext err;

    if (size >= DOCA_DEVINFO_IFACE_NAME_SIZE && !f->iface[0])
        return report(function,
                      errtext_set(&err, DOCA_ERROR_OPERATING_SYSTEM,
                                  "function %s has no network interface", f->name),
                      &err);
    return property_give_text(function, f->iface, DOCA_DEVINFO_IFACE_NAME_SIZE, value, size);
}

doca_error_t doca_devinfo_property_get(const struct doca_devinfo *devinfo,
                                       enum doca_devinfo_property property, uint8_t *value,
                                       uint32_t size)
{
    if (!devinfo || !value)
        return REFUSED_NULL(devinfo, value);
    const Docad__Function *f = devinfo->function;
    switch (property) {
    case DOCA_DEVINFO_PROPERTY_VUID:
        return property_give_text(__func__, f->vuid, DOCA_DEVINFO_VUID_SIZE, value, size);
    case DOCA_DEVINFO_PROPERTY_PCI_ADDR: {
        const struct doca_pci_bdf bdf = pci_bdf_of(&devinfo->pci);
        return property_give(__func__, &bdf, sizeof(bdf), value, size);
    }
    case DOCA_DEVINFO_PROPERTY_IPV4_ADDR:
        return give_bytes(__func__, f, &f->ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE, value, size);
    case DOCA_DEVINFO_PROPERTY_IPV6_ADDR:
        return give_bytes(__func__, f, &f->ipv6, DOCA_DEVINFO_IPV6_ADDR_SIZE, value, size);
    case DOCA_DEVINFO_PROPERTY_IFACE_NAME:
        return give_iface(__func__, f, value, size);
    case DOCA_DEVINFO_PROPERTY_IBDEV_NAME:
        return property_give_text(__func__, f->ibdev, DOCA_DEVINFO_IBDEV_NAME_SIZE, value, size);
    }
    return property_unknown(__func__);
}

doca_error_t doca_1_3_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
{
    if (!dev || !devinfo)
        return REFUSED_NULL_OF("doca_dev_as_devinfo", dev, devinfo);
    *devinfo = doca_dev_as_devinfo(dev);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_devinfo_caps_get(struct doca_devinfo *devinfo, uint32_t *caps)
{
    if (!devinfo || !caps)
        return REFUSED_NULL(devinfo, caps);
    *caps = devinfo->function->can_dma ? CAP_HW_OFFLOAD : 0;
    return DOCA_SUCCESS;
}
