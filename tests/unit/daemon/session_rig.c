// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session_rig.h"

#include "cleanup.h"
#include "connection.h"
#include "engine.h"
#include "unit.h"
#include "user.h"

#include <event2/event.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

struct config rig_config;
struct node rig_node;

void rig_begin(const struct object_kind *const *kinds)
{
    config_init(&rig_config);
    strcpy(rig_config.name, "here");
    rig_node = (struct node){.config = &rig_config, .kinds = kinds, .base = event_base_new()};
    ck_assert(node_init(&rig_node));
    rig_node.id[0] = 1;
    rig_node.functions[0] = (struct function){.id = RIG_FUNCTION,
                                              .name = "pf0",
                                              .pci = "0000:03:00.0",
                                              .vuid = "V0",
                                              .can_export_dpu = true};
    rig_node.n_functions = 1;
    ck_assert_int_eq(state_slots_init(&rig_node.slots, false), 0);
    ck_assert_int_eq(engine_new(&rig_node.engine, rig_node.base, NULL), 0);
}

void rig_end(void)
{
    engine_free(rig_node.engine);
    ck_assert(list_empty(&rig_node.users.list));
    state_slots_fini(&rig_node.slots);
    node_fini(&rig_node);
    event_base_free(rig_node.base);
}

void rig_session_begin(struct rig_session *rig)
{
    struct connection *connection;
    int pair[2];

    *rig = (struct rig_session){.client = -1};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    rig->client = pair[1];
    ck_assert_int_eq(connection_new(&connection, rig_node.base, pair[0], 1 << 20), 0);
    struct user *user = user_get(&rig_node.users, connection_account(connection));
    session_init(&rig->session, &rig_node, connection, user, node_next_id(&rig_node));
    user_unref(user);
    rig->session.open[RIG_FUNCTION - 1] = 1;
    ck_assert_int_eq(activity_page_init(&rig->session.activity, rig_node.base, &rig->session), 0);
}

void rig_session_be(struct rig_session *rig, uid_t uid)
{
    idmap_remove(&rig->session.user->lists[USER_SESSIONS], &rig->session.by_user);
    user_unref(rig->session.user);
    rig->session.user = user_get(&rig_node.users, uid);
    ck_assert_ptr_nonnull(rig->session.user);
    idmap_add(&rig->session.user->lists[USER_SESSIONS], &rig->session.by_user, rig->session.id);
    rig->session.credentials.uid = rig->session.credentials.account = uid;
}

void rig_session_end(struct rig_session *rig)
{
    monitor_end(&rig->session);
    session_end_objects(&rig->session, 0);
    session_fini(&rig->session);
    close_fdp(&rig->client);
}

Docad__Message *rig_answer(const struct rig_session *rig)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__Message *message = NULL;
    ck_assert_int_gt(message_recv(rig->client, &message, &fds, MSG_DONTWAIT), 0);
    return message;
}

bool rig_has_answer(const struct rig_session *rig)
{
    return poll(&(struct pollfd){.fd = rig->client, .events = POLLIN}, 1, 0) == 1;
}
