// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The checks of a job before anything is read.

#include "compress_job.h"
#include "core/report.h"
#include "plural.h"

doca_error_t compress_check_able(const char *function, const struct card *card,
                                 enum codec_kind kind)
{
    struct errtext err;

    if (compress_able(card, kind))
        return DOCA_SUCCESS;
    doca_error_t r =
        codec_supported(kind)
            ? errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "the device imitates %s, which lacks %s",
                          card->name, card_key_infos[compress_card(kind)].text)
            : errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                          "this library was built without what %s needs (ISA-L, liblz4)",
                          card_key_infos[compress_card(kind)].text);
    return report(function, r, &err);
}

// The part of the buffer that a job may write: from its data on, whatever its length.
static uint64_t room_of(const struct doca_buf *buf)
{
    return buf->len - (size_t)(buf->data - buf->head);
}

static doca_error_t check_list(struct compress_op *op, const struct doca_buf *list, bool write,
                               uint64_t *bytes, struct errtext *err)
{
    const struct card *card = dev_card(op->item->link->device);
    const char *side = write ? "destination" : "source";
    unsigned n = 0, most = compress_most_buffers(card, (enum codec_kind)op->kind);

    *bytes = 0;
    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > most)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the %s has more than %u buffer%s, the most that a job takes", side,
                               most, PLURAL(most));
        if (!buf_sound(buf))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "buffer %u of the %s has data outside of it", n, side);
        doca_error_t r = bytes_check(op->item->link, buf, write, side, err);
        if (r != DOCA_SUCCESS)
            return r;
        *bytes += write ? room_of(buf) : buf->data_len;
        op->imported = op->imported || buf->memory->imported;
        op->brokered = op->brokered || !(buf->flags & BUF_DIRECT);
    }
    return DOCA_SUCCESS;
}

// A card's result has the same limit as its source, so there is no more room than that.
static doca_error_t check_size(struct compress_op *op, struct errtext *err)
{
    const struct doca_dev *dev = op->item->link->device;
    uint64_t most = compress_most_bytes(dev_card(dev), (enum codec_kind)op->kind);

    op->room_limited = most < COMPRESS_SIZE_MAX && op->room > most;
    if (op->room_limited)
        op->room = most;
    if (op->total <= most)
        return DOCA_SUCCESS;
    return errtext_set(err, dev_over_limit(dev),
                       "the source has %llu bytes of data, more than the %llu that a job takes",
                       (unsigned long long)op->total, (unsigned long long)most);
}

doca_error_t compress_check(struct compress_op *op, const struct doca_buf *from,
                            const struct doca_buf *to, struct errtext *err)
{
    op->imported = op->brokered = false;
    if (!buf_is_out(from) || !buf_is_out(to))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "its source or destination is NULL or was given back");
    doca_error_t r = check_list(op, from, false, &op->total, err);
    if (r == DOCA_SUCCESS)
        r = check_list(op, to, true, &op->room, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (op->total == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has no data; doca_buf_set_data() says where it is");
    return check_size(op, err);
}
