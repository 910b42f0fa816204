// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The DPU's half of the file copy: fetches what file_export offers, by DMA.
//
//     DOCAD_SOCKET=dpu.sock file_fetch -p 03:00.0 -n NAME -o COPY [-c CHUNK] [-j JOBS]
//                                  [-w SECONDS] [-m]
//
// (see file_export.c for the other half). The memory published as NAME, which is waited for
// (-w, default 10 s), is imported and copied in chunks (-c, default 256K) with several jobs in
// flight (-j, default 4); the result is written to COPY and checked against the host's
// SHA-256. The time that is printed is that of the DMA jobs alone, without writing and
// checking. With -m, memcpy copies as much beside it, and both rates are printed.

#include "beside.h"
#include "info.h"

#include "../common/dma_setup.h"
#include "../common/example.h"

#include <doca_docad.h>

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *device, *name, *path;
    size_t chunk, jobs;
    unsigned wait_ms;
    bool beside; // memcpy
};

static void read_options(struct options *o, int argc, char **argv)
{
    int c;
    help_option(
        argc, argv, "[-p DEVICE] -n NAME -o FILE [-c CHUNK] [-j JOBS] [-w SECONDS] [-m]",
        "Fetches what file_export offers on the host, and waits for it. -m: memcpy beside it.\n"
        "-p names a device by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:n:o:c:j:w:m")) != -1) {
        if (c == 'p')
            o->device = optarg;
        else if (c == 'n')
            o->name = optarg;
        else if (c == 'o')
            o->path = optarg;
        else if (c == 'c')
            o->chunk = read_size(optarg);
        else if (c == 'j')
            o->jobs = read_size(optarg);
        else if (c == 'w')
            o->wait_ms = (unsigned)read_size(optarg) * 1000;
        else if (c == 'm')
            o->beside = true;
        else
            exit(2); // getopt has said why
    }
    if (!o->name || !o->path || optind != argc) {
        fprintf(stderr,
                "Usage: %s [-p DEVICE] -n NAME -o FILE [-c CHUNK] [-j JOBS] [-w SECONDS] [-m]\n",
                argv[0]);
        exit(2);
    }
    if (o->jobs > 1024 || o->chunk > SIZE_MAX / o->jobs)
        fail("%zu jobs of %zu bytes are too many: -j takes up to 1024", o->jobs, o->chunk);
}

// Finds an export by its name, waits for it if necessary, and imports it.
static struct doca_mmap *import(struct dma_setup *setup, const char *name, unsigned wait_ms)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    struct doca_mmap *map;
    must(docad_export_lookup(name, wait_ms, desc, &size),
         "cannot find the export %s (start file_export on the host)", name);
    must(doca_mmap_create_from_export(NULL, desc, size, setup->dev, &map), "cannot import %s",
         name);
    return map;
}

// ---- a copy: the remote memory on one side, one local buffer per job on the other --------

struct slot {
    struct doca_buf *from, *to;
    uint8_t *memory;
    size_t size; // of the chunk that is in the slot
};

struct copy {
    struct dma_setup *setup;
    struct doca_mmap *remote, *local;
    uint8_t *address; // of the remote memory, in its owner's address space
    size_t size;
    uint8_t *memory; // the memory of all slots
    size_t chunk, n_slots;
    struct slot slots[1024];
};

static void copy_begin(struct copy *c, struct dma_setup *setup, struct doca_mmap *remote,
                       size_t chunk, size_t jobs)
{
    void *address;
    must(doca_mmap_get_memrange(remote, &address, &c->size), "cannot get the imported range");
    c->setup = setup;
    c->remote = remote;
    c->address = address;
    c->chunk = chunk < c->size ? chunk : c->size;
    c->n_slots = jobs;
    if (posix_memalign((void **)&c->memory, 4096, c->chunk * jobs))
        fail("no memory for %zu jobs of %zu bytes", jobs, c->chunk);
    memset(c->memory, 0, c->chunk * jobs); // so that no page faults while the time is measured
    c->local = map_local(setup, c->memory, c->chunk * jobs);
    for (size_t i = 0; i < jobs; i++) {
        struct slot *slot = &c->slots[i];
        slot->memory = c->memory + i * c->chunk;
        // The source covers all of the remote memory; each job sets its part of it.
        must(
            doca_buf_inventory_buf_by_addr(setup->inventory, remote, address, c->size, &slot->from),
            "cannot make a buffer on the imported memory");
        must(doca_buf_inventory_buf_by_addr(setup->inventory, c->local, slot->memory, c->chunk,
                                            &slot->to),
             "cannot make a local buffer");
    }
}

static void copy_end(struct copy *c)
{
    for (size_t i = 0; i < c->n_slots; i++) {
        must(doca_buf_refcount_rm(c->slots[i].from, NULL), "cannot give a buffer back");
        must(doca_buf_refcount_rm(c->slots[i].to, NULL), "cannot give a buffer back");
    }
    must(doca_mmap_destroy(c->local), "cannot destroy a memory map");
    must(doca_mmap_destroy(c->remote), "cannot destroy a memory map");
    free(c->memory);
}

static void submit(struct copy *c, struct slot *slot, size_t offset)
{
    size_t left = c->size - offset;
    slot->size = left < c->chunk ? left : c->chunk;
    must(doca_buf_set_data(slot->from, c->address + offset, slot->size), "cannot set the source");
    must(doca_buf_reset_data_len(slot->to), "cannot empty the destination");
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = c->setup->ctx, .user_data.u64 = offset},
        .dst_buff = slot->to,
        .src_buff = slot->from,
    };
    must(doca_workq_submit(c->setup->workq, &job.base), "cannot submit a job");
}

static void retrieve(struct copy *c)
{
    struct doca_event event;
    doca_error_t result;
    do {
        result =
            doca_workq_progress_retrieve(c->setup->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    if (result == DOCA_ERROR_IO_FAILED) // the event says which job failed and why
        must((doca_error_t)event.result.u64, "the copy failed at offset %llu of %zu",
             (unsigned long long)event.user_data.u64, c->size);
    must(result, "cannot retrieve a job's event");
}

// Copies the next chunks, one per slot, with all jobs in flight together. Returns how
// many slots were filled.
static size_t copy_round(struct copy *c, size_t offset)
{
    size_t n = 0;
    for (; n < c->n_slots && offset < c->size; n++) {
        submit(c, &c->slots[n], offset);
        offset += c->slots[n].size;
    }
    for (size_t i = 0; i < n; i++)
        retrieve(c);
    return n;
}

// ---- the file ------------------------------------------------------------------------------

static void fetch_info(struct dma_setup *setup, const struct options *o, struct file_info *info)
{
    char name[DOCAD_NAME_LENGTH_MAX + 1];
    if (snprintf(name, sizeof(name), "%s%s", o->name, INFO_SUFFIX) >= (int)sizeof(name))
        fail("the name %s is too long", o->name);
    static struct copy c;
    copy_begin(&c, setup, import(setup, name, o->wait_ms), sizeof(*info), 1);
    if (c.size != sizeof(*info))
        fail("%s has %zu bytes, not %zu: file_export did not make it", name, c.size, sizeof(*info));
    copy_round(&c, 0);
    memcpy(info, c.slots[0].memory, sizeof(*info));
    copy_end(&c);
}

static void write_all(int fd, const char *path, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0)
            fail("cannot write %s: %s", path, strerror(errno));
        bytes += n;
        size -= (size_t)n;
    }
}

static void show_progress(size_t done, size_t size, double seconds, int last)
{
    static double shown;
    if (!isatty(STDERR_FILENO) || (!last && now() - shown < 0.1))
        return;
    shown = now();
    fprintf(stderr, "\r%.1f of %.1f MiB, %.2f GiB/s  %s", (double)done / 0x1p20,
            (double)size / 0x1p20, (double)done / seconds / 0x1p30, last ? "\n" : "");
}

// Returns the seconds that the DMA jobs took. `beside` may be NULL.
static double fetch_contents(struct copy *c, int fd, const char *path, EVP_MD_CTX *hash,
                             struct beside *beside)
{
    double seconds = 0;
    for (size_t done = 0; done < c->size;) {
        size_t begun = done;
        if (beside)
            beside_warm(c->memory, c->chunk * c->n_slots);
        double before = now();
        size_t n = copy_round(c, done);
        double took = now() - before;
        seconds += took;
        for (size_t i = 0; i < n; i++) {
            const struct slot *slot = &c->slots[i];
            write_all(fd, path, slot->memory, slot->size);
            if (!EVP_DigestUpdate(hash, slot->memory, slot->size))
                fail("cannot compute the SHA-256");
            done += slot->size;
        }
        if (beside)
            beside_round(beside, took, c->memory, begun, done - begun, c->chunk);
        show_progress(done, c->size, seconds, done == c->size);
    }
    return seconds;
}

int main(int argc, char **argv)
{
    struct options o = {.chunk = 256 << 10, .jobs = 4, .wait_ms = 10000};
    read_options(&o, argc, argv);

    struct dma_setup setup;
    dma_setup(&setup, o.device, (uint32_t)o.jobs, 2 * o.jobs, false);
    uint64_t most;
    must(doca_dma_get_max_buf_size(doca_dev_as_devinfo(setup.dev), &most), "cannot ask the device");
    if (o.chunk > most)
        fail("the device copies at most %llu bytes in one job", (unsigned long long)most);

    struct file_info info;
    fetch_info(&setup, &o, &info);
    static struct copy c;
    copy_begin(&c, &setup, import(&setup, o.name, o.wait_ms), o.chunk, o.jobs);
    if (c.size != info.size)
        fail("%s has %zu bytes, its record says %llu", o.name, c.size,
             (unsigned long long)info.size);

    int fd = open(o.path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    uint8_t digest[SHA256_SIZE];
    if (fd < 0)
        fail("cannot open %s: %s", o.path, strerror(errno));
    if (!hash || !EVP_DigestInit_ex(hash, EVP_sha256(), NULL))
        fail("cannot compute the SHA-256");
    struct beside beside;
    if (o.beside)
        beside_begin(&beside, c.size, c.size / (c.chunk * c.n_slots) + 1);
    double seconds = fetch_contents(&c, fd, o.path, hash, o.beside ? &beside : NULL);
    if (close(fd) < 0)
        fail("cannot write %s: %s", o.path, strerror(errno));
    if (!EVP_DigestFinal_ex(hash, digest, NULL))
        fail("cannot compute the SHA-256");
    if (memcmp(digest, info.sha256, sizeof(digest)) != 0)
        fail("%s differs from the host's file: its SHA-256 is another", o.path);
    printf("%zu bytes in %.6f s, %.2f GiB/s, verified\n", c.size, seconds,
           (double)c.size / seconds / 0x1p30);
    if (o.beside)
        beside_end(&beside);

    EVP_MD_CTX_free(hash);
    copy_end(&c);
    dma_teardown(&setup);
    return EXIT_SUCCESS;
}
