// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client of the Comm Channel, on the host: sends a text to comm_channel_server on the DPU
// and prints the answer.
//
//     DOCAD_SOCKET=host.sock comm_channel_client [-p DEVICE] [-t TEXT]

#include "common/channel_setup.h"
#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *device = "0b:00.0", *text = "Message from the client";
    struct channel channel;
    char message[4080];
    int c;

    help_option(argc, argv, "[-p DEVICE] [-t TEXT]",
                "Sends a text to comm_channel_server, which is started first, on the DPU. -p names "
                "a device by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:t:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 't')
            text = optarg;
        else
            return 2;
    }
    channel_connect(&channel, device, "cc_sample_server", "comm_channel_server");
    channel_send(&channel, text, strlen(text));
    size_t size = channel_receive(&channel, message, sizeof(message));
    printf("received: %.*s\n", (int)size, message);
    channel_close(&channel);
    return EXIT_SUCCESS;
}
