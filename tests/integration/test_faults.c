// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whole lives of objects, in which one call of the C library fails: in a daemon or in a program,
// the first, the second and so on. Nobody dies or hangs, nothing is left behind, and the next
// life passes. Also while a daemon is restarted in the midst of a life, with full tables of
// descriptors, without address space, and with a clock that jumps.
//
// The suite takes the last two and samples of the calls. By hand, DOCAD_TEST_FAULTS_SEED=n takes
// another sample, and DOCAD_TEST_FAULTS_ALL=1 all of them; DOCAD_TEST_FAULTS_INDEX=i then picks one
// life and process (beside CK_RUN_CASE=calls or restarts), and DOCAD_TEST_FAULTS_ONE="function nth"
// one call there; and DOCAD_TEST_FAULTS_FROM=n begins with the nth call of restarts.

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "fault_lives.h"
#include "faults.h"
#include "manager.h"
#include "nodes.h"
#include "protocol.h"
#include "run.h"

#include <openssl/sha.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

int main(void)
{
    puts("SKIPPED: faults: a sanitizer has malloc() and others for itself");
    return TEST_SKIPPED;
}

#else

#define SEED        1

enum place { HOST, DPU, FIRST, SECOND, PLACES };
static const char *const place_names[PLACES] = {"host", "dpu", "first program", "second program"};

static struct faults *pages[PLACES];
static int page_fds[PLACES] = {-1, -1, -1, -1};
static unsigned seed;
static bool all;
static void (*between)(void); // called when both programs have what they need

// ---- the processes ------------------------------------------------------------------------------

// A daemon follows a page that it finds by this name in the test's own descriptors.
static struct daemon *start_daemon(const char *role, enum place place, const char *peer,
                                   int (*run)(char **argv))
{
    char page[64], preload[PATH_MAX];
    int fd = memfd_create("faults", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(fd, sizeof(struct faults)), 0);
    pages[place] = mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(pages[place], MAP_FAILED);
    snprintf(page, sizeof(page), "DOCAD_TEST_FAULTS=/proc/%d/fd/%d", (int)getpid(), fd);
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", DOCAD_FAULTS_LIBRARY);
    struct daemon *daemon = daemon_start(&(struct daemon_options){
        .role = role, .wrapper = {"/usr/bin/env", page, preload}, .peers = {peer}, .run = run});
    page_fds[place] = fd; // for a docad that is started again
    return daemon;
}

static void *shared(size_t size)
{
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    return page;
}

static void start_nodes(int (*run)(char **argv))
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    // libcrypto 3.0 does not survive a failure while it makes itself ready.
    SHA256((const uint8_t *)"", 0, digest);
    env_setup();
    nodes.host = start_daemon("host", HOST, NULL, run);
    nodes.dpu = start_daemon("dpu", DPU, nodes.host->socket.s, run);
    for (int i = FIRST; i < PLACES; i++)
        pages[i] = shared(sizeof(struct faults));
    fault_first_is_over = shared(sizeof(*fault_first_is_over));
    daemon_wait_links(nodes.host, 1);
    daemon_wait_links(nodes.dpu, 1);
}

static void setup(void)
{
    start_nodes(NULL);
}

// A daemon that could not start is started again, as a service manager does.
static void setup_restarts(void)
{
    setenv("DOCAD_TEST_MANAGER_PATIENT", "1", true);
    start_nodes(manager_run);
}

static void teardown(void)
{
    between = NULL;
    for (int i = 0; i < PLACES; i++)
        close_fdp(&page_fds[i]);
    env_teardown();
    for (int i = 0; i < PLACES; i++)
        munmap(pages[i], sizeof(struct faults));
    munmap((void *)fault_first_is_over, sizeof(*fault_first_is_over));
}

// ---- a life -------------------------------------------------------------------------------------

struct script {
    const struct life *life;
    enum place place; // of this program
    struct words in;  // for the second program
};

static void say(struct child *self, bool ok, const struct words *words)
{
    struct words none = {0};
    faults_follow(NULL);
    child_send(self, ok ? words : &none, sizeof(none));
}

static bool hear(struct child *self, struct words *words)
{
    faults_follow(NULL);
    ck_assert_uint_eq(child_receive(self, words, sizeof(*words)), sizeof(*words));
    return words->length > 0;
}

static bool is_told(const struct child *self)
{
    struct pollfd p = {.fd = self->channel, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static int first_program(struct child *self, void *arg)
{
    const struct script *script = arg;
    const struct life *life = script->life;
    struct faults *page = pages[script->place];
    struct words words = {.length = 1};
    void *side = life->new ();

    faults_follow(page);
    say(self, life->offer(side, &words), &words);
    bool ok = hear(self, &words);
    if (ok && life->join) {
        faults_follow(page);
        ok = life->join(side, &words);
    }
    say(self, ok, &words);
    faults_follow(page);
    while (ok && life->serve && !is_told(self))
        ok = life->serve(side);
    *fault_first_is_over = true;
    hear(self, &words);
    faults_follow(page);
    life->end(side);
    faults_follow(NULL);
    return 0;
}

static int second_program(struct child *self, void *arg)
{
    const struct script *script = arg;
    const struct life *life = script->life;
    struct faults *page = pages[script->place];
    struct words words = {.length = 1};
    void *side = life->new ();

    faults_follow(page);
    bool ok = life->take(side, &script->in, &words);
    say(self, ok, &words);
    if (hear(self, &words) && ok) {
        faults_follow(page);
        ok = life->use(side);
    }
    say(self, ok, &(struct words){.length = 1});
    faults_follow(page);
    life->end(side);
    faults_follow(NULL);
    return 0;
}

static bool pass_on(struct child *from, struct words *words)
{
    ck_assert_uint_eq(child_receive(from, words, sizeof(*words)), sizeof(*words));
    return words->length > 0;
}

// Returns whether it passed.
static bool live(const struct life *life)
{
    struct script first = {life, FIRST, {0}}, second = {life, SECOND, {0}};
    struct words none = {0}, words;
    bool ok = false;

    *fault_first_is_over = false;
    struct child *a =
        child_start(life->first_on_dpu ? nodes.dpu : nodes.host, "first", first_program, &first);
    if (pass_on(a, &second.in)) {
        struct child *b = child_start(life->first_on_dpu ? nodes.host : nodes.dpu, "second",
                                      second_program, &second);
        bool taken = pass_on(b, &words);
        child_send(a, &words, sizeof(words));
        bool joined = pass_on(a, &words) && taken;
        if (joined && between)
            between();
        child_send(b, joined ? &words : &none, sizeof(none));
        ok = pass_on(b, &words) && joined;
        child_send(a, &none, sizeof(none));
        child_join(b);
    } else {
        child_send(a, &none, sizeof(none));
        pass_on(a, &words);
        child_send(a, &none, sizeof(none));
    }
    child_join(a);
    child_free_all();
    return ok;
}

// ---- what may not be left -----------------------------------------------------------------------

struct rest {
    unsigned descriptors[2];
    long blocks[2];
};

static void settle(void)
{
    daemon_assert_alive(nodes.host);
    daemon_assert_alive(nodes.dpu);
    daemon_wait_links(nodes.host, 1); // a link that broke for want of something comes back
    daemon_wait_links(nodes.dpu, 1);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

static struct rest rest_now(void)
{
    struct rest r;
    for (int i = 0; i < 2; i++) {
        r.descriptors[i] = daemon_descriptors(i ? nodes.dpu : nodes.host);
        r.blocks[i] = atomic_load(&pages[i]->blocks);
    }
    return r;
}

// The least of a while: a daemon may not have closed yet what the test has just closed.
static struct rest rest_least(void)
{
    struct rest least = rest_now();
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (int looks = 0; looks < 20 && deadline_pause(deadline); looks++) {
        struct rest now = rest_now();
        for (int i = 0; i < 2; i++)
            if (now.descriptors[i] < least.descriptors[i])
                least.descriptors[i] = now.descriptors[i];
    }
    return least;
}

// Memory may go up and down a little; what is lost each time adds up.
#define BLOCKS_MORE 64

// Fewer descriptors are fine: docad makes another helper process when it needs one.
static void assert_rest(const struct rest *before, const char *what)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (int i = 0; i < 2; i++) {
        struct rest now = rest_now();
        while ((now.descriptors[i] > before->descriptors[i] ||
                now.blocks[i] > before->blocks[i] + BLOCKS_MORE) &&
               deadline_pause(deadline))
            now = rest_now();
        ck_assert_msg(now.descriptors[i] <= before->descriptors[i],
                      "%s: %s has %u descriptors, before %u", what, place_names[i],
                      now.descriptors[i], before->descriptors[i]);
        ck_assert_msg(now.blocks[i] <= before->blocks[i] + BLOCKS_MORE,
                      "%s: %s has %ld blocks of memory, before %ld", what, place_names[i],
                      now.blocks[i], before->blocks[i]);
    }
}

// ---- one call fails
// -------------------------------------------------------------------------------

static void arm(enum place place, enum faults_function function, long nth)
{
    struct faults *f = pages[place];
    atomic_store(&f->function, FAULTS_NONE);
    atomic_store(&f->nth, nth);
    atomic_store(&f->calls, 0);
    atomic_store(&f->fired, 0);
    atomic_store(&f->function, (int)function);
}

static void disarm(enum place place)
{
    atomic_store(&pages[place]->function, FAULTS_NONE);
}

// For whoever reads the logs of a test that failed.
static void note(const char *what)
{
    struct path path = log_path("faults.log");
    cleanup_file FILE *file = fopen(path.s, "ae");
    if (file)
        fprintf(file, "%s\n", what);
}

// False once a life needs fewer calls than that.
static bool fail_nth(const struct life *life, enum place place, enum faults_function function,
                     long nth, const struct rest *before)
{
    char what[128];
    snprintf(what, sizeof(what), "%s: call %ld of %s in the %s", life->name, nth,
             faults_name(function), place_names[place]);
    note(what);
    arm(place, function, nth);
    bool ok = live(life);
    disarm(place);
    bool fired = atomic_load(&pages[place]->fired) > 0;
    ck_assert_msg(ok || fired, "%s: failed, and the call was not made", what);
    settle();
    assert_rest(before, what);
    return fired;
}

// A sample depends on the seed alone.
static long next(long n)
{
    return all ? n + 1 : n + 1 + rand_r(&seed) % (2 * n + 40);
}

static unsigned long walk(const struct life *life, enum place place, enum faults_function function,
                          const struct rest *before)
{
    unsigned long fired = 0;
    for (long n = all ? 1 : 1 + rand_r(&seed) % 30; fail_nth(life, place, function, n, before);
         n = next(n))
        fired++;
    return fired;
}

static void calm(const struct life *life)
{
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(live(life), "%s fails without a reason", life->name);
        settle();
    }
}

// The one that DOCAD_TEST_FAULTS_ONE="function nth" names.
static bool only_one(const struct life *life, enum place place, const struct rest *before)
{
    int function;
    long nth;
    const char *one = getenv("DOCAD_TEST_FAULTS_ONE");
    if (!one || sscanf(one, "%d %ld", &function, &nth) != 2)
        return false;
    fail_nth(life, place, (enum faults_function)function, nth, before);
    return true;
}

START_TEST(one_call_fails)
{
    enum place place = (enum place)(_i % PLACES);
    const struct life *life =
        fault_lives[all ? (unsigned)_i / PLACES : (seed + (unsigned)_i) % FAULT_LIVES];
    calm(life);
    struct rest before = rest_least();
    if (only_one(life, place, &before))
        return;
    for (int function = FAULTS_MALLOC; function < FAULTS_FUNCTIONS; function++) {
        if (!all && rand_r(&seed) % 2)
            continue;
        unsigned long fired = walk(life, place, (enum faults_function)function, &before);
        if (all && fired)
            printf("%s, %s, %s: %lu\n", life->name, place_names[place],
                   faults_name((enum faults_function)function), fired);
    }
    calm(life);
    assert_rest(&before, life->name);
}
END_TEST

// ---- a restart
// ------------------------------------------------------------------------------------

static struct {
    enum place place;
    enum faults_function function;
    long nth;
    int how;
    bool done;
} restart;

// The call fails while docad goes, or when it comes back.
static void restart_now(void)
{
    arm(restart.place, restart.function, restart.nth);
    manager_restart(restart.place == HOST ? nodes.host : nodes.dpu,
                    restart.how % 2 ? SIGKILL : SIGTERM);
    disarm(restart.place);
    restart.done = true;
}

// False once a restart needs fewer calls than that.
static bool restart_with(const struct life *life)
{
    char what[128];
    snprintf(what, sizeof(what), "%s: call %ld of %s while the %s is restarted", life->name,
             restart.nth, faults_name(restart.function), place_names[restart.place]);
    note(what);
    restart.done = false;
    bool ok = live(life);
    ck_assert_msg(restart.done, "%s: there was none", what);
    bool fired = atomic_load(&pages[restart.place]->fired) > 0;
    ck_assert_msg(ok || fired, "%s: failed, and the call was not made", what);
    settle();
    return fired;
}

// Few functions are called more than thirty times, and one some seven hundred times.
static long first_call(void)
{
    const char *from = getenv("DOCAD_TEST_FAULTS_FROM");
    if (from)
        return atol(from);
    return all ? 1 : 1 + rand_r(&seed) % (restart.function == FAULTS_MALLOC ? 700 : 30);
}

START_TEST(one_call_fails_in_a_restart)
{
    const struct life *life =
        fault_lives[all ? (unsigned)_i / 2 : (seed + (unsigned)_i) % FAULT_LIVES];
    calm(life);
    between = restart_now;
    restart.place = _i % 2 ? DPU : HOST;
    for (int function = FAULTS_MALLOC; function < FAULTS_FUNCTIONS; function++) {
        if (!all && rand_r(&seed) % 3)
            continue;
        restart.function = (enum faults_function)function;
        unsigned long fired = 0;
        for (restart.nth = first_call(); restart_with(life);
             restart.nth = next(restart.nth), restart.how++)
            fired++;
        if (all && fired)
            printf("%s, restart of the %s, %s: %lu\n", life->name, place_names[restart.place],
                   faults_name(restart.function), fired);
    }
    between = NULL;
    calm(life);
}
END_TEST

// ---- little of everything -----------------------------------------------------------------------

static void limit(const struct daemon *daemon, int what, rlim_t value)
{
    struct rlimit now;
    ck_assert_int_eq(prlimit(daemon->pid, what, NULL, &now), 0);
    now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
    ck_assert_int_eq(prlimit(daemon->pid, what, &now, NULL), 0);
}

static unsigned long address_space(const struct daemon *daemon)
{
    char path[32];
    unsigned long pages_used = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)daemon->pid);
    cleanup_file FILE *file = fopen(path, "re");
    ck_assert(file && fscanf(file, "%lu", &pages_used) == 1);
    return pages_used * (unsigned long)sysconf(_SC_PAGESIZE);
}

// A daemon that has room for a few descriptors, or bytes of address space, more than it has now, or
// may lock no memory at all.
static void live_within(const struct life *life, struct daemon *daemon, int what, rlim_t room)
{
    struct rest before = rest_least();
    struct rlimit old;
    ck_assert_int_eq(prlimit(daemon->pid, what, NULL, &old), 0);
    rlim_t now = what == RLIMIT_NOFILE ? daemon_descriptors(daemon)
                 : what == RLIMIT_AS   ? address_space(daemon)
                                       : 0;
    limit(daemon, what, room + now);
    live(life);
    limit(daemon, what, old.rlim_cur);
    settle();
    assert_rest(&before, life->name);
}

START_TEST(little_room)
{
    const struct life *life = fault_lives[_i];
    calm(life);
    for (int i = 0; i < 2; i++) {
        struct daemon *daemon = i ? nodes.dpu : nodes.host;
        for (rlim_t room = 3; room < 24; room += all ? 1 : 1 + (rlim_t)rand_r(&seed) % 12)
            live_within(life, daemon, RLIMIT_NOFILE, room);
        for (rlim_t room = 0; room < 64; room += all ? 1 : 1 + (rlim_t)rand_r(&seed) % 40)
            live_within(life, daemon, RLIMIT_AS, room * 4096);
        live_within(life, daemon, RLIMIT_MEMLOCK, 0);
    }
    calm(life);
}
END_TEST

START_TEST(jumping_clock)
{
    static const int64_t jumps[] = {-1000000000, 1000000000, 5, 0};
    for (size_t k = 0; k < ARRAY_SIZE(jumps); k++)
        for (int life = 0; life < FAULT_LIVES; life++) {
            for (int i = 0; i < PLACES; i++)
                atomic_store(&pages[i]->clock_ahead, jumps[(k + (size_t)i) % ARRAY_SIZE(jumps)]);
            ck_assert(live(fault_lives[life]));
        }
    settle();
}
END_TEST

int main(void)
{
    const char *given = getenv("DOCAD_TEST_FAULTS_SEED");
    Suite *suite = suite_create("faults");
    TCase *tcase = tcase_create("calls");
    all = getenv("DOCAD_TEST_FAULTS_ALL") != NULL;
    seed = given ? (unsigned)atoi(given) : SEED;
    printf("faults: DOCAD_TEST_FAULTS_SEED=%u\n", seed);
    fflush(stdout);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, all ? 3600 : 100);
    const char *index = getenv("DOCAD_TEST_FAULTS_INDEX");
    int first = index ? atoi(index) : 0;
    int end = index ? first + 1 : all ? FAULT_LIVES * PLACES : PLACES;
    tcase_add_loop_test(tcase, one_call_fails, first, end);
    if (!index) {
        tcase_add_loop_test(tcase, little_room, 0, FAULT_LIVES);
        tcase_add_test(tcase, jumping_clock);
    }
    suite_add_tcase(suite, tcase);
    TCase *restarts = tcase_create("restarts");
    tcase_add_checked_fixture(restarts, setup_restarts, teardown);
    tcase_set_timeout(restarts, all ? 3600 : 100);
    tcase_add_loop_test(restarts, one_call_fails_in_a_restart, first,
                        index ? end
                        : all ? 2 * FAULT_LIVES
                              : 2);
    suite_add_tcase(suite, restarts);
    return run_suite(suite);
}

#endif
