// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Rules by groups, and processes that are in them in every way that Linux has: what docad refuses
// such a process, and what it lets the process do. Needs root to be several users.

#include "protocol.h"
#include "users.h"
#include "walls.h"

#include "cleanup.h"

#include <check.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define GUESTS  65100    // the group that rules are about,
#define ACCOUNT "daemon" // as is the group of this user, who has subordinate uids:
#define SUB     700000   // the first of them, and of the subordinate gids
#define SUBS    65536
#define OTHERS  900000 // groups that nothing is about
#define GROUPS  3000   // the most that a case has
#define NAME    "for-guests"

// What a process gets.
enum gets {
    OPENS_UNLESS_GUEST = 1, // a function that a rule keeps from the groups
    OPENS_IF_GUEST = 2,     // one that a rule lets the groups alone open
    FINDS_NAME = 4,         // a name that is offered to the groups
    IMPORTS = 8,            // an export that a rule allows the groups alone,
    IMPORTS_FAR = 16,       // the same by a linked node
};

#define GUEST    (OPENS_IF_GUEST | FINDS_NAME | IMPORTS | IMPORTS_FAR)
#define STRANGER OPENS_UNLESS_GUEST
#define NOTHING  0

enum how {
    PLAIN,
    NAMESPACE, // in a user namespace with the subordinate uids and gids of its user
    SETGID,    // a program that its file gives the group
};

struct process {
    const char *what;
    uid_t uid;
    gid_t gid;
    unsigned others; // groups that it has
    bool guest;      // and GUESTS behind them
    enum how how;
    int gets;
};

static const struct process processes[] = {
    {"no group", USER_B, USER_B, 0, false, PLAIN, STRANGER},
    {"63 other groups", USER_B, USER_B, 63, false, PLAIN, STRANGER},
    {"64 other groups", USER_B, USER_B, 64, false, PLAIN, STRANGER},
    {"1000 other groups", USER_B, USER_B, 1000, false, PLAIN, STRANGER},
    {"the group", USER_B, USER_B, 0, true, PLAIN, GUEST},
    {"the group as its own", USER_B, GUESTS, 0, false, PLAIN, GUEST},
    {"the group and 62", USER_B, USER_B, 62, true, PLAIN, GUEST},
    {"the group and 63", USER_B, USER_B, 63, true, PLAIN, GUEST},
    {"the group and 64", USER_B, USER_B, 64, true, PLAIN, GUEST},
    {"the group and 499", USER_B, USER_B, 499, true, PLAIN, GUEST},
    // More than docad reports to a linked node, which then refuses.
    {"the group and 999", USER_B, USER_B, 999, true, PLAIN, GUEST & ~IMPORTS_FAR},
    {"the group and 2999", USER_B, USER_B, 2999, true, PLAIN, GUEST & ~IMPORTS_FAR},
    {"a set-group-ID program", USER_B, USER_B, 0, false, SETGID, GUEST},
    {"the user of the account", 1, 1, 0, false, PLAIN, GUEST},
    // The account's group only restricts.
    {"the user without the group", 1, USER_B, 0, false, PLAIN, NOTHING},
    {"a subordinate uid", SUB + 5, SUB + 5, 0, false, PLAIN, NOTHING},
    {"a subordinate uid with 1000 groups", SUB + 5, SUB + 5, 1000, false, PLAIN, NOTHING},
    {"a subordinate uid that has the group", SUB + 5, SUB + 5, 0, true, PLAIN, GUEST},
    {"a namespace with no group", 1, SUB, 0, false, NAMESPACE, NOTHING},
    {"a namespace with 63 groups", 1, SUB, 63, false, NAMESPACE, NOTHING},
    {"a namespace with 64 groups", 1, SUB, 64, false, NAMESPACE, NOTHING},
    {"a namespace with 65 groups", 1, SUB, 65, false, NAMESPACE, NOTHING},
    {"a namespace with 1000 groups", 1, SUB, 1000, false, NAMESPACE, NOTHING},
};

// ---- the process -----------------------------------------------------------------------------

// What it needs to know; in memory that a program which it starts gets, too.
struct setting {
    struct path unless, if_guest, far; // sockets of daemons
    struct descriptor near_export, far_export;
};

static bool opens(const struct path *socket, const char *function, struct raw_session *s,
                  uint32_t *id)
{
    struct daemon daemon = {.socket = *socket};
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;

    *s = session_start(&daemon);
    *id = m.function_id = find_function(s->sock, function);
    return call(s->sock, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &m) == DOCA_SUCCESS;
}

static bool imports(const struct path *socket, const char *function, const struct descriptor *d)
{
    struct raw_session s;
    uint32_t id;
    bool yes = opens(socket, function, &s, &id) && import_on(s.sock, d, id) == DOCA_SUCCESS;
    session_end(&s);
    return yes;
}

static int try_all(const struct setting *setting)
{
    struct raw_session s;
    uint32_t id;
    int gets = 0;

    if (opens(&setting->unless, "pf0", &s, &id))
        gets |= OPENS_UNLESS_GUEST;
    session_end(&s);
    if (opens(&setting->if_guest, "pf0", &s, &id))
        gets |= OPENS_IF_GUEST;
    if (lookup(s.sock, "0/" NAME, 0) == DOCA_SUCCESS)
        gets |= FINDS_NAME;
    session_end(&s);
    if (imports(&setting->if_guest, "pf1", &setting->near_export))
        gets |= IMPORTS;
    if (imports(&setting->far, "p0", &setting->far_export))
        gets |= IMPORTS_FAR;
    answer_drop();
    return gets;
}

// ---- how it becomes what it is ---------------------------------------------------------------

static size_t groups_of(const struct process *p, gid_t first, gid_t *out)
{
    size_t n = 0;
    for (; n < p->others; n++)
        out[n] = first + (gid_t)n;
    if (p->guest)
        out[n++] = GUESTS;
    return n;
}

static void write_map(pid_t pid, const char *which)
{
    char path[64], text[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, which);
    snprintf(text, sizeof(text), "0 1 1\n1 %d %d\n", SUB, SUBS);
    cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void wait_byte(int fd)
{
    char byte;
    ck_assert_int_eq(read(fd, &byte, 1), 1);
}

static void become(const struct process *p, const int to_root[2], const int from_root[2])
{
    static gid_t groups[GROUPS + 1];
    bool inside = p->how == NAMESPACE;

    if (inside) {
        ck_assert_int_eq(setgroups(0, NULL), 0);
        ck_assert_int_eq(setresgid(1, 1, 1), 0);
        ck_assert_int_eq(setresuid(p->uid, p->uid, p->uid), 0);
        ck_assert_int_eq(unshare(CLONE_NEWUSER), 0);
        ck_assert_int_eq(write(to_root[1], "", 1), 1); // root writes the maps, as newuidmap does
        wait_byte(from_root[0]);
    }
    // Inside, 0 is the user, and 1 and so on are the subordinate ids.
    size_t n = groups_of(p, inside ? 10 : OTHERS, groups);
    gid_t gid = inside ? 1 : p->gid;
    uid_t uid = inside ? 0 : p->uid;
    ck_assert_int_eq(setgroups(n, groups), 0);
    ck_assert_int_eq(setresgid(gid, gid, gid), 0);
    ck_assert_int_eq(setresuid(uid, uid, uid), 0);
}

static int run(const struct process *p, const char *program, int fd, const struct setting *setting)
{
    int to_root[2], from_root[2], status;
    char fd_text[16];

    ck_assert_int_eq(pipe(to_root) + pipe(from_root), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        become(p, to_root, from_root);
        if (p->how != SETGID)
            _exit(try_all(setting));
        snprintf(fd_text, sizeof(fd_text), "%d", fd);
        execl(program, program, "--try", fd_text, NULL);
        _exit(127);
    }
    if (p->how == NAMESPACE) {
        wait_byte(to_root[0]);
        write_map(pid, "uid_map");
        write_map(pid, "gid_map");
        ck_assert_int_eq(write(from_root[1], "", 1), 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    for (int i = 0; i < 2; i++) {
        close(to_root[i]);
        close(from_root[i]);
    }
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// A copy of this program which its file gives the group. False if the file system ignores that.
static bool make_program(const struct path *path)
{
    char command[300];
    struct statvfs fs;

    snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), path->s);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chown(path->s, 0, GUESTS), 0);
    ck_assert_int_eq(chmod(path->s, 02755), 0);
    ck_assert_int_eq(statvfs(path->s, &fs), 0);
    return !(fs.f_flag & ST_NOSUID);
}

// ---- the daemons -----------------------------------------------------------------------------

static char memory[64] = "for guests";

static struct daemon *start(const char *label, const char *role, const char *peer,
                            const char *policy)
{
    char text[1024];

    snprintf(text, sizeof(text), ACCOUNT ":%d:%d\n", SUB, SUBS);
    struct path subuids = temp_file("subuid", text);
    snprintf(text, sizeof(text), "subuids = \"%s\"\n%s", subuids.s, policy);
    struct path config = temp_file("credentials.conf", text);
    struct daemon *daemon = daemon_start(&(struct daemon_options){
        .role = role, .label = label, .config = config.s, .peers = {peer}});
    unlink(config.s);
    unlink(subuids.s);
    walls_open_directories();
    daemon_let_everybody_in(daemon);
    return daemon;
}

static struct descriptor export_on(const struct raw_session *s, uint32_t access,
                                   Docad__ExportTarget target)
{
    uint32_t pf0 = open_function(s->sock, "pf0");
    uint64_t region = register_brokered(s->sock, memory, sizeof(memory), access, pf0);
    return export_to(s->sock, region, pf0, target);
}

static void publish_for_guests(const struct raw_session *s, const struct descriptor *d)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    uint32_t gids[] = {1, GUESTS};

    m.name = (char[]){NAME};
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    to.gids = gids;
    to.n_gids = ARRAY_SIZE(gids);
    m.to = &to;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_PUBLISH, &m), DOCA_SUCCESS);
}

START_TEST(rules_by_groups)
{
    struct daemon *unless = start("unless", "host", NULL,
                                  "policy \"guests\" {\ngroups = {\"65100\", \"1\"}\nopen = {}\n}\n"
                                  "policy \"others\" {\n}\n");
    struct daemon *if_guest =
        start("if", "host", NULL,
              "policy \"owner\" {\nusers = {\"0\"}\nto_groups = {\"65100\", \"1\"}\n}\n"
              "policy \"guests\" {\ngroups = {\"65100\", \"1\"}\n}\n"
              "policy \"others\" {\nopen = {\"pf1\"}\nexport = {}\n}\n");
    struct daemon *far = start("far", "dpu", if_guest->socket.s, "");
    struct path program = temp_path("set-group-id");
    cleanup_fd int fd = memfd_create("setting", 0);
    struct raw_session owner = session_start(if_guest);
    struct setting setting = {
        .unless = unless->socket,
        .if_guest = if_guest->socket,
        .far = far->socket,
        .near_export = export_on(&owner, DOCA_ACCESS_RDMA_READ, DOCAD__EXPORT_TARGET__TARGET_RDMA),
        .far_export =
            export_on(&owner, DOCA_ACCESS_DPU_READ_ONLY, DOCAD__EXPORT_TARGET__TARGET_DPU)};

    unsigned wrong = 0;
    daemon_wait_links(far, 1);
    publish_for_guests(&owner, &setting.near_export);
    ck_assert_int_eq(write(fd, &setting, sizeof(setting)), sizeof(setting));
    bool has_program = make_program(&program);
    for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
        const struct process *p = &processes[i];
        if (p->how == SETGID && !has_program)
            continue;
        int gets = run(p, program.s, fd, &setting);
        if (gets != p->gets)
            fprintf(stderr, "%s: gets %#x, not %#x\n", p->what, (unsigned)gets, (unsigned)p->gets);
        wrong += gets != p->gets;
    }
    unlink(program.s);
    answer_drop();
    session_end(&owner);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

// The child of a test that is a program of its own. Check's functions work in tests only.
static int setting_fd, program_gets = 127;

START_TEST(as_program)
{
    struct setting setting;
    ck_assert_int_eq(pread(setting_fd, &setting, sizeof(setting), 0), sizeof(setting));
    program_gets = try_all(&setting);
}
END_TEST

static int try_as_program(const char *fd_text)
{
    Suite *suite = suite_create("program");
    TCase *tcase = tcase_create("program");
    SRunner *runner = srunner_create(suite);

    setting_fd = atoi(fd_text);
    tcase_add_test(tcase, as_program);
    suite_add_tcase(suite, tcase);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    return program_gets;
}

int main(int argc, char **argv)
{
    // Without LeakSanitizer's look at exit: it traces the process, which a set-group-ID one
    // refuses.
    if (argc == 3 && strcmp(argv[1], "--try") == 0)
        _exit(try_as_program(argv[2]));
    const struct passwd *account = getpwnam(ACCOUNT);
    if (geteuid() != 0 || !account || account->pw_uid != 1 || account->pw_gid != 1) {
        puts("SKIPPED: must be root to be several users, where \"" ACCOUNT "\" is user 1");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("credentials");
    TCase *tcase = tcase_create("groups");
    tcase_set_timeout(tcase, 100);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, rules_by_groups);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
