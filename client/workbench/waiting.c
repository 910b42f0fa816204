// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "waiting.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define PROGRESS_ALL 1 // DOCA_PE_EVENT_MODE_PROGRESS_ALL

static bool is_readable(const struct entry *engine)
{
    static int (*handle_of)(const void *engine, int *handle);
    struct pollfd handle = {.events = POLLIN};
    int saved = errno;
    if (!handle_of)
        handle_of = (int (*)(const void *, int *))symbol_next("doca_pe_get_notification_handle",
                                                              "DOCA_3.0");
    bool readable =
        handle_of &&
        handle_of((const void *)(uintptr_t)engine->address, &handle.fd) == 0 && // NOLINT
        poll(&handle, 1, 0) == 1;
    errno = saved;
    return readable;
}

bool waiting_before(const struct call *call, struct entry *engine)
{
    const char *name = call->function->name;
    if (call->function->role != ROLE_NONE)
        return false;
    if (strcmp(name, "doca_pe_set_event_mode") == 0)
        engine->clears_itself = call->arguments[1] == PROGRESS_ALL;
    if (strcmp(name, "doca_pe_clear_notification") == 0)
        engine->requests = 0;
    if (strcmp(name, "doca_pe_request_notification") != 0 || engine->clears_itself)
        return false;
    engine->requests = is_readable(engine) ? engine->requests + 1 : 0;
    return engine->requests == WAITING_REQUESTS_MAX;
}
