// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Reads GOAL text, and nothing but what LogGOPSim's txt2bin takes.
namespace goal_test {

enum class kind : std::uint8_t { send, receive, calc }; // in the order in which LogGOPSim begins what is free at once

struct operation {
    kind what = kind::calc;
    long long size = 0; ///< bytes, or nanoseconds
    int peer = -1;
    long long tag = 0;
    int waits = 0;
    std::vector<int> after_start, after_end; ///< what waits for this one's start, or for its end
};

using rank_operations = std::vector<operation>;

class reader {
public:
    explicit reader(const std::string& text) : lines_(text) {
        if (text.empty() || text.back() != '\n') refuse("the last line has no end");
        while (std::getline(lines_, line_)) {
            if (line_.empty()) continue;
            std::istringstream stream(line_);
            words_.clear();
            for (std::string word; stream >> word;) words_.push_back(word);
            read_line();
        }
        if (open_) refuse("a rank is not closed");
        if (static_cast<long long>(ranks_.size()) != size_) refuse("a rank is missing");
    }
    [[nodiscard]] const std::vector<rank_operations>& ranks() const { return ranks_; }

private:
    [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(why + ": " + line_); }

    void read_line() {
        if (size_ < 0) {
            if (words_.size() != 2 || words_[0] != "num_ranks") refuse("num_ranks first");
            size_ = number(words_[1]);
        } else if (!open_) {
            expect({"rank", std::to_string(ranks_.size()), "{"}); // in order
            ranks_.emplace_back();
            labels_.clear();
            open_ = true;
        } else if (words_ == std::vector<std::string>{"}"}) {
            open_ = false;
        } else if (words_[0].back() == ':') {
            add(words_[0].substr(0, words_[0].size() - 1));
        } else {
            depend();
        }
    }
    void add(const std::string& label) {
        for (const char c : label)
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') refuse("no label");
        if (!std::isalpha(static_cast<unsigned char>(label[0]))) refuse("no label");
        if (!labels_.emplace(label, static_cast<int>(ranks_.back().size())).second) refuse("a label twice");
        words_.erase(words_.begin());
        ranks_.back().push_back(read_operation());
    }
    operation read_operation() {
        if (words_.size() < 2) refuse("no operation");
        if (words_[0] == "calc") {
            expect({"calc", words_[1], "cpu", "0"});
            return {kind::calc, number(words_[1]), -1, 0, 0, {}, {}};
        }
        const bool sends = words_[0] == "send";
        if (words_.size() != 10 || words_[1].back() != 'b') refuse("no message");
        expect({sends ? "send" : "recv", words_[1], sends ? "to" : "from", words_[3], "tag", words_[5], "cpu", "0",
                "nic", "0"});
        const long long bytes = number(words_[1].substr(0, words_[1].size() - 1)), peer = number(words_[3]);
        if (bytes < 1) refuse("LogGOPSim takes one off"); // and has no negative numbers
        if (peer >= size_ || peer + 1 == static_cast<long long>(ranks_.size())) refuse("no peer");
        return {sends ? kind::send : kind::receive, bytes, static_cast<int>(peer), number(words_[5]), 0, {}, {}};
    }
    void depend() {
        if (words_.size() != 3 || (words_[1] != "requires" && words_[1] != "irequires")) refuse("not understood");
        const auto later = labels_.find(words_[0]), earlier = labels_.find(words_[2]);
        if (later == labels_.end() || earlier == labels_.end()) refuse("an unknown label");
        operation& first = ranks_.back()[static_cast<std::size_t>(earlier->second)];
        (words_[1] == "requires" ? first.after_end : first.after_start).push_back(later->second);
        ++ranks_.back()[static_cast<std::size_t>(later->second)].waits;
    }
    void expect(const std::vector<std::string>& words) const {
        if (words_ != words) refuse("not understood");
    }
    [[nodiscard]] long long number(const std::string& word) const {
        if (word.empty() || word.find_first_not_of("0123456789") != word.npos) refuse("no number");
        return std::stoll(word);
    }

    std::istringstream lines_;
    std::string line_;
    std::vector<std::string> words_;
    long long size_ = -1;
    bool open_ = false;
    std::map<std::string, int> labels_; ///< of the open rank
    std::vector<rank_operations> ranks_;
};

} // namespace goal_test
