// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The identity of a process, with a kernel that is made up: getsockopt() is wrapped.

#include "account.h"
#include "cleanup.h"
#include "credentials.h"
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static struct {
    size_t n;        // supplementary groups of the process: 100, 101, ...
    int failure;     // errno of SO_PEERGROUPS; 0: none
    bool keeps_size; // it does not say how many groups there are
    unsigned questions;
} kernel;

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);

static int answer_groups(gid_t *ids, socklen_t *size)
{
    socklen_t need = (socklen_t)(kernel.n * sizeof(gid_t));

    kernel.questions++;
    ck_assert_uint_lt(kernel.questions, 100);
    if (kernel.failure || *size < need) {
        errno = kernel.failure ? kernel.failure : ERANGE;
        *size = kernel.failure || kernel.keeps_size ? *size : need;
        return -1;
    }
    for (size_t i = 0; i < kernel.n; i++)
        ids[i] = 100 + (gid_t)i;
    *size = need;
    return 0;
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    ck_assert_int_eq(fd, 7);
    ck_assert_int_eq(level, SOL_SOCKET);
    if (name == SO_PEERGROUPS)
        return answer_groups(value, size);
    ck_assert_int_eq(name, SO_PEERCRED);
    *(struct ucred *)value = (struct ucred){.pid = 77, .uid = 1000, .gid = 5000};
    return 0;
}

static int take(size_t n, struct credentials *who)
{
    pid_t pid;

    kernel.n = n;
    kernel.questions = 0;
    ck_assert_int_eq(credentials_of_socket(7, who, &pid), 0);
    ck_assert_int_eq(pid, 77);
    ck_assert(who->uid == 1000 && who->account == 1000 && !who->groups && !who->restricting);
    return credentials_take_groups(who, 7);
}

// ---- the kernel's groups ---------------------------------------------------------------------

static const size_t counts[] = {0, 1, 31, 32, 33, 63, 64, 65, 1000, 65535, 65536};

START_TEST(all_groups_are_known)
{
    size_t n = counts[_i];
    struct credentials who;

    ck_assert_int_eq(take(n, &who), 0);
    ck_assert_uint_eq(kernel.questions, n <= 32 ? 1 : 2);
    ck_assert_uint_eq(who.groups->n, n + 1);
    ck_assert_uint_eq(credentials_bytes(&who), (n + 1) * sizeof(gid_t));
    ck_assert(credentials_has_group(&who, 5000)); // the effective one
    ck_assert(!credentials_has_group(&who, 99));
    for (size_t i = 0; i < n; i += 1 + n / 50)
        ck_assert(credentials_has_group(&who, 100 + (gid_t)i));
    ck_assert_int_eq(credentials_has_group(&who, 100 + (gid_t)n), n == 4900);
    credentials_drop(&who);
}
END_TEST

START_TEST(a_kernel_that_tells_no_size)
{
    struct credentials who;

    kernel.keeps_size = true;
    ck_assert_int_eq(take(1000, &who), 0);
    ck_assert_uint_eq(kernel.questions, 6); // 32, 64, ... 1024
    ck_assert_uint_eq(who.groups->n, 1001);
    credentials_drop(&who);
}
END_TEST

// What is not known is no credentials: the process must be refused.
START_TEST(unknown_groups)
{
    struct credentials who;

    ck_assert_int_eq(take(65537, &who), -ERANGE);
    ck_assert_uint_eq(kernel.questions, 1);
    kernel.keeps_size = true;
    ck_assert_int_eq(take(65537, &who), -ERANGE);
    kernel.failure = ENOPROTOOPT;
    ck_assert_int_eq(take(1, &who), -ENOPROTOOPT);
    kernel.failure = ENODATA;
    ck_assert_int_eq(take(1, &who), -ENODATA);
    ck_assert(!who.groups && !who.restricting);
}
END_TEST

START_TEST(a_copy_outlives_its_original)
{
    struct credentials who;

    ck_assert_int_eq(take(3, &who), 0);
    struct credentials copy = credentials_copy(&who);
    ck_assert_ptr_eq(copy.groups, who.groups);
    credentials_drop(&who);
    ck_assert(!credentials_has_group(&who, 101));
    ck_assert(credentials_has_group(&copy, 101));
    credentials_drop(&copy);
}
END_TEST

// ---- messages --------------------------------------------------------------------------------

static uint32_t gids[] = {30, 10, 20}, account_gids[] = {40};

START_TEST(a_message_has_both_kinds)
{
    struct credentials who;
    struct credentials_carried m = {.uid = 1000,
                                    .gids = gids,
                                    .n_gids = 3,
                                    .account_gids = account_gids,
                                    .n_account_gids = 1,
                                    .exact = true};

    ck_assert_int_eq(credentials_of_message(&m, &who), 0);
    ck_assert(who.uid == 1000 && who.account == 1000);
    ck_assert(credentials_has_group(&who, 10) && credentials_has_group(&who, 30));
    ck_assert(!credentials_has_group(&who, 40) && credentials_may_have_group(&who, 40));
    ck_assert(!credentials_may_have_group(&who, 50));

    Docad__PeerImport put = DOCAD__PEER_IMPORT__INIT;
    Docad__Account account;
    CREDENTIALS_PUT(&who, &put, &account);
    ck_assert(put.n_gids == 3 && put.gids[0] == 10 && put.n_account_gids == 1 && put.exact_gids);
    credentials_drop(&who);
}
END_TEST

// An older docad reports groups of the account as those of a subordinate uid.
START_TEST(an_older_message_grants_a_subordinate_uid_nothing)
{
    Docad__Account account = DOCAD__ACCOUNT__INIT;
    struct credentials_carried m = {.uid = 100005, .account = &account, .gids = gids, .n_gids = 3};
    struct credentials who;

    account.uid = 1000;
    ck_assert_int_eq(credentials_of_message(&m, &who), 0);
    ck_assert(!credentials_has_group(&who, 10) && credentials_may_have_group(&who, 10));
    credentials_drop(&who);
    m.account = NULL; // of a user it does not
    ck_assert_int_eq(credentials_of_message(&m, &who), 0);
    ck_assert(credentials_has_group(&who, 10));
    credentials_drop(&who);
}
END_TEST

START_TEST(messages_carry_so_many)
{
    static uint32_t many[CREDENTIALS_CARRIED_MAX + 1];
    struct credentials_carried m = {.gids = many, .n_gids = CREDENTIALS_CARRIED_MAX, .exact = true};
    struct credentials who;
    struct errtext err;

    ck_assert_int_eq(credentials_of_message(&m, &who), 0);
    ck_assert_int_eq(credentials_check_carried(&who, &err), DOCA_SUCCESS);
    credentials_drop(&who);
    m.n_account_gids = 1;
    m.account_gids = many;
    ck_assert_int_eq(credentials_of_message(&m, &who), -E2BIG);
    ck_assert_int_eq(take(CREDENTIALS_CARRIED_MAX, &who), 0); // and the effective one
    ck_assert_int_eq(credentials_check_carried(&who, &err), DOCA_ERROR_NOT_PERMITTED);
    credentials_drop(&who);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("credentials");
    tcase_add_loop_test(tcase, all_groups_are_known, 0, ARRAY_SIZE(counts));
    tcase_add_test(tcase, a_kernel_that_tells_no_size);
    tcase_add_test(tcase, unknown_groups);
    tcase_add_test(tcase, a_copy_outlives_its_original);
    tcase_add_test(tcase, a_message_has_both_kinds);
    tcase_add_test(tcase, an_older_message_grants_a_subordinate_uid_nothing);
    tcase_add_test(tcase, messages_carry_so_many);
    return unit_run_case("credentials", tcase);
}
