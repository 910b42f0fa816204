// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The metrics of several daemons as one text: samples of a family follow each other, as both
// formats require, and a label names the daemon of each sample.

#ifndef EXPORTER_EXPOSITION_H
#define EXPORTER_EXPOSITION_H

#include <stdbool.h>

struct exposition;

enum exposition_format {
    EXPOSITION_PROMETHEUS,  // text format 0.0.4, which every scraper reads
    EXPOSITION_OPENMETRICS, // OpenMetrics 1.0
};

// The value of the header Content-Type.
const char *exposition_type(enum exposition_format format);

// Returns the best format that a header Accept names; NULL: there is no such header.
enum exposition_format exposition_choose(const char *accept);

// Returns NULL if memory is short. Takes NULL, returns NULL.
struct exposition *exposition_new(void);
struct exposition *exposition_free(struct exposition *exposition);

// Adds the output of a daemon, OpenMetrics text, which is changed; `text` NULL: it could not be
// read. An incomplete text is left out, and the daemon counts as not up. Returns false if memory is
// short.
bool exposition_add(struct exposition *exposition, const char *daemon, char *text);

// The text, which the caller frees; NULL if memory is short.
char *exposition_text(const struct exposition *exposition, enum exposition_format format);

#endif
