// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "promise.hpp"
#include "step.hpp"
#include "verify/form.hpp"
#include "verify/memory.hpp"
#include "walk.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::training::pipeline {

/// The result of verify.
struct proof {
    bool proven = false;          ///< there is no fault
    std::string fault;            ///< the first fault in one line, with worker and step; empty when proven
    std::vector<figures> workers; ///< what each holds at most, exactly
    bool one_version = true;      ///< all chunks use the same version for a microbatch
    /// An update adds the gradients of a chunk in the order of their microbatches. So schedules that have this give the
    /// same bits for the same updates.
    bool in_order = true;
};

namespace detail {

/// What all chunks have in common for a microbatch: the weights that it uses, and the update that has its gradients.
class agreement {
public:
    explicit agreement(const shape& of) : all_(static_cast<std::size_t>(of.microbatches)) {}

    /// Takes a worker that has walked its list.
    [[nodiscard]] std::string take(int worker, const std::vector<step>& steps, const memory& m) {
        for (const step& s : steps) {
            if (s.what != action::forward) continue;
            const symbol mine{s.microbatch, s.chunk};
            use& first = all_[static_cast<std::size_t>(s.microbatch)];
            if (first.update == 0) first = {s.version, m.applied(mine)};
            one_version_ = one_version_ && first.version == s.version;
            if (first.update != m.applied(mine))
                return "worker " + std::to_string(worker) + ": the gradient of " + in_words(mine) +
                       " enters the update to version " + std::to_string(m.applied(mine)) +
                       ", and on worker 0 to version " + std::to_string(first.update);
        }
        return {};
    }
    [[nodiscard]] bool one_version() const noexcept { return one_version_; }

private:
    struct use {
        int version = 0, update = 0;
    };
    std::vector<use> all_; ///< by microbatch, on worker 0
    bool one_version_ = true;
};

/// Walks each list by itself. Fills the proof's figures.
[[nodiscard]] inline std::string memory_fault(const program& p, proof& result) {
    agreement all(p.of);
    for (int w = 0; w < p.of.stages; ++w) {
        const auto& steps = p.workers[static_cast<std::size_t>(w)];
        memory m(p.of, steps);
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (const auto fault = m.take(i); !fault.empty()) return in_words(p, w, static_cast<int>(i)) + ": " + fault;
        if (const auto fault = m.left(w); !fault.empty()) return "worker " + std::to_string(w) + ": " + fault;
        if (auto fault = all.take(w, steps, m); !fault.empty()) return fault;
        result.workers.push_back(m.measured());
        result.in_order = result.in_order && m.in_order();
    }
    result.one_version = all.one_version();
    return {};
}

[[nodiscard]] inline std::string progress_fault(const program& p) {
    const auto ends = ends_of(p);
    if (auto fault = unmatched_fault(p, ends); !fault.empty()) return fault;
    const standstill s = walk(p, [](int, int, const needs&) {});
    if (!s.at) return {};
    const message_ends& m = ends[static_cast<std::size_t>(s.message)];
    const position other = m.send.worker == s.at.worker ? m.receive : m.send;
    return in_words(p, s.at.worker, s.at.step) + " never starts: it waits for " + in_words(p, other.worker, other.step);
}

[[nodiscard]] inline std::string broken(const promise& stated, const proof& found) {
    if (stated.workers.size() != found.workers.size()) return "the promise is of another number of workers";
    for (std::size_t w = 0; w < found.workers.size(); ++w) {
        const figures &most = stated.workers[w], &is = found.workers[w];
        const auto told = [&](const char* what, int n, int promised) {
            return "worker " + std::to_string(w) + ": " + what + " " + std::to_string(n) + ", promised at most " +
                   std::to_string(promised);
        };
        if (is.activations > most.activations) return told("activations", is.activations, most.activations);
        if (is.versions > most.versions) return told("versions", is.versions, most.versions);
        if (is.staleness > most.staleness) return told("staleness", is.staleness, most.staleness);
    }
    if (stated.one_version && !found.one_version) return "chunks use different versions for a microbatch";
    return {};
}

} // namespace detail

#pragma push_macro("verify") // of assertions, in some programs
#undef verify
/// Proves a program, or finds its first fault. It runs the lists of all workers on symbols, without buffering:
/// - each microbatch passes every chunk once forwards and once backwards, in order, on the data that are its own;
/// - each message is sent once and received once;
/// - nothing is overwritten that is still needed or still being sent;
/// - all lists come to their ends, even where no send completes before its receive has started. A transport that
///   completes sends earlier makes steps wait for less, so they do with it as well;
/// - backward uses the version of the weights that forward has used, and versions exist when they are used;
/// - each gradient enters one update, the same one for all chunks of a microbatch; updates count up from version 1;
/// - activations, versions and staleness are at most those `stated`, if given, and versions agree if so stated.
/// Cost: linear in steps, times workers at worst.
[[nodiscard]] inline proof verify(const program& p, const promise* stated = nullptr) {
    proof result;
    result.fault = detail::form_fault(p);
    if (result.fault.empty()) result.fault = detail::memory_fault(p, result);
    if (result.fault.empty()) result.fault = detail::progress_fault(p);
    if (result.fault.empty() && stated) result.fault = detail::broken(*stated, result);
    result.proven = result.fault.empty();
    return result;
}
#pragma pop_macro("verify")

} // namespace tutti::training::pipeline
