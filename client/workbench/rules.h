// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Rules that docad-run --check=rules looks at:
//
//     X(NAME, "id", "what a program did", "what to do", "why it is wrong", "place in DOCA's
//     guides")
//
// A violation prints the first two texts, docactl why all of them. docad-rules(7) has exactly what
// is detected.

#ifndef WORKBENCH_RULES_H
#define WORKBENCH_RULES_H

#define GUIDE     "DOCA Core Programming Guide 2.2.1, "
#define GUIDE_1_3 "DOCA Core Programming Guide 1.3, "

#define LIFETIME_RULES(X)                                                                          \
    X(USE_AFTER_DESTROY, "use-after-destroy", "an object is used after it was destroyed",          \
      "Destroy an object last, and forget its address.",                                           \
      "The function that destroyed the object has freed it. On a card this reads memory that may " \
      "belong to something else.",                                                                 \
      GUIDE "3.5 Object Life Cycle")                                                               \
    X(DESTROYED_TWICE, "destroyed-twice", "an object is destroyed a second time",                  \
      "Let one place of the program own each object.",                                             \
      "The first call has freed the object, and its memory may be another object's.",              \
      GUIDE "3.5 Object Life Cycle")                                                               \
    X(WRONG_KIND, "wrong-kind", "an object is of another kind than the function takes",            \
      "Use the functions that convert: doca_X_as_ctx(), doca_X_as_task().",                        \
      "A cast made one object pass for another; the function reads members that are not there.",   \
      GUIDE "3.5 Object Life Cycle")                                                               \
    X(ALIVE_AT_END, "alive-at-end", "an object is alive when the program ends",                    \
      "Destroy objects in the reverse order.",                                                     \
      "Memory, and what docad keeps for the object, is freed with the process only: a program "    \
      "that makes such objects again and again runs out of them.",                                 \
      GUIDE "3.5 Object Life Cycle")

#define OWNERSHIP_RULES(X)                                                                         \
    X(TASK_FREED_IN_FLIGHT, "task-freed-in-flight", "a task is freed before it has completed",     \
      "Free it in its callback, or after that.",                                                   \
      "From its submission to its completion a task belongs to DOCA: the card writes its result "  \
      "into memory that the next task has got.",                                                   \
      GUIDE "3.4 DOCA Execution Model; doca_pe.h, doca_task_free()")                               \
    X(TASK_FREED_TWICE, "task-freed-twice", "a task is freed a second time",                       \
      "Free a task in one place: in its callback, or where the program ends.",                     \
      "Freed tasks go back to their context, which gives them out again. A task that is freed "    \
      "twice is given to two owners.",                                                             \
      GUIDE "3.5 Object Life Cycle; doca_pe.h, doca_task_free()")                                  \
    X(TASK_CHANGED_IN_FLIGHT, "task-changed-in-flight",                                            \
      "a task is changed before it has completed",                                                 \
      "Change the task in its callback, or allocate another one.",                                 \
      "From its submission to its completion a task belongs to DOCA. A card may have read the "    \
      "old value, the new one, or a part of each.",                                                \
      GUIDE "3.4 DOCA Execution Model; doca_pe.h, doca_task_submit()")                             \
    X(TASK_SUBMITTED_TWICE, "task-submitted-twice",                                                \
      "a task is submitted again before it has completed",                                         \
      "Submit it again in its callback, or allocate one task for each operation in flight.",       \
      "A task is one operation. The second submission changes the first one, which a card may be " \
      "executing.",                                                                                \
      GUIDE "3.4 DOCA Execution Model; doca_pe.h, doca_task_submit()")                             \
    X(BUFFER_RELEASED_IN_FLIGHT, "buffer-released-in-flight",                                      \
      "the last reference to a buffer is given back while a task uses it",                         \
      "Give buffers back when the task has completed.",                                            \
      "docad remembers what a buffer said when its task was submitted; a card does not.",          \
      GUIDE "3.3.3 Buffers, Buffer Use Cases")                                                     \
    X(BUFFER_CHANGED_IN_FLIGHT, "buffer-changed-in-flight",                                        \
      "a buffer is changed while a task uses it",                                                  \
      "Change the buffer when the task has completed, or take another one from the inventory.",    \
      "A buffer belongs to the library until the task is complete. docad remembers what the "      \
      "buffer said when the task was submitted; a card may read it later, and adds the bytes "     \
      "that "                                                                                      \
      "it has written to its length.",                                                             \
      GUIDE "3.3.3 Buffers, Buffer Use Cases")                                                     \
    X(BUFFER_IN_TWO_TASKS, "buffer-in-two-tasks",                                                  \
      "a buffer to which a task in flight writes is given to another task",                        \
      "Give each task in flight a destination of its own, or wait for the first one.",             \
      "A buffer belongs to the library until the task is complete. Where the bytes of the second " \
      "task go, or how many it reads, depends on when the first one ends.",                        \
      GUIDE "3.3.3 Buffers, Buffer Use Cases")                                                     \
    X(SOURCE_CHANGED, "source-changed", "bytes of a task's source changed while it was in flight", \
      "Write to the memory of a source when the task has completed.",                              \
      "A card reads the source at some time between submission and completion: it may have read "  \
      "the old bytes, the new ones, or some of each. docad often reads them later than a card.",   \
      GUIDE "3.3.3 Buffers, Buffer Use Cases")

#define ORDER_RULES(X)                                                                             \
    X(DESTINATIONS_OVERLAP, "destinations-overlap",                                                \
      "a task is submitted whose destination overlaps that of a task in flight",                   \
      "Submit the second one when the first one has completed, or give each its own memory.",      \
      "Tasks have no order: either may write last, and which one does can differ from run to run " \
      "and from card to card.",                                                                    \
      GUIDE "3.4.1 Requirements and Considerations")                                               \
    X(DESTINATION_OVER_SOURCE, "destination-over-source",                                          \
      "a task is submitted that writes to what a task in flight reads",                            \
      "Submit the second one when the first one has completed.",                                   \
      "Tasks have no order: the first one may read what the second one has written.",              \
      GUIDE "3.4.1 Requirements and Considerations")                                               \
    X(ORDER_BETWEEN_CONTEXTS, "order-between-contexts",                                            \
      "a task is submitted that reads what a task in flight writes",                               \
      "Submit the second one in the callback of the first one.",                                   \
      "Tasks of different contexts have no order, whatever the order of their submissions was: "   \
      "the second one may read the bytes that were there before. On a BlueField-3 it does.",       \
      GUIDE "3.4.1 Requirements and Considerations")

#define THREAD_RULES(X)                                                                            \
    X(ENGINE_TWO_THREADS, "engine-two-threads", "two threads use one progress engine",             \
      "Give each thread an engine, or lock around every call.",                                    \
      "A progress engine, or a work queue, and its contexts belong to one thread at a time.",      \
      GUIDE "3.4.1 Requirements and Considerations, 3.4.3 DOCA WorkQ")                             \
    X(INVENTORY_TWO_THREADS, "inventory-two-threads",                                              \
      "two threads take buffers from one inventory, or give them back, at the same time",          \
      "Give each thread an inventory, or lock around every call.",                                 \
      "Inventories have no locks: both threads may get the same buffer.",                          \
      GUIDE "3.3.4 Inventories; " GUIDE_1_3 "4.6 doca_buf_inventory")                              \
    X(MAP_TWO_THREADS, "map-two-threads", "two threads use one memory map at the same time",       \
      "Call doca_mmap_enable_thread_safety() before the map is started, or lock around every "     \
      "call.",                                                                                     \
      "Memory maps have no locks unless they are asked for, and count their buffers wrongly.",     \
      GUIDE_1_3 "4.7 doca_mmap; doca_mmap.h, doca_mmap_enable_thread_safety()")

#define WAITING_RULES(X)                                                                           \
    X(NOTIFICATION_NOT_CLEARED, "notification-not-cleared",                                        \
      "a notification is requested again and again while the last one is not cleared",             \
      "Call doca_pe_clear_notification(), or doca_workq_event_handle_clear(), after each wait, "   \
      "or "                                                                                        \
      "set DOCA_PE_EVENT_MODE_PROGRESS_ALL.",                                                      \
      "The handle stays readable, so that poll() returns without waiting and the program only "    \
      "polls, with two more calls.",                                                               \
      GUIDE "3.4.5 Event-driven Mode")                                                             \
    X(WAIT_WITHOUT_REQUEST, "wait-without-request",                                                \
      "the program waits for a handle of which no notification was requested",                     \
      "Call doca_pe_request_notification(), or doca_workq_event_handle_arm(), before each wait.",  \
      "The handle becomes readable after a request only. The program sleeps until the time is "    \
      "over, or for ever.",                                                                        \
      GUIDE "3.4.5 Event-driven Mode")                                                             \
    X(CALLBACK_TOO_LONG, "callback-too-long", "a callback blocks, or computes for 1 ms or longer", \
      "Take a note in the callback, and do the work after doca_pe_progress() has returned, or in " \
      "another thread.",                                                                           \
      "While a callback runs, no other task of the engine completes, and a card's queues run "     \
      "empty.",                                                                                    \
      GUIDE "3.4.1 Requirements and Considerations")                                               \
    X(POLLS_IDLE, "polls-idle", "an engine is polled again and again with nothing in flight",      \
      "Poll while tasks are in flight; otherwise wait for what makes the next one.",               \
      "The polls cost a CPU and cannot find anything.", GUIDE "3.4.4 Polling Mode")                \
    X(POLLS_MANY, "polls-many", "there are more polls for each completion than were asked for",    \
      "Submit more tasks before polling, or wait for a notification.",                             \
      "The polls cost a CPU, and mostly find nothing.", GUIDE "3.4.4 Polling Mode")

#define ERROR_RULES(X)                                                                             \
    X(FAILURE_IGNORED, "failure-ignored", "an object is used though its creation or start failed", \
      "Look at the result of each call, and end or clean up when it is not DOCA_SUCCESS.",         \
      "The failed call has left the object as it was, or has made none.",                          \
      GUIDE "3.1.1 doca_error_t")                                                                  \
    X(STATUS_NOT_READ, "status-not-read", "a task has failed, and its status was never read",      \
      "Call doca_task_get_status() in the callback.",                                              \
      "The result of a failed task is not there. Only its status reports that, and why.",          \
      GUIDE "3.4.8 Job Error Handling; doca_pe.h, doca_task_get_status()")

#define CARD_RULES(X)                                                                              \
    X(CARD_LIMIT, "card-limit", "the program asks for more than a card has",                       \
      "Ask the capability functions for the limit, and keep to it.",                               \
      "Cards differ in what they can do, and in how much. docactl caps shows it; docad-cards(7) "  \
      "says where the values are from.",                                                           \
      GUIDE "chapter 4; docad-cards(7)")                                                           \
    X(DESTROYED_WITH_TASKS, "destroyed-with-tasks",                                                \
      "a context is destroyed though tasks of it were not freed",                                  \
      "Free all tasks, call doca_pe_progress() until the context is idle, and destroy it then.",   \
      "docad lets the context end. On a BlueField-3 it stays in the state STOPPING until its "     \
      "tasks are freed, and cannot be destroyed.",                                                 \
      GUIDE "3.5 Object Life Cycle; docad-cards(7), stop_waits_for_tasks")                         \
    X(NEVER_FLUSHED, "never-flushed", "a context is stopped whose last task was never flushed",    \
      "Submit the last task of a batch with DOCA_TASK_SUBMIT_FLAG_FLUSH, or call "                 \
      "doca_ctx_flush_tasks().",                                                                   \
      "docad executes every task that it gets. A card need not look at a task before a later one " \
      "is flushed.",                                                                               \
      "doca_pe.h, enum doca_task_submit_flag")                                                     \
    X(REPORT_HELD_BACK, "report-held-back",                                                        \
      "a context is stopped whose last task has DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS",           \
      "Submit the last task of a batch without this flag.",                                        \
      "docad reports every task. A card reports a task with this flag together with a later one "  \
      "without it: the last ones never come back.",                                                \
      "doca_pe.h, enum doca_task_submit_flag")                                                     \
    X(RELAXED_EXPORT, "relaxed-export",                                                            \
      "a memory map with relaxed ordering is given a right for PCI, or is exported",               \
      "Leave DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING out for maps that are exported.",               \
      "docad ignores the flag. A BlueField-3 refuses it together with a right for PCI, and does "  \
      "not export such a map for PCI.",                                                            \
      GUIDE "3.3.2 doca_mmap; doca_types.h, enum doca_access_flag")

#define RULES(X)                                                                                   \
    LIFETIME_RULES(X)                                                                              \
    OWNERSHIP_RULES(X)                                                                             \
    ORDER_RULES(X)                                                                                 \
    THREAD_RULES(X)                                                                                \
    WAITING_RULES(X)                                                                               \
    ERROR_RULES(X)                                                                                 \
    CARD_RULES(X)

#endif
