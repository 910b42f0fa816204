// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "device.h"

#include <doca_dma.h>

#include <string.h>

typedef bool (*fits_fn)(struct doca_devinfo *info, const void *wanted);

// Opens the first device of the node that fits; `what` is for the text if there is none.
static bool open_first(struct doca_dev **dev, fits_fn fits, const void *wanted, const char *what,
                       struct problem *problem)
{
    struct doca_devinfo **list;
    uint32_t n, i = 0;

    DOCA_TRY(problem, doca_devinfo_list_create, &list, &n);
    while (i < n && !fits(list[i], wanted))
        i++;
    doca_error_t result = i < n ? doca_dev_open(list[i], dev) : DOCA_SUCCESS;
    doca_devinfo_list_destroy(list);
    if (i == n)
        return problem_set(problem, "none of the %u devices of the node %s", n, what);
    return result == DOCA_SUCCESS || problem_doca(problem, "doca_dev_open", result);
}

static bool is_able(struct doca_devinfo *info, const void *wanted)
{
    enum device_ability ability = *(const enum device_ability *)wanted;
    uint8_t able = 1;
    if (doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY) != DOCA_SUCCESS)
        return false;
    if (ability == DEVICE_EXPORTS &&
        doca_devinfo_get_is_mmap_export_dpu_supported(info, &able) != DOCA_SUCCESS)
        return false;
    if (ability == DEVICE_IMPORTS &&
        doca_devinfo_get_is_mmap_from_export_dpu_supported(info, &able) != DOCA_SUCCESS)
        return false;
    return able;
}

bool device_open(struct doca_dev **dev, enum device_ability ability, struct problem *problem)
{
    static const char *const what[] = {"copies", "exports to the DPU", "imports from the host"};
    return open_first(dev, is_able, &ability, what[ability], problem);
}

static bool is_ibdev(struct doca_devinfo *info, const void *wanted)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    return doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)) == DOCA_SUCCESS &&
           strcmp(ibdev, wanted) == 0;
}

bool device_open_ibdev(struct doca_dev **dev, const char *name, struct problem *problem)
{
    char what[80];
    snprintf(what, sizeof(what), "is %s", name);
    return open_first(dev, is_ibdev, name, what, problem);
}
