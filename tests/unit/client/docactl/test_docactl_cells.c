// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "fields.h"
#include "unit.h"

#include <locale.h>

// Cells are made in two ways: of JSON, and faster of the message itself. People must not see which.
static void assert_same(const ProtobufCMessage *message, const struct column *columns)
{
    struct json_object *object = message_to_json(message, columns);

    for (const struct column *c = columns; c->key; c++) {
        cleanup_free char *of_json = output_cell(object, c), *quick = message_cell(message, c);
        ck_assert_ptr_nonnull(of_json);
        ck_assert_str_eq(quick, of_json);
    }
    json_object_put(object);
}

static char texts[][320] = {
    "",
    "plain",
    "-",
    "two words",
    "back\\slash",
    "\033[31mred",
    "two\nlines",
    "gr\303\266\303\237e",
    "\303",
    "\x7f",
    "a-name-that-is-longer-than-any-buffer-on-the-way-a-name-that-is-longer-than-any-buffer-on-the-"
    "way-a-name-that-is-longer-than-any-buffer-on-the-way-a-name-that-is-longer-than-any-buffer-on-"
    "the-way-a-name-that-is-longer-than-any-buffer-on-the-way-a-name-that-is-longer-than-any",
};

static void compare_texts(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char *list[] = {texts[i], texts[1], texts[i]};
        for (size_t n = 0; n <= 3; n++) {
            Docad__ExportInfo info = DOCAD__EXPORT_INFO__INIT;
            info.program = info.function = info.pci_address = texts[i];
            info.n_published = n;
            info.published = list;
            assert_same(&info.base, export_fields);
        }
    }
}

START_TEST(texts_are_escaped_alike)
{
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    compare_texts();
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C"));
    compare_texts();
}
END_TEST

START_TEST(numbers_have_the_same_units)
{
    static const uint64_t numbers[] = {0, 1, 1023, 1024, 1536, 1u << 20, UINT32_MAX, UINT64_MAX};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        Docad__ExportInfo info = DOCAD__EXPORT_INFO__INIT;
        info.id = info.region_id = info.address = info.length = numbers[i];
        info.pid = info.uid = info.access = (uint32_t)numbers[i];
        assert_same(&info.base, export_fields);
        Docad__SessionInfo session = DOCAD__SESSION_INFO__INIT;
        session.id = session.connected_ms = session.region_bytes = numbers[i];
        assert_same(&session.base, session_fields);
        Docad__QueuePairInfo queue = DOCAD__QUEUE_PAIR_INFO__INIT;
        queue.id = numbers[i];
        assert_same(&queue.base, queue_fields);
    }
}
END_TEST

START_TEST(names_and_objects_are_the_same)
{
    Docad__ImporterInfo importer = DOCAD__IMPORTER_INFO__INIT,
                        *importers[] = {&importer, &importer};

    importer.node = texts[1];
    for (int target = 0; target < 9; target++) { // some have no name
        Docad__ExportInfo info = DOCAD__EXPORT_INFO__INIT;
        info.target = (Docad__ExportTarget)target;
        info.access = 1u << target;
        info.importers = importers;
        info.n_importers = (size_t)target % 3;
        info.handed_on_by = target % 2 ? &importer : NULL;
        assert_same(&info.base, export_fields);
        assert_same(&info.base, export_show_fields);
    }
}
END_TEST

UNIT_MAIN("docactl_cells", texts_are_escaped_alike, numbers_have_the_same_units,
          names_and_objects_are_the_same)
