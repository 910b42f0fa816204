// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_core.h"

#include <check.h>
#include <string.h>

#define FAKE_SLOTS 1024

struct session {
    int nothing;
};

static struct session first_session, later_session;
struct session *const fake_session = &first_session, *const fake_later_session = &later_session;

static struct state_table *table; // as large as docad's, and never freed
static uint64_t next_id = 1;
static struct activity activity;
static unsigned activity_taken;

static char fake_name[] = "fake0";
struct doca_dev fake_dev = {.refs = 1, .function = {.name = fake_name, .can_dma = true}};
struct doca_dev fake_other_dev = {.refs = 1, .function = {.name = fake_name, .can_dma = true}};
struct doca_dev fake_plain_dev = {.refs = 1, .function = {.name = fake_name}};

struct card fake_card;

__attribute__((constructor)) static void make_table(void)
{
    card_init(&fake_card);
    table = calloc(1, state_table_size(FAKE_SLOTS));
    if (!table)
        abort();
    *table = (struct state_table){
        .magic = STATE_TABLE_MAGIC, .version = STATE_TABLE_VERSION, .slots = FAKE_SLOTS};
}

// ---- maps ------------------------------------------------------------------------------

struct doca_mmap fake_map(void *start, size_t length, uint32_t access)
{
    return (struct doca_mmap){
        .memory = {.start = (uintptr_t)start, .length = length, .access = access},
        .usable = true,
        .devices = {&fake_dev}};
}

void fake_set_state(uint64_t id, enum slot_state state)
{
    // Slots and ids run in step here.
    atomic_store(&table->words[id], state_word(id, state));
}

void fake_import(struct doca_mmap *map, void *start, size_t length, uint32_t access,
                 ptrdiff_t shift)
{
    uint64_t id = next_id++;

    ck_assert_uint_lt(id, FAKE_SLOTS);
    *map = fake_map((uint8_t *)start + shift, length, access);
    map->parts[0] =
        (struct memory_part){.start = map->memory.start, .length = length, .local = start};
    map->base = start;
    map->memory.imported = true;
    map->memory.parts = map->parts;
    map->memory.n_parts = 1;
    map->memory.table = table;
    map->memory.slot = (uint32_t)id;
    map->memory.import_id = id;
    fake_set_state(id, SLOT_LIVE);
}

void fake_part(struct doca_mmap *map, size_t offset, bool mapped)
{
    struct memory_part *last = &map->parts[map->memory.n_parts - 1];
    uintptr_t start = map->memory.start + offset;
    uint8_t *local = map->base + offset;

    if (start == last->start) { // the part changes as a whole
        last->local = mapped ? last->local : NULL;
        return;
    }
    ck_assert_uint_gt(start, last->start);
    map->parts[map->memory.n_parts++] =
        (struct memory_part){.start = start,
                             .length = last->start + last->length - start,
                             .local = mapped ? local : NULL};
    last->length = start - last->start;
}

const struct memory *mmap_memory(const struct doca_mmap *mmap)
{
    return &mmap->memory;
}

bool mmap_usable(const struct doca_mmap *mmap)
{
    return mmap->usable;
}

bool mmap_takes_early(const struct doca_mmap *mmap)
{
    return !mmap->usable && mmap->memory.length;
}

bool mmap_has_chunk(const struct doca_mmap *mmap, uintptr_t start, size_t length)
{
    (void)mmap;
    (void)start;
    (void)length;
    return false;
}

bool mmap_keeps_devices(const struct doca_mmap *mmap)
{
    return mmap->usable;
}

bool mmap_has_device(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
    for (size_t i = 0; i < ARRAY_SIZE(mmap->devices); i++)
        if (mmap->devices[i] == dev)
            return true;
    return false;
}

bool mmap_stretch(const struct doca_mmap *mmap, uintptr_t start, size_t *length)
{
    (void)mmap;
    (void)start;
    (void)length;
    return true;
}

bool mmap_uncounted(const struct doca_mmap *mmap)
{
    return mmap->uncounted;
}

struct buf_count *mmap_buf_count(struct doca_mmap *mmap, const void *owner)
{
    (void)mmap;
    (void)owner;
    return NULL;
}

void mmap_buf_get(struct doca_mmap *mmap)
{
    mmap->bufs++;
}

void mmap_buf_put(struct doca_mmap *mmap)
{
    if (mmap->bufs == 0) // an assertion would allocate, on the data path
        ck_abort_msg("a buffer was given back twice");
    mmap->bufs--;
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
    if (!mmap->memory.length)
        return DOCA_ERROR_BAD_STATE;
    *addr = (void *)mmap->memory.start;
    *len = mmap->memory.length;
    return DOCA_SUCCESS;
}

// ---- devices ---------------------------------------------------------------------------

struct doca_dev *dev_ref(struct doca_dev *dev)
{
    dev->refs++;
    return dev;
}

struct doca_dev *dev_unref(struct doca_dev *dev)
{
    if (dev)
        dev->refs--;
    return NULL;
}

struct session *dev_session(const struct doca_dev *dev)
{
    (void)dev;
    return fake_session;
}

const Docad__Function *dev_function(const struct doca_dev *dev)
{
    return &dev->function;
}

const struct doca_devinfo *dev_devinfo(const struct doca_dev *dev)
{
    return (const struct doca_devinfo *)dev;
}

const Docad__Function *devinfo_function(const struct doca_devinfo *devinfo)
{
    return &((const struct doca_dev *)devinfo)->function;
}

const struct card *dev_card(const struct doca_dev *dev)
{
    (void)dev;
    return &fake_card;
}

const struct card *devinfo_card(const struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return &fake_card;
}

// ---- the session -------------------------------------------------------------------------

struct fake_engine fake_engines[FAKE_ENGINES_MAX];
unsigned fake_engines_made, fake_engines_open;
doca_error_t fake_create_error;
bool fake_alive = true;

struct session *session_ref(struct session *session)
{
    return session;
}

struct session *session_unref(struct session *session)
{
    (void)session;
    return NULL;
}

const struct state_table *session_state_table(const struct session *session)
{
    (void)session;
    return table;
}

uint32_t fake_workers_allowed = UINT32_MAX;

uint32_t session_workers(const struct session *session)
{
    (void)session;
    return fake_workers_allowed;
}

bool fake_announced(uint64_t import_id)
{
    for (unsigned i = 0; i < activity_taken; i++)
        for (unsigned side = 0; side < 2; side++)
            if (atomic_load(&activity.slots[i].imports[side]) == import_id)
                return true;
    return false;
}

doca_error_t session_activity_take(struct session *session, struct activity_slot **out,
                                   struct errtext *err)
{
    (void)session;
    if (activity_taken == ACTIVITY_SLOTS)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "all slots are taken");
    *out = &activity.slots[activity_taken++];
    return DOCA_SUCCESS;
}

void session_activity_put(struct session *session, struct activity_slot *slot)
{
    (void)session;
    ck_assert_uint_eq(slot->imports[0] | slot->imports[1], 0);
    activity_taken--;
}

struct work_stats *session_stats_take(struct session *session, enum work_library library,
                                      uint32_t depth)
{
    (void)session;
    (void)library;
    (void)depth;
    return NULL;
}

void session_stats_put(struct work_stats *stats)
{
    ck_assert_ptr_null(stats);
}

bool session_alive(struct session *session)
{
    (void)session;
    return fake_alive;
}

static void create_queue_pair(const Docad__QueuePairCreate *create, Docad__Message **reply,
                              struct fd_list *fds)
{
    struct fake_engine *engine = &fake_engines[fake_engines_made++];

    ck_assert_uint_le(fake_engines_made, FAKE_ENGINES_MAX);
    ck_assert_int_eq(qp_server_init(&engine->server, fds->fds), 0);
    fds->count = 3;
    engine->id = next_id++;
    engine->open = true;
    fake_engines_open++;
    memcpy(engine->node, create->node.data, NODE_ID_SIZE);
    fake_set_state(engine->id, SLOT_LIVE);
    *reply = calloc(1, sizeof(**reply));
    docad__message__init(*reply);
    Docad__QueuePairCreateReply *body = calloc(1, sizeof(*body));
    docad__queue_pair_create_reply__init(body);
    body->queue_pair_id = engine->id;
    body->state_slot = (uint32_t)engine->id;
    (*reply)->body_case = DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY;
    (*reply)->queue_pair_create_reply = body;
}

doca_error_t session_call(struct session *session, Docad__Message *request, const int *send_fds,
                          size_t n_send_fds, Docad__Message **reply, struct fd_list *fds,
                          struct errtext *err)
{
    (void)session;
    (void)send_fds;
    (void)n_send_fds;
    if (request->body_case == DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY) {
        for (unsigned i = 0; i < fake_engines_made; i++) {
            struct fake_engine *engine = &fake_engines[i];
            if (engine->open && engine->id == request->queue_pair_destroy->queue_pair_id) {
                qp_server_fini(&engine->server);
                engine->open = false;
                fake_engines_open--;
                fake_set_state(engine->id, SLOT_FREE);
            }
        }
        return DOCA_SUCCESS;
    }
    ck_assert_int_eq(request->body_case, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE);
    if (fake_create_error != DOCA_SUCCESS)
        return errtext_set(err, fake_create_error, "the test says no");
    create_queue_pair(request->queue_pair_create, reply, fds);
    return DOCA_SUCCESS;
}

unsigned fake_serve(struct fake_engine *engine, ptrdiff_t shift, unsigned limit, uint32_t status)
{
    struct qp_request r;
    unsigned n = 0;

    while (n < limit && qp_server_next(&engine->server, &r) == 1) {
        uint8_t *memory = (uint8_t *)(r.address - (uint64_t)shift);
        uint8_t *data = &engine->server.shared->data[0][0] + r.offset;
        ck_assert_uint_le(r.length, QP_CHUNK_SIZE);
        ck_assert_uint_le(r.offset + r.length, sizeof(engine->server.shared->data));
        if (!status && r.opcode == QP_READ)
            memcpy(data, memory, r.length);
        else if (!status)
            memcpy(memory, data, r.length);
        ck_assert_int_eq(qp_server_complete(&engine->server, r.tag, status), 0);
        n++;
    }
    return n;
}

const struct verbs_device *dev_verbs(const struct doca_dev *dev)
{
    (void)dev;
    return NULL;
}

doca_error_t dev_known(const struct doca_dev *dev, struct errtext *err)
{
    (void)dev;
    (void)err;
    return DOCA_SUCCESS;
}
