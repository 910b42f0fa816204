// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad: reads its options, makes the node, and serves until a signal comes.

#include "cleanup.h"
#include "fd_reaper.h"
#include "config_check.h"
#include "event_memory.h"
#include "fdstore.h"
#include "listener.h"
#include "log.h"
#include "node.h"
#include "node_life.h"
#include "notify.h"
#include "options.h"
#include "passed.h"
#include "record_file.h"
#include "reload.h"
#include "restart.h"
#include "service.h"
#include "tls.h"
#include "tls_settings.h"

#include <event2/event.h>
#include <openssl/crypto.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

enum {
    EXIT_CONFIG = 2,
};

// Memory files and queue pairs of clients are kept open, so raise the limit as far as allowed.
static void raise_open_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur == files.rlim_max)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

// Takes the descriptors that the service manager passed: at most one listening socket, and those
// that it kept.
static doca_error_t take_passed(int *listening, struct errtext *err)
{
    char **names = NULL;
    int n = passed_take(&names), other = 0;

    *listening = -1;
    if (n < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "cannot take what the service manager passed ($LISTEN_PID, "
                           "$LISTEN_FDS): %s",
                           strerror(errno));
    for (int i = 0; i < n; i++) {
        int fd = PASSED_FIRST + i;
        if (!fdstore_receive(fd, names[i])) {
            *listening = fd;
            other++;
        }
        free(names[i]);
    }
    free(names);
    if (fdstore_missed())
        return errtext_set(
            err, DOCA_ERROR_NO_MEMORY,
            "docad is out of memory for what the service manager kept. Nothing of it "
            "is lost: start docad again");
    if (other > 1 || (other && !passed_is_listener(*listening)))
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "the service manager passed %d descriptors; pass one listening "
                           "SOCK_SEQPACKET Unix socket (ListenSequentialPacket=)",
                           other);
    return DOCA_SUCCESS;
}

static doca_error_t make_listener(struct listener **out, struct config *config, struct errtext *err)
{
    int fd;
    doca_error_t r = take_passed(&fd, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (fd < 0)
        return listener_new(out, config->socket, config->socket_mode, err);
    struct sockaddr_un address = {0};
    socklen_t size = sizeof(address);
    if (getsockname(fd, (struct sockaddr *)&address, &size) == 0 && address.sun_path[0])
        snprintf(config->socket, sizeof(config->socket), "%.*s", (int)sizeof(address.sun_path) - 1,
                 address.sun_path);
    return listener_new_from_fd(out, fd, err);
}

// docad does not start with a wrong configuration. Ends the connections that wait at the service
// manager's socket, which would start docad again for them, with the same result.
static void reject_waiting(int listening)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    for (int waiting = SOMAXCONN; waiting > 0 && poll(&p, 1, 0) == 1; waiting--) {
        cleanup_fd int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        (void)client;
    }
}

// Returns whether the manager holds objects of sessions or links, which it drops when the unit has
// failed. A record of the node itself always exists.
static bool objects_are_kept(void)
{
    char **names = NULL;
    int n = passed_take(&names);
    bool kept = n < 0; // as far as is known

    for (int i = 0; i < n; i++) {
        int fd = PASSED_FIRST + i;
        kept = kept || record_file_count(fd) > 1;
        if (passed_is_listener(fd))
            reject_waiting(fd);
        free(names[i]);
    }
    free(names);
    return kept;
}

static int wrong_configuration(void)
{
    if (!objects_are_kept())
        return EXIT_CONFIG;
    fprintf(stderr,
            "docad: sessions, or links, wait for the next docad, so the service manager is to "
            "start it again until the configuration is right\n");
    return EXIT_FAILURE;
}

struct command {
    int argc;
    char **argv;
};

static bool reread(void *arg, struct config *config)
{
    const struct command *command = arg;
    return options_read_again(command->argc, command->argv, config) == OPTIONS_RUN;
}

static bool serve(struct node *node, struct listener *listener, struct command *command)
{
    const struct config *config = node->config;
    size_t functions = node_count_functions(node);
    log_event(LOG_EVENT_STARTED, LOG_LEVEL_INFO, NULL,
              "docad %s: %s node %s (%s) on %s, %zu function%s, configuration: %s", DOCAD_VERSION,
              role_name(config->role), config->name, node->id_text, config->socket, functions,
              functions == 1 ? "" : "s", config->path[0] ? config->path : "built in");
    config_check_policy(config, config_warn, node->config);
    if (!service_start(node, reread, command)) {
        log_error("cannot catch signals");
        listener_free(listener);
        return false;
    }
    return node_run(node, listener);
}

static int run(struct config *config, struct command *command)
{
    struct stored_items items = {0};
    struct listener *listener;
    struct node *node;
    struct errtext err;

    signal(SIGPIPE, SIG_IGN);
    raise_open_files();
    if (!fd_reaper_start()) {
        log_error("cannot make the processes that close descriptors of clients: %s",
                  strerror(errno));
        return EXIT_FAILURE;
    }
    fd_reaper_receive_from(FD_REAPER_NO_UID);
    event_memory_init();
    notify_init();
    fdstore_init();
    // Make the socket first: if another daemon has it, everything else is pointless.
    if (make_listener(&listener, config, &err) != DOCA_SUCCESS) {
        log_error("%s", err.s);
        return EXIT_FAILURE;
    }
    fdstore_read(&items);
    if (node_new(&node, config, &err) != DOCA_SUCCESS) {
        log_error("%s", err.s);
        listener_free(listener);
        return EXIT_FAILURE;
    }
    restart_restore(node, &items);
    node_find_devices(node);
    bool ok = serve(node, listener, command);
    node_stop_listening(node); // before a second signal may kill docad: its files would stay
    service_stop();
    if (fdstore_is_on()) {
        restart_leave(node);
        fdstore_end();
        fd_reaper_stop();
        return ok ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    node_free(node);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void print_mistake(void *arg, int line, const char *text)
{
    const struct config *config = arg;

    if (line > 0)
        fprintf(stderr, "%s:%d: %s\n", config->path, line, text);
    else
        fprintf(stderr, "%s: %s\n", config->path, text);
}

static void print_wrong_file(void *arg, const char *option, const char *text)
{
    print_mistake(arg, config_tls_line(arg, option), text);
}

// Checks that the configuration names files that docad can use, and functions that exist. If the
// file has other mistakes (`right` is false), a missing file, function or node name may be a
// consequence.
static int check_config(struct config *config, bool right)
{
    const struct tls_settings *tls = &config->tls;
    unsigned wrong = config->lines.gaps ? 0 : config_check_policy(config, print_mistake, config);

    if (tls->certificate[0] && (right || (tls->key[0] && tls->authority[0])))
        wrong += tls_check(tls, config->lines.gaps ? NULL : config->name, print_wrong_file, config);
    if (wrong > 0 || !right)
        return EXIT_CONFIG;
    printf("configuration is right: %s node %s on %s, %zu function%s, %zu peer%s (%s)\n",
           role_name(config->role), config->name, config->socket, config->n_functions,
           config->n_functions == 1 ? "" : "s", config->n_peers, config->n_peers == 1 ? "" : "s",
           config->path[0] ? config->path : "built in");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    cleanup_free struct config *config = malloc(sizeof(*config));
    int status;

    if (!config)
        return EXIT_FAILURE;
    switch (options_read(argc, argv, config)) {
    case OPTIONS_RUN:
        log_init(config->log_level);
        status = run(config, &(struct command){argc, argv});
        notify_fini();
        break;
    case OPTIONS_CHECK_CONFIG:
        status = check_config(config, true);
        break;
    case OPTIONS_CHECK_WRONG:
        status = check_config(config, false);
        break;
    case OPTIONS_PRINT_CONFIG:
        config_print(config, stdout);
        status = EXIT_SUCCESS;
        break;
    case OPTIONS_EXIT_OK:
        status = EXIT_SUCCESS;
        break;
    default:
        status = wrong_configuration();
        break;
    }
    libevent_global_shutdown();
    OPENSSL_cleanup();
    return status;
}
