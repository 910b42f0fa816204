// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "connections.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

struct one {
    struct list in_connections;
    int fd; // the server's
    bool held;
};

void connections_init(struct connections *connections)
{
    pthread_mutex_init(&connections->lock, NULL);
    list_init(&connections->oldest_first);
    connections->n = 0;
}

void connections_fini(struct connections *connections)
{
    pthread_mutex_destroy(&connections->lock);
}

// The server closes it when it sees the end, and calls connections_changed() before, so the
// descriptor is not another connection's yet.
static void end_oldest(struct connections *connections)
{
    struct one *oldest = list_entry(connections->oldest_first.next, struct one, in_connections);
    shutdown(oldest->fd, SHUT_RDWR);
    list_remove(&oldest->in_connections);
    connections->n--;
}

static void append(struct connections *connections, struct one *one)
{
    if (connections->n == CONNECTIONS_MAX)
        end_oldest(connections);
    list_append(&connections->oldest_first, &one->in_connections);
    connections->n++;
}

static struct one *add(struct connections *connections, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct one *one = info ? calloc(1, sizeof(*one)) : NULL;
    if (!one)
        return NULL;
    one->fd = info->connect_fd;
    append(connections, one);
    return one;
}

static void remove_connection(struct connections *connections, struct one *one)
{
    if (list_linked(&one->in_connections)) {
        list_remove(&one->in_connections);
        connections->n--;
    }
    free(one);
}

void connections_changed(void *arg, struct MHD_Connection *connection, void **state,
                         enum MHD_ConnectionNotificationCode what)
{
    struct connections *connections = arg;
    pthread_mutex_lock(&connections->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *state = add(connections, connection);
    else if (*state)
        remove_connection(connections, *state);
    pthread_mutex_unlock(&connections->lock);
}

static struct one *find(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void connections_hold(struct connections *connections, struct MHD_Connection *connection)
{
    struct one *one = find(connection);
    pthread_mutex_lock(&connections->lock);
    if (one && list_linked(&one->in_connections)) {
        list_remove(&one->in_connections);
        connections->n--;
        one->held = true;
    }
    pthread_mutex_unlock(&connections->lock);
}

void connections_release(struct connections *connections, struct MHD_Connection *connection)
{
    struct one *one = find(connection);
    pthread_mutex_lock(&connections->lock);
    if (one && one->held) { // otherwise it was ended before its request was complete
        one->held = false;
        append(connections, one);
    }
    pthread_mutex_unlock(&connections->lock);
}
