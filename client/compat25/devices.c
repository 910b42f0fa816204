// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and progress engines of DOCA 2.5.

#include "compat25.h"

#include "core/refused.h"

doca_error_t doca_2_5_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                              double *active_rate)
{
    uint64_t rate;

    doca_error_t r = doca_devinfo_get_active_rate(devinfo, active_rate ? &rate : NULL);
    if (r == DOCA_SUCCESS)
        *active_rate = (double)rate;
    return r;
}

// Where handles are file descriptors an engine has one of its own: this is for other systems.
doca_error_t doca_2_5_pe_set_notification_handle(struct doca_pe *pe, int handle,
                                                 union doca_data completion_key)
{
    (void)handle, (void)completion_key;
    if (!pe)
        return refused("doca_pe_set_notification_handle", "the progress engine is NULL");
    return report_why("doca_pe_set_notification_handle", DOCA_ERROR_NOT_SUPPORTED,
                      "on Linux the engine's own handle is taken: see "
                      "doca_pe_get_notification_handle()");
}
