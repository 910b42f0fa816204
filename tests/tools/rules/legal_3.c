// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of DOCA 3 that break no rule, though it may look so, or that do what docad refuses:
// legal_3 [NAME].

#include "copies_3.h"

#define SOME (4 * PART)

// ---- lists

// More buffers than the rules look at. docad refuses the list.
static void long_list(bool wrong)
{
    enum { COUNT = 5000 };
    static struct doca_buf *list[COUNT];
    struct copies copies;
    struct doca_buf_inventory *many;
    (void)wrong;
    copies_begin(&copies, SOME);
    must(doca_buf_inventory_create(COUNT, &many));
    must(doca_buf_inventory_start(many));
    for (unsigned i = 0; i < COUNT; i++)
        must(doca_buf_inventory_buf_get_by_data(many, copies.map, copies.memory, 1, &list[i]));
    for (unsigned i = COUNT - 1; i-- > 0;)
        must(doca_buf_chain_list(list[i], list[i + 1]));
    struct doca_buf *one = copies_empty(&copies, PART, PART);
    for (unsigned i = 0; i < 2; i++) {
        struct doca_dma_task_memcpy *task;
        union doca_data none = {0};
        if (doca_dma_task_memcpy_alloc_init(copies.dmas[0], i ? one : list[0], i ? list[0] : one,
                                            none, &task) != DOCA_SUCCESS)
            continue;
        if (doca_task_submit(doca_dma_task_memcpy_as_task(task)) == DOCA_SUCCESS)
            copies_await(&copies, copies.done + 1);
        copies_free(task);
    }
    copies_give_back(one);
    copies_give_back(list[0]);
    must(doca_buf_inventory_destroy(many));
    copies_end(&copies);
}

int main(int argc, char **argv)
{
    static const struct rule_case cases[] = {
        {"long-list", long_list},
    };
    return run_cases(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
