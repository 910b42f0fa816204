// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Coroutines of C++20 on a progress engine: each awaits its tasks, and one loop sleeps in epoll
// until some are done. Both sides of an RDMA connection are in this process, on one engine: a
// server answers texts with their letters in reverse order, and several clients ask it at once.
//
//     DOCAD_SOCKET=dpu.sock rdma_coroutines [QUESTIONS]
//
// A task's user data is the object that a coroutine awaits; the task's callback continues the
// coroutine.

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include <algorithm>
#include <coroutine>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr std::size_t ROOM = 64;        // of a message
constexpr unsigned CLIENTS = 8;         // that ask at once
constexpr unsigned SLOTS = 2 * CLIENTS; // messages of a side: a question and an answer for each

// Not an exception: callbacks are called by functions in C.
[[noreturn]] void fail(const char *what, const char *why)
{
    std::fprintf(stderr, "rdma_coroutines: %s: %s\n", what, why);
    std::exit(EXIT_FAILURE);
}

void must(doca_error_t error, const char *what)
{
    if (error != DOCA_SUCCESS)
        fail(what, doca_error_get_descr(error));
}

// ---- coroutines -------------------------------------------------------------------------------

// A coroutine that runs until it awaits something that is not done, and goes when it is over.
struct Job {
    struct promise_type {
        Job get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            fail("a coroutine", "has thrown an exception");
        }
    };
};

// A task in flight, with the buffer that it needs. To await it gives its status. It is awaited by
// its name: the object must stay where it is.
class Work
{
  public:
    Work(doca_task *task, doca_buf *buf) : task_(task), buf_(buf)
    {
        doca_data data = {};
        data.ptr = this;
        doca_task_set_user_data(task, data);
        must(doca_task_submit(task), "cannot submit a task");
    }
    ~Work()
    {
        doca_task_free(task_);
        must(doca_buf_dec_refcount(buf_, nullptr), "cannot give a buffer back");
    }
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

    bool await_ready() const
    {
        return done_;
    }
    void await_suspend(std::coroutine_handle<> waiting)
    {
        waiting_ = waiting;
    }
    doca_error_t await_resume() const
    {
        return doca_task_get_status(task_);
    }

    // Both callbacks of all tasks.
    template <typename Task> static void ended(Task *, doca_data task_data, doca_data)
    {
        Work *work = static_cast<Work *>(task_data.ptr);
        work->done_ = true;
        if (work->waiting_)
            work->waiting_.resume(); // which may destroy the object
    }

  private:
    doca_task *task_;
    doca_buf *buf_;
    bool done_ = false;
    std::coroutine_handle<> waiting_;
};

// ---- the engine -------------------------------------------------------------------------------

class Engine
{
  public:
    Engine()
    {
        must(doca_pe_create(&pe_), "cannot make a progress engine");
        must(doca_pe_get_notification_handle(pe_, &handle_), "cannot get the engine's handle");
        epoll_event event = {};
        event.events = EPOLLIN;
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        if (epoll_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, handle_, &event) < 0)
            fail("cannot wait for the engine", std::strerror(errno));
    }
    ~Engine()
    {
        close(epoll_);
        must(doca_pe_destroy(pe_), "cannot destroy the engine");
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    doca_pe *get() const
    {
        return pe_;
    }

    // Runs callbacks until `over` is true, and sleeps while there are none.
    template <typename Over> void run(Over over)
    {
        while (!over()) {
            if (doca_pe_progress(pe_))
                continue;
            must(doca_pe_request_notification(pe_), "cannot ask for a wake-up");
            epoll_event event;
            (void)epoll_wait(epoll_, &event, 1, -1);
            must(doca_pe_clear_notification(pe_, handle_), "cannot take a wake-up back");
        }
    }

  private:
    doca_pe *pe_ = nullptr;
    doca_notification_handle_t handle_ = 0;
    int epoll_ = -1;
};

// ---- a side of the connection -----------------------------------------------------------------

// The first device that can send and receive.
doca_dev *open_device()
{
    doca_devinfo **list;
    uint32_t n;
    doca_dev *dev = nullptr;
    must(doca_devinfo_create_list(&list, &n), "cannot list the devices");
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_rdma_cap_task_send_is_supported(list[i]) == DOCA_SUCCESS &&
            doca_rdma_cap_task_receive_is_supported(list[i]) == DOCA_SUCCESS)
            must(doca_dev_open(list[i], &dev), "cannot open a device");
    must(doca_devinfo_destroy_list(list), "cannot free the list of devices");
    if (!dev)
        fail("cannot begin", "no device has RDMA");
    return dev;
}

class Side
{
  public:
    Side(Engine &engine, doca_dev *dev) : memory_(SLOTS * ROOM)
    {
        must(doca_mmap_create(&map_), "cannot make a map");
        must(doca_mmap_add_dev(map_, dev), "cannot add the device to the map");
        must(doca_mmap_set_permissions(map_, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
             "cannot set the map's permissions");
        must(doca_mmap_set_memrange(map_, memory_.data(), memory_.size()),
             "cannot set the map's memory");
        must(doca_mmap_start(map_), "cannot start the map");
        must(doca_buf_inventory_create(SLOTS, &inventory_), "cannot make an inventory");
        must(doca_buf_inventory_start(inventory_), "cannot start the inventory");
        must(doca_rdma_create(dev, &rdma_), "cannot make an RDMA context");
        const auto sent = Work::ended<doca_rdma_task_send>;
        must(doca_rdma_task_send_set_conf(rdma_, sent, sent, SLOTS), "cannot configure the sends");
        const auto received = Work::ended<doca_rdma_task_receive>;
        must(doca_rdma_task_receive_set_conf(rdma_, received, received, SLOTS),
             "cannot configure the receives");
        must(doca_pe_connect_ctx(engine.get(), ctx()), "cannot connect the context to the engine");
        must(doca_ctx_start(ctx()), "cannot start the context");
    }
    ~Side()
    {
        must(doca_rdma_destroy(rdma_), "cannot destroy the context");
        must(doca_buf_inventory_destroy(inventory_), "cannot destroy the inventory");
        must(doca_mmap_destroy(map_), "cannot destroy the map");
    }
    Side(const Side &) = delete;
    Side &operator=(const Side &) = delete;

    static void connect(Side &a, Side &b)
    {
        const void *of_a, *of_b;
        std::size_t size_a, size_b;
        must(doca_rdma_export(a.rdma_, &of_a, &size_a, &a.connection_), "cannot export");
        must(doca_rdma_export(b.rdma_, &of_b, &size_b, &b.connection_), "cannot export");
        must(doca_rdma_connect(a.rdma_, of_b, size_b, a.connection_), "cannot connect");
        must(doca_rdma_connect(b.rdma_, of_a, size_a, b.connection_), "cannot connect");
    }

    char *text(unsigned slot)
    {
        return &memory_[slot * ROOM];
    }

    Work receive(unsigned slot)
    {
        doca_rdma_task_receive *task;
        doca_buf *buf;
        must(doca_buf_inventory_buf_get_by_addr(inventory_, map_, text(slot), ROOM, &buf),
             "cannot get a buffer");
        must(doca_rdma_task_receive_allocate_init(rdma_, buf, doca_data(), &task),
             "cannot allocate a receive");
        return Work(doca_rdma_task_receive_as_task(task), buf);
    }
    Work send(unsigned slot)
    {
        doca_rdma_task_send *task;
        doca_buf *buf;
        must(doca_buf_inventory_buf_get_by_data(inventory_, map_, text(slot),
                                                std::strlen(text(slot)) + 1, &buf),
             "cannot get a buffer");
        must(doca_rdma_task_send_allocate_init(rdma_, connection_, buf, doca_data(), &task),
             "cannot allocate a send");
        return Work(doca_rdma_task_send_as_task(task), buf);
    }

    // What is in flight ends with an error.
    void stop()
    {
        const doca_error_t error = doca_ctx_stop(ctx());
        if (error != DOCA_ERROR_IN_PROGRESS)
            must(error, "cannot stop the context");
    }
    doca_ctx_states state() const
    {
        doca_ctx_states now;
        must(doca_ctx_get_state(ctx(), &now), "cannot get the context's state");
        return now;
    }

  private:
    doca_ctx *ctx() const
    {
        return doca_rdma_as_ctx(rdma_);
    }

    std::vector<char> memory_;
    doca_mmap *map_ = nullptr;
    doca_buf_inventory *inventory_ = nullptr;
    doca_rdma *rdma_ = nullptr;
    doca_rdma_connection *connection_ = nullptr;
};

// ---- questions and answers --------------------------------------------------------------------

// Serves whoever asks, until its side is stopped.
Job serve(Side &side, unsigned slot, unsigned &running)
{
    running++;
    while (side.state() == DOCA_CTX_STATE_RUNNING) {
        Work question = side.receive(slot);
        if (co_await question != DOCA_SUCCESS)
            break;
        std::reverse(side.text(slot), side.text(slot) + std::strlen(side.text(slot)));
        Work answer = side.send(slot);
        if (co_await answer != DOCA_SUCCESS)
            break;
    }
    running--;
}

// A connection's receives are filled in their order: an answer may be to another one's question.
Job ask(Side &side, unsigned who, unsigned questions, std::multiset<std::string> &open,
        unsigned &running)
{
    running++;
    for (unsigned i = 0; i < questions; i++) {
        Work answer = side.receive(CLIENTS + who);
        std::snprintf(side.text(who), ROOM, "question %u of client %u", i, who);
        open.emplace(side.text(who));
        Work question = side.send(who);
        must(co_await question, "cannot ask");
        must(co_await answer, "there is no answer");
        std::string text = side.text(CLIENTS + who);
        std::reverse(text.begin(), text.end());
        const auto asked = open.find(text);
        if (asked == open.end())
            fail("nobody has asked", text.c_str());
        open.erase(asked);
    }
    running--;
}

void talk(Engine &engine, Side &server, Side &client, unsigned questions)
{
    std::multiset<std::string> open;
    unsigned servers = 0, clients = 0;
    for (unsigned i = 0; i < CLIENTS; i++)
        serve(server, i, servers);
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(client, i, questions, open, clients);
    engine.run([&] { return clients == 0; });
    client.stop();
    server.stop();
    engine.run([&] {
        return client.state() == DOCA_CTX_STATE_IDLE && server.state() == DOCA_CTX_STATE_IDLE;
    });
    std::printf("%u questions answered, %zu open, %u coroutines left\n", CLIENTS * questions,
                open.size(), servers);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && (std::strcmp(argv[1], "-h") == 0 || std::strcmp(argv[1], "--help") == 0)) {
        std::puts("Usage: rdma_coroutines [QUESTIONS]\n\n"
                  "Asks questions of each of 8 clients by coroutines on one progress engine.");
        return EXIT_SUCCESS;
    }
    const int questions = argc > 1 ? std::atoi(argv[1]) : 1000;
    if (argc > 2 || questions < 1 || questions > 1000000)
        fail("the only argument", "the number of questions of a client, 1 to 1000000");
    doca_dev *dev = open_device();
    {
        Engine engine;
        Side server(engine, dev), client(engine, dev);
        Side::connect(server, client);
        talk(engine, server, client, static_cast<unsigned>(questions));
    }
    must(doca_dev_close(dev), "cannot close the device");
    return EXIT_SUCCESS;
}
