#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Ten programs, each an example with one defect, for test-defects.py.

    defects.py --list           lines of NAME EXAMPLE GENERATION
    defects.py EXAMPLES NAME    writes the source of a program
"""

import collections
import os
import sys

# `changes`: pieces of the example, and what stands there instead.
Defect = collections.namedtuple("Defect", "example generation rule options arguments changes")

TASKS, EVENTS, LOCAL = "doca-3/dma_tasks.c", "dma_event_driven.c", "dma_local_copy.c"

DEFECTS = {
    "buffer_reused": Defect(LOCAL, "2.2", "buffer-changed-in-flight", [], [], [
        ('    must(doca_workq_submit(workq, &job.base), "cannot submit the job");\n',
         '    must(doca_workq_submit(workq, &job.base), "cannot submit the job");\n'
         '    must(doca_buf_reset_data_len(from), "cannot reuse the buffer");\n')]),
    "never_cleared": Defect(TASKS, "3", "notification-not-cleared", [], [], [
        ("        while (doca_pe_progress(program->pe))\n            ;\n",
         "        (void)doca_pe_progress(program->pe);\n"),
        ('        must(doca_pe_clear_notification(program->pe, handle.fd), '
         '"cannot clear the notification");\n', "")]),
    "leak": Defect(LOCAL, "2.2", "alive-at-end", [], [], [
        ('    must(doca_workq_destroy(workq), "cannot destroy the work queue");\n', "")]),
    "two_threads": Defect(TASKS, "3", "engine-two-threads", [], ["100000000"], [
        ("static void check(", "static void *run_too(void *program)\n{\n    run(program);\n"
         "    return NULL;\n}\n\nstatic void check("),
        ("    run(&program);\n", "    pthread_t other;\n"
         "    pthread_create(&other, NULL, run_too, &program);\n    run(&program);\n"
         "    pthread_join(other, NULL);\n"),
        ("#include <poll.h>\n", "#include <poll.h>\n#include <pthread.h>\n")]),
    "too_long": Defect(TASKS, "3", "card-limit", ["--card", "bluefield-3"], ["4"], [
        ("#define SIZE       4096\n", "#define SIZE       (3UL << 20)\n")]),
    "order": Defect(TASKS, "3", "order-between-contexts", [], ["4"], [
        ("full_buffer(&program->setup, 2 * i * SIZE, SIZE)",
         "full_buffer(&program->setup, (i ? 2 * i - 1 : 0) * SIZE, SIZE)")]),
    "source_changed": Defect(EVENTS, "2.2", "source-changed", [], [], [
        ("    submit_all(&setup, from, to);\n",
         "    submit_all(&setup, from, to);\n    memset(m->from[0], 'z', BLOCK);\n")]),
    "freed_twice": Defect(TASKS, "3", "task-freed-twice", [], [], [
        ("    doca_task_free(doca_dma_task_memcpy_as_task(task));\n",
         "    doca_task_free(doca_dma_task_memcpy_as_task(task));\n" * 2)]),
    "used_too_late": Defect(LOCAL, "2.2", "use-after-destroy", [], [], [
        ('    must(doca_dma_destroy(dma), "cannot destroy the DMA context");\n',
         '    must(doca_dma_destroy(dma), "cannot destroy the DMA context");\n'
         "    (void)doca_ctx_start(ctx);\n")]),
    "status_unread": Defect("doca-3/dma_task.c", "3", "status-not-read", [], [], [
        ('    must(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "cannot copy");\n',
         ""),
        ("empty_buffer(setup, ROOM, ROOM)", "empty_buffer(setup, ROOM, 1)")]),
}


def source_of(examples, name):
    """The example with the defect; its headers are named from the folder of the examples."""
    defect = DEFECTS[name]
    with open(os.path.join(examples, defect.example), encoding="utf-8") as file:
        text = file.read()
    for old, new in defect.changes:
        assert text.count(old) == 1, f"{defect.example} has not, or not once: {old}"
        text = text.replace(old, new)
    folder = os.path.dirname(os.path.join(examples, defect.example))
    return text.replace('#include "', f'#include "{folder}/')


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        for each, of in DEFECTS.items():
            print(each, of.example, of.generation)
    else:
        sys.stdout.write(source_of(*sys.argv[1:]))
