// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The card that a device imitates (card.h), and the smaller limits that follow from it. A device of
// `software` has the library's own limits.

#ifndef CLIENT_CORE_DEVICE_CARD_H
#define CLIENT_CORE_DEVICE_CARD_H

#include "card.h"
#include "core/device.h"

// Valid as long as the device or info. dev_card() takes NULL: a context without a device.
const struct card *dev_card(const struct doca_dev *dev);
const struct card *devinfo_card(const struct doca_devinfo *devinfo);

static inline bool dev_has(const struct doca_dev *dev, enum card_key key)
{
    return card_has(dev_card(dev), key);
}

static inline bool devinfo_has(const struct doca_devinfo *devinfo, enum card_key key)
{
    return card_has(devinfo_card(devinfo), key);
}

static inline uint64_t dev_most(const struct doca_dev *dev, enum card_key key, uint64_t ours)
{
    return card_most(dev_card(dev), key, ours);
}

static inline uint64_t devinfo_most(const struct doca_devinfo *devinfo, enum card_key key,
                                    uint64_t ours)
{
    return card_most(devinfo_card(devinfo), key, ours);
}

// The error of a task that is longer than a limit.
static inline doca_error_t dev_over_limit(const struct doca_dev *dev)
{
    return dev_has(dev, CARD_OVER_LIMIT) ? DOCA_ERROR_IO_FAILED : DOCA_ERROR_INVALID_VALUE;
}

// Decides whether a card leaves clients of Comch and the Comm Channel to the other side: the key
// stays set on DPUs alone (card_settle()).
static inline bool devinfo_denies_clients(const struct doca_devinfo *devinfo)
{
    return devinfo_has(devinfo, CARD_COMCH_CLIENT_ON_HOST);
}

#define NO_CLIENTS                                                                                 \
    "device %s imitates %s, whose Comch clients are on the host: on a DPU there are servers alone"

// Returns the error of a task that failed with `error`. A card's engine does not distinguish memory
// of a process that has ended from other memory that it cannot access.
static inline doca_error_t dev_task_error(const struct doca_dev *dev, doca_error_t error)
{
    bool ended = error == DOCA_ERROR_CONNECTION_RESET;
    return ended && dev_has(dev, CARD_FAILURE_FLUSHES) ? DOCA_ERROR_IO_FAILED : error;
}

// Returns DOCA_ERROR_NOT_SUPPORTED, with the card's name, if it lacks something. CARD_NONE: no card
// lacks it.
static inline doca_error_t dev_check_card(const struct doca_dev *dev, enum card_key key,
                                          struct errtext *err)
{
    if (key == CARD_NONE || dev_has(dev, key))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "device %s imitates %s, which lacks %s",
                       dev_name(dev), dev_card(dev)->name, card_key_infos[key].text);
}

// ---- for the list of devices -----------------------------------------------------------------

// The profile that DOCAD_CARD names. Returns false: it names none. DOCA_ERROR_NOT_FOUND if there is
// no such profile.
doca_error_t card_of_environment(struct card *card, bool *given, struct errtext *err);

// The profile of a function, from docad's list. DOCA_ERROR_UNEXPECTED if its message is wrong.
doca_error_t card_of_list(const Docad__FunctionListReply *list, const char *name, struct card *card,
                          struct errtext *err);

// Removes what the card does not have on this side, and from functions of this type.
void card_restrict_to_function(struct card *card, Docad__Function *function, bool on_dpu);

#endif
