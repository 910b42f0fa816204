/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_regex.h
 * A stand-in: docad does not have regular expressions. Programs that use nothing of it compile, and
 * those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_REGEX_H_
#define DOCA_REGEX_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** A context of this library. */
struct doca_regex;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_regex_create(struct doca_regex **regex);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_regex_destroy(struct doca_regex *regex);

/** Returns NULL, and says on stderr that docad does not have it. */
struct doca_ctx *doca_regex_as_ctx(struct doca_regex *regex);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_REGEX_H_ */
