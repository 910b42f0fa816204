// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that other processes pass, and the rule for them.
//
// A descriptor from another process can make the process that uses it wait, for as long as the
// sender likes, in a state that not even SIGKILL ends. A thread that serves several users therefore
// makes no call with a received descriptor that can wait:
//
// - lseek(), read() and write() wait for the file position, which all holders share; fstat(),
//   fstatfs(), poll() and mmap() wait for the file system if that is a process (FUSE) or a machine.
// - Every close() of a file on such a file system waits for it, not only the last one. The last
//   close() of anything else that epoll can watch waits for its watchers; that of a pipe, for its
//   writer; that of a socket, for its data and for the descriptors in its queue; that of a memory
//   file takes time in proportion to its pages.
// - recvmsg() closes descriptors that do not fit, and closing a socket closes those in its queue.
//
// These calls never wait, whatever the descriptor is: fcntl() with F_GETFL, F_GETFD, F_DUPFD and
// F_GET_SEALS; getsockopt() of SO_DOMAIN and SO_TYPE; readlink() of /proc/self/fd/N; sendfile()
// that fails for its arguments; sendmsg() that passes the descriptor. On a file of tmpfs, which
// F_GET_SEALS shows, fstat(), fstatfs() and mmap() do not wait either. Nor does close() of memory
// of a process: nothing can watch it, and the last close frees as much as the end of a process.
// poll() of a socket, a timer or an eventfd does not wait.
//
// tests/tools/descriptors.txt lists the files that make any other of these calls, with their
// reasons.
//
// Code that must not wait calls these functions before it does anything else with a descriptor.

#ifndef COMMON_RECEIVED_H
#define COMMON_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

enum received_kind {
    RECEIVED_MEMORY,  // a memory file sealed against resizing: closing it frees pages, at most
    RECEIVED_KERNEL,  // socket, pipe, eventfd and the like, file of tmpfs, memory of a process: the
                      // last close may wait, others do not
    RECEIVED_FOREIGN, // anything else: each close may wait
};

// Classifies a descriptor without waiting.
enum received_kind received_kind(int fd);

// Returns whether close() cannot block, even as the last one. True for memory files that are sealed
// and small.
bool received_closes_at_once(int fd);

// Returns NULL if it is /proc/<number>/mem, opened for reading and writing, or else what is wrong
// with it. It does not matter where procfs is mounted, or whether we can see that place: a client
// in a container has its own procfs.
const char *received_not_memory_of_process(int fd);

#endif
