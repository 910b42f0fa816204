// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Three ways in which programs of DOCA 1.3 reach memory that is in many places. Each of them
// copies the same pieces, and checks them.
//
//     memory_regions [-p DEVICE] regions|single-map|map-per-buffer
//
//     regions         all memory is known from the start: one map with every range of it;
//                     the pieces are anywhere in these ranges
//     single-map      nothing is known: each piece is added to one map when it is needed
//     map-per-buffer  nothing is known: each piece has maps of its own, which are destroyed
//                     after it and free the memory

#include "setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REGIONS     64
#define REGION_SIZE 65536
#define PIECES      1000
#define PIECE_SIZE  300

static char *make_memory(size_t size, int seed)
{
    char *memory = malloc(size);
    if (!memory)
        fail("no memory");
    for (size_t i = 0; i < size; i++)
        memory[i] = (char)(seed + (int)(i * 7));
    return memory;
}

static void check(const char *from, const char *to, int piece)
{
    if (memcmp(from, to, PIECE_SIZE) != 0)
        fail("piece %d differs", piece);
}

static void populate(struct doca_mmap *map, char *address, size_t size)
{
    must(doca_mmap_populate(map, address, size, PAGE, NULL, NULL), "cannot add a range");
}

static void by_regions(struct dma *dma)
{
    struct doca_mmap *map = open_map(dma->dev, 2 * REGIONS);
    char *from[REGIONS], *to[REGIONS];
    for (int i = 0; i < REGIONS; i++) {
        from[i] = make_memory(REGION_SIZE, i);
        to[i] = make_memory(REGION_SIZE, i + 1);
        populate(map, from[i], REGION_SIZE);
        populate(map, to[i], REGION_SIZE);
    }
    for (int i = 0; i < PIECES; i++) {
        char *a = from[rand() % REGIONS] + rand() % (REGION_SIZE - PIECE_SIZE);
        char *b = to[rand() % REGIONS] + rand() % (REGION_SIZE - PIECE_SIZE);
        copy(dma, take_buf(dma, map, a, PIECE_SIZE), take_buf(dma, map, b, PIECE_SIZE), PIECE_SIZE);
        check(a, b, i);
    }
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    for (int i = 0; i < REGIONS; i++) {
        free(from[i]);
        free(to[i]);
    }
}

static void by_single_map(struct dma *dma)
{
    struct doca_mmap *map = open_map(dma->dev, 2 * PIECES);
    char *from = make_memory(PIECES * 400, 1), *to = make_memory(PIECES * 400, 2);
    for (int i = 0; i < PIECES; i++) {
        char *a = from + rand() % (PIECES * 400 - PIECE_SIZE);
        char *b = to + rand() % (PIECES * 400 - PIECE_SIZE);
        populate(map, a, PIECE_SIZE);
        populate(map, b, PIECE_SIZE);
        copy(dma, take_buf(dma, map, a, PIECE_SIZE), take_buf(dma, map, b, PIECE_SIZE), PIECE_SIZE);
        check(a, b, i);
    }
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    free(from);
    free(to);
}

static int freed;

static void free_piece(void *address, size_t size, void *opaque)
{
    (void)size;
    free(address);
    ++*(int *)opaque;
}

static void by_map_per_buffer(struct dma *dma)
{
    for (int i = 0; i < PIECES; i++) {
        struct doca_mmap *map = open_map(dma->dev, 2);
        char *a = make_memory(PIECE_SIZE, i), *b = make_memory(PIECE_SIZE, i + 1);
        must(doca_mmap_populate(map, a, PIECE_SIZE, PAGE, free_piece, &freed),
             "cannot add a range");
        must(doca_mmap_populate(map, b, PIECE_SIZE, PAGE, free_piece, &freed),
             "cannot add a range");
        copy(dma, take_buf(dma, map, a, PIECE_SIZE), take_buf(dma, map, b, PIECE_SIZE), PIECE_SIZE);
        check(a, b, i);
        must(doca_mmap_dev_rm(map, dma->dev), "cannot remove the device");
        must(doca_mmap_destroy(map), "cannot destroy the memory map");
    }
    if (freed != 2 * PIECES)
        fail("%d of %d pieces were freed", freed, 2 * PIECES);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct dma *dma);
    } ways[] = {{"regions", by_regions},
                {"single-map", by_single_map},
                {"map-per-buffer", by_map_per_buffer}};
    const char *device = NULL;
    int c;
    help_option(argc, argv, "[-p DEVICE] regions|single-map|map-per-buffer",
                "Copies a thousand pieces of memory, mapped in one of three ways.");
    while ((c = getopt(argc, argv, "p:")) != -1) {
        if (c != 'p')
            return 2;
        device = optarg;
    }
    for (size_t i = 0; optind < argc && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(argv[optind], ways[i].name) != 0)
            continue;
        struct dma dma;
        dma_open(&dma, device, 2);
        ways[i].run(&dma);
        dma_close(&dma);
        printf("%s: %d pieces of %d bytes copied\n", ways[i].name, PIECES, PIECE_SIZE);
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "Usage: %s [-p DEVICE] regions|single-map|map-per-buffer\n", argv[0]);
    return 2;
}
