// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Detects whether another process could still change the counter while its owner waits: see
// doca_sync_event.h.

#include "sync_event.h"

// The holders of one export: returns DOCA_SUCCESS if a process has imported it, or none has done so
// yet.
static doca_error_t holders(const struct se_export *export)
{
    const struct state_table *table = session_state_table(dev_session(export->dev));
    const struct exported *made = &export->made;

    if (!made->holders_id)
        return DOCA_SUCCESS; // a docad that does not report holders
    // Acquire: everything that they did to the counter before they ended is visible.
    uint64_t word = atomic_load_explicit(&table->words[made->holders_slot], memory_order_acquire);
    if (__builtin_expect(word == state_word(made->holders_id, SLOT_LIVE), 1))
        return DOCA_SUCCESS;
    // The slot belongs to another object only after the export has ended.
    if (word >> 8 != made->holders_id || (word & 0xff) == SLOT_FREE)
        return DOCA_ERROR_NOT_PERMITTED;
    return slot_state_error(state_table_read(table, made->holders_slot, made->holders_id));
}

static doca_error_t export_lasts(const struct se_export *export, bool sure)
{
    doca_error_t e = holders(export);

    if (e == DOCA_SUCCESS && sure && !session_alive(dev_session(export->dev)))
        return DOCA_ERROR_NOT_CONNECTED;
    return e;
}

doca_error_t se_others(const struct doca_sync_event *event, bool sure)
{
    doca_error_t e = DOCA_SUCCESS;

    if (!se_published_by_others(event))
        return DOCA_SUCCESS;
    for (const struct se_export *x = se_exports(event); x; x = x->next) {
        e = export_lasts(x, sure);
        if (e == DOCA_SUCCESS)
            break;
    }
    return e;
}
