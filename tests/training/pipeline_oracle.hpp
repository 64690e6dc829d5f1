// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/pipeline/in_words.hpp>
#include <training/pipeline/step.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// A second opinion on pipelines: runs the steps on numbers that stand for data, workers in random order, and knows
/// nothing of how the library proves. A send reads its memory when the message is taken, so that what is overwritten
/// too early shows in the result.
class pipeline_oracle {
public:
    using number = std::uint64_t;
    /// Of each worker and each of its updates: the sum of the gradients that it applies.
    using result = std::vector<std::vector<number>>;

    /// Eager: a send takes its data along at once.
    pipeline_oracle(const tutti::training::pipeline::program& p, std::minstd_rand& dice, bool eager)
        : p_(p), dice_(dice), eager_(eager), workers_(p.workers.size()), applied_(p.workers.size()) {}

    /// Nothing where a worker does not come to its end, or a step uses what there is not.
    [[nodiscard]] std::optional<result> run() {
        for (int idle = 0; idle < 200;) {
            const std::size_t w = dice_() % workers_.size();
            idle = advance(w) ? 0 : idle + 1;
            if (broken_) return {};
        }
        for (std::size_t w = 0; w < workers_.size(); ++w)
            if (workers_[w].next < p_.workers[w].size() || workers_[w].sum != 0) return {};
        for (const auto& [key, m] : mail_)
            if (!m.taken) return {};
        return applied_;
    }

private:
    using step = tutti::training::pipeline::step;
    using action = tutti::training::pipeline::action;
    struct place {
        number input = 0, output = 0;
    };
    struct worker {
        std::size_t next = 0;
        std::map<int, place> slots;
        number incoming = 0, outgoing = 0, sum = 0;
        int latest = 0;
    };
    struct mail {
        number* from = nullptr;
        number* to = nullptr;
        number copy = 0;
        bool taken = false;
    };
    using key = std::tuple<bool, int, int>; ///< gradient, microbatch, lower chunk

    static number mixed(number a, number b) {
        number x = a * 0x9e3779b97f4a7c15U + b + 0x7f4a7c15U;
        x ^= x >> 29U;
        x *= 0xbf58476d1ce4e5b9U;
        return x ^ (x >> 32U);
    }
    static number mixed(const step& s, number seed) {
        return mixed(mixed(static_cast<number>(s.microbatch), static_cast<number>(s.chunk)),
                     mixed(static_cast<number>(s.version), seed));
    }
    [[nodiscard]] bool last(const step& s) const { return s.chunk + 1 == p_.of.stages * p_.of.chunks; }

    /// What the memory that a step touches waits for: all messages from or into it.
    [[nodiscard]] bool busy(const number* memory) const {
        for (const auto& [k, m] : mail_)
            if (!m.taken && (m.to == memory || (m.from == memory && !(eager_ && m.copy != 0)))) return true;
        return false;
    }
    bool advance(std::size_t w) {
        if (workers_[w].next == p_.workers[w].size()) return false;
        const step& s = p_.workers[w][workers_[w].next];
        if (s.what != action::update &&
            (s.microbatch < 0 || s.microbatch >= p_.of.microbatches || s.chunk < 0 ||
             s.chunk >= p_.of.stages * p_.of.chunks || s.chunk % p_.of.stages != static_cast<int>(w)))
            return broken_ = true;
        if (!take(workers_[w], s, applied_[w])) return false;
        ++workers_[w].next;
        return true;
    }
    /// False where it has to wait.
    bool take(worker& me, const step& s, std::vector<number>& applied) {
        place& here = me.slots[s.slot];
        switch (s.what) {
        case action::forward:
            if (busy(&here.input) || busy(&here.output)) return false;
            if (s.chunk == 0) here.input = mixed(s, 1);
            broken_ = broken_ || here.input == 0 || s.version < 0 || s.version > me.latest;
            here.output = mixed(s, mixed(here.input, 2));
            return true;
        case action::backward: {
            if (busy(&me.incoming) || busy(&me.outgoing)) return false;
            const number gradient = last(s) ? 1 : me.incoming;
            broken_ = broken_ || here.output == 0 || gradient == 0 || s.version < 0 || s.version > me.latest;
            const number made = mixed(s, mixed(here.output, mixed(here.input, gradient)));
            me.sum += made | 1U;
            me.outgoing = mixed(made, 3);
            me.incoming = 0;
            return true;
        }
        case action::update:
            broken_ = broken_ || s.version != me.latest + 1 || me.sum == 0;
            me.latest = s.version;
            applied.push_back(std::exchange(me.sum, 0));
            return true;
        case action::send_activation: return post({false, s.microbatch, s.chunk}, &here.output, nullptr);
        case action::receive_activation:
            if (busy(&here.output)) return false;
            return post({false, s.microbatch, s.chunk - 1}, nullptr, &here.input);
        case action::send_gradient: return post({true, s.microbatch, s.chunk - 1}, &me.outgoing, nullptr);
        case action::receive_gradient: return post({true, s.microbatch, s.chunk}, nullptr, &me.incoming);
        }
        return false;
    }
    bool post(const key& k, number* from, number* to) {
        const auto boundary = std::get<2>(k);
        mail& m = mail_[k];
        broken_ = broken_ || boundary < 0 || boundary + 1 >= p_.of.stages * p_.of.chunks || (from ? m.from : m.to);
        (from ? m.from : m.to) = from ? from : to;
        if (from && eager_) m.copy = *from;
        if (m.from && m.to && !m.taken) {
            *m.to = eager_ ? m.copy : *m.from;
            broken_ = broken_ || *m.to == 0;
            m.taken = true;
        }
        return true;
    }

    const tutti::training::pipeline::program& p_;
    std::minstd_rand& dice_;
    const bool eager_;
    std::vector<worker> workers_;
    result applied_;
    std::map<key, mail> mail_;
    bool broken_ = false;
};

/// All steps, for a failure to be understood.
inline std::string pipeline_listing(const tutti::training::pipeline::program& p) {
    std::string text;
    for (std::size_t w = 0; w < p.workers.size(); ++w) {
        text += "worker " + std::to_string(w) + "\n";
        for (const auto& s : p.workers[w])
            text += "  " + in_words(s) + ", version " + std::to_string(s.version) + ", slot " + std::to_string(s.slot) +
                    "\n";
    }
    return text;
}
