// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The path between consumers and producers, whose other side may be hostile.

#include "comch/path.h"

#include "comch/comch.h"
#include "unit.h"

#include <string.h>

static unsigned count_mail(const struct comch_path *path)
{
    unsigned n = 0;
    for (const struct list *at = path->outgoing.next; at != &path->outgoing; at = at->next)
        n++;
    return n;
}

static enum comch_change take(struct comch_path *path, struct comch_packet packet)
{
    uint8_t bytes[CC_PACKET_SIZE] = {0};
    uint32_t id;
    packet.magic = COMCH_PACKET_MAGIC;
    memcpy(bytes, &packet, sizeof(packet));
    return comch_path_take(path, bytes, &id);
}

// Each consumer gets an answer. Whoever does not read them does not fill the memory of this side.
START_TEST(answers_that_nobody_reads)
{
    struct comch_end *end = aligned_alloc(64, (sizeof(*end) + 63) & ~(size_t)63);
    ck_assert_ptr_nonnull(end);
    memset(end, 0, sizeof(*end));
    end->wake_fd = -1;
    struct comch_path *path = comch_path_new(end, 1, false);
    ck_assert_ptr_nonnull(path);
    for (uint32_t i = 0; i < 10 * COMCH_CONSUMERS_MAX; i++)
        ck_assert_int_eq(take(path, (struct comch_packet){.kind = COMCH_PACKET_CONSUMER,
                                                          .id = 1 + i % COMCH_CONSUMERS_MAX}),
                         COMCH_CHANGE_NONE);
    ck_assert_uint_eq(count_mail(path), COMCH_CONSUMERS_MAX);
    comch_path_end(path);
    free(end);
}
END_TEST

// A client whose server is not there says so once it is late, and rarely after that.
START_TEST(a_waiting_client_is_told_of_rarely)
{
    unsigned lines = 0;

    for (unsigned tries = 0; tries < 16; tries++)
        ck_assert(!comch_is_logged(tries));
    for (unsigned tries = 0; tries < 1u << 20; tries++) // a day
        lines += comch_is_logged(tries);
    ck_assert_uint_eq(lines, 1 + 10);
    ck_assert(comch_is_logged(16));
}
END_TEST

UNIT_MAIN("comch_path", answers_that_nobody_reads, a_waiting_client_is_told_of_rarely)
