// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The host's half of a remote copy, as programs of DOCA 1.3 do it: exports a text, and sends
// the export descriptor, which is a text itself, over TCP.
//
//     DOCAD_SOCKET=host.sock dma_remote_copy_sender [-p 0b:00.0] -c PORT [TEXT]
//     DOCAD_SOCKET=host.sock dma_remote_copy_sender [-p 0b:00.0] -n NAME [TEXT]
//
// The first form connects to a dma_remote_copy_receiver that listens there, and ends when the
// receiver has the text. The second publishes the descriptor with docad under NAME, for programs
// of any interface, until it is ended with Ctrl-C (SIGINT) or SIGTERM.

#include "setup.h"

#include <doca_docad.h>

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void send_to(uint16_t port, const void *bytes, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    char done;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        fail("cannot connect to port %u: %s; start dma_remote_copy_receiver first", port,
             strerror(errno));
    if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
        fail("cannot send the descriptor: %s", strerror(errno));
    // The memory must stay exported until the other side has read it.
    if (recv(fd, &done, 1, 0) != 1)
        fail("the receiver has failed");
    close(fd);
    puts("sent");
}

static void publish_as(const char *name, const void *bytes, size_t size, const sigset_t *signals)
{
    int number;
    must(docad_export_publish(name, bytes, size), "cannot publish the export");
    printf("exported as %s; Ctrl-C ends it\n", name);
    fflush(stdout);
    sigwait(signals, &number);
}

int main(int argc, char **argv)
{
    const char *device = NULL, *name = NULL;
    unsigned long port = 0;
    sigset_t signals;
    int c;
    help_option(argc, argv, "[-p DEVICE] -c PORT | -n NAME [TEXT]",
                "Sends a text to dma_remote_copy_receiver, which is started first, on the DPU; or "
                "publishes\n"
                "it as NAME. -p names a device by its PCI address.");
    while ((c = getopt(argc, argv, "p:c:n:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'c')
            port = strtoul(optarg, NULL, 10);
        else if (c == 'n')
            name = optarg;
        else
            return 2;
    }
    if ((port == 0 || port > UINT16_MAX) && !name) {
        fprintf(stderr, "Usage: %s [-p DEVICE] -c PORT | -n NAME [TEXT]\n", argv[0]);
        return 2;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    char *text = strdup(optind < argc ? argv[optind] : "Hello, DMA!");
    if (!text)
        fail("no memory");
    struct doca_dev *dev = open_device(device);
    struct doca_mmap *map = open_map(dev, 1);
    uint8_t *desc;
    size_t size;
    must(doca_mmap_populate(map, text, strlen(text) + 1, PAGE, NULL, NULL), "cannot map the text");
    must(doca_mmap_export(map, dev, &desc, &size), "cannot export the text");

    if (name)
        publish_as(name, desc, size, &signals);
    else
        send_to((uint16_t)port, desc, size);

    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    must(doca_dev_close(dev), "cannot close the device");
    free(desc);
    free(text);
    return EXIT_SUCCESS;
}
