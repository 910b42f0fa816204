// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "private_docad.h"

#include "cleanup.h"
#include "copy_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LONGEST_NAME 36 // of a file below $TMPDIR: the directory and a socket
#define REPORTS_MAX  4  // read in one call

const char *private_find_program(const char *name, const char *installed, const char *given,
                                 char path[PATH_MAX])
{
    const char *const places[] = {name, installed};
    char self[PATH_MAX];
    if (given && *given)
        return given;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;
    for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
        int r = snprintf(path, PATH_MAX, "%.*s%s", (int)(slash + 1 - self), self, places[i]);
        if (r < PATH_MAX && access(path, X_OK) == 0)
            return path;
    }
    return name;
}

// ---- the directory

bool private_directory_make(const char *prefix, char path[PRIVATE_PATH_MAX])
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || strlen(base) > PRIVATE_PATH_MAX - LONGEST_NAME)
        base = "/tmp";
    snprintf(path, PRIVATE_PATH_MAX, "%s/%s.XXXXXX", base, prefix);
    return mkdtemp(path) != NULL;
}

void private_directory_remove(const char *path)
{
    DIR *dir = opendir(path);
    if (dir) {
        struct dirent *entry;
        while ((entry = readdir(dir)))
            unlinkat(dirfd(dir), entry->d_name, 0);
        closedir(dir);
    }
    rmdir(path);
}

void private_directory_name(const char *directory, const char *name, const char *suffix,
                            char path[PRIVATE_PATH_MAX])
{
    int n = snprintf(path, PRIVATE_PATH_MAX, "%s/%s%s", directory, name, suffix);
    if (n < 0 || n >= PRIVATE_PATH_MAX)
        abort();
}

// ---- notifications

int private_notify_open(const char *directory, const char *name, char path[PRIVATE_PATH_MAX])
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    cleanup_fd int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    private_directory_name(directory, name, ".said", path);
    copy_text(own.sun_path, path);
    unlink(path); // of an earlier docad
    if (sock < 0 || bind(sock, (struct sockaddr *)&own, sizeof(own)) < 0)
        return -1;
    return steal_fd(&sock);
}

void private_notify_read(int notify, struct private_reports *reports)
{
    char text[1024];
    ssize_t n;
    for (int i = 0; i < REPORTS_MAX && (n = read(notify, text, sizeof(text) - 1)) > 0; i++) {
        text[n] = '\0';
        bool ready = strstr(text, "READY=1") != NULL;
        const char *linked = strstr(text, "X_DOCAD_LINKED=");
        if (linked)
            reports->linked = (unsigned)strtoul(strchr(linked, '=') + 1, NULL, 10);
        reports->ready |= ready;
        reports->is_older |= ready && !linked;
    }
}

// ---- docad

// The caller's service manager must not restore, watch or limit the private docad.
static void set_environment(const struct private_docad *docad)
{
    static const char *const of_service[] = {
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "FDSTORE", "WATCHDOG_USEC", "WATCHDOG_PID",
    };
    for (size_t i = 0; i < ARRAY_SIZE(of_service); i++)
        unsetenv(of_service[i]);
    setenv("NOTIFY_SOCKET", docad->notify, 1);
}

_Noreturn void private_docad_become(const struct private_docad *docad)
{
    const char *argv[16] = {docad->program, "--role",      docad->role,   "--socket", docad->socket,
                            "--config",     docad->config, "--log-level", "warning"};
    size_t n = 9;
    if (docad->peer) {
        argv[n++] = "--peer";
        argv[n++] = docad->peer;
    }
    if (docad->faults) {
        argv[n++] = "--faults";
        argv[n++] = docad->faults;
    }
    argv[n] = NULL;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    if (docad->output >= 0) {
        dup2(docad->output, STDOUT_FILENO);
        dup2(docad->output, STDERR_FILENO);
    }
    set_environment(docad);
    execvp(argv[0], (char *const *)argv);
    fprintf(stderr, "cannot run %s: %s. Put docad next to %s or in PATH, or set DOCAD_BINARY\n",
            argv[0], strerror(errno), program_invocation_short_name);
    _exit(127);
}
