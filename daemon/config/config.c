// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config.h"

#include "account.h"
#include "copy_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_CONFIG "/etc/docad/docad.conf"

void config_init(struct config *config)
{
    memset(config, 0, sizeof(*config));
    config->socket_mode = 0660;
    copy_text(config->subuids, ACCOUNT_FILE);
    copy_text(config->subgids, ACCOUNT_GROUPS_FILE);
    config->peer_grace_ms = 5000;
    config->release_limit_ms = 1000;
    copy_text(config->card, CARD_SOFTWARE);
    config->log_level = LOG_LEVEL_INFO;
    config->workers = CONFIG_WORKERS_MAX;
    config->wait = (struct wait_times)WAIT_TIMES_DEFAULT;
    limits_init(&config->limits);
    config->engine = (struct engine_options)ENGINE_OPTIONS_DEFAULT;
    config->verbs = (struct verbs_settings)VERBS_SETTINGS_DEFAULT;
}

const char *config_peer_where(const struct config_peer *peer)
{
    return peer->socket[0] ? peer->socket : peer->address;
}

bool config_metrics_path(const struct config *config, char path[SOCKET_PATH_MAX])
{
    if (config->metrics_socket[0]) {
        copy_text_into(path, SOCKET_PATH_MAX, config->metrics_socket);
        return true;
    }
    size_t n = strlen(config->socket);
    if (n > 5 && strcmp(config->socket + n - 5, ".sock") == 0)
        n -= 5;
    int length = snprintf(path, SOCKET_PATH_MAX, "%.*s-metrics.sock", (int)n, config->socket);
    return length < (int)SOCKET_PATH_MAX;
}

bool config_default_path(char *path, size_t size)
{
    const char *home = getenv("XDG_CONFIG_HOME"), *user = getenv("HOME");
    int n;

    if (geteuid() == 0) // an installation elsewhere may have its own
        n = snprintf(path, size, "%s",
                     access(INSTALLED_CONFIG, F_OK) == 0 ? INSTALLED_CONFIG : SYSTEM_CONFIG);
    else if (home && *home)
        n = snprintf(path, size, "%s/docad/docad.conf", home);
    else if (user && *user)
        n = snprintf(path, size, "%s/.config/docad/docad.conf", user);
    else
        return false;
    return n > 0 && (size_t)n < size;
}
