// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "http.h"

#include "cleanup.h"
#include "clock.h"
#include "connections.h"
#include "exposition.h"
#include "read_texts.h"

#include <microhttpd.h>
#include <string.h>

#define THREADS    2u // while one waits for a daemon that hangs, the other serves
#define IDLE_S     15u
#define MEMORY_MAX 16384u // for the request of a connection
// The server refuses more, in each thread. A connection that is to end keeps its slot until its
// thread notices, which may be waiting for a daemon.
#define ACCEPTED_MAX (4 * CONNECTIONS_MAX)

struct http {
    const struct http_settings *settings;
    struct MHD_Daemon *server;
    struct connections connections;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              char *text, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, mode);
    if (!response) {
        if (mode == MHD_RESPMEM_MUST_FREE)
            free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result r = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return r;
}

static enum MHD_Result respond_text(struct MHD_Connection *connection, unsigned status,
                                    const char *text)
{
    return answer(connection, status, "text/plain; charset=utf-8", (char *)text,
                  MHD_RESPMEM_PERSISTENT);
}

// ---- /metrics -----------------------------------------------------------------------------------

static bool collect(struct exposition *e, const struct daemons *daemons, uint64_t deadline_ms)
{
    cleanup_free struct reading *readings = calloc(daemons->n + 1, sizeof(*readings));
    if (!readings)
        return false;
    for (size_t i = 0; i < daemons->n; i++)
        readings[i].path = daemons->of[i].path;
    bool ok = read_texts(readings, daemons->n, deadline_ms);
    for (size_t i = 0; i < daemons->n; i++) {
        ok = ok && exposition_add(e, daemons->of[i].name, readings[i].text);
        free(readings[i].text);
    }
    return ok;
}

static char *scrape(const struct http_settings *settings, enum exposition_format format)
{
    struct daemons found = {0};
    struct exposition *e = exposition_new();
    char *text = NULL;
    bool ok = e && (settings->daemons.n || daemons_find(&found, settings->directory));

    if (ok && collect(e, settings->daemons.n ? &settings->daemons : &found,
                      clock_ms() + settings->timeout_ms))
        text = exposition_text(e, format);
    exposition_free(e);
    daemons_fini(&found);
    return text;
}

static enum MHD_Result answer_metrics(const struct http *http, struct MHD_Connection *connection)
{
    enum exposition_format format = exposition_choose(
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
    char *text = scrape(http->settings, format);
    if (!text)
        return respond_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
    return answer(connection, MHD_HTTP_OK, exposition_type(format), text, MHD_RESPMEM_MUST_FREE);
}

// ---- requests -----------------------------------------------------------------------------------

static const char page[] = "<!DOCTYPE html>\n<html lang=\"en\"><title>docad</title>\n"
                           "<p>Metrics of docad: <a href=\"/metrics\">/metrics</a></p></html>\n";

static enum MHD_Result respond(const struct http *http, struct MHD_Connection *connection,
                               const char *url, const char *method)
{
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return respond_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (strcmp(url, "/metrics") == 0)
        return answer_metrics(http, connection);
    if (strcmp(url, "/") == 0)
        return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", (char *)page,
                      MHD_RESPMEM_PERSISTENT);
    return respond_text(connection, MHD_HTTP_NOT_FOUND, "only /metrics\n");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_size, void **state)
{
    static int headers_read;
    struct http *http = arg;
    (void)version;
    (void)data;

    // The first call is for the headers alone: an answer then would end the connection.
    if (!*state) {
        *state = &headers_read;
        return MHD_YES;
    }
    if (*data_size) { // no request has content that matters
        *data_size = 0;
        return MHD_YES;
    }
    connections_hold(&http->connections, connection);
    enum MHD_Result r = respond(http, connection, url, method);
    connections_release(&http->connections, connection);
    return r;
}

struct http *http_start(const struct http_settings *settings, int fd)
{
    struct http *http = malloc(sizeof(*http));
    if (http) {
        http->settings = settings;
        connections_init(&http->connections);
        http->server = MHD_start_daemon(
            MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, http,
            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, ACCEPTED_MAX,
            MHD_OPTION_NOTIFY_CONNECTION, connections_changed, &http->connections,
            MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_THREAD_POOL_SIZE, THREADS,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_MAX, MHD_OPTION_END);
        if (http->server)
            return http;
        connections_fini(&http->connections);
    }
    free(http);
    close_fdp(&fd);
    return NULL;
}

struct http *http_stop(struct http *http)
{
    if (!http)
        return NULL;
    MHD_stop_daemon(http->server);
    connections_fini(&http->connections);
    free(http);
    return NULL;
}
