// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What programs of DOCA 3 make and configure, each while one of its allocations fails: the first,
// the second and so on, until none does. Meanwhile the answer is DOCA_ERROR_NO_MEMORY, nothing is
// made, nothing is lost, and in the end the same call succeeds with the same objects. Other calls
// of the C library that fail have their own codes; for the rest the same is true.
//
// Under a sanitizer only memory fails, see faults_wrapped.c.

#include "child.h"
#include "deadline.h"
#include "env.h"
#include "faults.h"
#include "leaks.h"
#include "nodes.h"
#include "run.h"

#include <doca_aes_gcm.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_clock.h>
#include <doca_comch.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"
#define SIZE     ((size_t)64 << 10)
#define TASKS    3

// What the steps make. Steps follow each other: later ones use what earlier ones have made.
static struct {
    struct doca_devinfo **infos;
    struct doca_devinfo_rep **rep_infos;
    uint32_t n_infos;
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    uint8_t *memory;
    struct doca_mmap *map, *imported;
    const void *desc, *rdma_desc;
    size_t desc_len, rdma_desc_len;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    struct doca_buf_pool *pool;
    struct doca_buf_arr *array;
    struct doca_clock *clock;
    struct doca_dma *dma;
    struct doca_sha *sha;
    struct doca_aes_gcm *gcm;
    struct doca_aes_gcm_key *key;
    struct doca_compress *compress;
    struct doca_ec *ec;
    struct doca_ec_matrix *matrix, *raw_matrix, *update, *recovery;
    struct doca_mmap_advise *advise;
    struct doca_sync_event *event, *twin;
    const uint8_t *event_desc;
    size_t event_desc_len;
    struct doca_graph *graph;
    struct doca_graph_node *node;
    struct doca_graph_instance *instance;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connection;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
} w;

// What the host tells the DPU.
static struct {
    size_t desc_len, event_len;
    uint8_t desc[512], event[512];
} told;

static void never(void)
{
    ck_abort_msg("a callback is called");
}
#define CB ((void *)never)

// ---- steps -------------------------------------------------------------------------------------

struct step {
    const char *name;
    doca_error_t (*make)(void);
    doca_error_t (*undo)(void); // NULL: it cannot be undone
    void *made;                 // a pointer that is left alone until the call succeeds
    enum {
        MUST_FAIL = 1, // while an allocation does
        ASKS_DOCAD,    // and has a reserve of memory for the answer
        STARTS,        // a context: like ASKS_DOCAD, with the code of doca_ctx_start()
        CONNECTS,      // the same with a code of doca_rdma_export(), which also keeps room
        CALM,          // nothing fails: the step ends what others have made
    } manner;
};

#define CALL(name, call)                                                                           \
    static doca_error_t name(void)                                                                 \
    {                                                                                              \
        return call;                                                                               \
    }

static doca_error_t by_address(const char *pci, struct doca_dev **dev)
{
    for (uint32_t i = 0; i < w.n_infos; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_is_equal_pci_addr(w.infos[i], pci, &equal));
        if (equal)
            return doca_dev_open(w.infos[i], dev);
    }
    return DOCA_ERROR_NOT_FOUND;
}

CALL(list_devices, doca_devinfo_create_list(&w.infos, &w.n_infos))
CALL(unlist_devices, doca_devinfo_destroy_list(w.infos))
CALL(open_host_device, by_address(HOST_PF0, &w.dev))
CALL(open_dpu_device, by_address(DPU_P0, &w.dev))
CALL(close_device, doca_dev_close(w.dev))
CALL(list_reps,
     doca_devinfo_rep_create_list(w.dev, DOCA_DEVINFO_REP_FILTER_NET, &w.rep_infos, &w.n_infos))
CALL(unlist_reps, doca_devinfo_rep_destroy_list(w.rep_infos))
CALL(open_rep, doca_dev_rep_open(w.rep_infos[0], &w.rep))
CALL(close_rep, doca_dev_rep_close(w.rep))
CALL(make_pe, doca_pe_create(&w.pe))
CALL(end_pe, doca_pe_destroy(w.pe))
CALL(make_clock, doca_clock_create(w.dev, &w.clock))
CALL(end_clock, doca_clock_destroy(w.clock))

CALL(make_map, doca_mmap_create(&w.map))
CALL(end_map, doca_mmap_destroy(w.map))
CALL(set_range, doca_mmap_set_memrange(w.map, w.memory, SIZE))
CALL(add_device, doca_mmap_add_dev(w.map, w.dev))
CALL(set_permissions, doca_mmap_set_permissions(w.map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                           DOCA_ACCESS_FLAG_PCI_READ_WRITE |
                                                           DOCA_ACCESS_FLAG_RDMA_READ))
CALL(start_map, doca_mmap_start(w.map))
CALL(stop_map, doca_mmap_stop(w.map))
CALL(export_map, doca_mmap_export_pci(w.map, w.dev, &w.desc, &w.desc_len))
CALL(export_map_to_rdma, doca_mmap_export_rdma(w.map, w.dev, &w.rdma_desc, &w.rdma_desc_len))
CALL(import_map, doca_mmap_create_from_export(NULL, told.desc, told.desc_len, w.dev, &w.imported))
CALL(end_import, doca_mmap_destroy(w.imported))
CALL(reexport, doca_mmap_export_rdma(w.imported, w.dev, &w.rdma_desc, &w.rdma_desc_len))

CALL(make_inventory, doca_buf_inventory_create(4, &w.inventory))
CALL(end_inventory, doca_buf_inventory_destroy(w.inventory))
CALL(start_inventory, doca_buf_inventory_start(w.inventory))
CALL(expand_inventory, doca_buf_inventory_expand(w.inventory, 1000))
CALL(take_buf, doca_buf_inventory_buf_get_by_addr(w.inventory, w.map, w.memory, 64, &w.buf))
CALL(put_buf, doca_buf_dec_refcount(w.buf, NULL))
CALL(make_pool, doca_buf_pool_create(4, 64, w.map, &w.pool))
CALL(end_pool, doca_buf_pool_destroy(w.pool))
CALL(start_pool, doca_buf_pool_start(w.pool))
CALL(stop_pool, doca_buf_pool_stop(w.pool))
CALL(make_array, doca_buf_arr_create(4, &w.array))
CALL(end_array, doca_buf_arr_destroy(w.array))
CALL(set_array, doca_buf_arr_set_params(w.array, w.map, 64, 0))
CALL(start_array, doca_buf_arr_start(w.array))

static doca_error_t halt(struct doca_ctx *ctx)
{
    doca_error_t r;
    while ((r = doca_ctx_stop(ctx)) == DOCA_ERROR_IN_PROGRESS)
        doca_pe_progress(w.pe);
    return r;
}

// A library: how a context is made, ended, connected and started.
#define CONTEXT(of, as_ctx, create, destroy)                                                       \
    CALL(make_##of, create)                                                                        \
    CALL(end_##of, destroy)                                                                        \
    CALL(connect_##of, doca_pe_connect_ctx(w.pe, as_ctx(w.of)))                                    \
    CALL(start_##of, doca_ctx_start(as_ctx(w.of)))                                                 \
    CALL(stop_##of, halt(as_ctx(w.of)))
#define CONF(of, function) CALL(function##_, function(w.of, CB, CB, TASKS))

CONTEXT(dma, doca_dma_as_ctx, doca_dma_create(w.dev, &w.dma), doca_dma_destroy(w.dma))
CONF(dma, doca_dma_task_memcpy_set_conf)

CONTEXT(sha, doca_sha_as_ctx, doca_sha_create(w.dev, &w.sha), doca_sha_destroy(w.sha))
CONF(sha, doca_sha_task_hash_set_conf)
CONF(sha, doca_sha_task_partial_hash_set_conf)

static const uint8_t raw_key[16] = "a key of sixteen";
CONTEXT(gcm, doca_aes_gcm_as_ctx, doca_aes_gcm_create(w.dev, &w.gcm), doca_aes_gcm_destroy(w.gcm))
CONF(gcm, doca_aes_gcm_task_encrypt_set_conf)
CONF(gcm, doca_aes_gcm_task_decrypt_set_conf)
CALL(make_key, doca_aes_gcm_key_create(w.gcm, raw_key, DOCA_AES_GCM_KEY_128, &w.key))
CALL(end_key, doca_aes_gcm_key_destroy(w.key))

CONTEXT(compress, doca_compress_as_ctx, doca_compress_create(w.dev, &w.compress),
        doca_compress_destroy(w.compress))
CONF(compress, doca_compress_task_compress_deflate_set_conf)
CONF(compress, doca_compress_task_decompress_deflate_set_conf)
CONF(compress, doca_compress_task_decompress_lz4_stream_set_conf)
CONF(compress, doca_compress_task_decompress_lz4_block_set_conf)

static uint32_t one_index[] = {1};
static uint8_t raw_matrix[8] = {1, 1, 1, 1, 1, 2, 3, 4};
CONTEXT(ec, doca_ec_as_ctx, doca_ec_create(w.dev, &w.ec), doca_ec_destroy(w.ec))
CONF(ec, doca_ec_task_create_set_conf)
CONF(ec, doca_ec_task_update_set_conf)
CONF(ec, doca_ec_task_recover_set_conf)
CONF(ec, doca_ec_task_galois_mul_set_conf)
CALL(make_matrix, doca_ec_matrix_create(w.ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &w.matrix))
CALL(end_matrix, doca_ec_matrix_destroy(w.matrix))
CALL(make_raw_matrix, doca_ec_matrix_create_from_raw(w.ec, raw_matrix, 4, 2, &w.raw_matrix))
CALL(end_raw_matrix, doca_ec_matrix_destroy(w.raw_matrix))
CALL(make_update, doca_ec_matrix_create_update(w.ec, w.matrix, one_index, 1, &w.update))
CALL(end_update, doca_ec_matrix_destroy(w.update))
CALL(make_recovery, doca_ec_matrix_create_recover(w.ec, w.matrix, one_index, 1, &w.recovery))
CALL(end_recovery, doca_ec_matrix_destroy(w.recovery))

CONTEXT(advise, doca_mmap_advise_as_ctx, doca_mmap_advise_create(w.dev, &w.advise),
        doca_mmap_advise_destroy(w.advise))
CONF(advise, doca_mmap_advise_task_invalidate_cache_set_conf)

CONTEXT(event, doca_sync_event_as_ctx, doca_sync_event_create(&w.event),
        doca_sync_event_destroy(w.event))
CONF(event, doca_sync_event_task_get_set_conf)
CONF(event, doca_sync_event_task_notify_set_set_conf)
CONF(event, doca_sync_event_task_notify_add_set_conf)
CONF(event, doca_sync_event_task_wait_eq_set_conf)
CONF(event, doca_sync_event_task_wait_neq_set_conf)
CALL(publish_here, doca_sync_event_add_publisher_location_cpu(w.event, w.dev))
CALL(subscribe_there, doca_sync_event_add_subscriber_location_remote_pci(w.event))
CALL(start_event_alone, doca_sync_event_start(w.event))
CALL(stop_event_alone, doca_sync_event_stop(w.event))
CALL(export_event,
     doca_sync_event_export_to_remote_pci(w.event, w.dev, &w.event_desc, &w.event_desc_len))
CALL(import_event, doca_sync_event_create_from_export(w.dev, told.event, told.event_len, &w.twin))
CALL(end_twin, doca_sync_event_destroy(w.twin))

static doca_error_t user_node(void *cookie)
{
    (void)cookie;
    return DOCA_SUCCESS;
}
CALL(make_graph, doca_graph_create(w.pe, &w.graph))
CALL(end_graph, doca_graph_destroy(w.graph))
CALL(conf_graph, doca_graph_set_conf(w.graph, CB, CB, 2))
CALL(add_context_node, doca_graph_node_create_from_ctx(w.graph, doca_dma_as_ctx(w.dma), &w.node))
CALL(add_user_node, doca_graph_node_create_from_user(w.graph, user_node, &w.node))
CALL(start_graph, doca_graph_start(w.graph))
CALL(stop_graph, doca_graph_stop(w.graph))
CALL(make_instance, doca_graph_instance_create(w.graph, &w.instance))
CALL(end_instance, doca_graph_instance_destroy(w.instance))

CONTEXT(rdma, doca_rdma_as_ctx, doca_rdma_create(w.dev, &w.rdma), doca_rdma_destroy(w.rdma))
CONF(rdma, doca_rdma_task_receive_set_conf)
CONF(rdma, doca_rdma_task_send_set_conf)
CONF(rdma, doca_rdma_task_send_imm_set_conf)
CONF(rdma, doca_rdma_task_read_set_conf)
CONF(rdma, doca_rdma_task_write_set_conf)
CONF(rdma, doca_rdma_task_write_imm_set_conf)
CONF(rdma, doca_rdma_task_atomic_cmp_swp_set_conf)
CONF(rdma, doca_rdma_task_atomic_fetch_add_set_conf)
CALL(export_rdma, doca_rdma_export(w.rdma, &w.rdma_desc, &w.rdma_desc_len, &w.connection))

CONTEXT(server, doca_comch_server_as_ctx,
        doca_comch_server_create(w.dev, w.rep, "faults", &w.server),
        doca_comch_server_destroy(w.server))
CONF(server, doca_comch_server_task_send_set_conf)
CALL(server_messages, doca_comch_server_event_msg_recv_register(w.server, CB))
CALL(server_changes, doca_comch_server_event_connection_status_changed_register(w.server, CB, CB))
CONTEXT(client, doca_comch_client_as_ctx, doca_comch_client_create(w.dev, "faults", &w.client),
        doca_comch_client_destroy(w.client))
CONF(client, doca_comch_client_task_send_set_conf)
CALL(client_messages, doca_comch_client_event_msg_recv_register(w.client, CB))

// A client waits for its server.
static doca_error_t begin_client(void)
{
    doca_error_t r = start_client();
    return r == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : r;
}

#define STEP(make, undo, made, manner)                                                             \
    {                                                                                              \
#make, make, undo, made, manner                                                            \
    }
#define MAKE(make, undo, object) STEP(make, undo, &w.object, MUST_FAIL)
#define DO(make, undo)           STEP(make, undo, NULL, MUST_FAIL)
#define SET(make)                STEP(make, NULL, NULL, MUST_FAIL)
#define ASK(make, undo, object)  STEP(make, undo, &w.object, ASKS_DOCAD)
#define ASK_TO(make, undo)       STEP(make, undo, NULL, ASKS_DOCAD)
#define END(end)                 STEP(end, NULL, NULL, CALM)
#define CONTEXT_BEGINS(of)       MAKE(make_##of, end_##of, of), SET(connect_##of)
#define CONTEXT_RUNS(of)         STEP(start_##of, stop_##of, NULL, STARTS)
#define CONTEXT_ENDS(of)         END(stop_##of), END(end_##of)

static const struct step host_steps[] = {
    ASK(list_devices, unlist_devices, infos),
    ASK(open_host_device, close_device, dev),
    MAKE(make_pe, end_pe, pe),
    MAKE(make_clock, end_clock, clock),

    MAKE(make_map, end_map, map),
    SET(set_range),
    SET(add_device),
    SET(set_permissions),
    ASK_TO(start_map, stop_map),
    ASK(export_map, NULL, desc),
    ASK(export_map_to_rdma, NULL, rdma_desc),
    MAKE(make_inventory, end_inventory, inventory),
    SET(start_inventory),
    SET(expand_inventory),
    MAKE(take_buf, put_buf, buf),
    MAKE(make_pool, end_pool, pool),
    DO(start_pool, stop_pool),
    MAKE(make_array, end_array, array),
    SET(set_array),
    SET(start_array), // of which there is one

    CONTEXT_BEGINS(dma),
    SET(doca_dma_task_memcpy_set_conf_),
    CONTEXT_RUNS(dma),
    MAKE(make_graph, end_graph, graph),
    SET(conf_graph),
    MAKE(add_context_node, NULL, node),
    MAKE(add_user_node, NULL, node),
    SET(start_graph),
    MAKE(make_instance, end_instance, instance),
    END(end_instance),
    END(stop_graph),
    END(end_graph),
    CONTEXT_ENDS(dma),

    CONTEXT_BEGINS(sha),
    SET(doca_sha_task_hash_set_conf_),
    SET(doca_sha_task_partial_hash_set_conf_),
    CONTEXT_RUNS(sha),
    CONTEXT_ENDS(sha),

    CONTEXT_BEGINS(gcm),
    SET(doca_aes_gcm_task_encrypt_set_conf_),
    SET(doca_aes_gcm_task_decrypt_set_conf_),
    MAKE(make_key, end_key, key),
    CONTEXT_RUNS(gcm),
    END(stop_gcm),
    END(end_key),
    END(end_gcm),

    CONTEXT_BEGINS(compress),
    SET(doca_compress_task_compress_deflate_set_conf_),
    SET(doca_compress_task_decompress_deflate_set_conf_),
    SET(doca_compress_task_decompress_lz4_stream_set_conf_),
    SET(doca_compress_task_decompress_lz4_block_set_conf_),
    CONTEXT_RUNS(compress),
    CONTEXT_ENDS(compress),

    CONTEXT_BEGINS(ec),
    SET(doca_ec_task_create_set_conf_),
    SET(doca_ec_task_update_set_conf_),
    SET(doca_ec_task_recover_set_conf_),
    SET(doca_ec_task_galois_mul_set_conf_),
    MAKE(make_matrix, end_matrix, matrix),
    MAKE(make_raw_matrix, end_raw_matrix, raw_matrix),
    MAKE(make_update, end_update, update),
    MAKE(make_recovery, end_recovery, recovery),
    CONTEXT_RUNS(ec),
    END(stop_ec),
    END(end_recovery),
    END(end_update),
    END(end_raw_matrix),
    END(end_matrix),
    END(end_ec),

    CONTEXT_BEGINS(advise),
    SET(doca_mmap_advise_task_invalidate_cache_set_conf_),
    CONTEXT_RUNS(advise),
    CONTEXT_ENDS(advise),

    CONTEXT_BEGINS(rdma),
    SET(doca_rdma_task_receive_set_conf_),
    SET(doca_rdma_task_send_set_conf_),
    SET(doca_rdma_task_send_imm_set_conf_),
    SET(doca_rdma_task_read_set_conf_),
    SET(doca_rdma_task_write_set_conf_),
    SET(doca_rdma_task_write_imm_set_conf_),
    SET(doca_rdma_task_atomic_cmp_swp_set_conf_),
    SET(doca_rdma_task_atomic_fetch_add_set_conf_),
    CONTEXT_RUNS(rdma),
    STEP(export_rdma, NULL, &w.connection, CONNECTS),
    END(stop_rdma),
    END(end_rdma),

    CONTEXT_BEGINS(client),
    SET(doca_comch_client_task_send_set_conf_),
    SET(client_messages),
    STEP(begin_client, stop_client, NULL, STARTS),
    CONTEXT_ENDS(client),

    MAKE(make_event, end_event, event),
    SET(publish_here),
    SET(subscribe_there),
    SET(connect_event),
    SET(doca_sync_event_task_get_set_conf_),
    SET(doca_sync_event_task_notify_set_set_conf_),
    SET(doca_sync_event_task_notify_add_set_conf_),
    SET(doca_sync_event_task_wait_eq_set_conf_),
    SET(doca_sync_event_task_wait_neq_set_conf_),
    CONTEXT_RUNS(event),
    CONTEXT_ENDS(event),
    MAKE(make_event, end_event, event),
    SET(publish_here),
    SET(subscribe_there),
    ASK_TO(start_event_alone, stop_event_alone),
    ASK(export_event, NULL, event_desc),
};

static const struct step host_end[] = {
    END(stop_event_alone), END(end_event),     END(end_array),      END(end_pool),
    END(put_buf),          END(end_inventory), END(end_map),        END(end_clock),
    END(end_pe),           END(close_device),  END(unlist_devices),
};

static const struct step dpu_steps[] = {
    ASK(list_devices, unlist_devices, infos),
    ASK(open_dpu_device, close_device, dev),
    ASK(list_reps, unlist_reps, rep_infos),
    ASK(open_rep, close_rep, rep),
    MAKE(make_pe, end_pe, pe),
    ASK(import_map, end_import, imported),
    ASK(reexport, NULL, rdma_desc),
    ASK(import_event, end_twin, twin),

    CONTEXT_BEGINS(server),
    SET(doca_comch_server_task_send_set_conf_),
    SET(server_messages),
    SET(server_changes),
    CONTEXT_RUNS(server),
    CONTEXT_ENDS(server),

    END(end_twin),
    END(end_import),
    END(end_pe),
    END(close_rep),
    END(unlist_reps),
    END(close_device),
    END(unlist_devices),
};

// ---- one call fails --------------------------------------------------------------------------

static struct faults faults; // what this process follows

static void *const untouched = &w;

static void arm(enum faults_function function, long nth)
{
    atomic_store(&faults.nth, nth);
    atomic_store(&faults.calls, 0);
    atomic_store(&faults.fired, 0);
    atomic_store(&faults.function, (int)function);
}

static doca_error_t make_with(const struct step *step, enum faults_function function, long nth)
{
    if (step->made)
        memcpy(step->made, &untouched, sizeof(untouched));
    arm(function, nth);
    doca_error_t r = step->make();
    atomic_store(&faults.function, FAULTS_NONE);
    return r;
}

struct rest {
    long blocks;
    struct descriptors descriptors;
};

static void rest_now(struct rest *rest)
{
    rest->blocks = atomic_load(&faults.blocks);
    descriptors_list(&rest->descriptors);
}

// Blocks that the C library may keep for threads that have ended, and an RDMA context for its next
// connection. What is lost in each attempt is more.
#define MAY_BE_KEPT 3

static void assert_nothing_made(const struct step *step, const struct rest *before,
                                const char *what)
{
    struct rest now;
    char text[4096];

    ck_assert_msg(!step->made || memcmp(step->made, &untouched, sizeof(untouched)) == 0,
                  "%s: gives a pointer", what);
    rest_now(&now);
    long more = step->manner == MUST_FAIL ? 0 : MAY_BE_KEPT;
    ck_assert_msg(now.blocks <= before->blocks + more, "%s: %ld blocks of memory, before %ld", what,
                  now.blocks, before->blocks);
    // A thread of the library may be about to close the last ones.
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (now.descriptors.count > before->descriptors.count && deadline_pause(deadline))
        descriptors_list(&now.descriptors);
    bool differ = descriptors_differ(&before->descriptors, &now.descriptors, text, sizeof(text));
    ck_assert_msg(now.descriptors.count <= before->descriptors.count || !differ,
                  "%s: other descriptors:%s", what, text);
}

// What a step may answer that has no memory, other than DOCA_ERROR_NO_MEMORY.
static const doca_error_t codes[] = {
    [STARTS] = DOCA_ERROR_INITIALIZATION,
    [CONNECTS] = DOCA_ERROR_CONNECTION_ABORTED,

};

// Returns how many calls of the function failed. Then the step is made.
static long fail_each(const struct step *step, enum faults_function function)
{
    static struct rest before;
    char what[128];

    for (long nth = 1;; nth++) {
        snprintf(what, sizeof(what), "%s without %s number %ld", step->name, faults_name(function),
                 nth);
        rest_now(&before);
        doca_error_t r = make_with(step, function, nth);
        if (atomic_load(&faults.fired) == 0) {
            ck_assert_msg(r == DOCA_SUCCESS, "%s: %s though nothing fails", what,
                          doca_error_get_name(r));
            return nth - 1;
        }
        if (r == DOCA_SUCCESS && step->manner != MUST_FAIL) {
            if (!step->undo)
                return nth;
            ck_assert_msg(step->undo() == DOCA_SUCCESS, "%s cannot be undone", step->name);
            continue;
        }
        if (function == FAULTS_MALLOC || function == FAULTS_MMAP)
            ck_assert_msg(r == DOCA_ERROR_NO_MEMORY || r == codes[step->manner], "%s: %s", what,
                          doca_error_get_name(r));
        else
            ck_assert_msg(r != DOCA_SUCCESS, "%s: succeeds", what);
        assert_nothing_made(step, &before, what);
    }
}

static const enum faults_function functions[] = {FAULTS_MMAP, FAULTS_MEMFD_CREATE, FAULTS_EVENTFD,
                                                 FAULTS_DUP,  FAULTS_OPEN,         FAULTS_MALLOC};

static void make_calmly(const struct step *step)
{
    doca_error_t r = step->make();
    ck_assert_msg(r == DOCA_SUCCESS, "%s: %s", step->name, doca_error_get_name(r));
}

static void make_hardly(const struct step *step)
{
    for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); k++) {
        bool last = functions[k] == FAULTS_MALLOC;
        if (!step->undo && !last)
            continue; // it can be made only once
        long failed = fail_each(step, functions[k]);
        if (getenv("DOCAD_TEST_FAULTS_SHOW"))
            printf("%s: %s: %ld\n", step->name, faults_name(functions[k]), failed);
        if (!last)
            ck_assert_msg(step->undo() == DOCA_SUCCESS, "%s cannot be undone", step->name);
    }
}

static void walk(const struct step *steps, size_t n, void (*make)(const struct step *))
{
    for (size_t i = 0; i < n; i++)
        (steps[i].manner == CALM ? make_calmly : make)(&steps[i]);
}

#define WALK(steps, make) walk(steps, sizeof(steps) / sizeof((steps)[0]), make)

static void assert_all_freed(long blocks)
{
    long now = atomic_load(&faults.blocks);
    ck_assert_msg(now <= blocks + MAY_BE_KEPT, "%ld blocks of memory are left, before %ld", now,
                  blocks);
}

static uint8_t *pages_new(void)
{
    uint8_t *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    return pages;
}

// The libraries below keep what they make when they are first used: a calm walk comes first.
static int be_host(struct child *self, void *arg)
{
    (void)arg;
    w.memory = pages_new();
    (void)doca_pe_destroy(NULL); // a line of the log
    faults_follow(&faults);
    WALK(host_steps, make_calmly);
    WALK(host_end, make_calmly);
    long before = atomic_load(&faults.blocks);
    WALK(host_steps, make_hardly);
    child_send(self, w.desc, w.desc_len);
    child_send(self, w.event_desc, w.event_desc_len);
    child_wait(self, "end");
    WALK(host_end, make_calmly);
    assert_all_freed(before);
    faults_follow(NULL);
    return 0;
}

static int be_dpu(struct child *self, void *arg)
{
    (void)self, (void)arg;
    (void)doca_pe_destroy(NULL);
    faults_follow(&faults);
    WALK(dpu_steps, make_calmly);
    long before = atomic_load(&faults.blocks);
    WALK(dpu_steps, make_hardly);
    assert_all_freed(before);
    faults_follow(NULL);
    return 0;
}

START_TEST(every_allocation_of_a_program_fails)
{
    struct child *host = child_start(nodes.host, "host", be_host, NULL);
    told.desc_len = child_receive(host, told.desc, sizeof(told.desc));
    told.event_len = child_receive(host, told.event, sizeof(told.event));
    child_join(child_start(nodes.dpu, "dpu", be_dpu, NULL));
    child_tell(host, "end");
    child_join(host);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_faults");
    TCase *tcase = tcase_create("calls");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, every_allocation_of_a_program_fails);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
