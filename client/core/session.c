// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/session.h"

#include "cleanup.h"
#include "core/closing.h"
#include "core/connection.h"
#include "core/copies_over.h"
#include "core/wait_policy.h"
#include "core/process.h"
#include "core/severed.h"
#include "list.h"
#include "memfd.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

struct session {
    struct list link;    // in `sessions`
    unsigned refs;       // under the process lock
    pid_t pid;           // the process that it belongs to
    _Atomic bool broken; // docad has ended, or can no longer be trusted
    _Atomic bool memory_given;
    pthread_mutex_t request_lock; // one request at a time
    struct connection connection;
    const struct state_table *table;
    uint32_t table_slots;      // of the mapping; docad may change the number in the table
    struct severed page;       // of `activity`
    pthread_mutex_t page_turn; // one thread gets the activity page
    struct activity *activity; // NULL before it is needed
    uint32_t activity_slots;   // that it has
    uint64_t activity_taken[(ACTIVITY_SLOTS + 63) / 64]; // under the process lock
    bool own_barriers;
    uint8_t node[NODE_ID_SIZE];
    bool on_dpu;
    uint64_t copies_over;
    uint32_t workers;
};

// All sessions that some object holds, including broken ones; under the process lock.
static struct list sessions = {&sessions, &sessions};

// One thread connects; the others then find its session.
static struct call_lock connecting = CALL_LOCK_INIT;

static struct session *session_free(struct session *s)
{
    if (!s)
        return NULL;
    connection_close(&s->connection);
    state_table_unmap(s->table, s->table_slots);
    severed_remove(&s->page);
    if (s->activity)
        munmap(s->activity,
               s->activity_slots == ACTIVITY_SLOTS ? sizeof(*s->activity) : ACTIVITY_SIZE_FIRST);
    pthread_mutex_destroy(&s->page_turn);
    pthread_mutex_destroy(&s->request_lock);
    free(s);
    return NULL;
}

static struct activity *map_activity(int fd, size_t *size)
{
    *size = sizeof(struct activity);
    int r = memfd_check(fd, *size, true);
    if (r == -EINVAL) { // of a docad of an older release
        *size = ACTIVITY_SIZE_FIRST;
        r = memfd_check(fd, *size, true);
    }
    if (r < 0) {
        errno = -r;
        return NULL;
    }
    void *p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void use_page(struct session *s, struct activity *page, size_t size)
{
    s->activity = page;
    s->activity_slots = size == sizeof(*page) ? ACTIVITY_SLOTS : ACTIVITY_FIRST_SLOTS;
}

// `what` came from docad as a file that cannot be mapped.
static doca_error_t not_mapped(const struct session *s, const char *what, int fd, int error,
                               struct errtext *err)
{
    if (fd >= 0 && error == ENOMEM)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no address space for the %s of docad", what);
    return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                       "the %s of docad at %s cannot be used: %s; install docad and libdoca-client "
                       "of the same release",
                       what, s->connection.path, fd < 0 ? "it sent no file" : strerror(error));
}

static doca_error_t take_page(struct session *s, struct fd_list *fds, size_t i, struct errtext *err)
{
    cleanup_fd int fd = fd_list_take(fds, i);
    size_t size;
    struct activity *page = map_activity(fd, &size);
    if (!page)
        return not_mapped(s, "activity page", fd, errno, err);
    s->own_barriers = !page->barriers || !activity_register();
    use_page(s, page, size);
    s->page.pages = page;
    s->page.length = size;
    severed_add(&s->page);
    return DOCA_SUCCESS;
}

static void take_waiting(const Docad__Waiting *waiting)
{
    struct wait_times times;

    if (waiting)
        times = (struct wait_times){waiting->spin, waiting->spin_shared, waiting->block};
    wait_policy_set(waiting ? &times : NULL);
}

static doca_error_t take_hello(struct session *s, const Docad__HelloReply *hello,
                               struct fd_list *fds, struct errtext *err)
{
    cleanup_fd int fd = fd_list_take(fds, 0);
    s->table = fd < 0 ? NULL : state_table_map(fd, hello->state_slots);
    if (!s->table)
        return not_mapped(s, "state table", fd, errno, err);
    s->table_slots = hello->state_slots;
    doca_error_t e = fds->count > 1 ? take_page(s, fds, 1, err) : DOCA_SUCCESS;
    if (e != DOCA_SUCCESS)
        return e;
    memcpy(s->node, hello->node.data, NODE_ID_SIZE);
    s->on_dpu = strcmp(hello->role, "dpu") == 0;
    s->copies_over = copies_over(hello->copies_over);
    s->workers = hello->workers_limited ? hello->workers : UINT32_MAX;
    take_waiting(hello->waiting);
    return DOCA_SUCCESS;
}

static doca_error_t session_new(struct session **out, struct errtext *err)
{
    cleanup_message Docad__Message *hello = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    struct session *s = calloc(1, sizeof(*s));
    if (!s)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    s->refs = 1;
    s->pid = getpid();
    pthread_mutex_init(&s->request_lock, NULL);
    pthread_mutex_init(&s->page_turn, NULL);
    doca_error_t e = connection_open(&s->connection, false, &hello, &fds, err);
    if (e == DOCA_SUCCESS)
        e = take_hello(s, hello->hello_reply, &fds, err);
    if (e != DOCA_SUCCESS) {
        session_free(s);
        return e;
    }
    *out = s;
    return DOCA_SUCCESS;
}

// In the child all imports and queue pairs of the parent have ended.
static void end_all(const struct session *s)
{
    struct state_table *own =
        mmap((void *)s->table, state_table_size(s->table_slots), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (own != MAP_FAILED)
        *own = (struct state_table){
            .magic = STATE_TABLE_MAGIC, .version = STATE_TABLE_VERSION, .slots = s->table_slots};
}

// Runs in the child of a fork, which must not hold the parent's sockets: docad would not
// see the parent end as long as the child had them open.
static void close_in_child(void)
{
    struct session *s;
    list_for_each (s, &sessions, link) {
        end_all(s);
        atomic_store(&s->broken, true);
        connection_close(&s->connection);
    }
}

static struct fork_hook close_parents = {.in_child = close_in_child};

// Returns a reference to the session that this process uses, or NULL.
static struct session *session_find(void)
{
    struct session *s, *found = NULL;
    pid_t pid = getpid();

    process_lock();
    list_for_each (s, &sessions, link) {
        if (s->pid == pid && !atomic_load(&s->broken)) {
            s->refs++;
            found = s;
            break;
        }
    }
    process_unlock();
    return found;
}

doca_error_t session_get(struct session **out, struct errtext *err)
{
    struct session *s;
    doca_error_t e = DOCA_SUCCESS;

    process_on_fork(&close_parents);
    call_lock(&connecting);
    closing_begin();
    // Notices here, not at the first request, that the session's daemon was restarted.
    while ((s = session_find()) && !session_alive(s))
        s = session_unref(s);
    if (!s)
        e = session_new(&s, err);
    if (e == DOCA_SUCCESS) {
        process_lock();
        if (!list_linked(&s->link))
            list_append(&sessions, &s->link);
        process_unlock();
        *out = s;
    }
    call_unlock(&connecting);
    return e;
}

struct session *session_ref(struct session *s)
{
    process_lock();
    s->refs++;
    process_unlock();
    return s;
}

struct session *session_unref(struct session *s)
{
    if (!s)
        return NULL;
    process_lock();
    bool last = --s->refs == 0;
    if (last)
        list_remove(&s->link);
    process_unlock();
    return last ? session_free(s) : NULL;
}

// Notifies docad as well (it may only be slow), so that it releases what it holds.
static void session_break(struct session *s)
{
    atomic_store(&s->broken, true);
    shutdown(s->connection.line.sock, SHUT_RDWR);
}

doca_error_t session_call(struct session *s, Docad__Message *request, const int *send_fds,
                          size_t n_send_fds, Docad__Message **reply, struct fd_list *fds,
                          struct errtext *err)
{
    bool broken = false;
    doca_error_t e;

    if (s->pid != getpid())
        return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                           "the object belongs to process %d, from which this one was forked; "
                           "open devices and make maps in the child",
                           (int)s->pid);
    pthread_mutex_lock(&s->request_lock);
    if (atomic_load(&s->broken)) {
        e = errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                        "docad at %s, to which the object belongs, has ended; begin again with "
                        "the list of devices",
                        s->connection.path);
    } else {
        e = connection_call(&s->connection, request, send_fds, n_send_fds, CONNECTION_TIMEOUT_MS,
                            reply, fds, &broken, err);
        if (broken)
            session_break(s);
    }
    pthread_mutex_unlock(&s->request_lock);
    closing_again();
    return e;
}

const struct state_table *session_state_table(const struct session *s)
{
    return s->table;
}

// Without docad, no process reads the page. What can go on without it has a page as before.
static doca_error_t make_own_page(struct session *s, struct errtext *err)
{
    void *page = mmap(NULL, sizeof(struct activity), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (page == MAP_FAILED)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    s->own_barriers = true;
    use_page(s, page, sizeof(struct activity));
    return DOCA_SUCCESS;
}

// Requests the page from docad, unless the session has it. Programs that only export never need it.
static doca_error_t need_page(struct session *s, struct errtext *err)
{
    Docad__ActivityPage ask = DOCAD__ACTIVITY_PAGE__INIT;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    doca_error_t e = DOCA_SUCCESS;

    if (s->pid != getpid()) // a thread of the parent may have held the lock
        return s->activity ? DOCA_SUCCESS : make_own_page(s, err);
    pthread_mutex_lock(&s->page_turn);
    if (!s->activity) {
        e = session_call(s, message_of(ACTIVITY_PAGE, activity_page, &ask), NULL, 0, &reply, &fds,
                         err);
        if (e == DOCA_SUCCESS)
            e = take_page(s, &fds, 0, err);
        else if (e == DOCA_ERROR_NOT_CONNECTED)
            e = make_own_page(s, err);
    }
    pthread_mutex_unlock(&s->page_turn);
    return e;
}

// The first slot that is not taken; activity_slots or more if all are.
static uint32_t free_slot(const struct session *s)
{
    for (uint32_t word = 0; word < ARRAY_SIZE(s->activity_taken); word++)
        if (~s->activity_taken[word])
            return word * 64 + (uint32_t)__builtin_ctzll(~s->activity_taken[word]);
    return ACTIVITY_SLOTS;
}

// Before a thread names an import in the slot, docad must have been notified that the slot is used.
static void use_more(struct activity *activity, uint32_t i)
{
    uint32_t used = i < ACTIVITY_FIRST_SLOTS ? 0 : i - ACTIVITY_FIRST_SLOTS + 1;

    if (used > atomic_load_explicit(&activity->more_used, memory_order_relaxed))
        atomic_store_explicit(&activity->more_used, used, memory_order_relaxed);
}

doca_error_t session_activity_take(struct session *s, struct activity_slot **out,
                                   struct errtext *err)
{
    doca_error_t e = need_page(s, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = DOCA_ERROR_NO_MEMORY;

    process_lock();
    uint32_t i = free_slot(s);
    if (i < s->activity_slots) {
        s->activity_taken[i / 64] |= UINT64_C(1) << (i % 64);
        *out = activity_slot_at(s->activity, i);
        (*out)->own_barrier = s->own_barriers;
        use_more(s->activity, i);
        e = DOCA_SUCCESS;
    }
    process_unlock();
    if (e != DOCA_SUCCESS)
        return errtext_set(err, e,
                           "this process has reached the limit of %u work queues with contexts",
                           s->activity_slots);
    return DOCA_SUCCESS;
}

void session_activity_put(struct session *s, struct activity_slot *slot)
{
    size_t i = (size_t)(slot - s->activity->slots);

    if (i >= ACTIVITY_FIRST_SLOTS)
        i = ACTIVITY_FIRST_SLOTS + (size_t)(slot - s->activity->more);
    process_lock();
    s->activity_taken[i / 64] &= ~(UINT64_C(1) << (i % 64));
    process_unlock();
}

struct work_stats *session_stats_take(struct session *s, enum work_library library, uint32_t depth)
{
    struct work_stats *found = NULL;

    struct errtext err;
    if (need_page(s, &err) != DOCA_SUCCESS)
        return NULL;
    process_lock();
    uint32_t n = WORK_STATS_READ(s->activity->places);
    for (uint32_t i = 0; i < n && !found; i++) {
        struct work_stats *stats = &s->activity->stats[i];
        // Its previous counts were for the same kind of work.
        if (!WORK_STATS_READ(stats->in_use) && WORK_STATS_READ(stats->library) == library)
            found = stats;
    }
    if (!found && n < WORK_STATS_PLACES)
        found = &s->activity->stats[n++];
    if (found) {
        WORK_STATS_WRITE(s->activity->places, n);
        WORK_STATS_WRITE(found->library, library);
        WORK_STATS_WRITE(found->depth, depth);
        WORK_STATS_WRITE(found->in_flight, 0);
        WORK_STATS_WRITE(found->in_use, 1);
    }
    process_unlock();
    return found;
}

void session_stats_put(struct work_stats *stats)
{
    if (!stats)
        return;
    process_lock();
    WORK_STATS_WRITE(stats->in_flight, 0);
    WORK_STATS_WRITE(stats->in_use, 0);
    process_unlock();
}

uint64_t session_copies_over(const struct session *s)
{
    return s->copies_over;
}

uint32_t session_workers(const struct session *s)
{
    return s->workers;
}

bool session_on_dpu(const struct session *s)
{
    return s->on_dpu;
}

const uint8_t *session_node(const struct session *s)
{
    return s->node;
}

bool session_memory_given(const struct session *s)
{
    return atomic_load(&s->memory_given);
}

void session_set_memory_given(struct session *s)
{
    atomic_store(&s->memory_given, true);
}

int session_end_fd(const struct session *s)
{
    return s->connection.line.sock;
}

bool session_alive(struct session *s)
{
    if (s->pid != getpid() || atomic_load(&s->broken))
        return false;
    struct pollfd p = {.fd = s->connection.line.sock, .events = POLLRDHUP};
    int n;
    do {
        n = poll(&p, 1, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0)
        atomic_store(&s->broken, true);
    return n == 0;
}
