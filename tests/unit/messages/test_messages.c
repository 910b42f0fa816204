// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The texts that users act on. All other tests check codes and behaviour, and at most what a
// text names (tests/harness/text_names.h); what it says is looked at in this folder. A message
// tells what went wrong, with which object, and what to do about it: each row has the words of
// these that must not get lost.

#include "child.h"
#include "cleanup.h"
#include "env.h"
#include "limit.h"
#include "packet.h"
#include "run.h"
#include "says.h"
#include "verbs_device.h"
#include "verbs_rc.h"
#include "version.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct command_result result;

static void run(const char *const words[])
{
    command_run(NULL, words, &result);
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

// ---- command lines -----------------------------------------------------------------------

static const struct {
    const char *words[7];
    const char *says[SAYS_MAX];
} command_lines[] = {
    {{"docactl", "nothing"}, {"there is no command 'nothing'", "see 'docactl help'"}},
    {{"docactl", "certificates"}, {"a word is missing after 'certificates'"}},
    {{"docactl", "exports", "made"}, {"'docactl exports' has no command 'made'"}},
    {{"docactl", "exports", "show", "one"}, {"hexadecimal digits", "'docactl exports'", "'one'"}},
    {{"docactl", "exports", "lookup", "x", "--timeout", "soon"}, {"seconds, such as", "'soon'"}},
    {{"docactl", "status", "--all"}, {"unknown option --all"}},
    {{"docactl", "exports", "--no-header"}, {"did you mean --no-headers?"}},
    {{"docactl", "exprots"}, {"no command 'exprots'", "did you mean exports?"}},
    {{"docactl", "exports", "revoke", "--pid", "0"}, {"not '0'", "another container", "by ID"}},
    {{"docactl", "revoke", "1"}, {"did you mean exports revoke or certificates revoke?"}},
    {{"docactl", "help", "exprots"}, {"no command 'exprots'", "did you mean exports?"}},
    {{"docactl", "help", "exports", "made"}, {"'docactl exports' has no command 'made'"}},
    {{"docad", "something"}, {"\"something\"", "docad accepts only options", "docad --help"}},
    {{"docad", "--chek-config"}, {"no option --chek-config", "did you mean --check-config?"}},
    {{"docad", "--rolle=host"}, {"no option --rolle;", "did you mean --role?"}},
    {{"docad", "-x"}, {"no option -x", "docad --help"}},
    {{"docad", "--role"}, {"--role needs an argument"}},
    {{"docad", "--card"}, {"--card needs an argument"}},
    {{"docad", "--version=3"}, {"--version takes no argument"}},
    {{"docad", "--role", "switch"}, {"--role \"switch\"", "write host or dpu"}},
    {{"docad", "--log-level", "loud"}, {"--log-level", "write error, warning, info or debug"}},
    {{"docad", "--peer", ""}, {"--peer", "write the path of a socket"}},
#if DOCAD_PERFTEST
    {{"doca-perftest"}, {"which command", "--help"}},
    {{"doca-perftest", "dma"}, {"no command 'dma'", "did you mean dma_bw or dma_lat?"}},
    {{"doca-perftest", "wriet_bw"}, {"no command 'wriet_bw'", "did you mean write_bw?"}},
    {{"doca-perftest", "nothing"}, {"no command 'nothing' (see"}},
    {{"doca-perftest", "dma_bw", "--sise=4"}, {"no option --sise;", "did you mean --size?"}},
    {{"doca-perftest", "dma_bw", "--host_socket", "x"}, {"did you mean --host-socket?"}},
    {{"doca-perftest", "dma_bw", "--s"}, {"did you mean --size, --server, "}},
    {{"doca-perftest", "dma_bw", "--json=x"}, {"--json takes no argument"}},
    {{"doca-perftest", "dma_bw", "-jx"}, {"there is no option -x"}},
    {{"doca-perftest", "dma_bw", "dma_lat"}, {"'dma_lat'", "one command at a time"}},
    {{"doca-perftest", "dma_bw", "--size"}, {"--size needs a number of bytes"}},
    {{"doca-perftest", "dma_bw", "--size", "5X"}, {"--size takes", "64K, 1M or 2G", "not '5X'"}},
    {{"doca-perftest", "dma_bw", "--depth", "0"},
     {"--depth takes a whole number from 1 to 65536", "not '0'"}},
    {{"doca-perftest", "dma_bw", "--path", "remote"}, {"local or import", "not 'remote'"}},
    {{"doca-perftest", "dma_bw", "--memory", "huge"}, {"mapped, unaligned or tiny"}},
    {{"doca-perftest", "compare", "--dpu-socket", "/x"}, {"both --host-socket and --dpu-socket"}},
    {{"doca-perftest", "dma_bw", "--quick"}, {"dma_bw does not take --quick"}},
    {{"doca-perftest", "mmap_start", "--iters", "1000001"}, {"takes at most 1000000"}},
#endif
};

START_TEST(what_is_wrong_with_a_command_line)
{
    run(command_lines[_i].words);
    ck_assert_int_eq(result.status, 2);
    assert_says(result.err, command_lines[_i].says);
}
END_TEST

// ---- configuration -----------------------------------------------------------------------

static const struct {
    const char *text;
    const char *says[SAYS_MAX];
} configurations[] = {
    {"role = switch\n", {":1: ", "role = \"switch\"", "not a role", "write host or dpu"}},
    {"name = \"\"\n", {"name = \"\"", "not a name", "1 to 63 printable characters"}},
    {"log_level = loud\n", {"not a level", "write error, warning, info or debug"}},
    {"socket_mode = 888\n", {"socket_mode = \"888\"", "not a file mode", "for instance 0660"}},
    {"socket = \"\"\n", {"socket", "empty", "write the path of a socket"}},
    {"\nrolle = host\n", {":2: ", "no such option 'rolle'", "possible here: ", "role"}},
    {"role host\n", {"missing equal sign after option 'role'", "option = value"}},
    {"role = host\n}\n", {":2: ", "'}' closes nothing"}},
    {"role = \"host\n", {":1: ", "string without an end", "quotation mark"}},
    {"peer_uids = { x }\n", {"peer_uids = \"x\"", "not a user id", "write a number"}},
    {"peer \"a\" {\n}\n", {"peer \"a\"", "no socket or address", "socket = "}},
    {"peer \"a\" { adress = x }\n", {"no such option 'adress'", "possible here: ", "address"}},
    {"peer \"a\" {\n address = \"h\"\n}\n", {"not an address", "write HOST:PORT, for instance "}},
    {"peer \"a\" { socket = x }\npeer \"a\" { socket = y }\n",
     {":2: ", "duplicate title 'a'", "give each section its own name"}},
    {"peer {\n socket = \"x\"\n}\n", {":1: ", "missing title", "peer \"NAME\" {"}},
    {"peer \"far\" { address = \"h:1\" }\n",
     {"no certificate, key and authority", "docactl certificates"}},
    {"tls { certificate = /nowhere/a.crt key = /nowhere/a.key authority = /nowhere/b.crt }\n",
     {"/nowhere/a.crt: No such file", "/nowhere/a.key: No such file",
      "/nowhere/b.crt: No such file"}},
    {"engine {\n threads = 17\n}\n", {"threads = \"17\"", "number of threads", "1 to 16"}},
    {"engine {\n cpus = \"3-1\"\n}\n", {"not a list of CPUs", "write for instance 0,2-3"}},
    {"verbs {\n timeout = 32\n}\n", {"timeout = \"32\"", "write 0 to 31"}},
    {"limits {\n sessions_per_uid = many\n}\n",
     {"sessions_per_uid = \"many\"", "not a number", "4096, 64K, 2G or unlimited"}},
    {"function \"a\" {\n type = xf\n pci = 0b:00.0\n}\n",
     {":2: ", "function \"a\"", "not a type", "write PF, VF or SF"}},
    {"function \"a\" {\n type = pf\n pci = 0b:00\n}\n",
     {":3: ", "pci = \"0b:00\"", "not a PCI address", "domain:bus:device.function"}},
    {"function \"a\" {\n type = pf\n}\n", {":3: ", "function \"a\"", "no PCI address", "pci = "}},
    {"function \"a\" { backing = disk }\n", {"not a backing", "write shm or verbs"}},
    {"function \"a\" { backing = verbs }\n", {"no ibverbs device", "ibdev = "}},
    {"function \"s\" { type = sf port = 1 }\n", {"an SF on port 1, which has no PF", "add a PF"}},
};

START_TEST(what_is_wrong_with_a_configuration)
{
    struct path file = temp_file("docad.conf", configurations[_i].text);
    RUN("docad", "--config", file.s, "--check-config");
    ck_assert_int_ne(result.status, 0);
    ASSERT_SAYS(result.err, file.s);
    assert_says(result.err, configurations[_i].says);
    unlink(file.s);
}
END_TEST

START_TEST(what_is_right_with_a_configuration)
{
    struct path file = temp_file("docad.conf", "function \"a\" {\n type = pf\n pci = 0b:00.0\n}\n"
                                               "peer \"b\" {\n socket = \"b.sock\"\n}\n");
    RUN("docad", "--config", file.s, "--check-config");
    ck_assert_int_eq(result.status, 0);
    ASSERT_SAYS(result.out, "configuration is right", " 1 function, 1 peer ", file.s);
    unlink(file.s);
}
END_TEST

// ---- docad, or not -------------------------------------------------------------------------

START_TEST(no_docad_answers)
{
    struct path nobody = temp_path("nobody.sock"), text = temp_file("text", "not a descriptor");
    setenv("DOCAD_SOCKET", nobody.s, 1);
    RUN("list_devices");
    ck_assert_int_eq(result.status, 1);
    ASSERT_SAYS(result.err, nobody.s, "No such file or directory", "start docad", "DOCAD_SOCKET",
                "cannot list devices");
    RUN("docactl", "status");
    ck_assert_int_eq(result.status, 3);
    ASSERT_SAYS(result.err, nobody.s, "No such file or directory", "start one", "--socket",
                "DOCAD_SOCKET");
    RUN("docactl", "exports", "put", text.s, "--name", "x");
    ck_assert_int_eq(result.status, 1);
    ASSERT_SAYS(result.err, text.s, "descriptor");
    unlink(text.s);
}
END_TEST

// A socket's behaviour towards a client that connects.
enum manner { SILENT, RUDE, STRANGE };

struct stranger {
    int listener;
    enum manner manner;
};

static int be_strange(struct child *self, void *arg)
{
    const struct stranger *stranger = arg;
    cleanup_fd int conn = accept(stranger->listener, NULL, NULL);
    char got[4096];
    (void)self;
    ck_assert_int_ge(conn, 0);
    if (stranger->manner == STRANGE)
        ck_assert_int_eq(packet_send(conn, "\xff\xff\xff", 3, NULL, 0, 0), 0);
    if (stranger->manner != RUDE)
        while (recv(conn, got, sizeof(got), 0) > 0) // until docactl has seen enough
            ;
    return 0;
}

static const struct {
    enum manner manner;
    int status;
    const char *says;
} strangers[] = {
    {SILENT, 4, "did not answer within 0.05 s"},
    {RUDE, 3, "closed the connection"},
    {STRANGE, 3, "does not speak docad's protocol"},
};

START_TEST(something_else_answers)
{
    struct path path = temp_path("stranger.sock");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stranger stranger = {socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0),
                                strangers[_i].manner};
    strcpy(address.sun_path, path.s);
    ck_assert_int_eq(bind(stranger.listener, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(stranger.listener, 1), 0);
    struct child *child = child_start(NULL, "stranger", be_strange, &stranger);
    RUN("docactl", "--socket", path.s, "--timeout", strangers[_i].manner == SILENT ? "0.05" : "30",
        "ping");
    ck_assert_int_eq(result.status, strangers[_i].status);
    ASSERT_SAYS(result.err, strangers[_i].says);
    child_join(child);
    close(stranger.listener);
    unlink(path.s);
}
END_TEST

// ---- refusals --------------------------------------------------------------------------------

START_TEST(a_limit_is_reached)
{
    struct limits limits;
    uint64_t used = 7;
    struct errtext err;
    limits_init(&limits);
    limits.value[LIMIT_EXPORTS] = 7;
    ck_assert_int_eq(limit_take(&limits, LIMIT_EXPORTS, &used, 1, &err), DOCA_ERROR_NO_MEMORY);
    ASSERT_SAYS(err.s, "exports_per_session", "7 allowed");
}
END_TEST

START_TEST(versions_do_not_meet)
{
    struct errtext err;
    uint32_t version;
    ck_assert_int_eq(version_negotiate("the client", 5, 9, &version, &err),
                     DOCA_ERROR_UNSUPPORTED_VERSION);
    ASSERT_SAYS(err.s, "the client", "5 to 9", "1 to 1");
}
END_TEST

// Names the limit, the amount that is missing, and how to raise the limit.
START_TEST(locked_memory_is_short)
{
    static const struct {
        const char *what;
        size_t bytes;
    } cases[] = {{"register 5000 bytes of memory", 5000}, {"make a queue pair", 0}};
    struct rlimit was;
    struct errtext err;
    ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &was), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){65536, was.rlim_max}), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        verbs_failed(ENOMEM, cases[i].what, "rxe0", cases[i].bytes, &err);
        ASSERT_SAYS(err.s, "rxe0: cannot ", cases[i].what, "RLIMIT_MEMLOCK is 64 KiB, of which ",
                    "raise it with ulimit -l", "limits.conf"); // the text has room
        ck_assert_int_eq(strstr(err.s, "KiB more are needed") != NULL, cases[i].bytes > 0);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &was), 0);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1); // what is printed does not depend on who runs the test
    Suite *suite = suite_create("messages");
    TCase *tcase = tcase_create("messages");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, what_is_wrong_with_a_command_line, 0,
                        (int)(sizeof(command_lines) / sizeof(command_lines[0])));
    tcase_add_loop_test(tcase, what_is_wrong_with_a_configuration, 0,
                        (int)(sizeof(configurations) / sizeof(configurations[0])));
    tcase_add_test(tcase, what_is_right_with_a_configuration);
    tcase_add_test(tcase, no_docad_answers);
    tcase_add_loop_test(tcase, something_else_answers, 0,
                        (int)(sizeof(strangers) / sizeof(strangers[0])));
    tcase_add_test(tcase, a_limit_is_reached);
    tcase_add_test(tcase, versions_do_not_meet);
    tcase_add_test(tcase, locked_memory_is_short);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
