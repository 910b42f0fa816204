// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_types.h"

#include "choice.h"
#include "cleanup.h"
#include "copy_text.h"
#include "host_port.h"
#include "number.h"
#include "text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
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

void config_print_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\\n", out); // stays on one line, even in a comment
            continue;
        }
        if (strchr("\"\\$", *text)) // ${NAME} would be replaced from the environment
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void *value_of(const struct config_option *o, void *base)
{
    return (char *)base + o->at;
}

static const void *const_value_of(const struct config_option *o, const void *base)
{
    return (const char *)base + o->at;
}

// ---- numbers ------------------------------------------------------------------------------

static void store(const struct config_option *o, void *base, uint64_t number)
{
    uint64_t scaled = o->scale ? number * o->scale : number;
    uint32_t four = (uint32_t)scaled;
    uint8_t one = (uint8_t)scaled;
    memcpy(value_of(o, base),
           o->size == 1   ? (const void *)&one
           : o->size == 4 ? (const void *)&four
                          : (const void *)&scaled,
           o->size);
}

static uint64_t load(const struct config_option *o, const void *base)
{
    const void *at = const_value_of(o, base);
    uint64_t eight = 0;
    uint32_t four = 0;

    if (o->size == 1)
        return *(const uint8_t *)at;
    memcpy(o->size == 4 ? (void *)&four : (void *)&eight, at, o->size);
    return (o->size == 4 ? four : eight) / (o->scale ? o->scale : 1);
}

static bool read_number(const struct config_option *o, void *base, const char *text, char *why)
{
    uint64_t number;
    if (number_read(text, o->octal ? 8 : 10, o->max, &number) && number >= o->min)
        store(o, base, number);
    else if (o->octal)
        return config_no(why, "not %s (write it in octal, for instance 0660)", o->noun);
    else
        return config_no(why, "not %s (write %" PRIu64 " to %" PRIu64 ")", o->noun, o->min, o->max);
    return true;
}

static bool print_number(const struct config_option *o, const void *base, FILE *out)
{
    fprintf(out, o->octal ? "%04" PRIo64 : "%" PRIu64, load(o, base));
    return true;
}

const struct config_type config_number = {.read = read_number, .print = print_number};

static bool read_bytes(const struct config_option *o, void *base, const char *text, char *why)
{
    uint64_t number;
    if (!limit_parse(text, &number))
        return config_no(why, "not a number (write for instance 4096, 64K, 2G or unlimited)");
    store(o, base, number == LIMIT_UNLIMITED ? o->max : number);
    return true;
}

static bool print_bytes(const struct config_option *o, const void *base, FILE *out)
{
    if (load(o, base) != LIMIT_UNLIMITED)
        return print_number(o, base, out);
    fputs("unlimited", out);
    return true;
}

const struct config_type config_bytes = {.read = read_bytes, .print = print_bytes};

// "0,2-3"
static bool parse_cpus(const char *text, cpu_set_t *cpus)
{
    char *end = (char *)text;

    CPU_ZERO(cpus);
    do {
        const char *at = end + (end != text);
        unsigned long first = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : ULONG_MAX;
        unsigned long last = first;
        if (first != ULONG_MAX && *end == '-')
            last = isdigit((unsigned char)end[1]) ? strtoul(end + 1, &end, 10) : ULONG_MAX;
        if (first > last || last >= CPU_SETSIZE || (*end != ',' && *end != '\0'))
            return false;
        for (; first <= last; first++)
            CPU_SET(first, cpus);
    } while (*end == ',');
    return true;
}

static bool read_cpus(const struct config_option *o, void *base, const char *text, char *why)
{
    struct config *config = base;
    cpu_set_t cpus;
    (void)o;
    if (!parse_cpus(text, &cpus))
        return config_no(why, "not a list of CPUs (write for instance 0,2-3)");
    config->engine.cpus = cpus;
    config->engine.pinned = true;
    return true;
}

static bool print_cpus(const struct config_option *o, const void *base, FILE *out)
{
    const struct engine_options *engine = &((const struct config *)base)->engine;
    const char *before = "\"";
    (void)o;
    if (!engine->pinned) {
        fputs("\"0\"", out);
        return false;
    }
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &engine->cpus)) {
            fprintf(out, "%s%d", before, i);
            before = ",";
        }
    }
    fputc('"', out);
    return true;
}

const struct config_type config_cpus = {.read = read_cpus, .print = print_cpus};

// ---- words --------------------------------------------------------------------------------

// "not a role; did you mean dpu? (write host or dpu)"
static bool not_a_word(const struct config_option *o, const char *text, char *why)
{
    char words[CONFIG_WHY_SIZE / 2], suggested[CONFIG_WHY_SIZE / 4] = "";
    struct choice choice = {.n = 0};
    size_t n = 0;

    for (size_t i = 0; i < o->n_words; i++)
        if (o->words[i])
            choice_add(&choice, o->words[i], strlen(o->words[i]));
    choice_suggest(&choice, text, suggested, sizeof(suggested));
    for (size_t i = 0; i < o->n_words && n < sizeof(words); i++)
        if (o->words[i])
            n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%s",
                                  n == 0               ? ""
                                  : i + 1 < o->n_words ? ", "
                                                       : " or ",
                                  o->words[i]);
    return config_no(why, "not %s%s (write %s)", o->noun, suggested, words);
}

static bool read_word(const struct config_option *o, void *base, const char *text, char *why)
{
    for (size_t i = 0; i < o->n_words; i++) {
        if (o->words[i] && strcasecmp(text, o->words[i]) == 0) {
            store(o, base, i);
            return true;
        }
    }
    return not_a_word(o, text, why);
}

static bool print_word(const struct config_option *o, const void *base, FILE *out)
{
    fputs(o->words[load(o, base)], out);
    return true;
}

const struct config_type config_word = {.read = read_word, .print = print_word};

static bool read_yes_no(const struct config_option *o, void *base, const char *text, char *why)
{
    static const char *const words[2][4] = {{"no", "false", "off", "0"},
                                            {"yes", "true", "on", "1"}};
    for (int yes = 0; yes < 2; yes++) {
        for (size_t i = 0; i < ARRAY_SIZE(words[yes]); i++) {
            if (strcasecmp(text, words[yes][i]) == 0) {
                *(enum setting *)value_of(o, base) = yes ? SETTING_YES : SETTING_NO;
                return true;
            }
        }
    }
    return config_no(why, "not yes or no (write yes or no)");
}

static bool print_yes_no(const struct config_option *o, const void *base, FILE *out)
{
    enum setting setting = *(const enum setting *)const_value_of(o, base);
    fputs(setting == SETTING_YES ? "yes" : "no", out);
    return setting != SETTING_UNSET;
}

const struct config_type config_yes_no = {.read = read_yes_no, .print = print_yes_no};

// ---- texts --------------------------------------------------------------------------------

static bool read_name(const struct config_option *o, void *base, const char *text, char *why)
{
    if (!text_is_name(text, o->size))
        return config_no(why, "not a name (write 1 to %zu printable characters)", o->size - 1);
    copy_text_into(value_of(o, base), o->size, text);
    return true;
}

static bool print_string(const struct config_option *o, const void *base, FILE *out)
{
    const char *text = const_value_of(o, base);
    config_print_text(text, out);
    return text[0] != '\0';
}

const struct config_type config_name = {.read = read_name, .print = print_string};

static bool read_patterns(const struct config_option *o, void *base, const char *text, char *why)
{
    if (strlen(text) >= o->size)
        return config_no(why, "too long (write at most %zu bytes)", o->size - 1);
    copy_text_into(value_of(o, base), o->size, text);
    return true;
}

const struct config_type config_patterns = {.read = read_patterns, .print = print_string};

static bool read_path(const struct config_option *o, void *base, const char *text, char *why)
{
    if (text[0] != '\0' && strlen(text) < o->size)
        return read_patterns(o, base, text, why);
    return config_no(why, "%s (write the path of %s, of at most %zu bytes)",
                     text[0] ? "too long" : "empty", o->noun, o->size - 1);
}

const struct config_type config_path = {.read = read_path, .print = print_string};

static bool read_address(const struct config_option *o, void *base, const char *text, char *why)
{
    char host[TLS_ADDRESS_SIZE];
    unsigned short port;

    if (strlen(text) < o->size && host_port_split(text, host, sizeof(host), &port))
        return read_patterns(o, base, text, why);
    return config_no(
        why, "not an address (write HOST:PORT, for instance host1:18570 or [fd00::1]:18570)");
}

const struct config_type config_address = {.read = read_address, .print = print_string};

static bool read_metrics(const struct config_option *o, void *base, const char *text, char *why)
{
    struct config *config = base;
    config->metrics_none = strcmp(text, "none") == 0;
    return config->metrics_none || read_path(o, base, text, why);
}

static bool print_metrics(const struct config_option *o, const void *base, FILE *out)
{
    const struct config *config = base;
    char path[SOCKET_PATH_MAX];
    (void)o;
    if (config->metrics_none || !config_metrics_path(config, path))
        copy_text(path, "none");
    config_print_text(path, out);
    return config->metrics_none || config->metrics_socket[0];
}

const struct config_type config_metrics = {.read = read_metrics, .print = print_metrics};

// ---- addresses of functions ---------------------------------------------------------------

static bool read_pci(const struct config_option *o, void *base, const char *text, char *why)
{
    struct pci_address address;
    if (!pci_address_parse(text, &address))
        return config_no(why, "not a PCI address (write domain:bus:device.function, for instance "
                              "0000:0b:00.3)");
    pci_address_format(&address, value_of(o, base));
    return true;
}

const struct config_type config_pci = {.read = read_pci, .print = print_string};

static enum setting *setting_of(const struct config_option *o, const void *base)
{
    return (enum setting *)((char *)base + o->setting);
}

static bool read_mac(const struct config_option *o, void *base, const char *text, char *why)
{
    uint8_t mac[6];
    int used = 0;
    if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3],
               &mac[4], &mac[5], &used) != 6 ||
        text[used] || used != 17)
        return config_no(why, "not a MAC address (write for instance 02:00:5e:10:00:01)");
    if (mac[0] & 1)
        return config_no(why, "a multicast address (make the first byte even)");
    memcpy(value_of(o, base), mac, sizeof(mac));
    *setting_of(o, base) = SETTING_YES;
    return true;
}

static bool print_mac(const struct config_option *o, const void *base, FILE *out)
{
    const uint8_t *m = const_value_of(o, base);
    fprintf(out, "\"%02x:%02x:%02x:%02x:%02x:%02x\"", m[0], m[1], m[2], m[3], m[4], m[5]);
    return *setting_of(o, base) == SETTING_YES;
}

const struct config_type config_mac = {.read = read_mac, .print = print_mac};

static bool read_ip(const struct config_option *o, void *base, const char *text, char *why)
{
    bool four = o->size == 4, none = strcmp(text, "none") == 0;
    if (!none && inet_pton(four ? AF_INET : AF_INET6, text, value_of(o, base)) != 1)
        return config_no(why, "not an %s address (write for instance %s, or none)",
                         four ? "IPv4" : "IPv6", four ? "192.168.100.1" : "fe80::1");
    *setting_of(o, base) = none ? SETTING_NO : SETTING_YES;
    return true;
}

static bool print_ip(const struct config_option *o, const void *base, FILE *out)
{
    char text[INET6_ADDRSTRLEN];
    enum setting setting = *setting_of(o, base);
    if (setting == SETTING_NO)
        fputs("none", out);
    else
        config_print_text(inet_ntop(o->size == 4 ? AF_INET : AF_INET6, const_value_of(o, base),
                                    text, sizeof(text)),
                          out);
    return setting != SETTING_UNSET;
}

const struct config_type config_ip = {.read = read_ip, .print = print_ip};
