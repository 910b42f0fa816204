// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names and descriptions of the codes of all interfaces.

#ifndef CLIENT_LOG_ERROR_TEXT_H
#define CLIENT_LOG_ERROR_TEXT_H

// The spelling of a code ("DOCA_ERROR_AGAIN"), and a text for people. Never NULL.
const char *error_name(unsigned int code);
const char *error_description(unsigned int code);

#endif
