// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of the 1.5 interface that the 2.2 one does not have, as declared for the library:
// its sources use the types of the 2.2 interface. The headers in include/doca-1.5 describe the
// functions. A function whose name another interface uses for something else has a name here that
// begins with doca_1_5. Where 1.5 does the same as 1.3, its programs use the functions of 1.3.

#ifndef CLIENT_COMPAT15_COMPAT15_H
#define CLIENT_COMPAT15_COMPAT15_H

#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>

struct doca_pci_bdf;

// devices.c
DOCA_EXPORTED doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
                                                     struct doca_pci_bdf *pci_addr);
DOCA_EXPORTED doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                         struct doca_pci_bdf *pci_addr);
DOCA_EXPORTED doca_error_t
doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo, uint8_t *mmap_export);
DOCA_EXPORTED doca_error_t doca_devinfo_get_is_mmap_from_export_supported(
    const struct doca_devinfo *devinfo, uint8_t *from_export);
DOCA_EXPORTED doca_error_t doca_devinfo_rep_get_is_list_virtio_fs_supported(
    const struct doca_devinfo *devinfo, uint8_t *virtio_fs_supported);
DOCA_EXPORTED doca_error_t doca_devinfo_rep_get_is_list_virtio_net_supported(
    const struct doca_devinfo *devinfo, uint8_t *virtio_net_supported);
DOCA_EXPORTED doca_error_t doca_devinfo_rep_get_is_list_virtio_blk_supported(
    const struct doca_devinfo *devinfo, uint8_t *virtio_blk_supported);
DOCA_EXPORTED doca_error_t doca_devinfo_rep_get_is_list_nvme_supported(
    const struct doca_devinfo *devinfo, uint8_t *nvme_supported);
DOCA_EXPORTED doca_error_t doca_1_5_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                                            struct doca_devinfo_rep ***dev_list_rep,
                                                            uint32_t *nb_devs_rep);

// buffers.c
DOCA_EXPORTED doca_error_t doca_1_5_buf_inventory_create(const union doca_data *user_data,
                                                         size_t num_elements, uint32_t extensions,
                                                         struct doca_buf_inventory **buf_inventory);
DOCA_EXPORTED doca_error_t doca_1_5_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf);
DOCA_EXPORTED doca_error_t doca_buf_inventory_get_list_supported(
    struct doca_buf_inventory *inventory, uint8_t *list_supported);
DOCA_EXPORTED doca_error_t doca_1_5_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
DOCA_EXPORTED doca_error_t doca_1_5_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);
DOCA_EXPORTED doca_error_t doca_1_5_buf_list_unchain(struct doca_buf *list1,
                                                     struct doca_buf *list2);
DOCA_EXPORTED doca_error_t doca_buf_get_lkey(const struct doca_buf *buf, struct doca_dev *dev,
                                             uint32_t doca_access_flags, uint32_t *lkey);

// mmap.c
DOCA_EXPORTED doca_error_t doca_1_5_mmap_create(const union doca_data *user_data,
                                                struct doca_mmap **mmap);
DOCA_EXPORTED doca_error_t doca_1_5_mmap_stop(struct doca_mmap *mmap);
DOCA_EXPORTED doca_error_t doca_1_5_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                                                void **export_desc, size_t *export_desc_len);
DOCA_EXPORTED doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap,
                                                        uint32_t max_num_chunks);
DOCA_EXPORTED doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap,
                                                        uint32_t *max_num_chunks);

// work.c
DOCA_EXPORTED doca_error_t doca_1_5_workq_create(uint32_t depth, struct doca_workq **workq);
DOCA_EXPORTED doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth);

// dma.c
DOCA_EXPORTED doca_error_t doca_1_5_dma_create(struct doca_dma **dma);

// compress.c
DOCA_EXPORTED doca_error_t doca_compress_get_max_buffer_size(const struct doca_devinfo *devinfo,
                                                             enum doca_compress_job_types job_type,
                                                             uint32_t *max_buffer_size);

// log.c
DOCA_EXPORTED doca_error_t doca_log_stream_redirect(FILE *stream);
DOCA_EXPORTED doca_error_t doca_1_5_log_source_register(const char *source_name, int *source);

#endif
