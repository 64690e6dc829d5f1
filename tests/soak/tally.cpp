// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "tally.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace tutti::soak {

namespace {

std::string row(const std::string& name, long long n) {
    std::string number = std::to_string(n);
    number.insert(0, number.size() < 8 ? 8 - number.size() : 0, ' ');
    return number + "  " + name + "\n";
}

std::string rounded(double seconds) { return std::to_string(static_cast<long long>(seconds + 0.5)); }

} // namespace

bool result::failed() const noexcept {
    return !complete || std::any_of(flaws.begin(), flaws.end(), [](int n) { return n > 0; });
}

void result::say(const std::string& words) noexcept {
    const auto n = std::min(words.size(), text.size() - 1);
    std::copy_n(words.begin(), n, text.begin());
    text[n] = '\0';
}

void tally::add(const plan& p, const result& r, const std::string& command) {
    ++worlds_;
    calls_ += r.calls;
    ++fabrics_[static_cast<std::size_t>(p.over)];
    ++faults_[static_cast<std::size_t>(p.upset.what)];
    for (std::size_t i = 0; i < flaws_.size(); ++i) flaws_[i] += r.flaws[i];
    if (!r.failed()) return;
    ++failures_;
    failing_.push_back({command, r.text.data()});
}

std::string tally::progress(double seconds) const {
    return rounded(seconds) + " s: " + std::to_string(worlds_) + " worlds, " + std::to_string(calls_) + " calls, " +
           std::to_string(failures_) + " failed";
}

std::string tally::table(std::uint64_t seed, double seconds) const {
    std::string text = "seed " + std::to_string(seed) + ", " + rounded(seconds) + " s\n";
    text += row("worlds", worlds_) + row("calls", calls_);
    for (std::size_t i = 0; i < fabrics_.size(); ++i)
        text += row(std::string("worlds over ") + name_of(static_cast<fabric>(i)), fabrics_[i]);
    for (std::size_t i = 0; i < faults_.size(); ++i)
        text += row(i == 0 ? "worlds without a fault" : std::string("fault: ") + name_of(static_cast<fault_kind>(i)),
                    faults_[i]);
    for (std::size_t i = 0; i < flaws_.size(); ++i) text += row(flaws_in_words[i], flaws_[i]);
    return text + row("worlds that failed", failures_);
}

std::string tally::json(std::uint64_t seed, double seconds) const {
    nlohmann::ordered_json all{{"seed", seed}, {"seconds", seconds}, {"worlds", worlds_}, {"calls", calls_}};
    for (std::size_t i = 0; i < fabrics_.size(); ++i) all["fabrics"][name_of(static_cast<fabric>(i))] = fabrics_[i];
    for (std::size_t i = 0; i < faults_.size(); ++i) all["faults"][name_of(static_cast<fault_kind>(i))] = faults_[i];
    for (std::size_t i = 0; i < flaws_.size(); ++i) all["flaws"][flaws_in_words[i]] = flaws_[i];
    all["failed"] = nlohmann::ordered_json::array();
    for (const auto& f : failing_) all["failed"].push_back({{"command", f.command}, {"text", f.text}});
    return all.dump(2) + "\n";
}

} // namespace tutti::soak
