// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl and the descriptors of exports: carried by hand and by name, and revoked while
// they are in use.

#include "docactl_run.h"

#include "cleanup.h"
#include "deadline.h"
#include "export_text.h"
#include "text_names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A descriptor that was carried here from a node that this one does not know.
static void write_from_stranger(const char *path, const struct host_program *p)
{
    struct export_desc desc;
    struct errtext err;
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
    size_t size;
    ck_assert_int_eq(export_desc_decode(p->desc, p->desc_size, &desc, &err), DOCA_SUCCESS);
    desc.node[0] ^= 1;
    ck_assert_int_eq(export_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
    cleanup_file FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
}

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
    struct host_program p = start_host_program();
    struct path file = temp_path("descriptor"), script = temp_path("piped");
    struct stat st;
    RUN_OK(nodes.host, "exports", "get", p.id, "-o", file.s);
    assert_file(file.s, p.desc, p.desc_size);
    ck_assert_int_eq(stat(file.s, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    unlink(file.s);

    char line[512];
    snprintf(line, sizeof(line), "%s/docactl exports get %s >%s", DOCAD_BIN_DIR, p.id, script.s);
    command_run(nodes.host, (const char *const[]){"/bin/sh", "-c", line, NULL}, &result);
    ck_assert_int_eq(result.status, 0);
    assert_file(script.s, p.desc, p.desc_size);
    unlink(script.s);

    RUN_OK(nodes.host, "exports", "get", p.id, "--json");
    struct json_object *object = printed();
    ck_assert_str_eq(text_of(object, "export_id"), p.id);
    ck_assert_uint_eq(number_of(object, "size"), p.desc_size);
    ck_assert_uint_eq(strlen(text_of(object, "descriptor")), 2 * p.desc_size);
    json_object_put(object);

    ck_assert_int_eq(RUN(nodes.host, "exports", "get", "1", "-o", file.s), 1);
    ck_assert_int_ne(access(file.s, F_OK), 0); // nothing was written
    ck_assert_int_eq(RUN(nodes.host, "exports", "get", p.id, "-o", "/nowhere/at/all"), 1);
    assert_names(result.err, "/nowhere/at/all");
    end_host_program(&p);
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
    struct host_program p = start_host_program();
    char seen[1024];
    ck_assert_int_eq(get_on_terminal(p.id, seen, sizeof(seen)), 2);
    assert_names(seen, "-o");
    end_host_program(&p);
}
END_TEST

START_TEST(publish_and_lookup)
{
    struct host_program p = start_host_program();
    struct path file = temp_path("found");
    RUN_OK(nodes.host, "exports", "publish", p.id, "a-name");
    RUN_OK(nodes.dpu, "exports", "lookup", "a-name", "--timeout", "60", "-o", file.s);
    assert_file(file.s, p.desc, p.desc_size);
    unlink(file.s);

    struct json_object *names = list_of(nodes.dpu, "exports", "names");
    struct json_object *name = pick(names, "name", "a-name");
    ck_assert_str_eq(text_of(name, "export_id"), p.id);
    ck_assert_str_eq(text_of(name, "node_name"), "host");
    ck_assert_str_eq(text_of(name, "owner_node"), "host");
    json_object_put(names);
    struct json_object *exports = list_of(nodes.host, "exports", NULL);
    ck_assert(has_text(pick(exports, "id", p.id), "published", "a-name"));
    json_object_put(exports);

    ck_assert_int_eq(RUN(nodes.host, "exports", "publish", p.id, "a-name", "--json"), 1);
    assert_names(result.err, "DOCA_ERROR_ALREADY_EXIST");
    ck_assert_int_eq(RUN(nodes.host, "exports", "publish", "1", "another"), 1);
    RUN_OK(nodes.host, "exports", "unpublish", "a-name");
    ck_assert_int_eq(RUN(nodes.host, "exports", "unpublish", "a-name", "--json"), 1);
    assert_names(result.err, "DOCA_ERROR_NOT_FOUND");
    ck_assert_int_eq(RUN(nodes.host, "exports", "lookup", "a-name", "-o", file.s), 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "lookup", "a-name", "-t", "0.05", "-o", file.s), 4);
    ck_assert_int_ne(access(file.s, F_OK), 0);
    end_host_program(&p);
}
END_TEST

START_TEST(put_refuses_a_name_that_would_end_with_it)
{
    struct host_program p = start_host_program();
    struct path file = temp_path("carried");
    write_from_stranger(file.s, &p);
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "put", file.s, "--name", "lost"), 1);
    assert_names(result.err, "never been linked");
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "lookup", "lost", "-o", file.s), 1);
    unlink(file.s);
    end_host_program(&p);
}
END_TEST

// Descriptor files in the forms that programs of the 1.3 interface write and that editors leave
// behind.
START_TEST(a_text_by_hand)
{
    struct host_program p = start_host_program();
    struct path file = temp_path("text"), found = temp_path("found");
    char text[EXPORT_TEXT_SIZE];
    size_t size;
    struct errtext err;
    ck_assert_int_eq(export_text_encode(p.desc, p.desc_size, text, &size, &err), DOCA_SUCCESS);
    const char *const ends[] = {"", "\n", "\r\n"};
    for (size_t i = 0; i <= ARRAY_SIZE(ends); i++) { // the last time with the zero
        FILE *out = fopen(file.s, "w");
        ck_assert_int_ge(fputs(text, out), 0);
        if (i < ARRAY_SIZE(ends))
            ck_assert_int_ge(fputs(ends[i], out), 0);
        else
            ck_assert_int_eq(fputc('\0', out), '\0');
        ck_assert_int_eq(fclose(out), 0);
        RUN_OK(nodes.dpu, "exports", "put", file.s, "--name", "text");
        RUN_OK(nodes.dpu, "exports", "lookup", "text", "-o", found.s);
        assert_file(found.s, p.desc, p.desc_size);
        unlink(found.s);
        RUN_OK(nodes.dpu, "exports", "unpublish", "text");
    }
    ck_assert_int_eq(truncate(file.s, (off_t)size - 20), 0);
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "put", file.s, "--name", "text"), 1);
    unlink(file.s);
    end_host_program(&p);
}
END_TEST

// The DPU's program: finds the export by the name in `arg`, copies it, and once more after
// the test has revoked it.
static int dpu_program(struct child *self, void *arg)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE], expected[MEMORY_SIZE];
    size_t size = sizeof(desc);
    struct copier c;
    ck_assert_success(docad_export_lookup(arg, HARNESS_LIMIT_MS, desc, &size));
    copier_start(&c, DPU_P0, MEMORY_SIZE);
    copier_import(&c, desc, size);
    ck_assert_success(copier_read(&c, 0, MEMORY_SIZE));
    fill(expected);
    ck_assert_mem_eq(c.memory, expected, MEMORY_SIZE);
    child_tell(self, "copied");
    child_wait(self, "revoked");
    ck_assert_error(copier_read(&c, 0, MEMORY_SIZE), DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "refused");
    child_wait(self, "end");
    copier_stop(&c);
    self->may_leave_open = true; // the session stays
    return 0;
}

static int dpu_program_until_its_owner_ends(struct child *self, void *arg)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    struct copier c;
    (void)arg;
    ck_assert_success(docad_export_lookup("by-session", HARNESS_LIMIT_MS, desc, &size));
    copier_start(&c, DPU_P0, MEMORY_SIZE);
    copier_import(&c, desc, size);
    ck_assert_success(copier_read(&c, 0, MEMORY_SIZE));
    child_tell(self, "copied");
    child_wait(self, "ended");
    ck_assert_error(copier_read(&c, 0, MEMORY_SIZE), DOCA_ERROR_CONNECTION_RESET);
    copier_stop(&c);
    self->may_leave_open = true; // the session stays
    return 0;
}

// The importer, as the DPU's daemon reports it, and the host's daemon in three places.
static void check_importer(const char *export_id, uint64_t pid)
{
    struct json_object *list = list_of(nodes.dpu, "imports", NULL);
    struct json_object *import = pick(list, "export_id", export_id);
    ck_assert_str_eq(text_of(import, "state"), "live");
    ck_assert_str_eq(text_of(import, "owner_node"), "host");
    ck_assert_uint_eq(number_of(import, "pid"), pid);
    ck_assert_uint_eq(number_of(import, "length"), MEMORY_SIZE);
    json_object_put(list);

    RUN_OK(nodes.host, "exports", "show", export_id, "--json");
    struct json_object *export = printed();
    struct json_object *importers = get(export, "importers", json_type_array);
    ck_assert_uint_eq(json_object_array_length(importers), 1);
    struct json_object *who = json_object_array_get_idx(importers, 0);
    ck_assert_str_eq(text_of(who, "node_name"), "dpu");
    ck_assert_uint_eq(number_of(who, "pid"), pid);
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
    ck_assert_uint_eq(number_of(json_object_array_get_idx(by, 0), "pid"), pid);
    ck_assert_str_eq(text_of(region, "backing"), "both");
    json_object_put(list);

    RUN_OK(nodes.dpu, "imports");
    assert_names(result.out, "live");
}

// The parts of a page at either end went through the host's engine.
static void check_engine_queue(void)
{
    struct json_object *list = list_of(nodes.host, "queues", NULL);
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
}

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

// The importer has copied once. Its own daemon has the counts of its work queue.
static void check_work(const struct child *child)
{
    struct json_object *list = list_of(nodes.dpu, "queues", NULL);
    struct json_object *work = pick(list, "kind", "work");
    ck_assert_uint_eq(number_of(work, "pid"), (uint64_t)child->pid);
    ck_assert_str_eq(text_of(work, "library"), "dma");
    ck_assert_str_eq(text_of(work, "path"), "both");
    ck_assert_uint_eq(number_of(work, "depth"), 4);
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
    ck_assert_uint_eq(number_of(quota, "limit"), 32768);
    json_object_put(list);
}

START_TEST(by_hand_and_revoked)
{
    struct host_program p = start_host_program();
    struct path file = temp_path("carried");
    RUN_OK(nodes.host, "exports", "get", p.id, "-o", file.s);
    struct child *child = child_start(nodes.dpu, "dpu", dpu_program, (void *)"by-hand");
    RUN_OK(nodes.dpu, "exports", "put", file.s, "--name", "by-hand");
    ck_assert_int_eq(RUN(nodes.dpu, "exports", "put", file.s, "--name", "by-hand"), 1);
    unlink(file.s);
    child_wait(child, "copied");
    check_importer(p.id, (uint64_t)child->pid);
    check_work(child);
    check_engine_queue();

    RUN_OK(nodes.host, "exports", "revoke", p.id);
    child_tell(child, "revoked");
    child_wait(child, "refused");
    wait_import_state("revoked");
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", p.id), 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "get", p.id, "-o", file.s), 1);
    child_tell(child, "end");
    child_join(child);
    end_host_program(&p);
}
END_TEST

START_TEST(revoked_by_name_or_process)
{
    struct host_program p = start_host_program();
    char pid[16];

    RUN_OK(nodes.host, "exports", "publish", p.id, "model");
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke"), 2);
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", p.id, "--name", "model"), 2);
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", "--pid", "x"), 2);
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", "--pid", "1"), 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", "--name", "other"), 1);
    RUN_OK(nodes.host, "exports", "show", p.id); // they have ended nothing

    RUN_OK(nodes.host, "exports", "revoke", "--name", "model", "--json");
    struct json_object *revoked = printed();
    check_table("exports revoke", revoked);
    struct json_object *ids = get(revoked, "ids", json_type_array);
    ck_assert_uint_eq(json_object_array_length(ids), 1);
    ck_assert_str_eq(json_object_get_string(json_object_array_get_idx(ids, 0)), p.id);
    json_object_put(revoked);
    ck_assert_int_eq(RUN(nodes.host, "exports", "show", p.id), 1);
    end_host_program(&p);

    p = start_host_program();
    snprintf(pid, sizeof(pid), "%d", (int)p.child->pid);
    RUN_OK(nodes.host, "exports", "revoke", "--pid", pid);
    assert_names(result.out, p.id);
    ck_assert_int_eq(RUN(nodes.host, "exports", "show", p.id), 1);
    end_host_program(&p);
}
END_TEST

// With its owner, a name of one's own is the same name.
START_TEST(revoked_by_owner_and_name)
{
    struct host_program p = start_host_program();
    char name[64];

    RUN_OK(nodes.host, "exports", "publish", p.id, "model");
    snprintf(name, sizeof(name), "%u/model", (unsigned)geteuid() + 1);
    ck_assert_int_eq(RUN(nodes.host, "exports", "revoke", "--name", name), 1);
    RUN_OK(nodes.host, "exports", "show", p.id);
    snprintf(name, sizeof(name), "%u/model", (unsigned)geteuid());
    RUN_OK(nodes.host, "exports", "revoke", "--name", name);
    assert_names(result.out, p.id);
    ck_assert_int_eq(RUN(nodes.host, "exports", "show", p.id), 1);
    end_host_program(&p);
}
END_TEST

// An importer on the DPU learns of the end.
static void end_session_of(struct host_program *p, const char *which)
{
    struct child *child = child_start(nodes.dpu, "dpu", dpu_program_until_its_owner_ends, NULL);
    RUN_OK(nodes.host, "exports", "publish", p->id, "by-session");
    child_wait(child, "copied");
    RUN_OK(nodes.host, "sessions", "end", which, "--json");
    struct json_object *ended = printed();
    check_table("sessions end", ended);
    ck_assert_uint_eq(json_object_array_length(get(ended, "ids", json_type_array)), 1);
    json_object_put(ended);
    child_tell(child, "ended");
    child_join(child);
    ck_assert_int_eq(RUN(nodes.host, "exports", "show", p->id), 1);
}

static void number_of_session(const struct host_program *p, char number[24])
{
    struct json_object *list = list_of(nodes.host, "sessions", NULL);
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *session = json_object_array_get_idx(list, i);
        if (number_of(session, "pid") == (uint64_t)p->child->pid)
            snprintf(number, 24, "%" PRIu64, number_of(session, "id"));
    }
    json_object_put(list);
}

// One by itself, with what it may use.
static void show_session(const char *number)
{
    RUN_OK(nodes.host, "sessions", "show", number, "--json");
    struct json_object *shown = printed();
    check_table("sessions show", shown);
    ck_assert_uint_eq(number_of(shown, "exports"), 1);
    json_object_put(shown);
    RUN_OK(nodes.host, "sessions", "show", number);
    ck_assert_msg(strstr(result.out, "connected for") && strstr(result.out, "regions_per_session"),
                  "%s", result.out);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "show", "987654321"), 1);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "show", "x"), 2);
}

START_TEST(a_session_is_ended)
{
    struct host_program p = start_host_program();
    char pid[24], number[24] = "";

    number_of_session(&p, number);
    show_session(number);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end"), 2);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", number, "--pid", "1"), 2);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", "x"), 2);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", "--pid", "x"), 2);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", "--pid", "1"), 1);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", "999999"), 1);
    RUN_OK(nodes.host, "exports", "show", p.id); // they have ended nothing
    end_session_of(&p, number);
    ck_assert_int_eq(RUN(nodes.host, "sessions", "end", number), 1);
    end_host_program(&p);

    p = start_host_program();
    snprintf(pid, sizeof(pid), "--pid=%d", (int)p.child->pid);
    end_session_of(&p, pid);
    end_host_program(&p);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1);
    Suite *suite = suite_create("docactl_exports");
    TCase *tcase = tcase_create("docactl_exports");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, get_writes_the_descriptor);
    tcase_add_test(tcase, get_spares_the_terminal);
    tcase_add_test(tcase, revoked_by_name_or_process);
    tcase_add_test(tcase, revoked_by_owner_and_name);
    tcase_add_test(tcase, a_session_is_ended);
    tcase_add_test(tcase, publish_and_lookup);
    tcase_add_test(tcase, put_refuses_a_name_that_would_end_with_it);
    tcase_add_test(tcase, a_text_by_hand);
    tcase_add_test(tcase, by_hand_and_revoked);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
