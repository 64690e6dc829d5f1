// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "oracle.hpp"

#include <algorithm>

namespace tutti::soak {

namespace {

using namespace std::chrono_literals;

std::string who(int rank) { return "rank " + std::to_string(rank); }

std::chrono::milliseconds in_ms(moment::duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d); }

class judgement {
public:
    judgement(const plan& p, const reports& all, const outcome& seen, std::chrono::milliseconds slack)
        : p_(p), all_(all), seen_(seen), slack_(slack) {}

    [[nodiscard]] std::vector<finding> all() {
        ends();
        for (const auto& l : seen_.leftover) found_.push_back({flaw::leftover, l});
        for (int r = 0; r < p_.ranks; ++r) rank(r);
        return std::move(found_);
    }

private:
    [[nodiscard]] bool killed(int r) const {
        return p_.upset.what == fault_kind::kill && r == p_.upset.victim && seen_.upset;
    }
    void add(flaw what, int r, const std::string& text) { found_.push_back({what, who(r) + ": " + text}); }

    void ends() {
        for (std::size_t i = 0; i < seen_.ends.size(); ++i) {
            const auto& end = seen_.ends[i];
            const int r = static_cast<int>(i);
            if (end.empty() || (killed(r) && end == "signal 9")) continue;
            const bool left =
                end.find("is left") != std::string::npos || end.find("no memory leaks") != std::string::npos;
            add(end == "it does not end" || end == "signal 14" ? flaw::hang
                : left                                         ? flaw::leftover
                                                               : flaw::crash,
                r, "its process: " + end);
        }
    }

    void rank(int r) {
        const auto& mine = all_.of(r);
        if (mine.wrong > 0) add(flaw::wrong_sum, r, mine.first_wrong.str());
        if (killed(r)) return;
        if (!mine.surprise.empty()) add(flaw::crash, r, mine.surprise.str());
        if (!mine.aftermath.empty()) add(flaw::false_alarm, r, "afterwards: " + mine.aftermath.str());
        if (mine.failed.load(std::memory_order_acquire))
            error(r);
        else if (p_.upset.what == fault_kind::mismatch && mine.done)
            add(flaw::untold, r, "nobody told it of the mismatch");
    }

    /// Who comes in while the victim, which was there first, is killed.
    [[nodiscard]] bool is_told_at_start(const failure& f) const {
        return f.step < 0 && f.peer == p_.upset.victim && p_.upset.what == fault_kind::kill && seen_.upset &&
               (f.why == cause::bootstrap || f.why == cause::lost_peer);
    }

    void error(int r) {
        const auto& f = all_.of(r).first;
        if (is_told_at_start(f)) return;
        if (f.step < 0) return add(flaw::crash, r, "at the start: " + f.message.str());
        if (!in_time(r))
            add(flaw::late, r,
                std::to_string(in_ms(f.told - f.called).count()) + " ms after its call: " + f.message.str());
        if (p_.upset.leaves_all_well())
            add(flaw::false_alarm, r, f.message.str());
        else if (r != p_.upset.victim && !blames_rightly(r))
            add(flaw::wrong_blame, r, f.message.str());
    }

    [[nodiscard]] bool in_time(int r) const {
        const auto& f = all_.of(r).first;
        auto begun = f.called;
        if (r == p_.upset.victim && seen_.went_on) begun = std::max(begun, *seen_.went_on);
        return f.told - begun <= p_.deadline + 1s + slack_;
    }

    [[nodiscard]] bool blames_rightly(int r) const {
        const auto& f = all_.of(r).first;
        const int victim = p_.upset.victim;
        const bool names = f.peer == victim, lost = f.why == cause::lost_peer;
        switch (p_.upset.what) {
        case fault_kind::leave: return names && lost && somebody_missed_it();
        case fault_kind::kill: return names && lost;
        case fault_kind::refused: return names && lost;
        case fault_kind::stop_long: return names && (f.why == cause::timeout || (victim == 0 && lost));
        case fault_kind::delay_long: return names && f.why == cause::timeout;
        case fault_kind::mismatch: return f.why == cause::mismatch && tells_of(f.message.str(), victim);
        case fault_kind::shortage: return names;
        default: return false;
        }
    }
    /// Who leaves is a fault for those who come to a call without it, then for all of that communicator, and then for
    /// all who wait for these; what it had sent before still counts.
    [[nodiscard]] bool somebody_missed_it() const {
        for (int r = 0; r < p_.ranks; ++r) {
            const auto& other = all_.of(r);
            if (other.failed && other.first.step >= p_.upset.step) return true;
        }
        return false;
    }
    /// Which of two that differ is the odd one cannot be known: both are told, as "rank 2 called ...".
    [[nodiscard]] static bool tells_of(const std::string& text, int rank) {
        for (const char after : {' ', ':', ','})
            if (text.find(who(rank) + after) != std::string::npos) return true;
        return false;
    }

    const plan& p_;
    const reports& all_;
    const outcome& seen_;
    std::chrono::milliseconds slack_;
    std::vector<finding> found_;
};

std::string in_words(const failure& f) {
    return "in step " + std::to_string(f.step) + " on communicator " + std::to_string(f.family) + ", told after " +
           std::to_string(in_ms(f.told - f.called).count()) + " ms: " + f.message.str();
}

std::string in_words(const report& r) {
    std::string text = std::to_string(r.calls.load()) + " calls, ";
    if (r.failed)
        text += in_words(r.first);
    else if (r.done)
        text += "all steps";
    else
        text += "came to step " + std::to_string(r.step.load());
    text += "; waited up to " + std::to_string(r.held_up_ms.load()) + " ms in a step for a processor";
    if (r.wrong > 0) text += "; WRONG: " + r.first_wrong.str();
    if (!r.surprise.empty()) text += "; threw " + r.surprise.str();
    if (!r.aftermath.empty()) text += "; afterwards: " + r.aftermath.str();
    if (!r.outside) text += r.over ? "; did not leave" : "; did not end";
    return text;
}

} // namespace

std::vector<finding> judge(const plan& p, const reports& all, const outcome& seen, std::chrono::milliseconds slack) {
    return judgement(p, all, seen, slack).all();
}

std::string in_words(const plan& p, const reports& all, const outcome& seen) {
    std::string text;
    for (int r = 0; r < p.ranks; ++r) {
        const auto process = static_cast<std::size_t>(r);
        const bool ended_badly = process < seen.ends.size() && !seen.ends[process].empty();
        text += "  " + who(r) + ": " + in_words(all.of(r)) +
                (ended_badly ? "; its process: " + seen.ends[process] : std::string{}) + "\n";
    }
    return text;
}

} // namespace tutti::soak
