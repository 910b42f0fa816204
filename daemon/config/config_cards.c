// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_cards.h"

#include "config_types.h"
#include "copy_text.h"

#include <string.h>

// ---- the option ---------------------------------------------------------------------------

static bool read_card(const struct config_option *o, void *base, const char *text, char *why)
{
    char wrong[CARD_WHY_SIZE];
    struct card card;

    if (strlen(text) >= o->size)
        return config_no(why,
                         "longer than %zu characters (copy the profile to one of the "
                         "directories of docad-cards(7), and write its name)",
                         o->size - 1);
    if (!card_find(text, &card, wrong))
        return config_no(why, "%s", wrong);
    copy_text_into((char *)base + o->at, o->size, text);
    return true;
}

static bool print_card(const struct config_option *o, const void *base, FILE *out)
{
    const char *text = (const char *)base + o->at;
    config_print_text(text, out);
    return text[0] != '\0';
}

const struct config_type config_card = {.read = read_card, .print = print_card};

// ---- the profiles -------------------------------------------------------------------------

static bool has_card(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_cards; i++)
        if (strcmp(config->cards[i].name, card_short_name(name)) == 0)
            return true;
    return false;
}

// Two long names that end alike are one for the programs that get the list.
static bool is_ambiguous(const struct config *config, const char *name)
{
    const char *all[FUNCTIONS_MAX + 1] = {config->card};
    size_t n = 1;

    for (size_t i = 0; i < config->n_functions && n < FUNCTIONS_MAX + 1; i++)
        all[n++] = config->functions[i].card;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i], name) != 0 &&
            strcmp(card_short_name(all[i]), card_short_name(name)) == 0)
            return true;
    return false;
}

// `function` is NULL for the card of the node.
static bool take(struct config *config, const char *name, const char *function, FILE *errors)
{
    char why[CARD_WHY_SIZE];

    if (!name[0] || strcmp(name, CARD_SOFTWARE) == 0)
        return true;
    if (is_ambiguous(config, name)) {
        fprintf(errors,
                "docad: card \"%s\": another card's name has the same last %d characters (copy the "
                "profile to one of the directories of docad-cards(7), and write its name)\n",
                name, CARD_NAME_SIZE - 1);
        return false;
    }
    if (has_card(config, name))
        return true;
    if (config->n_cards == CONFIG_CARDS_MAX) {
        fprintf(
            errors,
            "docad: function \"%s\": card \"%s\" is one more than the %d different cards that a "
            "node imitates (choose one of the others, or software)\n",
            function, name, CONFIG_CARDS_MAX);
        return false;
    }
    if (card_find(name, &config->cards[config->n_cards], why)) {
        config->n_cards++;
        return true;
    }
    fprintf(errors, "docad: %s%s%scard \"%s\": %s\n", function ? "function \"" : "",
            function ? function : "", function ? "\": " : "", name, why);
    return false;
}

bool config_take_cards(struct config *config, FILE *errors)
{
    config->n_cards = 0;
    bool good = take(config, config->card, NULL, errors);
    for (size_t i = 0; i < config->n_functions; i++)
        good =
            take(config, config->functions[i].card, config->functions[i].function.name, errors) &&
            good;
    return good;
}

// ---- messages -----------------------------------------------------------------------------

static void to_message(const struct card *card, size_t i, struct card_messages *out)
{
    Docad__Card *m = out->list[i] = &out->items[i];

    docad__card__init(m);
    m->name = (char *)card->name;
    m->keys = out->keys[i];
    m->values = out->values[i];
    for (int key = CARD_NONE + 1; key < CARD_KEYS_END; key++) {
        if (card->values[key] == card_software_value((enum card_key)key))
            continue;
        m->keys[m->n_keys++] = (uint32_t)key;
        m->values[m->n_values++] = card->values[key];
    }
}

size_t cards_to_messages(const struct config *config, struct card_messages *out)
{
    for (size_t i = 0; i < config->n_cards; i++)
        to_message(&config->cards[i], i, out);
    return config->n_cards;
}

void cards_name(const struct config *config, Docad__Function *const *functions, size_t n)
{
    if (strcmp(config->card, CARD_SOFTWARE) == 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (!functions[i]->card[0])
            functions[i]->card = (char *)card_short_name(config->card);
}
