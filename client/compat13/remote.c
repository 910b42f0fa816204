// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Remote devices of the 1.3 interface: representors by their earlier name.

#include "compat13/compat13.h"
#include "compat13/property.h"
#include "pci_address.h"

struct doca_pci_bdf pci_bdf_of_rep(const struct doca_devinfo_rep *info)
{
    char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    struct pci_address pci;

    doca_devinfo_rep_get_pci_addr_str(info, text);
    pci_address_parse(text, &pci);
    return pci_bdf_of(&pci);
}

static struct doca_devinfo_rep *info_of(struct doca_devinfo_remote *info)
{
    return (struct doca_devinfo_rep *)info;
}

static struct doca_dev_rep *rep_of(struct doca_dev_remote *remote)
{
    return (struct doca_dev_rep *)remote;
}

doca_error_t doca_devinfo_remote_list_create(struct doca_dev *dev, int filter,
                                             struct doca_devinfo_remote ***devinfo_remote_list,
                                             uint32_t *nb_devs)
{
    return doca_devinfo_rep_list_create(dev, filter,
                                        (struct doca_devinfo_rep ***)devinfo_remote_list, nb_devs);
}

doca_error_t doca_devinfo_remote_list_destroy(struct doca_devinfo_remote **devinfo_remote_list)
{
    return doca_devinfo_rep_list_destroy((struct doca_devinfo_rep **)devinfo_remote_list);
}

doca_error_t doca_devinfo_remote_property_get(const struct doca_devinfo_remote *devinfo_remote,
                                              enum doca_devinfo_remote_property property,
                                              uint8_t *value, uint32_t size)
{
    const struct doca_devinfo_rep *info = (const struct doca_devinfo_rep *)devinfo_remote;
    char vuid[DOCA_DEVINFO_REP_VUID_SIZE];

    if (!info || !value)
        return REFUSED_NULL(info, value);
    switch (property) {
    case DOCA_DEVINFO_REMOTE_PROPERTY_VUID:
        doca_devinfo_rep_get_vuid(info, vuid, sizeof(vuid));
        return property_give_text(__func__, vuid, sizeof(vuid), value, size);
    case DOCA_DEVINFO_REMOTE_PROPERTY_PCI_ADDR: {
        const struct doca_pci_bdf bdf = pci_bdf_of_rep(info);
        return property_give(__func__, &bdf, sizeof(bdf), value, size);
    }
    }
    return property_unknown(__func__);
}

doca_error_t doca_dev_remote_open(struct doca_devinfo_remote *devinfo_remote,
                                  struct doca_dev_remote **dev_remote)
{
    return doca_dev_rep_open(info_of(devinfo_remote), (struct doca_dev_rep **)dev_remote);
}

doca_error_t doca_dev_remote_close(struct doca_dev_remote *dev_remote)
{
    return doca_dev_rep_close(rep_of(dev_remote));
}

doca_error_t doca_dev_remote_as_devinfo(struct doca_dev_remote *dev_remote,
                                        struct doca_devinfo_remote **devinfo_remote)
{
    if (!dev_remote || !devinfo_remote)
        return REFUSED_NULL(dev_remote, devinfo_remote);
    *devinfo_remote = (struct doca_devinfo_remote *)doca_dev_rep_as_devinfo(rep_of(dev_remote));
    return DOCA_SUCCESS;
}
