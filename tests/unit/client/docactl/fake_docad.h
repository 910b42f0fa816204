// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon that a real one never is, for docactl: it gives one kind of answer.

#ifndef TESTS_FAKE_DOCAD_H
#define TESTS_FAKE_DOCAD_H

#include "child.h"
#include "request.h"
#include "run.h"

#include <json-c/json.h>

struct fake {
    int listener;
    int connections; // one after the other; 0: one
    bool refuses;    // those after the first, with `refusal`, before they say hello
    // Fills the answer to a request; false: no answer.
    bool (*answer)(const Docad__Message *request, Docad__Message *reply, int conn);
};

extern struct command_result result; // the result of the last command

// Runs docactl with these arguments against the fake. Returns its exit status.
int run_against(struct fake *fake, const char *const words[]);

#define RUN(fake, ...) run_against(fake, (const char *const[]){__VA_ARGS__, NULL})

// JSON that was printed, which the caller releases, and a member of it as text.
struct json_object *parsed(const char *text);
const char *member(struct json_object *object, const char *key);

// ---- answers ---------------------------------------------------------------------------------

void fill_hello(Docad__Message *reply);

#define PAGES 3

// Names a session for each page; `last` grows like a real daemon's ids do.
bool pages(const Docad__Message *request, Docad__Message *reply, int conn);

// Always the same page.
bool endless(const Docad__Message *request, Docad__Message *reply, int conn);

// That of another request.
bool another_answer(const Docad__Message *request, Docad__Message *reply, int conn);

extern Docad__Error refusal;
bool refuse(const Docad__Message *request, Docad__Message *reply, int conn);

#endif
