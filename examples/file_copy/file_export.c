// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The host's half of the file copy: offers the contents of a file to the DPU.
//
// With a docad of each role running (see examples/demo), on the host:
//
//     DOCAD_SOCKET=host.sock file_export -p 0b:00.0 -n NAME [-t WHO] FILE
//
// and on the DPU:
//
//     DOCAD_SOCKET=dpu.sock file_fetch -p 03:00.0 -n NAME -o COPY
//
// The file is read into memory, which is exported read-only and published under NAME;
// its size and SHA-256 are published as NAME.info. Both stay until the program is ended
// with Ctrl-C (SIGINT) or SIGTERM. Programs of this user may fetch it, and so may those that WHO
// names: all, or users and :groups, such as alice,:video.

#include "info.h"

#include "../common/example.h"

#include <doca_dev.h>
#include <doca_docad.h>
#include <doca_mmap.h>

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *device, *name, *to, *path;
};

static void read_options(struct options *o, int argc, char **argv)
{
    int c;
    help_option(argc, argv, "[-p DEVICE] -n NAME [-t WHO] FILE",
                "Offers a file's bytes to file_fetch on the DPU, and to WHO else: all, or users "
                "and :groups\n"
                "such as alice,:video. -p names a device by its PCI address, interface or "
                "InfiniBand device.");
    while ((c = getopt(argc, argv, "p:n:t:")) != -1) {
        if (c == 'p')
            o->device = optarg;
        else if (c == 'n')
            o->name = optarg;
        else if (c == 't')
            o->to = optarg;
        else
            exit(2); // getopt has said why
    }
    if (!o->name || optind != argc - 1) {
        fprintf(stderr, "Usage: %s [-p DEVICE] -n NAME [-t WHO] FILE\n", argv[0]);
        exit(2);
    }
    o->path = argv[optind];
}

// Reads the file into page-aligned anonymous memory: whole pages of it can be handed to
// the DPU as they are. The memory stays mapped until the program ends.
static void *read_file(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) < 0)
        fail("cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        fail("%s is not a file with contents", path);

    size_t length = (size_t)st.st_size;
    char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory for the %zu bytes of %s: %s", length, path, strerror(errno));
    for (size_t done = 0; done < length;) {
        ssize_t n = read(fd, memory + done, length - done);
        if (n < 0)
            fail("cannot read %s: %s", path, strerror(errno));
        if (n == 0)
            fail("%s became shorter while it was read", path);
        done += (size_t)n;
    }
    close(fd);
    *size = length;
    return memory;
}

// Exports memory to the DPU, which may only read it, and publishes it under a name.
static struct doca_mmap *offer(struct doca_dev *dev, const char *name, const char *to, void *memory,
                               size_t size)
{
    struct doca_mmap *map;
    const void *desc;
    size_t desc_size;
    must(doca_mmap_create(NULL, &map), "cannot make a memory map");
    must(doca_mmap_set_permissions(map, DOCA_ACCESS_DPU_READ_ONLY), "cannot set permissions");
    must(doca_mmap_set_memrange(map, memory, size), "cannot map %zu bytes", size);
    must(doca_mmap_dev_add(map, dev), "cannot add the device to the map");
    must(doca_mmap_start(map), "cannot start the memory map");
    must(doca_mmap_export_dpu(map, dev, &desc, &desc_size), "cannot export to the DPU");
    must(docad_export_publish_to(name, desc, desc_size, to), "cannot publish %s", name);
    return map;
}

static void print_exported(const struct options *o, const struct file_info *info)
{
    printf("exported %s as %s: %llu bytes, SHA-256 ", o->path, o->name,
           (unsigned long long)info->size);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        printf("%02x", info->sha256[i]);
    printf("; Ctrl-C ends it\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct options o = {0};
    read_options(&o, argc, argv);

    // From here on both signals stay pending until sigwait() below takes them.
    sigset_t signals;
    int signal_number;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    size_t size;
    void *contents = read_file(o.path, &size);
    struct file_info *info = malloc(sizeof(*info));
    if (!info)
        fail("no memory");
    info->size = size;
    if (!EVP_Digest(contents, size, info->sha256, NULL, EVP_sha256(), NULL))
        fail("cannot compute the SHA-256 of %s", o.path);

    char info_name[DOCAD_NAME_LENGTH_MAX + 1];
    if (snprintf(info_name, sizeof(info_name), "%s%s", o.name, INFO_SUFFIX) >=
        (int)sizeof(info_name))
        fail("the name %s is too long", o.name);
    struct doca_dev *dev = open_device(o.device);
    struct doca_mmap *contents_map = offer(dev, o.name, o.to, contents, size);
    struct doca_mmap *info_map = offer(dev, info_name, o.to, info, sizeof(*info));
    print_exported(&o, info);

    sigwait(&signals, &signal_number);

    // Destroying a map ends its export and withdraws its name.
    must(doca_mmap_destroy(info_map), "cannot destroy a memory map");
    must(doca_mmap_destroy(contents_map), "cannot destroy a memory map");
    must(doca_dev_close(dev), "cannot close the device");
    munmap(contents, size);
    free(info);
    return EXIT_SUCCESS;
}
