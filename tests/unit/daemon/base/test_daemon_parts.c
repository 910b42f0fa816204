// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Small parts of docad: the hash table by id, text from outside, segments, descriptors
// of a client's memory, versions.

#include "unit.h"

#include "access.h"
#include "cleanup.h"
#include "idmap.h"
#include "latency.h"
#include "memfd.h"
#include "memory_file.h"
#include "segments.h"
#include "socket_lock.h"
#include "state_slots.h"
#include "text.h"
#include "text_names.h"
#include "version.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// ---- latency ----------------------------------------------------------------------------

static uint64_t counted(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        n += latency_read()->counts[i];
    return n;
}

// The calendar is set while the loop believes in the old one: no message took an hour.
START_TEST(a_clock_that_is_set_is_no_latency)
{
    const uint64_t s = 1000000, hour = 3600 * s, ns = 1000;
    uint64_t wall = 400000 * hour, up = 1000 * s, stale;
    latency_add(wall, wall + 5, up * ns);
    ck_assert_uint_eq(counted(), 1);
    for (int k = 0; k < 2; k++) { // forward, and back
        stale = wall;
        wall += k ? -hour : hour;
        latency_add(stale, wall, (up += s) * ns);
        latency_add(stale += 4 * s, wall += 4 * s, (up += 4 * s) * ns);
        ck_assert_uint_eq(counted(), 1u + 2 * (unsigned)k);
        wall += 20 * s;
        up += 20 * s;
        latency_add(wall - 7, wall, up * ns);
        latency_add(wall - 7, wall, up * ns);
    }
    ck_assert_uint_eq(counted(), 5);
    ck_assert_uint_le(latency_read()->sum_us, 5 * 10);
}
END_TEST

// ---- idmap ------------------------------------------------------------------------------

START_TEST(idmap_finds_what_it_has)
{
    enum { N = 1000 };
    static struct thing {
        int number;
        struct idmap_node id;
    } things[N];
    struct idmap map;
    idmap_init(&map);
    ck_assert_ptr_null(idmap_find(&map, 1));
    for (int i = 0; i < N; i++) {
        things[i].number = i;
        idmap_add(&map, &things[i].id, (uint64_t)i * 7 + 1);
    }
    for (int i = 0; i < N; i++)
        ck_assert_ptr_eq(idmap_get(&map, (uint64_t)i * 7 + 1, struct thing, id), &things[i]);
    for (int i = 0; i < N; i += 2)
        idmap_remove(&map, &things[i].id);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(idmap_find(&map, (uint64_t)i * 7 + 1) != NULL, i % 2);
    for (int i = 1; i < N; i += 2)
        idmap_remove(&map, &things[i].id);
    ck_assert_uint_eq(map.count, 0);
    idmap_fini(&map);
}
END_TEST

START_TEST(idmap_is_in_order)
{
    static struct thing {
        struct idmap_node id;
    } things[100];
    const struct thing *thing;
    uint64_t last = 0, n = 0;
    struct idmap map;
    idmap_init(&map);
    for (uint64_t i = 0; i < ARRAY_SIZE(things); i++)
        idmap_add(&map, &things[i].id, i * 37 % 100); // 0 to 99
    idmap_for_each (thing, &map, id) {
        ck_assert_uint_eq(thing->id.id, n++);
    }
    ck_assert_uint_eq(n, ARRAY_SIZE(things));
    idmap_remove(&map, idmap_find(&map, 50));
    idmap_for_each_after (thing, &map, 49, id) {
        ck_assert_uint_gt(thing->id.id, last);
        last = last ? thing->id.id : 51;
        n--;
    }
    ck_assert_uint_eq(n, 51);
    ck_assert_ptr_null(idmap_after(&map, 99));
    ck_assert_ptr_null(idmap_after(&map, UINT64_MAX));
    while (map.count)
        idmap_remove(&map, idmap_first(&map));
    idmap_fini(&map);
}
END_TEST

// ---- trees ----------------------------------------------------------------------------------

static uint64_t tree_looks;

struct leaf {
    struct tree_node node;
    int key;
};

static int compare_key(const struct tree_node *node, const void *key)
{
    tree_looks++;
    return container_of((struct tree_node *)node, struct leaf, node)->key - *(const int *)key;
}

static int compare_leaves(const struct tree_node *a, const struct tree_node *b)
{
    return compare_key(a, &container_of((struct tree_node *)b, struct leaf, node)->key);
}

START_TEST(a_tree_takes_few_steps)
{
    enum { N = 20000, MANY = 120 }; // half as many on average; the order is the worst for it
    static struct leaf leaves[N];
    struct tree tree = {0};
    for (int i = 0; i < N; i++) {
        leaves[i].key = i / 2; // each key twice
        tree_looks = 0;
        tree_add(&tree, &leaves[i].node, compare_leaves);
        ck_assert_uint_le(tree_looks, MANY);
    }
    for (int key = 0; key < N / 2; key++) {
        tree_looks = 0;
        struct tree_node *found = tree_seek(&tree, &key, compare_key);
        ck_assert_ptr_eq(found, &leaves[2 * key].node);
        ck_assert_ptr_eq(tree_next(&tree, found, compare_leaves), &leaves[2 * key + 1].node);
        ck_assert_uint_le(tree_looks, 2 * MANY);
    }
    for (int i = 0; i < N; i++) {
        tree_looks = 0;
        tree_remove(&tree, &leaves[i].node, compare_leaves);
        ck_assert_uint_le(tree_looks, MANY);
    }
    ck_assert_ptr_null(tree.root);
}
END_TEST

// ---- text ---------------------------------------------------------------------------------

START_TEST(names)
{
    ck_assert(text_is_name("a", 2));
    ck_assert(!text_is_name("a", 1));
    ck_assert(!text_is_name("", 8));
    ck_assert(text_is_name("gr\xc3\xbc\xc3\x9f e \xe2\x82\xac \xf0\x9f\x98\x80", 64));
    ck_assert(!text_is_name("a\nb", 8));
    ck_assert(!text_is_name("a\x7f", 8));
    ck_assert(!text_is_name("\xc2\x85", 8));         // control character
    ck_assert(!text_is_name("\xc0\xaf", 8));         // longer than need be
    ck_assert(!text_is_name("\xed\xa0\x80", 8));     // surrogate
    ck_assert(!text_is_name("\xf4\x90\x80\x80", 8)); // beyond the last
    ck_assert(!text_is_name("a\xe2\x82", 8));        // cut off
    ck_assert(!text_is_name("\x80", 8));
}
END_TEST

START_TEST(copies)
{
    char out[6];
    text_copy_printable(out, sizeof(out), "a\tb\xc3\xbcxyz");
    ck_assert_str_eq(out, "a?b??");
    text_copy_printable(out, sizeof(out), "");
    ck_assert_str_eq(out, "");
}
END_TEST

// ---- segments --------------------------------------------------------------------------------

#define BASE 0x7f0000000000u

struct part {
    uint64_t address, length;
    bool mapped;
    uint64_t offset;
};

static doca_error_t read_parts(const struct part *parts, size_t n, uint64_t address,
                               uint64_t length, struct segments *out, struct errtext *err)
{
    static Docad__Segment items[SEGMENTS_MAX + 1];
    static Docad__Segment *list[SEGMENTS_MAX + 1];
    for (size_t i = 0; i < n; i++) {
        docad__segment__init(&items[i]);
        items[i].address = parts[i].address;
        items[i].length = parts[i].length;
        items[i].mapped = parts[i].mapped;
        items[i].offset = parts[i].offset;
        list[i] = &items[i];
    }
    return segments_read(address, length, list, n, out, err);
}

START_TEST(good_segments)
{
    const struct part parts[] = {{BASE - 5, 5, false, 0},
                                 {BASE, 8192, true, 4096},
                                 {BASE + 8192, 4096, true, 0},
                                 {BASE + 12288, 1, false, 77}};
    struct segments s;
    struct errtext err;
    ck_assert_int_eq(read_parts(parts, 4, BASE - 5, 12294, &s, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(s.count, 4);
    ck_assert_uint_eq(s.mapped_bytes, 12288);
    ck_assert_uint_eq(s.brokered_bytes, 6);
    ck_assert_uint_eq(s.memfd_size, 12288);
    Docad__Segment **back = segments_to_messages(&s);
    ck_assert_ptr_nonnull(back);
    ck_assert_uint_eq(back[1]->offset, 4096);
    ck_assert_uint_eq(back[3]->address, BASE + 12288);
    free(back);
    segments_fini(&s);
}
END_TEST

static const struct {
    const char *what;
    struct part parts[3];
    size_t n;
    uint64_t address, length;
} bad_segments[] = {
    {"none", {{0}}, 0, BASE, 1},
    {"empty range", {{BASE, 1, false, 0}}, 1, BASE, 0},
    {"overflow", {{UINT64_MAX - 1, 4, false, 0}}, 1, UINT64_MAX - 1, 4},
    {"negative offset", {{1ull << 63, 1, false, 0}}, 1, 1ull << 63, 1},
    {"gap", {{BASE, 1, false, 0}, {BASE + 2, 1, false, 0}}, 2, BASE, 3},
    {"overlap", {{BASE, 2, false, 0}, {BASE + 1, 2, false, 0}}, 2, BASE, 3},
    {"descending", {{BASE + 1, 1, false, 0}, {BASE, 1, false, 0}}, 2, BASE, 2},
    {"too short", {{BASE, 1, false, 0}}, 1, BASE, 2},
    {"too long", {{BASE, 3, false, 0}}, 1, BASE, 2},
    {"huge", {{BASE, UINT64_MAX, false, 0}}, 1, BASE, 2},
    {"empty segment", {{BASE, 0, false, 0}, {BASE, 2, false, 0}}, 2, BASE, 2},
    {"address within a page", {{BASE + 1, 4096, true, 0}}, 1, BASE + 1, 4096},
    {"part of a page", {{BASE, 100, true, 0}}, 1, BASE, 100},
    {"offset within a page", {{BASE, 4096, true, 1}}, 1, BASE, 4096},
    {"offset overflows", {{BASE, 8192, true, INT64_MAX & ~4095ull}}, 1, BASE, 8192},
    {"same offset twice", {{BASE, 4096, true, 0}, {BASE + 4096, 4096, true, 0}}, 2, BASE, 8192},
    {"offsets overlap", {{BASE, 4096, true, 8192}, {BASE + 4096, 12288, true, 0}}, 2, BASE, 16384},
};

START_TEST(bad_segment)
{
    struct segments s = {.count = 42};
    struct errtext err;
    doca_error_t r = read_parts(bad_segments[_i].parts, bad_segments[_i].n,
                                bad_segments[_i].address, bad_segments[_i].length, &s, &err);
    ck_assert_msg(r == DOCA_ERROR_INVALID_VALUE, "%s", bad_segments[_i].what);
    ck_assert_uint_eq(s.count, 42);
}
END_TEST

START_TEST(most_segments)
{
    static struct part parts[SEGMENTS_MAX + 1];
    struct segments s;
    for (size_t i = 0; i <= SEGMENTS_MAX; i++)
        parts[i] = (struct part){BASE + i, 1, false, 0};
    ck_assert_int_eq(read_parts(parts, SEGMENTS_MAX, BASE, SEGMENTS_MAX, &s, NULL), DOCA_SUCCESS);
    segments_fini(&s);
    ck_assert_int_eq(read_parts(parts, SEGMENTS_MAX + 1, BASE, SEGMENTS_MAX + 1, &s, NULL),
                     DOCA_ERROR_INVALID_VALUE);
}
END_TEST

// ---- a client's memory ----------------------------------------------------------------------

static doca_error_t check_path(const char *path, int flags)
{
    cleanup_fd int fd = open(path, flags | O_CLOEXEC);
    ck_assert_msg(fd >= 0, "%s: %m", path);
    return process_memory_check(fd, NULL);
}

START_TEST(process_memory)
{
    char path[64];
    ck_assert_int_eq(check_path("/proc/self/mem", O_RDWR), DOCA_SUCCESS);
    snprintf(path, sizeof(path), "/proc/self/task/%d/mem", (int)getpid());
    ck_assert_int_eq(check_path(path, O_RDWR), DOCA_SUCCESS);
    ck_assert_int_eq(check_path("/proc/self/mem", O_RDONLY), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/proc/self/mem", O_WRONLY), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/proc/self/mem", O_PATH | O_RDWR), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/proc/self/maps", O_RDONLY), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/proc/self/comm", O_RDWR), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/proc/self", O_RDONLY | O_DIRECTORY), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/dev/null", O_RDWR), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_path("/dev/zero", O_RDWR), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

// A name alone is not enough.
START_TEST(process_memory_lookalike)
{
    char dir[] = "/tmp/docad-unit-XXXXXX", sub[64], file[80];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(sub, sizeof(sub), "%s/1", dir);
    snprintf(file, sizeof(file), "%s/mem", sub);
    ck_assert_int_eq(mkdir(sub, 0700), 0);
    ck_assert_int_eq(check_path("/proc/self/mem", O_RDWR), DOCA_SUCCESS);
    cleanup_fd int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    doca_error_t r = process_memory_check(fd, NULL);
    unlink(file);
    rmdir(sub);
    rmdir(dir);
    ck_assert_int_eq(r, DOCA_ERROR_INVALID_VALUE);
    int pipe_ends[2];
    ck_assert_int_eq(pipe(pipe_ends), 0);
    ck_assert_int_eq(process_memory_check(pipe_ends[0], NULL), DOCA_ERROR_INVALID_VALUE);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
END_TEST

// Nor is a name on procfs: who has a mount namespace binds what he likes.
START_TEST(process_memory_bound_over)
{
    char dir[] = "/tmp/docad-unit-XXXXXX", file[80];
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        puts("process_memory_bound_over: needs a mount namespace of its own");
        return;
    }
    ck_assert_ptr_nonnull(mkdtemp(dir));
    bool mounted = mount("tmpfs", dir, "tmpfs", 0, NULL) == 0; // gone with the namespace
    snprintf(file, sizeof(file), "%s/1", dir);
    ck_assert_int_eq(mkdir(file, 0700), 0);
    snprintf(file, sizeof(file), "%s/1/mem", dir);
    close(open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    mounted = mounted && mount("/proc/self/oom_score_adj", file, NULL, MS_BIND, NULL) == 0;
    doca_error_t r = mounted ? check_path(file, O_RDWR) : DOCA_ERROR_INVALID_VALUE;
    umount2(file, MNT_DETACH);
    umount2(dir, MNT_DETACH);
    rmdir(dir);
    ck_assert_int_eq(r, DOCA_ERROR_INVALID_VALUE);
    if (!mounted)
        puts("process_memory_bound_over: may not mount");
}
END_TEST

// A child that shares our descriptors. As fork().
static pid_t fork_sharing(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
}

// The first process of a container: its own procfs, which nobody else sees.
static _Noreturn void be_contained(const char *dir, int at)
{
    char path[64];
    int fd = -1;
    snprintf(path, sizeof(path), "%s/self/mem", dir);
    if (mount("proc", dir, "proc", 0, NULL) == 0)
        fd = open(path, O_RDWR | O_CLOEXEC);
    _exit(fd >= 0 && dup2(fd, at) == at && close(fd) == 0 ? 0 : 1);
}

static _Noreturn void be_container(const char *dir, int at)
{
    int status = 1;
    if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        _exit(1);
    pid_t first = fork_sharing();
    if (first == 0)
        be_contained(dir, at);
    _exit(first > 0 && waitpid(first, &status, 0) == first ? status : 1);
}

// A client in a container, whose mounts docad does not see and may not look at.
START_TEST(process_memory_of_a_container)
{
    char dir[] = "/tmp/docad-unit-XXXXXX";
    cleanup_fd int fd = open("/dev/null", O_RDWR | O_CLOEXEC); // to be replaced
    int status;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    pid_t container = fork_sharing();
    if (container == 0)
        be_container(dir, fd);
    ck_assert_int_eq(waitpid(container, &status, 0), container);
    rmdir(dir);
    if (status != 0) {
        puts("process_memory_of_a_container: needs namespaces of its own");
        return;
    }
    if (geteuid() == 0)
        ck_assert_int_eq(setresuid(65534, 65534, 65534), 0); // as docad runs: without rights
    ck_assert_int_eq(process_memory_check(fd, NULL), DOCA_SUCCESS);
}
END_TEST

static doca_error_t check_file(int fd, int ro, uint32_t access)
{
    return memory_file_check(fd, ro, 8192, access, NULL);
}

START_TEST(memory_file)
{
    const uint32_t read_only = ACCESS_DPU_READ_ONLY, read_write = ACCESS_DPU_READ_WRITE;
    cleanup_fd int fd = memfd_create_sealed("a", 8192);
    cleanup_fd int other = memfd_create_sealed("b", 8192);
    cleanup_fd int ro = memfd_reopen_readonly(fd), other_ro = memfd_reopen_readonly(other);
    cleanup_fd int small = memfd_create_sealed("c", 4096);
    cleanup_fd int open_sized = memfd_create("d", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ck_assert_int_eq(ftruncate(open_sized, 8192), 0);

    ck_assert_int_eq(check_file(fd, -1, read_write), DOCA_SUCCESS);
    ck_assert_int_eq(check_file(fd, ro, read_write), DOCA_SUCCESS);
    ck_assert_int_eq(check_file(fd, ro, read_only), DOCA_SUCCESS);
    ck_assert_int_eq(check_file(fd, ro, ACCESS_RDMA_READ), DOCA_SUCCESS);
    ck_assert_int_eq(check_file(fd, -1, read_only), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(fd, -1, ACCESS_RDMA_READ), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(fd, -1, read_only | ACCESS_RDMA_WRITE), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(fd, other_ro, read_only), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(fd, fd, read_only), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(ro, -1, read_write), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(small, -1, read_write), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(open_sized, -1, read_write), DOCA_ERROR_INVALID_VALUE);

    ck_assert_int_eq(memfd_seal_future_write(fd), 0);
    ck_assert_int_eq(check_file(fd, ro, read_only), DOCA_SUCCESS);
    ck_assert_int_eq(check_file(fd, ro, read_write), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

// Anybody who holds it could open it again for writing.
START_TEST(memory_file_open_to_all)
{
    cleanup_fd int fd = memfd_create_sealed("a", 8192), ro = memfd_reopen_readonly(fd);
    ck_assert_int_eq(fchmod(fd, 0777), 0);
    ck_assert_int_eq(check_file(fd, ro, ACCESS_DPU_READ_ONLY), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(check_file(fd, ro, ACCESS_DPU_READ_WRITE), DOCA_SUCCESS);
    ck_assert_int_eq(memfd_seal_future_write(fd), 0);
    ck_assert_int_eq(check_file(fd, ro, ACCESS_DPU_READ_ONLY), DOCA_SUCCESS);
}
END_TEST

START_TEST(access_flags)
{
    ck_assert(access_is_valid(0) && access_is_valid(1) && access_is_valid(0x2f));
    ck_assert(!access_is_valid(0x30) && !access_is_valid(0x40) && !access_is_valid(1u << 31));
}
END_TEST

// ---- state slots ----------------------------------------------------------------------------

START_TEST(one_slot)
{
    struct state_slots slots;
    ck_assert_int_eq(state_slots_init(&slots, false), 0);
    const struct state_table *seen = state_table_map(slots.fd, STATE_SLOTS);
    ck_assert_ptr_nonnull(seen);
    ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, slots.fd, 0), MAP_FAILED);
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", slots.fd);
    cleanup_fd int writable = open(path, O_RDWR | O_CLOEXEC); // root may, but the seal holds
    if (writable >= 0)
        ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writable, 0),
                         MAP_FAILED);

    uint32_t a = state_slot_take(&slots), b = state_slot_take(&slots);
    ck_assert_uint_ne(a, b);
    state_slot_set(&slots, a, 7, SLOT_LIVE);
    ck_assert_int_eq(state_table_read(seen, a, 7), SLOT_LIVE);
    state_slot_set(&slots, a, 7, SLOT_REVOKED);
    ck_assert_int_eq(state_table_read(seen, a, 7), SLOT_REVOKED);
    state_slot_give(&slots, a);
    ck_assert_int_eq(state_table_read(seen, a, 7), SLOT_OWNER_GONE);
    ck_assert_uint_ne(state_slot_take(&slots), a); // as late as can be
    state_slot_give(&slots, b);
    state_slot_give(&slots, b + 1);
    state_table_unmap(seen, seen->slots);
    state_slots_fini(&slots);
}
END_TEST

START_TEST(all_slots)
{
    struct state_slots slots;
    ck_assert_int_eq(state_slots_init(&slots, false), 0);
    for (uint32_t i = 0; i < STATE_SLOTS; i++)
        ck_assert_uint_ne(state_slot_take(&slots), STATE_SLOT_NONE);
    ck_assert_uint_eq(state_slot_take(&slots), STATE_SLOT_NONE);
    state_slot_give(&slots, 17);
    ck_assert_uint_eq(state_slot_take(&slots), 17);
    for (uint32_t i = 0; i < STATE_SLOTS; i++)
        state_slot_give(&slots, i);
    state_slots_fini(&slots);
}
END_TEST

// ---- versions, locks ------------------------------------------------------------------------

START_TEST(versions)
{
    struct errtext err;
    uint32_t v = 0;
    ck_assert_int_eq(version_negotiate("x", 1, 9, &v, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(v, 1);
    ck_assert_int_eq(version_negotiate("x", 5, 9, &v, &err), DOCA_ERROR_UNSUPPORTED_VERSION);
    ck_assert_int_eq(version_negotiate("x", 0, 0, &v, &err), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(version_negotiate("x", 3, 2, &v, &err), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(lock)
{
    char dir[] = "/tmp/docad-unit-XXXXXX", socket[SOCKET_PATH_MAX];
    char path[SOCKET_LOCK_PATH_MAX], second_path[SOCKET_LOCK_PATH_MAX], pid[16];
    struct errtext err;
    int first = -1, second = -1;
    bool over = true;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(socket, sizeof(socket), "%s/s", dir);
    ck_assert_int_eq(socket_lock_take(socket, path, &first, &over, &err), DOCA_SUCCESS);
    ck_assert_int_eq(socket_lock_take(socket, second_path, &second, &over, &err),
                     DOCA_ERROR_IN_USE);
    ck_assert_int_eq(second, -1);
    ck_assert(!over);
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    assert_names(err.s, pid);
    socket_lock_release(path, &first);
    ck_assert_int_eq(socket_lock_take(socket, second_path, &second, &over, &err), DOCA_SUCCESS);
    socket_lock_release(second_path, &second);
    ck_assert_int_eq(rmdir(dir), 0); // no file is left
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_clock_that_is_set_is_no_latency,
                                  idmap_finds_what_it_has,
                                  idmap_is_in_order,
                                  a_tree_takes_few_steps,
                                  names,
                                  copies,
                                  good_segments,
                                  most_segments,
                                  process_memory,
                                  process_memory_lookalike,
                                  process_memory_bound_over,
                                  process_memory_of_a_container,
                                  memory_file,
                                  memory_file_open_to_all,
                                  access_flags,
                                  one_slot,
                                  all_slots,
                                  versions,
                                  lock};
    TCase *tcase = tcase_create("daemon_parts");
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, bad_segment, 0, ARRAY_SIZE(bad_segments));
    return unit_run_case("daemon_parts", tcase);
}
