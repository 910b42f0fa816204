// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "other_programs.h"

#include "cleanup.h"
#include "nodes.h"

#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world w;

void open_world(void)
{
    struct doca_devinfo **list;
    uint32_t n;

    setup_pair();
    daemon_use(nodes.host);
    OK(doca_devinfo_create_list(&list, &n));
    OK(doca_dev_open(list[0], &w.dev));
    OK(doca_devinfo_destroy_list(list));
    OK(doca_pe_create(&w.pe));
    w.in = malloc(2 * PART);
    ck_assert_ptr_nonnull(w.in);
    w.out = w.in + PART;
    memset(w.in, 0xdd, 2 * PART);
    OK(doca_mmap_create(&w.map));
    OK(doca_mmap_set_memrange(w.map, w.in, 2 * PART));
    OK(doca_mmap_set_permissions(w.map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    OK(doca_mmap_add_dev(w.map, w.dev));
    OK(doca_mmap_start(w.map));
    OK(doca_buf_inventory_create(2, &w.inventory));
    OK(doca_buf_inventory_start(w.inventory));
    OK(doca_buf_inventory_buf_get_by_addr(w.inventory, w.map, w.in, PART, &w.from));
    OK(doca_buf_inventory_buf_get_by_addr(w.inventory, w.map, w.out, PART, &w.to));
}

void close_world(void)
{
    OK(doca_buf_dec_refcount(w.from, NULL));
    OK(doca_buf_dec_refcount(w.to, NULL));
    OK(doca_buf_inventory_destroy(w.inventory));
    OK(doca_mmap_destroy(w.map));
    OK(doca_pe_destroy(w.pe));
    OK(doca_dev_close(w.dev));
    free(w.in);
    env_teardown();
}

void start(struct doca_ctx *ctx)
{
    w.ctx = ctx;
    OK(doca_pe_connect_ctx(w.pe, ctx));
    OK(doca_ctx_start(ctx));
}

void set_input(const void *bytes, size_t n)
{
    ck_assert_uint_le(n, PART);
    memmove(w.in, bytes, n);
    w.n_in = n;
}

doca_error_t run(struct doca_task *task)
{
    OK(doca_buf_set_data(w.from, w.in, w.n_in));
    OK(doca_buf_set_data(w.to, w.out, 0));
    w.over = false;
    OK(doca_task_submit(task));
    while (!w.over)
        doca_pe_progress(w.pe);
    OK(doca_buf_get_data_len(w.to, &w.n_out));
    return w.status;
}

// ---- files and other programs ------------------------------------------------------------------

const size_t sizes[N_SIZES] = {1, 1000, 60000, 400000};
uint8_t text[PART];

void make_text(size_t n)
{
    static const char *const words[] = {"memory ", "export ", "of the ", "queue\n", "0x7f", "  "};
    uint32_t state = 7;

    for (size_t at = 0; at < n;) {
        state = state * 1664525 + 1013904223;
        for (const char *word = words[(state >> 24) % 6]; *word && at < n; word++)
            text[at++] = (uint8_t)*word;
        if (at < n)
            text[at++] = (uint8_t)(state >> 16);
    }
}

void put_file(const struct path *path, const void *bytes, size_t n)
{
    cleanup_file FILE *file = fopen(path->s, "we");
    ck_assert(file && fwrite(bytes, 1, n, file) == n);
}

size_t get_file(const struct path *path, void *bytes, size_t room)
{
    cleanup_file FILE *file = fopen(path->s, "re");
    ck_assert_ptr_nonnull(file);
    return fread(bytes, 1, room, file);
}

void shell(const char *format, ...)
{
    char line[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    ck_assert_msg(system(line) == 0, "%s", line);
}

bool have(const char *program)
{
    char line[128];

    snprintf(line, sizeof(line), "command -v %s >/dev/null", program);
    if (system(line) == 0)
        return true;
    printf("SKIPPED: there is no %s here\n", program);
    return false;
}
