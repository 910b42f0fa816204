// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks what a text is about. Tests check codes and behaviour; if a code alone does not tell
// which limit, rule or file it was, they check that the text names it. The wording of messages
// is checked in one place, tests/unit/messages.

#ifndef HARNESS_TEXT_NAMES_H
#define HARNESS_TEXT_NAMES_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

// Does the text contain the name (an option, a path, an address, an id, a code), not as part of
// a longer name?
static inline bool text_names(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *p = text; (p = strstr(p, name)); p++) {
        bool starts = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_') ||
                      !isalnum((unsigned char)name[0]);
        bool ends = !(isalnum((unsigned char)p[length]) || p[length] == '_');
        if (starts && ends)
            return true;
    }
    return false;
}

#define assert_names(text, name)                                                                   \
    ck_assert_msg(text_names(text, name), "%s is not named in: %s", name, text)

#endif
