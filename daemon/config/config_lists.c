// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Options that hold several values.

#include "choice.h"
#include "cleanup.h"
#include "config_types.h"
#include "copy_text.h"
#include "number.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>

#define ID_MAX (UINT32_MAX - 1)

void config_begin_list(const struct config_option *o, void *base)
{
    memset((char *)base + o->at, 0, o->size);
    if (o->given)
        *(bool *)((char *)base + o->given) = true;
}

static void print_ids(const uint32_t *ids, size_t n, const char *quote, FILE *out)
{
    fputc('{', out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s%u%s", i ? ", " : "", quote, (unsigned)ids[i], quote);
    fputc('}', out);
}

// ---- user ids -----------------------------------------------------------------------------

static bool read_uid(const struct config_option *o, void *base, const char *text, char *why)
{
    struct config *config = base;
    uint64_t uid;
    (void)o;
    if (!number_read(text, 10, ID_MAX, &uid))
        return config_no(why, "not a user id (write a number)");
    if (config->n_peer_uids == CONFIG_UIDS_MAX)
        return config_no(why, "more than %d (leave some out)", CONFIG_UIDS_MAX);
    config->peer_uids[config->n_peer_uids++] = (uid_t)uid;
    return true;
}

static bool print_uids(const struct config_option *o, const void *base, FILE *out)
{
    const struct config *config = base;
    (void)o;
    print_ids(config->peer_uids, config->n_peer_uids, "", out);
    return config->n_peer_uids > 0;
}

const struct config_type config_uids = {.read = read_uid, .print = print_uids, .is_list = true};

// ---- users and groups of a rule -------------------------------------------------------------

static struct policy_list *list_of(const struct config_option *o, const void *base)
{
    return (struct policy_list *)((char *)base + o->at);
}

static bool add_id(struct policy_list *list, uint64_t id, char *why)
{
    if (list->n == POLICY_NAMES_MAX)
        return config_no(why, "more than %d (make another rule for the rest)", POLICY_NAMES_MAX);
    list->ids[list->n++] = (uint32_t)id;
    return true;
}

// The names of this machine's own files are enough for a suggestion: others may take long.
static bool no_user(const char *text, char *why)
{
    cleanup_file FILE *file = fopen("/etc/passwd", "re");
    char suggested[CONFIG_WHY_SIZE / 2] = "";
    struct choice near = {.n = 0};

    for (const struct passwd *user; file && (user = fgetpwent(file));)
        choice_add_near(&near, user->pw_name, text);
    choice_did_you_mean(&near, suggested, sizeof(suggested));
    return config_no(why, "not a user of this machine%s (write a name or a number)", suggested);
}

static bool no_group(const char *text, char *why)
{
    cleanup_file FILE *file = fopen("/etc/group", "re");
    char suggested[CONFIG_WHY_SIZE / 2] = "";
    struct choice near = {.n = 0};

    for (const struct group *group; file && (group = fgetgrent(file));)
        choice_add_near(&near, group->gr_name, text);
    choice_did_you_mean(&near, suggested, sizeof(suggested));
    return config_no(why, "not a group of this machine%s (write a name or a number)", suggested);
}

static bool read_user(const struct config_option *o, void *base, const char *text, char *why)
{
    uint64_t id;
    bool number = number_read(text, 10, ID_MAX, &id);
    const struct passwd *user = number ? NULL : getpwnam(text);
    if (!number && !user)
        return no_user(text, why);
    return add_id(list_of(o, base), user ? user->pw_uid : id, why);
}

static bool read_group(const struct config_option *o, void *base, const char *text, char *why)
{
    uint64_t id;
    bool number = number_read(text, 10, ID_MAX, &id);
    const struct group *group = number ? NULL : getgrnam(text);
    if (!number && !group)
        return no_group(text, why);
    return add_id(list_of(o, base), group ? group->gr_gid : id, why);
}

static bool print_list(const struct config_option *o, const void *base, FILE *out)
{
    const struct policy_list *list = list_of(o, base);
    print_ids(list->ids, list->n, "\"", out);
    return list->given;
}

const struct config_type config_users = {.read = read_user, .print = print_list, .is_list = true};
const struct config_type config_groups = {.read = read_group, .print = print_list, .is_list = true};

// ---- subjects of a rule -------------------------------------------------------------------

static bool read_function(const struct config_option *o, void *base, const char *text, char *why)
{
    struct policy_rule *rule = base;
    (void)o;
    if (rule->n_open == POLICY_NAMES_MAX)
        return config_no(why, "more than %d (use patterns: pf0vf*)", POLICY_NAMES_MAX);
    if (text[0] == '\0' || strlen(text) >= FUNCTION_NAME_SIZE)
        return config_no(why, "not the name of a function (write for instance pf0, or pf0vf*)");
    copy_text(rule->open[rule->n_open], text);
    rule->n_open++;
    return true;
}

static bool print_functions(const struct config_option *o, const void *base, FILE *out)
{
    const struct policy_rule *rule = base;
    (void)o;
    fputc('{', out);
    for (size_t i = 0; i < rule->n_open; i++) {
        fputs(i ? ", " : "", out);
        config_print_text(rule->open[i], out);
    }
    fputc('}', out);
    return rule->open_given;
}

const struct config_type config_functions = {
    .read = read_function, .print = print_functions, .is_list = true};

static bool read_target(const struct config_option *o, void *base, const char *text, char *why)
{
    struct policy_rule *rule = base;
    for (size_t i = 1; i < o->n_words; i++) {
        if (strcmp(text, o->words[i]) == 0) {
            rule->targets |= 1u << i;
            return true;
        }
    }
    char suggested[CONFIG_WHY_SIZE / 4] = "";
    struct choice choice = {.n = 0};
    for (size_t i = 1; i < o->n_words; i++)
        choice_add(&choice, o->words[i], strlen(o->words[i]));
    choice_suggest(&choice, text, suggested, sizeof(suggested));
    return config_no(why, "not a kind of export%s (write dpu, host, rdma, sync_event or net_event)",
                     suggested);
}

static bool print_targets(const struct config_option *o, const void *base, FILE *out)
{
    const struct policy_rule *rule = base;
    const char *comma = "";
    fputc('{', out);
    for (size_t i = 1; i < o->n_words; i++) {
        if (rule->targets & 1u << i) {
            fprintf(out, "%s\"%s\"", comma, o->words[i]);
            comma = ", ";
        }
    }
    fputc('}', out);
    return rule->targets_given;
}

const struct config_type config_targets = {
    .read = read_target, .print = print_targets, .is_list = true};
