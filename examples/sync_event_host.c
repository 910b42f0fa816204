// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The host's half of a sync event: makes it, exports it to sync_event_dpu through the Comm
// Channel, signals, and waits for the signal that comes back.
//
//     DOCAD_SOCKET=host.sock sync_event_host [-p DEVICE] [-a] [-A]
//
// -a: through jobs on a work queue; -A: signals by adding, not by setting. Start
// sync_event_dpu first, with the same -A; -a may differ.

#include "common/channel_setup.h"
#include "common/event_mode.h"
#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *device = "0b:00.0";
    bool asynchronous = false, add = false;
    struct doca_sync_event *event;
    struct event_mode mode;
    struct channel channel;
    const uint8_t *descriptor;
    size_t size;
    int c;

    help_option(argc, argv, "[-p DEVICE] [-a] [-A]",
                "Signals sync_event_dpu, which is started first, on the DPU. -a: through jobs; -A: "
                "by adding.\n"
                "-p names a device by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:aA")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'a')
            asynchronous = true;
        else if (c == 'A')
            add = true;
        else
            return 2;
    }
    channel_connect(&channel, device, "sync_event_cc", "sync_event_dpu");
    must(doca_sync_event_create(&event), "cannot make an event");
    must(doca_sync_event_publisher_add_location_dpu(event), "cannot add the publisher");
    must(doca_sync_event_subscriber_add_location_cpu(event, channel.dev),
         "cannot add the subscriber");
    event_start(&mode, event, asynchronous);
    must(doca_sync_event_export_to_dpu(event, channel.dev, &descriptor, &size),
         "cannot export the event");
    channel_send(&channel, descriptor, size);

    if (add)
        printf("added 1 to %llu\n", (unsigned long long)event_add(&mode, 1));
    else
        event_set(&mode, 1);
    printf("signalled the DPU\n");
    event_wait_gt(&mode, 1);
    printf("the DPU has signalled back\n");
    // The event must live as long as the DPU needs it.
    char done;
    channel_receive(&channel, &done, 1);
    event_end(&mode);
    channel_close(&channel);
    return EXIT_SUCCESS;
}
