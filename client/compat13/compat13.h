// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of the 1.3 interface that later ones do not have, as declared for the library: its
// sources use the types of the 2.2 interface. The headers in include/doca-1.3 describe the
// functions. A function whose name a later interface uses for something else has a name here that
// begins with doca_1_3.

#ifndef CLIENT_COMPAT13_COMPAT13_H
#define CLIENT_COMPAT13_COMPAT13_H

#include <doca_argp.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include <doca-1.3/doca_properties.h>

struct doca_dev_remote;
struct doca_devinfo_remote;

struct pci_address;
// What the interfaces before 2.2 return about a PCI address.
struct doca_pci_bdf pci_bdf_of(const struct pci_address *pci);
struct doca_pci_bdf pci_bdf_of_rep(const struct doca_devinfo_rep *info);

// device.c
DOCA_EXPORTED doca_error_t doca_devinfo_property_get(const struct doca_devinfo *devinfo,
                                                     enum doca_devinfo_property property,
                                                     uint8_t *value, uint32_t size);
DOCA_EXPORTED doca_error_t doca_1_3_dev_as_devinfo(struct doca_dev *dev,
                                                   struct doca_devinfo **devinfo);
DOCA_EXPORTED doca_error_t doca_dma_devinfo_caps_get(struct doca_devinfo *devinfo, uint32_t *caps);

// argp_structs.c: for executables, which may be of 1.4, and for sources
DOCA_EXPORTED doca_error_t doca_1_3_argp_init(const char *program_name, void *second, void *third);
DOCA_EXPORTED doca_error_t doca_1_3_argp_register_flag(struct doca_argp_param *param);
DOCA_EXPORTED doca_error_t doca_1_3_argp_start(int argc, char **argv, void **general_config);
DOCA_EXPORTED void doca_1_3_argp_init_structs(const char *program_name, const void *program_type,
                                              void *third);
DOCA_EXPORTED doca_error_t doca_1_3_argp_register_param(struct doca_argp_param *param);
DOCA_EXPORTED void doca_1_3_argp_start_structs(int argc, char **argv, void **general_config);

// remote.c
DOCA_EXPORTED doca_error_t doca_devinfo_remote_list_create(
    struct doca_dev *dev, int filter, struct doca_devinfo_remote ***devinfo_remote_list,
    uint32_t *nb_devs);
DOCA_EXPORTED doca_error_t
doca_devinfo_remote_list_destroy(struct doca_devinfo_remote **devinfo_remote_list);
DOCA_EXPORTED doca_error_t doca_devinfo_remote_property_get(
    const struct doca_devinfo_remote *devinfo_remote, enum doca_devinfo_remote_property property,
    uint8_t *value, uint32_t size);
DOCA_EXPORTED doca_error_t doca_dev_remote_open(struct doca_devinfo_remote *devinfo_remote,
                                                struct doca_dev_remote **dev_remote);
DOCA_EXPORTED doca_error_t doca_dev_remote_close(struct doca_dev_remote *dev_remote);
DOCA_EXPORTED doca_error_t doca_dev_remote_as_devinfo(struct doca_dev_remote *dev_remote,
                                                      struct doca_devinfo_remote **devinfo_remote);

// buffers.c
DOCA_EXPORTED doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head);
DOCA_EXPORTED doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len);
DOCA_EXPORTED doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount);
DOCA_EXPORTED doca_error_t doca_1_3_buf_inventory_create(const char *name, size_t num_elements,
                                                         uint32_t extensions,
                                                         struct doca_buf_inventory **buf_inventory);
DOCA_EXPORTED doca_error_t doca_buf_inventory_property_set(
    struct doca_buf_inventory *inventory, enum doca_buf_inventory_property property,
    const uint8_t *value, uint32_t size);
DOCA_EXPORTED doca_error_t doca_buf_inventory_property_get(
    struct doca_buf_inventory *inventory, enum doca_buf_inventory_property property, uint8_t *value,
    uint32_t size);
DOCA_EXPORTED doca_error_t doca_1_3_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, char *addr,
                                                              size_t len, struct doca_buf **buf);

// mmap.c
DOCA_EXPORTED doca_error_t doca_1_3_mmap_create(const char *name, struct doca_mmap **mmap);
DOCA_EXPORTED doca_error_t doca_1_3_mmap_start(struct doca_mmap *mmap);
DOCA_EXPORTED doca_error_t doca_1_3_mmap_stop(struct doca_mmap *mmap);
DOCA_EXPORTED doca_error_t doca_1_3_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
DOCA_EXPORTED doca_error_t doca_1_3_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
DOCA_EXPORTED doca_error_t doca_mmap_populate(struct doca_mmap *mmap, char *addr, size_t len,
                                              size_t pg_sz, doca_mmap_memrange_free_cb_t *free_cb,
                                              void *opaque);
DOCA_EXPORTED doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                                            uint8_t **export_desc, size_t *export_desc_len);
DOCA_EXPORTED doca_error_t doca_1_3_mmap_create_from_export(const char *name,
                                                            const uint8_t *export_desc,
                                                            size_t export_desc_len,
                                                            struct doca_dev *dev,
                                                            struct doca_mmap **mmap);

// properties.c
DOCA_EXPORTED doca_error_t doca_mmap_property_set(struct doca_mmap *mmap,
                                                  enum doca_mmap_property property,
                                                  const uint8_t *value, uint32_t size);
DOCA_EXPORTED doca_error_t doca_mmap_property_get(struct doca_mmap *mmap,
                                                  enum doca_mmap_property property, uint8_t *value,
                                                  uint32_t size);
DOCA_EXPORTED doca_error_t doca_workq_property_set(struct doca_workq *workq,
                                                   enum doca_workq_property property,
                                                   const uint8_t *value, uint32_t size);
DOCA_EXPORTED doca_error_t doca_workq_property_get(const struct doca_workq *workq,
                                                   enum doca_workq_property property,
                                                   uint8_t *value, uint32_t size);

// argp.c
DOCA_EXPORTED void doca_1_3_argp_param_set_callback(struct doca_argp_param *param,
                                                    callback_func callback);
DOCA_EXPORTED doca_error_t doca_1_3_argp_register_version_callback(callback_func callback);

// comm_channel.c
struct doca_comm_channel_init_attr;
DOCA_EXPORTED doca_error_t doca_1_3_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
                                                           struct doca_comm_channel_ep_t **ep);
DOCA_EXPORTED doca_error_t doca_1_3_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep,
                                                           const char *name);
DOCA_EXPORTED doca_error_t
doca_1_3_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                 struct doca_comm_channel_addr_t **peer_addr);
DOCA_EXPORTED doca_error_t
doca_1_3_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                size_t len, int flags, struct doca_comm_channel_addr_t *peer_addr);
DOCA_EXPORTED doca_error_t
doca_1_3_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len,
                                  int flags, struct doca_comm_channel_addr_t **peer_addr);

// publish.c
DOCA_EXPORTED doca_error_t docad_1_3_export_lookup(const char *name, uint32_t timeout_ms,
                                                   void *desc, size_t *len);

#endif
