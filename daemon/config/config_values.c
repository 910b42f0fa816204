// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_values.h"

#include "cleanup.h"
#include "host_port.h"
#include "number.h"
#include "text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

bool config_no(char why[CONFIG_WHY_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, CONFIG_WHY_SIZE, format, args);
    va_end(args);
    return false;
}

bool config_parse_uid(const char *text, uid_t *out, char why[CONFIG_WHY_SIZE])
{
    uint64_t value;
    if (!number_read(text, 10, UINT32_MAX - 1, &value))
        return config_no(why, "no user id (write a number)");
    *out = (uid_t)value;
    return true;
}

bool config_parse_socket(const char *text, char out[SOCKET_PATH_MAX], char why[CONFIG_WHY_SIZE])
{
    if (text[0] == '\0')
        return config_no(why, "empty (write the path of a socket)");
    if (strlen(text) >= SOCKET_PATH_MAX)
        return config_no(why, "too long for a socket (write a path of at most %zu bytes)",
                         SOCKET_PATH_MAX - 1);
    strcpy(out, text);
    return true;
}

bool config_parse_address(const char *text, char out[TLS_ADDRESS_SIZE], char why[CONFIG_WHY_SIZE])
{
    char host[TLS_ADDRESS_SIZE];
    unsigned short port;

    if (strlen(text) >= TLS_ADDRESS_SIZE || !host_port_split(text, host, sizeof(host), &port))
        return config_no(
            why, "no address (write HOST:PORT, for instance host1:18570 or [fd00::1]:18570)");
    strcpy(out, text);
    return true;
}

bool config_set_tls(struct tls_settings *tls, const char *option, const char *text,
                    char why[CONFIG_WHY_SIZE])
{
    if (strcmp(option, "listen") == 0)
        return config_parse_address(text, tls->listen, why);
    char *path = strcmp(option, "certificate") == 0 ? tls->certificate
                 : strcmp(option, "key") == 0       ? tls->key
                 : strcmp(option, "authority") == 0 ? tls->authority
                                                    : tls->revoked;
    if (text[0] == '\0' || strlen(text) >= TLS_PATH_SIZE)
        return config_no(why, "no file (write a path of at most %d bytes)", TLS_PATH_SIZE - 1);
    strcpy(path, text);
    return true;
}

// "0,2-3"
static bool set_cpus(struct engine_options *engine, const char *text, char why[CONFIG_WHY_SIZE])
{
    cpu_set_t cpus;
    char *end = (char *)text;

    CPU_ZERO(&cpus);
    do {
        const char *at = end + (end != text);
        unsigned long first = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : ULONG_MAX;
        unsigned long last = first;
        if (first != ULONG_MAX && *end == '-')
            last = isdigit((unsigned char)end[1]) ? strtoul(end + 1, &end, 10) : ULONG_MAX;
        if (first > last || last >= CPU_SETSIZE || (*end != ',' && *end != '\0'))
            return config_no(why, "no list of CPUs (write for instance 0,2-3)");
        for (; first <= last; first++)
            CPU_SET(first, &cpus);
    } while (*end == ',');
    engine->cpus = cpus;
    engine->pinned = true;
    return true;
}

static bool set_copies_over(struct engine_options *engine, const char *text,
                            char why[CONFIG_WHY_SIZE])
{
    uint64_t value;

    if (!limit_parse(text, &value))
        return config_no(why, "no number of bytes (write for instance 4M; 0 for none)");
    engine->copies_over = value == LIMIT_UNLIMITED ? 0 : value;
    return true;
}

bool config_set_engine(struct engine_options *engine, const char *option, const char *text,
                       char why[CONFIG_WHY_SIZE])
{
    uint64_t value;

    if (strcmp(option, "cpus") == 0)
        return set_cpus(engine, text, why);
    if (strcmp(option, "threads") == 0) {
        if (!number_read(text, 10, ENGINE_THREADS_MAX, &value) || value == 0)
            return config_no(why, "no number of threads (write 1 to %d)", ENGINE_THREADS_MAX);
        engine->threads = (unsigned)value;
        return true;
    }
    if (strcmp(option, "copies_over") == 0)
        return set_copies_over(engine, text, why);
    if (!number_read(text, 10, ENGINE_SPIN_US_MAX, &value))
        return config_no(why, "no number of microseconds (write 0 to %d)", ENGINE_SPIN_US_MAX);
    engine->spin_ns = value * 1000;
    return true;
}

bool config_set_root(struct config *config, const char *option, const char *text,
                     char why[CONFIG_WHY_SIZE])
{
    uint64_t value;

    if (strcmp(option, "role") == 0)
        return role_parse(text, &config->role) || config_no(why, "no role (write host or dpu)");
    if (strcmp(option, "socket") == 0)
        return config_parse_socket(text, config->socket, why);
    if (strcmp(option, "metrics_socket") == 0) {
        config->metrics_none = strcmp(text, "none") == 0;
        return config->metrics_none || config_parse_socket(text, config->metrics_socket, why);
    }
    if (strcmp(option, "log_level") == 0)
        return log_level_parse(text, &config->log_level) ||
               config_no(why, "no level (write error, warning, info or debug)");
    if (strcmp(option, "isolation") == 0) {
        config->isolation_strict = strcmp(text, "strict") == 0;
        return config->isolation_strict || strcmp(text, "user") == 0 ||
               config_no(why,
                         "no isolation (write user, so that RDMA peers of one user share memory, "
                         "or strict)");
    }
    if (strcmp(option, "peer_grace_ms") == 0) {
        if (!number_read(text, 10, 600000, &value))
            return config_no(why, "no number of milliseconds (write 0 to 600000)");
        config->peer_grace_ms = value;
        return true;
    }
    if (strcmp(option, "name") == 0) {
        if (!text_is_name(text, NODE_NAME_SIZE))
            return config_no(why, "no name (write 1 to %d printable characters)",
                             NODE_NAME_SIZE - 1);
        strcpy(config->name, text);
        return true;
    }
    if (!number_read(text, 8, 0777, &value))
        return config_no(why, "no file mode (write it in octal, for instance 0660)");
    config->socket_mode = (mode_t)value;
    return true;
}

static bool set_type(struct function *f, const char *text, char why[CONFIG_WHY_SIZE])
{
    static const Docad__FunctionType types[] = {DOCAD__FUNCTION_TYPE__PF, DOCAD__FUNCTION_TYPE__VF,
                                                DOCAD__FUNCTION_TYPE__SF};
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        if (strcasecmp(text, function_type_name(types[i])) == 0) {
            f->type = types[i];
            return true;
        }
    }
    return config_no(why, "no type (write pf, vf or sf)");
}

static bool set_pci(struct function *f, const char *text, char why[CONFIG_WHY_SIZE])
{
    struct pci_address address;
    if (!pci_address_parse(text, &address))
        return config_no(why, "no PCI address (write domain:bus:device.function, for instance "
                              "0000:0b:00.3)");
    pci_address_format(&address, f->pci);
    return true;
}

static bool set_port(struct function *f, const char *text, char why[CONFIG_WHY_SIZE])
{
    uint64_t port;
    if (!number_read(text, 10, FUNCTION_PORT_MAX, &port))
        return config_no(why, "no port (write a number from 0 to %d)", FUNCTION_PORT_MAX);
    f->port = (uint32_t)port;
    return true;
}

static bool set_name(char *out, size_t size, const char *text, char why[CONFIG_WHY_SIZE])
{
    if (!text_is_name(text, size))
        return config_no(why, "no name (write 1 to %zu printable characters)", size - 1);
    strcpy(out, text);
    return true;
}

static bool set_mac(struct function_setting *s, const char *text, char why[CONFIG_WHY_SIZE])
{
    uint8_t mac[6];
    int used = 0;
    if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3],
               &mac[4], &mac[5], &used) != 6 ||
        text[used] || used != 17)
        return config_no(why, "no MAC address (write for instance 02:00:5e:10:00:01)");
    if (mac[0] & 1)
        return config_no(why, "a multicast address (make the first byte even)");
    memcpy(s->function.mac, mac, sizeof(mac));
    s->mac = SETTING_YES;
    return true;
}

static bool set_ip(int family, void *out, enum setting *setting, const char *text,
                   char why[CONFIG_WHY_SIZE])
{
    if (strcmp(text, "none") == 0) {
        *setting = SETTING_NO;
        return true;
    }
    if (inet_pton(family, text, out) != 1)
        return config_no(why, "no %s address (write for instance %s, or none)",
                         family == AF_INET ? "IPv4" : "IPv6",
                         family == AF_INET ? "192.168.100.1" : "fe80::1");
    *setting = SETTING_YES;
    return true;
}

static bool set_capability(enum setting *setting, const char *text, char why[CONFIG_WHY_SIZE])
{
    static const char *const words[2][4] = {{"no", "false", "off", "0"},
                                            {"yes", "true", "on", "1"}};
    for (int yes = 0; yes < 2; yes++) {
        for (size_t i = 0; i < ARRAY_SIZE(words[yes]); i++) {
            if (strcasecmp(text, words[yes][i]) == 0) {
                *setting = yes ? SETTING_YES : SETTING_NO;
                return true;
            }
        }
    }
    return config_no(why, "neither yes nor no (write yes or no)");
}

static bool set_ibport(struct function *f, const char *text, char why[CONFIG_WHY_SIZE])
{
    uint64_t port;
    if (!number_read(text, 10, 254, &port) || port == 0)
        return config_no(why, "no port of an ibverbs device (write a number from 1)");
    f->verbs.port = (uint8_t)port;
    return true;
}

static bool set_backing(struct function *f, const char *text, char why[CONFIG_WHY_SIZE])
{
    if (strcmp(text, "shm") != 0 && strcmp(text, "verbs") != 0)
        return config_no(why,
                         "no backing (write shm for a software function, or verbs for an ibverbs "
                         "device)");
    f->backing = strcmp(text, "verbs") == 0 ? DOCAD__BACKING__VERBS : DOCAD__BACKING__SHM;
    return true;
}

bool config_set_verbs(struct verbs_settings *settings, const char *option, const char *text,
                      char why[CONFIG_WHY_SIZE])
{
    static const struct {
        const char *option;
        size_t member;
        unsigned long max;
    } numbers[] = {{"timeout", offsetof(struct verbs_settings, timeout), 31},
                   {"retries", offsetof(struct verbs_settings, retries), 7},
                   {"rnr_retries", offsetof(struct verbs_settings, rnr_retries), 7},
                   {"rnr_timer", offsetof(struct verbs_settings, rnr_timer), 31}};
    uint64_t value;

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        if (strcmp(option, numbers[i].option) != 0)
            continue;
        if (!number_read(text, 10, numbers[i].max, &value))
            return config_no(why, "no number of ibverbs (write 0 to %lu)", numbers[i].max);
        *((uint8_t *)settings + numbers[i].member) = (uint8_t)value;
        return true;
    }
    if (strlen(text) >= VERBS_PATTERNS_SIZE)
        return config_no(why, "too long (write at most %d bytes)", VERBS_PATTERNS_SIZE - 1);
    strcpy(strcmp(option, "include") == 0 ? settings->include : settings->exclude, text);
    return true;
}

bool config_set_function(struct function_setting *s, const char *option, const char *text,
                         char why[CONFIG_WHY_SIZE])
{
    struct function *f = &s->function;
    if (strcmp(option, "type") == 0)
        return set_type(f, text, why);
    if (strcmp(option, "pci") == 0)
        return set_pci(f, text, why);
    if (strcmp(option, "port") == 0)
        return set_port(f, text, why);
    if (strcmp(option, "vuid") == 0)
        return set_name(f->vuid, sizeof(f->vuid), text, why);
    if (strcmp(option, "iface") == 0)
        return set_name(f->iface, sizeof(f->iface), text, why);
    if (strcmp(option, "ibdev") == 0)
        return set_name(f->ibdev, sizeof(f->ibdev), text, why);
    if (strcmp(option, "ibport") == 0)
        return set_ibport(f, text, why);
    if (strcmp(option, "backing") == 0)
        return set_backing(f, text, why);
    if (strcmp(option, "mac") == 0)
        return set_mac(s, text, why);
    if (strcmp(option, "ipv4") == 0)
        return set_ip(AF_INET, f->ipv4, &s->ipv4, text, why);
    if (strcmp(option, "ipv6") == 0)
        return set_ip(AF_INET6, f->ipv6, &s->ipv6, text, why);
    if (strcmp(option, "can_export_dpu") == 0)
        return set_capability(&s->can_export_dpu, text, why);
    if (strcmp(option, "can_import_dpu") == 0)
        return set_capability(&s->can_import_dpu, text, why);
    if (strcmp(option, "can_dma") == 0)
        return set_capability(&s->can_dma, text, why);
    return set_capability(&s->can_list_reps, text, why);
}
