// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Export descriptors, carried by hand (get, put) and by name (publish, lookup).

#include "themes.h"

#include "audience.h"
#include "cleanup.h"
#include "export_text.h"
#include "listing.h"
#include "owned_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static enum outcome file_failed(struct ctl *ctl, const char *what, const char *path)
{
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot %s %s: %s", what,
                    path, strerror(errno));
}

// ---- out ---------------------------------------------------------------------------------

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

// The descriptor is a key to another program's memory: a new file is readable for its owner only.
static enum outcome save(struct ctl *ctl, const char *path, const ProtobufCBinaryData *bytes)
{
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || !write_all(fd, bytes->data, bytes->len) || close(steal_fd(&fd)) < 0)
        return file_failed(ctl, "write", path);
    return OUTCOME_DONE;
}

static enum outcome show_descriptor(struct ctl *ctl, const ProtobufCBinaryData *bytes,
                                    const char *file)
{
    struct export_desc desc;
    struct errtext why;
    doca_error_t error = export_desc_decode(bytes->data, bytes->len, &desc, &why);
    if (error != DOCA_SUCCESS)
        return ctl_fail(ctl, OUTCOME_REFUSED, error, "the daemon's descriptor cannot be read: %s",
                        why.s);
    struct json_object *object = json_object_new_object();
    put_export_id(object, "export_id", desc.export_id);
    put_hex(object, "node", desc.node, sizeof(desc.node));
    put_number(object, "address", desc.address);
    put_number(object, "length", desc.length);
    put_access(object, "access", desc.access);
    put_text(object, "pci_address", desc.pci_address);
    put_text(object, "vuid", desc.vuid);
    put_number(object, "size", bytes->len);
    if (file)
        put_text(object, "file", file);
    else
        put_hex(object, "descriptor", bytes->data, bytes->len);
    return show_object(ctl, object, descriptor_fields);
}

// Writes the bytes to FILE (-o), as a JSON object, or as they are.
static enum outcome deliver(struct ctl *ctl, const ProtobufCBinaryData *bytes)
{
    const char *path = ctl->args.options[OPTION_OUTPUT];
    if (path) {
        enum outcome outcome = save(ctl, path, bytes);
        return outcome == OUTCOME_DONE ? show_descriptor(ctl, bytes, path) : outcome;
    }
    if (ctl->json)
        return show_descriptor(ctl, bytes, NULL);
    if (!write_all(STDOUT_FILENO, bytes->data, bytes->len))
        return file_failed(ctl, "write to", "standard output");
    return OUTCOME_DONE;
}

// Called before the request to the daemon, so that a refusal changes nothing.
static enum outcome check_destination(struct ctl *ctl)
{
    if (ctl->args.options[OPTION_OUTPUT] || ctl->json || !isatty(STDOUT_FILENO))
        return OUTCOME_DONE;
    return ctl_fail(
        ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
        "a descriptor is binary, and standard output is a terminal: name a file with -o, "
        "redirect the output, or use --json");
}

static enum outcome fetch(struct ctl *ctl, uint64_t id, Docad__Message **reply)
{
    Docad__ExportGet get = DOCAD__EXPORT_GET__INIT;
    get.export_id = id;
    return ctl_call(ctl, message_of(EXPORT_GET, export_get, &get), 0,
                    DOCAD__MESSAGE__BODY_EXPORT_GET_REPLY, reply);
}

enum outcome run_exports_get(struct ctl *ctl)
{
    uint64_t id;
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = check_destination(ctl);
    if (outcome == OUTCOME_DONE)
        outcome = take_id(ctl, &id);
    if (outcome == OUTCOME_DONE)
        outcome = fetch(ctl, id, &reply);
    return outcome == OUTCOME_DONE ? deliver(ctl, &reply->export_get_reply->descriptor) : outcome;
}

// Reads PUBLISHED as docad reads it.
static enum outcome take_name(struct ctl *ctl, const char *text, char out[OWNED_NAME_SIZE])
{
    struct errtext why;
    doca_error_t error = owned_name_resolve(text, out, &why);
    if (error != DOCA_SUCCESS)
        return ctl_fail(ctl, OUTCOME_USAGE, error, "%s", why.s);
    return OUTCOME_DONE;
}

enum outcome run_exports_lookup(struct ctl *ctl)
{
    Docad__Lookup lookup = DOCAD__LOOKUP__INIT;
    char name[OWNED_NAME_SIZE];
    enum outcome outcome = take_name(ctl, ctl->args.positional[0], name);
    if (outcome != OUTCOME_DONE)
        return outcome;
    lookup.name = name;
    const char *wait = ctl->args.options[OPTION_WAIT];
    if (wait && !parse_seconds(wait, &lookup.timeout_ms))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--timeout takes seconds, such as 2 or 0.5, not '%s'", wait);
    outcome = check_destination(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;

    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_LOOKUP;
    request.lookup = &lookup;
    cleanup_message Docad__Message *reply = NULL;
    outcome = ctl_call(ctl, &request, lookup.timeout_ms, DOCAD__MESSAGE__BODY_LOOKUP_REPLY, &reply);
    return outcome == OUTCOME_DONE ? deliver(ctl, &reply->lookup_reply->descriptor) : outcome;
}

// ---- in ----------------------------------------------------------------------------------

// Reads up to one byte more than a descriptor can have, to detect a longer file.
static enum outcome load(struct ctl *ctl, const char *path, uint8_t *bytes, size_t room,
                         size_t *size)
{
    bool standard = strcmp(path, "-") == 0;
    cleanup_fd int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file_failed(ctl, "open", path);
    size_t got = 0;
    while (got < room) {
        ssize_t n = read(fd, bytes + got, room - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return file_failed(ctl, "read", standard ? "standard input" : path);
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *size = got;
    return OUTCOME_DONE;
}

static enum outcome publish(struct ctl *ctl, const char *name, const uint8_t *bytes, size_t size,
                            uint64_t export_id)
{
    struct audience audience;
    struct errtext why;
    doca_error_t error = audience_parse(ctl->args.options[OPTION_TO], &audience, &why);
    if (error != DOCA_SUCCESS)
        return ctl_fail(ctl, OUTCOME_USAGE, error, "--to: %s", why.s);
    Docad__Audience to = audience_message(&audience);
    Docad__Publish publication = DOCAD__PUBLISH__INIT;
    publication.to = &to;
    publication.lasting = true; // the session ends with this command
    publication.name = (char *)name;
    publication.descriptor = (ProtobufCBinaryData){size, (uint8_t *)bytes};
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_PUBLISH;
    request.publish = &publication;
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = ctl_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_OK, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *object = json_object_new_object();
    put_text(object, "name", name);
    put_export_id(object, "export_id", export_id);
    return show_object(ctl, object, published_fields);
}

enum outcome run_exports_put(struct ctl *ctl)
{
    const char *path = ctl->args.positional[0], *name = ctl->args.options[OPTION_NAME];
    if (!name)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--name NAME is missing: the name under which to publish %s", path);
    uint8_t file[EXPORT_TEXT_SIZE_MAX + 1], of_text[EXPORT_DESC_SIZE_MAX];
    const void *bytes = file;
    size_t size = 0;
    enum outcome outcome = load(ctl, path, file, sizeof(file), &size);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct export_desc desc;
    struct errtext why;
    doca_error_t error = export_desc_of(&bytes, &size, of_text, &why);
    if (error == DOCA_SUCCESS)
        error = export_desc_decode(bytes, size, &desc, &why);
    if (error != DOCA_SUCCESS)
        return ctl_fail(ctl, OUTCOME_REFUSED, error, "%s does not hold a usable descriptor: %s",
                        strcmp(path, "-") == 0 ? "standard input" : path, why.s);
    return publish(ctl, name, bytes, size, desc.export_id);
}

enum outcome run_exports_publish(struct ctl *ctl)
{
    uint64_t id;
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = take_id(ctl, &id);
    if (outcome == OUTCOME_DONE)
        outcome = fetch(ctl, id, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    const ProtobufCBinaryData *bytes = &reply->export_get_reply->descriptor;
    return publish(ctl, ctl->args.positional[1], bytes->data, bytes->len, id);
}

enum outcome run_exports_unpublish(struct ctl *ctl)
{
    Docad__Unpublish unpublish = DOCAD__UNPUBLISH__INIT;
    char name[OWNED_NAME_SIZE];
    enum outcome outcome = take_name(ctl, ctl->args.positional[0], name);
    if (outcome != OUTCOME_DONE)
        return outcome;
    unpublish.name = name;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_UNPUBLISH;
    request.unpublish = &unpublish;
    cleanup_message Docad__Message *reply = NULL;
    outcome = ctl_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_OK, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *object = json_object_new_object();
    put_text(object, "name", unpublish.name);
    return show_object(ctl, object, unpublished_fields);
}
