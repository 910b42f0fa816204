// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "pci_address.h"

#include <stdio.h>
#include <string.h>

// Reads exactly `digits` hexadecimal digits; advances *text.
static bool parse_hex(const char **text, int digits, uint32_t *out)
{
    uint32_t value = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        char c = **text;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            value = value * 16 + (uint32_t)(c - 'A') + 10;
        else
            return false;
    }
    *out = value;
    return true;
}

static bool parse_char(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

bool pci_address_parse(const char *text, struct pci_address *out)
{
    uint32_t domain = 0, bus, device, function;

    if (strlen(text) == PCI_ADDRESS_TEXT_SIZE - 1 &&
        !(parse_hex(&text, 4, &domain) && parse_char(&text, ':')))
        return false;
    if (!parse_hex(&text, 2, &bus) || !parse_char(&text, ':') || !parse_hex(&text, 2, &device) ||
        !parse_char(&text, '.') || !parse_hex(&text, 1, &function) || *text != '\0')
        return false;
    if (device > 0x1f || function > 7)
        return false;
    *out = (struct pci_address){domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function};
    return true;
}

void pci_address_format(const struct pci_address *a, char text[PCI_ADDRESS_TEXT_SIZE])
{
    snprintf(text, PCI_ADDRESS_TEXT_SIZE, "%04x:%02x:%02x.%x", a->domain & 0xffff, a->bus,
             a->device & 0x1f, a->function & 7);
}
