// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clocks of DOCA 3.

#include "objects.h"

#include <doca_clock.h>
#include <string.h>

static struct {
    struct doca_dev *dev;
    struct doca_devinfo *devinfo;
    struct doca_clock *clock;
} c;

static void enter_clock(unsigned state)
{
    c.dev = client_open(HOST_PF0);
    c.devinfo = doca_dev_as_devinfo(c.dev);
    ck_assert_success(doca_clock_create(c.dev, &c.clock)); // which holds the device
    if (state)                                             // the device is closed
        ck_assert_success(doca_dev_close(c.dev));
    if (state)
        c.dev = NULL;
}

static void leave_clock(void)
{
    if (c.clock)
        ck_assert_success(doca_clock_destroy(c.clock));
    if (c.dev)
        ck_assert_success(doca_dev_close(c.dev));
    c.clock = NULL;
}

static enum given argue_clock(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "devinfo"))
        return GIVE(c.devinfo);
    if (same(param, "dev"))
        return GIVE_OBJECT(c.dev);
    if (same(param, "clock"))
        return GIVE_OBJECT(c.clock);
    *value = DOCA_CLOCK_NIC_REAL_TIME;
    return strstr(param, "_type") ? GIVEN : GIVEN_NONE;
}

static const struct row clock_rows[] = {
    {"doca_clock_create", {OK, ABSENT}},
    {"doca_clock_destroy", ANY(OK)},
    {"doca_clock_get_timestamp", ANY(OK)},
    {"doca_clock_get_crosstimestamp", ANY(OK)},
    {"doca_clock_cap_nic_free_running_is_supported", ANY(OK)},
    {"doca_clock_cap_nic_real_time_is_supported", ANY(OK)},
    {"doca_clock_cap_nic_dpa_timer_is_supported", ANY(UNSUPP)},
};

GROUP(clocks) = {
    .name = "clock",
    .states = {"made", "its device closed"},
    ROWS(clock_rows),
    .enter = enter_clock,
    .leave = leave_clock,
    .argument = argue_clock,
    LIFETIMES({"doca_clock_create", "doca_clock_destroy", &c.clock}),
};
