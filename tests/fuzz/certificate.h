// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Certificates for nodes of a target: each is its own authority.

#ifndef FUZZ_CERTIFICATE_H
#define FUZZ_CERTIFICATE_H

// Writes DIR/NAME.crt and DIR/NAME.key, and adds the certificate to DIR/all.crt.
void certificate_make(const char *dir, const char *name);

#endif
