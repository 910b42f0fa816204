// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "record_file.h"

#include "cleanup.h"
#include "packet.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PLACE 128 // bytes
#define BIG   300 // bytes of a record that takes three places

static const char small_one[] = "one", small_three[] = "three";
static uint8_t big_two[BIG];

struct seen {
    unsigned count;
    bool has[4]; // by version
};

static bool see(void *arg, const struct record_view *view)
{
    struct seen *seen = arg;
    const void *expected = view->version == 1   ? (const void *)small_one
                           : view->version == 2 ? (const void *)big_two
                                                : (const void *)small_three;
    ck_assert_uint_lt(view->version, 4);
    ck_assert(!seen->has[view->version]);
    ck_assert_mem_eq(view->bytes, expected, view->size);
    ck_assert_uint_eq(view->n_fds, view->version);
    ck_assert_uint_eq(view->key, view->version + 100);
    ck_assert_uint_eq(view->n_places, record_file_need(view->size));
    seen->has[view->version] = true;
    seen->count++;
    return true;
}

static uint32_t put(struct record_file *file, uint64_t version, const void *bytes, size_t size,
                    uint32_t n_fds)
{
    return record_file_write(file, &(struct record_view){.version = version,
                                                         .key = version + 100,
                                                         .n_fds = n_fds,
                                                         .bytes = bytes,
                                                         .size = size});
}

static void write_three(struct record_file *file, uint32_t places[4])
{
    memset(big_two, 0x5a, sizeof(big_two));
    ck_assert_int_eq(record_file_new(file), 0);
    places[1] = put(file, 1, small_one, sizeof(small_one), 1);
    places[2] = put(file, 2, big_two, sizeof(big_two), 2);
    places[3] = put(file, 3, small_three, sizeof(small_three), 3);
    for (int i = 1; i < 4; i++)
        ck_assert_uint_ne(places[i], RECORD_PLACE_NONE);
}

START_TEST(the_next_process_reads_them)
{
    struct record_file file, next;
    uint32_t places[4];
    struct seen seen = {0};
    unsigned damaged;

    write_three(&file, places);
    uint32_t left = record_file_free(&file);
    ck_assert_int_eq(record_file_count(file.fd), 3);
    ck_assert_int_eq(record_file_open(&next, dup(file.fd), see, &seen, &damaged), 0);
    ck_assert_uint_eq(seen.count, 3);
    ck_assert_uint_eq(damaged, 0);
    ck_assert_uint_eq(record_file_free(&next), left);
    for (int i = 1; i < 4; i++)
        record_file_erase(&next, places[i]);
    ck_assert_int_eq(record_file_count(next.fd), 0);
    ck_assert_uint_eq(record_file_free(&next), left + 2 + record_file_need(BIG));
    record_file_close(&file);
    record_file_close(&next);
}
END_TEST

// Places are used again, in any order, and the largest record fits.
START_TEST(places_are_used_again)
{
    struct record_file file;
    static uint8_t bytes[PACKET_SIZE_MAX];
    uint32_t places[64];

    ck_assert_int_eq(record_file_new(&file), 0);
    uint32_t all = record_file_free(&file);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 64; i++)
            places[i] = put(&file, 64 * round + i + 1, bytes, i * 97, 0);
        uint32_t largest = put(&file, 64 * round + 100000, bytes, sizeof(bytes), PACKET_FDS_MAX);
        ck_assert_uint_ne(largest, RECORD_PLACE_NONE);
        for (uint32_t i = 0; i < 64; i++)
            record_file_erase(&file, places[(i * 7 + round) % 64]);
        record_file_erase(&file, largest);
        ck_assert_uint_eq(record_file_free(&file), all);
    }
    ck_assert_uint_lt(file.made, 4096);
    record_file_close(&file);
}
END_TEST

static size_t memory_of(const struct record_file *file)
{
    struct stat st;
    ck_assert_int_eq(fstat(file->fd, &st), 0);
    return (size_t)st.st_blocks * 512;
}

static void trim(struct record_file *file)
{
    unsigned slices = 0;
    while (record_file_trim(file, 3))
        slices++;
    ck_assert_uint_gt(slices, 1);
}

// What many records had goes back, next to one that stays; later ones get memory again.
START_TEST(memory_goes_back)
{
    struct record_file file, next;
    static uint32_t places[20 * RECORD_CHUNK];
    struct seen seen = {0};
    unsigned damaged;

    ck_assert_int_eq(record_file_new(&file), 0);
    uint32_t all = record_file_free(&file);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_SIZE(places); i++)
            places[i] = put(&file, i + 4, "x", 1, 0);
        ck_assert_uint_ge(memory_of(&file), sizeof(places) / sizeof(places[0]) * PLACE);
        uint32_t stays = put(&file, 1, small_one, sizeof(small_one), 1);
        ck_assert_uint_ne(stays, RECORD_PLACE_NONE);
        for (size_t i = 0; i < ARRAY_SIZE(places); i++)
            record_file_erase(&file, places[i]);
        trim(&file);
        // A chunk for the record that stays, and the first, which has the header.
        ck_assert_uint_le(memory_of(&file), 2 * RECORD_CHUNK * PLACE);
        ck_assert_uint_eq(record_file_free(&file), all - 1);
        ck_assert_int_eq(record_file_open(&next, dup(file.fd), see, &seen, &damaged), 0);
        ck_assert_uint_eq(record_file_free(&next), all - 1);
        ck_assert_uint_le(memory_of(&file), 2 * RECORD_CHUNK * PLACE);
        ck_assert(seen.has[1] && damaged == 0);
        seen = (struct seen){0};
        record_file_close(&next);
        record_file_erase(&file, stays);
    }
    ck_assert_uint_le(file.made, 22 * RECORD_CHUNK); // the second round took places of the first
    record_file_close(&file);
}
END_TEST

// Damage to record 2, or to the whole file: `at` is relative to the record's first place.
static const struct damage {
    const char *what;
    bool header;
    size_t at, size;
    uint64_t value;
    int result;
} damages[] = {
    {"another version", false, 0, 8, 77, 0},
    {"the version of another record", false, 0, 8, 1, 0},
    {"next: itself", false, 8, 4, UINT64_MAX, 0}, // replaced by its place
    {"next: none", false, 8, 4, 0, 0},
    {"next: beyond the end", false, 8, 4, 0xfffffff0, 0},
    {"next: never used", false, 8, 4, 1000000, 0},
    {"next: the header", false, 8, 4, 1, 0},
    {"size: 0", false, 12, 4, 0, 0},
    {"size: more than its places", false, 12, 4, 5000, 0},
    {"size: one less", false, 12, 4, BIG - 1, 0},
    {"size: enormous", false, 12, 4, 0xffffffff, 0},
    {"the sum", false, 16, 1, 0x11, 0},
    {"the key", false, 24, 8, 4, 0},
    {"how many descriptors", false, 32, 4, 4, 0},
    {"a byte", false, 60, 1, 0, 0},
    {"the layout", true, 0, 8, 1, -EPROTO},
    {"used: nothing", true, 8, 4, 0, -EPROTO},
    {"used: more than there is", true, 8, 4, 0xffffffff, -EPROTO},
};

START_TEST(damage_is_refused)
{
    const struct damage *d = &damages[_i];
    struct record_file file, next;
    uint32_t places[4];
    struct seen seen = {0};
    unsigned damaged = 0;

    write_three(&file, places);
    uint64_t value = d->value == UINT64_MAX ? places[2] : d->value;
    off_t at = (off_t)(d->header ? 0 : places[2] * PLACE) + (off_t)d->at;
    ck_assert_int_eq(pwrite(file.fd, &value, d->size, at), (ssize_t)d->size);
    cleanup_fd int fd = dup(file.fd);
    ck_assert_msg(record_file_open(&next, fd, see, &seen, &damaged) == d->result, "%s", d->what);
    record_file_close(&file);
    if (d->result)
        return;
    steal_fd(&fd);
    ck_assert_msg(seen.has[1] && seen.has[3] && !seen.has[2], "%s", d->what);
    ck_assert_uint_eq(damaged, 1);
    ck_assert_int_eq(record_file_count(next.fd), 2);
    // All places are there again.
    uint32_t left = record_file_free(&next);
    record_file_erase(&next, places[1]);
    record_file_erase(&next, places[3]);
    ck_assert_uint_eq(record_file_free(&next), left + 2);
    uint32_t again = put(&next, 4, big_two, BIG, 0);
    ck_assert_uint_ne(again, RECORD_PLACE_NONE);
    record_file_close(&next);
}
END_TEST

START_TEST(other_files_are_refused)
{
    struct record_file file;
    struct seen seen = {0};
    unsigned damaged;
    cleanup_fd int empty = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    ck_assert_int_lt(record_file_open(&file, empty, see, &seen, &damaged), 0);
    ck_assert_int_lt(record_file_open(&file, null, see, &seen, &damaged), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("record_file");
    tcase_add_test(tcase, the_next_process_reads_them);
    tcase_add_test(tcase, places_are_used_again);
    tcase_add_test(tcase, memory_goes_back);
    tcase_add_loop_test(tcase, damage_is_refused, 0, (int)ARRAY_SIZE(damages));
    tcase_add_test(tcase, other_files_are_refused);
    return unit_run_case("record_file", tcase);
}
