// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "known_nodes.h"
#include "lookup.h"
#include "memory_rig.h"
#include "ended_names.h"
#include "publication_listed.h"
#include "peer.h"
#include "tree.h"
#include "user.h"

static doca_error_t publish(struct rig_session *rig, const char *name, const struct export *export,
                            struct errtext *err)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    return publication_new(&rig->session, &m, err);
}

static doca_error_t offer(struct rig_session *rig, const char *name, const struct export *export,
                          uint32_t uid)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    to.uids = &uid;
    to.n_uids = 1;
    m.to = &to;
    return publication_new(&rig->session, &m, NULL);
}

static doca_error_t look_up(const char *name, uint32_t timeout_ms, struct errtext *err)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)name;
    m.timeout_ms = timeout_ms;
    return lookup_begin(&other.session, 3, &m, err);
}

static struct publication *own(const char *name)
{
    const struct publication_key key = {name, owner.session.credentials.uid};
    return publication_find(&rig_node, &key);
}

START_TEST(a_name_is_there_once_until_it_is_taken_back)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    ck_assert_int_eq(publish(&owner, "ring", export, &err), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&other, "ring", export, &err), DOCA_ERROR_ALREADY_EXIST);
    ck_assert_int_eq(publish(&owner, "", export, &err), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(owner.session.user->publications, 1);
    ck_assert_int_eq(publication_remove(&owner.session, "ring", &err), DOCA_SUCCESS);
    ck_assert_int_eq(publication_remove(&owner.session, "ring", &err), DOCA_ERROR_NOT_FOUND);
    ck_assert_uint_eq(owner.session.user->publications + rig_node.n_publications, 0);
}
END_TEST

START_TEST(it_goes_with_its_export_but_not_with_its_session)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    ck_assert_int_eq(publish(&other, "ring", export, &err), DOCA_SUCCESS);
    session_end_objects(&other.session, 0);
    ck_assert_ptr_nonnull(own("ring"));
    export_end(export, SLOT_REVOKED, NULL);
    ck_assert_ptr_null(own("ring"));
}
END_TEST

START_TEST(a_name_that_nobody_would_end_can_be_refused)
{
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct export_desc desc;
    struct errtext err;
    uint8_t carried[EXPORT_DESC_SIZE_MAX];
    size_t size;
    ck_assert_int_eq(export_desc_decode(export->descriptor, export->descriptor_size, &desc, &err),
                     DOCA_SUCCESS);
    desc.node[0] ^= 1;
    ck_assert_int_eq(export_desc_encode(&desc, carried, &size), DOCA_SUCCESS);

    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char[]){"ring"};
    m.descriptor = (ProtobufCBinaryData){size, carried};
    m.lasting = true;
    ck_assert_int_eq(publication_new(&owner.session, &m, &err), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_ptr_nonnull(strstr(err.s, "never been linked"));
    ck_assert_uint_eq(owner.session.user->publications + rig_node.n_publications, 0);

    m.lasting = false;
    ck_assert_int_eq(publication_new(&owner.session, &m, &err), DOCA_SUCCESS);
    session_end_objects(&owner.session, 0);
    ck_assert_ptr_null(own("ring"));

    known_node_remember(&rig_node, desc.node, "linked once", false);
    m.lasting = true;
    ck_assert_int_eq(publication_new(&owner.session, &m, &err), DOCA_SUCCESS);
    session_end_objects(&owner.session, 0);
    ck_assert_ptr_nonnull(own("ring"));
}
END_TEST

START_TEST(an_export_ends_its_own_names_only)
{
    struct export *first = memory_exported(memory_region(RIG_ACCESS));
    struct export *second = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "%d", i);
        ck_assert_int_eq(publish(&owner, name, i % 2 ? second : first, &err), DOCA_SUCCESS);
    }
    uint64_t id = first->object.id;
    export_end(first, SLOT_REVOKED, NULL);
    ck_assert_ptr_null(publication_of_export(&rig_node, rig_node.id, id, NULL));
    ck_assert_uint_eq(rig_node.n_publications, 20);
    ck_assert_ptr_null(own("38"));
    ck_assert_ptr_nonnull(own("39"));
    export_end(second, SLOT_REVOKED, NULL);
    ck_assert_uint_eq(rig_node.n_publications, 0);
}
END_TEST

START_TEST(lookups_wait_for_their_name)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    ck_assert_int_eq(look_up("ring", 0, &err), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(look_up("ring", 60000, &err), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&owner, "other", export, &err), DOCA_SUCCESS);
    ck_assert(!rig_has_answer(&other));
    ck_assert_int_eq(publish(&owner, "ring", export, &err), DOCA_SUCCESS);
    cleanup_message Docad__Message *answer = rig_answer(&other);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_LOOKUP_REPLY);
    ck_assert_uint_eq(answer->serial, 3);
    ck_assert_uint_eq(answer->lookup_reply->descriptor.len, export->descriptor_size);
    ck_assert_uint_eq(other.session.n_lookups, 0);
}
END_TEST

// ---- several users ---------------------------------------------------------------------------

#define ONE   4711 // neither root nor docad's own user
#define TWO   4712
#define THIRD 4713

static void be_two_users(void)
{
    owner.session.credentials.uid = ONE;
    other.session.credentials.uid = TWO;
}

// What the lookup that waits, or was asked with success, has brought.
static bool found(const struct export *export)
{
    cleanup_message Docad__Message *answer = rig_answer(&other);
    return answer->body_case == DOCAD__MESSAGE__BODY_LOOKUP_REPLY &&
           answer->lookup_reply->descriptor.len == export->descriptor_size &&
           memcmp(answer->lookup_reply->descriptor.data, export->descriptor,
                  export->descriptor_size) == 0;
}

START_TEST(each_user_has_its_own_names)
{
    const struct export *first = memory_exported(memory_region(RIG_ACCESS));
    const struct export *second = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    be_two_users();
    ck_assert_int_eq(offer(&owner, "ring", first, TWO), DOCA_SUCCESS);
    ck_assert_int_eq(look_up("ring", 0, &err), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(publish(&other, "ring", second, &err), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&other, "ring", second, &err), DOCA_ERROR_ALREADY_EXIST);
    ck_assert_int_eq(look_up("ring", 0, &err), DOCA_SUCCESS);
    ck_assert(found(second));
    ck_assert_int_eq(look_up("4711/ring", 0, &err), DOCA_SUCCESS);
    ck_assert(found(first));
    ck_assert_int_eq(look_up("4712/ring", 0, &err), DOCA_SUCCESS);
    ck_assert(found(second));
    // Each takes its own back.
    ck_assert_int_eq(publication_remove(&other.session, "4711/ring", &err),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(publication_remove(&other.session, "ring", &err), DOCA_SUCCESS);
    ck_assert_ptr_nonnull(own("ring"));
    ck_assert_int_eq(look_up("ring", 0, &err), DOCA_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(names_for_others_are_not_there)
{
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext absent, hidden;
    be_two_users();
    ck_assert_int_eq(look_up("4711/ring", 0, &absent), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(publication_remove(&other.session, "4711/ring", &absent),
                     DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(offer(&owner, "ring", export, THIRD), DOCA_SUCCESS);
    ck_assert_int_eq(publication_remove(&other.session, "4711/ring", &hidden),
                     DOCA_ERROR_NOT_FOUND);
    ck_assert_str_eq(hidden.s, absent.s);
    ck_assert_int_eq(look_up("4711/nothing", 0, &absent), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(look_up("4711/ring", 0, &hidden), DOCA_ERROR_NOT_FOUND);
    ck_assert_uint_eq(strlen(hidden.s), strlen(absent.s) - strlen("nothing") + strlen("ring"));
    // The third user's lookup waits until the name is offered to it, and for nobody else's.
    ck_assert_int_eq(look_up("4711/later", 60000, &hidden), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&owner, "later", export, THIRD), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&other, "later", export, &hidden), DOCA_SUCCESS);
    ck_assert(!rig_has_answer(&other));
    ck_assert_int_eq(publication_remove(&owner.session, "later", &hidden), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&owner, "later", export, TWO), DOCA_SUCCESS);
    ck_assert(found(export));
    ck_assert_uint_eq(other.session.n_lookups, 0);
}
END_TEST

START_TEST(bytes_of_names)
{
    static const char *const good[] = {"a", "A-z_0.9:@+", ".", "-"};
    static const char *const other_ones[] = {"a b", "\xc3\xa9", "fr\xd0\xb0mes",
                                             "frames\xe2\x80\x8b", "a'b"};
    static const char *const never[] = {
        "",     "/",        "a/",   "/a",           "a/b",   "1000/a/b", "a\nb",
        "\xff", "\x1b[31m", "-1/a", "4294967295/a", "1000/", " 1/a"};
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        ck_assert_int_eq(publish(&owner, good[i], export, &err), DOCA_SUCCESS);
    for (int utf8 = 0; utf8 < 2; utf8++) {
        rig_config.names_utf8 = utf8;
        for (size_t i = 0; i < ARRAY_SIZE(other_ones); i++)
            ck_assert_int_eq(publish(&owner, other_ones[i], export, &err),
                             utf8 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
            ck_assert_int_eq(publish(&owner, never[i], export, &err), DOCA_ERROR_INVALID_VALUE);
            ck_assert_int_eq(look_up(never[i], 0, &err), DOCA_ERROR_INVALID_VALUE);
        }
    }
    ck_assert_int_eq(publish(&owner, "0/a", export, &err), DOCA_ERROR_INVALID_VALUE);
    rig_config.names_utf8 = false;
}
END_TEST

// ---- linked nodes ----------------------------------------------------------------------------

static struct peer peer; // an older docad, which has one owner of each name

static void begin_peer(void)
{
    peer = (struct peer){.node = &rig_node, .id_there = {2}};
    strcpy(peer.name, "there");
    users_init(&peer.users);
}

static void published_there(const char *name, const struct export *export, uint32_t uid)
{
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    m.uid = uid;
    publication_from_peer(&rig_node, &peer, &m);
}

// An export of the peer's node.
static doca_error_t publish_of_peer(struct rig_session *rig, const char *name,
                                    const struct export *like)
{
    struct export_desc desc;
    struct errtext err;
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
    size_t size;
    Docad__Publish m = DOCAD__PUBLISH__INIT;

    ck_assert_int_eq(export_desc_decode(like->descriptor, like->descriptor_size, &desc, &err),
                     DOCA_SUCCESS);
    memcpy(desc.node, peer.id_there, sizeof(desc.node));
    ck_assert_int_eq(export_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){size, bytes};
    return publication_new(&rig->session, &m, &err);
}

static unsigned steps;

struct tree_node *__real_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare)
{
    steps++;
    return __real_tree_next(tree, node, compare);
}

// Users of a linked node may publish the same name as often as there are uids.
START_TEST(publishing_takes_few_steps)
{
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;

    begin_peer();
    be_two_users();
    published_there("few", export, 1);
    for (uint32_t uid = 0; uid < 1000; uid++)
        published_there("ring", export, uid);
    ck_assert_uint_eq(rig_node.n_publications, 1001);
    ck_assert_int_eq(publish(&owner, "few", export, &err), DOCA_SUCCESS);
    ck_assert(own("few")->first);
    steps = 0;
    ck_assert_int_eq(publish(&owner, "ring", export, &err), DOCA_SUCCESS);
    ck_assert_uint_lt(steps, 10);
    ck_assert(own("ring")->first); // of this node
    name_source_gone(&peer);
}
END_TEST

START_TEST(an_older_node_ends_only_names_that_it_knows)
{
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    const struct publication_key known = {"ring", TWO};
    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;

    begin_peer();
    be_two_users();
    ck_assert_int_eq(publish_of_peer(&other, "ring", export), DOCA_SUCCESS);
    ck_assert_int_eq(publish_of_peer(&owner, "ring", export), DOCA_SUCCESS);
    gone.name = (char[]){"ring"};
    publication_gone_at_peer(&rig_node, &peer, &gone);
    ck_assert_ptr_nonnull(own("ring"));
    ck_assert_ptr_null(publication_find(&rig_node, &known));
    publication_gone_at_peer(&rig_node, &peer, &gone);
    ck_assert_ptr_nonnull(own("ring"));
    name_source_gone(&peer);
}
END_TEST

// ---- lists -----------------------------------------------------------------------------------

// What a list has for the session, and how many names it looks at.
static unsigned listed(const struct rig_session *rig, char *text, size_t size)
{
    const struct publication *p = NULL;
    unsigned looks = 0;
    text[0] = '\0';
    for (uint64_t id = 0; (p = publication_listed_after(&rig->session, id)); looks++) {
        id = p->id.id;
        if (publication_is_offered(p, &rig->session))
            snprintf(text + strlen(text), size - strlen(text), " %s", p->name);
    }
    return looks;
}

START_TEST(lists_have_what_a_user_may_see)
{
    const struct export *export = memory_exported(memory_region(RIG_ACCESS));
    char text[256], name[16];
    struct errtext err;

    begin_peer();
    be_two_users();
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "%d", i);
        ck_assert_int_eq(publish(&owner, name, export, &err), DOCA_SUCCESS);
    }
    ck_assert_int_eq(publish(&other, "of-another", export, &err), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&owner, "offered", export, TWO), DOCA_SUCCESS);
    published_there("there", export, TWO);
    ck_assert_uint_eq(listed(&other, text, sizeof(text)), 3);
    ck_assert_str_eq(text, " of-another offered there");
    ck_assert_uint_eq(listed(&owner, text, sizeof(text)), 53);
    ck_assert_ptr_nonnull(strstr(text, " 49 of-another offered there")); // the export is its own
    other.session.credentials.uid = 4713;
    ck_assert_uint_eq(listed(&other, text, sizeof(text)), 3);
    ck_assert_str_eq(text, "");
    other.session.credentials.uid = 0;
    ck_assert_uint_eq(listed(&other, text, sizeof(text)), 53);
    ck_assert_ptr_nonnull(strstr(text, " 49 of-another offered there"));
    name_source_gone(&peer);
}
END_TEST

MEMORY_MAIN("publication", lists_have_what_a_user_may_see,
            a_name_is_there_once_until_it_is_taken_back,
            it_goes_with_its_export_but_not_with_its_session,
            a_name_that_nobody_would_end_can_be_refused, an_export_ends_its_own_names_only,
            lookups_wait_for_their_name, each_user_has_its_own_names,
            names_for_others_are_not_there, bytes_of_names, publishing_takes_few_steps,
            an_older_node_ends_only_names_that_it_knows)
