// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/communicator.hpp"
#include "messages.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::pipeline {

/// What a forward or a backward is about. The caller may keep what it likes of an activation by `slot`, which stays the
/// same from its forward to its backward, and weights by `version` modulo figures::versions.
struct work {
    int microbatch; ///< from 0
    int chunk;      ///< of the model, from 0
    int version;    ///< of the weights to use: how many updates they have seen
    int slot;       ///< from 0 to figures::activations - 1
};

/// Runs a pipeline: rank r of a communicator is worker r. It owns the memory of activations and gradients that pass
/// between chunks, as much as verify() has counted: for each slot an input and an output, and two gradients. Elements
/// are those of the activations.
template <element T, class Communicator>
class runner {
public:
    /// Preconditions on all ranks: the same program; the same `widths`, which tell the elements between chunk b and
    /// chunk b + 1 for each b. Throws invalid_argument if the program is not proven, for another number of workers than
    /// there are ranks, and for another number of widths than pairs of neighbouring chunks. Cost: a proof.
    runner(const Communicator& on, program p, std::vector<std::size_t> widths)
        : on_(on), all_(std::move(p)), widths_(std::move(widths)) {
        const proof found = (verify)(all_);
        if (!found.proven) reject("pipeline", found.fault);
        if (all_.of.stages != on.size())
            reject("pipeline", std::to_string(all_.of.stages) + " workers on " + std::to_string(on.size()) +
                                   (on.size() == 1 ? " rank" : " ranks"));
        if (widths_.size() + 1 != static_cast<std::size_t>(chunks_of(all_.of)))
            reject("pipeline", "there are " + std::to_string(widths_.size()) + " widths, but " +
                                   std::to_string(chunks_of(all_.of) - 1) + " pairs of neighbouring chunks");
        held_ = found.workers[static_cast<std::size_t>(on.rank())];
        slots_.resize(static_cast<std::size_t>(held_.activations));
        make_room();
    }
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    /// What this worker holds.
    [[nodiscard]] const figures& held() const noexcept { return held_; }

    /// Runs this worker's list once. Called on all ranks, as often as liked; updates count from 1 each time. The calls
    /// are made in the order of the list:
    /// - `forward(work, input, output)` fills `output`. The model's first chunk has no input, and its last no output;
    /// - `backward(work, input, output, output_gradient, input_gradient)` fills `input_gradient`, with `input` and
    ///   `output` as forward has left them. The model's last chunk has no output and no gradient of it, and its first
    ///   neither input nor gradient of it. It adds the gradients of its weights to those since the last update;
    /// - `update(version)` makes this version of the weights from the one before, and begins gradients anew.
    /// Gradients enter an update in the order of microbatches if proof::in_order. Spans are valid within their call.
    ///
    /// Errors: as of send() and receive(). The deadline of a message counts from its own start, so it must be longer
    /// than a neighbour computes before its turn. What a function throws goes to the caller once messages under way
    /// have passed or failed: a function calls abort() before it throws, to free all ranks at once. The tags from 0 to
    /// messages_of(shape) - 1 of the communicator are taken. Cost: the messages of the list, each as of async(). They
    /// go on beside computing as far as the transport progresses on its own.
    template <class Forward, class Backward, class Update>
    void run(Forward&& forward, Backward&& backward, Update&& update) {
        pending under_way(slots_.size()); // over before this returns or throws
        for (const step& s : all_.workers[static_cast<std::size_t>(on_.rank())]) {
            const work w{s.microbatch, s.chunk, s.version, s.slot};
            switch (s.what) {
            case action::forward: run_forward(under_way, w, forward); break;
            case action::backward: run_backward(under_way, w, backward); break;
            case action::update: update(s.version); break;
            default: start(under_way, s);
            }
        }
        under_way.finish();
    }

private:
    using request = decltype(std::declval<const Communicator&>().async().send(std::declval<std::span<T>&>(), 0, 0));
    struct activation {
        std::vector<T> input, output;
    };
    /// The last message from or into each piece of memory.
    struct pending {
        explicit pending(std::size_t slot_count) : inputs(slot_count), outputs(slot_count) {}
        static void over(std::optional<request>& r) {
            if (r) r->wait();
            r.reset();
        }
        void finish() {
            for (auto& r : outputs) over(r);
            over(input_gradient);
        }
        std::vector<std::optional<request>> inputs, outputs;
        std::optional<request> input_gradient, output_gradient;
    };

    [[nodiscard]] std::size_t width_before(int chunk) const {
        return chunk == 0 ? 0 : widths_[static_cast<std::size_t>(chunk) - 1];
    }
    [[nodiscard]] std::size_t width_behind(int chunk) const {
        return chunk + 1 == chunks_of(all_.of) ? 0 : widths_[static_cast<std::size_t>(chunk)];
    }
    /// For any of this worker's chunks in any slot.
    void make_room() {
        std::size_t before = 0, behind = 0;
        for (int c = on_.rank(); c < chunks_of(all_.of); c += all_.of.stages) {
            before = std::max(before, width_before(c));
            behind = std::max(behind, width_behind(c));
        }
        for (activation& a : slots_) a.input.resize(before), a.output.resize(behind);
        input_gradient_.resize(before), output_gradient_.resize(behind);
    }
    [[nodiscard]] std::span<T> input(int chunk, int slot) {
        return std::span(slots_[static_cast<std::size_t>(slot)].input).first(width_before(chunk));
    }
    [[nodiscard]] std::span<T> output(int chunk, int slot) {
        return std::span(slots_[static_cast<std::size_t>(slot)].output).first(width_behind(chunk));
    }

    void start(pending& under_way, const step& s) {
        const auto slot = static_cast<std::size_t>(uses_slot(s) ? s.slot : 0);
        const int peer = worker_of(all_.of, other_chunk(s)), tag = message_of(all_.of, s);
        auto from = s.what == action::send_activation ? output(s.chunk, s.slot)
                                                      : std::span(input_gradient_).first(width_before(s.chunk));
        auto to = s.what == action::receive_activation ? input(s.chunk, s.slot)
                                                       : std::span(output_gradient_).first(width_behind(s.chunk));
        // Before memory is filled anew, what left it must be gone: here the slot's former output, in run_backward a
        // gradient.
        if (s.what == action::receive_activation) pending::over(under_way.outputs[slot]);
        if (s.what == action::send_activation) under_way.outputs[slot] = on_.async().send(from, peer, tag);
        if (s.what == action::receive_activation) under_way.inputs[slot] = on_.async().receive(to, peer, tag);
        if (s.what == action::send_gradient) under_way.input_gradient = on_.async().send(from, peer, tag);
        if (s.what == action::receive_gradient) under_way.output_gradient = on_.async().receive(to, peer, tag);
    }
    template <class Forward>
    void run_forward(pending& under_way, const work& w, Forward& forward) {
        const auto slot = static_cast<std::size_t>(w.slot);
        pending::over(under_way.inputs[slot]);
        if (w.chunk == 0) pending::over(under_way.outputs[slot]);
        forward(w, std::span<const T>(input(w.chunk, w.slot)), output(w.chunk, w.slot));
    }
    template <class Backward>
    void run_backward(pending& under_way, const work& w, Backward& backward) {
        pending::over(under_way.output_gradient);
        if (w.chunk > 0) pending::over(under_way.input_gradient);
        backward(w, std::span<const T>(input(w.chunk, w.slot)), std::span<const T>(output(w.chunk, w.slot)),
                 std::span<const T>(output_gradient_).first(width_behind(w.chunk)),
                 std::span(input_gradient_).first(width_before(w.chunk)));
    }

    const Communicator on_;
    const program all_;
    const std::vector<std::size_t> widths_;
    figures held_;
    std::vector<activation> slots_;
    std::vector<T> input_gradient_, output_gradient_;
};

} // namespace tutti::training::pipeline
