// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of libraries that docad does not have: each prints that on stderr, and fails. This
// library needs nothing of docad, as a program may need such a library alone.

#include <doca_apsh.h>
#include <doca_dpa.h>
#include <doca_dpdk.h>
#include <doca_dpi.h>
#include <doca_flow.h>
#include <doca_gpunetio.h>
#include <doca_pcc.h>
#include <doca_regex.h>

#include <stdio.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static void missing(const char *function, const char *library)
{
    fprintf(
        stderr,
        "docad: %s() of %s was called: docad does not have that library, and this is a stand-in "
        "for it\n",
        function, library);
}

#define FAILS(library, name, ...)                                                                  \
    doca_error_t doca_##name(__VA_ARGS__)                                                          \
    {                                                                                              \
        missing(__func__, library);                                                                \
        return DOCA_ERROR_NOT_SUPPORTED;                                                           \
    }

#define NOTHING(library, name, ...)                                                                \
    void doca_##name(__VA_ARGS__)                                                                  \
    {                                                                                              \
        missing(__func__, library);                                                                \
    }

#define NONE(library, type, name, ...)                                                             \
    type *doca_##name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        missing(__func__, library);                                                                \
        return NULL;                                                                               \
    }

NONE("doca-apsh", struct doca_apsh_ctx, apsh_create, void)
FAILS("doca-apsh", apsh_start, struct doca_apsh_ctx *ctx)
NOTHING("doca-apsh", apsh_destroy, struct doca_apsh_ctx *ctx)

FAILS("doca-dpa", dpa_create, struct doca_dev *dev, struct doca_dpa **dpa)
FAILS("doca-dpa", dpa_destroy, struct doca_dpa *dpa)

FAILS("doca-dpdk-bridge", dpdk_port_probe, struct doca_dev *dev, const char *devargs)
FAILS("doca-dpdk-bridge", dpdk_port_as_dev, uint16_t port_id, struct doca_dev **dev)
FAILS("doca-dpdk-bridge", dpdk_get_first_port_id, const struct doca_dev *dev, uint16_t *port_id)

struct doca_dpi_ctx *doca_dpi_init(const struct doca_dpi_config_t *config, int *error)
{
    missing(__func__, "doca-dpi");
    if (error)
        *error = -1;
    return NULL;
}
NOTHING("doca-dpi", dpi_destroy, struct doca_dpi_ctx *ctx)

FAILS("doca-flow", flow_cfg_create, struct doca_flow_cfg **cfg)
FAILS("doca-flow", flow_cfg_destroy, struct doca_flow_cfg *cfg)
FAILS("doca-flow", flow_init, const struct doca_flow_cfg *cfg)
NOTHING("doca-flow", flow_destroy, void)

FAILS("doca-gpunetio", gpu_create, const char *gpu_bus_id, struct doca_gpu **gpu_dev)
FAILS("doca-gpunetio", gpu_destroy, struct doca_gpu *gpu_dev)

FAILS("doca-pcc", pcc_create, struct doca_dev *doca_dev, struct doca_pcc **pcc)
FAILS("doca-pcc", pcc_destroy, struct doca_pcc *pcc)

FAILS("doca-regex", regex_create, struct doca_regex **regex)
FAILS("doca-regex", regex_destroy, struct doca_regex *regex)
NONE("doca-regex", struct doca_ctx, regex_as_ctx, struct doca_regex *regex)
