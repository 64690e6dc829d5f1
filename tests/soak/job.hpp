// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithms.hpp"
#include "buffers.hpp"
#include "draw_calls.hpp"
#include "flavours.hpp"

#include <collectives/any_communicator.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::soak {

/// One call of a plan on one rank: its buffers, the call itself, and whether its result is right.
class job {
public:
    virtual ~job() = default;
    /// Blocking calls are over when this returns, others give their request.
    virtual std::optional<request<transport::any>> start() = 0;
    /// What is wrong with the result; empty if it is right. Only when the call is over.
    [[nodiscard]] virtual std::string flaw() const = 0;
};

/// `number` tells the data of this call from those of others, on all ranks alike.
template <class Elements>
class typed_job final : public job {
public:
    using T = typename Elements::type;
    using world = any_communicator;

    typed_job(const world& on, const call& c, std::uint64_t number, std::vector<int> members)
        : on_(on), call_(c), number_(number), members_(std::move(members)), me_(on.world_rank(on.rank())),
          root_(c.root % on.size()), in_place_(holds(c.in_place, me_)) {
        make_buffers();
    }

    std::optional<request<transport::any>> start() override {
        ++round_;
        fill();
        if (call_.what == operation::barrier)
            on_.barrier();
        else if (call_.algorithm >= 0 && may_name())
            begin(named(call_));
        else
            begin(detail::automatic{});
        std::optional<request<transport::any>> mine = std::move(request_);
        request_.reset();
        return mine;
    }

    [[nodiscard]] std::string flaw() const override {
        if (!first_.margins_are_well() || !second_.margins_are_well()) return "bytes beside the buffers were written";
        const auto result = has_result() ? out_ : std::span<T>{};
        for (std::size_t i = 0; i < result.size(); ++i)
            if (result[i] != expected(i)) return "element " + std::to_string(i) + " of the result is wrong";
        if (in_place_ && has_result()) return {};
        const auto mine = data_of(me_);
        for (std::size_t i = 0; i < in_.size(); ++i)
            if (in_[i] != mine[i]) return "element " + std::to_string(i) + " of the input was changed";
        if (call_.what != operation::barrier && !has_result() && !in_place_ && !first_or_second().untouched(out_))
            return "the output was written where there is no result";
        return {};
    }

private:
    static constexpr bool commutes = is_commutative_v<std::remove_cv_t<decltype(Elements::op)>>;

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(on_.size()); }
    [[nodiscard]] bool has_result() const noexcept {
        switch (call_.what) {
        case operation::barrier: return false;
        case operation::reduce:
        case operation::gather: return on_.rank() == root_;
        case operation::exscan: return on_.rank() > 0;
        default: return true;
        }
    }
    /// The buffer that the output is in, where the call is not in place.
    [[nodiscard]] const guarded<T>& first_or_second() const noexcept { return gathers(call_.what) ? first_ : second_; }
    /// An operator that is not commutative needs an algorithm that keeps rank order.
    [[nodiscard]] bool may_name() const {
        if (commutes || !reduces(call_.what)) return true;
        return named(call_).preserves_order(scheduled(call_.what), on_.size(), root_);
    }

    /// Each run of a prepared call has other data.
    [[nodiscard]] series<Elements> data_of(int world_rank) const noexcept {
        return {number_ * 4 + static_cast<std::uint64_t>(round_), world_rank};
    }
    [[nodiscard]] series<Elements> data_of_member(std::size_t rank) const noexcept { return data_of(members_[rank]); }

    /// The larger buffer first, and the smaller one within it where the call is in place.
    void make_buffers() {
        const std::size_t n = call_.what == operation::barrier ? 0 : call_.count;
        const std::size_t larger = has_parts(call_.what) ? n * size() : n;
        const bool symmetric = holds(call_.symmetric, me_);
        first_.make(on_, larger, symmetric, call_.whole_object && symmetric);
        const bool exchanges = call_.what == operation::alltoall; // both are the larger one
        const std::size_t smaller = exchanges ? larger : n;
        second_.make(on_, in_place_ ? 0 : smaller, symmetric, call_.whole_object && symmetric);
        const auto part = first_.range().subspan(smaller < larger ? n * static_cast<std::size_t>(on_.rank()) : 0);
        const auto other = in_place_ ? part.first(smaller) : second_.range();
        const bool collects = gathers(call_.what);
        in_ = collects ? other : first_.range();
        out_ = collects || call_.what == operation::broadcast ? first_.range() : other;
        if (call_.what == operation::broadcast && on_.rank() != root_) in_ = {};
    }
    void fill() {
        const auto mine = data_of(me_);
        for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = mine[i];
    }

    /// Element i of this rank's result, from all ranks' data in rank order.
    [[nodiscard]] T expected(std::size_t i) const {
        const auto rank = static_cast<std::size_t>(on_.rank());
        if (call_.what == operation::exchange)
            return data_of_member((rank + size() - static_cast<std::size_t>(distance())) % size())[i];
        if (call_.what == operation::broadcast) return data_of_member(static_cast<std::size_t>(root_))[i];
        if (call_.what == operation::scatter)
            return data_of_member(static_cast<std::size_t>(root_))[i + call_.count * rank];
        if (gathers(call_.what)) return data_of_member(i / call_.count)[i % call_.count];
        if (call_.what == operation::alltoall)
            return data_of_member(i / call_.count)[i % call_.count + call_.count * rank];
        if (call_.what == operation::reduce_scatter) i += call_.count * rank;
        const std::size_t operands = call_.what == operation::scan     ? rank + 1
                                     : call_.what == operation::exscan ? rank
                                                                       : members_.size();
        T sum = data_of_member(0)[i];
        for (std::size_t m = 1; m < operands; ++m) sum = static_cast<T>(Elements::op(sum, data_of_member(m)[i]));
        return sum;
    }

    template <class How>
    void begin(const How& how) {
        const auto& op = Elements::op;
        switch (call_.what) {
        case operation::allreduce:
            if constexpr (std::is_same_v<How, detail::automatic>)
                if (call_.whole_object && holds(call_.symmetric, me_)) return begin_whole();
            return drive([&] { on_.allreduce(in_, out_, op, how); },
                         [&] { return on_.async().allreduce(in_, out_, op, how); },
                         [&] { return on_.prepare().allreduce(in_, out_, op, how); });
        case operation::reduce_scatter:
            if constexpr (commutes)
                drive([&] { on_.reduce_scatter(in_, out_, op, how); },
                      [&] { return on_.async().reduce_scatter(in_, out_, op, how); },
                      [&] { return on_.prepare().reduce_scatter(in_, out_, op, how); });
            return;
        case operation::reduce:
            return drive([&] { on_.reduce(in_, out_, root_, op, how); },
                         [&] { return on_.async().reduce(in_, out_, root_, op, how); },
                         [&] { return on_.prepare().reduce(in_, out_, root_, op, how); });
        case operation::allgather:
            return drive([&] { on_.allgather(in_, out_, how); }, [&] { return on_.async().allgather(in_, out_, how); },
                         [&] { return on_.prepare().allgather(in_, out_, how); });
        case operation::broadcast:
            return drive([&] { on_.broadcast(out_, root_, how); },
                         [&] { return on_.async().broadcast(out_, root_, how); },
                         [&] { return on_.prepare().broadcast(out_, root_, how); });
        case operation::gather:
            return drive([&] { on_.gather(in_, out_, root_, how); },
                         [&] { return on_.async().gather(in_, out_, root_, how); },
                         [&] { return on_.prepare().gather(in_, out_, root_, how); });
        case operation::scatter:
            return drive([&] { on_.scatter(in_, out_, root_, how); },
                         [&] { return on_.async().scatter(in_, out_, root_, how); },
                         [&] { return on_.prepare().scatter(in_, out_, root_, how); });
        case operation::scan:
            return drive([&] { on_.scan(in_, out_, op, how); }, [&] { return on_.async().scan(in_, out_, op, how); },
                         [&] { return on_.prepare().scan(in_, out_, op, how); });
        case operation::exscan:
            return drive([&] { on_.exscan(in_, out_, op, how); },
                         [&] { return on_.async().exscan(in_, out_, op, how); },
                         [&] { return on_.prepare().exscan(in_, out_, op, how); });
        case operation::alltoall:
            return drive([&] { on_.alltoall(in_, out_, how); }, [&] { return on_.async().alltoall(in_, out_, how); },
                         [&] { return on_.prepare().alltoall(in_, out_, how); });
        case operation::exchange: return exchange();
        case operation::barrier: return;
        }
    }
    /// To another rank, `distance()` further on, and from the one as far behind.
    void exchange() {
        const int ranks = on_.size(), tag = static_cast<int>(number_ % 5);
        const int to = (on_.rank() + distance()) % ranks, from = (on_.rank() + ranks - distance()) % ranks;
        if (call_.how == mode::blocking) return static_cast<void>(on_.sendrecv(in_, to, out_, from, tag));
        request_.emplace(on_.async().receive(out_, from, tag));
        sending_.emplace(on_.async().send(in_, to, tag));
    }
    [[nodiscard]] int distance() const noexcept {
        return size() < 2 ? 0 : 1 + static_cast<int>(number_ % (size() - 1));
    }
    void begin_whole() {
        if (in_place_) return on_.allreduce(first_.object(), Elements::op);
        on_.allreduce(first_.object(), second_.object(), Elements::op);
    }

    template <class Blocking, class Async, class Prepare>
    void drive(Blocking&& blocking, Async&& async, Prepare&& prepare) {
        if (call_.how == mode::blocking) return blocking();
        if (call_.how == mode::non_blocking) {
            request_.emplace(async());
            return;
        }
        if (!plan_) plan_.emplace(prepare());
        if (call_.repeats > 1) return plan_->run();
        request_.emplace(plan_->start());
    }

    world on_;
    call call_;
    std::uint64_t number_;
    std::vector<int> members_;
    int me_, root_;
    int round_ = -1;
    bool in_place_;
    guarded<T> first_, second_;
    std::span<T> in_, out_;
    std::optional<request<transport::any>> sending_; ///< of an exchange; waited for when the job goes
    std::optional<prepared<transport::any>> plan_;
    std::optional<request<transport::any>> request_;
};

} // namespace tutti::soak
