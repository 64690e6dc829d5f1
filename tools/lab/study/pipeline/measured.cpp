// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "measured.hpp"

#include "../../../tutti/common/text_output.hpp"
#include "../../../tutti/run/local_ranks.hpp"
#include "../../train/whole_file.hpp"
#include "../pictures_of.hpp"
#include "stage_bench.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

namespace tutti::tools::study::pipeline {
namespace {

nlohmann::json json_of(const measurement& m) {
    nlohmann::json all = nlohmann::json::array();
    for (const measured_schedule& s : m.schedules)
        all.push_back({s.name, s.chunks, s.step_s, s.predicted_s, s.idle, s.predicted_idle, s.work.forward_s,
                       s.work.backward_s, s.work.update_s});
    return {m.stages, m.microbatches, m.rows, m.layers, m.width, m.sleeps, m.message_s, all};
}

measurement measurement_of(const nlohmann::json& j) {
    measurement m{j[0], j[1], j[2], j[3], j[4], j[5], j[6], {}};
    for (const auto& s : j[7]) m.schedules.push_back({s[0], s[1], s[2], s[3], s[4], s[5], {s[6], s[7], s[8]}});
    return m;
}

/// A file that is gone at the end.
class short_lived_file {
public:
    short_lived_file() {
        path_ = (std::filesystem::temp_directory_path() / "tutti-study-XXXXXX").string();
        const int file = mkstemp(path_.data());
        if (file < 0) throw std::system_error(errno, std::generic_category(), "cannot create " + path_);
        close(file);
    }
    short_lived_file(const short_lived_file&) = delete;
    short_lived_file& operator=(const short_lived_file&) = delete;
    ~short_lived_file() { unlink(path_.c_str()); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

measurement measured_on(int ranks, const settings& s, const whole_work* sleeps) {
    const short_lived_file file;
    std::vector<std::string> command{"tutti", "study", s.name, "--as-rank", file.path(), "--data", source_of(s)};
    if (s.quick) command.push_back("--quick");
    if (sleeps) {
        command.push_back("--sleeps");
        for (const double seconds : {sleeps->forward_s, sleeps->backward_s, sleeps->update_s})
            command.push_back(fmt::format("{}", seconds));
    }
    const launch_result result = launch(local_ranks(command, ranks));
    if (result.status != 0) throw std::runtime_error("the pipeline that was to be measured failed: " + result.report);
    return measurement_of(nlohmann::json::parse(whole_file(file.path())));
}

} // namespace

std::vector<measurement> measure(const settings& s, const std::function<void(int stages)>& told) {
    std::vector<measurement> all;
    told(2);
    all.push_back(measured_on(2, s, nullptr));
    const whole_work work = all[0].schedules[1].work; // of 1F1B
    for (const int ranks : {2, 4, 8}) {
        told(ranks);
        all.push_back(measured_on(ranks, s, &work));
    }
    return all;
}

} // namespace tutti::tools::study::pipeline

void tutti::tools::study::pipeline_rank(const settings& s) {
    using namespace pipeline;
    prctl(PR_SET_TIMERSLACK, 1000); // nanoseconds: it sleeps as long as it says
    const communicator world{transport::shared_memory::from_environment()};
    const measurement m = measured_by(world, s);
    if (world.rank() == 0) write_whole(json_of(m).dump(), s.as_rank);
}
