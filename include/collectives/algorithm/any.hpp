// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../schedule/placement.hpp"
#include "emit.hpp"
#include "registry.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::algorithm {

/// Equal on all ranks that mean the same algorithm with the same parameters, in every build.
template <algorithm A>
[[nodiscard]] constexpr std::uint64_t id_of(const A& a) noexcept {
    std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
    const auto add = [&h](std::uint64_t x) { h = (h ^ x) * 0x100000001b3; };
    for (const char c : std::string_view(A::name)) add(static_cast<unsigned char>(c));
    if constexpr (requires { a.parameter(); }) add(static_cast<std::uint64_t>(a.parameter()) + 256);
    return h;
}

struct levels;
class any;

namespace detail {
/// The proof of an algorithm that is not of the library. Complete in prove.hpp alone: other programs need no prover.
template <class A>
struct proof_of;
/// The proofs that an operator needs which is not commutative. Complete in preserves_order.hpp alone.
template <class Op>
struct order_proofs;
template <class Op>
concept has_order_proofs = requires { sizeof(order_proofs<Op>); };

template <class A>
concept has_proof = is_of_library<A> || requires { sizeof(proof_of<A>); };
} // namespace detail

/// Any algorithm with its type forgotten: for choices at run time, and for the engine's plans. A value;
/// copying it allocates nothing. A hierarchy may be *placed*: its schedules are then those of a placement's ranks.
class any {
public:
    static constexpr std::size_t most_bytes = 16; ///< of an algorithm

    /// An algorithm, which is copied.
    template <class A>
        requires(!std::same_as<A, any> && algorithm<A>)
    any(const A& a) noexcept : table_(&table_of<A>), id_(known_id(a)) { // NOLINT: converts from every algorithm
        static_assert(sizeof(A) <= most_bytes && alignof(A) <= alignof(void*) && std::is_trivially_copyable_v<A>,
                      "an algorithm is a small value: at most 16 bytes, trivially copyable");
        static_assert(
            std::is_empty_v<A> || requires { a.parameter(); },
            "tutti: an algorithm with data members needs parameter(), which tells its values apart");
        ::new (storage_) A(a);
    }

    /// The same algorithm with the same parameters.
    friend bool operator==(const any& a, const any& b) noexcept { return a.id_ == b.id_ && a.table_ == b.table_; }

    /// Its name: on the command line, in errors and in reports.
    [[nodiscard]] std::string_view name() const noexcept { return table_->name; }
    /// Equal on all ranks that mean the same algorithm with the same parameters: see id_of().
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    /// Tells types apart within one program, where two may have the same name.
    [[nodiscard]] const void* type() const noexcept { return table_; }
    /// The algorithm itself if it is an A, else null.
    template <algorithm A>
    [[nodiscard]] const A* target() const noexcept {
        return table_ == &table_of<A> && !placed_ ? &as<A>(storage_) : nullptr;
    }
    /// It has a schedule for the operation.
    [[nodiscard]] bool offers(operation o) const noexcept {
        return table_->offers(o) && !(placed_ && schedule::is_scan(o)); // which depends on the order of ranks
    }
    /// It has schedules for so many ranks. Where it has none, nothing but its name and its traits may be asked for.
    [[nodiscard]] bool runs_on(int size) const noexcept { return table_->runs_on(storage_, size); }
    /// The numbers of ranks that it is for, the first eight of them: "1, 2, 4, 8, 16, 32, 64, 128, ... ranks".
    [[nodiscard]] std::string sizes() const;
    /// Throws tutti::error(invalid_argument) that names the sizes it is for if these ranks are none.
    void require_runs_on(operation o, int size) const;
    /// The same, and, where the algorithm is not of the library, unless a proof finds its results right. Cost: of the
    /// library's, none; of others that of a proof, once in a process for operation, ranks, root and whether it is cut.
    /// Schedules of more than a million steps are believed.
    void require_usable(operation o, int size, int root = 0, int segments = 1) const {
        require_runs_on(o, size);
        if (table_->prove) table_->prove(*this, o, size, root, segments);
    }
    /// Into how many chunks it cuts the data.
    [[nodiscard]] int chunks(operation o, int size) const noexcept {
        room here;
        return level_in(here).chunks(o, size);
    }
    /// Rounds are counted rank by rank. So they depend on the order of ranks, and of a placement there is a bound.
    [[nodiscard]] cost stated(operation o, int size) const noexcept {
        room here;
        cost c = level_in(here).stated(o, size);
        if (placed_) c = {c.depth, 2 * c.rounds, c.sent, c.received, c.fan_in, true};
        return c;
    }

    // Its traits: see algorithm.hpp.
    /// How it works, in a sentence.
    [[nodiscard]] std::string_view idea() const noexcept { return table_->idea; }
    /// What it is good for: a clause that follows "since", "and" or a colon.
    [[nodiscard]] std::string_view virtue() const noexcept { return table_->virtue; }
    /// Into how many segments its chunks are cut at most, where that saves time.
    [[nodiscard]] int most_segments() const noexcept { return table_->most_segments; }
    /// Rank r's messages are rank 0's, with ranks and chunks shifted by r.
    [[nodiscard]] bool rotates() const noexcept { return table_->rotates && !placed_; }
    /// All of rank r's steps are rank 0's, shifted.
    [[nodiscard]] bool steps_rotate(operation o) const noexcept {
        return !placed_ && (table_->steps_rotate >> static_cast<unsigned>(o) & 1) != 0;
    }
    /// Every rank sends, reduces and stores as much as any other.
    [[nodiscard]] bool alike(int size) const noexcept { return table_->alike(storage_, size); }
    /// Its scratch has a bank for each rank.
    [[nodiscard]] bool has_bank_for_each_rank() const noexcept { return table_->has_bank_for_each_rank; }
    /// It is a hierarchy.
    [[nodiscard]] bool has_levels() const noexcept { return table_->levels_of != nullptr; }
    /// Precondition: has_levels().
    [[nodiscard]] algorithm::levels levels() const;
    /// The same with so many ranks a node; itself where it knows no nodes, or their width is not to be chosen.
    [[nodiscard]] any with_ranks_per_node(int ranks) const;
    /// The same for ranks that lie so, which are then as many as there are in every call; itself where it knows no
    /// nodes, or their width is not to be chosen. Over nodes of different sizes it is its member `over`. Without one it
    /// keeps its own way with a smaller last node, and takes other nodes of different sizes for a single one. The id
    /// tells placements apart.
    [[nodiscard]] any on(std::shared_ptr<const schedule::placement> where) const;
    /// Null where it is not placed.
    [[nodiscard]] const schedule::placement* placed() const noexcept { return placed_.get(); }

    /// Appends the steps of one rank, each cut into `segments`. `parts`, if given, learns whose they are.
    void walk(operation o, const position& p, int segments, std::vector<step>& steps,
              std::vector<schedule::part>* parts = nullptr) const {
        if (placed_) [[unlikely]]
            return walk_placed(o, p, segments, steps, parts);
        walk_unplaced(o, p, segments, steps, parts);
    }

    /// All ranks' steps.
    [[nodiscard]] schedule::program write(operation o, int size, int root = 0, bool in_place = false,
                                          int segments = 1) const;

    /// Whether every result has its operands in rank order, in place or not, on whatever ranks: found by proving both,
    /// so that all ranks find the same, though they differ in it. Costs three proofs. Needs preserves_order.hpp.
    [[nodiscard]] bool preserves_order(operation o, int size, int root) const;

private:
    struct table {
        std::string_view name, idea, virtue;
        int most_segments;
        bool rotates, has_bank_for_each_rank;
        unsigned steps_rotate; ///< a bit for each operation
        bool (*offers)(operation) noexcept;
        const detail::level& (*level_in)(const void*, void*) noexcept; ///< made at the second place
        bool (*alike)(const void*, int) noexcept;
        bool (*runs_on)(const void*, int) noexcept;
        void (*prove)(const any&, operation, int, int, int);  ///< null for those of the library
        algorithm::levels (*levels_of)(const void*);          ///< null where it knows no nodes
        any (*with_ranks_per_node)(const void*, int);         ///< null where there is nothing to choose
        any (*over)(const void*, const schedule::placement&); ///< null where nodes must have equal sizes
    };

    /// Where an algorithm with its type forgotten is made, for a call of it.
    struct room {
        alignas(void*) std::byte bytes[2 * sizeof(void*)];
    };
    [[nodiscard]] const detail::level& level_in(room& here) const noexcept {
        return table_->level_in(storage_, here.bytes);
    }

    void walk_unplaced(operation o, const position& p, int segments, std::vector<step>& steps,
                       std::vector<schedule::part>* parts) const;
    void walk_placed(operation o, const position& p, int segments, std::vector<step>& steps,
                     std::vector<schedule::part>* parts) const;

    template <class A>
    static constexpr unsigned rotating_operations() noexcept {
        unsigned bits = 0;
        for (const operation o : schedule::operations)
            if (algorithm::steps_rotate<A>(o)) bits |= 1U << static_cast<unsigned>(o);
        return bits;
    }
    template <class A>
    static constexpr auto proof_if_foreign() noexcept -> void (*)(const any&, operation, int, int, int);
    template <class A>
    static constexpr auto levels_if_any() noexcept -> algorithm::levels (*)(const void*);
    template <class A>
    static constexpr auto width_if_any() noexcept -> any (*)(const void*, int);
    template <class A>
    static constexpr auto over_if_any() noexcept -> any (*)(const void*, const schedule::placement&);

    template <class A>
    static const A& as(const void* a) noexcept {
        return *static_cast<const A*>(a);
    }

    /// Without members every value has the same, and nothing is left to do at run time.
    template <class A>
    static constexpr std::uint64_t known_id(const A& a) noexcept {
        if constexpr (std::is_empty_v<A>) {
            constexpr std::uint64_t id = id_of(A{});
            return id;
        } else {
            return id_of(a);
        }
    }

    template <class A>
    static const table table_of;

    const table* table_;
    std::uint64_t id_;
    alignas(void*) std::byte storage_[most_bytes]{};
    std::shared_ptr<const schedule::placement> placed_; ///< null mostly
};

/// Of an algorithm that knows nodes.
struct levels {
    int ranks_per_node; ///< so many consecutive ranks are a node
    /// What runs in nodes, and what runs between them.
    /// @{
    any local, global;
    /// @}
};

inline levels any::levels() const { return table_->levels_of(storage_); }
inline any any::with_ranks_per_node(int ranks) const {
    return table_->with_ranks_per_node ? table_->with_ranks_per_node(storage_, ranks) : *this;
}

template <class A>
constexpr auto any::proof_if_foreign() noexcept -> void (*)(const any&, operation, int, int, int) {
    static_assert(
        detail::has_proof<A>,
        "tutti: an algorithm of your own needs #include <tutti/collectives/algorithm/prove.hpp>, which proves it "
        "before a call uses it");
    if constexpr (detail::is_of_library<A> || !detail::has_proof<A>)
        return nullptr;
    else
        return detail::proof_of<A>::require;
}

template <class A>
constexpr auto any::levels_if_any() noexcept -> algorithm::levels (*)(const void*) {
    if constexpr (hierarchy<A>)
        return [](const void* a) {
            return algorithm::levels{as<A>(a).ranks_per_node, as<A>(a).local, as<A>(a).global};
        };
    else
        return nullptr;
}

template <class A>
constexpr auto any::width_if_any() noexcept -> any (*)(const void*, int) {
    if constexpr (hierarchy<A> && requires(A a) { a.ranks_per_node = 1; })
        return [](const void* a, int ranks) {
            A other = as<A>(a);
            other.ranks_per_node = ranks;
            return any(other);
        };
    else
        return nullptr;
}

template <class A>
constexpr auto any::over_if_any() noexcept -> any (*)(const void*, const schedule::placement&) {
    if constexpr (requires(const A& a, const schedule::placement& w) { a.over(w); }) {
        if constexpr (sizeof(std::declval<const A&>().over(std::declval<const schedule::placement&>())) <= most_bytes)
            return [](const void* a, const schedule::placement& where) { return any(as<A>(a).over(where)); };
        else
            return nullptr;
    } else {
        return nullptr;
    }
}

/// Compiled where an algorithm is named, or once for those of the library: see all.hpp.
template <class A>
constinit const any::table any::table_of{
    A::name,
    idea_of<A>(),
    virtue_of<A>(),
    most_segments_of<A>(),
    algorithm::rotates<A>(),
    algorithm::has_bank_for_each_rank<A>(),
    rotating_operations<A>(),
    [](operation o) noexcept { return algorithm::offers<A>(o); },
    [](const void* a, void* where) noexcept -> const detail::level& {
        static_assert(sizeof(detail::level_of<A>) <= sizeof(room));
        return *::new (where) detail::level_of(as<A>(a));
    },
    [](const void* a, int size) noexcept { return algorithm::alike(as<A>(a), size); },
    [](const void* a, int size) noexcept { return algorithm::runs_on(as<A>(a), size); },
    proof_if_foreign<A>(),
    levels_if_any<A>(),
    width_if_any<A>(),
    over_if_any<A>(),
};

} // namespace tutti::algorithm

#if !defined(TUTTI_COMPILED)
#include "any.ipp"
#endif
