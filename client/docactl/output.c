// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "output.h"

#include "cleanup.h"
#include "controls.h"
#include "text.h"

#include <doca_types.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- members -----------------------------------------------------------------

static struct json_object *json_text(const char *text)
{
    cleanup_free char *clean = text_for_json(text ? text : "");
    return json_object_new_string(clean ? clean : "");
}

// The key is a constant of the program, and not copied.
static void put_value(struct json_object *object, const char *key, struct json_object *value)
{
    json_object_object_add_ex(object, key, value, JSON_C_OBJECT_KEY_IS_CONSTANT);
}

void put_text(struct json_object *object, const char *key, const char *text)
{
    put_value(object, key, json_text(text));
}

void put_label(struct json_object *labels, const char *name, const char *text)
{
    json_object_object_add(labels, name, json_text(text));
}

void put_number(struct json_object *object, const char *key, uint64_t number)
{
    put_value(object, key, json_object_new_uint64(number));
}

void put_bool(struct json_object *object, const char *key, bool value)
{
    put_value(object, key, json_object_new_boolean(value));
}

void put_hex(struct json_object *object, const char *key, const void *bytes, size_t size)
{
    cleanup_free char *digits = malloc(2 * size + 1);
    if (!digits)
        return;
    for (size_t i = 0; i < size; i++)
        sprintf(digits + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    digits[2 * size] = '\0';
    put_text(object, key, digits);
}

void put_export_id(struct json_object *object, const char *key, uint64_t id)
{
    char text[TEXT_SHORT];
    text_export_id(text, id);
    put_text(object, key, text);
}

size_t access_names(const char *names[ACCESS_NAMES_MAX], uint32_t access)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {
        {DOCA_ACCESS_LOCAL_READ_WRITE, "local_read_write"},
        {DOCA_ACCESS_RDMA_READ, "rdma_read"},
        {DOCA_ACCESS_RDMA_WRITE, "rdma_write"},
        {DOCA_ACCESS_RDMA_ATOMIC, "rdma_atomic"},
        {DOCA_ACCESS_DPU_READ_ONLY, "dpu_read_only"},
        {DOCA_ACCESS_DPU_READ_WRITE, "dpu_read_write"},
    };
    _Static_assert(ARRAY_SIZE(flags) <= ACCESS_NAMES_MAX, "all of them fit");
    size_t n = 0;

    if (!(access & DOCA_ACCESS_LOCAL_READ_WRITE))
        names[n++] = "local_read_only";
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
        if (access & flags[i].flag)
            names[n++] = flags[i].name;
    return n;
}

void put_access(struct json_object *object, const char *key, uint32_t access)
{
    const char *names[ACCESS_NAMES_MAX];
    size_t n = access_names(names, access);

    put_texts(object, key, names, n);
}

void put_texts(struct json_object *object, const char *key, const char *const *texts, size_t n)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        json_object_array_add(array, json_text(texts[i]));
    put_value(object, key, array);
}

// ---- tables ------------------------------------------------------------

static void print_labels(FILE *f, struct json_object *labels)
{
    bool first = true;
    json_object_object_foreach(labels, key, value)
    {
        fprintf(f, "%s%s=%s", first ? "" : ",", key, json_object_get_string(value));
        first = false;
    }
}

static char *join_labels(struct json_object *labels)
{
    char *joined = NULL;
    size_t size;
    FILE *f = open_memstream(&joined, &size);
    if (!f)
        return NULL;
    print_labels(f, labels);
    fclose(f);
    return joined;
}

static char *join(struct json_object *array)
{
    char *joined = NULL;
    size_t size;
    FILE *f = open_memstream(&joined, &size);
    if (!f)
        return NULL;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        const char *text = json_object_get_string(json_object_array_get_idx(array, i));
        fprintf(f, "%s%s", i ? "," : "", text);
    }
    fclose(f);
    return joined;
}

bool output_number(char out[TEXT_SHORT], const struct column *column, uint64_t number)
{
    switch (column->format) {
    case COLUMN_NUMBER:
        snprintf(out, TEXT_SHORT, "%" PRIu64, number);
        return true;
    case COLUMN_ADDRESS:
        snprintf(out, TEXT_SHORT, "0x%" PRIx64, number);
        return true;
    case COLUMN_BYTES:
        text_bytes(out, number);
        return true;
    case COLUMN_DURATION:
        text_duration(out, number);
        return true;
    default:
        return false;
    }
}

char *output_cell(struct json_object *object, const struct column *column)
{
    char out[TEXT_SHORT] = "-";
    struct json_object *value = json_object_object_get(object, column->key);
    cleanup_free char *list = NULL;
    const char *text = out;

    if (!value && output_is_number(column) && column->format != COLUMN_LIMIT)
        return strdup("-");
    switch (column->format) {
    case COLUMN_TEXT:
    case COLUMN_ID:
    case COLUMN_HEX:
    case COLUMN_MAC:
    case COLUMN_IP:
    case COLUMN_ENUM:
        text = json_object_get_string(value);
        break;
    case COLUMN_FRACTION:
        snprintf(out, sizeof(out), "%.6g", json_object_get_double(value));
        break;
    case COLUMN_PERCENT:
        snprintf(out, sizeof(out), "%+.1f %%", json_object_get_double(value));
        break;
    case COLUMN_LABELS:
        text = list = join_labels(value);
        break;
    case COLUMN_LIMIT:
        snprintf(out, sizeof(out), "%" PRIu64, json_object_get_uint64(value));
        text = value ? out : "unlimited";
        break;
    case COLUMN_OBJECT:
        break;
    case COLUMN_ACCESS:
    case COLUMN_LIST:
        text = list = join(value);
        break;
    case COLUMN_COUNT:
    case COLUMN_OBJECTS:
        snprintf(out, sizeof(out), "%zu", json_object_array_length(value));
        break;
    case COLUMN_YES_NO:
        text = json_object_get_boolean(value) ? "yes" : "no";
        break;
    default:
        output_number(out, column, json_object_get_uint64(value));
        break;
    }
    return text_for_terminal(text && *text ? text : "-");
}

bool output_is_number(const struct column *column)
{
    enum column_format format = column->format;
    return format == COLUMN_NUMBER || format == COLUMN_BYTES || format == COLUMN_DURATION ||
           format == COLUMN_COUNT || format == COLUMN_OBJECTS || format == COLUMN_LIMIT ||
           format == COLUMN_FRACTION || format == COLUMN_PERCENT;
}

bool output_wants_bold(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static void print_line(const char *title, size_t width, const char *text)
{
    bool bold = output_wants_bold();
    printf("%s%-*s%s  %s\n", bold ? "\033[1m" : "", (int)width, title, bold ? "\033[0m" : "", text);
}

static void print_items(const struct column *column, size_t width, struct json_object *items)
{
    for (size_t i = 0; i < json_object_array_length(items); i++) {
        const char *item = json_object_get_string(json_object_array_get_idx(items, i));
        cleanup_free char *text = text_for_terminal(item);
        print_line(i ? "" : column->title, width, text ? text : "?");
    }
}

static void print_lines(struct json_object *object, const struct column *columns)
{
    size_t width = 0;
    for (const struct column *c = columns; c->key; c++)
        width = c->title && strlen(c->title) > width ? strlen(c->title) : width;
    for (const struct column *c = columns; c->key; c++) {
        struct json_object *value = json_object_object_get(object, c->key);
        if (!c->title || (c->optional && !value))
            continue;
        if (c->format == COLUMN_LIST && c->wraps) {
            print_items(c, width, value);
            continue;
        }
        cleanup_free char *text = output_cell(object, c);
        print_line(c->title, width, text ? text : "?");
    }
}

// json-c escapes the control characters of ASCII but DEL, and none of those beyond, which terminals
// interpret, too. They occur only in strings.
void output_json_to(FILE *f, struct json_object *value, int flags)
{
    const char *text =
        json_object_to_json_string_ext(value, flags | JSON_C_TO_STRING_NOSLASHESCAPE);

    while (*text) {
        size_t plain = strcspn(text, "\x7f\xc2");
        fwrite(text, 1, plain, f);
        text += plain;
        size_t n = *text ? control_character(text) : 0;
        if (n)
            fprintf(f, "\\u%04x", (unsigned char)text[n - 1]);
        else if (*text)
            fputc(*text, f);
        text += n ? n : *text != 0;
    }
    fputc('\n', f);
}

static void print_json(struct json_object *value)
{
    output_json_to(stdout, value, JSON_C_TO_STRING_PRETTY);
}

bool output_json(struct json_object *value)
{
    print_json(value);
    json_object_put(value);
    return fflush(stdout) == 0 && !ferror(stdout);
}

bool output_line(struct json_object *value)
{
    output_json_to(stdout, value, 0);
    return fflush(stdout) == 0 && !ferror(stdout);
}

bool output_object(bool json, struct json_object *object, const struct column *columns)
{
    if (json)
        print_json(object);
    else
        print_lines(object, columns);
    json_object_put(object);
    return fflush(stdout) == 0 && !ferror(stdout);
}
