// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_function.h"

#include "cleanup.h"
#include "config.h"
#include "log.h"

#include <limits.h>
#include <net/if.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_MAX 32u // scatter-gather elements that clients use

// ---- configuration --------------------------------------------------------------------------

static bool is_of(const struct function_setting *setting, const char *device)
{
    return setting->function.backing == DOCAD__BACKING__VERBS &&
           strcmp(setting->function.ibdev, device) == 0;
}

static const struct function_setting *find_setting(const struct config *config, const char *device,
                                                   uint8_t port)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        uint8_t wanted = config->functions[i].function.verbs.port;
        if (is_of(&config->functions[i], device) && (wanted ? wanted : 1) == port)
            return &config->functions[i];
    }
    return NULL;
}

bool verbs_device_offered(const struct config *config, const char *device)
{
    for (size_t i = 0; i < config->n_functions; i++)
        if (is_of(&config->functions[i], device))
            return true;
    return verbs_settings_offer(&config->verbs, device);
}

bool verbs_function_offered(const struct config *config, const char *device, uint8_t port)
{
    return find_setting(config, device, port) || verbs_settings_offer(&config->verbs, device);
}

void verbs_warn_of_ports(const struct config *config, const char *device, uint8_t n_ports)
{
    for (size_t i = 0; i < config->n_functions; i++) {
        const struct function *f = &config->functions[i].function;
        if (is_of(&config->functions[i], device) && f->verbs.port > n_ports)
            log_warning("function %s: ibverbs device %s has no port %u: its last is %u; correct "
                        "ibport in the configuration",
                        f->name, device, f->verbs.port, n_ports);
    }
}

void verbs_function_name(const struct config *config, const char *device, uint8_t port,
                         char name[FUNCTION_NAME_SIZE])
{
    const struct function_setting *setting = find_setting(config, device, port);

    if (setting)
        copy_text_into(name, FUNCTION_NAME_SIZE, setting->function.name);
    else
        snprintf(name, FUNCTION_NAME_SIZE, port > 1 ? "%.24s.%u" : "%.24s", device, port);
}

// ---- sysfs ----------------------------------------------------------------------------------

static bool exists(const char *path, const char *name)
{
    char file[PATH_MAX];
    struct stat st;
    return snprintf(file, sizeof(file), "%s/%s", path, name) < (int)sizeof(file) &&
           stat(file, &st) == 0;
}

// Finds the PCI device to which the link `name` below `path` leads, or the nearest one above it:
// for a virtual NIC that of its bus, for an SF that of its PF.
static bool find_pci(const char *path, char pci[PCI_ADDRESS_TEXT_SIZE], Docad__FunctionType *type)
{
    struct pci_address address;
    char link[PATH_MAX];

    if (snprintf(link, sizeof(link), "%s/device", path) >= (int)sizeof(link))
        return false;
    cleanup_free char *real = realpath(link, NULL);
    if (!real)
        return false;
    if (strstr(real, "/mlx5_core.sf"))
        *type = DOCAD__FUNCTION_TYPE__SF;
    else if (exists(real, "physfn"))
        *type = DOCAD__FUNCTION_TYPE__VF;
    for (char *slash = strrchr(real, '/'); slash; slash = strrchr(real, '/')) {
        if (pci_address_parse(slash + 1, &address)) {
            pci_address_format(&address, pci);
            return true;
        }
        *slash = '\0';
    }
    return false;
}

static void find_place(struct function *f, const char *device, const char *interface, size_t index)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "/sys/class/infiniband/%s", device);
    if (find_pci(path, f->pci, &f->type))
        return;
    snprintf(path, sizeof(path), "/sys/class/net/%s", interface);
    Docad__FunctionType of_interface;
    if (interface[0] && find_pci(path, f->pci, &of_interface))
        return;
    // A pure software device gets a domain that no machine has.
    snprintf(f->pci, sizeof(f->pci), "d0ca:00:%02x.%u", (unsigned)index / 8 % 32,
             (unsigned)index % 8);
}

static bool find_mac(const char *interface, uint8_t mac[6])
{
    char path[PATH_MAX], text[32] = "";

    snprintf(path, sizeof(path), "/sys/class/net/%s/address", interface);
    cleanup_file FILE *file = fopen(path, "re");
    return file && fgets(text, sizeof(text), file) &&
           sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac[0], &mac[1], &mac[2], &mac[3],
                  &mac[4], &mac[5]) == 6;
}

// ---- ibverbs --------------------------------------------------------------------------------

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Rounds down to a power of two.
static uint32_t round_down(uint32_t n)
{
    return n ? 1u << (31 - __builtin_clz(n)) : 0;
}

static void set_limits(struct function_verbs *v, const struct ibv_device_attr *attr,
                       const struct verbs_port *port)
{
    v->active = port->attr.state == IBV_PORT_ACTIVE;
    v->ethernet = port->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
    v->lid = port->attr.lid;
    v->mtu = port->attr.active_mtu;
    v->max_message = port->attr.max_msg_sz;
    // Queues are powers of two, and two of them share a completion queue.
    v->max_queue = round_down(min_u32((uint32_t)attr->max_qp_wr, (uint32_t)attr->max_cqe / 2));
    v->max_list = min_u32((uint32_t)attr->max_sge, LIST_MAX);
    v->atomics = attr->atomic_cap != IBV_ATOMIC_NONE;
    v->gid_table = (uint32_t)port->attr.gid_tbl_len;
}

static bool set_gids(struct function_verbs *v, const struct verbs_port *port)
{
    v->gids_left_out = port->gids_left_out;
    if (port->n_gids == 0)
        return true;
    v->gids = calloc(port->n_gids, sizeof(*v->gids));
    if (!v->gids)
        return false;
    v->n_gids = port->n_gids;
    memcpy(v->gids, port->gids, port->n_gids * sizeof(port->gids[0]));
    return true;
}

static void set_addresses(struct function *f, const struct verbs_port *port)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

    f->has_ipv4 = f->has_ipv6 = false;
    for (size_t i = 0; i < port->n_gids; i++) {
        const uint8_t *raw = port->gids[i].raw;
        bool v4 = memcmp(raw, mapped, sizeof(mapped)) == 0;
        if (v4 && !f->has_ipv4)
            memcpy(f->ipv4, raw + sizeof(mapped), sizeof(f->ipv4));
        else if (!v4 && !f->has_ipv6)
            memcpy(f->ipv6, raw, sizeof(f->ipv6));
        f->has_ipv4 |= v4;
        f->has_ipv6 |= !v4;
    }
}

// If a function section gives an address, connections use the GID with that address.
static void set_wanted(struct function_verbs *v, const struct function_setting *setting)
{
    const struct function *f = &setting->function;

    v->address_size = setting->ipv4 == SETTING_YES   ? sizeof(f->ipv4)
                      : setting->ipv6 == SETTING_YES ? sizeof(f->ipv6)
                                                     : 0;
    memcpy(v->address, setting->ipv4 == SETTING_YES ? f->ipv4 : f->ipv6, v->address_size);
}

static void set_names(struct function *f, const char *device, const char *interface, uint8_t port,
                      const struct config *config)
{
    verbs_function_name(config, device, port, f->name);
    if (!f->iface[0])
        copy_text(f->iface, interface[0] ? interface : f->name);
    if (!f->vuid[0])
        snprintf(f->vuid, sizeof(f->vuid), "%.63sS1D0F%u", config->name, f->id - 1);
    copy_text(f->ibdev, device);
}

static void set_waiting(struct function_verbs *v, const struct verbs_settings *settings)
{
    v->timeout = settings->timeout;
    v->retries = settings->retries;
    v->rnr_retries = settings->rnr_retries;
    v->rnr_timer = settings->rnr_timer;
}

doca_error_t verbs_function_make(struct function *out, struct ibv_context *context, uint8_t number,
                                 uint32_t id, const struct config *config, struct errtext *err)
{
    static const struct function_setting nothing;
    const char *device = ibv_get_device_name(context->device);
    const struct function_setting *setting = find_setting(config, device, number);
    char interface[IF_NAMESIZE] = "";
    struct ibv_device_attr attr;
    struct verbs_port port;

    doca_error_t r = verbs_port_query(context, number, &port, err);
    if (r != DOCA_SUCCESS)
        return r;
    int error = ibv_query_device(context, &attr);
    if (error)
        return verbs_failed(error, "be asked for its limits", device, 0, err);
    if (port.interface)
        if_indextoname(port.interface, interface);
    if (!setting)
        setting = &nothing;
    struct function made = topology_verbs(setting);
    made.id = id;
    made.backing = DOCAD__BACKING__VERBS;
    made.gone = false;
    made.verbs.port = number;
    set_names(&made, device, interface, number, config);
    if (!made.pci[0])
        find_place(&made, device, interface, id - 1);
    if (setting->mac == SETTING_UNSET)
        find_mac(interface, made.mac);
    set_limits(&made.verbs, &attr, &port);
    set_wanted(&made.verbs, setting);
    set_addresses(&made, &port);
    set_waiting(&made.verbs, &config->verbs);
    if (!set_gids(&made.verbs, &port))
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "%s: docad is out of memory", device);
    *out = made;
    return DOCA_SUCCESS;
}
