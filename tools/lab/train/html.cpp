// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "html.hpp"

#include "../../tutti/common/html_page.hpp"
#include "epoch_json.hpp"
#include "learning_rates.hpp"
#include "training_page.hpp"

#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

using nlohmann::ordered_json;

const html_page page_of_training{training_page_before_data, training_page_after_data};

ordered_json settings_json(const train_settings& s, int ranks) {
    ordered_json all{{"ranks", ranks},
                     {"transport", s.transport},
                     {"model", s.model},
                     {"mode", s.mode},
                     {"epochs", s.epochs},
                     {"batch", s.batch},
                     {"optimizer", s.optimizer},
                     {"learning rate", peak_rate(s)},
                     {"schedule", s.schedule},
                     {"epochs of warm-up", s.warm_up_epochs},
                     {"clipped at a norm of", s.clip > 0 ? fmt::format("{}", s.clip) : "not"},
                     {"algorithm", s.algorithm},
                     {"bytes of a bucket, at most", s.bucket_bytes},
                     {"gradients travel as", s.compress.empty() ? s.wire : s.compress},
                     {"buckets move", s.progress},
                     {"seed", s.seed}};
    if (s.mode == "local") all.update({{"period", s.period}, {"slow momentum", s.slow_momentum}});
    if (s.mode == "gossip") all["graph"] = s.graph;
    if (s.model == "transformer")
        all.update({{"layers", s.layers}, {"width", s.width}, {"heads", s.heads}, {"context", s.context}});
    else
        all["hidden layers"] = fmt::format("{}", fmt::join(s.hidden, ", "));
    if (s.virtual_ranks > 0) all["time"] = words_of_virtual_time(s);
    return all;
}

} // namespace

void require_training_page() { require_html(page_of_training); }

std::string training_html(const train_settings& s, int ranks, std::span<const epoch_result> epochs,
                          std::span<const curve_point> steps) {
    ordered_json all{
        {"title", fmt::format("A training of {} on {} ranks", s.model, ranks)},
        {"scope", fmt::format("{} by {} over {}, batches of {}", s.mode, s.optimizer, s.transport, s.batch)},
        {"seconds", s.virtual_ranks > 0 ? "virtual seconds" : "seconds"},
        {"settings", settings_json(s, ranks)},
        {"epochs", ordered_json::array()},
        {"steps", ordered_json::array()}};
    for (const epoch_result& e : epochs) all["epochs"].push_back(json_of(s, ranks, e));
    for (const curve_point& p : steps) all["steps"].push_back({p.x, p.y});
    return filled(page_of_training, all);
}

} // namespace tutti::tools
