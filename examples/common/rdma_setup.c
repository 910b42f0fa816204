// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_setup.h"

#include "example.h"

#include <doca_docad.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct details {
    uint64_t rdma_size, map_size;
    uint8_t rdma[DOCAD_EXPORT_DESC_SIZE], map[DOCAD_EXPORT_DESC_SIZE];
};

// ---- files -----------------------------------------------------------------------------------

// The file that this program has written is removed when it ends, so that a later run does not
// find it. The other program has read it long before, unless one of the two has failed.
static char own_file[4096];

static void remove_own_file(void)
{
    unlink(own_file);
}

static void on_signal(int number)
{
    remove_own_file();
    _exit(128 + number);
}

static void remove_own_file_at_the_end(const char *path)
{
    snprintf(own_file, sizeof(own_file), "%s", path);
    atexit(remove_own_file);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

// Writes to another name first, so that whoever sees the file sees all of it.
static void write_details(const char *path, const struct details *details)
{
    char making[sizeof(own_file)];
    snprintf(making, sizeof(making), "%s.new", path);
    FILE *file = fopen(making, "we");
    if (!file || fwrite(details, sizeof(*details), 1, file) != 1 || fclose(file) != 0 ||
        rename(making, path) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
    remove_own_file_at_the_end(path);
}

static bool read_file(const char *path, struct details *details)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = fread(details, sizeof(*details), 1, file);
    fclose(file);
    if (n != 1)
        fail("%s is not what the other program writes", path);
    return true;
}

// Waits until there is a file whose details differ from `useless`, which did not work.
static void read_details(const char *path, const struct details *useless, struct details *details)
{
    for (int i = 0; i < 30000; i++) {
        if (read_file(path, details) && memcmp(details, useless, sizeof(*details)) != 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail("the other program of the pair has not written %s within 30 seconds: start it with the "
         "two files the other way round",
         path);
}

// If a killed program has left its file behind, the instance in it is gone, and the other program
// will write a new file.
static void connect_to(struct rdma_setup *setup, const char *path, struct details *theirs)
{
    struct details useless = {0};
    doca_error_t r;

    for (;;) {
        read_details(path, &useless, theirs);
        r = doca_rdma_connect(setup->rdma, theirs->rdma, theirs->rdma_size);
        if (r == DOCA_SUCCESS)
            return;
        if (r != DOCA_ERROR_CONNECTION_ABORTED)
            must(r, "cannot connect");
        fprintf(stderr, "%s belongs to a program that has ended; waiting for another one\n", path);
        useless = *theirs;
    }
}

// ---- setting up --------------------------------------------------------------------------------

static void make_map(struct rdma_setup *setup, uint32_t permissions)
{
    setup->memory =
        mmap(NULL, RDMA_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (setup->memory == MAP_FAILED)
        fail("no memory: %s", strerror(errno));
    must(doca_mmap_create(NULL, &setup->map), "cannot make a memory map");
    must(doca_mmap_set_permissions(setup->map, DOCA_ACCESS_LOCAL_READ_WRITE | permissions),
         "cannot set the map's permissions");
    must(doca_mmap_set_memrange(setup->map, setup->memory, RDMA_MEMORY), "cannot set its range");
    must(doca_mmap_dev_add(setup->map, setup->dev), "cannot add the device to the map");
    must(doca_mmap_start(setup->map), "cannot start the memory map");
    must(doca_buf_inventory_create(NULL, 16, DOCA_BUF_EXTENSION_NONE, &setup->inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(setup->inventory), "cannot start the inventory");
}

static void make_instance(struct rdma_setup *setup, uint32_t permissions)
{
    must(doca_rdma_create(&setup->rdma), "cannot make an RDMA instance");
    setup->ctx = doca_rdma_as_ctx(setup->rdma);
    must(doca_ctx_dev_add(setup->ctx, setup->dev), "cannot add the device");
    must(doca_rdma_set_permissions(setup->rdma, DOCA_ACCESS_LOCAL_READ_WRITE | permissions),
         "cannot set the instance's permissions");
    must(doca_ctx_start(setup->ctx), "cannot start the RDMA instance");
    must(doca_workq_create(16, &setup->workq), "cannot make a work queue");
    must(doca_ctx_workq_add(setup->ctx, setup->workq), "cannot add the work queue");
}

static void meet(struct rdma_setup *setup, const char *own, const char *other, uint32_t permissions)
{
    struct details mine = {0}, theirs;
    const void *bytes;
    size_t size;

    must(doca_rdma_export(setup->rdma, &bytes, &size), "cannot export the instance");
    memcpy(mine.rdma, bytes, mine.rdma_size = size);
    if (permissions) {
        must(doca_mmap_export_rdma(setup->map, setup->dev, &bytes, &size), "cannot export the map");
        memcpy(mine.map, bytes, mine.map_size = size);
    }
    write_details(own, &mine);
    connect_to(setup, other, &theirs);
    if (!theirs.map_size)
        return;
    must(
        doca_mmap_create_from_export(NULL, theirs.map, theirs.map_size, setup->dev, &setup->remote),
        "cannot import the other side's memory");
    must(doca_mmap_get_memrange(setup->remote, (void **)&setup->remote_memory, &size),
         "cannot see where it is");
}

const char *rdma_setup(struct rdma_setup *setup, int argc, char **argv, uint32_t permissions,
                       const char *text)
{
    const char *device = NULL;
    int option;

    help_option(
        argc, argv, "[-p DEVICE] OWN-FILE OTHER-FILE [TEXT]",
        "One program of a pair. The other one is started with the two files the other way round,\n"
        "before this one or within 30 seconds. -p names a device by its PCI address, interface or "
        "InfiniBand device.");
    while ((option = getopt(argc, argv, "p:")) != -1) {
        if (option != 'p')
            fail("usage: [-p DEVICE] OWN-FILE OTHER-FILE [TEXT]");
        device = optarg;
    }
    if (argc - optind < 2 || argc - optind > 3)
        fail("usage: [-p DEVICE] OWN-FILE OTHER-FILE [TEXT]");
    *setup = (struct rdma_setup){.dev = open_device(device)};
    make_map(setup, permissions);
    if (argc - optind == 3)
        text = argv[optind + 2];
    if (text && strlen(text) >= RDMA_MEMORY)
        fail("the text has more than %d bytes", RDMA_MEMORY - 1);
    if (text)
        strcpy(setup->memory, text);
    make_instance(setup, permissions);
    meet(setup, argv[optind], argv[optind + 1], permissions);
    return text;
}

void rdma_teardown(struct rdma_setup *setup)
{
    must(doca_ctx_workq_rm(setup->ctx, setup->workq), "cannot remove the work queue");
    must(doca_workq_destroy(setup->workq), "cannot destroy the work queue");
    must(doca_ctx_stop(setup->ctx), "cannot stop the instance");
    must(doca_rdma_destroy(setup->rdma), "cannot destroy the instance");
    must(doca_buf_inventory_destroy(setup->inventory), "cannot destroy the inventory");
    if (setup->remote)
        must(doca_mmap_destroy(setup->remote), "cannot release the other side's memory");
    must(doca_mmap_destroy(setup->map), "cannot destroy the memory map");
    must(doca_dev_close(setup->dev), "cannot close the device");
    munmap(setup->memory, RDMA_MEMORY);
}

// ---- jobs -----------------------------------------------------------------------------------

struct doca_rdma_result rdma_run(struct rdma_setup *setup, const struct doca_job *job)
{
    struct doca_rdma_result result = {0};
    struct doca_event event = {.result.ptr = &result};
    doca_error_t r;

    must(doca_workq_submit(setup->workq, job), "the job was refused");
    do
        r = doca_workq_progress_retrieve(setup->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    while (r == DOCA_ERROR_AGAIN);
    if (r != DOCA_SUCCESS)
        must(result.result, "the job failed");
    return result;
}

void rdma_tell(struct rdma_setup *setup)
{
    struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = setup->ctx}};
    rdma_run(setup, &job.base);
}

void rdma_await(struct rdma_setup *setup)
{
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = setup->ctx}};
    rdma_run(setup, &job.base);
}
