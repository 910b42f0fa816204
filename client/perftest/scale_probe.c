// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "scale_probe.h"

#include "clock.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_US 200

// ---- latency of another user
// ----------------------------------------------------------------------

static void note(struct probe *probe, uint64_t ticks)
{
    pthread_mutex_lock(&probe->lock);
    if (probe->n < PROBE_SAMPLES)
        probe->ticks[probe->n++] = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
    pthread_mutex_unlock(&probe->lock);
}

static void *work(void *arg)
{
    struct probe *probe = arg;
    uint64_t exports, names;
    while (!atomic_load(&probe->stop)) {
        struct problem problem;
        if (!atomic_load(&probe->asked)) {
            sleep_us(PAUSE_US);
            continue;
        }
        uint64_t before = ticks_now();
        if (!link_count(&probe->link, &exports, &names, &problem)) {
            pthread_mutex_lock(&probe->lock);
            probe->problem = problem;
            probe->failed = true;
            pthread_mutex_unlock(&probe->lock);
            break;
        }
        note(probe, ticks_between(before, ticks_now()));
        sleep_us(PAUSE_US);
    }
    return NULL;
}

bool probe_open(struct probe *probe, const char *socket, struct problem *problem)
{
    *probe = (struct probe){.link.line.sock = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
    probe->ticks = calloc(PROBE_SAMPLES, sizeof(*probe->ticks));
    if (!probe->ticks)
        return problem_set(problem, "out of memory");
    if (!link_open(&probe->link, socket, true, problem))
        return false;
    probe->running = pthread_create(&probe->thread, NULL, work, probe) == 0;
    return probe->running || problem_set(problem, "cannot start a thread");
}

void probe_close(struct probe *probe)
{
    atomic_store(&probe->stop, true);
    if (probe->running)
        pthread_join(probe->thread, NULL);
    probe->running = false;
    link_close(&probe->link);
    free(probe->ticks);
    probe->ticks = NULL;
}

void probe_begin(struct probe *probe)
{
    pthread_mutex_lock(&probe->lock);
    probe->n = 0;
    atomic_store(&probe->asked, true);
    pthread_mutex_unlock(&probe->lock);
}

bool probe_end(struct probe *probe, struct spread *out, struct problem *problem)
{
    pthread_mutex_lock(&probe->lock);
    atomic_store(&probe->asked, false);
    bool ok = !probe->failed;
    if (ok)
        spread_of(out, probe->ticks, probe->n);
    else
        *problem = probe->problem;
    probe->n = 0;
    pthread_mutex_unlock(&probe->lock);
    return ok;
}

// ---- docad's resources -------------------------------------------------------------------------

pid_t usage_daemon(const struct link *link)
{
    struct ucred who;
    socklen_t size = sizeof(who);
    bool known = getsockopt(link->line.sock, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    return known && who.pid > 1 ? who.pid : 0; // 1: systemd listens for it
}

static double count_files(pid_t pid)
{
    char path[32];
    double n = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2; // without . and ..
}

struct usage usage_of(pid_t pid)
{
    struct usage usage = {.descriptors = -1};
    unsigned long pages = 0;
    char path[32];
    if (!pid)
        return usage;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%*u %lu", &pages) == 1)
        usage.bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
    if (f)
        fclose(f);
    usage.descriptors = count_files(pid);
    return usage;
}

uint64_t usage_cpu_ns(pid_t pid)
{
    struct timespec t;
    clockid_t clock;
    if (!pid || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint32_t usage_cpu_ticks(pid_t pid, uint64_t since)
{
    return (uint32_t)((double)(usage_cpu_ns(pid) - since) * clock_source.ticks_per_ns);
}
