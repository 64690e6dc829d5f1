// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "lines.hpp"
#include "named_rank.hpp"
#include "outlet.hpp"
#include "rank_output.hpp"
#include "unison.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

namespace tutti::tools {

/// The output of ranks as the launcher tells it: line by line and with the rank in front. What several ranks say alike
/// on standard error as they end is told once.
class told_output final : public rank_output {
public:
    /// `sought`: how the lines of standard error begin that found() tells of.
    told_output(int output, int error, int ranks, std::string_view sought)
        : output_(output), own_error_(error), error_(own_error_.same_file(output_) ? output_ : own_error_),
          alike_(ranks), named_(static_cast<std::size_t>(ranks), -1), sought_(fmt::format("\n{}", sought)) {
        for (int rank = 0; rank < ranks; ++rank) {
            output_lines_.emplace_back(fmt::format("[{}] ", rank));
            error_lines_.emplace_back(std::string{}); // which `alike_` puts in front
        }
    }

    [[nodiscard]] bool ready(channel from) const override {
        return from == channel::output ? output_.empty() : error_.empty();
    }
    void take(int rank, channel from, std::string_view piece) override {
        pass(rank, from, lines_of(rank, from).take(piece));
    }
    void finish(int rank, channel from) override { pass(rank, from, lines_of(rank, from).finish()); }

    /// A line of the launcher's own, or of one whose words it hands on.
    void say(std::string_view lines) { error_.add(lines); }
    /// Whether a line has come that was sought.
    [[nodiscard]] bool found() const noexcept { return found_; }
    /// The other rank that the first error of this one names as the one at fault; -1 if it has told of none.
    [[nodiscard]] int named_by(int rank) const { return named_[static_cast<std::size_t>(rank)]; }

    /// Appends what it waits for: two entries.
    void wait_for(std::vector<pollfd>& waiting) const {
        for (const outlet* o : {&output_, &own_error_}) waiting.push_back({o->empty() ? -1 : o->get(), POLLOUT, 0});
    }
    /// Writes what can be written now.
    void flush() {
        for (outlet* o : {&output_, &own_error_}) o->flush();
    }
    /// Why something could not be written, once; 0 if all could.
    [[nodiscard]] int take_error() noexcept {
        const std::array<int, 2> errors{output_.take_error(), own_error_.take_error()};
        return errors[0] != 0 ? errors[0] : errors[1];
    }
    /// Whether nothing is kept here.
    [[nodiscard]] bool empty() const noexcept { return output_.empty() && own_error_.empty() && alike_.empty(); }
    /// Forgets what could not be written yet, and all that is still to come.
    void drop() noexcept {
        for (outlet* o : {&output_, &own_error_}) o->drop();
    }

    /// When release() is wanted at the latest.
    [[nodiscard]] unison::clock::time_point due() const noexcept { return alike_.due(); }
    /// Tells what was held back because others may say the same.
    void release() { error_.add(alike_.release()); }

private:
    [[nodiscard]] line_prefixer& lines_of(int rank, channel from) {
        return (from == channel::output ? output_lines_ : error_lines_)[static_cast<std::size_t>(rank)];
    }
    void pass(int rank, channel from, const std::string& lines) {
        if (from == channel::output) return output_.add(lines);
        found_ = found_ || ("\n" + lines).find(sought_) != std::string::npos;
        int& named = named_[static_cast<std::size_t>(rank)];
        if (named < 0) named = named_rank(lines);
        if (named == rank) named = -1;
        error_.add(alike_.take(rank, lines, unison::clock::now()));
    }

    outlet output_;
    outlet own_error_;
    outlet& error_; // one outlet for both where they are one file: no line comes into the middle of another
    unison alike_;
    std::vector<int> named_;                  // by rank
    std::vector<line_prefixer> output_lines_; // by rank
    std::vector<line_prefixer> error_lines_;
    std::string sought_; // behind the end of the line before
    bool found_ = false;
};

} // namespace tutti::tools
