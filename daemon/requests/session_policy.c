// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the policy permits a user, for operators who have written one.

#include "config.h"
#include "node.h"
#include "policy.h"
#include "session_requests.h"

#include <errno.h>
#include <unistd.h>

static const struct test {
    const char *what;
    uint32_t target; // TARGET_NONE: opening the function
} tests[] = {
    {"open", DOCAD__EXPORT_TARGET__TARGET_NONE},
    {"export memory to a DPU", DOCAD__EXPORT_TARGET__TARGET_DPU},
    {"export memory to a host", DOCAD__EXPORT_TARGET__TARGET_HOST},
    {"export memory for RDMA", DOCAD__EXPORT_TARGET__TARGET_RDMA},
    {"export sync events", DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT},
    {"export sync events for RDMA", DOCAD__EXPORT_TARGET__TARGET_NET_EVENT},
};

// The user that the request is about. *who belongs to the caller.
static doca_error_t find_user(struct request *request, struct credentials *who)
{
    const Docad__PolicyTest *m = request->message->policy_test;
    const struct session *session = request->session;

    if (!session_is_privileged(session)) {
        if (m->uid != session->credentials.uid)
            return errtext_set(request->err, DOCA_ERROR_NOT_PERMITTED,
                               "only root and docad's own uid (%u) may ask about others; you are "
                               "uid %u",
                               (unsigned)geteuid(), (unsigned)session->credentials.uid);
        *who = credentials_copy(&session->credentials);
        return DOCA_SUCCESS;
    }
    struct credentials_carried carried = {
        .uid = m->uid, .gids = m->gids, .n_gids = m->n_gids, .exact = true};
    int r = credentials_of_message(&carried, who);
    if (r < 0)
        return errtext_set(request->err,
                           r == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_INVALID_VALUE,
                           "%zu groups of uid %u are to be tested; docad tests %d at most",
                           m->n_gids, (unsigned)m->uid, CREDENTIALS_CARRIED_MAX);
    return DOCA_SUCCESS;
}

static void judge(const struct policy *policy, const struct credentials *who,
                  const struct function *function, const struct test *test, struct errtext *why,
                  Docad__PolicyVerdict *out)
{
    doca_error_t r = test->target ? policy_export(policy, who, test->target, why)
                                  : policy_open(policy, who, function, why);

    *out = (Docad__PolicyVerdict)DOCAD__POLICY_VERDICT__INIT;
    out->what = (char *)test->what;
    out->allowed = r == DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        out->why = why->s;
}

doca_error_t on_policy_test(struct request *request)
{
    const struct node *node = request->session->node;
    Docad__PolicyTestReply reply = DOCAD__POLICY_TEST_REPLY__INIT;
    Docad__PolicyVerdict verdicts[ARRAY_SIZE(tests)], *list[ARRAY_SIZE(tests)];
    struct errtext why[ARRAY_SIZE(tests)];
    const struct function *function;
    struct credentials who;

    doca_error_t r = node_ask_function(node, request->message->policy_test->function_id, &function,
                                       request->err);
    if (r == DOCA_SUCCESS)
        r = find_user(request, &who);
    if (r != DOCA_SUCCESS)
        return r;
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
        judge(&node->config->policy, &who, function, &tests[i], &why[i], &verdicts[i]);
        list[i] = &verdicts[i];
    }
    credentials_drop(&who);
    reply.verdicts = list;
    reply.n_verdicts = ARRAY_SIZE(list);
    return request_reply(request, message_of(POLICY_TEST_REPLY, policy_test_reply, &reply));
}
