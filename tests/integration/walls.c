// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "walls.h"

#include "client.h"
#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/mman.h>

#define PAGE  4096u
#define PAGES 8u
#define RAGS  40u // exported bytes of the page before the whole ones, and behind

struct daemon *walls_host, *walls_dpu;

static struct child *victim;
static struct walls_handout handout;

void walls_become(uid_t uid)
{
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(uid, uid, uid), 0);
    ck_assert_int_eq(setresuid(uid, uid, uid), 0);
    // Both are lost with a change of uid; without the second, nobody opens his own memory.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1);
}

// ---- the victim -------------------------------------------------------------------------

struct estate {
    uint8_t *memory;
    struct exporter exporter;
};

static uint8_t *exported(const struct estate *e)
{
    return e->memory + 2 * PAGE - RAGS;
}

#define EXPORTED_SIZE (4 * PAGE + 2 * RAGS)

static void acquire(struct estate *e, uint32_t access, struct prey *out)
{
    struct export_desc desc;
    e->memory = pages_new(PAGES * PAGE);
    memset(e->memory, SECRET_BYTE, PAGES * PAGE);
    memset(exported(e), SHARED_BYTE, EXPORTED_SIZE);
    exporter_start(&e->exporter, HOST_PF0, exported(e), EXPORTED_SIZE, access);
    ck_assert_success(export_desc_decode(e->exporter.desc, e->exporter.desc_len, &desc, NULL));
    memcpy(out->d.bytes, e->exporter.desc, e->exporter.desc_len);
    out->d.size = e->exporter.desc_len;
    out->id = desc.export_id;
    out->address = (uintptr_t)exported(e);
    out->length = EXPORTED_SIZE;
    out->mapped = 4 * PAGE;
}

static void assert_bytes(const uint8_t *bytes, size_t n, uint8_t value, const char *what)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(bytes[i] == value, "byte %zu of the %s is %#x", i, what, bytes[i]);
}

// Others may write what is exported read-write, and no more.
static void assert_unharmed(const struct estate *e, bool writable)
{
    assert_bytes(e->memory, 2 * PAGE - RAGS, SECRET_BYTE, "memory before an export");
    assert_bytes(exported(e) + EXPORTED_SIZE, 2 * PAGE - RAGS, SECRET_BYTE,
                 "memory behind an export");
    if (!writable)
        assert_bytes(exported(e), EXPORTED_SIZE, SHARED_BYTE, "export");
}

// Jobs of the victim's own go on: within its process, as they always do.
static void work(struct copier *c)
{
    memset(c->memory, 1, c->size);
    for (uint8_t i = 0; i < 16; i++) {
        struct doca_mmap *remote = c->remote;
        c->remote = c->local;
        c->address = c->memory + c->size / 2;
        c->memory[0] = i;
        ck_assert_success(copier_write(c, 0, c->size / 2));
        ck_assert_uint_eq(c->memory[c->size / 2], i);
        c->remote = remote;
    }
}

static void act(struct estate *e, const char *word)
{
    struct export_desc desc;
    if (strcmp(word, "revoke") == 0) {
        ck_assert_success(export_desc_decode(e->exporter.desc, e->exporter.desc_len, &desc, NULL));
        raw_revoke(getenv("DOCAD_SOCKET"), desc.export_id);
    } else if (strcmp(word, "stop") == 0) {
        ck_assert_success(doca_mmap_stop(e->exporter.mmap));
        memset(exported(e), SHARED_BYTE, EXPORTED_SIZE);
    } else if (strcmp(word, "start") == 0) {
        ck_assert_success(doca_mmap_start(e->exporter.mmap));
    } else if (strcmp(word, "scribble") == 0) {
        memset(exported(e), SHARED_BYTE + 1, EXPORTED_SIZE);
    } else if (strcmp(word, "untouched") == 0) {
        assert_bytes(exported(e), EXPORTED_SIZE, SHARED_BYTE, "memory that was moved away");
    } else {
        ck_abort_msg("%s?", word);
    }
}

static int be_victim(struct child *self, void *arg)
{
    static struct estate read_only, read_write, keep;
    struct walls_handout out = {0};
    struct copier copier;
    (void)arg;
    walls_become(WALLS_VICTIM);
    acquire(&read_only, DOCA_ACCESS_DPU_READ_ONLY, &out.read_only);
    acquire(&read_write, DOCA_ACCESS_DPU_READ_WRITE, &out.read_write);
    acquire(&keep, DOCA_ACCESS_DPU_READ_WRITE, &out.keep);
    copier_start(&copier, HOST_PF0, 64 * 1024);
    child_send(self, &out, sizeof(out));
    for (;;) {
        char word[64] = "";
        child_receive(self, word, sizeof(word) - 1);
        if (strcmp(word, "end") == 0)
            break;
        if (strcmp(word, "look") == 0) {
            assert_unharmed(&read_only, false);
            assert_unharmed(&read_write, true);
            assert_unharmed(&keep, false);
            work(&copier);
        } else {
            act(&read_write, word);
        }
        child_tell(self, "fine");
    }
    copier_stop(&copier);
    exporter_stop(&read_only.exporter);
    exporter_stop(&read_write.exporter);
    exporter_stop(&keep.exporter);
    assert_unharmed(&read_only, false);
    assert_unharmed(&read_write, true);
    assert_unharmed(&keep, false);
    struct estate *const all[] = {&read_only, &read_write, &keep};
    for (int i = 0; i < 3; i++)
        munmap(all[i]->memory, PAGES * PAGE);
    return 0;
}

void walls_victim_does(const char *what)
{
    child_tell(victim, what);
    child_wait(victim, "fine");
}

void walls_assert_victim_unharmed(void)
{
    walls_victim_does("look");
}

// ---- the stage --------------------------------------------------------------------------

void walls_open_directories(void)
{
    struct path dir = temp_path("");
    chmod(dir.s, 01777);
    for (char *end; (end = strrchr(dir.s, '/')) && end != dir.s && strcmp(dir.s, "/tmp") != 0;
         *end = '\0')
        if (end[1])
            chmod(dir.s, strstr(dir.s, "/tmp/docad") && end[1] ? 0711 : 0755);
    chmod(temp_path("").s, 01777);
    setenv("DOCAD_SERVER_USER", "64001", 1); // see start()
}

static struct daemon *start(const char *role, const struct daemon *peer, const char *config)
{
    struct daemon_options o = {.role = role,
                               .config = config,
                               .wrapper = {"/usr/bin/setpriv", "--reuid=64001", "--regid=64001",
                                           "--clear-groups", "--pdeathsig=KILL"},
                               .peers = {peer ? peer->socket.s : NULL}};
    return daemon_start(&o);
}

void walls_setup_with_limits(const char *limits)
{
    char text[512];
    env_setup();
    walls_open_directories();
    snprintf(text, sizeof(text), "socket_mode = 0666\nlimits { %s }\n", limits);
    struct path config = temp_file("docad.conf", text);
    chmod(config.s, 0644);
    walls_host = start("host", NULL, config.s);
    walls_dpu = start("dpu", walls_host, config.s);
    unlink(config.s);
    daemon_wait_links(walls_dpu, 1);
    victim = child_start(walls_host, "victim", be_victim, NULL);
    ck_assert_uint_eq(child_receive(victim, &handout, sizeof(handout)), sizeof(handout));
}

void walls_setup(void)
{
    walls_setup_with_limits("");
}

void walls_teardown(void)
{
    walls_assert_victim_unharmed();
    child_tell(victim, "end");
    child_join(victim);
    daemon_assert_alive(walls_host);
    daemon_assert_alive(walls_dpu);
    assert_baseline(walls_host);
    assert_baseline(walls_dpu);
    env_teardown();
}

// ---- the attacker -----------------------------------------------------------------------

struct role {
    attack_fn deed;
    uid_t uid;
};

static int be_attacker(struct child *self, void *arg)
{
    const struct role *role = arg;
    struct attacker a = {.self = self, .host = walls_host, .dpu = walls_dpu, .prey = handout};
    memset(&a.prey.keep.d, 0, sizeof(a.prey.keep.d));
    walls_become(role->uid);
    self->may_leave_open = true;
    a.on_host = session_start(walls_host);
    a.on_dpu = session_start(walls_dpu);
    a.pf0 = open_function(a.on_host.sock, "pf0");
    a.p0 = open_function(a.on_dpu.sock, "p0");
    role->deed(&a);
    if (a.on_host.states)
        session_end(&a.on_host);
    if (a.on_dpu.states)
        session_end(&a.on_dpu);
    return 0;
}

struct child *walls_attack_start(attack_fn attack)
{
    struct role role = {attack, WALLS_ATTACKER};
    return child_start(NULL, "attacker", be_attacker, &role);
}

struct child *walls_neighbour_start(attack_fn deed)
{
    struct role role = {deed, WALLS_VICTIM};
    return child_start(NULL, "neighbour", be_attacker, &role);
}

const struct walls_handout *walls_handed_out(void)
{
    return &handout;
}

void walls_attack(attack_fn attack)
{
    struct child *child = walls_attack_start(attack);
    child_join(child);
    walls_assert_victim_unharmed();
}

struct loot attacker_import(struct attacker *a, const struct prey *prey)
{
    ck_assert_int_eq(import_on(a->on_dpu.sock, &prey->d, a->p0), DOCA_SUCCESS);
    const Docad__ImportCreateReply *reply = answer->import_create_reply;
    return (struct loot){.id = reply->import_id,
                         .address = reply->address,
                         .length = reply->length,
                         .key = reply->grant_key,
                         .slot = reply->state_slot,
                         .access = reply->access,
                         .memfd = fd_list_take(&answer_fds, 0)};
}

void loot_drop(struct loot *loot)
{
    close_fdp(&loot->memfd);
}
