// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "duet.h"

#include "clock.h"
#include "device.h"
#include "duet_event.h"
#include "remote.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS_MAX 512   // of one piece
#define LINKED_MS  10000 // time for two daemons that just started to link

// Data on the control socket, little-endian: the other process may be on another machine.
struct score {
    uint64_t piece, n;
};

struct introduction {
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE]; // of the host's device
    char service[40];
    uint8_t desc[256];
    uint32_t desc_size;
};

static bool send_data(const struct duet *duet, const void *data, size_t size)
{
    return remote_send(duet->control, data, size) ||
           problem_set(duet->problem, "the other process has ended");
}

static bool receive_data(const struct duet *duet, void *data, size_t size)
{
    return remote_recv(duet->control, data, size, -1) ||
           problem_set(duet->problem, "the other process has ended");
}

static bool receive_introduction(struct duet *duet, struct introduction *theirs)
{
    if (!receive_data(duet, theirs, sizeof(*theirs)))
        return false;
    theirs->pci[sizeof(theirs->pci) - 1] = theirs->service[sizeof(theirs->service) - 1] = '\0';
    theirs->desc_size = le32toh(theirs->desc_size);
    return theirs->desc_size <= sizeof(theirs->desc) ||
           problem_set(duet->problem, "the other process has sent a descriptor that is too long");
}

// ---- signals --------------------------------------------------------------------------

// The first process sets odd numbers, the second even ones.
static bool event_turns(struct duet *duet, uint64_t n, bool first)
{
    struct doca_sync_event *event = duet->event;
    if (duet->means == DUET_BY_EVENT_3)
        return duet_event_turns(event, &duet->turn, n, first, duet->problem);
    doca_error_t r = DOCA_SUCCESS;
    uint64_t turn = duet->turn;

    for (uint64_t i = 0; i < n && r == DOCA_SUCCESS; i++, turn += 2) {
        if (first)
            r = doca_sync_event_update_set(event, turn + 1);
        if (r == DOCA_SUCCESS)
            r = doca_sync_event_wait_gt(event, turn + first, UINT64_MAX);
        if (!first && r == DOCA_SUCCESS)
            r = doca_sync_event_update_set(event, turn + 2);
    }
    duet->turn = turn;
    return r == DOCA_SUCCESS || problem_doca(duet->problem, "a sync event", r);
}

static void await(_Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) <= value)
        ;
}

static bool word_turns(struct duet *duet, uint64_t n, bool first)
{
    _Atomic uint64_t *word = duet->word;
    uint64_t turn = duet->word_turn;

    for (uint64_t i = 0; i < n; i++, turn += 2) {
        if (first)
            atomic_store_explicit(word, turn + 1, memory_order_release);
        await(word, turn + first);
        if (!first)
            atomic_store_explicit(word, turn + 2, memory_order_release);
    }
    duet->word_turn = turn;
    return true;
}

// ---- messages -------------------------------------------------------------------------

static bool channel_out(struct duet *duet, uint64_t n)
{
    static uint8_t message[DUET_MESSAGE_MAX];
    for (uint64_t i = 0; i < n;) {
        doca_error_t r = doca_comm_channel_ep_sendto(duet->ep, message, duet->size,
                                                     DOCA_CC_MSG_FLAG_NONE, duet->peer);
        if (r != DOCA_SUCCESS && r != DOCA_ERROR_AGAIN)
            return problem_doca(duet->problem, "sending", r);
        i += r == DOCA_SUCCESS;
    }
    return true;
}

static bool channel_in(struct duet *duet, uint64_t n)
{
    static uint8_t message[DUET_MESSAGE_MAX];
    struct doca_comm_channel_addr_t *from;
    for (uint64_t i = 0; i < n;) {
        size_t size = sizeof(message);
        doca_error_t r =
            doca_comm_channel_ep_recvfrom(duet->ep, message, &size, DOCA_CC_MSG_FLAG_NONE, &from);
        if (r != DOCA_SUCCESS && r != DOCA_ERROR_AGAIN)
            return problem_doca(duet->problem, "receiving", r);
        i += r == DOCA_SUCCESS;
    }
    return true;
}

static bool socket_out(struct duet *duet, uint64_t n)
{
    static uint8_t message[DUET_MESSAGE_MAX];
    for (uint64_t i = 0; i < n;) {
        ssize_t r = send(duet->messages, message, duet->size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (r < 0 && errno != EAGAIN)
            return problem_set(duet->problem, "sending: %s", strerror(errno));
        i += r > 0;
    }
    return true;
}

static bool socket_in(struct duet *duet, uint64_t n)
{
    static uint8_t message[DUET_MESSAGE_MAX];
    for (uint64_t i = 0; i < n;) {
        ssize_t r = recv(duet->messages, message, sizeof(message), MSG_DONTWAIT);
        if (r == 0 || (r < 0 && errno != EAGAIN))
            return problem_set(duet->problem, "receiving: %s", r ? strerror(errno) : "closed");
        i += r > 0;
    }
    return true;
}

static bool play(struct duet *duet, enum duet_piece piece, uint64_t n)
{
    bool host = duet->host;
    switch (piece) {
    case DUET_EVENT:
        return event_turns(duet, n, !host);
    case DUET_WORD:
        return duet->word && word_turns(duet, n, !host);
    case DUET_CHANNEL:
        return host ? channel_out(duet, n) : channel_in(duet, n);
    case DUET_SOCKET:
        return host ? socket_out(duet, n) : socket_in(duet, n);
    case DUET_COMCH:
        return host ? comch_rig_send(duet->comch, n) : comch_rig_take(duet->comch, n);
    case DUET_PATH_PING:
        return comch_rig_ping(duet->comch, n, !host);
    case DUET_PATH_STREAM:
        return host ? comch_rig_stream_in(duet->comch, n) : comch_rig_stream_out(duet->comch, n);
    default:
        return true;
    }
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// The median over short blocks is robust on a machine that others use as well.
static bool play_in_blocks(struct duet *duet, enum duet_piece piece, uint64_t n, double *each)
{
    double took[BLOCKS_MAX];
    size_t blocks = 0;
    // A stream ends with an answer: it is one block.
    uint64_t size = piece == DUET_PATH_STREAM ? n : n / BLOCKS_MAX + 1;

    for (uint64_t done = 0; done < n;) {
        uint64_t now = n - done < size ? n - done : size;
        uint64_t before = ticks_now();
        if (!play(duet, piece, now))
            return false;
        took[blocks++] = ticks_to_ns(ticks_now() - before) / (double)now;
        done += now;
    }
    qsort(took, blocks, sizeof(*took), by_size);
    *each = took[blocks / 2];
    return true;
}

bool duet_play(struct duet *duet, enum duet_piece piece, uint64_t n, double *ns)
{
    struct score score = {htole64(piece), htole64(n)};
    char ready;
    double each;

    if (!send_data(duet, &score, sizeof(score)) || !receive_data(duet, &ready, 1))
        return false;
    if (!play_in_blocks(duet, piece, n, &each))
        return false;
    bool there_and_back = piece == DUET_EVENT || piece == DUET_WORD || piece == DUET_PATH_PING;
    *ns = there_and_back ? each / 2 : each;
    return true;
}

// ---- the host's side ------------------------------------------------------------------

static bool put_desc(struct duet *duet, struct introduction *mine, const uint8_t *desc, size_t size)
{
    if (size > sizeof(mine->desc))
        return problem_set(duet->problem, "a descriptor of %zu bytes", size);
    memcpy(mine->desc, desc, size);
    mine->desc_size = htole32((uint32_t)size);
    return true;
}

static bool make_event(struct duet *duet, struct introduction *mine)
{
    const uint8_t *desc;
    size_t size;
    if (duet->means == DUET_BY_EVENT_3)
        return duet_event_make(&duet->event, duet->dev, &desc, &size, duet->problem) &&
               put_desc(duet, mine, desc, size);
    DOCA_TRY(duet->problem, doca_sync_event_create, &duet->event);
    DOCA_TRY(duet->problem, doca_sync_event_publisher_add_location_cpu, duet->event, duet->dev);
    DOCA_TRY(duet->problem, doca_sync_event_subscriber_add_location_dpu, duet->event);
    DOCA_TRY(duet->problem, doca_sync_event_start, duet->event);
    DOCA_TRY(duet->problem, doca_sync_event_export_to_dpu, duet->event, duet->dev, &desc, &size);
    return put_desc(duet, mine, desc, size);
}

static bool make_endpoint(struct duet *duet)
{
    DOCA_TRY(duet->problem, doca_comm_channel_ep_create, &duet->ep);
    DOCA_TRY(duet->problem, doca_comm_channel_ep_set_device, duet->ep, duet->dev);
    DOCA_TRY(duet->problem, doca_comm_channel_ep_set_send_queue_size, duet->ep, 1024);
    DOCA_TRY(duet->problem, doca_comm_channel_ep_set_recv_queue_size, duet->ep, 1024);
    return true;
}

static bool connect_endpoint(struct duet *duet)
{
    struct introduction theirs;
    if (!make_endpoint(duet) || !receive_introduction(duet, &theirs))
        return false;
    DOCA_TRY(duet->problem, doca_comm_channel_ep_connect, duet->ep, theirs.service, &duet->peer);
    return true;
}

static bool by_comch(const struct duet *duet)
{
    return duet->means == DUET_BY_COMCH || duet->means == DUET_BY_COMCH_PATH;
}

static bool open_comch(struct duet *duet, const char *service)
{
    const struct comch_rig_plan plan = {
        .size = duet->size, .depth = duet->depth, .path = duet->means == DUET_BY_COMCH_PATH};
    return comch_rig_open(&duet->comch, &plan, duet->dev, duet->rep, service, duet->problem);
}

static bool meet_comch(struct duet *duet)
{
    bool done = false;
    while (!done) {
        if (!comch_rig_meet(duet->comch, &done))
            return false;
        if (duet->pid > 0 && waitpid(duet->pid, NULL, WNOHANG | WNOWAIT) == duet->pid)
            return problem_set(duet->problem, "the other process has ended");
    }
    return true;
}

// The other side may still wait for a message of this one.
static bool join_comch(struct duet *duet)
{
    struct introduction theirs;
    return receive_introduction(duet, &theirs) && open_comch(duet, theirs.service) &&
           meet_comch(duet);
}

static bool open_host(struct duet *duet)
{
    struct introduction mine = {.desc_size = 0};
    if (!device_open(&duet->dev, DEVICE_EXPORTS, duet->problem))
        return false;
    DOCA_TRY(duet->problem, doca_devinfo_get_pci_addr_str, doca_dev_as_devinfo(duet->dev),
             mine.pci);
    bool channel = duet->means == DUET_BY_CHANNEL, comch = by_comch(duet);
    if (!channel && !comch && !make_event(duet, &mine))
        return false;
    return send_data(duet, &mine, sizeof(mine)) && (!channel || connect_endpoint(duet)) &&
           (!comch || join_comch(duet));
}

static void release(struct duet *duet)
{
    if (duet->event && duet->means == DUET_BY_EVENT_3)
        duet_event_end(duet->event);
    else if (duet->event)
        doca_sync_event_destroy(duet->event);
    if (duet->ep)
        doca_comm_channel_ep_destroy(duet->ep);
    comch_rig_close(duet->comch);
    if (duet->rep)
        doca_dev_rep_close(duet->rep);
    if (duet->dev)
        doca_dev_close(duet->dev);
    remote_close(duet->control);
    if (duet->messages >= 0)
        close(duet->messages);
    if (duet->word)
        munmap(duet->word, 4096);
}

static int be_host(struct duet *duet)
{
    struct problem problem = {0};
    struct score score;
    duet->problem = &problem;
    duet->host = true;
    bool ok = open_host(duet);
    while (ok && receive_data(duet, &score, sizeof(score)) && score.piece != htole64(DUET_END))
        ok = send_data(duet, "", 1) &&
             play(duet, (enum duet_piece)le64toh(score.piece), le64toh(score.n));
    if (!ok)
        fprintf(stderr, "doca-perftest: the other process: %s\n", problem.s);
    release(duet);
    return ok ? 0 : 1;
}

int duet_respond(enum duet_means means, size_t size, int control)
{
    struct duet duet = {
        .means = means, .size = size, .messages = -1, .control = control, .pid = -1};
    return be_host(&duet);
}

// ---- the DPU's side -------------------------------------------------------------------

static bool open_representor(struct duet *duet, const char *pci)
{
    uint64_t deadline = clock_ns() + LINKED_MS * 1000000ull;
    struct doca_devinfo_rep **list;
    uint32_t n;
    uint8_t equal;

    while (!duet->rep && clock_ns() < deadline) {
        DOCA_TRY(duet->problem, doca_devinfo_rep_list_create, duet->dev, DOCA_DEV_REP_FILTER_NET,
                 &list, &n);
        for (uint32_t i = 0; i < n && !duet->rep; i++)
            if (doca_devinfo_rep_get_is_pci_addr_equal(list[i], pci, &equal) == DOCA_SUCCESS &&
                equal)
                doca_dev_rep_open(list[i], &duet->rep);
        doca_devinfo_rep_list_destroy(list);
        if (!duet->rep)
            usleep(2000);
    }
    return duet->rep || problem_set(duet->problem, "no representor of %s", pci);
}

static bool name_service(struct duet *duet, struct introduction *mine)
{
    uint64_t random;

    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        return problem_set(duet->problem, "getrandom: %s", strerror(errno));
    snprintf(mine->service, sizeof(mine->service), "doca-perftest-%016" PRIx64, random);
    return true;
}

static bool serve_comch(struct duet *duet)
{
    struct introduction mine = {.desc_size = 0};

    return name_service(duet, &mine) && open_comch(duet, mine.service) &&
           send_data(duet, &mine, sizeof(mine)) && meet_comch(duet);
}

static bool listen_endpoint(struct duet *duet)
{
    struct introduction mine = {.desc_size = 0};
    struct doca_comm_channel_addr_t *from;
    uint8_t first;
    size_t size = sizeof(first);

    if (!name_service(duet, &mine) || !make_endpoint(duet))
        return false;
    DOCA_TRY(duet->problem, doca_comm_channel_ep_set_device_rep, duet->ep, duet->rep);
    DOCA_TRY(duet->problem, doca_comm_channel_ep_listen, duet->ep, mine.service);
    if (!send_data(duet, &mine, sizeof(mine)))
        return false;
    // Accepts; if the client never comes, detects its end.
    uint32_t pending = 0;
    while (pending == 0) {
        DOCA_TRY(duet->problem, doca_comm_channel_ep_update_service_state_info, duet->ep);
        DOCA_TRY(duet->problem, doca_comm_channel_ep_get_pending_connections, duet->ep, &pending);
        if (duet->pid > 0 && waitpid(duet->pid, NULL, WNOHANG | WNOWAIT) == duet->pid)
            return problem_set(duet->problem, "the other process has ended");
    }
    doca_comm_channel_ep_recvfrom(duet->ep, &first, &size, DOCA_CC_MSG_FLAG_NONE, &from);
    return true;
}

static bool open_dpu(struct duet *duet)
{
    struct introduction theirs;
    if (!device_open(&duet->dev, DEVICE_IMPORTS, duet->problem) ||
        !receive_introduction(duet, &theirs) || !open_representor(duet, theirs.pci))
        return false;
    if (duet->means == DUET_BY_CHANNEL)
        return listen_endpoint(duet);
    if (by_comch(duet))
        return serve_comch(duet);
    if (duet->means == DUET_BY_EVENT_3)
        return duet_event_take(&duet->event, duet->dev, theirs.desc, theirs.desc_size,
                               duet->problem);
    DOCA_TRY(duet->problem, doca_sync_event_create_from_export, duet->dev, theirs.desc,
             theirs.desc_size, &duet->event);
    DOCA_TRY(duet->problem, doca_sync_event_start, duet->event);
    return true;
}

static bool fork_host(struct duet *duet, const struct run *run)
{
    int control[2], messages[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
        return problem_set(duet->problem, "socketpair: %s", strerror(errno));
    duet->control = control[0];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, messages) < 0) {
        close(control[1]);
        return problem_set(duet->problem, "socketpair: %s", strerror(errno));
    }
    duet->messages = messages[0];
    duet->pid = fork();
    if (duet->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_pin(run->other_cpu);
        setenv("DOCAD_SOCKET", run->host_socket, 1);
        close(control[0]);
        close(messages[0]);
        duet->control = control[1];
        duet->messages = messages[1];
        _exit(be_host(duet));
    }
    close(control[1]);
    close(messages[1]);
    return duet->pid > 0 || problem_set(duet->problem, "fork: %s", strerror(errno));
}

static bool ask_server(struct duet *duet, const char *server)
{
    const struct remote_request request = {
        .kind = REMOTE_DUET, .what = duet->means, .size = duet->size};
    return remote_open(&duet->control, server, &request, duet->problem);
}

bool duet_open(struct duet *duet, const struct run *run, enum duet_means means, size_t size,
               uint32_t depth, struct problem *problem)
{
    *duet = (struct duet){.problem = problem,
                          .means = means,
                          .size = size,
                          .depth = depth,
                          .messages = -1,
                          .control = -1,
                          .pid = -1};
    if (run->options->server)
        return ask_server(duet, run->options->server) && open_dpu(duet);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return problem_set(problem, "mmap: %s", strerror(errno));
    duet->word = page;
    return fork_host(duet, run) && open_dpu(duet);
}

void duet_close(struct duet *duet)
{
    struct score end = {.piece = htole64(DUET_END)};

    comch_rig_part(duet->comch); // the other side ends its part, and then the connection
    if (duet->control >= 0) {
        remote_send(duet->control, &end, sizeof(end));
        remote_close(duet->control);
        duet->control = -1;
    }
    pid_t pid = duet->pid;
    release(duet);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}
