// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// PCI addresses: "0000:0b:00.3", or without the domain "0b:00.3".

#ifndef COMMON_PCI_ADDRESS_H
#define COMMON_PCI_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

struct pci_address {
    uint32_t domain;
    uint8_t bus, device, function;
};

#define PCI_ADDRESS_TEXT_SIZE 13

static inline bool pci_address_is(const struct pci_address *a, const struct pci_address *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device &&
           a->function == b->function;
}

// Reads the long or the short form, with nothing before or after it.
bool pci_address_parse(const char *text, struct pci_address *out);

// Writes the long form with its terminating zero.
void pci_address_format(const struct pci_address *address, char text[PCI_ADDRESS_TEXT_SIZE]);

#endif
