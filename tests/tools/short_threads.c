// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program for test-trace-threads.py: many threads, each of which makes a map and destroys it.
//
//     short_threads turns|together|forks COUNT

#include <doca_error.h>
#include <doca_mmap.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void must(int failed)
{
    if (failed)
        abort();
}

static void *use_map(void *together)
{
    struct doca_mmap *map;
    must(doca_mmap_create(&map) != DOCA_SUCCESS);
    if (together)
        pthread_barrier_wait(&barrier);
    must(doca_mmap_destroy(map) != DOCA_SUCCESS);
    return NULL;
}

// One thread after the other.
static void in_turns(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        must(pthread_create(&thread, NULL, use_map, NULL));
        must(pthread_join(thread, NULL));
    }
}

// All threads have made their map before the first one destroys its own.
static void in_parallel(unsigned count)
{
    pthread_t *threads = calloc(count, sizeof(*threads));
    pthread_attr_t attributes;
    if (!threads)
        abort();
    must(pthread_attr_init(&attributes));
    must(pthread_attr_setstacksize(&attributes, 256 * 1024UL));
    must(pthread_barrier_init(&barrier, NULL, count));
    for (unsigned i = 0; i < count; i++)
        must(pthread_create(&threads[i], &attributes, use_map, &barrier));
    for (unsigned i = 0; i < count; i++)
        must(pthread_join(threads[i], NULL));
    free(threads);
}

// One process after the other, which end without destructors.
static void in_processes(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            use_map(NULL);
            _exit(0);
        }
        must(child < 0 || waitpid(child, &status, 0) != child || status != 0);
    }
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (!count)
        return 2;
    if (strcmp(argv[1], "turns") == 0)
        in_turns(count);
    else if (strcmp(argv[1], "together") == 0)
        in_parallel(count);
    else
        in_processes(count);
    return 0;
}
