// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "memfd.h"
#include "state_table.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>

#define SLOTS 100

static struct state_table *make_table(int *fd)
{
    *fd = memfd_create_sealed("test", state_table_size(SLOTS));
    struct state_table *t =
        mmap(NULL, state_table_size(SLOTS), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    ck_assert_ptr_ne(t, MAP_FAILED);
    t->magic = STATE_TABLE_MAGIC;
    t->version = STATE_TABLE_VERSION;
    t->slots = SLOTS;
    return t;
}

START_TEST(reader_sees_what_docad_writes)
{
    int fd;
    struct state_table *mine = make_table(&fd);
    cleanup_fd int ro = memfd_reopen_readonly(fd);
    const struct state_table *theirs = state_table_map(ro, SLOTS);
    ck_assert_ptr_nonnull(theirs);
    static const struct {
        uint64_t word;
        enum slot_state state;
        doca_error_t error;
    } rows[] = {
        {42ull << 8 | SLOT_LIVE, SLOT_LIVE, DOCA_SUCCESS},
        {42ull << 8 | SLOT_REVOKED, SLOT_REVOKED, DOCA_ERROR_NOT_PERMITTED},
        {42ull << 8 | SLOT_OWNER_GONE, SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
        {42ull << 8 | SLOT_PEER_GONE, SLOT_PEER_GONE, DOCA_ERROR_NOT_CONNECTED},
        {0, SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
        {43ull << 8 | SLOT_LIVE, SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
        {42ull << 8 | 0xff, SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        atomic_store(&mine->words[7], rows[i].word);
        enum slot_state s = state_table_read(theirs, 7, 42);
        ck_assert_msg(s == rows[i].state, "row %zu: %s", i, slot_state_name(s));
        ck_assert_int_eq(slot_state_error(s), rows[i].error);
    }
    state_table_unmap(theirs, theirs->slots);
    munmap(mine, state_table_size(SLOTS));
    close(fd);
}
END_TEST

START_TEST(a_wrong_table_is_refused)
{
    int fd;
    struct state_table *mine = make_table(&fd);
    cleanup_fd int ro = memfd_reopen_readonly(fd);
    ck_assert_ptr_null(state_table_map(fd, SLOTS)); // writable: not what docad hands out
    ck_assert_ptr_null(state_table_map(ro, 0));
    ck_assert_ptr_null(state_table_map(ro, UINT32_MAX));
    ck_assert_ptr_null(state_table_map(ro, 100000));
    ck_assert_ptr_null(state_table_map(-1, SLOTS));
    mine->version++;
    ck_assert_ptr_null(state_table_map(ro, SLOTS));
    mine->version--;
    mine->slots++;
    ck_assert_ptr_null(state_table_map(ro, SLOTS));
    munmap(mine, state_table_size(SLOTS));
    close(fd);
}
END_TEST

UNIT_MAIN("state_table", reader_sees_what_docad_writes, a_wrong_table_is_refused)
