// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docactl prints: the members of each command's JSON and the columns that people see.
// The code, the help and the manual use the same tables.

#ifndef DOCACTL_FIELDS_H
#define DOCACTL_FIELDS_H

#include "output.h"

#include "docad.pb-c.h"

// How a message's field becomes a member; see message_to_json().
struct json_object *message_to_json(const ProtobufCMessage *message, const struct column *columns);

// Makes the cell of a message's field, like output_cell() from the member, but faster. The caller
// frees it; NULL if memory runs out.
char *message_cell(const ProtobufCMessage *message, const struct column *column);

// "string", "integer", ... : for the manual.
const char *column_type(const struct column *column);

#define COLUMNS_END                                                                                \
    {                                                                                              \
        .key = NULL                                                                                \
    }

// ---- the node and those it is linked with: fields_node.c ----

extern const struct column status_fields[];
extern const struct column ping_fields[];
extern const struct column device_fields[];
extern const struct column representor_fields[];
extern const struct column quota_fields[];
extern const struct column peer_fields[];

// ---- objects of programs: fields_objects.c ----

extern const struct column session_fields[];
extern const struct column session_show_fields[];
extern const struct column importer_fields[];
extern const struct column region_fields[];
extern const struct column import_fields[];
extern const struct column queue_fields[];
extern const struct column service_fields[];
extern const struct column listener_fields[];
extern const struct column channel_fields[];
extern const struct column event_fields[];
extern const struct column export_fields[];
extern const struct column export_show_fields[];
extern const struct column name_fields[];
extern const struct column descriptor_fields[];
extern const struct column published_fields[];
extern const struct column unpublished_fields[];
extern const struct column ended_fields[];
extern const struct column revoked_fields[];
extern const struct column certificate_fields[];
extern const struct column revocation_fields[];

// ---- events, and all lists: fields.c ----

extern const struct column level_fields[];
extern const struct column reload_fields[];
extern const struct column verdict_fields[];
extern const struct column metric_fields[];
extern const struct column check_fields[];
extern const struct column cap_fields[];
extern const struct column card_fields[];
extern const struct column card_value_fields[];
extern const struct column card_time_fields[];
extern const struct column why_fields[];
extern const struct column top_session_fields[];
extern const struct column top_total_fields[];
extern const struct column top_fields[];
extern const struct column monitor_fields[];
extern const struct column dump_fields[];
extern const struct column demo_fields[];

#endif
