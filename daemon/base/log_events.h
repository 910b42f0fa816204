// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Log messages that an administrator may want to find or act on. Each has an id in the
// journal that never changes. docad.catalog explains each of them.

#ifndef DAEMON_LOG_EVENTS_H
#define DAEMON_LOG_EVENTS_H

#define LOG_EVENTS(X)                                                                              \
    X(STARTED, "bf58a584e94b5c8099da50adefd37d2f")                                                 \
    X(STOPPING, "64e7d7953087565550706bffecbe3356")                                                \
    X(LINKED, "dbc8236c79dc2cf0a9c87aa0dce728f4")                                                  \
    X(LINK_DOWN, "430210b35d0399eda5eeab6305493712")                                               \
    X(NO_LINK, "6b20c4558f86bf03f43db591eb0fd629")                                                 \
    X(LINK_REFUSED, "4acb3e5bf3408155b5e6dda77935b357")                                            \
    X(SESSION_DROPPED, "c53d45ed6548ed8441d03dbb5a4b651f")                                         \
    X(REQUEST_REFUSED, "aacd48c3cdb21dc726e886bc7066ae47")                                         \
    X(CONNECTION_REFUSED, "65cb54a838740ac4107c47719cbdd38b")                                      \
    X(NO_DESCRIPTORS, "a014be8b50c3dc0a5196ee903d3612c3")                                          \
    X(CONFIG_STAYS, "d9dbdfba8542ded69c0906bf9c6938d6")                                            \
    X(FAULTS, "7d1f0c2e6ab84f5b9e3dc5a48b6f2073")

enum log_event {
    LOG_EVENT_NONE,
#define LOG_EVENT_NAME(name, id) LOG_EVENT_##name,
    LOG_EVENTS(LOG_EVENT_NAME)
#undef LOG_EVENT_NAME
};

#endif
