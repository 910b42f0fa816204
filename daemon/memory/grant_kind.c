// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "grant.h"

#include "export.h"
#include "import.h"
#include "node.h"
#include "peer.h"

#include <stdlib.h>

void grant_keep(struct grant *grant)
{
    Docad__KeptGrant what = DOCAD__KEPT_GRANT__INIT;
    Docad__KeptImporter importer;
    Docad__Kept record;

    if (!keep_is_on())
        return;
    importer_record(grant->importer, &importer);
    what.export = grant->export->id.id;
    what.importer = &importer;
    what.in_engine = grant->in_engine;
    what.key = grant->key;
    what.import = grant->import ? grant->import->id.id : 0;
    keep_record_init(&record, grant->id.id, 0, &grant->kept);
    record.what_case = DOCAD__KEPT__WHAT_GRANT;
    record.grant = &what;
    keep_put(&grant->kept, &record, NULL, 0);
}

static void restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptGrant *m = item->record->grant;
    struct export *export = idmap_get(&node->exports_by_id, m->export, struct export, id);
    struct import *import = idmap_get(&node->imports_by_id, m->import, struct import, id);
    struct importer *importer = export ? importer_of_record(node, m->importer) : NULL;
    bool wanted = m->import ? import && import->state == SLOT_LIVE : true;
    struct grant *grant = importer && wanted ? grant_make(export, importer) : NULL;

    if (grant && m->in_engine && !grant_restore_in_engine(grant, m->key)) {
        free(grant);
        grant = NULL;
    }
    if (!grant) {
        if (importer)
            importer_free_if_idle(importer);
        return;
    }
    grant_enter(grant, item->record->id, NULL, NULL);
    grant_hold(grant);
    if (import)
        import_take_grant(import, grant);
    keep_take(item, &grant->kept);
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_grants; i++) {
        struct grant *grant =
            idmap_get(&peer->node->grants_by_id, named->grants[i], struct grant, id);
        if (grant && grant->importer->peer == peer)
            grant->item.stale = false;
        else
            peer_tell_no_grant(peer, named->grants[i]);
    }
}

const struct object_kind grant_kind = {
    .record = DOCAD__KEPT__WHAT_GRANT, .restore = restore, .confirm = confirm};
