// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests from tools: following events, metrics, and changes to the daemon itself.

#include "cleanup.h"
#include "log.h"
#include "metrics.h"
#include "monitor.h"
#include "node.h"
#include "session_requests.h"
#include "user.h"

#include <string.h>
#include <unistd.h>

SESSION_REQUEST(on_monitor)
{
    (void)fds;
    (void)err;
    session_reply_ok(session, request->serial);
    monitor_begin(session);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_metrics)
{
    Docad__MetricsReply reply = DOCAD__METRICS_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    (void)fds;

    cleanup_free char *text = metrics_text(session->node);
    if (!text)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    reply.text = text;
    message.body_case = DOCAD__MESSAGE__BODY_METRICS_REPLY;
    message.metrics_reply = &reply;
    session_reply(session, request->serial, &message, NULL, 0);
    return DOCA_SUCCESS;
}

static doca_error_t check_privileged(const struct session *session, const char *what,
                                     struct errtext *err)
{
    if (session_is_privileged(session))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "%s is for root and docad's own uid (%u); you are uid %u", what,
                       (unsigned)geteuid(), (unsigned)session->user->uid);
}

SESSION_REQUEST(on_log_level)
{
    Docad__LogLevelReply reply = DOCAD__LOG_LEVEL_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    const char *text = request->log_level->level;
    enum log_level level;
    (void)fds;

    if (text[0]) {
        doca_error_t r = check_privileged(session, "changing the log level", err);
        if (r != DOCA_SUCCESS)
            return r;
        if (!log_level_parse(text, &level))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "\"%.40s\" is not a log level (write error, warning, info or debug)",
                               text);
        log_set_level(level);
    }
    reply.level = (char *)log_level_name(log_get_level());
    message.body_case = DOCAD__MESSAGE__BODY_LOG_LEVEL_REPLY;
    message.log_level_reply = &reply;
    session_reply(session, request->serial, &message, NULL, 0);
    return DOCA_SUCCESS;
}

#define NOTES_MAX 32

struct notes {
    char *lines[NOTES_MAX];
    size_t n;
};

static void take_note(void *arg, const char *line)
{
    struct notes *notes = arg;
    char *copy = notes->n < NOTES_MAX ? strdup(line) : NULL;
    if (copy)
        notes->lines[notes->n++] = copy;
}

SESSION_REQUEST(on_reload)
{
    Docad__ReloadReply reply = DOCAD__RELOAD_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct notes notes = {0};
    (void)fds;

    doca_error_t r = check_privileged(session, "reloading the configuration", err);
    if (r != DOCA_SUCCESS)
        return r;
    // The lines that docad logs meanwhile are the result.
    log_listen(take_note, &notes);
    bool done = session->node->hooks->reload(session->node);
    log_listen(NULL, NULL);
    if (done) {
        reply.notes = notes.lines;
        reply.n_notes = notes.n;
        message.body_case = DOCAD__MESSAGE__BODY_RELOAD_REPLY;
        message.reload_reply = &reply;
        session_reply(session, request->serial, &message, NULL, 0);
    } else {
        r = errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                        "%s; see docad's standard error (its log) for the reason",
                        notes.n ? notes.lines[notes.n - 1] : "the configuration is unchanged");
    }
    for (size_t i = 0; i < notes.n; i++)
        free(notes.lines[i]);
    return r;
}
