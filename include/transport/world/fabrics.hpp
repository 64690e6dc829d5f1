// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/fabric.hpp"
#include "../sockets/errors.hpp"
#include "world.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::transport::detail {

/// The user's options of a fabric, if they are valid. Throws tutti::error (invalid_argument).
template <class D>
const typename D::limits& checked(const typename D::limits& how) {
    if constexpr (requires { D::fabric::checked(how); }) D::fabric::checked(how);
    return how;
}

/// A fabric that has a way to sleep of its own where it is the only one.
template <class F>
concept sleeping_fabric = requires(F f, clock::time_point until) {
    { f.ask() } -> std::same_as<bool>;
    { f.sleep(until) } -> std::same_as<void>;
    { f.wake() } -> std::same_as<void>;
    { f.raise_alarm() } -> std::same_as<void>;
};

/// A fabric that can tell why it does not reach a rank.
template <class F>
concept explains_reach = requires(const fabric_end& e) {
    { F::why_not(e, e) } -> std::same_as<std::string>;
};

/// The fabrics of a world, and which of them reaches which peer.
template <class... Described>
class fabric_tuple {
    static constexpr std::size_t count = sizeof...(Described);
    template <std::size_t I>
    using end = typename std::tuple_element_t<I, std::tuple<Described...>>::channel;

public:
    template <class... Limits>
    explicit fabric_tuple(const Limits&... how) : all_(how...) {}

    [[nodiscard]] auto& first() noexcept { return std::get<0>(all_); }

    /// Calls `use(fabric)` for each, in order.
    template <class Use>
    void each(Use&& use) {
        std::apply([&](auto&... f) { (use(f), ...); }, all_);
    }
    /// What peers lack that are not gone, each by its fabric.
    [[nodiscard]] std::vector<untaken> untaken_of(const std::vector<std::uint8_t>& ways,
                                                  const std::vector<bool>& gone) {
        std::vector<untaken> all;
        for (std::size_t r = 0; r < gone.size(); ++r) {
            const int peer = static_cast<int>(r);
            const std::size_t bytes = gone[r] ? 0 : at(ways[r], [&](auto& f) { return f.untaken(peer); });
            if (bytes > 0) all.push_back({peer, bytes});
        }
        return all;
    }
    /// Before a sleep, until disarm(). True: one has something to do after all. `until` becomes the first time at which
    /// one wants progress, if that is before.
    [[nodiscard]] bool arm(clock::time_point& until) {
        bool ready = false;
        each([&](auto& f) {
            ready = f.arm() || ready;
            until = std::min(until, f.due());
        });
        return ready;
    }
    void disarm() noexcept {
        each([](auto& f) { f.disarm(); });
    }
    /// Tells all peers which rank this one's calls fail by, or no longer do. The coordinator may be what has failed.
    void blame(const culprit& by) {
        each([&](auto& f) {
            if constexpr (requires { f.blame(by); }) try {
                    f.blame(by);
                } catch (const std::exception&) { // it can send no more, and its end tells as much
                }
        });
    }
    /// Returns `use(fabric)` of the one of that number.
    template <std::size_t I = 0, class Use>
    auto at(std::size_t number, Use&& use) {
        if constexpr (I + 1 < count)
            if (number != I) return at<I + 1>(number, use);
        return use(std::get<I>(all_));
    }
    /// Returns `use(fabric, its end)` of a channel.
    template <class Channel, class Use>
    auto on(Channel& c, Use&& use) {
        if constexpr (count == 1)
            return use(first(), c);
        else
            return on<0>(c, use);
    }

    [[nodiscard]] std::vector<bootstrap::fabric_card> cards() {
        std::vector<bootstrap::fabric_card> all;
        std::apply([&](const auto&... f) { (all.push_back({Described::name, f.card()}), ...); }, all_);
        return all;
    }

    /// By rank, the number of the first fabric that reaches it. Throws a bootstrap error that names a rank which has
    /// other fabrics or is reached by none.
    [[nodiscard]] std::vector<std::uint8_t> ways(int rank, const bootstrap::world_table& table) const {
        const auto& self = table.members[static_cast<std::size_t>(rank)];
        std::vector<std::uint8_t> all;
        for (const bootstrap::member& m : table.members) {
            if (!has_these(m))
                bootstrap::bootstrap_failed("rank " + std::to_string(m.rank) + " uses " + names_of(m) + ", this one " +
                                                names_of(self),
                                            "give all ranks one transport", m.rank);
            const auto way = m.rank == rank ? std::size_t{0} : way_between<0>(self, m);
            if (way == count) refuse(self, m);
            all.push_back(static_cast<std::uint8_t>(way));
        }
        return all;
    }

    /// Why the first `end` do not reach from this rank `a` to `b`: "; ..." of each that explains itself.
    [[nodiscard]] static std::string why_not(const bootstrap::member& a, const bootstrap::member& b, std::size_t end) {
        std::string all;
        const auto add = [&]<class D>(std::size_t i) {
            if constexpr (explains_reach<typename D::fabric>) {
                if (i >= end) return;
                const auto why = D::fabric::why_not({a, a.cards[i].bytes}, {b, b.cards[i].bytes});
                if (!why.empty()) all += "; " + why;
            }
        };
        std::size_t number = 0;
        (add.template operator()<Described>(number++), ...);
        return all;
    }

private:
    /// None leads from this rank to that one. Of a host, the first reason says which of the two lacks something.
    TUTTI_COLD [[noreturn]] static void refuse(const bootstrap::member& self, const bootstrap::member& m) {
        const bool is_near = m.host_id == self.host_id;
        const std::string why = why_not(self, m, count);
        bootstrap::bootstrap_failed(
            "rank " + std::to_string(m.rank) + " runs on " + m.host +
                (is_near ? ", as this one does: " : ", this one on " + self.host + ": ") + names_of(self) +
                (is_near ? " does not join them" : " does not reach that far") + why,
            std::string("use transport::routed or tcp") + (is_near ? "" : ", or one TUTTI_HOST where it is one host"),
            is_near && why.starts_with("; this rank ") ? self.rank : m.rank);
    }

    template <std::size_t I, class Use>
    auto on(routed_channel& c, Use& use) {
        if constexpr (I + 1 < count)
            if (c.fabric != I) return on<I + 1>(c, use);
        return use(std::get<I>(all_), *static_cast<end<I>*>(c.end));
    }

    template <std::size_t I>
    [[nodiscard]] std::size_t way_between(const bootstrap::member& a, const bootstrap::member& b) const {
        if constexpr (I == count) {
            return count;
        } else {
            using described = std::tuple_element_t<I, std::tuple<Described...>>;
            const bool reaches = described::fabric::reaches({a, a.cards[I].bytes}, {b, b.cards[I].bytes});
            return reaches ? I : way_between<I + 1>(a, b);
        }
    }

    [[nodiscard]] static bool has_these(const bootstrap::member& m) {
        std::size_t i = 0;
        return m.cards.size() == count && ((m.cards[i++].fabric == Described::name) && ...);
    }
    TUTTI_COLD [[nodiscard]] static std::string names_of(const bootstrap::member& m) {
        std::string all;
        for (const bootstrap::fabric_card& c : m.cards) all += (all.empty() ? "" : ", then ") + c.fabric;
        return all.empty() ? "no fabric" : all;
    }

    std::tuple<typename Described::fabric...> all_;
};

} // namespace tutti::transport::detail
