// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks that docad and its programs have everything that they need. Each check prints what it
// found, and the remedy if that is not enough.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"
#include "memfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define OPEN_FILES_MIN 1024
#define MEMLOCK_MIN    (UINT64_C(64) << 20)
#define MAPS_MIN       65530
#define DAYS_MIN       30 // that a certificate should be valid

enum verdict { VERDICT_OK, VERDICT_WARNING, VERDICT_FAILED };

struct report {
    struct ctl *ctl;
    struct json_object *array;
    unsigned failed;
};

// `fix` is shown unless the verdict is OK.
static void __attribute__((format(printf, 5, 6)))
report_check(struct report *r, const char *check, enum verdict verdict, const char *fix,
             const char *format, ...)
{
    static const char *const words[] = {"ok", "warning", "failed"};
    struct json_object *object = json_object_new_object();
    char found[512];
    va_list args;

    va_start(args, format);
    vsnprintf(found, sizeof(found), format, args);
    va_end(args);
    put_text(object, "check", check);
    put_text(object, "result", words[verdict]);
    put_text(object, "found", found);
    put_text(object, "fix", verdict == VERDICT_OK ? "" : fix);
    json_object_array_add(r->array, object);
    r->failed += verdict == VERDICT_FAILED;
}

// ---- the kernel and this process ---------------------------------------------------------

static void check_kernel(struct report *r)
{
    struct utsname name;
    uname(&name);
    cleanup_fd int fd = memfd_create_sealed("docactl-check", 4096);
    if (fd < 0)
        report_check(r, "memory files", VERDICT_FAILED,
                     "run on Linux 5.1 or later, in a sandbox that permits memfd_create",
                     "Linux %s cannot make a sealed memory file: %s", name.release, strerror(-fd));
    else if (fcntl(fd, F_ADD_SEALS, 0x0010 /* F_SEAL_FUTURE_WRITE */) < 0)
        report_check(r, "memory files", VERDICT_FAILED, "run on Linux 5.1 or later",
                     "Linux %s has no F_SEAL_FUTURE_WRITE: %s", name.release, strerror(errno));
    else
        report_check(r, "memory files", VERDICT_OK, NULL, "Linux %s", name.release);
}

static void check_process_memory(struct report *r)
{
    cleanup_fd int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        report_check(r, "process memory", VERDICT_FAILED,
                     "mount /proc where programs run, and let the sandbox open /proc/self/mem",
                     "/proc/self/mem cannot be opened: %s", strerror(errno));
    else
        report_check(r, "process memory", VERDICT_OK, NULL, "/proc/self/mem opens");
}

static void check_membarrier(struct report *r)
{
    long offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (offered < 0 || !(offered & MEMBARRIER_CMD_GLOBAL_EXPEDITED))
        report_check(
            r, "membarrier", VERDICT_WARNING,
            "let the sandbox permit membarrier(2), or build the kernel with CONFIG_MEMBARRIER",
            "missing: each copy of imported memory needs a barrier of its own");
    else
        report_check(r, "membarrier", VERDICT_OK, NULL, "there");
}

static void check_open_files(struct report *r)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    bool few = limit.rlim_cur < OPEN_FILES_MIN;
    report_check(r, "open files", few ? VERDICT_WARNING : VERDICT_OK,
                 "raise the limit: ulimit -n, or LimitNOFILE= of the service",
                 "%" PRIu64 " (hard limit %" PRIu64 ")", (uint64_t)limit.rlim_cur,
                 (uint64_t)limit.rlim_max);
}

static unsigned count_entries(const char *path, const char *prefix, char *names, size_t size)
{
    DIR *dir = opendir(path);
    unsigned n = 0;
    names[0] = '\0';
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.' || strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        size_t used = strlen(names);
        snprintf(names + used, size - used, "%s%s", n++ ? " " : "", e->d_name);
    }
    if (dir)
        closedir(dir);
    return n;
}

static void check_rdma(struct report *r)
{
    char devices[256], nodes[256], path[512];
    struct rlimit limit;

    if (!count_entries("/sys/class/infiniband", "", devices, sizeof(devices))) {
        report_check(r, "RDMA devices", VERDICT_OK, NULL, "none: functions are software (shm)");
        return;
    }
    bool usable = false;
    unsigned n = count_entries("/dev/infiniband", "uverbs", nodes, sizeof(nodes));
    for (char *rest, *node = strtok_r(nodes, " ", &rest); node; node = strtok_r(NULL, " ", &rest)) {
        snprintf(path, sizeof(path), "/dev/infiniband/%s", node);
        usable = usable || access(path, R_OK | W_OK) == 0;
    }
    report_check(
        r, "RDMA devices", usable ? VERDICT_OK : VERDICT_WARNING,
        n ? "give this user access to /dev/infiniband/uverbs* (group, or udev rule of rdma-core)"
          : "load the module ib_uverbs, or pass /dev/infiniband into the container",
        "%s%s", devices, usable ? "" : ": no device file can be opened");
    getrlimit(RLIMIT_MEMLOCK, &limit);
    bool little = limit.rlim_cur < MEMLOCK_MIN && geteuid() != 0;
    report_check(r, "locked memory", little ? VERDICT_WARNING : VERDICT_OK,
                 "raise the limit: ulimit -l unlimited, or LimitMEMLOCK=infinity of the service",
                 "limit %" PRIu64 " KiB; memory registered with RDMA devices counts against it",
                 (uint64_t)limit.rlim_cur >> 10);
}

// Returns the number behind `key` in a file of lines, or -1 if there is none.
static long long number_in(const char *path, const char *key)
{
    cleanup_file FILE *f = fopen(path, "re");
    char line[256];
    long long value = -1;
    while (f && value < 0 && fgets(line, sizeof(line), f)) {
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtoll(line + strlen(key), NULL, 10);
    }
    return value;
}

static void check_memory(struct report *r)
{
    long long total = number_in("/proc/meminfo", "HugePages_Total:");
    long long unused = number_in("/proc/meminfo", "HugePages_Free:");
    bool none_left = total > 0 && unused == 0;
    report_check(r, "huge pages", none_left ? VERDICT_WARNING : VERDICT_OK,
                 "raise vm.nr_hugepages if programs map huge pages themselves",
                 total > 0 ? "%lld, of which %lld are free"
                           : "none; docad and its library need none",
                 total, unused);
    long long maps = number_in("/proc/sys/vm/max_map_count", "");
    report_check(r, "memory maps", maps >= 0 && maps < MAPS_MIN ? VERDICT_WARNING : VERDICT_OK,
                 "programs with many maps need more: sysctl vm.max_map_count=262144",
                 "at most %lld for each process", maps);
}

// ---- the daemon ------------------------------------------------------------------------

static const char *socket_advice(const struct ctl *ctl, enum outcome outcome)
{
    if (outcome == OUTCOME_REFUSED)
        return "docad runs, and refuses docactl: the reason says what to change";
    if (ctl->socket_path[0] && access(ctl->socket_path, F_OK) == 0 &&
        access(ctl->socket_path, W_OK) < 0)
        return "join the group that owns the socket, or have socket_mode changed, see "
               "docad.conf(5)";
    return "start docad (systemctl start docad), or name its socket: --socket, DOCAD_SOCKET";
}

static bool check_socket(struct report *r)
{
    struct ctl *ctl = r->ctl;
    enum outcome outcome = ctl_open(ctl);

    if (outcome == OUTCOME_DONE) {
        report_check(r, "docad", VERDICT_OK, NULL, "node %s answers on %s", ctl->node_name,
                     ctl->socket_path);
        return true;
    }
    report_check(r, "docad", VERDICT_FAILED, socket_advice(ctl, outcome), "%s", ctl->error_text);
    return false;
}

static void check_version(struct report *r)
{
    struct json_object *status;
    if (fetch_status(r->ctl, &status) != OUTCOME_DONE)
        return;
    const char *version = json_object_get_string(json_object_object_get(status, "version"));
    bool same = strcmp(version, DOCAD_VERSION) == 0;
    report_check(r, "versions", same ? VERDICT_OK : VERDICT_WARNING,
                 "restart docad after an upgrade, and install one version of daemon and tools",
                 "docad %s, docactl %s", version, DOCAD_VERSION);
    json_object_put(status);
}

#define RENEW                                                                                      \
    "docactl certificates renew, on the machine of the authority; then bring the file here, and: " \
    "docactl reload"

static void report_certificate(struct report *r, const char *whose, struct json_object *valid_ms,
                               const char *fix)
{
    if (!valid_ms)
        return;
    uint64_t days = json_object_get_uint64(valid_ms) / 1000 / 86400;
    bool over = json_object_get_uint64(valid_ms) == 0;
    report_check(
        r, "certificate",
        over              ? VERDICT_FAILED
        : days < DAYS_MIN ? VERDICT_WARNING
                          : VERDICT_OK,
        fix, over ? "%s has expired: no link is made with it" : "%s is valid for %" PRIu64 " days",
        whose, days);
}

static void check_certificate(struct report *r)
{
    struct json_object *status;
    if (fetch_status(r->ctl, &status) != OUTCOME_DONE)
        return;
    report_certificate(r, "this node's certificate, or its authority's,",
                       json_object_object_get(status, "certificate_valid_ms"), RENEW);
    json_object_put(status);
}

static void check_peer_certificate(struct report *r, struct json_object *peer)
{
    char whose[256];
    snprintf(whose, sizeof(whose), "node %s's certificate",
             json_object_get_string(json_object_object_get(peer, "name")));
    report_certificate(r, whose, json_object_object_get(peer, "certificate_valid_ms"),
                       "renew it as this node's, and take it to that node");
}

// "name address: state error", without the unknown parts.
static void report_peer(struct report *r, struct json_object *peer)
{
    const char *address = json_object_get_string(json_object_object_get(peer, "address"));
    const char *state = json_object_get_string(json_object_object_get(peer, "state"));
    const char *error = json_object_get_string(json_object_object_get(peer, "last_error"));
    bool linked = strcmp(state, "linked") == 0;
    report_check(r, "peer", linked ? VERDICT_OK : VERDICT_WARNING,
                 "start docad there; the error says what is wrong", "%s%s%s: %s%s%s",
                 json_object_get_string(json_object_object_get(peer, "name")), *address ? " " : "",
                 address, state, *error ? " " : "", error);
}

// The link is between machines, and one of them has no RDMA device.
static void check_way(struct report *r, struct json_object *peer)
{
    const char *name = json_object_get_string(json_object_object_get(peer, "name"));
    const char *bytes = json_object_get_string(json_object_object_get(peer, "bytes"));
    const char *without = json_object_get_string(json_object_object_get(peer, "without_device"));

    if (bytes && strcmp(bytes, "rdma") == 0)
        report_check(r, "way of bytes", VERDICT_OK, NULL, "from and to %s by RDMA", name);
    else if (bytes && strcmp(bytes, "link") == 0)
        report_check(
            r, "way of bytes", VERDICT_WARNING,
            "make an RDMA device there: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev eth0 "
            "(Soft-RoCE, see docad-machines(7)); if there is one, its docad's log says what is "
            "wrong",
            "from and to %s over the link, which is slow: node %s uses no RDMA device", name,
            without);
}

// `whose`: "session 7 (program)".
static void check_quota(struct report *r, const char *whose, struct json_object *quota)
{
    struct json_object *limit = json_object_object_get(quota, "limit");
    uint64_t used = json_object_get_uint64(json_object_object_get(quota, "used"));
    uint64_t most = json_object_get_uint64(limit);
    if (!limit || (double)used < 0.9 * (double)most || used == 0)
        return;
    report_check(r, "quota", VERDICT_WARNING,
                 "raise it in the limits section of docad's configuration",
                 "%s of %s: %" PRIu64 " of %" PRIu64,
                 json_object_get_string(json_object_object_get(quota, "name")), whose, used, most);
}

static void check_quotas_of(struct report *r, const char *whose, struct json_object *object)
{
    struct json_object *quotas = json_object_object_get(object, "quotas");
    for (size_t i = 0; i < json_object_array_length(quotas); i++)
        check_quota(r, whose, json_object_array_get_idx(quotas, i));
}

// Checks the quotas of a linked node here.
static void check_peer_quotas(struct report *r, struct json_object *peer)
{
    char whose[256];
    snprintf(whose, sizeof(whose), "node %s",
             json_object_get_string(json_object_object_get(peer, "name")));
    check_quotas_of(r, whose, peer);
}

static void check_peers(struct report *r)
{
    static const struct listing listing = {DOCAD__LIST__KIND__PEERS, "peers", peer_fields, NULL};
    struct json_object *peers = json_object_new_array();
    if (fetch_list(r->ctl, &listing, peers) == OUTCOME_DONE) {
        for (size_t i = 0; i < json_object_array_length(peers); i++) {
            report_peer(r, json_object_array_get_idx(peers, i));
            check_peer_certificate(r, json_object_array_get_idx(peers, i));
            check_way(r, json_object_array_get_idx(peers, i));
            check_peer_quotas(r, json_object_array_get_idx(peers, i));
        }
    }
    json_object_put(peers);
}

static void check_quotas(struct report *r)
{
    static const struct listing listing = {DOCAD__LIST__KIND__SESSIONS, "sessions", session_fields,
                                           NULL};
    struct json_object *sessions = json_object_new_array();
    char whose[256];
    if (fetch_list(r->ctl, &listing, sessions) == OUTCOME_DONE) {
        for (size_t i = 0; i < json_object_array_length(sessions); i++) {
            struct json_object *s = json_object_array_get_idx(sessions, i);
            snprintf(whose, sizeof(whose), "session %" PRIu64 " (%s)",
                     json_object_get_uint64(json_object_object_get(s, "id")),
                     json_object_get_string(json_object_object_get(s, "program")));
            check_quotas_of(r, whose, s);
        }
    }
    json_object_put(sessions);
}

enum outcome run_check(struct ctl *ctl)
{
    struct report r = {.ctl = ctl, .array = json_object_new_array()};
    check_kernel(&r);
    check_process_memory(&r);
    check_membarrier(&r);
    check_open_files(&r);
    check_memory(&r);
    check_rdma(&r);
    if (check_socket(&r)) {
        check_version(&r);
        check_certificate(&r);
        check_peers(&r);
        check_quotas(&r);
    }
    enum outcome outcome = show_array(ctl, r.array, check_fields);
    if (outcome != OUTCOME_DONE || r.failed == 0)
        return outcome;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_BAD_STATE, "%u check%s failed", r.failed,
                    r.failed == 1 ? "" : "s");
}
