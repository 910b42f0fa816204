// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A task that runs over memory of this process, and other programs that read what it has written:
// what the tests of interoperability have in common.

#ifndef INTEGRATION_OTHER_PROGRAMS_H
#define INTEGRATION_OTHER_PROGRAMS_H

#include "env.h"
#include "run.h"

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

// The memory: what a task reads, and what it writes.
#define PART ((size_t)1 << 20)

extern struct world {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    uint8_t *in, *out;
    size_t n_in, n_out;
    bool over;
    doca_error_t status;
} w;

void open_world(void);
void close_world(void);
void start(struct doca_ctx *ctx);

void set_input(const void *bytes, size_t n);
// Runs a task from w.in to w.out; the program frees it.
doca_error_t run(struct doca_task *task);

#define CALLBACK(name, type)                                                                       \
    static void name(struct type *task, union doca_data data, union doca_data ctx_data)            \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        w.over = true;                                                                             \
        w.status = doca_task_get_status(type##_as_task(task));                                     \
    }

// Sizes of what is compared.
#define N_SIZES 4
extern const size_t sizes[N_SIZES];

// Words that repeat, near and far.
extern uint8_t text[PART];
void make_text(size_t n);

void put_file(const struct path *path, const void *bytes, size_t n);
size_t get_file(const struct path *path, void *bytes, size_t room);
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Says whether there is such a program; if not, the tests with it are left out.
bool have(const char *program);

#endif
