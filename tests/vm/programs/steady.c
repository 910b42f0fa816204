// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs that go on until a file DIR/stop (the host: DIR/stop-host) is there, check every
// byte, and fail if anything is refused, lost or wrong. In a file of DIR each says how often
// it has been round.
//
//     steady host DIR          offers pages and some bytes of the heap
//     steady dpu DIR           imports both anew in each round, writes and reads them
//     steady copy DIR          the same with one import of each, throughout
//     steady send DIR          RDMA messages with a number in them
//     steady receive DIR       each of them, in order

#include "named.h"

#include "../../../examples/common/example.h"
#include "../../../examples/common/rdma_setup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE ((size_t)64 * 1024)

static char *stop_file, *rounds_file;

static bool stopped(void)
{
    return access(stop_file, F_OK) == 0;
}

static void print_rounds(unsigned rounds)
{
    char text[16];
    int fd = open(rounds_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int n = snprintf(text, sizeof(text), "%u\n", rounds);
    if (fd < 0 || pwrite(fd, text, (size_t)n, 0) != n)
        fail("cannot write %s", rounds_file);
    close(fd);
}

// ---- DMA --------------------------------------------------------------------------------

static void host(void)
{
    void *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *heap = malloc(SIZE + 1);
    if (pages == MAP_FAILED || !heap)
        fail("no memory");
    struct doca_dev *dev = open_device("0b:00.0");
    struct doca_mmap *maps[] = {
        offer(dev, "steady-pages", pages, SIZE, DOCA_ACCESS_DPU_READ_WRITE),
        offer(dev, "steady-heap", heap + 1, SIZE, DOCA_ACCESS_DPU_READ_WRITE)};
    for (unsigned i = 0; !stopped(); i++) {
        print_rounds(i);
        usleep(20000);
    }
    for (int i = 0; i < 2; i++)
        must(doca_mmap_destroy(maps[i]), "destroy");
    must(doca_dev_close(dev), "close");
    free(heap);
}

static struct dma_setup setup;

// This memory is offered under a name, while it is imported.
struct offered {
    const char *name;
    struct doca_mmap *map;
    uint8_t *address;
};

static void release(struct offered *o)
{
    if (o->map)
        must(doca_mmap_destroy(o->map), "destroy");
    o->map = NULL;
}

static void there_and_back(struct offered *o, struct doca_mmap *local, uint8_t *bytes,
                           unsigned round)
{
    uint8_t *sent = bytes, *back = bytes + SIZE;
    size_t size;
    if (!o->map)
        o->map = find_offered(&setup, o->name, &o->address, &size);
    for (size_t i = 0; i < SIZE; i++)
        sent[i] = (uint8_t)(i * 7 + round + i / 251);
    memset(back, 0, SIZE);
    copy(&setup, o->map, o->address, local, sent, SIZE);
    copy(&setup, local, back, o->map, o->address, SIZE);
    if (memcmp(sent, back, SIZE) != 0)
        fail("%s: wrong bytes in round %u", o->name, round);
}

static void dpu(bool anew)
{
    struct offered offered[] = {{.name = "steady-pages"}, {.name = "steady-heap"}};

    dma_setup(&setup, "03:00.0", 4, 8, false);
    uint8_t *bytes = aligned_alloc(4096, 2 * SIZE);
    if (!bytes)
        fail("no memory");
    struct doca_mmap *local = map_local(&setup, bytes, 2 * SIZE);
    for (unsigned i = 0; !stopped(); i++) {
        for (unsigned j = 0; j < 2; j++) {
            there_and_back(&offered[j], local, bytes, i + j);
            if (anew)
                release(&offered[j]);
        }
        print_rounds(i);
    }
    release(&offered[0]);
    release(&offered[1]);
    must(doca_mmap_destroy(local), "destroy");
    dma_teardown(&setup);
    free(bytes);
}

// ---- RDMA -------------------------------------------------------------------------------

static void message(unsigned *words, unsigned number, bool last)
{
    for (unsigned i = 0; i < RDMA_MEMORY / sizeof(*words); i++)
        words[i] = number * 31 + i;
    words[0] = number;
    words[1] = last;
}

static void rdma(const char *role, char *own, char *other)
{
    struct rdma_setup pair;
    struct doca_buf *buf;
    static unsigned expected[RDMA_MEMORY / sizeof(unsigned)];
    char program[] = "steady", *arguments[] = {program, own, other, NULL};
    bool sends = strcmp(role, "send") == 0, last = false;

    rdma_setup(&pair, 3, arguments, 0, NULL);
    unsigned *words = (unsigned *)pair.memory;
    for (unsigned i = 0; !last; i++) {
        if (sends) {
            last = stopped();
            message(words, i, last);
            must(doca_buf_inventory_buf_by_data(pair.inventory, pair.map, words, RDMA_MEMORY, &buf),
                 "buffer");
            struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = pair.ctx},
                                             .src_buff = buf};
            rdma_run(&pair, &job.base);
            usleep(1000);
        } else {
            must(doca_buf_inventory_buf_by_addr(pair.inventory, pair.map, words, RDMA_MEMORY, &buf),
                 "buffer");
            struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = pair.ctx},
                                             .dst_buff = buf};
            rdma_run(&pair, &job.base);
            last = words[1];
            message(expected, i, last);
            if (memcmp(words, expected, RDMA_MEMORY) != 0)
                fail("message %u is another one, or wrong", i);
        }
        must(doca_buf_refcount_rm(buf, NULL), "rm");
        print_rounds(i);
    }
    rdma_teardown(&pair);
}

int main(int argc, char **argv)
{
    char *send = NULL, *receive = NULL;
    if (argc != 3 ||
        asprintf(&stop_file, "%s/stop%s", argv[2], strcmp(argv[1], "host") ? "" : "-host") < 0 ||
        asprintf(&rounds_file, "%s/%s", argv[2], argv[1]) < 0 ||
        asprintf(&send, "%s/send.details", argv[2]) < 0 ||
        asprintf(&receive, "%s/receive.details", argv[2]) < 0)
        fail("usage: steady host|dpu|copy|send|receive DIR");
    if (strcmp(argv[1], "host") == 0)
        host();
    else if (strcmp(argv[1], "dpu") == 0)
        dpu(true);
    else if (strcmp(argv[1], "copy") == 0)
        dpu(false);
    else if (strcmp(argv[1], "send") == 0)
        rdma(argv[1], send, receive);
    else
        rdma(argv[1], receive, send);
    printf("steady %s: done\n", argv[1]);
    return 0;
}
