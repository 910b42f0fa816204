// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "region_bytes.h"

#include "clock.h"
#include "queue_pair.h"
#include "region.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#define AT_ONCE_MAX QP_CHUNK_SIZE // some microseconds
#define CHECK_MS    100           // between two checks of the machine's swap space

// Nothing of this machine is swapped out now.
static bool all_is_resident(void)
{
    static uint64_t checked_ms;
    static bool resident;
    uint64_t now = clock_ms();
    struct sysinfo info;

    if (checked_ms == 0 || now - checked_ms >= CHECK_MS) {
        checked_ms = now;
        resident = sysinfo(&info) == 0 && info.freeswap == info.totalswap;
    }
    return resident;
}

// Returns NULL if the engine has to read the bytes.
static const struct segment *find(const struct region *region, uint64_t address, uint32_t length)
{
    const struct segment *s = segments_find(&region->segments, address, length);
    bool has_file = region->memfd >= 0 || region->memfd_ro >= 0;

    return s && s->mapped && has_file && length <= AT_ONCE_MAX && all_is_resident() ? s : NULL;
}

bool region_reads_at_once(const struct region *region, uint64_t address, uint32_t length)
{
    return find(region, address, length);
}

bool region_read_at_once(const struct region *region, uint64_t address, uint32_t length, void *out)
{
    const struct segment *s = find(region, address, length);
    int file = region->memfd >= 0 ? region->memfd : region->memfd_ro;

    // The file has the length of its parts: it is sealed.
    return s &&
           pread(file, out, length, (off_t)(s->offset + (address - s->address))) == (ssize_t)length;
}
