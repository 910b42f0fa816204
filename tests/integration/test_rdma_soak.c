// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA under duress: mixed jobs of all sizes with every byte checked, processes that are
// killed, and sides that write nonsense into what they share.
//
// DOCAD_SOAK_SECONDS says how long the soak takes: a minute, and with sanitizers as long as
// a few pairs of processes need.

#include "rdma_peer.h"

#include "cleanup.h"
#include "deadline.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY  ((size_t)9 << 20)
#define LARGEST ((size_t)4 << 20)
#define WORD    (MEMORY - 64) // of the atomics; the last one but the results
#define JOBS    60
#define ROUNDS  6 // at least, in either surroundings

static uint64_t draw(uint64_t *state)
{
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct soak_plan {
    struct peer_plan peer;
    uint64_t seed;
    bool first;         // which side
    unsigned exchanges; // until it may be killed
};

// Both sides draw the same random numbers.
struct step {
    unsigned kind, seed;
    size_t size, at;
    bool by_first;
};

static struct step next_step(uint64_t *state, unsigned i)
{
    struct step s = {.kind = (unsigned)(draw(state) % 5), .seed = i, .by_first = draw(state) & 1};
    s.size = draw(state) & ((1u << (draw(state) % 23)) - 1);
    s.size = s.size > LARGEST ? LARGEST : s.size;
    s.at = draw(state) % (WORD - LARGEST);
    return s;
}

static void acts(struct peer *p, const struct step *s, uint64_t *added)
{
    uint64_t before;
    switch (s->kind) {
    case 0: // a message
        pattern(p->memory + s->at, s->size, s->seed);
        ck_assert_success(peer_send(p, s->at, s->size));
        break;
    case 1: // a write, and a message that it is there
        pattern(p->memory + s->at, s->size, s->seed);
        if (s->size)
            ck_assert_success(peer_write(p, s->at, s->at, s->size));
        ck_assert_success(peer_send(p, 0, 0));
        break;
    case 2: // a read of what the other side has prepared
        ck_assert_success(peer_recv(p, 0, 0));
        if (s->size)
            ck_assert_success(peer_read(p, s->at, s->at, s->size));
        ck_assert(is_pattern(p->memory + s->at, s->size, s->seed));
        ck_assert_success(peer_send(p, 0, 0));
        break;
    case 3: // an atomic
        ck_assert_success(peer_add(p, WORD, s->seed, &before));
        ck_assert_uint_eq(before, *added);
        *added += s->seed;
        break;
    default: { // a write with immediate
        struct doca_buf *src = NULL, *dst = NULL;
        pattern(p->memory + s->at, s->size, s->seed);
        if (s->size) {
            src = peer_buf(p, s->at, s->size);
            dst = peer_remote_buf(p, s->at, s->size);
        }
        ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE_IMM, dst, src));
        ck_assert_success(peer_wait(p));
        drop(src);
        drop(dst);
    }
    }
}

static void answers(struct peer *p, const struct step *s)
{
    switch (s->kind) {
    case 0:
        ck_assert_success(peer_recv(p, s->at, LARGEST));
        ck_assert_uint_eq(p->result.length, s->size);
        ck_assert(is_pattern(p->memory + s->at, s->size, s->seed));
        break;
    case 1:
        ck_assert_success(peer_recv(p, 0, 0));
        ck_assert(is_pattern(p->memory + s->at, s->size, s->seed));
        break;
    case 2:
        pattern(p->memory + s->at, s->size, s->seed);
        ck_assert_success(peer_send(p, 0, 0));
        ck_assert_success(peer_recv(p, 0, 0));
        break;
    case 3:
        break;
    default:
        ck_assert_success(peer_recv(p, 0, 0));
        ck_assert_uint_eq(p->result.length, s->size);
        ck_assert(is_pattern(p->memory + s->at, s->size, s->seed));
    }
}

// Sends a message in either direction at a time. Its parameters go as immediate data.
// False: one of the jobs has failed.
static bool exchanges(struct peer *p, uint64_t *state)
{
    size_t size = draw(state) & ((1u << (draw(state) % 23)) - 1);
    uint32_t seed = (uint32_t)draw(state);
    struct doca_buf *room = peer_room(p, LARGEST, LARGEST),
                    *data = size ? peer_buf(p, 0, size) : NULL;
    unsigned submitted = 0;

    pattern(p->memory, size, seed);
    doca_error_t r = peer_try_recv(p, room);
    submitted += r == DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        r = peer_try_send(p, data, &seed);
    submitted += r == DOCA_SUCCESS && submitted;
    for (; submitted; submitted--) {
        doca_error_t ended = peer_wait(p);
        if (ended != DOCA_SUCCESS)
            r = ended;
        else if (p->event.type == DOCA_RDMA_JOB_RECV)
            ck_assert(is_pattern(p->memory + LARGEST, p->result.length, p->result.immediate_data));
    }
    drop(room);
    drop(data);
    return r == DOCA_SUCCESS;
}

static int soaks(struct child *self, void *arg)
{
    const struct soak_plan *plan = arg;
    uint64_t state = plan->seed, added = 0;
    struct peer p;
    peer_open(&p, &plan->peer);
    for (int turn = 0; turn < 2; turn++) {
        memset(p.memory + WORD, 0, 8);
        added = 0;
        peer_meet(&p, self);
        for (unsigned i = 0; i < JOBS; i++) {
            struct step s = next_step(&state, i);
            if (s.by_first == plan->first) {
                acts(&p, &s, &added);
                ck_assert_success(peer_recv(&p, 0, 0)); // the other side has looked
            } else {
                answers(&p, &s);
                ck_assert_success(peer_send(&p, 0, 0));
            }
        }
        child_tell(self, "turned");
        child_wait(self, "again");
        peer_restart(&p);
    }
    // Continues until one of the two is killed.
    peer_meet(&p, self);
    for (unsigned n = 0; exchanges(&p, &state); n++)
        if (n == plan->exchanges)
            child_tell(self, "busy");
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    peer_close(&p);
    return 0;
}

static unsigned seconds(void)
{
    const char *text = getenv("DOCAD_SOAK_SECONDS");
    return text ? (unsigned)strtoul(text, NULL, 10) : DOCAD_SANITIZER[0] ? 0 : 60;
}

START_TEST(soak)
{
    struct node_pair nodes;
    struct path config;
    uint64_t state = 42 + (unsigned)_i;
    if (_i) { // nobody copies out of the other's memory: long messages go through chunks
        config = temp_file("strict.conf", "isolation = strict\n");
        nodes.host = nodes.dpu = daemon_start(&(struct daemon_options){.config = config.s});
    } else {
        nodes = node_pair_start();
    }
    int64_t end = deadline_in((int64_t)seconds() * 500); // there are two surroundings
    unsigned round = 0;
    for (; round < ROUNDS || now_ms() < end; round++) {
        uint64_t seed = draw(&state), bits = draw(&state);
        bool two = !_i && (bits & 1);
        struct daemon *far_node = two ? nodes.dpu : nodes.host;
        struct soak_plan plans[2] = {
            {{.pci = HOST_PF0, .size = MEMORY, .event = bits & 2},
             seed,
             true,
             .exchanges = bits >> 8 & 31},
            {{.pci = two ? DPU_P0 : HOST_PF1, .size = MEMORY, .event = bits & 4},
             seed,
             false,
             .exchanges = bits >> 16 & 31}};
        struct child *a = child_start(nodes.host, "first", soaks, &plans[0]);
        struct child *b = child_start(far_node, "second", soaks, &plans[1]);
        for (int turn = 0; turn < 2; turn++) {
            peers_join(a, b);
            child_wait(a, "turned");
            child_wait(b, "turned");
            child_tell(a, "again");
            child_tell(b, "again");
        }
        peers_join(a, b);
        child_wait(a, "busy");
        child_wait(b, "busy");
        child_kill(bits & 16 ? a : b);
        child_join(bits & 16 ? b : a);
        assert_baseline(nodes.host);
        assert_baseline(nodes.dpu);
    }
    printf("%u pairs of processes\n", round);
    if (_i)
        unlink(config.s);
}
END_TEST

// ---- hostile sides ---------------------------------------------------------------------------
//
// On an ibverbs device the pair says only that a side has ended, and has room for all the rest.

// Returns the address at which the pair's memory file is mapped in this process.
static uint8_t *find_pair(size_t *size)
{
    cleanup_file FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uint64_t from, to;
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof(line), maps))
        if (strstr(line, "docad-rdma-pair") &&
            sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2) {
            *size = to - from;
            return (uint8_t *)(uintptr_t)from;
        }
    ck_abort_msg("the pair is not mapped");
    return NULL;
}

struct hostile_plan {
    struct peer_plan peer;
    uint64_t seed;
};

static int scribbles(struct child *self, void *arg)
{
    const struct hostile_plan *plan = arg;
    uint64_t state = plan->seed;
    struct peer p;
    size_t size;
    peer_open(&p, &plan->peer);
    peer_meet(&p, self);
    uint8_t *pair = find_pair(&size);
    for (int i = 0; i < 200000; i++) {
        // Mostly where indices and first entries are, now and then anywhere.
        size_t lane = 4096 + (draw(&state) & 1) * ((size - 4096) / 2);
        size_t at = draw(&state) % 16 ? lane + draw(&state) % 4096 : draw(&state) % size;
        switch (draw(&state) % 3) {
        case 0:
            pair[at] = (uint8_t)draw(&state);
            break;
        case 1: { // a plausible entry
            uint32_t *entry = (uint32_t *)(pair + lane + 192 + draw(&state) % 4 * 128);
            entry[1] = (uint32_t)(draw(&state) % 6) | (uint32_t)(draw(&state) % 6) << 8;
            entry[2] = draw(&state) & 1 ? (uint32_t)draw(&state) : (uint32_t)(draw(&state) % 5000);
            entry[0] = (uint32_t)(draw(&state) % 8);
            break;
        }
        default:
            *(uint32_t *)(pair + (at & ~(size_t)3)) = (uint32_t)(draw(&state) % 8);
        }
    }
    child_tell(self, "done");
    child_wait(self, "end");
    self->may_leave_open = true;
    _exit(0);
}

static int suffers(struct child *self, void *arg)
{
    const struct hostile_plan *plan = arg;
    struct peer p;
    peer_open(&p, &plan->peer);
    peer_meet(&p, self);
    int64_t end = deadline_in(300);
    struct doca_buf *room[8], *data = peer_buf(&p, 65536, 60000);
    for (int i = 0; i < 8; i++)
        room[i] = peer_room(&p, (size_t)i * 4096, 4096);
    for (unsigned i = 0; now_ms() < end; i++) {
        peer_try_recv(&p, room[i % 8]); // may be refused, as everything here
        peer_try_send(&p, data, NULL);
        peer_poll(&p);
        peer_poll(&p);
    }
    for (int i = 0; i < 8; i++)
        drop(room[i]);
    drop(data);
    peer_restart(&p); // it can be used again
    peer_close(&p);
    return 0;
}

START_TEST(nonsense_in_the_pair)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    for (unsigned i = 0; i < 6; i++) {
        struct hostile_plan plans[2] = {{{.pci = HOST_PF0}, (unsigned)_i * 100 + i},
                                        {{.pci = HOST_PF0, .event = false}, 0}};
        struct child *a = child_start(daemon, "hostile", scribbles, &plans[0]);
        struct child *b = child_start(daemon, "victim", suffers, &plans[1]);
        peers_join(a, b);
        child_join(b);
        child_wait(a, "done");
        child_kill(a);
        daemon_assert_alive(daemon);
        assert_baseline(daemon);
    }
}
END_TEST

static Suite *soak_suite(void)
{
    Suite *suite = suite_create("rdma soak");
    TCase *tcase = tcase_create("soak");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, soak, 0, 2);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("nonsense");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, nonsense_in_the_pair, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return run_suite(soak_suite());
}
