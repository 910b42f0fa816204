// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "output.h"

#include "cleanup.h"
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

void put_text(struct json_object *object, const char *key, const char *text)
{
    json_object_object_add(object, key, json_text(text));
}

void put_number(struct json_object *object, const char *key, uint64_t number)
{
    json_object_object_add(object, key, json_object_new_uint64(number));
}

void put_bool(struct json_object *object, const char *key, bool value)
{
    json_object_object_add(object, key, json_object_new_boolean(value));
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
    char text[24];
    snprintf(text, sizeof(text), "%016" PRIx64, id);
    put_text(object, key, text);
}

void put_access(struct json_object *object, const char *key, uint32_t access)
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
    struct json_object *names = json_object_new_array();
    if (!(access & DOCA_ACCESS_LOCAL_READ_WRITE))
        json_object_array_add(names, json_object_new_string("local_read_only"));
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        if (access & flags[i].flag)
            json_object_array_add(names, json_object_new_string(flags[i].name));
    }
    json_object_object_add(object, key, names);
}

void put_texts(struct json_object *object, const char *key, const char *const *texts, size_t n)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        json_object_array_add(array, json_text(texts[i]));
    json_object_object_add(object, key, array);
}

// ---- what people read ------------------------------------------------------------

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

// The text of a cell, escaped; the caller frees it.
static char *cell(struct json_object *object, const struct column *column)
{
    char out[TEXT_SHORT] = "-";
    struct json_object *value = json_object_object_get(object, column->key);
    uint64_t number = json_object_get_uint64(value);
    cleanup_free char *list = NULL;
    const char *text = out;

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
    case COLUMN_LABELS:
        text = list = join_labels(value);
        break;
    case COLUMN_LIMIT:
        snprintf(out, sizeof(out), "%" PRIu64, number);
        text = value ? out : "unlimited";
        break;
    case COLUMN_OBJECT:
        break;
    case COLUMN_ACCESS:
    case COLUMN_LIST:
        text = list = join(value);
        break;
    case COLUMN_NUMBER:
        snprintf(out, sizeof(out), "%" PRIu64, number);
        break;
    case COLUMN_ADDRESS:
        snprintf(out, sizeof(out), "0x%" PRIx64, number);
        break;
    case COLUMN_BYTES:
        text_bytes(out, number);
        break;
    case COLUMN_DURATION:
        text_duration(out, number);
        break;
    case COLUMN_COUNT:
    case COLUMN_OBJECTS:
        snprintf(out, sizeof(out), "%zu", json_object_array_length(value));
        break;
    case COLUMN_YES_NO:
        text = json_object_get_boolean(value) ? "yes" : "no";
        break;
    }
    return text_for_terminal(text && *text ? text : "-");
}

static bool right_aligned(enum column_format format)
{
    return format == COLUMN_NUMBER || format == COLUMN_BYTES || format == COLUMN_DURATION ||
           format == COLUMN_COUNT || format == COLUMN_OBJECTS || format == COLUMN_LIMIT ||
           format == COLUMN_FRACTION;
}

// Headers are bold on a terminal, unless NO_COLOR is set.
static bool want_bold(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static void print_padded(const char *text, size_t width, bool right, bool last)
{
    size_t own = text_width(text);
    int pad = own < width ? (int)(width - own) : 0;
    if (right)
        printf("%*s%s", pad, "", text);
    else
        printf("%s%*s", text, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", stdout);
}

// The columns that people see; NULL if out of memory.
static const struct column *shown_columns(const struct column *columns, size_t *n)
{
    size_t all = 0;
    *n = 0;
    while (columns[all].key)
        all++;
    struct column *shown = calloc(all + 1, sizeof(*shown));
    for (size_t i = 0; shown && i < all; i++) {
        if (columns[i].title)
            shown[(*n)++] = columns[i];
    }
    return shown;
}

// Cells are made first: a column is as wide as its widest one. Row 0 holds the titles.
static char **make_cells(struct json_object *array, const struct column *columns, size_t n_columns,
                         size_t n_rows)
{
    char **cells = calloc(n_rows * n_columns, sizeof(*cells));
    if (!cells)
        return NULL;
    for (size_t c = 0; c < n_columns; c++) {
        cells[c] = strdup(columns[c].title);
        for (size_t r = 1; r < n_rows; r++)
            cells[r * n_columns + c] = cell(json_object_array_get_idx(array, r - 1), &columns[c]);
    }
    return cells;
}

static size_t column_width(char *const *cells, size_t n_rows, size_t n_columns, size_t column)
{
    size_t width = 0;
    for (size_t r = 0; r < n_rows; r++) {
        const char *text = cells[r * n_columns + column];
        size_t w = text ? text_width(text) : 0;
        width = w > width ? w : width;
    }
    return width;
}

static void print_table(struct json_object *array, const struct column *all)
{
    size_t n_columns, n_rows = json_object_array_length(array) + 1;
    const struct column *columns = shown_columns(all, &n_columns);
    if (!columns)
        return;
    char **cells = make_cells(array, columns, n_columns, n_rows);
    size_t *widths = calloc(n_columns, sizeof(*widths));
    bool bold = want_bold();
    for (size_t c = 0; cells && widths && c < n_columns; c++)
        widths[c] = column_width(cells, n_rows, n_columns, c);
    for (size_t r = 0; cells && widths && r < n_rows; r++) {
        if (bold && r == 0)
            fputs("\033[1m", stdout);
        for (size_t c = 0; c < n_columns; c++) {
            const char *text = cells[r * n_columns + c];
            print_padded(text ? text : "?", widths[c], right_aligned(columns[c].format),
                         c == n_columns - 1);
        }
        if (bold && r == 0)
            fputs("\033[0m", stdout);
    }
    for (size_t i = 0; cells && i < n_rows * n_columns; i++)
        free(cells[i]);
    free(cells);
    free(widths);
    free((void *)columns);
}

static void print_lines(struct json_object *object, const struct column *columns)
{
    size_t width = 0;
    bool bold = want_bold();
    for (const struct column *c = columns; c->key; c++)
        width = c->title && strlen(c->title) > width ? strlen(c->title) : width;
    for (const struct column *c = columns; c->key; c++) {
        if (!c->title || (c->optional && !json_object_object_get(object, c->key)))
            continue;
        cleanup_free char *text = cell(object, c);
        printf("%s%-*s%s  %s\n", bold ? "\033[1m" : "", (int)width, c->title, bold ? "\033[0m" : "",
               text ? text : "?");
    }
}

static void print_json(struct json_object *value)
{
    puts(json_object_to_json_string_ext(value,
                                        JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
}

bool output_list(bool json, struct json_object *array, const struct column *columns)
{
    if (json)
        print_json(array);
    else
        print_table(array, columns);
    json_object_put(array);
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
