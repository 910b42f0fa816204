// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/device_card.h"

#include "copy_text.h"
#include "core/device_object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct card software; // of objects without a device
static pthread_once_t software_once = PTHREAD_ONCE_INIT;

static void make_software(void)
{
    card_init(&software);
}

const struct card *devinfo_card(const struct doca_devinfo *devinfo)
{
    return &devinfo->card;
}

const struct card *dev_card(const struct doca_dev *dev)
{
    if (dev)
        return &dev_devinfo(dev)->card;
    pthread_once(&software_once, make_software);
    return &software;
}

// ---- the list of devices ---------------------------------------------------------------------

doca_error_t card_of_environment(struct card *card, bool *given, struct errtext *err)
{
    const char *name = secure_getenv("DOCAD_CARD");
    char why[CARD_WHY_SIZE];

    *given = name && *name;
    if (!*given || card_find(name, card, why))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_FOUND, "DOCAD_CARD=%.64s: %s", name, why);
}

static doca_error_t read_card(const Docad__Card *message, struct card *card, struct errtext *err)
{
    if (message->n_keys != message->n_values)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad describes a card wrongly");
    for (size_t i = 0; i < message->n_keys; i++)
        if (message->keys[i] > CARD_NONE &&
            message->keys[i] < CARD_KEYS_END) // a later docad has more
            card->values[message->keys[i]] = message->values[i];
    return DOCA_SUCCESS;
}

doca_error_t card_of_list(const Docad__FunctionListReply *list, const char *name, struct card *card,
                          struct errtext *err)
{
    card_init(card);
    for (size_t i = 0; i < list->n_cards && *name; i++) {
        if (strcmp(list->cards[i]->name, name) != 0)
            continue;
        copy_text(card->name, name);
        return read_card(list->cards[i], card, err);
    }
    return DOCA_SUCCESS;
}

void card_restrict_to_function(struct card *card, Docad__Function *function, bool on_dpu)
{
    if (card_has(card, CARD_RDMA_SF_ON_DPU) && on_dpu && function->type != DOCAD__FUNCTION_TYPE__SF)
        card->values[CARD_RDMA] = 0;
    if (!card_has(card, CARD_RDMA))
        card->values[CARD_RDMA_ATOMICS] = 0;
    if (!on_dpu)
        card->values[CARD_COMCH_CLIENT_ON_HOST] = 0;
    function->can_dma = function->can_dma && card_has(card, CARD_DMA);
    function->can_export_dpu = function->can_export_dpu && card_has(card, CARD_EXPORT_PCI);
    function->can_import_dpu = function->can_import_dpu && card_has(card, CARD_IMPORT_PCI);
}
