// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose account a uid is on.

#include "account.h"
#include "cleanup.h"
#include "unit.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int load_either(const char *text, bool groups)
{
    char path[32];
    cleanup_fd int fd = memfd_create("subids", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return account_load(groups ? "/nowhere/subuid" : path, groups ? path : "/nowhere/subgid");
}

static int load(const char *text)
{
    return load_either(text, false);
}

static int load_groups(const char *text)
{
    return load_either(text, true);
}

START_TEST(a_range_belongs_to_its_owner)
{
    ck_assert_int_eq(load("1000:100000:65536\n1001:165536:65536\n"), 0);
    ck_assert_uint_eq(account_of(1000), 1000);
    ck_assert_uint_eq(account_of(99999), 99999);
    ck_assert_uint_eq(account_of(100000), 1000);
    ck_assert_uint_eq(account_of(165535), 1000);
    ck_assert_uint_eq(account_of(165536), 1001);
    ck_assert_uint_eq(account_of(231072), 231072);
    ck_assert_uint_eq(account_of((uid_t)-1), (uid_t)-1);
    account_unload();
    ck_assert_uint_eq(account_of(100000), 100000);
}
END_TEST

START_TEST(a_name_is_a_user)
{
    ck_assert_int_eq(load("root:100000:2\n"), 0);
    ck_assert_uint_eq(account_of(100001), 0);
    account_unload();
}
END_TEST

// A user namespace within a user namespace.
START_TEST(a_range_of_a_range_belongs_to_the_user)
{
    ck_assert_int_eq(load("100001:300000:10\n1000:100000:65536\n300009:400000:1\n"), 0);
    ck_assert_uint_eq(account_of(300009), 1000);
    ck_assert_uint_eq(account_of(400000), 1000);
    account_unload();
}
END_TEST

START_TEST(circles_end)
{
    ck_assert_int_eq(load("5:6:1\n6:5:1\n7:7:1\n"), 0);
    account_of(5);
    account_of(6);
    ck_assert_uint_eq(account_of(7), 7);
    account_unload();
}
END_TEST

START_TEST(other_lines_are_skipped)
{
    ck_assert_int_eq(load("\n#\nno-such-user-here:1:1\n1000:1\n1000:x:1\n1000:1:-1\n:::\n"
                          "1000:4294967295:1\n1000:50:0\n1000:4294967290:4294967295\n"
                          "1000:60:1"),
                     0);
    ck_assert_uint_eq(account_of(1), 1);
    ck_assert_uint_eq(account_of(50), 50);
    ck_assert_uint_eq(account_of(60), 1000);
    ck_assert_uint_eq(account_of(4294967294), 1000);
    account_unload();
}
END_TEST

START_TEST(a_file_that_cannot_be_read_changes_nothing)
{
    ck_assert_int_eq(load("1000:100000:1\n"), 0);
    ck_assert_int_lt(account_load("/proc/self/mem/x", "/nowhere/subgid"), 0);
    ck_assert_uint_eq(account_of(100000), 1000);
    ck_assert_int_eq(account_load("/nowhere/subuid", "/nowhere/subgid"), 0);
    ck_assert_uint_eq(account_of(100000), 100000);
}
END_TEST

START_TEST(groups_are_those_of_the_owner)
{
    const struct passwd *root = getpwuid(0);
    const gid_t *groups;
    if (!root)
        return;
    ck_assert_int_eq(load("0:100000:1\n"), 0);
    size_t n = account_groups(account_of(100000), &groups);
    ck_assert_uint_ge(n, 1);
    ck_assert_uint_eq(groups[0], root->pw_gid);
    ck_assert_uint_eq(account_groups(4711, &groups), 0);
    account_unload();
}
END_TEST

// Whoever may have subordinate gids may drop groups of his own, without any subordinate uid.
START_TEST(groups_of_those_with_subordinate_gids)
{
    const gid_t *groups;
    char path[32];
    cleanup_fd int fd = memfd_create("subgid", MFD_CLOEXEC);
    const char text[] = "\n:\nno-such-user-here:1:1\nroot:100000:65536\n";
    if (!getpwnam("root"))
        return;
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ck_assert_int_eq(account_load("/nowhere/subuid", path), 0);
    ck_assert_uint_ge(account_groups(0, &groups), 1);
    ck_assert_uint_eq(account_of(100000), 100000);
    account_unload();
}
END_TEST

static size_t in_groups; // so many as the user database says; 0: what it really says

int __real_getgrouplist(const char *user, gid_t group, gid_t *groups, int *n);
int __wrap_getgrouplist(const char *user, gid_t group, gid_t *groups, int *n);
int __wrap_getgrouplist(const char *user, gid_t group, gid_t *groups, int *n)
{
    if (in_groups == 0)
        return __real_getgrouplist(user, group, groups, n);
    size_t room = (size_t)*n;
    *n = (int)in_groups;
    for (size_t i = 0; i < room && i < in_groups; i++)
        groups[i] = (gid_t)i;
    return room < in_groups ? -1 : *n;
}

START_TEST(all_groups_are_known)
{
    static const size_t counts[] = {1, 32, 33, 64, 65, 1000, 65536};
    const gid_t *groups;
    if (!getpwuid(0))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        in_groups = counts[i];
        ck_assert_int_eq(load("0:100000:1\n"), 0);
        ck_assert_uint_eq(account_groups(0, &groups), counts[i]);
        ck_assert_uint_eq(groups[counts[i] - 1], counts[i] - 1);
    }
    // More cannot be, and what cannot be known changes nothing.
    in_groups = 65537;
    ck_assert_int_lt(load("0:100000:1\n"), 0);
    ck_assert_uint_eq(account_groups(0, &groups), 65536);
    account_unload();
}
END_TEST

static int database_fails; // errno of look-ups in the user database; 0: they are real

struct passwd *__real_getpwnam(const char *name);
struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__wrap_getpwnam(const char *name)
{
    if (!database_fails)
        return __real_getpwnam(name);
    errno = database_fails;
    return NULL;
}

struct passwd *__real_getpwuid(uid_t uid);
struct passwd *__wrap_getpwuid(uid_t uid);
struct passwd *__wrap_getpwuid(uid_t uid)
{
    if (!database_fails)
        return __real_getpwuid(uid);
    errno = database_fails;
    return NULL;
}

// The user database may be on a server that does not answer.
START_TEST(a_database_that_fails_changes_nothing)
{
    static const int failures[] = {EIO, EMFILE, ENFILE, ENOMEM, ECONNREFUSED, ETIMEDOUT};
    static const int absences[] = {ENOENT, ESRCH, EBADF, EPERM};
    static const char *const lines[] = {"0:200000:1\n", "root:200000:1\n"};

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        ck_assert_int_eq(load("1000:100000:1\n"), 0);
        for (size_t k = 0; k < ARRAY_SIZE(failures); k++) {
            database_fails = failures[k];
            ck_assert_int_eq(load(lines[i]), -failures[k]);
            ck_assert_int_eq(load_groups(lines[i]), -failures[k]);
            ck_assert_uint_eq(account_of(100000), 1000);
        }
        for (size_t k = 0; k < ARRAY_SIZE(absences); k++) {
            database_fails = absences[k];
            ck_assert_int_eq(load_groups(lines[i]), 0);
            ck_assert_int_eq(load(lines[i]), 0);
        }
        database_fails = 0;
    }
    account_unload();
}
END_TEST

UNIT_MAIN("account", a_range_belongs_to_its_owner, a_name_is_a_user,
          a_range_of_a_range_belongs_to_the_user, circles_end, other_lines_are_skipped,
          a_file_that_cannot_be_read_changes_nothing, groups_are_those_of_the_owner,
          groups_of_those_with_subordinate_gids, all_groups_are_known,
          a_database_that_fails_changes_nothing)
