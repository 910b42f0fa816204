// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program with flags and log backends. Compiled as C and as C++.

#include <doca_argp.h>
#include <doca_log.h>
#include <doca_version.h>

#include <stdlib.h>

DOCA_LOG_REGISTER(ARGUMENTS);

struct config {
    char pci_address[64];
    int text_size;
    bool is_async;
};

static doca_error_t pci_callback(void *param, void *config)
{
    struct config *conf = (struct config *)config;
    const char *addr = (char *)param;
    int addr_len = strnlen(addr, sizeof(conf->pci_address));

    if (addr_len == sizeof(conf->pci_address)) {
        DOCA_LOG_ERR("The address exceeds %d bytes", addr_len);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(conf->pci_address, addr, addr_len + 1);
    return DOCA_SUCCESS;
}

static doca_error_t size_callback(void *param, void *config)
{
    ((struct config *)config)->text_size = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t async_callback(void *param, void *config)
{
    ((struct config *)config)->is_async = *(bool *)param;
    return DOCA_SUCCESS;
}

static doca_error_t version_callback(void *param, void *doca_config)
{
    (void)param;
    (void)doca_config;
    printf("DOCA SDK     Version (Compilation): %s\n", doca_version());
    printf("DOCA Runtime Version (Runtime):     %s\n", doca_version_runtime());
    exit(EXIT_SUCCESS);
}

static doca_error_t check(void *config)
{
    return ((struct config *)config)->text_size < 0 ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static doca_error_t add(const char *short_name, const char *long_name, callback_func callback,
                        enum doca_argp_type type)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS)
        return result;
    if (short_name)
        doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_arguments(param, "<value>");
    doca_argp_param_set_description(param, "a flag of the program");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    return doca_argp_register_param(param);
}

int main(int argc, char **argv)
{
    struct config config = {"", 0, false};
    struct doca_logger_backend *stdout_logger = NULL;
    doca_error_t result;

    result = doca_log_create_standard_backend();
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    result = doca_log_create_file_backend(stdout, &stdout_logger);
    DOCA_ERROR_PROPAGATE(result, doca_log_backend_level_set(stdout_logger, DOCA_LOG_LEVEL_CRIT));
    if (DOCA_IS_ERROR(result))
        return EXIT_FAILURE;
    DOCA_DLOG_INFO("nothing, unless it is allowed: %d", argc);
    if (doca_argp_init("arguments", &config) != DOCA_SUCCESS ||
        add("p", "pci-addr", pci_callback, DOCA_ARGP_TYPE_STRING) != DOCA_SUCCESS ||
        add("ld", "local size", size_callback, DOCA_ARGP_TYPE_INT) != DOCA_SUCCESS ||
        add(NULL, "async", async_callback, DOCA_ARGP_TYPE_BOOLEAN) != DOCA_SUCCESS ||
        doca_argp_register_version_callback(version_callback) != DOCA_SUCCESS ||
        doca_argp_register_validation_callback(check) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    result = doca_argp_start(argc, argv);
    doca_argp_destroy();
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
#ifdef DOCA_ARCH_DPU
    puts("dpu program");
#else
    puts("host program");
#endif
    return EXIT_SUCCESS;
}
