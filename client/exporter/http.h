// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The HTTP side: /metrics, and a page with a link to it.

#ifndef EXPORTER_HTTP_H
#define EXPORTER_HTTP_H

#include "daemons.h"

struct http;

struct http_settings {
    struct daemons daemons; // if there are none, those in the directory at the time of each scrape
    const char *directory;
    unsigned timeout_ms; // for all daemons together
};

// Serves the connections of this socket, on threads of its own, until http_stop(). The settings
// stay the caller's. Takes over `fd`; NULL with errno.
struct http *http_start(const struct http_settings *settings, int fd);

// Ends what is being served. Takes NULL, returns NULL.
struct http *http_stop(struct http *http);

#endif
