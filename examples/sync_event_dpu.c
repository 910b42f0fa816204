// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The DPU's half of a sync event: receives it from sync_event_host, waits for its signal and
// signals back.
//
//     DOCAD_SOCKET=dpu.sock sync_event_dpu [-p DEVICE] [-r HOST-FUNCTION] [-a] [-A]
//
// -a: through jobs on a work queue; -A: signals by adding, not by setting.

#include "common/channel_setup.h"
#include "common/event_mode.h"
#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *device = "03:00.0", *of = "0b:00.0";
    bool asynchronous = false, add = false;
    struct doca_sync_event *event;
    struct event_mode mode;
    struct channel channel;
    uint8_t descriptor[1024];
    int c;

    help_option(argc, argv, "[-p DEVICE] [-r HOST-FUNCTION] [-a] [-A]",
                "Signals sync_event_host, which is started next, on the host. -a: through jobs; "
                "-A: by adding.\n"
                "-p names a device by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:r:aA")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'r')
            of = optarg;
        else if (c == 'a')
            asynchronous = true;
        else if (c == 'A')
            add = true;
        else
            return 2;
    }
    channel_listen(&channel, device, of, "sync_event_cc");
    printf("listening\n");
    fflush(stdout);
    size_t size = channel_receive(&channel, descriptor, sizeof(descriptor));
    must(doca_sync_event_create_from_export(channel.dev, descriptor, size, &event),
         "cannot make the event from its export");
    event_start(&mode, event, asynchronous);

    event_wait_gt(&mode, 0);
    printf("the host has signalled\n");
    if (add)
        printf("added 1 to %llu\n", (unsigned long long)event_add(&mode, 1));
    else
        event_set(&mode, 2);
    printf("signalled the host\n");
    event_end(&mode);
    channel_send(&channel, "d", 1);
    channel_close(&channel);
    return EXIT_SUCCESS;
}
