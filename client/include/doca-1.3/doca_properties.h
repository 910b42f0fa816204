/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_properties.h
 * Common parts of the headers of the 1.3 interface: the properties of its objects, which
 * are read and written as bytes. Programs need not include it.
 *
 * The guide describes the properties but names only a few; the names and all values are
 * our choice where programs of the time do not show them. A size other than the one given
 * here is DOCA_ERROR_INVALID_VALUE; for texts, more room is allowed. Texts end with a
 * zero, and all the room behind them is zero too, so that programs may compare it as a
 * whole.
 *
 * Since 1.3.
 */
#ifndef DOCA_PROPERTIES_H_
#define DOCA_PROPERTIES_H_

#include <stdint.h>

/**
 * Some functions of this interface share their name with a later function that takes
 * other arguments, or does something else: they are linked by another name.
 */
#define DOCA_1_3_SYMBOL(name) __asm__("doca_1_3_" #name)

/** A PCI address, without its domain. */
__extension__ struct doca_pci_bdf {
    union {
        uint16_t raw; /**< as one number, to compare */
        struct {
            uint16_t bus : 8;
            uint16_t device : 5;
            uint16_t function : 3;
        };
    };
};

/** Properties of a device; all are read only. */
enum doca_devinfo_property {
    DOCA_DEVINFO_PROPERTY_VUID,       /**< text, 128 bytes */
    DOCA_DEVINFO_PROPERTY_PCI_ADDR,   /**< struct doca_pci_bdf, 2 bytes */
    DOCA_DEVINFO_PROPERTY_IPV4_ADDR,  /**< 4 bytes */
    DOCA_DEVINFO_PROPERTY_IPV6_ADDR,  /**< 16 bytes */
    DOCA_DEVINFO_PROPERTY_IFACE_NAME, /**< text, 256 bytes */
    DOCA_DEVINFO_PROPERTY_IBDEV_NAME  /**< text, 64 bytes */
};

/** Properties of a remote device; all are read only. */
enum doca_devinfo_remote_property {
    DOCA_DEVINFO_REMOTE_PROPERTY_VUID,    /**< text, 128 bytes */
    DOCA_DEVINFO_REMOTE_PROPERTY_PCI_ADDR /**< struct doca_pci_bdf, 2 bytes; our addition */
};

/** Room for the names of memory maps and inventories. A longer name is cut. */
#define DOCA_PROPERTY_NAME_SIZE 128

/** Properties of an inventory; all are read only. */
enum doca_buf_inventory_property {
    DOCA_BUF_INVENTORY_NAME,              /**< text, DOCA_PROPERTY_NAME_SIZE bytes */
    DOCA_BUF_INVENTORY_NUM_ELEMENTS,      /**< uint32_t */
    DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS, /**< uint32_t */
    DOCA_BUF_INVENTORY_EXTENSIONS         /**< uint32_t */
};

/** Properties of a memory map. */
enum doca_mmap_property {
    DOCA_MMAP_NAME,            /**< text, DOCA_PROPERTY_NAME_SIZE bytes; read only */
    DOCA_MMAP_MAX_NUM_CHUNKS,  /**< uint32_t, at first 1; imported: how many there are */
    DOCA_MMAP_MAX_NUM_DEVICES, /**< uint32_t, at first 1 */
    DOCA_MMAP_NUM_BUFS,        /**< uint32_t: live buffers; read only */
    DOCA_MMAP_EXPORTED,        /**< uint8_t: 1 or 0; read only */
    DOCA_MMAP_FROM_EXPORT,     /**< uint8_t: 1 or 0; read only */
    DOCA_MMAP_ACCESS_FLAGS     /**< uint32_t, of enum doca_mmap_access_flags */
};

/** Properties of a work queue. */
enum doca_workq_property {
    DOCA_WORKQ_DEPTH /**< uint32_t: how many jobs may be in flight */
};

#endif /* DOCA_PROPERTIES_H_ */
