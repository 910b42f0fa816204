// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A service of the Comm Channel, on the DPU: receives a text and sends one back.
//
//     DOCAD_SOCKET=dpu.sock comm_channel_server [-p DEVICE] [-r HOST-FUNCTION] [-t TEXT]
//
// Start it, then comm_channel_client on the host.

#include "common/channel_setup.h"
#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *device = "03:00.0", *of = "0b:00.0", *text = "Message from the server";
    struct channel channel;
    char message[4080];
    int c;

    help_option(argc, argv, "[-p DEVICE] [-r HOST-FUNCTION] [-t TEXT]",
                "Answers comm_channel_client, which is started next, on the host. -p names a "
                "device by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:r:t:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'r')
            of = optarg;
        else if (c == 't')
            text = optarg;
        else
            return 2;
    }
    channel_listen(&channel, device, of, "cc_sample_server");
    printf("listening\n");
    fflush(stdout);
    size_t size = channel_receive(&channel, message, sizeof(message));
    printf("received: %.*s\n", (int)size, message);
    channel_send(&channel, text, strlen(text));
    // The client takes the answer and leaves; this program ends after that.
    uint64_t on_their_way;
    while (doca_comm_channel_peer_addr_update_info(channel.peer) == DOCA_SUCCESS) {
        must(doca_comm_channel_peer_addr_get_send_in_flight_messages(channel.peer, &on_their_way),
             "cannot get a counter");
        if (on_their_way == 0)
            break;
        usleep(1000);
    }
    channel_close(&channel);
    return EXIT_SUCCESS;
}
