// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training_log.hpp"

#include "../common/text_output.hpp"
#include "epoch_json.hpp"

#include <cerrno>
#include <system_error>

namespace tutti::tools {

training_log::training_log(const train_settings& settings, int ranks) : settings_(settings), ranks_(ranks) {
    if (!is_standard_output(settings.log)) {
        file_.reset(std::fopen(settings.log.c_str(), settings.resume ? "a" : "w"));
        if (!file_) throw std::system_error(errno, std::generic_category(), "cannot write " + settings.log);
    }
    write({{"event", "begin"},
           {"ranks", ranks},
           {"transport", settings.transport},
           {"model", settings.model},
           {"mode", settings.mode},
           {"optimizer", settings.optimizer},
           {"batch", settings.batch},
           {"epochs", settings.epochs},
           {"algorithm", settings.algorithm},
           {"seed", settings.seed}});
}

void training_log::step(std::size_t epoch, std::size_t steps, double loss, double seconds) {
    if (steps % settings_.log_steps != 0) return;
    write({{"event", "step"}, {"epoch", epoch}, {"step", steps}, {"loss", loss}, {"seconds", seconds}});
}

void training_log::epoch(const epoch_result& e) {
    nlohmann::ordered_json line{{"event", "epoch"}};
    line.update(json_of(settings_, ranks_, e));
    write(line);
}

void training_log::interrupted(std::size_t steps) { write({{"event", "interrupted"}, {"steps", steps}}); }

void training_log::write(const nlohmann::ordered_json& line) {
    std::FILE* const to = file_ ? file_.get() : stdout;
    const std::string text = line.dump() + "\n";
    if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot write " + settings_.log);
}

} // namespace tutti::tools
