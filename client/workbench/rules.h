// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Rules that docad-run --check=rules looks at: id, what a program did, and what to do. docactl
// explains them.

#ifndef WORKBENCH_RULES_H
#define WORKBENCH_RULES_H

#define RULES(X)                                                                                   \
    X(USE_AFTER_DESTROY, "use-after-destroy", "an object is used after it was destroyed",          \
      "The function that destroyed the object has freed it. On a card this reads memory that may " \
      "belong to something else. Destroy an object last, and forget its address.")                 \
    X(DESTROYED_TWICE, "destroyed-twice", "an object is destroyed a second time",                  \
      "The first call has freed the object. Let one place of the program own each object.")        \
    X(WRONG_KIND, "wrong-kind", "an object is of another kind than the function takes",            \
      "A cast made one object pass for another. Use the functions that convert: doca_X_as_ctx(), " \
      "doca_X_as_task().")                                                                         \
    X(TASK_FREED_IN_FLIGHT, "task-freed-in-flight", "a task is freed before it has completed",     \
      "From its submission to its completion a task belongs to DOCA. Free it in its callback, or " \
      "after that.")                                                                               \
    X(BUFFER_RELEASED_IN_FLIGHT, "buffer-released-in-flight",                                      \
      "the last reference to a buffer is given back while a task uses it",                         \
      "docad remembers what a buffer said when its task was submitted; a card does not. Give "     \
      "buffers back when the task has completed.")                                                 \
    X(DESTINATIONS_OVERLAP, "destinations-overlap",                                                \
      "a copy is submitted whose destination overlaps that of a copy in flight",                   \
      "Tasks have no order: either may write last, and which one does can differ from run to run " \
      "and from card to card. Submit the second one when the first one has completed, or give "    \
      "each its own memory.")                                                                      \
    X(ENGINE_TWO_THREADS, "engine-two-threads", "two threads use one progress engine",             \
      "A progress engine, or a work queue, and its contexts belong to one thread at a time. Give " \
      "each thread an engine, or lock around every call.")                                         \
    X(NOTIFICATION_NOT_CLEARED, "notification-not-cleared",                                        \
      "a notification is requested again and again while the last one is not cleared",             \
      "The handle stays readable, so that poll() returns without waiting and the program only "    \
      "polls, with two more calls. Call doca_pe_clear_notification() after each wait, or set "     \
      "DOCA_PE_EVENT_MODE_PROGRESS_ALL.")                                                          \
    X(ALIVE_AT_END, "alive-at-end", "an object is alive when the program ends",                    \
      "Memory, and what docad keeps for the object, is freed with the process only: a program "    \
      "that makes such objects again and again runs out of them. Destroy them in the reverse "     \
      "order.")

#endif
