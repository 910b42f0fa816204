// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "example.h"

#include <doca_dma.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_wanted(struct doca_devinfo *info, const char *which)
{
    uint8_t equal;
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    if (!which)
        return doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY) == DOCA_SUCCESS;
    // A device without a network interface is not a failure here; it is just not the one that is
    // wanted.
    if (strchr(which, ':'))
        return doca_devinfo_get_is_pci_addr_equal(info, which, &equal) == DOCA_SUCCESS && equal;
    if (doca_devinfo_get_iface_name(info, name, sizeof(name)) == DOCA_SUCCESS &&
        strcmp(name, which) == 0)
        return 1;
    return doca_devinfo_get_ibdev_name(info, name, sizeof(name)) == DOCA_SUCCESS &&
           strcmp(name, which) == 0;
}

struct doca_dev *open_device(const char *which)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    must(doca_devinfo_list_create(&list, &n), "cannot list devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        if (is_wanted(list[i], which))
            must(doca_dev_open(list[i], &dev), "cannot open the device");
    }
    must(doca_devinfo_list_destroy(list), "cannot free the list of devices");
    if (!dev)
        fail("there is no device %s here: list_devices shows those that exist",
             which ? which : "for DMA");
    return dev;
}

const char *device_option(int argc, char **argv)
{
    const char *device = NULL;
    int option;
    while ((option = getopt(argc, argv, "p:")) != -1) {
        if (option != 'p')
            exit(2); // getopt has said why
        device = optarg;
    }
    return device;
}

size_t read_size(const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end == text || text[0] == '-' || errno || (*end && (!unit || end[1])) ||
        value > SIZE_MAX >> shift || value == 0)
        fail("'%s' is not a size: write 4096, 64K, 256M or 1G", text);
    return (size_t)value << shift;
}

void run_job(struct doca_workq *workq, const struct doca_job *job)
{
    struct doca_event event;
    doca_error_t result;
    must(doca_workq_submit(workq, job), "cannot submit the job");
    do {
        result = doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    if (result == DOCA_ERROR_IO_FAILED)
        must((doca_error_t)event.result.u64, "the job failed");
    must(result, "cannot retrieve the job's event");
}
