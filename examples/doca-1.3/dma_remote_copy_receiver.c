// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The DPU's half of a remote copy, as programs of DOCA 1.3 do it: gets an export descriptor,
// reads from it where the memory is, copies it by DMA and prints it as text.
//
//     DOCAD_SOCKET=dpu.sock dma_remote_copy_receiver [-p 03:00.0] -l PORT
//     DOCAD_SOCKET=dpu.sock dma_remote_copy_receiver [-p 03:00.0] -n NAME
//
// The first form listens for one dma_remote_copy_sender and prints the port; PORT 0 means any
// port. The second takes the export that a program of any interface has published with docad
// under NAME.

#include "setup.h"

#include <doca_docad.h>

#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DESC_ROOM 1024

// One message of a sender; returns the connection.
static int receive_at(uint16_t port, char desc[DESC_ROOM])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) < 0)
        fail("cannot listen on port %u: %s", port, strerror(errno));
    printf("listening on port %u\n", ntohs(at.sin_port));
    fflush(stdout);
    int connection = accept(fd, NULL, NULL);
    if (connection < 0 || recv(connection, desc, DESC_ROOM - 1, 0) <= 0)
        fail("no descriptor came: %s", strerror(errno));
    close(fd);
    return connection;
}

// Where the exported memory is, in its owner's address space.
static void read_desc(const char *desc, char **address, size_t *size)
{
    struct json_object *object = json_tokener_parse(desc), *addr, *len;
    if (!object || !json_object_object_get_ex(object, "addr", &addr) ||
        !json_object_object_get_ex(object, "len", &len))
        fail("the received bytes are not an export descriptor");
    *address = (char *)(uintptr_t)json_object_get_int64(addr);
    *size = (size_t)json_object_get_int64(len);
    json_object_put(object);
}

int main(int argc, char **argv)
{
    char desc[DESC_ROOM] = {0};
    const char *device = NULL, *name = NULL;
    long port = -1;
    int c, connection = -1;
    help_option(
        argc, argv, "[-p DEVICE] -l PORT | -n NAME",
        "Receives a text from dma_remote_copy_sender, which is started next, on the host; or from\n"
        "whatever is published as NAME. -p names a device by its PCI address.");
    while ((c = getopt(argc, argv, "p:l:n:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'l')
            port = strtol(optarg, NULL, 10);
        else if (c == 'n')
            name = optarg;
        else
            return 2;
    }
    if ((port < 0 || port > UINT16_MAX) && !name) {
        fprintf(stderr, "Usage: %s [-p DEVICE] -l PORT | -n NAME\n", argv[0]);
        return 2;
    }

    struct dma dma;
    dma_open(&dma, device, 2);
    if (name) {
        size_t room = sizeof(desc);
        must(docad_export_lookup(name, 5000, desc, &room),
             "cannot find the export (start dma_remote_copy_sender -n %s on the host)", name);
    } else {
        connection = receive_at((uint16_t)port, desc);
    }

    char *address;
    size_t size;
    struct doca_mmap *remote, *local;
    read_desc(desc, &address, &size);
    char *text = calloc(1, size + 1);
    if (!text)
        fail("no memory for %zu bytes", size);
    must(
        doca_mmap_create_from_export("remote", (uint8_t *)desc, strlen(desc) + 1, dma.dev, &remote),
        "cannot import the memory");
    local = open_map(dma.dev, 1);
    must(doca_mmap_populate(local, text, size, PAGE, NULL, NULL), "cannot map the destination");
    copy(&dma, take_buf(&dma, remote, address, size), take_buf(&dma, local, text, size), size);
    printf("received %zu bytes: %s\n", size, text);

    must(doca_mmap_destroy(remote), "cannot destroy the imported map");
    must(doca_mmap_dev_rm(local, dma.dev), "cannot remove the device from the map");
    must(doca_mmap_destroy(local), "cannot destroy the memory map");
    dma_close(&dma);
    if (connection >= 0) {
        if (send(connection, "", 1, MSG_NOSIGNAL) != 1)
            fail("the sender has gone");
        close(connection);
    }
    free(text);
    return EXIT_SUCCESS;
}
