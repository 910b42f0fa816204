// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node_id.h"

#include "cleanup.h"
#include "sha256.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Machines without an id (small containers) are distinguished by their host names.
static void machine_id(char *text, size_t size)
{
    static const char *const files[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        cleanup_file FILE *f = fopen(files[i], "re");
        if (f && fgets(text, (int)size, f) && text[0] != '\n') {
            text[strcspn(text, "\n")] = '\0';
            return;
        }
    }
    text[0] = '\0';
    gethostname(text, size - 1);
    text[size - 1] = '\0';
}

// Resolves links and dots in the directory; the socket itself need not exist yet.
static char *absolute_path(const char *path)
{
    cleanup_free char *copy = strdup(path);
    if (!copy)
        return NULL;
    char *slash = strrchr(copy, '/');
    const char *base = slash ? path + (slash - copy) + 1 : path;
    const char *dir = slash == copy ? "/" : slash ? copy : ".";
    if (slash && slash != copy)
        *slash = '\0';
    cleanup_free char *real = realpath(dir, NULL);
    char *out = NULL;
    if (asprintf(&out, "%s/%s", real ? real : dir, base) < 0)
        return NULL;
    return out;
}

bool node_id_make(const char *role, const char *name, const char *socket, uint8_t id[NODE_ID_SIZE])
{
    char machine[256] = "";
    uint8_t digest[SHA256_SIZE];
    cleanup_free char *path = absolute_path(socket);
    cleanup_free char *input = NULL;

    machine_id(machine, sizeof(machine));
    if (!path || asprintf(&input, "docad node\n%s\n%s\n%s\n%s\n", machine, role, name, path) < 0) {
        input = NULL;
        return false;
    }
    sha256(input, strlen(input), digest);
    memcpy(id, digest, NODE_ID_SIZE);
    return true;
}

void node_id_format(const uint8_t id[NODE_ID_SIZE], char text[NODE_ID_TEXT_SIZE])
{
    for (int i = 0; i < NODE_ID_SIZE; i++)
        snprintf(text + i * 2, 3, "%02x", id[i]);
}
