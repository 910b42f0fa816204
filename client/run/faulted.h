// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument of --faults.

#ifndef RUN_FAULTED_H
#define RUN_FAULTED_H

// Returns the text of the rules, which are in a file of this name or are the argument itself; NULL
// if none of them is about the program. Ends docad-run if they are wrong. *node_rules gets those
// that docad follows, or NULL.
const char *faulted_read(const char *argument, const char **node_rules);

// The rules of a text that docad follows, or NULL. The text may be wrong: then there are none.
const char *faulted_of_nodes(const char *text);

// The rules of that text that are not about links, or NULL: the two nodes of a pair have one link,
// and one of them breaks it.
const char *faulted_without_links(const char *node_rules);

#endif
