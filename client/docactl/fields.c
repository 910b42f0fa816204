// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fields.h"

// ---- events ----------------------------------------------------------------------

const struct column level_fields[] = {
    {"log level", "level", COLUMN_TEXT, "error, warning, info or debug"},
    COLUMNS_END,
};

const struct column reload_fields[] = {
    {"reloaded", "notes", COLUMN_LIST, "what has changed, and what needs a restart", .wraps = true},
    COLUMNS_END,
};

const struct column verdict_fields[] = {
    {"WHAT", "what", COLUMN_TEXT, "what the user would do"},
    {"ALLOWED", "allowed", COLUMN_YES_NO, "whether the policy lets it"},
    {"WHY", "why", COLUMN_TEXT, "the rule that refuses it, empty if none does", .wraps = true},
    COLUMNS_END,
};

const struct column metric_fields[] = {
    {"NAME", "name", COLUMN_TEXT, "name of the sample"},
    {"TYPE", "type", COLUMN_TEXT, "gauge, counter, histogram or info"},
    {"LABELS", "labels", COLUMN_LABELS, "its labels, texts"},
    {"VALUE", "value", COLUMN_FRACTION, "its value"},
    COLUMNS_END,
};

const struct column check_fields[] = {
    {"CHECK", "check", COLUMN_TEXT, "what was looked at"},
    {"RESULT", "result", COLUMN_TEXT, "ok, warning or failed"},
    {"FOUND", "found", COLUMN_TEXT, "what there is", .wraps = true},
    {"FIX", "fix", COLUMN_TEXT, "what to do, empty if all is well", .wraps = true},
    COLUMNS_END,
};

const struct column cap_fields[] = {
    {"DEVICE", "device", COLUMN_TEXT, "name of the function"},
    {"LIBRARY", "library", COLUMN_TEXT, "dma, rdma, ...: as functions of DOCA 3 name it"},
    {"CAPABILITY", "capability", COLUMN_TEXT, "what it can do, or up to which limit"},
    {"VALUE", "value", COLUMN_TEXT, "yes, no, a limit, or the error that the library returns"},
    {NULL, "limit", COLUMN_NUMBER, "the limit as a number", .optional = true},
    {NULL, "function", COLUMN_TEXT, "the function of DOCA 3 that says so"},
    {NULL, "card", COLUMN_TEXT, "the card profile that the device imitates, or the first one"},
    {NULL, "other_card", COLUMN_TEXT, "software, or the second card of --compare"},
    {"OTHER", "other", COLUMN_TEXT, "what the other card has, if that differs; else empty"},
    COLUMNS_END,
};

const struct column card_fields[] = {
    {"CARD", "card", COLUMN_TEXT, "name of the profile"},
    {"FROM", "from", COLUMN_TEXT, "built in, or file"},
    {"RELEASES", "releases", COLUMN_TEXT, "releases of DOCA that it has, the last one by default"},
    {"WRONG", "wrong", COLUMN_TEXT, "why a file cannot be used, empty if it can", .wraps = true},
    COLUMNS_END,
};

const struct column card_value_fields[] = {
    {"KEY", "key", COLUMN_TEXT, "key of the profile"},
    {"VALUE", "value", COLUMN_TEXT, "yes, no, a number or unlimited"},
    {"SOFTWARE", "software", COLUMN_TEXT, "what software has", .rank = 1},
    {"MEANING", "meaning", COLUMN_TEXT, "what the key is about", .wraps = true},
    COLUMNS_END,
};

const struct column card_time_fields[] = {
    {"WORK", "work", COLUMN_TEXT, "kind of task, and what was measured of it"},
    {"BYTES", "bytes", COLUMN_NUMBER, "of a task; of erasure coding: of a block"},
    {"MODEL NS", "model_ns", COLUMN_NUMBER, "ns by the profile's model"},
    {"PUBLISHED NS", "published_ns", COLUMN_NUMBER, "ns by the published figure"},
    {"OFF", "off_percent", COLUMN_PERCENT, "by how much the model is above the figure, in percent"},
    {"SOURCE", "source", COLUMN_TEXT, "where the figure was published", .wraps = true},
    COLUMNS_END,
};

const struct column why_fields[] = {
    {"FUNCTION", "function", COLUMN_TEXT, "name of the function"},
    {"INTERFACE", "generation", COLUMN_TEXT, "generation of the interface: 1.3, 1.5, 2.2 or 3"},
    {"ERROR", "error", COLUMN_TEXT, "what it returns, empty if that is no error"},
    {"WHY", "why", COLUMN_TEXT, "in which case", .wraps = true},
    COLUMNS_END,
};

const struct column top_session_fields[] = {
    {NULL, "id", COLUMN_NUMBER, "number of the session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"JOBS/s", "jobs_per_s", COLUMN_NUMBER, "jobs that ended"},
    {"FAILED/s", "failed_per_s", COLUMN_NUMBER, "jobs that failed"},
    {"MAPPED/s", "mapped_bytes_per_s", COLUMN_BYTES, "bytes it moved itself"},
    {"ENGINE/s", "engine_bytes_per_s", COLUMN_BYTES, "bytes that engines moved for it"},
    {"REGISTERED", "region_bytes", COLUMN_BYTES, "bytes it has registered", .rank = 2},
    COLUMNS_END,
};

const struct column top_total_fields[] = {
    {NULL, "jobs_per_s", COLUMN_NUMBER, "jobs that ended"},
    {NULL, "failed_per_s", COLUMN_NUMBER, "jobs that failed"},
    {NULL, "mapped_bytes_per_s", COLUMN_BYTES, "bytes that they moved themselves"},
    {NULL, "engine_bytes_per_s", COLUMN_BYTES, "bytes that engines moved for them"},
    {NULL, "region_bytes", COLUMN_BYTES, "bytes they have registered"},
    COLUMNS_END,
};

const struct column top_fields[] = {
    {NULL, "time_us", COLUMN_NUMBER, "microseconds since 1970"},
    {NULL, "interval_us", COLUMN_NUMBER, "what the rates are over"},
    {NULL, "sessions", COLUMN_OBJECTS, "the programs", .members = top_session_fields},
    {NULL, "total", COLUMN_OBJECT, "their sums", .members = top_total_fields},
    COLUMNS_END,
};

const struct column monitor_fields[] = {
    {NULL, "time_us", COLUMN_NUMBER, "microseconds since 1970"},
    {NULL, "event", COLUMN_TEXT, "what has happened, see above"},
    {NULL, "id", COLUMN_NUMBER, "number of the object", .optional = true},
    {NULL, "export_id", COLUMN_ID, "id of the export", .optional = true},
    {NULL, "session_id", COLUMN_NUMBER, "session it is about", .optional = true},
    {NULL, "pid", COLUMN_NUMBER, "its process", .optional = true},
    {NULL, "uid", COLUMN_NUMBER, "its user", .optional = true},
    {NULL, "program", COLUMN_TEXT, "what it calls itself", .optional = true},
    {NULL, "name", COLUMN_TEXT, "function, node, representor or request", .optional = true},
    {NULL, "bytes", COLUMN_BYTES, "size of the memory", .optional = true},
    {NULL, "error", COLUMN_TEXT, "name of a doca_error_t", .optional = true},
    {NULL, "text", COLUMN_TEXT, "why", .optional = true},
    {NULL, "lost", COLUMN_NUMBER, "of the event lost: how many were left out", .optional = true},
    COLUMNS_END,
};

// ---- all lists -------------------------------------------------------------------------

#define LIST_OF(name)                                                                              \
    {                                                                                              \
        NULL, name, COLUMN_OBJECTS, "as the command's"                                             \
    }

const struct column dump_fields[] = {
    {NULL, "status", COLUMN_OBJECT, "as the command's"},
    LIST_OF("devices"),
    LIST_OF("representors"),
    LIST_OF("peers"),
    LIST_OF("sessions"),
    LIST_OF("regions"),
    LIST_OF("exports"),
    LIST_OF("exports_names"),
    LIST_OF("imports"),
    LIST_OF("queues"),
    LIST_OF("channels"),
    LIST_OF("channels_services"),
    LIST_OF("listeners"),
    LIST_OF("events"),
    LIST_OF("metrics"),
    COLUMNS_END,
};

const struct column demo_fields[] = {
    {"copied", "bytes", COLUMN_BYTES, "bytes that the DPU copied from the host's memory"},
    {"per second", "bytes_per_second", COLUMN_BYTES, "bytes copied in a second"},
    {"memcpy per second", "memcpy_bytes_per_second", COLUMN_BYTES,
     "bytes that memcpy copied in a second, in turns with the DPU"},
    {"percent of memcpy", "percent_of_memcpy", COLUMN_NUMBER, "the first rate of the second"},
    {"verified", "verified", COLUMN_YES_NO, "the copy was compared with the original"},
    COLUMNS_END,
};
