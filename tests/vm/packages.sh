#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
#
# Functions for tests of the Debian packages, beside lib.sh:
#
#   packages_install [NAME...]   installs those of the build, or only these, which need no others
#   packages_upgrade [NAME...]   to the same as a later version
#   packages_names               what they are called
#   packages_running             (an array) those that programs run with: the others change nothing for them
#   is UNIT PROPERTY VALUE       fails the test if it is not
#   status_says UNIT TEXT        waits until the unit's status has it

# Only what is installed is tested, and programs of the tests.
PATH=${PATH#"$VM_BUILD/bin:"}:$VM_BUILD/bin

is() {
    local value
    value=$(systemctl show "$1" -p "$2" --value)
    [ "$value" = "$3" ] || fail "$1: $2 is $value, not $3"
}

status_says() { until_true 60 sh -c "systemctl show '$1' -p StatusText --value | grep -q '$2'"; }

# shellcheck disable=SC2034 # for tests
packages_running=(docad docad-exporter docad-tools libdoca-client2)

# Nothing is compiled in the guest, which has no headers of other libraries. A thousand pages of
# functions take an emulated machine longer than all other files together.
# install_from DIRECTORY [NAME...]
install_from() {
    local directory=$1 files=() name
    shift
    for name; do
        files+=("$(find "$directory" -maxdepth 1 -name "${name}_*.deb")" "$(find "$directory/trees" -name "${name}_*.deb" 2>/dev/null)")
    done
    [ $# != 0 ] || files=("$directory"/*.deb)
    # shellcheck disable=SC2068 # one of two names is empty
    (dpkg --ignore-depends=librdmacm-dev --path-exclude='/usr/share/man/man3/*' -i ${files[@]}) >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg -i"; }
}

packages_install() {
    ls "$VM_BUILD"/packages/*.deb >/dev/null 2>&1 ||
        fail "no packages: ctest -R package.build makes them, or cpack -G DEB in the build tree"
    install_from "$VM_BUILD/packages" "$@"
}

packages_names() {
    local package
    for package in "$VM_BUILD"/packages/*.deb "$VM_BUILD"/packages/trees/*.deb; do
        dpkg-deb -f "$package" Package
    done
}

packages_upgrade() { install_from "$VM_BUILD/packages/next" "$@"; }
