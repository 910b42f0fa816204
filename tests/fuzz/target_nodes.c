// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A host and three DPUs in this process, as their main() starts them: linked over a socket with
// descriptors, over one without, and over TLS. Their clients send messages of any contents,
// strangers knock at every door, configurations change and are read again. The links live on in the
// next input; of the clients nothing may remain.

#include "any_message.h"
#include "certificate.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "failing.h"
#include "fake_rdma.h"
#include "left_over.h"
#include "listener.h"
#include "node_life.h"
#include "options.h"
#include "parties.h"
#include "passed_fds.h"
#include "peer.h"
#include "publication.h"
#include "service.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NODES     4
#define PARTIES   8 // each is of the node of its number, and of the others in turn
#define STEPS_MAX 64
#define WAITS_MAX 40000 // of a quarter of a millisecond

static const char *const names[NODES] = {"h", "d", "e", "t"};
static struct node *nodes[NODES];
static struct party parties[PARTIES];
static char dir[64];
static unsigned port;
static size_t rereading; // whose configuration is read again
static bool rewritten[NODES], started_otherwise[NODES];
static unsigned usual_fds;

static const uint8_t bodies[] = {20,  20,  20,  23,  23,  23,  25,  25,  25,  28,  28,  28,  31,
                                 33,  100, 100, 103, 103, 105, 105, 108, 108, 130, 130, 132, 132,
                                 132, 50,  50,  160, 12,  14,  15,  16,  18,  19,  22,  27,  30,
                                 32,  52,  54,  56,  57,  102, 107, 134, 162, 164, 166, 168};

// ---- time -----------------------------------------------------------------------------------

static void turn_loops(void)
{
    for (size_t i = 0; i < NODES; i++) {
        failing_begin();
        event_base_loop(nodes[i]->base, EVLOOP_NONBLOCK);
        failing_end();
    }
}

void parties_turn(void)
{
    turn_loops();
    turn_loops();
    for (int i = 0; i < PARTIES; i++)
        party_receive(&parties[i]);
}

static void pass_time(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        parties_turn();
        held_receive();
        usleep(100);
    }
}

// ---- configurations ---------------------------------------------------------------------------

// What a configuration may have beside what it needs.
static const char *const extras[] = {
    "log_level = debug\n",
    "isolation = strict\nworkers = 3\n",
    "policy \"p\" { users = { 0 }\n export = { dpu, rdma }\n open = { pf0 } }\n",
    "policy \"q\" { to_users = { 1 } }\n",
    "policy \"r\" { groups = { 0 }\n to_groups = { 0, 1 }\n export = { pci, sync_event } }\n",
    "policy \"s\" { users = { 1, 2 }\n open = { \"pf*\" } }\n",
    "limits { exports_per_session = 1\n regions_per_session = 2 }\n",
    "limits { channels_per_session = 1\n queue_pairs_per_session = 1\n sessions_per_uid = 2 }\n",
    "function \"pf0\" { type = pf  pci = 0b:00.0  port = 0 }\n"
    "function \"sf\" { type = sf  port = 0  can_dma = no }\n",
    "function \"x\" { type = pf  pci = 0c:00.0  port = 0  ipv4 = 10.9.8.7  ipv6 = none }\n"
    "function \"xvf\" { type = vf  pci = 0c:00.1  port = 0  mac = 02:00:00:00:00:01 }\n",
    "function \"r\" { backing = verbs  ibdev = fake0  ibport = 1 }\n"
    "function \"pf0\" { type = pf  pci = 0b:00.0  port = 0 }\n",
    "verbs { exclude = \"*\"\n retries = 1 }\n",
    "peer \"none\" { socket = \"/nonexistent/none.sock\" }\n",
    "name = other\nsocket_mode = 0600\nmetrics_socket = none\nengine { threads = 2 }\n",
    "peer_grace_ms = 20\nsubuids = /nonexistent\n",
    "nonsense = 3\n",
};
#define EXTRAS (sizeof(extras) / sizeof(extras[0]))

static const char *path_of(size_t node, const char *ending)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s.%s", dir, names[node], ending);
    return path;
}

// `left_out`: 1 without its links, 2 without TLS, 3 with the certificates of another node.
static void write_config(size_t node, uint8_t left_out, struct input *in)
{
    FILE *file = fopen(path_of(node, "conf"), "w");
    if (!file)
        abort();
    fprintf(file, "role = %s\nname = %s\nsocket = \"%s\"\npeer_grace_ms = 1\nlog_level = %s\n",
            node ? "dpu" : "host", names[node], path_of(node, "sock"),
            parties_verbose ? "debug" : "error");
    fprintf(file, "engine { threads = 1 }\n");
    if ((node == 0 || node == 3) && left_out != 2) {
        const char *whose = names[left_out == 3 ? 3 - node : node];
        fprintf(file,
                "tls {\n certificate = \"%s/%s.crt\"\n key = \"%s/%s.key\"\n"
                " authority = \"%s/all.crt\"\n",
                dir, whose, dir, whose, dir);
        if (node == 0)
            fprintf(file, " listen = \"127.0.0.1:%u\"\n", port);
        fprintf(file, "}\n");
    }
    if (node == 3 && left_out != 1 && left_out != 2)
        fprintf(file, "peer \"h\" { address = \"127.0.0.1:%u\" }\n", port);
    else if (node && left_out != 1)
        fprintf(file, "peer \"h\" { socket = \"%s\"\n descriptors = %s }\n", path_of(0, "sock"),
                node == 1 ? "yes" : "no");
    while (in && in->left)
        fputs(extras[input_u8(in) % EXTRAS], file);
    fclose(file);
}

static bool reread(void *arg, struct config *config)
{
    char path[128], *argv[] = {(char *)"docad", (char *)"--config", path, NULL};
    (void)arg;
    strcpy(path, path_of(rereading, "conf"));
    return options_read(3, argv, config) == OPTIONS_RUN;
}

static void reload_from(size_t node, struct input *in)
{
    uint8_t how = input_u8(in);
    rewritten[node] = true;
    write_config(node, how < 0x80 ? 0 : how % 4, in);
    rereading = node;
    failing_begin();
    nodes[node]->hooks->reload(nodes[node]);
    failing_end();
}

// ---- starts and ends ----------------------------------------------------------------------------

static void on_started(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(arg);
}

static bool fail_start(size_t i, struct listener *listener, const struct errtext *err)
{
    if (parties_verbose)
        fprintf(stderr, "node %s does not start: %s\n", names[i], err->s);
    if (i == 0)
        service_stop();
    nodes[i] = node_free(nodes[i]);
    listener_free(listener);
    return false;
}

// As main() does, but that its loop ends at once.
static bool start_node(size_t i)
{
    static struct config configs[NODES];
    const struct timeval now = {0, 0};
    struct listener *listener;
    struct errtext err = {"its configuration is wrong, or calls fail"};

    rereading = i;
    if (!reread(NULL, &configs[i]) ||
        listener_new(&listener, configs[i].socket, configs[i].socket_mode, &err) != DOCA_SUCCESS)
        return fail_start(i, NULL, &err);
    if (node_new(&nodes[i], &configs[i], &err) != DOCA_SUCCESS)
        return fail_start(i, listener, &err);
    node_find_devices(nodes[i]);
    if (i == 0 && !service_start(nodes[i], reread, NULL))
        return fail_start(i, listener, &err);
    event_base_once(nodes[i]->base, -1, EV_TIMEOUT, on_started, nodes[i]->base, &now);
    if (!node_run(nodes[i], listener))
        return fail_start(i, NULL, &err);
    return true;
}

static void must_start(size_t i)
{
    write_config(i, 0, NULL);
    if (start_node(i))
        return;
    dprintf(2, "node %s does not start\n", names[i]);
    abort();
}

static void end_node(size_t i)
{
    if (i == 0)
        service_stop();
    nodes[i] = node_free(nodes[i]);
}

// Another configuration, under which it need not start.
static void restart_node(size_t i, struct input *in)
{
    uint8_t how = input_u8(in);

    end_node(i);
    started_otherwise[i] = true;
    write_config(i, how < 0x80 ? 0 : how % 4, in);
    failing_begin();
    bool started = start_node(i);
    failing_end();
    if (started)
        return;
    failing_forget();
    must_start(i);
}

// Clients open functions by their numbers, which depend on what was there before.
static bool has_usual_functions(size_t i)
{
    static const char *const usual[] = {"pf0", "p0", "p0", "p0"};
    const struct function *first = nodes[i]->functions;
    return nodes[i]->n_functions && !first->gone && strcmp(first->name, usual[i]) == 0;
}

static void restore_configs(void)
{
    for (size_t i = 0; i < NODES; i++) {
        started_otherwise[i] |= !has_usual_functions(i);
        if (started_otherwise[i]) {
            end_node(i);
            must_start(i);
        } else if (rewritten[i]) {
            write_config(i, 0, NULL);
            rereading = i;
            if (!nodes[i]->hooks->reload(nodes[i]))
                abort();
        }
        started_otherwise[i] = rewritten[i] = false;
    }
}

// ---- doors ------------------------------------------------------------------------------------

static int connect_unix(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        close_fdp(&fd);
    return fd;
}

static int connect_tls(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        close_fdp(&fd);
    return fd;
}

// Somebody who says a few bytes, hears the answer, and leaves.
static void knock(int fd, struct input *in)
{
    char answer[4096];
    ssize_t n;

    if (fd < 0)
        return;
    n = send(fd, in->at, in->left, MSG_DONTWAIT | MSG_NOSIGNAL);
    for (int i = 0; i < 4; i++) {
        parties_turn();
        n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
    }
    (void)n;
    close(fd);
}

static void join(int number, struct input *in)
{
    struct party *p = &parties[number];
    size_t node = (size_t)number % NODES;

    if (p->fd >= 0)
        return;
    *p = (struct party){.fd = connect_unix(path_of(node, "sock"), SOCK_SEQPACKET),
                        .number = number,
                        .of_dpu = node != 0,
                        .may_reload = true,
                        .bodies = bodies,
                        .n_bodies = sizeof(bodies)};
    parties_turn();
    if (input_u8(in) < 0xfc)
        party_begin_session(p, in);
    parties_turn();
}

// ---- one input --------------------------------------------------------------------------------

static void happen(struct input *in)
{
    uint8_t what = input_u8(in);
    size_t node = what >> 4 & 3;

    switch (what & 7) {
    case 0:
        reload_from(node, in);
        break;
    case 1:
        knock(connect_unix(path_of(node, "sock"), SOCK_SEQPACKET), in);
        break;
    case 2: {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s-metrics.sock", dir, names[node]);
        knock(connect_unix(path, SOCK_STREAM), in);
        break;
    }
    case 3:
        knock(connect_tls(), in);
        break;
    case 4:
        fake_rdma_disturb(in);
        break;
    case 5:
        restart_node(node, in);
        break;
    default:
        failing_choose(in);
        break;
    }
}

static void act(uint8_t what, struct input *in)
{
    int number = what >> 4 & (PARTIES - 1);
    struct party *p = &parties[number];

    switch (what & 15) {
    case 0:
        join(number, in);
        break;
    case 1:
        if (what & 0x80)
            close_fdp(&p->fd);
        break;
    case 2:
        party_say_raw(p, in);
        break;
    case 3:
    case 4:
        held_write(in, parties_memory);
        break;
    case 5:
        pass_time(1 + input_u8(in) % 16);
        break;
    case 6:
        happen(in);
        break;
    default:
        rereading = (size_t)number % NODES;
        party_say(p, in);
        party_wait(p);
        break;
    }
    parties_turn();
    parties_turn();
}

static bool all_linked(void)
{
    unsigned linked = 0;
    struct peer *peer;
    for (size_t i = 0; i < NODES; i++)
        list_for_each (peer, &nodes[i]->peers, in_node)
            linked += peer->state == PEER_LINKED;
    return linked == 2 * (NODES - 1);
}

static bool all_empty(void)
{
    for (size_t i = 0; i < NODES; i++)
        if (!left_over_nothing(nodes[i], true))
            return false;
    return true;
}

// Threads still close descriptors, and end what they are about; links come back.
static void check_nothing_is_left(void)
{
    for (int i = 0; i < WAITS_MAX; i++) {
        turn_loops();
        for (size_t j = 0; j < NODES; j++)
            if (!nodes[j]->n_sessions)
                publications_free_all(nodes[j]);
        if (all_empty() && all_linked() && count_fds() <= usual_fds)
            return;
        if (i > 3)
            usleep(250);
    }
    dprintf(2, "left: descriptors %u of %u, %slinked\n", count_fds(), usual_fds,
            all_linked() ? "" : "not ");
    for (size_t i = 0; i < NODES; i++)
        left_over_say(nodes[i]);
    say_fds();
    abort();
}

static void run(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step, first = {data, 0};
    uint8_t what;

    values_forget();
    values_know(VALUE_FUNCTION, 1);
    values_know(VALUE_KEY, 0x10000);
    for (size_t i = 0; i < NODES; i++)
        values_know_bytes(BYTES_NODE, nodes[NODES - 1 - i]->id, NODE_ID_SIZE);
    join(0, &first);
    for (int i = 0; i < STEPS_MAX && input_step(&in, &what, &step); i++)
        act(what, &step);
    failing_forget();
    fake_rdma_repair();
    for (int i = 0; i < PARTIES; i++)
        close_fdp(&parties[i].fd);
    held_drop();
    for (size_t i = 0; i < NODES; i++)
        node_find_devices(nodes[i]);
    restore_configs();
    restore_configs(); // a function may have come back at another place
    check_nothing_is_left();
}

// ---- the start --------------------------------------------------------------------------------

// A port that nobody listens at now.
static unsigned find_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    cleanup_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        abort();
    return ntohs(address.sin_port);
}

static void remove_files(void)
{
    char path[512];
    const struct dirent *entry;
    DIR *files = opendir(dir);
    while (files && (entry = readdir(files))) {
        snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        if (entry->d_name[0] != '.' || entry->d_name[1] != '.')
            unlink(path);
    }
    if (files)
        closedir(files);
    rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *tmp = getenv("TMPDIR");
    (void)argc;
    (void)argv;
    parties_start();
    for (int i = 0; i < PARTIES; i++)
        parties[i].fd = -1;
    log_init(parties_verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
    snprintf(dir, sizeof(dir), "%.40s/docad-fuzz-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        abort();
    atexit(remove_files);
    certificate_make(dir, "h");
    certificate_make(dir, "t");
    fd_reaper_receive_from(FD_REAPER_NO_UID);
    fake_rdma_repair();
    port = find_port();
    for (size_t i = 0; i < NODES; i++)
        must_start(i);
    for (int i = 0; i < WAITS_MAX && !all_linked(); i++) {
        turn_loops();
        usleep(250);
    }
    if (!all_linked()) {
        dprintf(2, "the nodes are not linked\n");
        abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!usual_fds) // libFuzzer has files of its own by now
        usual_fds = count_fds();
    run(data, size);
    return 0;
}
