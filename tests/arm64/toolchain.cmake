# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Cross-building for arm64 on Debian, with the preset arm64: the compiler is Debian's, the libraries
# are those in build/arm64-sysroot, which tests/arm64/sysroot fills, or in $DOCAD_ARM64_SYSROOT. Programs of
# the build that make files (manual pages, configurations) run by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)

if(DEFINED ENV{DOCAD_ARM64_SYSROOT})
  set(CMAKE_SYSROOT $ENV{DOCAD_ARM64_SYSROOT})
else()
  get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-sysroot ABSOLUTE)
endif()
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/lib/${triplet})
  message(FATAL_ERROR "${CMAKE_SYSROOT} has no arm64 libraries: tests/arm64/sysroot fills it")
endif()

set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})
