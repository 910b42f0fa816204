// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_clock.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_clock_cap_nic_free_running_is_supported)
PENDING(doca_clock_cap_nic_real_time_is_supported)
PENDING(doca_clock_cap_nic_dpa_timer_is_supported)
PENDING(doca_clock_create)
PENDING(doca_clock_destroy)
PENDING(doca_clock_get_timestamp)
PENDING(doca_clock_get_crosstimestamp)
