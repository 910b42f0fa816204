// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl against two linked nodes: every command, what it prints, how it ends.

#include "export_text.h"
#include "child.h"
#include "deadline.h"
#include "run.h"

#include "cleanup.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_docad.h>
#include <doca_mmap.h>

#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MEMORY_SIZE 12345

static struct node_pair nodes;
static struct command_result result;

static void start_nodes(void)
{
    env_setup();
    nodes = node_pair_start();
}

// ---- running docactl -----------------------------------------------------------------------

static int run_on(const struct daemon *daemon, const char *const words[])
{
    const char *argv[16] = {"docactl"};
    size_t n = 1;
    while (*words)
        argv[n++] = *words++;
    command_run(daemon, argv, &result);
    return result.status;
}

#define RUN(daemon, ...) run_on(daemon, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_OK(daemon, ...)                                                                        \
    ck_assert_msg(RUN(daemon, __VA_ARGS__) == 0, "status %d: %s", result.status, result.err)

// What the last command printed, as JSON. The caller releases it.
static struct json_object *printed(void)
{
    struct json_object *value = json_tokener_parse(result.out);
    ck_assert_msg(value != NULL, "no JSON: %s", result.out);
    return value;
}

static struct json_object *get(struct json_object *object, const char *key, json_type type)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s", key);
    ck_assert_msg(json_object_is_type(value, type), "%s has another type", key);
    return value;
}

static const char *text_of(struct json_object *object, const char *key)
{
    return json_object_get_string(get(object, key, json_type_string));
}

static uint64_t number_of(struct json_object *object, const char *key)
{
    return json_object_get_uint64(get(object, key, json_type_int));
}

// The one object of a list whose member has this text.
static struct json_object *pick(struct json_object *array, const char *key, const char *text)
{
    struct json_object *found = NULL;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *object = json_object_array_get_idx(array, i);
        if (strcmp(text_of(object, key), text) == 0) {
            ck_assert_msg(!found, "two with %s %s", key, text);
            found = object;
        }
    }
    ck_assert_msg(found != NULL, "none with %s %s: %s", key, text, result.out);
    return found;
}

// ---- what is printed is what the table of commands says ----------------------------------------

static bool is_type(struct json_object *value, const char *type)
{
    if (strcmp(type, "integer or null") == 0 && !value)
        return true;
    if (strcmp(type, "number") == 0)
        return json_object_is_type(value, json_type_double) ||
               json_object_is_type(value, json_type_int);
    return json_object_is_type(value, strncmp(type, "integer", 7) == 0 ? json_type_int
                                      : strncmp(type, "array", 5) == 0 ? json_type_array
                                      : strcmp(type, "boolean") == 0   ? json_type_boolean
                                      : strcmp(type, "object") == 0    ? json_type_object
                                                                       : json_type_string);
}

static void check_value(const char *where, struct json_object *value, struct json_object *fields);

static void check_object(const char *where, struct json_object *object, struct json_object *fields)
{
    size_t known = 0;
    ck_assert_msg(json_object_is_type(object, json_type_object), "%s: no object", where);
    for (size_t i = 0; i < json_object_array_length(fields); i++) {
        struct json_object *field = json_object_array_get_idx(fields, i), *value, *members;
        const char *key = json_object_get_string(json_object_object_get(field, "key"));
        const char *type = json_object_get_string(json_object_object_get(field, "type"));
        if (!json_object_object_get_ex(object, key, &value)) {
            ck_assert_msg(json_object_get_boolean(json_object_object_get(field, "optional")),
                          "%s: no member %s", where, key);
            continue;
        }
        known++;
        ck_assert_msg(is_type(value, type), "%s: %s is no %s", where, key, type);
        if (json_object_object_get_ex(field, "members", &members))
            check_value(key, value, members);
    }
    ck_assert_msg(known == (size_t)json_object_object_length(object),
                  "%s has members that are in no table: %s", where,
                  json_object_to_json_string(object));
}

static void check_value(const char *where, struct json_object *value, struct json_object *fields)
{
    if (!json_object_is_type(value, json_type_array)) {
        check_object(where, value, fields);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(value); i++)
        check_object(where, json_object_array_get_idx(value, i), fields);
}

// The last command's output, `value`, against what `docactl help --json` says of `command`.
static void check_table(const char *command, struct json_object *value)
{
    static const char *const argv[] = {"docactl", "help", "--json", NULL};
    struct command_result *help = calloc(1, sizeof(*help));
    command_run(NULL, argv, help);
    ck_assert_int_eq(help->status, 0);
    struct json_object *table = json_tokener_parse(help->out);
    ck_assert_ptr_nonnull(table);
    struct json_object *entry = pick(table, "name", command);
    ck_assert_str_eq(text_of(entry, "shape"),
                     json_object_is_type(value, json_type_array) ? "array" : "object");
    check_value(command, value, get(entry, "fields", json_type_array));
    json_object_put(table);
    free(help);
}

static struct json_object *list_of(const struct daemon *daemon, const char *command,
                                   const char *second)
{
    RUN_OK(daemon, "--json", command, second);
    struct json_object *array = printed();
    ck_assert(json_object_is_type(array, json_type_array));
    char name[64];
    snprintf(name, sizeof(name), "%s%s%s", command, second ? " " : "", second ? second : "");
    check_table(name, array);
    return array;
}

static bool has_text(struct json_object *object, const char *key, const char *text)
{
    struct json_object *array = get(object, key, json_type_array);
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(array, i)), text) == 0)
            return true;
    }
    return false;
}

// ---- programs on either side -----------------------------------------------------------------

#define OK(call) ck_assert_int_eq(call, DOCA_SUCCESS)

static struct doca_dev *open_at(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    OK(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n; i++) {
        uint8_t equal;
        OK(doca_devinfo_get_is_pci_addr_equal(list[i], pci, &equal));
        if (equal && !dev)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_list_destroy(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

static void fill(uint8_t memory[MEMORY_SIZE])
{
    for (size_t i = 0; i < MEMORY_SIZE; i++)
        memory[i] = (uint8_t)(i * 7);
}

// The host's program: exports memory, hands the descriptor to the test, waits.
static int exporter(struct child *self, void *arg)
{
    uint8_t *memory = malloc(MEMORY_SIZE);
    struct doca_mmap *map;
    const void *desc;
    size_t size;
    (void)arg;
    fill(memory);
    struct doca_dev *dev = open_at("0b:00.0");
    OK(doca_mmap_create(NULL, &map));
    OK(doca_mmap_set_permissions(map, DOCA_ACCESS_DPU_READ_ONLY));
    OK(doca_mmap_set_memrange(map, memory, MEMORY_SIZE));
    OK(doca_mmap_dev_add(map, dev));
    OK(doca_mmap_start(map));
    OK(doca_mmap_export_dpu(map, dev, &desc, &size));
    child_send(self, &memory, sizeof(memory));
    child_send(self, desc, size);
    child_wait(self, "end");
    OK(doca_mmap_destroy(map));
    OK(doca_dev_close(dev));
    free(memory);
    self->may_leave_open = true; // the session stays
    return 0;
}

struct exporter {
    struct child *child;
    uint64_t address;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t desc_size;
    char id[24]; // as docactl writes it
};

static struct exporter start_exporter(void)
{
    struct exporter e = {.child = child_start(nodes.host, "exporter", exporter, NULL)};
    ck_assert_uint_eq(child_receive(e.child, &e.address, sizeof(e.address)), sizeof(e.address));
    e.desc_size = child_receive(e.child, e.desc, sizeof(e.desc));
    struct json_object *exports = list_of(nodes.host, "exports", "list");
    ck_assert_uint_eq(json_object_array_length(exports), 1);
    snprintf(e.id, sizeof(e.id), "%s", text_of(json_object_array_get_idx(exports, 0), "id"));
    json_object_put(exports);
    return e;
}

static void end_exporter(struct exporter *e)
{
    child_tell(e->child, "end");
    child_join(e->child);
}

struct importer {
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *remote, *local;
    struct doca_buf *from, *to;
};

static void importer_setup(struct importer *m, struct doca_dev *dev, const void *desc, size_t size,
                           uint8_t *memory)
{
    void *address;
    size_t length;
    OK(doca_dma_create(&m->dma));
    m->ctx = doca_dma_as_ctx(m->dma);
    OK(doca_ctx_dev_add(m->ctx, dev));
    OK(doca_ctx_start(m->ctx));
    OK(doca_workq_create(1, &m->workq));
    OK(doca_ctx_workq_add(m->ctx, m->workq));
    OK(doca_mmap_create_from_export(NULL, desc, size, dev, &m->remote));
    OK(doca_mmap_get_memrange(m->remote, &address, &length));
    ck_assert_uint_eq(length, MEMORY_SIZE);
    OK(doca_mmap_create(NULL, &m->local));
    OK(doca_mmap_set_memrange(m->local, memory, MEMORY_SIZE));
    OK(doca_mmap_dev_add(m->local, dev));
    OK(doca_mmap_start(m->local));
    OK(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &m->inventory));
    OK(doca_buf_inventory_start(m->inventory));
    OK(doca_buf_inventory_buf_by_data(m->inventory, m->remote, address, length, &m->from));
    OK(doca_buf_inventory_buf_by_addr(m->inventory, m->local, memory, MEMORY_SIZE, &m->to));
}

// Copies all of it once; returns what became of the job.
static doca_error_t importer_copy(struct importer *m)
{
    OK(doca_buf_reset_data_len(m->to));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = m->ctx},
        .dst_buff = m->to,
        .src_buff = m->from,
    };
    struct doca_event event;
    doca_error_t r;
    OK(doca_workq_submit(m->workq, &job.base));
    while ((r = doca_workq_progress_retrieve(m->workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ;
    return r == DOCA_ERROR_IO_FAILED ? (doca_error_t)event.result.u64 : r;
}

static void importer_teardown(struct importer *m)
{
    OK(doca_buf_refcount_rm(m->from, NULL));
    OK(doca_buf_refcount_rm(m->to, NULL));
    OK(doca_buf_inventory_destroy(m->inventory));
    OK(doca_mmap_destroy(m->local));
    OK(doca_mmap_destroy(m->remote));
    OK(doca_ctx_workq_rm(m->ctx, m->workq));
    OK(doca_workq_destroy(m->workq));
    OK(doca_ctx_stop(m->ctx));
    OK(doca_dma_destroy(m->dma));
}

// The DPU's program: finds the export by the name in `arg`, copies it, and once more after
// the test has revoked it.
static int importer(struct child *self, void *arg)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE], expected[MEMORY_SIZE];
    size_t size = sizeof(desc);
    uint8_t *memory = calloc(1, MEMORY_SIZE);
    struct importer m;
    OK(docad_export_lookup(arg, HARNESS_LIMIT_MS, desc, &size));
    struct doca_dev *dev = open_at("03:00.0");
    importer_setup(&m, dev, desc, size, memory);
    OK(importer_copy(&m));
    fill(expected);
    ck_assert_mem_eq(memory, expected, MEMORY_SIZE);
    child_tell(self, "copied");
    child_wait(self, "revoked");
    ck_assert_int_eq(importer_copy(&m), DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "refused");
    child_wait(self, "end");
    importer_teardown(&m);
    OK(doca_dev_close(dev));
    free(memory);
    self->may_leave_open = true; // the session stays
    return 0;
}

// ---- the node ----------------------------------------------------------------------------------

START_TEST(status_and_ping)
{
    RUN_OK(nodes.host, "status", "--json");
    struct json_object *status = printed();
    check_table("status", status);
    ck_assert_str_eq(text_of(status, "node_name"), "host");
    ck_assert_str_eq(text_of(status, "role"), "host");
    ck_assert_uint_eq(strlen(text_of(status, "node")), 32);
    ck_assert_str_eq(text_of(status, "socket"), nodes.host->socket.s);
    ck_assert_uint_eq(number_of(status, "pid"), (uint64_t)nodes.host->pid);
    ck_assert_uint_eq(number_of(status, "uid"), getuid());
    ck_assert_uint_eq(number_of(status, "functions"), 5);
    ck_assert_uint_eq(number_of(status, "peers_linked"), 1);
    json_object_put(status);
    RUN_OK(nodes.host, "status");
    ck_assert_ptr_nonnull(strstr(result.out, nodes.host->socket.s));

    RUN_OK(nodes.dpu, "ping", "--json");
    struct json_object *ping = printed();
    check_table("ping", ping);
    ck_assert_str_eq(text_of(ping, "node_name"), "dpu");
    number_of(ping, "round_trip_us");
    json_object_put(ping);
    // The option names another daemon than the environment.
    RUN_OK(nodes.dpu, "--socket", nodes.host->socket.s, "ping");
    ck_assert_ptr_nonnull(strstr(result.out, "host"));
}
END_TEST

START_TEST(devices)
{
    struct json_object *list = list_of(nodes.host, "devices", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 5);
    struct json_object *pf0 = pick(list, "name", "pf0");
    ck_assert_str_eq(text_of(pf0, "pci_address"), "0000:0b:00.0");
    ck_assert_str_eq(text_of(pf0, "type"), "pf");
    ck_assert_str_eq(text_of(pf0, "backing"), "shm");
    ck_assert_str_eq(text_of(pf0, "ipv4"), "192.168.100.1");
    ck_assert_uint_eq(strlen(text_of(pf0, "mac")), 17);
    ck_assert_uint_eq(number_of(pf0, "port"), 0);
    ck_assert(has_text(pf0, "capabilities", "dma"));
    ck_assert(has_text(pf0, "capabilities", "export_dpu"));
    ck_assert(!has_text(pf0, "capabilities", "import_dpu"));
    json_object_put(list);

    list = list_of(nodes.dpu, "devices", NULL);
    ck_assert(has_text(pick(list, "name", "p0"), "capabilities", "import_dpu"));
    json_object_put(list);
    RUN_OK(nodes.dpu, "devices");
    ck_assert_int_eq(strncmp(result.out, "NAME", 4), 0);
    ck_assert_ptr_nonnull(strstr(result.out, "0000:03:00.0"));
}
END_TEST

START_TEST(representors_and_peers)
{
    struct json_object *list = list_of(nodes.dpu, "representors", NULL);
    struct json_object *vf = pick(list, "name", "hpf0vf1");
    ck_assert_str_eq(text_of(vf, "pci_address"), "0000:0b:00.3");
    ck_assert_str_eq(text_of(vf, "type"), "vf");
    ck_assert_str_eq(text_of(vf, "parent"), "p0");
    json_object_put(list);
    list = list_of(nodes.host, "representors", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 0);
    json_object_put(list);

    list = list_of(nodes.host, "peers", NULL);
    struct json_object *dpu = pick(list, "name", "dpu");
    ck_assert_str_eq(text_of(dpu, "state"), "linked");
    ck_assert_str_eq(text_of(dpu, "role"), "dpu");
    ck_assert_uint_ge(number_of(dpu, "functions"), 4);
    json_object_put(list);
    RUN_OK(nodes.dpu, "peers");
    ck_assert_ptr_nonnull(strstr(result.out, "linked"));
}
END_TEST

// ---- what programs have
// --------------------------------------------------------------------------

START_TEST(programs_and_their_memory)
{
    struct exporter e = start_exporter();

    struct json_object *list = list_of(nodes.host, "sessions", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 1); // no tools
    struct json_object *session = json_object_array_get_idx(list, 0);
    ck_assert_uint_eq(number_of(session, "pid"), (uint64_t)e.child->pid);
    ck_assert_uint_eq(number_of(session, "uid"), getuid());
    ck_assert_uint_eq(number_of(session, "regions"), 1);
    ck_assert_uint_eq(number_of(session, "region_bytes"), MEMORY_SIZE);
    ck_assert_uint_eq(number_of(session, "exports"), 1);
    uint64_t session_id = number_of(session, "id");
    json_object_put(list);
    RUN_OK(nodes.host, "sessions", "--all", "--json");
    ck_assert_ptr_nonnull(strstr(result.out, "docactl"));

    list = list_of(nodes.host, "regions", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 1);
    struct json_object *region = json_object_array_get_idx(list, 0);
    ck_assert_uint_eq(number_of(region, "address"), e.address);
    ck_assert_uint_eq(number_of(region, "length"), MEMORY_SIZE);
    ck_assert_uint_eq(number_of(region, "mapped_bytes") + number_of(region, "brokered_bytes"),
                      MEMORY_SIZE);
    ck_assert_uint_eq(number_of(region, "session_id"), session_id);
    ck_assert(has_text(region, "access", "dpu_read_only"));
    ck_assert(has_text(region, "functions", "pf0"));
    json_object_put(list);

    list = list_of(nodes.host, "exports", NULL);
    struct json_object *export = pick(list, "id", e.id);
    ck_assert_uint_eq(number_of(export, "length"), MEMORY_SIZE);
    ck_assert_str_eq(text_of(export, "target"), "dpu");
    ck_assert_str_eq(text_of(export, "function"), "pf0");
    ck_assert_uint_eq(json_object_array_length(get(export, "importers", json_type_array)), 0);
    json_object_put(list);

    const char *const commands[] = {"sessions", "regions", "exports"};
    char pid[16];
    snprintf(pid, sizeof(pid), " %d ", (int)e.child->pid);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        RUN_OK(nodes.host, commands[i]);
        ck_assert_msg(strstr(result.out, pid) != NULL, "%s: %s", commands[i], result.out);
    }
    end_exporter(&e);
}
END_TEST

START_TEST(show_one_export)
{
    struct exporter e = start_exporter();
    RUN_OK(nodes.host, "exports", "show", e.id, "--json");
    struct json_object *export = printed();
    ck_assert_str_eq(text_of(export, "id"), e.id);
    ck_assert_uint_eq(number_of(export, "address"), e.address);
    ck_assert_str_eq(text_of(export, "pci_address"), "0000:0b:00.0");
    json_object_put(export);
    RUN_OK(nodes.host, "exports", "show", e.id);
    ck_assert_ptr_nonnull(strstr(result.out, e.id));

    ck_assert_int_eq(RUN(nodes.host, "exports", "show", "1"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "export 0000000000000001: "));
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "show", e.id, "--json"), 1); // another node's
    ck_assert_ptr_nonnull(strstr(result.err, "DOCA_ERROR_NOT_FOUND"));
    end_exporter(&e);
}
END_TEST

// ---- descriptors
// -------------------------------------------------------------------------------------

static void assert_file(const char *path, const uint8_t *bytes, size_t size)
{
    uint8_t got[DOCAD_EXPORT_DESC_SIZE + 1];
    cleanup_file FILE *file = fopen(path, "re");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_uint_eq(fread(got, 1, sizeof(got), file), size);
    ck_assert_mem_eq(got, bytes, size);
}

START_TEST(get_writes_the_descriptor)
{
    struct exporter e = start_exporter();
    struct path file = temp_path("descriptor"), script = temp_path("piped");
    struct stat st;
    RUN_OK(nodes.host, "exports", "get", e.id, "-o", file.s);
    assert_file(file.s, e.desc, e.desc_size);
    ck_assert_int_eq(stat(file.s, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    unlink(file.s);

    char line[512];
    snprintf(line, sizeof(line), "%s/docactl exports get %s >%s", DOCAD_BIN_DIR, e.id, script.s);
    command_run(nodes.host, (const char *const[]){"/bin/sh", "-c", line, NULL}, &result);
    ck_assert_int_eq(result.status, 0);
    assert_file(script.s, e.desc, e.desc_size);
    unlink(script.s);

    RUN_OK(nodes.host, "exports", "get", e.id, "--json");
    struct json_object *object = printed();
    ck_assert_str_eq(text_of(object, "export_id"), e.id);
    ck_assert_uint_eq(number_of(object, "size"), e.desc_size);
    ck_assert_uint_eq(strlen(text_of(object, "descriptor")), 2 * e.desc_size);
    json_object_put(object);

    ck_assert_int_eq(RUN(nodes.host, "exports", "get", "1", "-o", file.s), 1);
    ck_assert_int_ne(access(file.s, F_OK), 0); // nothing was written
    ck_assert_int_eq(RUN(nodes.host, "exports", "get", e.id, "-o", "/nowhere/at/all"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "/nowhere/at/all"));
    end_exporter(&e);
}
END_TEST

// Runs `docactl exports get ID` with a terminal as standard output; returns its status and
// what came to the terminal.
static int get_on_terminal(const char *id, char *seen, size_t size)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(slave, 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        setenv("DOCAD_SOCKET", nodes.host->socket.s, 1);
        dup2(slave, STDOUT_FILENO);
        dup2(slave, STDERR_FILENO);
        execl(DOCAD_BIN_DIR "/docactl", "docactl", "exports", "get", id, NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ssize_t n = read(master, seen, size - 1);
    seen[n > 0 ? n : 0] = '\0';
    close(slave);
    close(master);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(get_spares_the_terminal)
{
    struct exporter e = start_exporter();
    char seen[1024];
    ck_assert_int_eq(get_on_terminal(e.id, seen, sizeof(seen)), 2);
    ck_assert_ptr_nonnull(strstr(seen, "name a file with -o"));
    end_exporter(&e);
}
END_TEST

START_TEST(publish_and_lookup)
{
    struct exporter e = start_exporter();
    struct path file = temp_path("found");
    RUN_OK(nodes.host, "exports", "publish", e.id, "a name");
    RUN_OK(nodes.dpu, "exports", "lookup", "a name", "--timeout", "60", "-o", file.s);
    assert_file(file.s, e.desc, e.desc_size);
    unlink(file.s);

    struct json_object *names = list_of(nodes.dpu, "exports", "names");
    struct json_object *name = pick(names, "name", "a name");
    ck_assert_str_eq(text_of(name, "export_id"), e.id);
    ck_assert_str_eq(text_of(name, "node"), "host");
    ck_assert_str_eq(text_of(name, "owner_node"), "host");
    json_object_put(names);
    struct json_object *exports = list_of(nodes.host, "exports", NULL);
    ck_assert(has_text(pick(exports, "id", e.id), "published", "a name"));
    json_object_put(exports);

    ck_assert_int_eq(RUN(nodes.host, "exports", "publish", e.id, "a name", "--json"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "DOCA_ERROR_ALREADY_EXIST"));
    ck_assert_int_eq(RUN(nodes.host, "exports", "publish", "1", "another"), 1);
    RUN_OK(nodes.host, "exports", "unpublish", "a name");
    ck_assert_int_eq(RUN(nodes.host, "exports", "unpublish", "a name", "--json"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "DOCA_ERROR_NOT_FOUND"));
    ck_assert_int_eq(RUN(nodes.host, "exports", "lookup", "a name", "-o", file.s), 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "lookup", "a name", "-t", "0.05", "-o", file.s), 4);
    ck_assert_int_ne(access(file.s, F_OK), 0);
    end_exporter(&e);
}
END_TEST

static void wait_import_state(const char *state)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (;;) {
        struct json_object *imports = list_of(nodes.dpu, "imports", NULL);
        ck_assert_uint_eq(json_object_array_length(imports), 1);
        bool there = strcmp(text_of(json_object_array_get_idx(imports, 0), "state"), state) == 0;
        json_object_put(imports);
        if (there)
            return;
        ck_assert_msg(deadline_pause(deadline), "the import never becomes %s: %s", state,
                      result.out);
    }
}

// The importer has copied once: what its work queue counted, at its own daemon.
static void check_work(const struct child *child)
{
    struct json_object *list = list_of(nodes.dpu, "queues", NULL);
    struct json_object *work = pick(list, "kind", "work");
    ck_assert_uint_eq(number_of(work, "pid"), (uint64_t)child->pid);
    ck_assert_str_eq(text_of(work, "library"), "dma");
    ck_assert_str_eq(text_of(work, "path"), "both");
    ck_assert_uint_eq(number_of(work, "depth"), 1);
    ck_assert_uint_eq(number_of(work, "in_flight"), 0);
    ck_assert_uint_eq(number_of(work, "requests"), 1);
    ck_assert_uint_eq(number_of(work, "bytes"), MEMORY_SIZE);
    ck_assert_uint_eq(number_of(work, "errors"), 0);
    json_object_put(list);

    list = list_of(nodes.dpu, "sessions", NULL);
    struct json_object *session = json_object_array_get_idx(list, 0);
    ck_assert_uint_eq(number_of(session, "jobs"), 1);
    ck_assert_uint_eq(number_of(session, "mapped_bytes") + number_of(session, "engine_bytes"),
                      MEMORY_SIZE);
    struct json_object *quota =
        pick(get(session, "quotas", json_type_array), "name", "imports_per_session");
    ck_assert_uint_eq(number_of(quota, "used"), 1);
    ck_assert_uint_eq(number_of(quota, "limit"), 4096);
    json_object_put(list);
}

// As programs of the 1.3 interface write descriptors to a file.
START_TEST(a_text_by_hand)
{
    struct exporter e = start_exporter();
    struct path file = temp_path("text"), found = temp_path("found");
    char text[EXPORT_TEXT_SIZE];
    size_t size;
    struct errtext err;
    ck_assert_int_eq(export_text_encode(e.desc, e.desc_size, text, &size, &err), DOCA_SUCCESS);
    for (size_t n = size; n >= size - 1; n--) { // with the zero, and without
        FILE *out = fopen(file.s, "w");
        ck_assert_uint_eq(fwrite(text, 1, n, out), n);
        ck_assert_int_eq(fclose(out), 0);
        RUN_OK(nodes.dpu, "exports", "put", file.s, "--name", "text");
        RUN_OK(nodes.dpu, "exports", "lookup", "text", "-o", found.s);
        assert_file(found.s, e.desc, e.desc_size);
        unlink(found.s);
        RUN_OK(nodes.dpu, "exports", "unpublish", "text");
    }
    ck_assert_int_eq(truncate(file.s, (off_t)size - 20), 0);
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "put", file.s, "--name", "text"), 1);
    unlink(file.s);
    end_exporter(&e);
}
END_TEST

START_TEST(by_hand_and_revoked)
{
    struct exporter e = start_exporter();
    struct path file = temp_path("carried");
    RUN_OK(nodes.host, "exports", "get", e.id, "-o", file.s);
    struct child *child = child_start(nodes.dpu, "importer", importer, (void *)"by hand");
    RUN_OK(nodes.dpu, "exports", "put", file.s, "--name", "by hand");
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "put", file.s, "--name", "by hand"), 1);
    unlink(file.s);
    child_wait(child, "copied");

    struct json_object *list = list_of(nodes.dpu, "imports", NULL);
    struct json_object *import = pick(list, "export_id", e.id);
    ck_assert_str_eq(text_of(import, "state"), "live");
    ck_assert_str_eq(text_of(import, "owner_node"), "host");
    ck_assert_uint_eq(number_of(import, "pid"), (uint64_t)child->pid);
    ck_assert_uint_eq(number_of(import, "length"), MEMORY_SIZE);
    json_object_put(list);
    RUN_OK(nodes.host, "exports", "show", e.id, "--json");
    struct json_object *export = printed();
    struct json_object *importers = get(export, "importers", json_type_array);
    ck_assert_uint_eq(json_object_array_length(importers), 1);
    struct json_object *who = json_object_array_get_idx(importers, 0);
    ck_assert_str_eq(text_of(who, "node"), "dpu");
    ck_assert_uint_eq(number_of(who, "pid"), (uint64_t)child->pid);
    json_object_put(export);
    RUN_OK(nodes.host, "dump");
    struct json_object *dump = printed();
    check_table("dump", dump);
    ck_assert_uint_eq(json_object_array_length(get(dump, "exports", json_type_array)), 1);
    json_object_put(dump);
    list = list_of(nodes.host, "regions", NULL);
    struct json_object *region = json_object_array_get_idx(list, 0);
    struct json_object *by = get(region, "imported_by", json_type_array);
    ck_assert_uint_eq(json_object_array_length(by), 1);
    ck_assert_uint_eq(number_of(json_object_array_get_idx(by, 0), "pid"), (uint64_t)child->pid);
    ck_assert_str_eq(text_of(region, "backing"), "both");
    json_object_put(list);
    check_work(child);
    // The parts of a page at either end went through the host's engine.
    list = list_of(nodes.host, "queues", NULL);
    ck_assert_uint_eq(json_object_array_length(list), 1);
    struct json_object *queue = json_object_array_get_idx(list, 0);
    ck_assert_str_eq(text_of(queue, "client_node"), "dpu");
    ck_assert_str_eq(text_of(queue, "engine_node"), "host");
    ck_assert_uint_gt(number_of(queue, "requests"), 0);
    ck_assert_uint_gt(number_of(queue, "bytes"), 0);
    ck_assert_uint_eq(number_of(queue, "errors"), 0);
    json_object_put(list);
    list = list_of(nodes.dpu, "queues", NULL);
    queue = json_object_array_get_idx(list, 0);
    ck_assert_str_eq(text_of(queue, "engine_node"), "host");
    json_object_put(list);
    RUN_OK(nodes.host, "queues");
    RUN_OK(nodes.dpu, "imports");
    ck_assert_ptr_nonnull(strstr(result.out, "live"));

    RUN_OK(nodes.host, "exports", "revoke", e.id);
    child_tell(child, "revoked");
    child_wait(child, "refused");
    wait_import_state("revoked");
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", e.id), 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "get", e.id, "-o", file.s), 1);
    child_tell(child, "end");
    child_join(child);
    end_exporter(&e);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1);
    Suite *suite = suite_create("docactl");
    TCase *tcase = tcase_create("docactl");
    tcase_add_checked_fixture(tcase, start_nodes, env_teardown);
    tcase_add_test(tcase, status_and_ping);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, representors_and_peers);
    tcase_add_test(tcase, programs_and_their_memory);
    tcase_add_test(tcase, show_one_export);
    tcase_add_test(tcase, get_writes_the_descriptor);
    tcase_add_test(tcase, get_spares_the_terminal);
    tcase_add_test(tcase, publish_and_lookup);
    tcase_add_test(tcase, a_text_by_hand);
    tcase_add_test(tcase, by_hand_and_revoked);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
