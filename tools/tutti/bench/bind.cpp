// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bind.hpp"
#include "pattern.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace {

call bind_stream(const any_communicator& world, std::span<const std::byte> out, std::span<std::byte> in, int peer,
                 bool begins) {
    return [=] {
        std::byte last{};
        auto all = world.group();
        for (std::size_t i = 0; i < stream_messages; ++i) begins ? all.send(out, peer) : all.receive(in, peer);
        if (begins) all.receive(last, peer);
        all.wait();
        if (!begins) world.send(last, peer);
    };
}

call bind_both_ways(const any_communicator& world, std::span<const std::byte> out, std::span<std::byte> in, int peer) {
    return [=] {
        auto all = world.group();
        for (std::size_t i = 0; i < stream_messages; ++i) all.receive(in, peer);
        for (std::size_t i = 0; i < stream_messages; ++i) all.send(out, peer);
        all.wait();
    };
}

/// Rows go from the input to the output, and from edge to edge of a square of elements, whose columns go as well.
class halo {
public:
    halo(any_communicator world, const job& what, const buffers& where)
        : world_(std::move(world)), side_(what.count), element_(what.count > 0 ? what.bytes() / what.count : 1),
          square_((side_ + 2) * (side_ + 2) * element_), messages_(world_.group()) {
        int tag = 0;
        each_halo_message(what.rank, halo_grid(what.ranks), [&](int to, int from, bool by_rows) {
            if (tag == 0)
                begin(std::span<const std::byte>(where.input, what.bytes()), to, std::span(where.output, what.bytes()),
                      from, tag);
            else if (by_rows)
                begin(row(1), to, row(side_ + 1), from, tag);
            else
                begin(column(tag == 2 ? side_ : 1), to, column(tag == 2 ? 0 : side_ + 1), from, tag);
            ++tag;
        });
    }
    void operator()() {
        if (!std::exchange(is_first_, false)) messages_.restart();
        messages_.wait();
        largest_ = world_.allreduce(largest_, maximum);
    }

private:
    void begin(auto out, int to, auto in, int from, int tag) {
        messages_.receive(in, from, tag);
        messages_.send(out, to, tag);
    }
    [[nodiscard]] std::byte* at(std::size_t r, std::size_t c) { return &square_[(r * (side_ + 2) + c) * element_]; }
    [[nodiscard]] std::span<std::byte> row(std::size_t r) { return {at(r, 1), side_ * element_}; }
    [[nodiscard]] strided<std::byte> column(std::size_t c) {
        return {at(1, c), side_, (side_ + 2) * element_, element_};
    }

    any_communicator world_;
    std::size_t side_, element_;
    std::vector<std::byte> square_;
    message_group<any_communicator> messages_;
    double largest_ = 0;
    bool is_first_ = true; ///< the constructor has started the first exchange
};

call bind_exchange(const any_communicator& world, const job& what, const buffers& where) {
    const std::span<const std::byte> out(where.input, what.bytes());
    const std::span<std::byte> in(where.output, what.bytes());
    const int rank = what.rank, ranks = what.ranks;
    const exchange e = *what.messages;
    if (e == exchange::sendrecv)
        return [=] { world.sendrecv(out, (rank + 1) % ranks, in, (rank + ranks - 1) % ranks); };
    if (e == exchange::halo)
        return [all = std::shared_ptr<halo>(), world, what, where]() mutable {
            if (!all) all = std::make_shared<halo>(world, what, where);
            (*all)();
        };
    const pairing pairs = what.pairs_of_ranks();
    const auto partner = pairs.partner_of(rank);
    if (!partner) return [] {};
    const int peer = *partner;
    if (e == exchange::bistream) return bind_both_ways(world, out, in, peer);
    if (!returns(e)) return bind_stream(world, out, in, peer, pairs.begins(rank));
    if (pairs.begins(rank))
        return [=] {
            world.send(out, peer);
            world.receive(in, peer);
        };
    return [=] {
        world.receive(in, peer);
        world.send(out, peer);
    };
}

/// One request, or several that are a call together.
template <std::size_t n>
class started_requests final : public started_call {
public:
    explicit started_requests(std::array<request<transport::any>, n> all) : all_(std::move(all)) {}

    bool test() override {
        bool over = true;
        for (auto& r : all_) over = r.test() && over;
        return over;
    }
    void wait() override {
        for (auto& r : all_) r.wait();
    }

private:
    std::array<request<transport::any>, n> all_;
};

template <class... Request>
std::unique_ptr<started_call> keep(Request... all) {
    return std::make_unique<started_requests<sizeof...(all)>>(
        std::array<request<transport::any>, sizeof...(all)>{std::move(all)...});
}

/// What all ranks did, at rank 0. In turn, so that no other rank needs memory for more than one of them.
activities gather(const any_communicator& world, const activities& mine) {
    std::array<std::uint64_t, 1> most{mine.size()};
    world.allreduce(most, maximum);
    activities all;
    for (int rank = 0; rank < world.size(); ++rank) {
        activities its;
        if (rank == world.rank()) its = mine;
        its.resize(most[0], schedule::activity{.rank = -1});
        world.broadcast(its, rank);
        if (world.rank() != 0) continue;
        std::erase_if(its, [](const schedule::activity& a) { return a.rank < 0; });
        all.insert(all.end(), its.begin(), its.end());
    }
    return all;
}

} // namespace

described_call describe(const job& what, const buffers& where) {
    described_call described;
    runtime_call& c = described.call;
    c = {what.what, what.type, what.op, what.count, where.input, where.output, what.root, what.algorithm.algorithm};
    if (what.in_place) {
        std::byte* const own = where.output + what.part_begins(what.rank) * size_of(what.type);
        const bool has_part = what.sharded() && (!has_root(what.what) || what.rank == what.root);
        c.input = has_part && gathers(what.what) ? own : where.output;
        if (has_part && !gathers(what.what) && what.what != operation::alltoall) c.output = own;
    }
    if (what.uneven) {
        c.count = what.part(what.rank);
        for (int rank = 0; rank < what.ranks; ++rank)
            described.counts.push_back(what.what == operation::alltoall ? what.block(what.rank, rank)
                                                                        : what.part(rank));
    }
    visit_type(what.type, [&]<class T>(std::type_identity<T>) {
        const auto x = factor_of<T>(what.op, what.rank);
        std::memcpy(described.factor.data(), &x, sizeof x);
    });
    return described;
}

call bind(const any_communicator& world, const job& what, const buffers& where) {
    if (what.barrier) return [world] { world.barrier(); };
    return [world, c = describe(what, where)]() mutable { issue(world, c.ready()); };
}

binder collective_binder_of(any_communicator world) {
    return [world](const job& what, const buffers& where) { return bind(world, what, where); };
}
binder binder_of(any_communicator world) {
    return [world](const job& what, const buffers& where) {
        return what.messages ? bind_exchange(world, what, where) : bind(world, what, where);
    };
}

start_binder collective_starter_of(any_communicator world) {
    return [world](const job& what, const buffers& where) -> starter {
        if (what.barrier) return [world] { return keep(world.async().barrier()); };
        return [world, c = describe(what, where)]() mutable { return keep(issue(world.async(), c.ready())); };
    };
}

start_binder starter_of(any_communicator world) {
    return [world, collectives = collective_starter_of(world)](const job& what, const buffers& where) -> starter {
        if (!what.messages) return collectives(what, where);
        if (*what.messages != exchange::sendrecv)
            throw std::invalid_argument("of messages, --overlap measures sendrecv alone");
        const std::span<const std::byte> out(where.input, what.bytes());
        const std::span<std::byte> in(where.output, what.bytes());
        const int next = (what.rank + 1) % what.ranks, before = (what.rank + what.ranks - 1) % what.ranks;
        return [=] {
            auto sent = world.async().send(out, next);
            return keep(std::move(sent), world.async().receive(in, before));
        };
    };
}

recorder recorder_of(any_communicator world) {
    return [world](const call& once, std::size_t most_steps, moment origin) -> std::optional<activities> {
        auto recording = world.record(most_steps, origin);
        once();
        const trace mine = recording.stop();
        std::array<std::uint64_t, 1> missed{mine.missed_calls};
        world.allreduce(missed, maximum);
        if (missed[0] > 0) return {};
        return gather(world, mine.activities);
    };
}

any_communicator make_world(transport::any fabric, const bench_settings& settings) {
    const progress by = settings.by_waiters ? progress::by_waiters : progress::in_calls;
    if (settings.machine) return {std::move(fabric), *settings.machine, by};
    return any_communicator{std::move(fabric), by};
}

allocator allocator_of(any_communicator world, const bench_settings& settings) {
    if (settings.memory != memory_kind::symmetric) return host_allocator_of(settings);
    return [world](std::size_t bytes) { return world.allocate<std::byte>(bytes); };
}

} // namespace tutti::tools
