// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration file. What docad prints of a good one is a configuration with the same
// meaning: printed again, it is the same. The command line comes with it.

#include "cleanup.h"
#include "input.h"
#include "options.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARGUMENTS_MAX 12
#define LINE_MAX_SIZE 200

// A first line that begins with "#!" is the command line, beside the file.
static void take_arguments(const char *text, size_t size, char line[LINE_MAX_SIZE], int *argc,
                           char **argv)
{
    const char *end = memchr(text, '\n', size);
    char *rest = line, *word;

    if (size < 2 || memcmp(text, "#!", 2) != 0 || !end || end - text >= LINE_MAX_SIZE)
        return;
    memcpy(line, text + 2, (size_t)(end - text) - 2);
    while (*argc < ARGUMENTS_MAX && (word = strsep(&rest, " ")))
        if (*word)
            argv[(*argc)++] = word;
}

static struct config *load(const void *text, size_t size)
{
    struct config *config = malloc(sizeof(*config));
    char path[32], line[LINE_MAX_SIZE] = "", *argv[ARGUMENTS_MAX + 4] = {(char *)"docad"};
    int argc = 1;
    cleanup_fd int fd = memfd_create("docad.conf", MFD_CLOEXEC);

    if (!config || fd < 0 || write(fd, text, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    take_arguments(text, size, line, &argc, argv);
    argv[argc++] = (char *)"--config";
    argv[argc++] = path;
    enum options_action action = options_read(argc, argv, config);
    if (action == OPTIONS_RUN || action == OPTIONS_CHECK_CONFIG || action == OPTIONS_PRINT_CONFIG) {
        config->path[0] = 0; // is printed, and differs
        return config;
    }
    free(config);
    return NULL;
}

static char *print(const struct config *config, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        abort();
    config_print(config, out);
    fclose(out);
    return text;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (!getenv("FUZZ_VERBOSE"))
        stderr = stdout = fopen("/dev/null", "w"); // libFuzzer writes to the descriptor
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t printed_size, again_size;

    cleanup_free struct config *config = load(data, size);
    if (!config)
        return 0;
    cleanup_free char *printed = print(config, &printed_size);
    cleanup_free struct config *again = load(printed, printed_size);
    if (!again) {
        dprintf(2, "refused what it printed:\n%s", printed);
        abort();
    }
    cleanup_free char *second = print(again, &again_size);
    if (printed_size != again_size || memcmp(printed, second, printed_size) != 0) {
        dprintf(2, "printed differently:\n%s\n---\n%s", printed, second);
        abort();
    }
    return 0;
}
