// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "pci_address.h"
#include "unit.h"

START_TEST(long_and_short_forms)
{
    struct pci_address a, b;
    ck_assert(pci_address_parse("0000:0b:00.3", &a));
    ck_assert(pci_address_parse("0B:00.3", &b));
    const struct pci_address *both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++) { // field by field: the padding may differ
        ck_assert_uint_eq(both[i]->domain, 0);
        ck_assert_uint_eq(both[i]->bus, 0x0b);
        ck_assert_uint_eq(both[i]->device, 0);
        ck_assert_uint_eq(both[i]->function, 3);
    }
}
END_TEST

START_TEST(format_is_the_long_form)
{
    struct pci_address a;
    char text[PCI_ADDRESS_TEXT_SIZE];
    ck_assert(pci_address_parse("AB12:fe:1f.7", &a));
    pci_address_format(&a, text);
    ck_assert_str_eq(text, "ab12:fe:1f.7");
}
END_TEST

START_TEST(everything_else_is_refused)
{
    static const char *const bad[] = {"",           "0b",           "0b:00",        "0b:00.",
                                      "0b:00.8",    "0b:20.0",      "0b:00.00",     " 0b:00.0",
                                      "0b:00.0 ",   "0b-00.0",      "0g:00.0",      "000:0b:00.0",
                                      "0000:0b:00", "0000-0b:00.0", "00000:0b:00.0"};
    struct pci_address untouched = {1, 2, 3, 4}, a = untouched;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_msg(!pci_address_parse(bad[i], &a), "accepted \"%s\"", bad[i]);
        ck_assert_mem_eq(&a, &untouched, sizeof(a));
    }
}
END_TEST

UNIT_MAIN("pci_address", long_and_short_forms, format_is_the_long_form, everything_else_is_refused)
