// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "prove.hpp"

#include "../../base/error.hpp"
#include "../schedule/verify_modes.hpp"
#include "any.ipp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

namespace tutti::algorithm {

TUTTI_INLINE std::string verdict::message() const {
    if (proven) return "proven";
    const schedule::finding& f = proof.fault;
    std::string text{schedule::name_of(what)};
    text.append("(").append(name).append(") on ").append(std::to_string(size)).append(size == 1 ? " rank" : " ranks");
    if (schedule::has_root(what)) text.append(", root ").append(std::to_string(root));
    if (segments > 1) text.append(", ").append(std::to_string(segments)).append(" segments");
    const bool of_both = f.mixed || f.what == schedule::flaw::modes_differ || f.what == schedule::flaw::bad_program;
    if (!of_both) text.append(f.in_place ? ", in place" : ", out of place");
    return text.append(": ").append(proof.message());
}

namespace detail {

/// The chunk that has the number of this one when ranks are counted from rank `by`. In an alltoall both ranks of a
/// block are.
[[nodiscard]] TUTTI_INLINE int chunk_shifted_back(int chunk, int by, const schedule::program& p) {
    const int shards = p.chunks % p.size == 0 ? p.chunks / p.size * by : 0;
    const int shifted = (chunk + p.chunks - shards) % p.chunks;
    if (p.what != operation::alltoall) return shifted;
    const int row = p.chunks / p.size, block = row / p.size;
    return shifted / row * row + (shifted % row + row - block * by) % row;
}

/// A step of rank `by` as it would be of rank 0, if all ranks and chunks were counted from there.
[[nodiscard]] TUTTI_INLINE step shifted_back(step s, int by, const schedule::program& p) {
    if (communicates(s)) s.peer = (s.peer + p.size - by) % p.size;
    for (place* x : {&s.from, &s.to})
        if (x->count > 0) x->first = chunk_shifted_back(x->first, by, p);
    return s;
}

/// The first step that is not rank 0's, shifted: of all steps, or of the messages alone.
[[nodiscard]] TUTTI_INLINE schedule::finding broken_rotation(const schedule::program& p, bool of_all_steps) {
    const auto message = [](const step& s) {
        const place x = s.what == schedule::action::receive ? s.to : s.from;
        return std::tuple(s.what, s.peer, x.first, x.count, s.joined);
    };
    const auto counts = [&](const step& s) { return of_all_steps || communicates(s); };
    const std::vector<step>& zero = p.ranks.front();
    for (int rank = 1; rank < p.size; ++rank) {
        const std::vector<step>& steps = p.ranks[static_cast<std::size_t>(rank)];
        auto other = std::find_if(zero.begin(), zero.end(), counts);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!counts(steps[i])) continue;
            const step s = shifted_back(steps[i], rank, p);
            if (other == zero.end() || (of_all_steps ? !(s == *other) : message(s) != message(*other)))
                return schedule::detail::told({schedule::flaw::does_not_rotate, rank, static_cast<int>(i)}, p, p);
            other = std::find_if(other + 1, zero.end(), counts);
        }
        if (other != zero.end()) return {schedule::flaw::does_not_rotate, rank};
    }
    return {};
}

} // namespace detail

TUTTI_INLINE verdict prove_call(const any& a, operation what, int size, int root, const scope& of) {
    a.require_runs_on(what, size);
    const cost stated = a.stated(what, size);
    verdict v{false, {}, 1, a.name(), what, size, root, of.segments};
    const schedule::program apart = a.write(what, size, root, false, of.segments),
                            in_place = a.write(what, size, root, true, of.segments);
    v.proof = schedule::verify_modes(apart, in_place, of.stated_cost && of.segments == 1 ? &stated : nullptr,
                                     of.same_bits ? schedule::bits::equal : schedule::bits::may_differ);
    const bool steps_too = a.steps_rotate(what);
    for (const schedule::program* p : {&apart, &in_place})
        if (v.proof.proven && (a.rotates() || steps_too) && of.segments == 1) {
            v.proof.fault = detail::broken_rotation(*p, steps_too);
            v.proof.proven = v.proof.fault.what == schedule::flaw::none;
        }
    v.proven = v.proof.proven;
    return v;
}

TUTTI_INLINE verdict prove(const any& a, const scope& of) {
    if (of.ranks.first < 1 || of.ranks.last < of.ranks.first || of.segments < 1)
        reject("proof of " + std::string(a.name()), "there is nothing to prove",
               "name one rank at least, and one segment");
    verdict last;
    scope left = of;
    std::optional<verdict> wrong_cost; // told only where nothing worse is found
    long calls = 0;
    for (int size = of.ranks.first; size <= of.ranks.last; ++size) {
        if (!a.runs_on(size)) continue;
        for (const operation what : schedule::operations)
            for (int root = 0; a.offers(what) && root < (schedule::has_root(what) ? size : 1); ++root) {
                last = prove_call(a, what, size, root, left);
                last.calls = ++calls;
                if (last.proven) continue;
                if (last.proof.fault.what != schedule::flaw::other_cost) return last;
                wrong_cost = last;
                left.stated_cost = false;
            }
    }
    if (calls == 0)
        reject("proof of " + std::string(a.name()), "it is for none of these numbers of ranks, but " + a.sizes());
    return wrong_cost.value_or(last);
}

namespace detail {

/// More steps than that take seconds to prove, and hundreds of megabytes: those of a ring of 512 ranks.
inline constexpr std::size_t most_proven_steps = std::size_t{1} << 20;

[[nodiscard]] TUTTI_INLINE bool takes_long_to_prove(const any& a, operation what, int size, int root, int segments) {
    std::size_t count = 0;
    std::vector<step> steps;
    for (int rank = 0; rank < size && count <= most_proven_steps; ++rank) {
        steps.clear();
        a.walk(what, {rank, size, root}, segments, steps);
        count += steps.size();
    }
    return count > most_proven_steps;
}

[[nodiscard]] TUTTI_INLINE std::string flaw_of_call(const any& a, operation what, int size, int root, int segments) {
    if (takes_long_to_prove(a, what, size, root, segments)) return {};
    const verdict found =
        prove_call(a, what, size, root, {.same_bits = false, .stated_cost = false, .segments = segments});
    return found.proven ? std::string() : found.message();
}

/// What proofs have found: nothing, or the flaw.
struct known_proofs {
    using call = std::tuple<const void*, std::uint64_t, operation, int, int, int>;
    std::mutex mutex; ///< guards the rest, also while one proves: ranks that are threads prove once
    std::map<call, std::string> flaws;
};

TUTTI_INLINE void require_proof(const any& a, operation what, int size, int root, int segments) {
    static known_proofs known;
    constexpr std::size_t most = 1024;
    const int cut = std::min(segments, 2); // what is right in two is right in more
    const std::lock_guard lock(known.mutex);
    const known_proofs::call call{a.type(), a.id(), what, size, root, cut};
    auto at = known.flaws.find(call);
    if (at == known.flaws.end()) {
        if (known.flaws.size() == most) known.flaws.clear();
        at = known.flaws.emplace(call, flaw_of_call(a, what, size, root, cut)).first;
    }
    if (!at->second.empty())
        reject(std::string(schedule::name_of(what)), "the schedule is not proven: " + at->second,
               "mend it, or say in its runs_on(size) which numbers of ranks it is for");
}

} // namespace detail

} // namespace tutti::algorithm
