// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Daemons that are linked over TLS, with certificates of their own. The machines are addresses
// of the loopback interface.

#ifndef TESTS_INTEGRATION_TLS_NODES_H
#define TESTS_INTEGRATION_TLS_NODES_H

#include "daemon.h"
#include "env.h"

#define TLS_PORT 18570

extern char tls_host_ip[16]; // this process's own

// An authority "good", with certificates for the nodes host and dpu; "bad" goes at the end,
// too.
void tls_setup(void);
void tls_teardown(void);

// Makes the certificates once, which tls_setup() copies then for each test:
//     tcase_add_unchecked_fixture(tcase, certificates_prepare, NULL);
void certificates_prepare(void);

// docactl with these arguments (NULL: none) succeeds.
void docactl_done(const char *a, const char *b, const char *c, const char *d);

// An authority in the test's directory `dir`, and certificates for the two nodes.
void certificates_make(const char *dir);
struct path certificates_file(const char *dir, const char *file);

// The contents of the tls section and of a peer section; NULL: no such section.
struct tls_plan {
    const char *role;
    const char *certificates;  // directory
    const char *certificate;   // whose; default: the role's
    const char *authority_dir; // default: `certificates`
    const char *revoked_dir;   // has the list of revoked certificates
    const char *dial;          // node there
};

struct daemon_options tls_options(const struct tls_plan *plan, const char *config_name);

struct daemon *tls_node_start(const struct tls_plan *plan);
struct node_pair tls_nodes_start(void); // linked
// It does not start, and names this file.
void tls_assert_start_refused(const struct tls_plan *plan, const char *name);

#endif
