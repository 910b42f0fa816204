// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "report.h"

#include "cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACE "@SIDES@\n"

extern const char report_page[]; // report.html, zero-terminated

static int make_file(struct report_side *side, int file)
{
    side->fds[file] = memfd_create("docad-report", MFD_CLOEXEC);
    if (side->fds[file] < 0)
        return -errno;
    snprintf(side->paths[file], sizeof(side->paths[file]), "/proc/%d/fd/%d", (int)getpid(),
             side->fds[file]);
    return 0;
}

int report_begin(struct report_side *side, const char *name, struct traced *traced)
{
    side->name = name;
    for (int i = 0; i < REPORT_FILES; i++) {
        int r = make_file(side, i);
        if (r < 0)
            return r;
    }
    traced->trace = side->paths[REPORT_TRACE];
    traced->format = "json";
    traced->summary = side->paths[REPORT_SUMMARY];
    traced->rules = side->paths[REPORT_RULES];
    traced->report = NULL;
    return 0;
}

int report_begin_timeline(struct report_side *side, const char *name, struct traced *traced)
{
    int r = make_file(side, REPORT_TRACE);
    side->name = name;
    traced->trace = side->paths[REPORT_TRACE];
    return r;
}

// Copies the events of a trace: those are one line each, after a first and before a last line.
static int put_events(FILE *out, int fd, bool *any)
{
    int own = dup(fd);
    cleanup_file FILE *in = own < 0 || lseek(own, 0, SEEK_SET) < 0 ? NULL : fdopen(own, "r");
    cleanup_free char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (!in)
        return -errno;
    while ((size = getline(&line, &room, in)) > 0) {
        if (strncmp(line, "{\"ph\"", 5) != 0)
            continue;
        while (size && strchr(",\n", line[size - 1]))
            size--;
        fputs(*any ? ",\n" : "", out);
        fwrite(line, 1, (size_t)size, out);
        *any = true;
    }
    return ferror(in) ? -EIO : 0;
}

int report_write_timeline(const char *path, const struct report_side *sides, size_t count)
{
    FILE *out = *path ? fopen(path, "we") : fdopen(dup(STDERR_FILENO), "w");
    bool any = false;
    int r = 0;

    if (!out)
        return -errno;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    for (size_t i = 0; i < count && r == 0; i++)
        r = put_events(out, sides[i].fds[REPORT_TRACE], &any);
    fputs("\n]}\n", out);
    int written = ferror(out) ? -EIO : 0;
    if (fclose(out) != 0)
        written = -errno;
    return r ? r : written;
}

// Copies a file, and escapes the beginnings of tags in HTML.
static int put_file(FILE *out, int fd, const char *less, const char *ampersand)
{
    int own = dup(fd);
    cleanup_file FILE *in = own < 0 || lseek(own, 0, SEEK_SET) < 0 ? NULL : fdopen(own, "r");
    int c;

    if (!in)
        return -errno;
    while ((c = getc_unlocked(in)) != EOF) {
        if (c == '<')
            fputs(less, out);
        else if (c == '&')
            fputs(ampersand, out);
        else
            putc_unlocked(c, out);
    }
    return ferror(in) ? -EIO : 0;
}

static int put_text(FILE *out, const struct report_side *side, const char *title, int file)
{
    if (lseek(side->fds[file], 0, SEEK_END) == 0)
        return 0;
    fprintf(out, "<h2>%s%s%s</h2>\n<pre>", side->name, *side->name ? ": " : "", title);
    int r = put_file(out, side->fds[file], "&lt;", "&amp;");
    fputs("</pre>\n", out);
    return r;
}

static int put_side(FILE *out, const struct report_side *side)
{
    int r = put_text(out, side, "Rules", REPORT_RULES);
    if (r == 0)
        r = put_text(out, side, "Summary", REPORT_SUMMARY);
    fprintf(out, "<script type=\"application/json\" data-side=\"%s\">\n", side->name);
    if (lseek(side->fds[REPORT_TRACE], 0, SEEK_END) == 0) // it has made no call
        fputs("{\"traceEvents\":[],\"otherData\":{}}\n", out);
    else if (r == 0) // in JSON these occur only in strings
        r = put_file(out, side->fds[REPORT_TRACE], "\\u003c", "\\u0026");
    fputs("</script>\n", out);
    return r;
}

int report_write(const char *path, const struct report_side *sides, size_t count)
{
    const char *place = strstr(report_page, PLACE);
    FILE *out = fopen(path, "we");
    int r = 0;

    if (!out)
        return -errno;
    fwrite(report_page, 1, (size_t)(place - report_page), out);
    for (size_t i = 0; i < count && r == 0; i++)
        r = put_side(out, &sides[i]);
    fputs(place + strlen(PLACE), out);
    int written = ferror(out) ? -EIO : 0;
    if (fclose(out) != 0)
        written = -errno;
    return r ? r : written;
}
