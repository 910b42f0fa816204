// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_print.h"

#include <arpa/inet.h>
#include <string.h>

static const char explanation[] =
    "\n# The functions (devices) of this node. With none here but ibverbs devices it has those\n"
    "# of its role. The options of one:\n"
    "#   type            pf, vf or sf; a software function needs it\n"
    "#   pci             its PCI address; an SF has that of its PF\n"
    "#   port            the number of its PF's port; of a PF 0 by default\n"
    "#   vuid            its name among those of all nodes; by default made of the node's name\n"
    "#   iface           its network interface; by default called as the function is\n"
    "#   ibdev           its ibverbs device; by default docad_0 and so on\n"
    "#   mac             by default made of the node's id\n"
    "#   ipv4, ipv6      its addresses, or none; by default 192.168.100.1 and so on (of a DPU\n"
    "#                   192.168.101.1), and what follows from mac\n"
    "#   can_export_dpu  whether maps can be exported to the DPU; by default yes on a host\n"
    "#   can_import_dpu  whether such exports can be imported, those of linked hosts and of this\n"
    "#                   node; by default yes for the PFs of a DPU\n"
    "#   can_list_reps   whether it lists representors; by default yes of a DPU's PFs\n"
    "#   can_dma         whether it does DMA jobs; by default yes\n"
    "#   backing         shm (default): a software function; verbs: an ibverbs device\n"
    "#   ibport          which port of the ibverbs device it is; by default 1\n"
    "# An ibverbs device needs backing and ibdev alone. The device says the rest; a section\n"
    "# gives it a name, or RDMA an address of several:\n"
    "# function \"storage\" {\n#     backing = verbs\n#     ibdev = \"mlx5_0\"\n"
    "#     ipv4 = \"10.0.0.1\"\n# }\n";

struct printer {
    FILE *out;
    const char *mark;
};

static void print_string(const struct printer *p, const char *option, const char *text)
{
    if (!text[0])
        return;
    fprintf(p->out, "%s    %s = ", p->mark, option);
    config_print_text(text, p->out);
    fputc('\n', p->out);
}

static void print_word(const struct printer *p, const char *option, const char *word)
{
    fprintf(p->out, "%s    %s = %s\n", p->mark, option, word);
}

static void print_ip(const struct printer *p, const char *option, enum setting setting, int family,
                     const void *address)
{
    char text[INET6_ADDRSTRLEN];
    if (setting == SETTING_NO)
        print_word(p, option, "none");
    if (setting == SETTING_YES)
        print_string(p, option, inet_ntop(family, address, text, sizeof(text)));
}

static void print_addresses(const struct printer *p, const struct function_setting *s)
{
    const uint8_t *m = s->function.mac;
    if (s->mac == SETTING_YES)
        fprintf(p->out, "%s    mac = \"%02x:%02x:%02x:%02x:%02x:%02x\"\n", p->mark, m[0], m[1],
                m[2], m[3], m[4], m[5]);
    print_ip(p, "ipv4", s->ipv4, AF_INET, s->function.ipv4);
    print_ip(p, "ipv6", s->ipv6, AF_INET6, s->function.ipv6);
}

static void print_capability(const struct printer *p, const char *option, enum setting setting)
{
    if (setting != SETTING_UNSET)
        print_word(p, option, setting == SETTING_YES ? "yes" : "no");
}

static void print_function(const struct printer *p, const struct function_setting *s)
{
    const struct function *f = &s->function;
    bool verbs = f->backing == DOCAD__BACKING__VERBS;

    fprintf(p->out, "%sfunction ", p->mark);
    config_print_text(f->name, p->out);
    fprintf(p->out, " {\n");
    if (verbs)
        print_word(p, "backing", "verbs");
    if (!verbs || f->type != DOCAD__FUNCTION_TYPE__PF)
        print_word(p, "type", function_type_name(f->type));
    print_string(p, "pci", f->pci);
    if (!verbs || f->port)
        fprintf(p->out, "%s    port = %u\n", p->mark, f->port);
    print_string(p, "vuid", f->vuid);
    print_string(p, "iface", f->iface);
    print_string(p, "ibdev", f->ibdev);
    if (f->verbs.port)
        fprintf(p->out, "%s    ibport = %u\n", p->mark, f->verbs.port);
    print_addresses(p, s);
    print_capability(p, "can_export_dpu", s->can_export_dpu);
    print_capability(p, "can_import_dpu", s->can_import_dpu);
    print_capability(p, "can_list_reps", s->can_list_reps);
    print_capability(p, "can_dma", s->can_dma);
    fprintf(p->out, "%s}\n", p->mark);
}

static bool is_built_in(const struct config *config)
{
    struct function_setting built_in[FUNCTIONS_MAX];
    size_t n = topology_default(config->role, built_in);
    return n == config->n_functions &&
           memcmp(built_in, config->functions, n * sizeof(*built_in)) == 0;
}

void config_print_functions(const struct config *config, FILE *out)
{
    struct printer p = {out, config_mark(is_built_in(config))};
    fputs(explanation, out);
    for (size_t i = 0; i < config->n_functions; i++)
        print_function(&p, &config->functions[i]);
}
