// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One packet of a SOCK_SEQPACKET connection, and its file descriptors.

#ifndef COMMON_PACKET_H
#define COMMON_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#define PACKET_SIZE_MAX 65536
#define PACKET_FDS_MAX  4

// Descriptors that came with a packet. The holder of the list owns the descriptors in it.
struct fd_list {
    int fds[PACKET_FDS_MAX];
    size_t count;
    bool no_room; // it brought some, which did not fit into this process's table: there are none
};

#define PACKET_NO_ROOM                                                                             \
    "docad has no room for the file descriptors that belong to this; raise its limit of open "     \
    "files (LimitNOFILE= of its unit)"

#define FD_LIST_EMPTY                                                                              \
    {                                                                                              \
        .count = 0                                                                                 \
    }
#define cleanup_fdlist cleanup(fd_list_close)

// Closes the descriptors left in the list.
void fd_list_close(struct fd_list *list);

// The function that closes descriptors from other processes: close(2), unless a program that
// must not wait for the process behind them sets another one before it receives any.
extern void (*fd_list_close_one)(int fd);

// Takes descriptor `index` out of the list: the caller owns it. -1 if there is none
// or it was taken before.
int fd_list_take(struct fd_list *list, size_t index);

// Returns whether the process has room for the descriptors of one more packet. If not, do not send
// a request whose answer brings any: the kernel would discard them.
bool packet_has_room(void);

// Sends one packet; the caller keeps the descriptors. `flags` as for sendmsg(2), MSG_NOSIGNAL
// is added. Returns 0 or -errno (-EAGAIN: nothing was sent).
int packet_send(int sock, const void *data, size_t size, const int *fds, size_t n_fds, int flags);

// Receives one packet into buf. Returns its size, 0 at end of stream, or -errno: -EMSGSIZE for a
// packet larger than `size`, -EBADMSG for more descriptors than PACKET_FDS_MAX or truncated control
// data, which also results from a full descriptor table; no descriptor is kept on failure.
ssize_t packet_recv(int sock, void *buf, size_t size, struct fd_list *fds, int flags);

// The same for a packet without descriptors. A packet that brings some stays in the socket, and no
// descriptor is made: PACKET_BRINGS_FDS. On a stream it takes the bytes before such a packet.
#define PACKET_BRINGS_FDS (-4096) // not an errno
ssize_t packet_recv_plain(int sock, void *buf, size_t size, int flags);

// The same; *seen is the number of bytes in buf also if the packet brings descriptors.
ssize_t packet_recv_or_peek(int sock, void *buf, size_t size, int flags, size_t *seen);

// Drops the next packet of a SOCK_SEQPACKET connection. Its descriptors end in this process, so the
// caller must have received copies of them before (MSG_PEEK).
void packet_drop(int sock);

// Returns 1 if the next packet that can be received now brings descriptors, 0 if not (also at the
// end of the stream), or -errno.
int packet_brings_fds(int sock);

// Room for as many descriptors as one packet can have (SCM_MAX_FD): recvmsg(2) closes those that do
// not fit, and may block in that.
union packet_control {
    char bytes[CMSG_SPACE(sizeof(int) * 253)];
    struct cmsghdr align;
};

// Handles what recvmsg(2) received besides a packet: fills the list, and returns 0, -EMSGSIZE
// or -EBADMSG as above.
int packet_take_fds(struct msghdr *msg, struct fd_list *fds);

#endif
