// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The keys of a card profile. docad sends values by number to programs that may be of another
// release: a number is never used again for another meaning.
//
//     X(NAME, number, "key of the profile", kind, "meaning")
//
// Kinds: FEATURE is a flag that is yes in `software`, QUIRK a flag that is no there, LIMIT a limit
// that is unlimited there (docad's own limits still apply), MULTIPLE a number of bytes that is 1
// there, NUMBER a number that is 0 there, which means no.

#ifndef COMMON_CARD_KEYS_H
#define COMMON_CARD_KEYS_H

// The six keys of one kind of work, numbered from n on: see card_time.h.
#define CARD_TIME_KEYS(X, NAME, n, key, work)                                                      \
    X(NAME##_TASK_NS, (n), key ".task_ns", NUMBER,                                                 \
      "ns that " work " takes of its context's queue")                                             \
    X(NAME##_ENGINE_NS, (n) + 1, key ".engine_ns", NUMBER,                                         \
      "ns of the engine that " work " takes at least")                                             \
    X(NAME##_OVERHEAD_NS, (n) + 2, key ".overhead_ns", NUMBER,                                     \
      "ns of the engine besides those of its bytes")                                               \
    X(NAME##_RATE, (n) + 3, key ".rate", NUMBER, "bytes in a second, by the engine")               \
    X(NAME##_LATENCY_NS, (n) + 4, key ".latency_ns", NUMBER,                                       \
      "ns from submission to completion, besides those of its bytes")                              \
    X(NAME##_LATENCY_RATE, (n) + 5, key ".latency_rate", NUMBER,                                   \
      "bytes in a second, of one task alone")

#define CARD_KEYS(X)                                                                               \
    X(DMA, 1, "dma", FEATURE, "memcpy tasks")                                                      \
    X(DMA_BUF_SIZE, 2, "dma.max_buf_size", LIMIT, "bytes of a copy; 1M or more")                   \
    X(DMA_LIST, 3, "dma.max_buf_list_len", LIMIT, "buffers of a list")                             \
    X(DMA_TASKS, 4, "dma.max_num_tasks", LIMIT, "tasks of a context")                              \
    X(SHA, 5, "sha", FEATURE, "SHA-1, SHA-256 and SHA-512")                                        \
    X(SHA_BUF_SIZE, 6, "sha.max_src_buf_size", LIMIT, "bytes of a message")                        \
    X(SHA_LIST, 7, "sha.max_list_buf_num_elem", LIMIT, "buffers of a list")                        \
    X(SHA_TASKS, 8, "sha.max_num_tasks", LIMIT, "tasks of a context")                              \
    X(GCM, 9, "aes_gcm", FEATURE, "AES-GCM")                                                       \
    X(GCM_KEY_128, 10, "aes_gcm.key_128", FEATURE, "keys of 128 bits")                             \
    X(GCM_KEY_256, 11, "aes_gcm.key_256", FEATURE, "keys of 256 bits")                             \
    X(GCM_TAG_96, 12, "aes_gcm.tag_96", FEATURE, "tags of 96 bits")                                \
    X(GCM_TAG_128, 13, "aes_gcm.tag_128", FEATURE, "tags of 128 bits")                             \
    X(GCM_IV, 14, "aes_gcm.max_iv_len", LIMIT, "bytes of an initialisation vector")                \
    X(GCM_BUF_SIZE, 15, "aes_gcm.max_buf_size", LIMIT,                                             \
      "bytes of additional data, text and tag together")                                           \
    X(GCM_LIST, 16, "aes_gcm.max_list_buf_num_elem", LIMIT, "buffers of a list")                   \
    X(GCM_TASKS, 17, "aes_gcm.max_num_tasks", LIMIT, "tasks of a context")                         \
    X(DEFLATE, 18, "compress.compress_deflate", FEATURE, "compression, deflate")                   \
    X(DEFLATE_BUF_SIZE, 19, "compress.compress_deflate.max_buf_size", LIMIT,                       \
      "bytes of the source, and of the result")                                                    \
    X(DEFLATE_LIST, 20, "compress.compress_deflate.max_buf_list_len", LIMIT, "buffers of a list")  \
    X(INFLATE, 21, "compress.decompress_deflate", FEATURE, "decompression, deflate")               \
    X(INFLATE_BUF_SIZE, 22, "compress.decompress_deflate.max_buf_size", LIMIT,                     \
      "bytes of the source, and of the result")                                                    \
    X(INFLATE_LIST, 23, "compress.decompress_deflate.max_buf_list_len", LIMIT,                     \
      "buffers of a list")                                                                         \
    X(LZ4_STREAM, 24, "compress.decompress_lz4_stream", FEATURE, "decompression, LZ4 stream")      \
    X(LZ4_STREAM_BUF_SIZE, 25, "compress.decompress_lz4_stream.max_buf_size", LIMIT,               \
      "bytes of the source, and of the result")                                                    \
    X(LZ4_STREAM_LIST, 26, "compress.decompress_lz4_stream.max_buf_list_len", LIMIT,               \
      "buffers of a list")                                                                         \
    X(LZ4_BLOCK, 27, "compress.decompress_lz4_block", FEATURE, "decompression, LZ4 block")         \
    X(LZ4_BLOCK_BUF_SIZE, 28, "compress.decompress_lz4_block.max_buf_size", LIMIT,                 \
      "bytes of the source, and of the result")                                                    \
    X(LZ4_BLOCK_LIST, 29, "compress.decompress_lz4_block.max_buf_list_len", LIMIT,                 \
      "buffers of a list")                                                                         \
    X(COMPRESS_TASKS, 30, "compress.max_num_tasks", LIMIT, "tasks of a context, of each type")     \
    X(EC, 31, "ec", FEATURE, "erasure coding")                                                     \
    X(EC_BLOCK_SIZE, 32, "ec.max_block_size", LIMIT, "bytes of a block")                           \
    X(EC_LIST, 33, "ec.max_buf_list_len", LIMIT, "buffers of a list")                              \
    X(EC_TASKS, 34, "ec.max_num_tasks", LIMIT, "tasks of a context, of each type")                 \
    X(EC_DATA, 35, "ec.max_data_blocks", LIMIT, "data blocks of a matrix")                         \
    X(EC_RDNC, 36, "ec.max_rdnc_blocks", LIMIT, "redundancy blocks of a matrix")                   \
    X(RDMA, 37, "rdma", FEATURE, "RDMA")                                                           \
    X(RDMA_SF_ON_DPU, 38, "rdma.sf_only_on_dpu", QUIRK, "on a DPU only SFs have RDMA")             \
    X(RDMA_SEND_QUEUE, 39, "rdma.max_send_queue_size", LIMIT, "tasks of the send queue")           \
    X(RDMA_RECV_QUEUE, 40, "rdma.max_recv_queue_size", LIMIT, "tasks of the receive queue")        \
    X(RDMA_SET_RECV, 41, "rdma.set_recv_queue_size", FEATURE,                                      \
      "doca_rdma_set_recv_queue_size() works")                                                     \
    X(RDMA_LIST, 42, "rdma.max_send_buf_list_len", LIMIT, "buffers of a list")                     \
    X(RDMA_MESSAGE, 43, "rdma.max_message_size", LIMIT, "bytes of a message")                      \
    X(RDMA_ATOMICS, 44, "rdma.atomics", FEATURE, "atomic tasks")                                   \
    X(COMCH, 45, "comch", FEATURE, "Comch, and the Comm Channel before it")                        \
    X(COMCH_MESSAGE, 46, "comch.max_msg_size", LIMIT, "bytes of a message")                        \
    X(COMCH_RECV_QUEUE, 47, "comch.max_recv_queue_size", LIMIT,                                    \
      "messages of the receive queue, and of the Comm Channel's send queue")                       \
    X(COMCH_SEND_TASKS, 48, "comch.max_send_tasks", LIMIT, "send tasks of a context")              \
    X(COMCH_CLIENTS, 49, "comch.max_clients", LIMIT, "clients of a server")                        \
    X(COMCH_FAST, 50, "comch.fast_path", FEATURE, "consumers and producers")                       \
    X(CONSUMER_TASKS, 51, "comch_consumer.max_num_tasks", LIMIT, "tasks of a consumer")            \
    X(CONSUMER_BUF_SIZE, 52, "comch_consumer.max_buf_size", LIMIT, "bytes of a message")           \
    X(CONSUMER_IMM, 53, "comch_consumer.max_imm_data_len", LIMIT, "bytes of immediate data")       \
    X(PRODUCER_TASKS, 54, "comch_producer.max_num_tasks", LIMIT, "tasks of a producer")            \
    X(PRODUCER_BUF_SIZE, 55, "comch_producer.max_buf_size", LIMIT, "bytes of a message")           \
    X(EXPORT_PCI, 56, "mmap.export_pci", FEATURE, "a host's maps are exported to the DPU")         \
    X(IMPORT_PCI, 57, "mmap.create_from_export_pci", FEATURE, "a DPU imports maps of the host")    \
    X(OVER_LIMIT, 58, "over_limit_fails", QUIRK,                                                   \
      "what is longer than a limit fails with IO_FAILED, not with INVALID_VALUE")                  \
    X(STOP_WAITS, 59, "stop_waits_for_tasks", QUIRK,                                               \
      "a context stays STOPPING until the program has freed its tasks")                            \
    X(EC_MULTIPLE, 60, "ec.block_size_multiple", MULTIPLE, "bytes that blocks are a multiple of")  \
    X(REORDER, 61, "reorder", NUMBER, "seed of the order of tasks of different contexts")          \
    X(DMA_KEEPS_ORDER, 62, "dma.keeps_order", FEATURE,                                             \
      "with a seed, too, a context copies in the order of submission")                             \
    X(HOLDS_REPORTS, 63, "optimize_reports", QUIRK,                                                \
      "tasks with DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS are reported with a later one")           \
    X(NEEDS_FLUSH, 64, "tasks_need_flush", QUIRK,                                                  \
      "tasks without DOCA_TASK_SUBMIT_FLAG_FLUSH wait for a flush")                                \
    X(FAILURE_FLUSHES, 65, "failure_flushes", QUIRK,                                               \
      "tasks that end because another one failed have IO_FAILED, not SHUTDOWN")                    \
    X(RELAXED_ALONE, 66, "mmap.relaxed_ordering_alone", QUIRK,                                     \
      "no PCI permission stands beside PCI_RELAXED_ORDERING")                                      \
    X(TIMING, 67, "timing", QUIRK, "tasks take as long as on the card")                            \
    CARD_TIME_KEYS(X, DMA_READ, 68, "dma.read", "a copy from imported memory")                     \
    CARD_TIME_KEYS(X, DMA_WRITE, 74, "dma.write", "a copy to imported memory")                     \
    CARD_TIME_KEYS(X, DMA_LOCAL, 80, "dma.local", "a copy within the process")                     \
    CARD_TIME_KEYS(X, INFLATE_TIME, 86, "compress.decompress_deflate.time", "a decompression")     \
    X(EC_MODEL, 92, "ec.create.model", QUIRK, "the engine takes as long as a published fit says")  \
    X(RDMA_FILLS, 93, "rdma.send_queue_fills", QUIRK,                                              \
      "a connection's send queue refuses tasks with FULL")                                         \
    X(OVER_REFUSED, 94, "over_limit_refused", QUIRK,                                               \
      "a copy longer than the limit is refused when it is submitted")                              \
    CARD_TIME_KEYS(X, RDMA_SEND, 95, "rdma.send", "a send or write")                               \
    CARD_TIME_KEYS(X, RDMA_READ, 101, "rdma.read", "a read or atomic")                             \
    CARD_TIME_KEYS(X, PRODUCER_SEND, 107, "comch_producer.send", "a producer's message")           \
    X(COMCH_CLIENT_ON_HOST, 113, "comch.client_on_host_only", QUIRK,                               \
      "on a DPU there are no clients of Comch and the Comm Channel")                               \
    X(UNALIGNED, 114, "mmap.warns_of_unaligned", QUIRK,                                            \
      "a range that does not begin at a multiple of 64 is logged as a warning")

enum card_key {
    CARD_NONE,
#define CARD_KEY_NUMBER(name, number, key, kind, text) CARD_##name = (number),
    CARD_KEYS(CARD_KEY_NUMBER)
#undef CARD_KEY_NUMBER
        CARD_KEYS_END
};

#endif
