// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "journal.h"

#include "cleanup.h"
#include "copy_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define ENTRY_SIZE     4096

static bool is_stderr;
static int journal =
    -1; // a socket that is not connected, so that it outlives a restart of journald

// Children inherit the variable even if their standard error is something else.
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;
    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void journal_init(void)
{
    is_stderr = stderr_is_journal();
    if (is_stderr && journal < 0)
        journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool journal_is_stderr(void)
{
    return is_stderr;
}

bool journal_is_there(void)
{
    return is_stderr && journal >= 0 && access(JOURNAL_SOCKET, W_OK) == 0;
}

static const char *event_id(enum log_event event)
{
    static const char *const ids[] = {
#define LOG_EVENT_ID(name, id) [LOG_EVENT_##name] = id,
        LOG_EVENTS(LOG_EVENT_ID)
#undef LOG_EVENT_ID
    };
    return (size_t)event < ARRAY_SIZE(ids) ? ids[event] : NULL;
}

struct entry {
    char text[ENTRY_SIZE];
    size_t n;
};

// Names come from outside: a value of several lines would be several fields.
static void __attribute__((format(printf, 2, 3)))
add_field(struct entry *e, const char *format, ...)
{
    va_list args;
    size_t room = sizeof(e->text) - e->n;

    va_start(args, format);
    int n = vsnprintf(e->text + e->n, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room) // it is dropped
        return;
    for (int i = 0; i < n; i++)
        if ((unsigned char)e->text[e->n + (size_t)i] < ' ')
            e->text[e->n + (size_t)i] = ' ';
    e->n += (size_t)n;
    e->text[e->n++] = '\n';
}

static int send_entry(const struct entry *e)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    copy_text(address.sun_path, JOURNAL_SOCKET);
    ssize_t n = sendto(journal, e->text, e->n, MSG_DONTWAIT | MSG_NOSIGNAL,
                       (struct sockaddr *)&address, sizeof(address));
    return n < 0 ? -errno : 0;
}

int journal_send(enum log_event event, enum log_level level, const struct log_about *about,
                 const char *message)
{
    struct entry e = {.n = 0};
    add_field(&e, "MESSAGE=%s", message);
    add_field(&e, "PRIORITY=%d", (int)level);
    add_field(&e, "SYSLOG_IDENTIFIER=docad");
    if (event_id(event))
        add_field(&e, "MESSAGE_ID=%s", event_id(event));
    if (about && about->session)
        add_field(&e, "DOCAD_SESSION=%" PRIu64, about->session);
    if (about && about->pid) {
        add_field(&e, "DOCAD_CLIENT_PID=%d", (int)about->pid);
        add_field(&e, "DOCAD_CLIENT_UID=%u", (unsigned)about->uid);
    }
    if (about && about->program)
        add_field(&e, "DOCAD_PROGRAM=%.160s", about->program);
    if (about && about->peer && about->peer[0])
        add_field(&e, "DOCAD_PEER=%.160s", about->peer);
    return send_entry(&e);
}
