// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Publishes export descriptors by name, as the texts that programs of the 1.3 interface read.

#include "compat13/compat13.h"
#include "core/report.h"
#include "export_text.h"

#include <doca_docad.h>
#include <string.h>

doca_error_t docad_1_3_export_lookup(const char *name, uint32_t timeout_ms, void *desc, size_t *len)
{
    static const char function[] = "docad_export_lookup";
    struct errtext err = {""};
    uint8_t found[DOCAD_EXPORT_DESC_SIZE];
    char text[EXPORT_TEXT_SIZE];
    size_t size = sizeof(found);

    if (!name || !desc || !len)
        return REFUSED_NULL_OF(function, name, desc, len);
    doca_error_t r = docad_export_lookup(name, timeout_ms, found, &size);
    if (r != DOCA_SUCCESS)
        return r;
    r = export_text_encode(found, size, text, &size, &err);
    if (r == DOCA_SUCCESS && size > *len)
        r = errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                        "the descriptor has %zu bytes, there is room for %zu; %d are always enough",
                        size, *len, EXPORT_TEXT_SIZE);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    memcpy(desc, text, size);
    *len = size;
    return DOCA_SUCCESS;
}
