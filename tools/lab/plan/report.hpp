// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "search.hpp"

#include <cstddef>
#include <string>

namespace tutti::tools::planner {

/// The best `most` plans, with where their time goes and why each is slower than the first.
[[nodiscard]] std::string text_report(const question& q, const searched& s, std::size_t most);
[[nodiscard]] std::string json_report(const question& q, const searched& s, std::size_t most);
/// One page that needs no other file and no network.
[[nodiscard]] std::string html_report(const question& q, const searched& s, std::size_t most);
/// The space as SVG: tensor ranks down, stages across, in each cell the step time of its best plan.
[[nodiscard]] std::string picture_of(const question& q, const searched& s);

/// "1.23 ms": three digits, which is more than a prediction has.
[[nodiscard]] std::string short_time(double seconds);
/// "GPT on so many GPUs": one line.
[[nodiscard]] std::string title_of(const question& q);
/// "data 4 x tensor 8 x stages 2, ...": the layout in words.
[[nodiscard]] std::string words_of(const layout& how, int batch);
/// Why the plan is slower than the best, in a sentence; which calls it makes, for the best itself.
[[nodiscard]] std::string reason_of(const plan& p, const plan& best, const question& q);
/// Why there is no plan, in sentences.
[[nodiscard]] std::string reason_of_none(const question& q, const searched& s);
/// What a reader must know of plans with weights sharded by ZeRO 3; empty where none of the first `most` has.
[[nodiscard]] std::string caution_of(const searched& s, std::size_t most);
/// By which algorithms a plan communicates; empty where it does not.
[[nodiscard]] std::string calls_of(const plan& p);

} // namespace tutti::tools::planner
