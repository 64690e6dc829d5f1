// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// Gloo over TCP on the loopback interface, by the functions that PyTorch calls. Started by `tutti run`; the ranks find
/// each other through files in the folder.

#include "calls.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

namespace {

std::shared_ptr<gloo::Context> world;

using call = std::function<void()>;
using reduction = void (*)(void*, const void*, const void*, std::size_t);

template <class T>
reduction reduction_of(const std::string& op) {
    if (op == "sum") return gloo::sum<T>;
    if (op == "product") return gloo::product<T>;
    if (op == "minimum") return gloo::min<T>;
    return op == "maximum" ? static_cast<reduction>(gloo::max<T>) : nullptr;
}

/// The options, made ready by `set(options, input, output)`.
template <class Options, class Set>
call running(void (*function)(Options&), Set&& set) {
    auto options = std::make_shared<std::remove_const_t<Options>>(world);
    set(*options);
    return [options, function] { function(*options); };
}

template <class T>
call bind(const contestant_call& c) {
    const std::string operation = c.operation;
    T* const from = static_cast<T*>(c.in_place ? c.output : c.input);
    T* const to = static_cast<T*>(c.output);
    const std::size_t all = c.count * static_cast<std::size_t>(c.ranks);
    const reduction by = reduction_of<T>(c.op);
    if (operation == "barrier") return running(gloo::barrier, [](auto&) {});
    if (operation == "broadcast")
        return running(gloo::broadcast, [&](auto& o) {
            o.setOutput(to, c.count);
            o.setRoot(c.root);
        });
    if (operation == "allreduce" && by)
        return running(gloo::allreduce, [&](auto& o) {
            if (!c.in_place) o.setInput(from, c.count);
            o.setOutput(to, c.count);
            o.setReduceFunction(by);
        });
    if (c.in_place) return {};
    if (operation == "reduce" && by)
        return running(gloo::reduce, [&](auto& o) {
            o.setInput(from, c.count);
            o.setOutput(to, c.count);
            o.setRoot(c.root);
            o.setReduceFunction(by);
        });
    if (operation == "allgather")
        return running(gloo::allgather, [&](auto& o) {
            o.setInput(from, c.count);
            o.setOutput(to, all);
        });
    if (operation == "alltoall")
        return running(gloo::alltoall, [&](auto& o) {
            o.setInput(from, all);
            o.setOutput(to, all);
        });
    return {};
}

call bind(const contestant_call& c) {
    const std::string type = c.type;
    if (type == "float32") return bind<float>(c);
    if (type == "float64") return bind<double>(c);
    if (type == "int32") return bind<std::int32_t>(c);
    return type == "int64" ? bind<std::int64_t>(c) : call{};
}

} // namespace

const char* contestant_begin(int* rank, int* ranks, const char* folder) {
    static std::string wrong;
    try {
        *rank = std::atoi(std::getenv("TUTTI_RANK"));
        *ranks = std::atoi(std::getenv("TUTTI_SIZE"));
        gloo::transport::tcp::attr loopback;
        loopback.iface = "lo";
        auto device = gloo::transport::tcp::CreateDevice(loopback);
        gloo::rendezvous::FileStore store{folder};
        auto made = std::make_shared<gloo::rendezvous::Context>(*rank, *ranks);
        made->connectFullMesh(store, device);
        world = made;
    } catch (const std::exception& e) {
        wrong = e.what();
        return wrong.c_str();
    }
    return nullptr;
}

int contestant_has(const contestant_call* what) { return static_cast<bool>(bind(*what)); }
void* contestant_bind(const contestant_call* what) { return new call(bind(*what)); }
void contestant_run(void* bound) { (*static_cast<call*>(bound))(); }
void contestant_release(void* bound) { delete static_cast<call*>(bound); }
void contestant_end() { world.reset(); }
