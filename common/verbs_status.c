// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The results of failed completions: see the list of results in doca_rdma.h.

#include "verbs_rc.h"

#include "cleanup.h"

static const struct {
    doca_error_t error;
    const char *text;
} meanings[] = {
    [IBV_WC_SUCCESS] = {DOCA_SUCCESS, "done"},
    [IBV_WC_LOC_LEN_ERR] = {DOCA_ERROR_INVALID_VALUE,
                            "a message is longer than the receive's buffers, or than messages are"},
    [IBV_WC_LOC_QP_OP_ERR] = {DOCA_ERROR_IO_FAILED, "the queue pair could not do it"},
    [IBV_WC_LOC_EEC_OP_ERR] = {DOCA_ERROR_IO_FAILED, "the connection could not do it"},
    [IBV_WC_LOC_PROT_ERR] = {DOCA_ERROR_NOT_PERMITTED,
                             "a local buffer is not registered for what was done to it"},
    [IBV_WC_WR_FLUSH_ERR] = {DOCA_ERROR_CONNECTION_ABORTED, "flushed, another job had failed"},
    [IBV_WC_MW_BIND_ERR] = {DOCA_ERROR_NOT_PERMITTED, "a memory window cannot be bound"},
    [IBV_WC_BAD_RESP_ERR] = {DOCA_ERROR_IO_FAILED, "the other side's answer does not fit"},
    [IBV_WC_LOC_ACCESS_ERR] = {DOCA_ERROR_NOT_PERMITTED, "the other side wrote where it must not"},
    [IBV_WC_REM_INV_REQ_ERR] = {DOCA_ERROR_INVALID_VALUE,
                                "the other side cannot take it: longer than its receive, or not "
                                "allowed by its instance"},
    [IBV_WC_REM_ACCESS_ERR] =
        {DOCA_ERROR_NOT_PERMITTED,
         "the remote memory, or the other side's instance, does not allow it"},
    [IBV_WC_REM_OP_ERR] = {DOCA_ERROR_CONNECTION_ABORTED, "the other side failed at it"},
    [IBV_WC_RETRY_EXC_ERR] = {DOCA_ERROR_CONNECTION_RESET,
                              "the other side does not answer: it has ended, or cannot be reached"},
    [IBV_WC_RNR_RETRY_EXC_ERR] = {DOCA_ERROR_CONNECTION_RESET,
                                  "the other side had no receive for too long"},
    [IBV_WC_LOC_RDD_VIOL_ERR] = {DOCA_ERROR_IO_FAILED, "a violation of the reliable domain"},
    [IBV_WC_REM_INV_RD_REQ_ERR] = {DOCA_ERROR_IO_FAILED, "a violation of the reliable domain"},
    [IBV_WC_REM_ABORT_ERR] = {DOCA_ERROR_CONNECTION_ABORTED, "the other side aborted it"},
    [IBV_WC_INV_EECN_ERR] = {DOCA_ERROR_IO_FAILED, "no such connection"},
    [IBV_WC_INV_EEC_STATE_ERR] = {DOCA_ERROR_IO_FAILED, "the connection is in the wrong state"},
    [IBV_WC_FATAL_ERR] = {DOCA_ERROR_IO_FAILED, "the device failed"},
    [IBV_WC_RESP_TIMEOUT_ERR] = {DOCA_ERROR_CONNECTION_RESET, "the other side does not answer"},
    [IBV_WC_GENERAL_ERR] = {DOCA_ERROR_IO_FAILED, "the device failed"},
};

doca_error_t verbs_status_error(enum ibv_wc_status status)
{
    bool known = (size_t)status < ARRAY_SIZE(meanings) && meanings[status].text;
    return known ? meanings[status].error : DOCA_ERROR_IO_FAILED;
}

const char *verbs_status_text(enum ibv_wc_status status)
{
    bool known = (size_t)status < ARRAY_SIZE(meanings) && meanings[status].text;
    return known ? meanings[status].text : "an unknown failure of the device";
}
