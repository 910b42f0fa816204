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

doca_error_t on_monitor(struct request *request)
{
    doca_error_t r = monitor_begin(request->session, request->err);
    return r == DOCA_SUCCESS ? request_reply_ok(request) : r;
}

// Called when the sum of all programs' work is complete.
static bool send_metrics(struct sched_item *turn)
{
    struct session *session = container_of(turn, struct session, metrics.turn);
    Docad__MetricsReply reply = DOCAD__METRICS_REPLY__INIT;

    cleanup_free char *text = metrics_text(session->node, work_wait_sum(session->node));
    reply.text = text;
    if (text)
        session_reply(session, session->metrics_serial,
                      message_of(METRICS_REPLY, metrics_reply, &reply), NULL, 0);
    else
        session_reply_error(session, session->metrics_serial, DOCA_ERROR_NO_MEMORY,
                            "docad is out of memory");
    return false;
}

doca_error_t on_metrics(struct request *request)
{
    struct session *session = request->session;

    if (work_waits(&session->metrics))
        return errtext_set(request->err, DOCA_ERROR_AGAIN,
                           "the session waits for metrics already; wait for the answer");
    session->metrics_serial = request->message->serial;
    session->metrics.turn = (struct sched_item){
        .take = send_metrics, .sched = session->node->sched, .user = &session->user->sched};
    list_init(&session->metrics.turn.in_user);
    if (!work_wait_begin(session->node, &session->metrics))
        return errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

static doca_error_t check_privileged(const struct session *session, const char *what,
                                     struct errtext *err)
{
    if (session_is_privileged(session))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "%s is for root and docad's own uid (%u); you are uid %u", what,
                       (unsigned)geteuid(), (unsigned)session->credentials.uid);
}

doca_error_t on_log_level(struct request *request)
{
    Docad__LogLevelReply reply = DOCAD__LOG_LEVEL_REPLY__INIT;
    const char *text = request->message->log_level->level;
    enum log_level level;

    if (text[0]) {
        doca_error_t r = check_privileged(request->session, "changing the log level", request->err);
        if (r != DOCA_SUCCESS)
            return r;
        if (!log_level_parse(text, &level))
            return errtext_set(request->err, DOCA_ERROR_INVALID_VALUE,
                               "\"%.40s\" is not a log level (write error, warning, info or debug)",
                               text);
        log_set_level(level);
    }
    reply.level = (char *)log_level_name(log_get_level());
    return request_reply(request, message_of(LOG_LEVEL_REPLY, log_level_reply, &reply));
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

doca_error_t on_reload(struct request *request)
{
    struct session *session = request->session;
    Docad__ReloadReply reply = DOCAD__RELOAD_REPLY__INIT;
    struct notes notes = {0};

    doca_error_t r = check_privileged(session, "reloading the configuration", request->err);
    if (r != DOCA_SUCCESS)
        return r;
    // The result is the lines that docad logs during the command.
    log_listen(take_note, &notes);
    bool done = session->node->hooks->reload(session->node);
    log_listen(NULL, NULL);
    if (done) {
        reply.notes = notes.lines;
        reply.n_notes = notes.n;
        request_reply(request, message_of(RELOAD_REPLY, reload_reply, &reply));
    } else {
        r = errtext_set(request->err, DOCA_ERROR_INVALID_VALUE,
                        "%s; see docad's standard error (its log) for the reason",
                        notes.n ? notes.lines[notes.n - 1] : "the configuration is unchanged");
    }
    for (size_t i = 0; i < notes.n; i++)
        free(notes.lines[i]);
    return r;
}
