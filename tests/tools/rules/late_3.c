// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "late_3.h"
#include "copies_3.h"

static struct copies copies;
static bool begun;

void late_begin(void)
{
    copies_begin(&copies, 4 * PART);
    begun = true;
}

__attribute__((destructor)) static void end(void)
{
    if (begun)
        copies_end(&copies);
}
