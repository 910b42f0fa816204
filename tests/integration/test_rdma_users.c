// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA between processes of two users: memory that may be written and not read is mapped
// by nobody but its owner's user. Needs root to be two users.

#include "rdma_setting.h"
#include "walls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ONE_USER, ONE_USER_STRICT, TWO_USERS, USERS };

struct user_plan {
    struct peer_plan peer;
    uid_t uid;
    bool may_map;
};

static unsigned mappings(void)
{
    cleanup_file FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    unsigned n = 0;
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof(line), maps))
        n += strstr(line, "docad-region") != NULL;
    return n;
}

static int is_written(struct child *self, void *arg)
{
    const struct user_plan *plan = arg;
    struct peer p;
    walls_become(plan->uid);
    peer_open(&p, &plan->peer);
    peer_meet(&p, self);
    child_wait(self, "written");
    ck_assert(is_pattern(p.memory, p.size, 9));
    child_tell(self, "right");
    child_wait(self, "leave");
    peer_close(&p);
    return 0;
}

static int writes(struct child *self, void *arg)
{
    const struct user_plan *plan = arg;
    struct peer p;
    walls_become(plan->uid);
    peer_open(&p, &plan->peer);
    unsigned before = mappings();
    peer_meet(&p, self);
    ck_assert_int_eq(mappings() > before, plan->may_map);
    pattern(p.memory, p.size, 9);
    ck_assert_success(peer_write(&p, 0, 0, 100));
    ck_assert_success(peer_write(&p, 100, 100, p.size - 100));
    child_tell(self, "written");
    child_wait(self, "read");
    ck_assert_error(peer_read(&p, 0, 0, 8), DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "done");
    peer_close(&p);
    return 0;
}

START_TEST(write_only)
{
    int users = _i / 2, setting = _i % 2 ? TWO_NODES : ONE_NODE;
    struct user_plan ours = {near_plan(setting), WALLS_VICTIM, false};
    struct user_plan theirs = {
        far_plan(setting), users == TWO_USERS ? WALLS_ATTACKER : WALLS_VICTIM, users == ONE_USER};
    ours.peer.map = DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_WRITE;
    walls_open_directories();
    if (users == ONE_USER_STRICT) {
        struct path config = temp_file("strict.conf", "isolation = strict\n");
        near_node = daemon_start(&(struct daemon_options){.config = config.s});
        far_node = setting == ONE_NODE ? near_node
                                       : daemon_start(&(struct daemon_options){
                                             .role = "dpu", .peers = {near_node->socket.s}});
        if (setting == TWO_NODES)
            daemon_wait_links(far_node, 1);
        unlink(config.s);
    } else {
        setting_start(setting);
    }
    daemon_let_everybody_in(near_node);
    daemon_let_everybody_in(far_node);
    struct child *owner = child_start(near_node, "owner", is_written, &ours);
    struct child *other = child_start(far_node, "other", writes, &theirs);
    peers_join(owner, other);
    child_wait(other, "written");
    child_tell(owner, "written");
    child_wait(owner, "right");
    child_tell(other, "read");
    child_wait(other, "done");
    child_tell(owner, "leave");
    child_join(other);
    child_join(owner);
    setting_assert_baseline();
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be two users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("rdma users");
    ADD(suite, write_only, USERS * 2);
    return run_suite(suite);
}
