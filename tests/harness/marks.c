// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "marks.h"

#include <stddef.h>

struct place {
    const char *file;
    int line;
};

static bool stopped;
static _Thread_local struct place recent[MARKS_RECENT];
static _Thread_local size_t n_recorded;

void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

static bool is_recent(const char *file, int line)
{
    for (size_t i = 0; i < MARKS_RECENT; i++)
        if (recent[i].line == line && recent[i].file == file)
            return true;
    return false;
}

bool marks_record(const char *file, int line)
{
    if (stopped || (n_recorded >= MARKS_ALL && is_recent(file, line)))
        return false;
    recent[n_recorded++ % MARKS_RECENT] = (struct place){file, line};
    return true;
}

void __wrap__mark_point(const char *file, int line)
{
    if (marks_record(file, line))
        __real__mark_point(file, line);
}

void marks_stop(void)
{
    stopped = true;
}
