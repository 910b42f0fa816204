// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_mmap.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_mmap_create)
PENDING(doca_mmap_add_dev)
PENDING(doca_mmap_rm_dev)
PENDING(doca_mmap_export_pci)
PENDING(doca_3_mmap_set_dmabuf_memrange)
PENDING(doca_mmap_set_user_data)
PENDING(doca_mmap_cap_is_export_pci_supported)
PENDING(doca_mmap_cap_is_create_from_export_pci_supported)
PENDING(doca_mmap_enable_thread_safety)
PENDING(doca_mmap_get_mkey)
PENDING(doca_mmap_set_export_access_token)
PENDING(doca_mmap_cap_get_max_export_access_token_size)
