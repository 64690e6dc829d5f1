// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "measured.hpp"

#include "../../common/text_output.hpp"
#include "../../run/local_ranks.hpp"
#include "../../train/network/mlp.hpp"
#include "../../train/staged_network.hpp"
#include "../../train/whole_file.hpp"
#include "../pictures_of.hpp"
#include "even_chunks.hpp"
#include "four.hpp"

#include <training/pipeline/all.hpp>
#include <training/pipeline/timeline.hpp>
#include <transport/shared_memory.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

namespace tutti::tools::study::pipeline {
namespace {

namespace pipes = training::pipeline;
using world_of_stages = communicator<transport::shared_memory>;
using clock = std::chrono::steady_clock;

constexpr int microbatches = 8;
constexpr int steps_in_round = 4;
constexpr std::size_t edge = 16; // of the middle of a picture, in pixels
constexpr std::size_t width = edge * edge;

/// How much is computed.
struct amount {
    explicit amount(bool quick) : layers(quick ? 16 : 32), rows(quick ? 15 : 60), rounds(quick ? 1 : 7) {}

    std::size_t layers;
    std::size_t rows; // of a microbatch: at most 64, so that an activation fits into a message that needs no handshake
    int rounds;
};

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

/// The middles of pictures, as many microbatches as a step has.
class middles {
public:
    middles(const settings& s, std::size_t rows) : rows_(rows) {
        const dataset set = pictures_of(s, false);
        constexpr std::size_t border = (digit_edge - edge) / 2;
        std::vector<float> picture(set.pixels);
        for (std::size_t i = 0; i < microbatches * rows; ++i) {
            copy_picture(set.image(i % set.size()), picture);
            for (std::size_t y = 0; y < edge; ++y) {
                const auto row = picture.begin() + static_cast<std::ptrdiff_t>((border + y) * digit_edge + border);
                inputs_.insert(inputs_.end(), row, row + edge);
            }
            labels_.push_back(set.labels[i % set.size()]);
        }
    }
    [[nodiscard]] labelled batch(int m) const {
        const std::size_t first = static_cast<std::size_t>(m % microbatches) * rows_;
        return {{inputs_.data() + first * width, rows_, width}, std::span(labels_).subspan(first, rows_)};
    }

private:
    const std::size_t rows_;
    std::vector<float> inputs_;
    std::vector<std::uint8_t> labels_;
};

/// Does the work, or sleeps for it, and adds up what it took.
class timed_work {
public:
    /// `sleeps` are seconds of a forward, a backward and an update; empty: it computes.
    explicit timed_work(std::vector<double> sleeps) : sleeps_(std::move(sleeps)) {}

    void operator()(pipes::action what, const std::function<void()>& work) {
        const auto begin = clock::now();
        const std::size_t kind = what == pipes::action::forward ? 0 : what == pipes::action::backward ? 1 : 2;
        if (sleeps_.empty())
            work();
        else
            std::this_thread::sleep_until(begin + std::chrono::duration<double>(sleeps_[kind]));
        sums_[kind] += seconds_since(begin);
        ++sums_[3 + kind];
    }
    void clear() { sums_ = {}; }
    /// Seconds of the three kinds, and then how many there were.
    [[nodiscard]] const std::array<double, 6>& sums() const noexcept { return sums_; }

private:
    const std::vector<double> sleeps_;
    std::array<double, 6> sums_{};
};

/// One activation from rank 0 to rank 1, as half the time there and back: the median of several.
double measured_message(const world_of_stages& world, std::size_t rows) {
    std::vector<float> data(rows * width);
    std::vector<double> times;
    for (int i = 0; i < 21 && world.rank() < 2; ++i) {
        const auto begin = clock::now();
        if (world.rank() == 0) world.send(std::span(data), 1, 0);
        world.receive(std::span(data), 1 - world.rank(), 0);
        if (world.rank() == 1) world.send(std::span(data), 0, 0);
        times.push_back(seconds_since(begin) / 2);
    }
    std::array<double, 1> median{0};
    if (world.rank() == 0) {
        std::ranges::nth_element(times, times.begin() + 10);
        median[0] = times[10];
    }
    world.broadcast(median, 0);
    return median[0];
}

/// All schedules on the ranks of a communicator.
class bench_of_stages {
public:
    bench_of_stages(const world_of_stages& world, const settings& s)
        : world_(world), amount_(s.quick), pictures_(s, amount_.rows), sleeps_(s.sleeps),
          network_(neural::mlp(std::vector<std::size_t>(amount_.layers + 1, width))),
          message_s_(measured_message(world, amount_.rows)) {}

    [[nodiscard]] measurement all() {
        measurement m{world_.size(), microbatches,     amount_.rows, amount_.layers,
                      width,         !sleeps_.empty(), message_s_,   {}};
        for (const shown_schedule& s : four) m.schedules.push_back(one(std::string(s.schedule), s.chunks));
        return m;
    }

private:
    /// PipeDream never waits for a step's end: what others do in some steps it does in one run.
    [[nodiscard]] measured_schedule one(const std::string& name, int chunks) {
        const bool goes_on = name == "pipedream";
        const int runs = goes_on ? 1 : steps_in_round;
        const pipes::program steps =
            pipes::by_name(name).write({world_.size(), goes_on ? steps_in_round * microbatches : microbatches, chunks});
        const std::size_t rows = amount_.rows;
        const float scale = 1.F / static_cast<float>(goes_on ? rows : rows * microbatches);
        const auto cut = even_chunks(network_, static_cast<std::size_t>(chunks_of(steps.of)));
        staged_network<world_of_stages, training::sgd> network(world_, steps, network_, cut, rows, scale, {}, 1);
        timed_work work(sleeps_of(steps.of));
        const auto run = [&] {
            for (int i = 0; i < runs; ++i)
                static_cast<void>(network.run([&](int m) { return pictures_.batch(m); }, 0.001, std::ref(work)));
        };
        run(); // touches all memory
        std::vector<double> times;
        double busy = 0, total = 0;
        std::array<double, 6> sums{};
        for (int r = 0; r < amount_.rounds; ++r) {
            work.clear();
            world_.barrier();
            const auto begin = clock::now();
            run();
            std::array<double, 1> longest{seconds_since(begin)};
            world_.allreduce(longest, maximum);
            times.push_back(longest[0]);
            total += longest[0];
            for (std::size_t k = 0; k < 6; ++k) sums[k] += work.sums()[k];
        }
        world_.allreduce(sums, sum);
        for (std::size_t k = 0; k < 3; ++k) busy += sums[k];
        std::ranges::nth_element(times, times.begin() + amount_.rounds / 2);
        return found({name,
                      chunks,
                      times[static_cast<std::size_t>(amount_.rounds / 2)] / steps_in_round,
                      0,
                      1 - busy / (total * world_.size()),
                      0,
                      {}},
                     steps, sums, runs);
    }
    /// With what the timeline of the same steps says.
    [[nodiscard]] measured_schedule found(measured_schedule m, const pipes::program& steps,
                                          const std::array<double, 6>& sums, int runs) const {
        const pipes::costs c{sums[0] / sums[3], sums[1] / sums[4], sums[2] / sums[5], message_s_, 0, 0, true};
        const pipes::timeline t = pipes::timeline_of(steps, c);
        for (int worker = 0; worker < world_.size(); ++worker) m.predicted_idle += t.bubble(worker) / world_.size();
        m.predicted_s = t.makespan_s * runs / steps_in_round;
        m.work = {c.forward_s * chunks_of(steps.of), c.backward_s * chunks_of(steps.of), c.update_s * world_.size()};
        return m;
    }
    [[nodiscard]] std::vector<double> sleeps_of(const pipes::shape& of) const {
        if (sleeps_.empty()) return {};
        return {sleeps_[0] / chunks_of(of), sleeps_[1] / chunks_of(of), sleeps_[2] / of.stages};
    }

    const world_of_stages& world_;
    const amount amount_;
    const middles pictures_;
    const std::vector<double> sleeps_; // of the whole network
    const neural::network network_;
    const double message_s_;
};

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
    const world_of_stages world{transport::shared_memory::from_environment()};
    const measurement m = bench_of_stages(world, s).all();
    if (world.rank() == 0) write_whole(json_of(m).dump(), s.as_rank);
}
