// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What DOCA 3 has for hardware that no software can be, and what it says of itself: neither has
// states.

#include "objects.h"

#include <string.h>

static struct doca_dev *dev;

static void enter(unsigned state)
{
    (void)state;
    dev = client_open(HOST_PF0);
}

static void leave(void)
{
    ck_assert_success(doca_dev_close(dev));
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev"))
        return GIVE(dev);
    if (strstr(function, "_completion_get_"))
        return GIVEN_NONE;
    *value = 1;
    return same(param, "allocation_type") || same(param, "size") || same(param, "access_flags") ||
                   same(param, "max_num_consumers") || same(param, "max_num_producers") ||
                   same(param, "max_num_recv") || same(param, "imm_data_len") ||
                   same(param, "dev_num_recv") || same(param, "user_data") ||
                   same(param, "error") || same(param, "address")
               ? GIVEN
               : GIVEN_NONE;
}

#define NEVER(function, pointers)                                                                  \
    {                                                                                              \
        function, {UNSUPP}, pointers                                                               \
    }

static const struct row rows[] = {
    {"doca_error_get_name", {OK}},
    {"doca_error_get_descr", {OK}},
    {"doca_version", {OK}},
    {"doca_version_runtime", {OK}},
    NEVER("doca_comch_msgq_create", "dev msgq"),
    NEVER("doca_comch_msgq_destroy", "msgq"),
    NEVER("doca_comch_msgq_set_dpa_consumer", "msgq dpa"),
    NEVER("doca_comch_msgq_set_max_num_consumers", "msgq"),
    NEVER("doca_comch_msgq_set_dpa_producer", "msgq dpa"),
    NEVER("doca_comch_msgq_set_max_num_producers", "msgq"),
    NEVER("doca_comch_msgq_start", "msgq"),
    NEVER("doca_comch_msgq_stop", "msgq"),
    NEVER("doca_comch_msgq_consumer_create", "msgq consumer"),
    NEVER("doca_comch_msgq_producer_create", "msgq producer"),
    NEVER("doca_comch_consumer_completion_create", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_destroy", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_set_dpa_thread", "consumer_comp dpa_thread"),
    NEVER("doca_comch_consumer_completion_start", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_stop", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_get_dpa_handle", "consumer_comp consumer_comp_handle"),
    NEVER("doca_comch_consumer_completion_set_max_num_consumers", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_get_max_num_consumers",
          "consumer_comp max_num_consumers"),
    NEVER("doca_comch_consumer_completion_set_max_num_recv", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_get_max_num_recv", "consumer_comp max_num_recv"),
    NEVER("doca_comch_consumer_completion_set_imm_data_len", "consumer_comp"),
    NEVER("doca_comch_consumer_completion_get_imm_data_len", "consumer_comp imm_data_len"),
    NEVER("doca_comch_consumer_set_dev_max_num_recv", "consumer"),
    NEVER("doca_comch_consumer_set_completion", "consumer consumer_comp"),
    NEVER("doca_comch_consumer_get_dpa_handle", "consumer dpa_consumer"),
    NEVER("doca_comch_producer_dpa_completion_attach", "producer dpa_comp"),
    NEVER("doca_comch_producer_get_dpa_handle", "producer dpa_producer"),
    NEVER("doca_uar_create", "dev uar"),
    NEVER("doca_uar_dpa_create", "dpa uar"),
    NEVER("doca_uar_destroy", "uar"),
    NEVER("doca_uar_id_get", "uar id"),
    NEVER("doca_uar_page_get", "uar page"),
    NEVER("doca_uar_reg_addr_get", "uar reg"),
    NEVER("doca_umem_create", "dev address umem_obj"),
    NEVER("doca_umem_dpa_create", "dpa umem_obj"),
    NEVER("doca_umem_gpu_create", "gpu dev address umem_obj"),
    NEVER("doca_umem_destroy", "umem_obj"),
    NEVER("doca_umem_get_id", "umem_obj umem_id"),
    NEVER("doca_umem_get_size", "umem_obj umem_size"),
    NEVER("doca_umem_get_address", "umem_obj umem_addr"),
};

GROUP(hardware) = {
    .name = "hardware that is not there",
    .states = {"ever"},
    ROWS(rows),
    .enter = enter,
    .leave = leave,
    .argument = argue,
};
