#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Memory of a Python program of the host, copied by a DMA task of a Python program of the DPU.

    DOCAD_SOCKET=host.sock docad-run --generation 3 python3 memory.py export DESCRIPTOR TEXT
    DOCAD_SOCKET=dpu.sock docad-run --generation 3 python3 memory.py fetch DESCRIPTOR

The functions are those of DOCA 3 in C, called by ctypes: docad-run says where their libraries are. Every
pointer goes as c_void_p; a union doca_data goes as one, too. `export` ends when its input does.
"""

import ctypes
import struct
import sys
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p

COMMON, DMA = ctypes.CDLL("libdoca_common.so.2"), ctypes.CDLL("libdoca_dma.so.2")
LOCAL_READ_WRITE, PCI_READ_ONLY = 1 << 0, 1 << 4  # enum doca_access_flag
ENDED = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
COMMON.doca_error_get_descr.restype = ctypes.c_char_p
for library, names in ((COMMON, ["doca_buf_get_head"]), (DMA, ["doca_dma_as_ctx", "doca_dma_task_memcpy_as_task"])):
    for name in names:  # what returns a pointer
        getattr(library, name).restype = c_void_p


def doca(name, *arguments):
    """Calls a function that returns a doca_error_t."""
    library = DMA if name.startswith("doca_dma_") else COMMON
    error = getattr(library, name)(*arguments)
    if error:
        sys.exit(f"{name}: {COMMON.doca_error_get_descr(error).decode()}")


def made(name, *arguments):
    """The object that a function makes, whose place is its last parameter."""
    place = c_void_p()
    doca(name, *arguments, byref(place))
    return place


def first_device():
    infos, count = ctypes.POINTER(c_void_p)(), c_uint32()
    doca("doca_devinfo_create_list", byref(infos), byref(count))
    device = made("doca_dev_open", c_void_p(infos[0]))
    doca("doca_devinfo_destroy_list", infos)
    return device


def own_map(device, memory, access):
    mmap = made("doca_mmap_create")
    doca("doca_mmap_set_memrange", mmap, memory, c_size_t(len(memory)))
    doca("doca_mmap_set_permissions", mmap, c_uint32(access))
    doca("doca_mmap_add_dev", mmap, device)
    doca("doca_mmap_start", mmap)
    return mmap


def export(path, text):
    memory = ctypes.create_string_buffer(text.encode())
    device = first_device()
    mmap = own_map(device, memory, LOCAL_READ_WRITE | PCI_READ_ONLY)
    data, size = c_void_p(), c_size_t()
    doca("doca_mmap_export_pci", mmap, device, byref(data), byref(size))
    with open(path, "wb") as file:  # a program of one's own sends the address in its own way
        file.write(struct.pack("QQ", ctypes.addressof(memory), len(memory)))
        file.write(ctypes.string_at(data, size.value))
    print("exported", flush=True)
    sys.stdin.read()
    doca("doca_mmap_destroy", mmap)
    doca("doca_dev_close", device)


def copy(device, source, destination):
    engine, dma = made("doca_pe_create"), made("doca_dma_create", device)
    context, ended = c_void_p(DMA.doca_dma_as_ctx(dma)), []
    callback = ENDED(lambda task, *_: ended.append(task))  # must live as long as the context
    doca("doca_dma_task_memcpy_set_conf", dma, callback, callback, c_uint32(1))
    doca("doca_pe_connect_ctx", engine, context)
    doca("doca_ctx_start", context)
    task = c_void_p(DMA.doca_dma_task_memcpy_as_task(
        made("doca_dma_task_memcpy_alloc_init", dma, source, destination, c_uint64(0))))
    doca("doca_task_submit", task)
    while not ended:
        COMMON.doca_pe_progress(engine)
    error = COMMON.doca_task_get_status(task)
    COMMON.doca_task_free(task)
    doca("doca_ctx_stop", context)
    doca("doca_dma_destroy", dma)
    doca("doca_pe_destroy", engine)
    if error:
        sys.exit(f"the copy: {COMMON.doca_error_get_descr(error).decode()}")


def buffer_of(inventory, mmap, memory, length, filled):
    return made("doca_buf_inventory_buf_get_by_args", inventory, mmap, memory, c_size_t(length), memory,
                c_size_t(filled))


def fetch(path):
    with open(path, "rb") as file:
        address, length = struct.unpack("QQ", file.read(16))
        descriptor = file.read()
    device, memory = first_device(), ctypes.create_string_buffer(length)
    own = own_map(device, memory, LOCAL_READ_WRITE)
    theirs = made("doca_mmap_create_from_export", None, descriptor, c_size_t(len(descriptor)), device)
    inventory = made("doca_buf_inventory_create", c_size_t(2))
    doca("doca_buf_inventory_start", inventory)
    source = buffer_of(inventory, theirs, c_void_p(address), length, length)
    destination = buffer_of(inventory, own, memory, length, 0)
    copy(device, source, destination)
    print(memory.value.decode())
    for buffer in (source, destination):
        doca("doca_buf_dec_refcount", buffer, None)
    doca("doca_buf_inventory_destroy", inventory)
    doca("doca_mmap_destroy", theirs)
    doca("doca_mmap_destroy", own)
    doca("doca_dev_close", device)


if __name__ == "__main__":
    if sys.argv[1:2] == ["export"] and len(sys.argv) == 4:
        export(*sys.argv[2:])
    elif sys.argv[1:2] == ["fetch"] and len(sys.argv) == 3:
        fetch(*sys.argv[2:])
    else:
        sys.exit(__doc__)
