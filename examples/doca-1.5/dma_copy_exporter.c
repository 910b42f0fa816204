// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One half of a remote copy, as programs of DOCA 1.5 do it: exports a text and writes two files,
// one with the export descriptor and one with the memory's address and length. Either side may
// run this half: the host exports to the DPU, the DPU to the host.
//
//     DOCAD_SOCKET=dpu.sock dma_copy_exporter [-p 03:00.0] DESCRIPTOR BUFFER [TEXT]
//
// The export lasts until the program is ended with Ctrl-C (SIGINT) or SIGTERM. It then prints
// what the other side has left in the memory.

#include "setup.h"

#include <doca_log.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(EXPORTER);

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "wx");
    if (!file)
        fail("cannot create %s: %s%s", path, strerror(errno),
             errno == EEXIST ? "; remove what an earlier run has left" : "");
    return file;
}

static void write_files(const char *descriptor, const char *buffer, const void *desc, size_t size,
                        const char *text, size_t length)
{
    // The file with the memory's place is written last: whoever finds it finds the descriptor,
    // too.
    FILE *file = create(descriptor);
    if (fwrite(desc, 1, size, file) != size || fclose(file) != 0)
        fail("cannot write %s", descriptor);
    file = create(buffer);
    if (fprintf(file, "%" PRIu64 "\n%zu\n", (uint64_t)(uintptr_t)text, length) < 0 ||
        fclose(file) != 0)
        fail("cannot write %s", buffer);
}

static void usage(FILE *file, const char *program)
{
    fprintf(file, "Usage: %s [-p DEVICE] DESCRIPTOR BUFFER [TEXT]\n", program);
}

int main(int argc, char **argv)
{
    const char *device = NULL;
    sigset_t signals;
    int c, number;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout, argv[0]);
        return EXIT_SUCCESS;
    }
    while ((c = getopt(argc, argv, "p:")) != -1) {
        if (c != 'p')
            return 2;
        device = optarg;
    }
    if (argc - optind < 2 || argc - optind > 3) {
        usage(stderr, argv[0]);
        return 2;
    }
    const char *const *arguments = (const char *const *)argv + optind;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    char *text = strdup(argc - optind == 3 ? arguments[2] : "Hello, DMA!");
    if (!text)
        fail("no memory");
    struct doca_dev *dev = open_device(device);
    struct doca_mmap *map = open_map(dev, text, strlen(text) + 1);
    void *desc;
    size_t size;
    must(doca_mmap_export(map, dev, &desc, &size), "cannot export the text");
    write_files(arguments[0], arguments[1], desc, size, text, strlen(text) + 1);
    puts("exported; Ctrl-C ends it");
    fflush(stdout);
    sigwait(&signals, &number);
    printf("left behind: %s\n", text);

    // The log shows this line's level, although the program has made no backend.
    DOCA_LOG_INFO("the export has ended");
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    must(doca_dev_close(dev), "cannot close the device");
    free(desc);
    free(text);
    return EXIT_SUCCESS;
}
