// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 2.5 that mixes the interfaces of two generations, as its applications do: the
// host exports memory, and sends the descriptor through the Comm Channel; the DPU copies from it
// with a DMA task on a progress engine, and answers.
//
//     copy-2.5 host|dpu

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE  ((size_t)1 << 20)
#define NAME  "copy of DOCA 2.5"
#define TRIES 30000

static void expect(const char *what, doca_error_t is, doca_error_t wanted)
{
    if (is == wanted)
        return;
    fprintf(stderr, "%s: %s, not %s\n", what, doca_error_get_name(is), doca_error_get_name(wanted));
    exit(1);
}
#define OK(call) expect(#call, call, DOCA_SUCCESS)

// Calls again, a millisecond later, as long as it is to be called again.
#define AGAIN(call, error)                                                                         \
    do {                                                                                           \
        doca_error_t again_r;                                                                      \
        for (int again_n = 0; (again_r = (call)) == (error) && again_n < TRIES; again_n++)         \
            usleep(1000);                                                                          \
        expect(#call, again_r, DOCA_SUCCESS);                                                      \
    } while (0)

static struct doca_dev *open_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;

    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
            OK(doca_dev_open(list[i], &dev));
    OK(doca_devinfo_destroy_list(list));
    return dev;
}

static struct doca_dev_rep *open_representor(struct doca_dev *dev)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;

    OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_rep_is_equal_pci_addr(list[i], "0b:00.0", &equal)); // the host's first one
        if (equal)
            OK(doca_dev_rep_open(list[i], &rep));
    }
    OK(doca_devinfo_rep_destroy_list(list));
    return rep;
}

static struct doca_comm_channel_ep_t *open_channel(struct doca_dev *dev)
{
    struct doca_comm_channel_ep_t *ep;

    OK(doca_comm_channel_ep_create(&ep));
    OK(doca_comm_channel_ep_set_device(ep, dev));
    OK(doca_comm_channel_ep_set_max_msg_size(ep, 1024));
    OK(doca_comm_channel_ep_set_send_queue_size(ep, 8));
    OK(doca_comm_channel_ep_set_recv_queue_size(ep, 8));
    return ep;
}

static struct doca_mmap *map_memory(struct doca_dev *dev, void *memory, uint32_t permissions)
{
    struct doca_mmap *map;

    OK(doca_mmap_create(&map));
    OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_set_permissions(map, permissions));
    OK(doca_mmap_set_memrange(map, memory, SIZE));
    OK(doca_mmap_start(map));
    return map;
}

static void host(struct doca_dev *dev, char *memory)
{
    struct doca_comm_channel_ep_t *ep = open_channel(dev);
    struct doca_comm_channel_addr_t *peer;
    const void *desc;
    size_t size;
    char answer[1024];

    memset(memory, 'x', SIZE);
    struct doca_mmap *map = map_memory(dev, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    OK(doca_mmap_export_pci(map, dev, &desc, &size));
    AGAIN(doca_comm_channel_ep_connect(ep, NAME, &peer), DOCA_ERROR_CONNECTION_ABORTED);
    AGAIN(doca_comm_channel_peer_addr_update_info(peer), DOCA_ERROR_CONNECTION_INPROGRESS);
    AGAIN(doca_comm_channel_ep_sendto(ep, &memory, sizeof(memory), DOCA_CC_MSG_FLAG_NONE, peer),
          DOCA_ERROR_AGAIN);
    AGAIN(doca_comm_channel_ep_sendto(ep, desc, size, DOCA_CC_MSG_FLAG_NONE, peer),
          DOCA_ERROR_AGAIN);
    size = sizeof(answer);
    AGAIN(doca_comm_channel_ep_recvfrom(ep, answer, &size, DOCA_CC_MSG_FLAG_NONE, &peer),
          DOCA_ERROR_AGAIN);
    printf("the DPU says: %.*s\n", (int)size, answer);
    OK(doca_comm_channel_ep_disconnect(ep, peer));
    OK(doca_comm_channel_ep_destroy(ep));
    OK(doca_mmap_destroy(map));
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)ctx_data;
    *(bool *)task_data.ptr = true;
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    expect("the copy", doca_task_get_status(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
}

static void copy(struct doca_dev *dev, const void *desc, size_t size, void *from, char *memory)
{
    struct doca_mmap *remote, *map = map_memory(dev, memory, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    struct doca_buf_inventory *inventory;
    struct doca_buf *source, *destination;
    struct doca_dma *dma;
    struct doca_pe *pe;
    struct doca_dma_task_memcpy *task;
    bool done = false;

    OK(doca_mmap_create_from_export(NULL, desc, size, dev, &remote));
    OK(doca_buf_inventory_create(2, &inventory));
    OK(doca_buf_inventory_start(inventory));
    OK(doca_buf_inventory_buf_get_by_addr(inventory, remote, from, SIZE, &source));
    OK(doca_buf_set_data(source, from, SIZE));
    OK(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, SIZE, &destination));
    OK(doca_pe_create(&pe));
    OK(doca_dma_create(dev, &dma));
    OK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    OK(doca_dma_task_memcpy_set_conf(dma, copied, failed, 1));
    OK(doca_ctx_start(doca_dma_as_ctx(dma)));
    OK(doca_dma_task_memcpy_alloc_init(dma, source, destination, (union doca_data){.ptr = &done},
                                       &task));
    OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (!done)
        doca_pe_progress(pe);
    OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
    OK(doca_dma_destroy(dma));
    OK(doca_pe_destroy(pe));
    OK(doca_buf_dec_refcount(source, NULL));
    OK(doca_buf_dec_refcount(destination, NULL));
    OK(doca_buf_inventory_destroy(inventory));
    OK(doca_mmap_destroy(remote));
    OK(doca_mmap_destroy(map));
}

static void dpu(struct doca_dev *dev, char *memory)
{
    struct doca_comm_channel_ep_t *ep = open_channel(dev);
    struct doca_comm_channel_addr_t *peer;
    struct doca_dev_rep *rep = open_representor(dev);
    void *from;
    char desc[1024], answer[64];
    size_t size = sizeof(from), desc_size = sizeof(desc);

    OK(doca_comm_channel_ep_set_device_rep(ep, rep));
    OK(doca_comm_channel_ep_listen(ep, NAME));
    AGAIN(doca_comm_channel_ep_recvfrom(ep, &from, &size, DOCA_CC_MSG_FLAG_NONE, &peer),
          DOCA_ERROR_AGAIN);
    AGAIN(doca_comm_channel_ep_recvfrom(ep, desc, &desc_size, DOCA_CC_MSG_FLAG_NONE, &peer),
          DOCA_ERROR_AGAIN);
    copy(dev, desc, desc_size, from, memory);
    size = 0;
    while (size < SIZE && memory[size] == 'x')
        size++;
    snprintf(answer, sizeof(answer), "copied %zu", size);
    AGAIN(doca_comm_channel_ep_sendto(ep, answer, strlen(answer), DOCA_CC_MSG_FLAG_NONE, peer),
          DOCA_ERROR_AGAIN);
    puts(answer);
    // Until the host has read it, and left.
    for (int n = 0; n < TRIES && doca_comm_channel_peer_addr_update_info(peer) == DOCA_SUCCESS; n++)
        usleep(1000);
    OK(doca_comm_channel_ep_destroy(ep));
    OK(doca_dev_rep_close(rep));
}

int main(int argc, char **argv)
{
    struct doca_dev *dev = open_device();
    char *memory = calloc(1, SIZE);

    if (argc == 2 && strcmp(argv[1], "host") == 0)
        host(dev, memory);
    else
        dpu(dev, memory);
    OK(doca_dev_close(dev));
    free(memory);
    return 0;
}
