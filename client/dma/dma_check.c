// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The checks of a device, and of a DMA job before anything is copied.

#include "dma_job.h"

#include "core/device_card.h"
#include "plural.h"
#include "work/bytes.h"

doca_error_t dma_check_devinfo(const struct doca_devinfo *devinfo, struct errtext *err)
{
    const Docad__Function *function = devinfo_function(devinfo);

    if (function->can_dma)
        return DOCA_SUCCESS;
    if (!devinfo_has(devinfo, CARD_DMA))
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "device %s imitates %s, which has no DMA",
                           function->name, devinfo_card(devinfo)->name);
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "device %s has no DMA: docad's configuration says can_dma = no",
                       function->name);
}

doca_error_t dma_check_device(const struct doca_dev *dev, struct errtext *err)
{
    return dma_check_devinfo(dev_devinfo(dev), err);
}

// Checks each buffer of a list; *bytes is the data of a source, or the tailroom of a
// destination.
static doca_error_t check_list(struct work_item *item, const struct doca_buf *list, bool write,
                               uint64_t *bytes, struct errtext *err)
{
    const struct dma_job *job = dma_job_of(item);
    const char *side = write ? "destination" : "source";
    uint64_t sum = 0;
    unsigned n = 0, most = (unsigned)dev_most(item->link->device, CARD_DMA_LIST, DMA_LIST_MAX);

    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > most)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the %s has more than %u buffer%s, the most that a job takes", side,
                               most, PLURAL(most));
        if (job->way != DMA_EXACT && !buf_sound(buf))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "buffer %u of the %s: %zu bytes of data at %p are outside its %zu "
                               "bytes at %p",
                               n, side, buf->data_len, (void *)buf->data, buf->len,
                               (void *)buf->head);
        doca_error_t r = bytes_check(item->link, buf, write, side, err);
        if (r != DOCA_SUCCESS)
            return r;
        sum += dma_span(job, buf, write).length;
        if (job->way == DMA_EXACT)
            break; // even if it is chained to others
    }
    *bytes = sum;
    return DOCA_SUCCESS;
}

// Checks that both buffers have the requested bytes at the requested offset.
static doca_error_t check_exact(const struct dma_job *job, struct errtext *err)
{
    const struct doca_buf *src = job->src, *dst = job->dst;

    if (job->total && buf_holds(src, job->from.start, job->total) &&
        buf_holds(dst, job->to.start, job->total))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "%llu bytes from offset %td of a source of %zu bytes do not fit to offset "
                       "%td of a destination of %zu bytes",
                       (unsigned long long)job->total, job->from.start - src->head, src->len,
                       job->to.start - dst->head, dst->len);
}

// Copies of DMA_STEP bytes or less are not checked: no card has a smaller limit.
static doca_error_t check_size(const struct work_item *item, struct errtext *err)
{
    const struct doca_dev *dev = item->link->device;
    const uint64_t total = ((const struct dma_job *)item->job)->total;
    const uint64_t most = dev_most(dev, CARD_DMA_BUF_SIZE, DMA_SIZE_MAX);

    if (total <= most)
        return DOCA_SUCCESS;
    return errtext_set(err, dev_over_limit(dev),
                       "the source has %llu bytes of data, more than the %llu that %s copies at "
                       "once",
                       (unsigned long long)total, (unsigned long long)most, dev_card(dev)->name);
}

static doca_error_t check_room(const struct dma_job *job, uint64_t room, struct errtext *err)
{
    unsigned long long total = job->total, has = room;

    if (total <= has)
        return DOCA_SUCCESS;
    if (job->way == DMA_OVERWRITE)
        return errtext_set(
            err, DOCA_ERROR_INVALID_VALUE,
            "%llu bytes do not fit into the destination, which has %llu bytes from its "
            "data onwards",
            total, has);
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "%llu bytes do not fit into the destination's tailroom of %llu; "
                       "doca_buf_reset_data_len() empties a buffer before it is used again",
                       total, has);
}

doca_error_t dma_not_given(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "its source or destination is NULL or was given back");
}

doca_error_t dma_check(struct work_item *item, struct errtext *err)
{
    struct dma_job *job = dma_job_of(item);
    uint64_t room;

    doca_error_t r = job->way == DMA_EXACT ? check_exact(job, err) : DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        r = check_list(item, job->src, false, &job->total, err);
    if (r == DOCA_SUCCESS)
        r = check_list(item, job->dst, true, &room, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (job->total == 0 && job->way == DMA_APPEND)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has no data; doca_buf_set_data() says what to copy");
    r = check_size(item, err);
    if (r != DOCA_SUCCESS)
        return r;
    return check_room(job, room, err);
}
