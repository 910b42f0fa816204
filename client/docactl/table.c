// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "table.h"

#include "fields.h"
#include "text.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP       "  "
#define LEAST     12 // columns of the terminal that a text keeps
#define RANK_BARE 255

// The cells of a table, row by row; row 0 holds the titles. A cell with the same text as the one
// above it shares that text.
struct grid {
    const struct column *columns;
    size_t n_columns, n_rows, room; // for rows
    char **cells;
    bool many_lines; // some cell has more than one
    // For each column:
    bool *left_out, *bare; // bare: it is empty in all rows
    size_t *full, *widths; // its natural width, and its width in the table
};

static char *at(const struct grid *grid, size_t row, size_t column)
{
    return grid->cells[row * grid->n_columns + column];
}

static bool is_as_above(const struct grid *grid, size_t row, size_t column)
{
    return row > 0 && at(grid, row, column) == at(grid, row - 1, column);
}

struct grid *table_free(struct grid *grid)
{
    if (!grid)
        return NULL;
    for (size_t r = grid->n_rows; r-- > 0;)
        for (size_t c = 0; c < grid->n_columns; c++)
            if (!is_as_above(grid, r, c))
                free(at(grid, r, c));
    free(grid->cells);
    free(grid->left_out);
    free(grid->bare);
    free(grid->full);
    free(grid->widths);
    free(grid);
    return NULL;
}

static bool make_room(struct grid *grid)
{
    size_t room = grid->room ? 2 * grid->room : 64;

    if (grid->n_rows < grid->room)
        return true;
    char **cells = reallocarray(grid->cells, room * grid->n_columns, sizeof(*cells));
    if (!cells)
        return false;
    grid->cells = cells;
    grid->room = room;
    return true;
}

// Takes the text, or frees it if the cell above has the same. Returns false for NULL. A list may
// have a hundred thousand rows, of a few programs: each text is processed here, once.
static bool put(struct grid *grid, size_t column, char *text)
{
    size_t row = grid->n_rows;
    char **cell = &grid->cells[row * grid->n_columns + column];
    char *above = row > 0 ? at(grid, row - 1, column) : NULL;

    *cell = text;
    if (!text)
        return false;
    if (above && strcmp(above, text) == 0) {
        free(text);
        *cell = above;
        return true;
    }
    size_t width = text_width(text);
    grid->full[column] = width > grid->full[column] ? width : grid->full[column];
    grid->many_lines = grid->many_lines || strchr(text, '\n');
    return true;
}

// Cells have been put in each column, and if `ok` there was memory for all.
static bool row_ends(struct grid *grid, bool ok)
{
    grid->n_rows++;
    return ok;
}

static bool add_titles(struct grid *grid)
{
    bool ok = make_room(grid);

    if (!ok)
        return false;
    for (size_t c = 0; c < grid->n_columns; c++)
        ok = put(grid, c, strdup(grid->columns[c].title)) && ok;
    return row_ends(grid, ok);
}

bool table_add(struct grid *grid, struct json_object *row)
{
    bool ok = make_room(grid);

    if (!ok)
        return false;
    for (size_t c = 0; c < grid->n_columns; c++)
        ok = put(grid, c, output_cell(row, &grid->columns[c])) && ok;
    return row_ends(grid, ok);
}

bool table_add_message(struct grid *grid, const ProtobufCMessage *message)
{
    bool ok = make_room(grid);

    if (!ok)
        return false;
    for (size_t c = 0; c < grid->n_columns; c++)
        ok = put(grid, c, message_cell(message, &grid->columns[c])) && ok;
    return row_ends(grid, ok);
}

struct grid *table_begin(const struct table *table)
{
    struct grid *grid = calloc(1, sizeof(*grid));

    if (!grid)
        return NULL;
    grid->columns = table->columns;
    while (grid->columns[grid->n_columns].key)
        grid->n_columns++;
    grid->left_out = calloc(grid->n_columns, sizeof(*grid->left_out));
    grid->bare = calloc(grid->n_columns, sizeof(*grid->bare));
    grid->full = calloc(grid->n_columns, sizeof(*grid->full));
    grid->widths = calloc(grid->n_columns, sizeof(*grid->widths));
    bool ok = grid->left_out && grid->bare && grid->full && grid->widths && add_titles(grid);
    return ok ? grid : table_free(grid);
}

// ---- widths ---------------------------------------------------------------------------

// 0: as wide as it gets.
static size_t terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns ? strtoul(columns, NULL, 10) : 0;
}

static bool reports_nothing(const struct grid *grid, size_t column)
{
    static const char *const nothing[] = {"-", "0", "0 B", "no"};
    for (size_t r = 1; r < grid->n_rows; r++) {
        bool found = false;
        for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
            found = found || strcmp(at(grid, r, column), nothing[i]) == 0;
        if (!found)
            return false;
    }
    return grid->n_rows > 1;
}

static void find_bare(struct grid *grid)
{
    for (size_t c = 0; c < grid->n_columns; c++)
        grid->bare[c] = reports_nothing(grid, c);
}

// Numbers and addresses are of no use in part, and short texts are names.
static bool may_shrink(const struct grid *grid, size_t column)
{
    enum column_format format = grid->columns[column].format;
    return (format == COLUMN_TEXT || format == COLUMN_LIST || format == COLUMN_ACCESS ||
            format == COLUMN_LABELS) &&
           grid->full[column] > LEAST;
}

static size_t least_width(const struct grid *grid, size_t column)
{
    size_t title = text_width(at(grid, 0, column));

    if (!may_shrink(grid, column))
        return grid->full[column];
    return title > LEAST ? title : LEAST;
}

static unsigned rank_of(const struct grid *grid, size_t column)
{
    if (grid->left_out[column] || column == 0)
        return 0;
    return grid->bare[column] ? RANK_BARE : grid->columns[column].rank;
}

// Leaves out what matters least, until the rest fits.
static void fit(struct grid *grid, size_t width)
{
    for (;;) {
        size_t needed = 0, worst = 0;
        for (size_t c = 0; c < grid->n_columns; c++) {
            if (!grid->left_out[c])
                needed += (needed ? strlen(GAP) : 0) + least_width(grid, c);
            if (rank_of(grid, c) >= rank_of(grid, worst))
                worst = c;
        }
        if (needed <= width || rank_of(grid, worst) == 0)
            return;
        grid->left_out[worst] = true;
    }
}

// ---- cutting -------------------------------------------------------------------------

static void shrink_cell(const struct column *column, char *text, size_t width)
{
    if (column->wraps)
        text_wrap(text, width);
    else
        text_cut(text, width);
}

// Shrinks the widest columns until all fit.
static void shrink(struct grid *grid, size_t width)
{
    size_t needed = 0;

    for (size_t c = 0; c < grid->n_columns; c++) {
        grid->widths[c] = grid->left_out[c] ? 0 : grid->full[c];
        needed += grid->left_out[c] ? 0 : grid->widths[c] + (needed ? strlen(GAP) : 0);
    }
    for (; needed > width; needed--) {
        size_t widest = SIZE_MAX;
        for (size_t c = 0; c < grid->n_columns; c++)
            if (grid->widths[c] > least_width(grid, c) &&
                (widest == SIZE_MAX || grid->widths[c] > grid->widths[widest]))
                widest = c;
        if (widest == SIZE_MAX)
            break;
        grid->widths[widest]--;
    }
    for (size_t c = 0; c < grid->n_columns; c++)
        for (size_t r = 1; grid->widths[c] && r < grid->n_rows; r++)
            if (!is_as_above(grid, r, c))
                shrink_cell(&grid->columns[c], at(grid, r, c), grid->widths[c]);
}

static void print_left_out(const struct grid *grid)
{
    size_t n = 0;
    for (size_t c = 0; c < grid->n_columns; c++)
        if (grid->left_out[c])
            fprintf(stderr, "%s%s", n++ ? ", " : "(not shown: ", grid->columns[c].title);
    if (n)
        fputs("; see --columns)\n", stderr);
}

// ---- printing ----------------------------------------------------------------------------

static bool add_column(struct libscols_table *t, const struct column *column)
{
    int flags = output_is_number(column) ? SCOLS_FL_RIGHT : column->wraps ? SCOLS_FL_WRAP : 0;
    struct libscols_column *added = scols_table_new_column(t, column->title, 0, flags);

    if (added && column->wraps) // at the ends of lines that text_wrap() has made
        scols_column_set_wrapfunc(added, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
    if (added && output_wants_bold())
        scols_cell_set_color(scols_column_get_header(added), "\033[1m");
    return added;
}

static bool add_row(struct libscols_table *t, const struct grid *grid, size_t row)
{
    struct libscols_line *line = scols_table_new_line(t, NULL);
    size_t n = 0;
    for (size_t c = 0; line && c < grid->n_columns; c++)
        if (!grid->left_out[c] && scols_line_set_data(line, n++, at(grid, row, c)) != 0)
            return false;
    return line;
}

static bool add_all(struct libscols_table *t, const struct grid *grid)
{
    for (size_t c = 0; c < grid->n_columns; c++)
        if (!grid->left_out[c] && !add_column(t, &grid->columns[c]))
            return false;
    for (size_t r = 1; r < grid->n_rows; r++)
        if (!add_row(t, grid, r))
            return false;
    return true;
}

// libsmartcols prints nothing of a table without rows.
static void print_titles(const struct grid *grid)
{
    for (size_t c = 0; c < grid->n_columns; c++)
        if (!grid->left_out[c])
            printf("%s%s", c ? GAP : "", at(grid, 0, c));
    putchar('\n');
}

static void pad(size_t n)
{
    while (n-- > 0)
        putchar_unlocked(' ');
}

static void print_plain_row(const struct grid *grid, size_t row)
{
    for (size_t c = 0; c < grid->n_columns; c++) {
        const char *text = at(grid, row, c);
        size_t room = grid->full[c] - text_width(text);
        if (c)
            fputs_unlocked(GAP, stdout);
        if (output_is_number(&grid->columns[c]))
            pad(room);
        fputs_unlocked(text, stdout);
        if (!output_is_number(&grid->columns[c]) && c + 1 < grid->n_columns)
            pad(room);
    }
    putchar_unlocked('\n');
}

// Prints a row like libsmartcols, which takes five kilobytes and ten times as long for each row.
static void print_plain(const struct grid *grid, bool no_headers)
{
    for (size_t r = no_headers ? 1 : 0; r < grid->n_rows; r++)
        print_plain_row(grid, r);
}

static bool print_grid(const struct grid *grid, bool no_headers)
{
    struct libscols_table *t = scols_new_table();
    bool ok = t && add_all(t, grid);

    if (ok) {
        scols_table_set_column_separator(t, GAP);
        scols_table_enable_noencoding(t, 1); // the cells are escaped
        scols_table_enable_noheadings(t, no_headers);
        scols_table_enable_colors(t, output_wants_bold());
        scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER); // it fits already
        ok = scols_print_table(t) == 0;
    }
    scols_unref_table(t);
    return ok;
}

bool table_end(struct grid *grid, const struct table *table)
{
    size_t width = terminal_width();
    bool ok = true;

    if (width)
        find_bare(grid);
    if (width && !table->keep_all)
        fit(grid, width);
    if (width)
        shrink(grid, width);
    // Text that programs read is not wrapped, unless a cell has several lines of its own.
    if (grid->n_rows > 1 && !width && !grid->many_lines)
        print_plain(grid, table->no_headers);
    else if (grid->n_rows > 1)
        ok = print_grid(grid, table->no_headers);
    else if (!table->no_headers)
        print_titles(grid);
    if (ok && width) {
        fflush(stdout);
        print_left_out(grid);
    }
    return ok;
}

bool table_print(struct json_object *array, const struct table *table)
{
    struct grid *grid = table_begin(table);
    bool ok = grid;

    for (size_t r = 0; ok && r < json_object_array_length(array); r++)
        ok = table_add(grid, json_object_array_get_idx(array, r));
    ok = ok && table_end(grid, table);
    table_free(grid);
    return ok;
}
