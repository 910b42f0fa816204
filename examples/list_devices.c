// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lists the devices of this node, what they can do, and the representors under them.
//
//     DOCAD_SOCKET=dpu.sock list_devices

#include "common/example.h"

#include <doca_dev.h>
#include <doca_dma.h>

#include <stdio.h>
#include <stdlib.h>

static void print_capabilities(struct doca_devinfo *info)
{
    uint8_t can_export, can_import, can_list;
    must(doca_devinfo_get_is_mmap_export_dpu_supported(info, &can_export),
         "cannot ask for a capability");
    must(doca_devinfo_get_is_mmap_from_export_dpu_supported(info, &can_import),
         "cannot ask for a capability");
    must(doca_devinfo_rep_get_is_list_net_supported(info, &can_list),
         "cannot ask for a capability");
    printf("    can:%s%s%s%s\n",
           doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY) == DOCA_SUCCESS ? " DMA" : "",
           can_export ? " export-to-DPU" : "", can_import ? " import-from-host" : "",
           can_list ? " list-representors" : "");
}

static void print_representors(struct doca_devinfo *info)
{
    static const char *const types[] = {"PF", "VF", "SF"};
    uint8_t can_list;
    must(doca_devinfo_rep_get_is_list_net_supported(info, &can_list),
         "cannot ask for a capability");
    if (!can_list)
        return;

    struct doca_dev *dev;
    struct doca_devinfo_rep **list;
    uint32_t n;
    must(doca_dev_open(info, &dev), "cannot open a device");
    must(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n),
         "cannot list representors");
    for (uint32_t i = 0; i < n; i++) {
        char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
        enum doca_pci_func_type type;
        must(doca_devinfo_rep_get_pci_addr_str(list[i], pci), "cannot get a PCI address");
        must(doca_devinfo_rep_get_vuid(list[i], vuid, sizeof(vuid)), "cannot get a VUID");
        must(doca_devinfo_rep_get_pci_func_type(list[i], &type), "cannot get a type");
        printf("    representor of %s %s %s\n", types[type], pci, vuid);
    }
    must(doca_devinfo_rep_list_destroy(list), "cannot free the list of representors");
    must(doca_dev_close(dev), "cannot close a device");
}

static void print_device(struct doca_devinfo *info)
{
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "-";
    must(doca_devinfo_get_pci_addr_str(info, pci), "cannot get a PCI address");
    must(doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)), "cannot get a name");
    // DOCA_ERROR_OPERATING_SYSTEM means that the device has no network interface.
    doca_error_t result = doca_devinfo_get_iface_name(info, iface, sizeof(iface));
    if (result != DOCA_ERROR_OPERATING_SYSTEM)
        must(result, "cannot get an interface name");
    printf("%s %s %s\n", pci, iface, ibdev);
    print_capabilities(info);
    print_representors(info);
}

int main(int argc, char **argv)
{
    struct doca_devinfo **list;
    uint32_t n;
    help_option(argc, argv, "",
                "Lists the devices of the node that DOCAD_SOCKET names, and their representors.");
    must(doca_devinfo_list_create(&list, &n), "cannot list devices");
    for (uint32_t i = 0; i < n; i++)
        print_device(list[i]);
    must(doca_devinfo_list_destroy(list), "cannot free the list of devices");
    return EXIT_SUCCESS;
}
