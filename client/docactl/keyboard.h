// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keys, as they are pressed. If standard input and output are no terminal, there are none.

#ifndef DOCACTL_KEYBOARD_H
#define DOCACTL_KEYBOARD_H

#include <stdint.h>

// Takes keys one by one and unseen, until keyboard_close() or the process's end by a signal.
void keyboard_open(void);
void keyboard_close(void);

// Waits for a key, or `ms` milliseconds: then it returns 0.
int keyboard_wait(uint32_t ms);

#endif
