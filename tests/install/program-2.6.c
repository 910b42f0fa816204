// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 2.5 and 2.6 as a user would write it, built against what is installed. It needs
// no daemon: it names what 2.7 has in another form, and makes what needs no device.

#include <doca_argp.h>
#include <doca_buf_array.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_comm_channel.h>
#include <doca_compress.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_version.h>

#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(PROGRAM::MAIN);

// What is only compiled and linked: calls with the arguments of 2.5 and 2.6.
doca_error_t calls(struct doca_rdma *rdma, struct doca_buf *buf, union doca_data data);
doca_error_t calls(struct doca_rdma *rdma, struct doca_buf *buf, union doca_data data)
{
    const void *details;
    size_t size;
    struct doca_rdma_task_send *send;
    struct doca_compress_task_decompress_lz4 *lz4;

    if (doca_rdma_export(rdma, &details, &size) || doca_rdma_connect(rdma, details, size) ||
        doca_rdma_task_send_allocate_init(rdma, buf, data, &send))
        return DOCA_ERROR_UNEXPECTED;
    return doca_compress_task_decompress_lz4_alloc_init(NULL, buf, buf, data, &lz4);
}

#if DOCA_VERSION_MINOR == 5
typedef size_t length_type;
#else
typedef uint32_t length_type;
#endif

static void message(struct doca_cc_event_msg_recv *event, uint8_t *buffer, length_type length,
                    struct doca_cc_connection *connection)
{
    (void)event, (void)buffer, (void)length, (void)connection;
}

int main(void)
{
    struct doca_pe *pe;
    const char *address;

    if (doca_pe_create(&pe) != DOCA_SUCCESS || doca_pe_destroy(pe) != DOCA_SUCCESS)
        return 1;
    if (strncmp(doca_version(), "2.", 2) != 0 || DOCA_VERSION_MAJOR != 2)
        return 2;
    if (strcmp(doca_version(), doca_version_runtime()) != 0)
        return 4;
    // Each of them has an argument that is NULL.
    if (doca_rdma_connect(NULL, NULL, 0) != DOCA_ERROR_INVALID_VALUE ||
        doca_cc_client_event_msg_recv_register(NULL, message) != DOCA_ERROR_INVALID_VALUE ||
        doca_buf_arr_create(NULL, NULL) != DOCA_ERROR_INVALID_VALUE ||
        doca_argp_get_grpc_addr(&address) != DOCA_ERROR_INVALID_VALUE)
        return 3;
    DOCA_LOG(INFO, "level by the end of its name: %d", 1);
    DOCA_LOG_INFO("level by macro");
    puts("built and run");
    return 0;
}
