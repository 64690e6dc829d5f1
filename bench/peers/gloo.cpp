// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// Gloo over TCP on the loopback interface, each of its allreduce algorithms by name. Started by `tutti run`; the ranks
/// find each other through files beside the JSON file.

#include "contest.hpp"

#include <cstring>
#include <filesystem>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/broadcast.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

namespace tutti::peers {
namespace {

using world = std::shared_ptr<::gloo::Context>;

world connect(const contest& c, int rank, int ranks) {
    ::gloo::transport::tcp::attr loopback;
    loopback.iface = "lo";
    auto device = ::gloo::transport::tcp::CreateDevice(loopback);
    ::gloo::rendezvous::FileStore store{std::filesystem::path{c.settings.json}.parent_path()};
    auto made = std::make_shared<::gloo::rendezvous::Context>(rank, ranks);
    made->connectFullMesh(store, device);
    return made;
}

call running(std::shared_ptr<::gloo::Algorithm> algorithm) {
    return [algorithm] { algorithm->run(); };
}

call bind_allreduce(const world& w, const std::string& algorithm, float* data, int count) {
    const std::vector<float*> all{data};
    if (algorithm == "ring") return running(std::make_shared<::gloo::AllreduceRing<float>>(w, all, count));
    if (algorithm == "ring_chunked")
        return running(std::make_shared<::gloo::AllreduceRingChunked<float>>(w, all, count));
    if (algorithm == "halving_doubling")
        return running(std::make_shared<::gloo::AllreduceHalvingDoubling<float>>(w, all, count));
    if (algorithm == "bcube") return running(std::make_shared<::gloo::AllreduceBcube<float>>(w, all, count));
    throw std::invalid_argument("Gloo has no " + algorithm);
}

// It works in place, its result at the front. The copy is what a caller has to make who keeps the input, as the others
// do for theirs.
call bind_reduce_scatter(const world& w, const job& what, const float* from, float* to) {
    const int total = static_cast<int>(what.elements());
    const std::vector<int> shards(static_cast<std::size_t>(what.ranks), static_cast<int>(what.count));
    auto algorithm =
        std::make_shared<::gloo::ReduceScatterHalvingDoubling<float>>(w, std::vector<float*>{to}, total, shards);
    return [algorithm, from, to, bytes = what.bytes()] {
        std::memcpy(to, from, bytes);
        algorithm->run();
    };
}

call bind(const world& w, const std::string& algorithm, const job& what, const buffers& where) {
    auto* const from = reinterpret_cast<float*>(where.input);
    auto* const to = reinterpret_cast<float*>(where.output);
    switch (what.what) {
    case operation::allreduce: return bind_allreduce(w, algorithm, to, static_cast<int>(what.count));
    case operation::reduce_scatter: return bind_reduce_scatter(w, what, from, to);
    case operation::allgather: {
        auto options = std::make_shared<::gloo::AllgatherOptions>(w);
        options->setInput(from, what.count);
        options->setOutput(to, what.elements());
        return [options] { ::gloo::allgather(*options); };
    }
    case operation::broadcast: {
        auto options = std::make_shared<::gloo::BroadcastOptions>(w);
        options->setOutput(to, what.count);
        options->setRoot(what.root);
        return [options] { ::gloo::broadcast(*options); };
    }
    default: throw std::invalid_argument("not in this contest");
    }
}

binder enter(const contest& c, meeting&, int rank, int ranks) {
    return [w = connect(c, rank, ranks), algorithm = c.algorithm](const job& what, const buffers& where) {
        return bind(w, algorithm, what, where);
    };
}

} // namespace
} // namespace tutti::peers

int main(int argc, char** argv) { return tutti::peers::compete(argc, argv, tutti::peers::enter); }
