#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
#
# Functions for tests of the Debian packages, beside lib.sh:
#
#   packages_install         installs those of the build
#   packages_upgrade         to the same as a later version
#   packages_names           what they are called
#   is UNIT PROPERTY VALUE   fails the test if it is not
#   status_says UNIT TEXT    waits until the unit's status has it

# Only what is installed is tested, and programs of the tests.
PATH=${PATH#"$VM_BUILD/bin:"}:$VM_BUILD/bin

is() {
    local value
    value=$(systemctl show "$1" -p "$2" --value)
    [ "$value" = "$3" ] || fail "$1: $2 is $value, not $3"
}

status_says() { until_true 60 sh -c "systemctl show '$1' -p StatusText --value | grep -q '$2'"; }

# Nothing is compiled in the guest, which has no headers of other libraries.
install_all() {
    dpkg --ignore-depends=librdmacm-dev -i "$@" >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg -i"; }
}

packages_install() {
    ls "$VM_BUILD"/packages/*.deb >/dev/null 2>&1 ||
        fail "no packages: ctest -R package.build makes them, or cpack -G DEB in the build tree"
    install_all "$VM_BUILD"/packages/*.deb
}

packages_names() {
    local package
    for package in "$VM_BUILD"/packages/*.deb; do
        dpkg-deb -f "$package" Package
    done
}

packages_upgrade() {
    install_all "$VM_BUILD"/packages/next/*.deb
}
