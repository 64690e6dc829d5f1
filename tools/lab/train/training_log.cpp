// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training_log.hpp"

#include "../../tutti/common/text_output.hpp"
#include "epoch_json.hpp"
#include "learning_rates.hpp"

#include <cerrno>
#include <system_error>

namespace tutti::tools {

namespace {

nlohmann::ordered_json first_line(const train_settings& s, int ranks, const std::string& data) {
    nlohmann::ordered_json line{{"event", "begin"},         {"ranks", ranks},
                                {"transport", s.transport}, {"data", data},
                                {"model", s.model},         {"mode", s.mode},
                                {"optimizer", s.optimizer}, {"learning_rate", peak_rate(s)},
                                {"schedule", s.schedule},   {"warm_up_epochs", s.warm_up_epochs},
                                {"batch", s.batch},         {"epochs", s.epochs},
                                {"algorithm", s.algorithm}, {"seed", s.seed}};
    if (s.model == "transformer")
        line.update({{"layers", s.layers}, {"width", s.width}, {"heads", s.heads}, {"context", s.context}});
    else
        line["hidden"] = s.hidden;
    if (s.virtual_ranks > 0) line["time"] = words_of_virtual_time(s);
    return line;
}

} // namespace

training_log::training_log(const train_settings& settings, int ranks, const std::string& data)
    : settings_(settings), ranks_(ranks) {
    if (!is_standard_output(settings.log)) {
        file_.reset(std::fopen(settings.log.c_str(), settings.resume ? "a" : "w"));
        if (!file_) throw std::system_error(errno, std::generic_category(), "cannot write " + settings.log);
    }
    write(first_line(settings, ranks, data));
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

void training_log::stuck(std::size_t steps) { write({{"event", "stuck"}, {"steps", steps}}); }

void training_log::write(const nlohmann::ordered_json& line) {
    std::FILE* const to = file_ ? file_.get() : stdout;
    const std::string text = line.dump() + "\n";
    if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot write " + settings_.log);
}

} // namespace tutti::tools
