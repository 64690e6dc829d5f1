// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../../tutti/common/lists.hpp"
#include "../../tutti/common/text_output.hpp"
#include "epoch_json.hpp"
#include "html.hpp"
#include "learning_rates.hpp"
#include "rank_grid.hpp"
#include "server_mode.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include <fmt/ranges.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

std::string counted_ranks(int n) { return counted(static_cast<std::size_t>(n), "rank"); }

std::string words_of_model(const train_settings& s) {
    if (s.model == "transformer")
        return fmt::format("a transformer of {} of width {}, {}", counted(s.layers, "layer"), s.width,
                           counted(s.heads, "head"));
    return fmt::format("hidden layers of {}", fmt::join(s.hidden, ", "));
}

// The columns that tell how well it has learned.
std::string score_titles(bool is_text) {
    if (is_text) return fmt::format("{:>9} {:>9} {:>10} {:>9}", "loss", "test", "perplexity", "bits/char");
    return fmt::format("{:>9} {:>9} {:>9}", "loss", "train", "test");
}
std::string score_words(bool is_text, const epoch_result& e) {
    if (is_text)
        return fmt::format("{:>9.4f} {:>9.4f} {:>10.3f} {:>9.3f}", e.loss, e.test_loss, std::exp(e.test_loss),
                           e.test_loss / std::numbers::ln2);
    return fmt::format("{:>9.4f} {:>8.2f}% {:>8.2f}%", e.loss, 100 * e.train_accuracy, 100 * e.test_accuracy);
}

// What ranks tell each other in a step.
std::string words_of_exchange(const train_settings& s) {
    if (s.mode == "local") return "weights averaged with period " + s.period;
    if (s.mode == "gossip") return "weights mixed by graph " + s.graph;
    if (s.mode == "hogwild") return "weights shared without locks";
    return "gradients averaged by " + (s.compress.empty() ? s.algorithm : s.compress);
}

// What is the same after each epoch.
std::string words_of_same(const train_settings& s, int ranks) {
    if (s.mode == "sandblaster") return fmt::format("on {} shard{}", s.servers, s.servers == 1 ? "" : "s");
    if (has_servers(s)) return fmt::format("on {} server{}", s.servers, s.servers == 1 ? "" : "s");
    if (s.mode == "hogwild") return fmt::format("in the one memory of {}", counted_ranks(ranks));
    const grid_shape of = grid_of(s, ranks);
    if (of.data == ranks) return fmt::format("bit-identical on all {}", counted_ranks(ranks));
    const std::string grid = fmt::format("{} x {} x {} ranks", of.data, of.stages, of.tensor);
    return of.data > 1 ? fmt::format("bit-identical in all {} replicas of {}", of.data, grid) : "in parts on " + grid;
}

// Who does what in a step.
std::string words_of_mode(const train_settings& s, int ranks) {
    if (!has_servers(s)) return words_of_exchange(s);
    const int workers = ranks - s.servers;
    return fmt::format("{} worker{}, weights {}", workers, workers == 1 ? "" : "s", words_of_same(s, ranks));
}
std::string words_of_step(const train_settings& s, int ranks, const task& of) {
    if (s.mode == "sandblaster")
        return fmt::format("batches of {}, L-BFGS by Sandblaster: {}, weights {}", s.batch,
                           counted(static_cast<std::size_t>(ranks - s.servers), "replica"), words_of_same(s, ranks));
    return fmt::format("{} an epoch, batches of {}, {} by {} at a rate of {}, {}", counted(of.steps(), "step"), s.batch,
                       s.mode, s.optimizer, peak_rate(s), words_of_mode(s, ranks));
}

// The time that is left, if it goes on as it has since the begin.
std::string left_words(std::size_t done, std::size_t all, double seconds) {
    const double left = seconds / static_cast<double>(done) * static_cast<double>(all - done);
    return left < 90 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60);
}

curve_style style_of(const train_settings& s) {
    if (s.curves == "auto") return style_of_locale();
    return s.curves == "braille" ? curve_style::braille : curve_style::ascii;
}

constexpr auto report_files = "--json, --log, --html and --trace";

bool takes_output(const train_settings& s) {
    return takes_standard_output({s.json, s.log, s.html, s.trace}, report_files);
}

} // namespace

void require_reports(const train_settings& s) {
    static_cast<void>(takes_output(s)); // throws where several do
    for (const std::string& file : {s.json, s.log, s.html, s.trace}) require_writable(file);
    if (!s.html.empty()) require_training_page();
}

train_report::train_report(const train_settings& settings, int ranks, std::size_t parameters, const task& of,
                           std::size_t steps, training::time_source now)
    : settings_(settings), ranks_(ranks), steps_(of.steps()), before_(steps), same_(words_of_same(settings, ranks)),
      is_alone_(grid_of(settings, ranks).data == 1), quiet_(takes_output(settings)), now_(std::move(now)) {
    require_reports(settings);
    if (!settings.log.empty()) log_.emplace(settings, ranks, of.words());
    if (!quiet_) begin(parameters, of);
}

void train_report::begin(std::size_t parameters, const task& of) const {
    const train_settings& s = settings_;
    fmt::print("# tutti train: {} over {}, {}, {}, {} parameters\n", counted_ranks(ranks_), s.transport, of.words(),
               words_of_model(s), parameters);
    if (s.evaluate) return;
    fmt::print("# {}\n", words_of_step(s, ranks_, of));
    if (const std::size_t left_out = of.epoch().left_out(); left_out > 0)
        fmt::print("# a pipeline takes whole batches: {} of {} examples are left out of each epoch\n", left_out,
                   of.epoch().all);
    const int replicas = has_servers(s) ? ranks_ - s.servers : grid_of(s, ranks_).data;
    if (s.mode != "sandblaster" && s.batch < static_cast<std::size_t>(replicas))
        fmt::print("# a batch of {} has no example for each of {} replicas: in each step some have nothing to do\n",
                   s.batch, replicas);
    if (s.virtual_ranks > 0) fmt::print("# all times are {}\n", words_of_virtual_time(s));
    if (s.resume) begin_again();
    if (is_done()) return;
    fmt::print("{:>5} {} {:>9} {:>8} {:>9}  {}\n", "epoch", score_titles(s.model == "transformer"), "seconds",
               "exposed", "bytes", "weights");
    std::fflush(stdout);
}

// Steps count from the first one of the job, whatever its batches were.
void train_report::begin_again() const {
    const std::size_t epoch = before_ / steps_, rest = before_ % steps_;
    if (is_done())
        fmt::print("# already at epoch {} of {}: more of them need a larger --epochs\n", epoch, settings_.epochs);
    else
        fmt::print("# goes on after {}: {} of {}{}\n", counted(before_, "step"), counted(epoch, "epoch"),
                   counted(steps_, "step"), rest > 0 ? fmt::format(", and {} of the next", counted(rest, "step")) : "");
    if (rest > 0)
        fmt::print("# the checkpoint is of an interrupted epoch, or of other batches: those are counted anew\n");
    if (settings_.schedule == "cosine" && !is_done())
        fmt::print("# the cosine goes on as one of {} epochs: with another number than before the rate jumps, and "
                   "--schedule constant does not\n",
                   settings_.epochs);
}

void train_report::warn_of_divergence(const epoch_result& e) {
    if ((std::isfinite(e.loss) && std::isfinite(e.test_loss)) || std::exchange(diverged_, true)) return;
    fmt::print(stderr,
               "the training has diverged: its loss is {}; a lower --learning-rate, --clip or --warm-up may help\n",
               std::isfinite(e.loss) ? e.test_loss : e.loss);
}

void train_report::add(epoch_result e) {
    e.loss = std::abs(e.loss), e.test_loss = std::abs(e.test_loss); // a NaN may have a sign, which says nothing
    epochs_.push_back(e);
    line_.clear();
    warn_of_divergence(e);
    if (log_) log_->epoch(e);
    write_files();
    if (quiet_) return;
    fmt::print("{:>5} {} {:>9.2f} {:>8} {:>9}  {:016x} {}\n", e.epoch, score_words(settings_.model == "transformer", e),
               e.seconds, is_alone_ ? "-" : fmt::format("{:.0f}%", 100 * e.exposed_seconds / e.seconds),
               e.bytes[0] + e.bytes[1] + e.bytes[2], e.weights_hash, words_of_weights(e));
    std::fflush(stdout);
}

std::string train_report::words_of_weights(const epoch_result& e) const {
    if (!e.weights_agree) return "DIFFER";
    return e.consensus_distance ? fmt::format("average, {:.3g} away", *e.consensus_distance) : same_;
}

void train_report::evaluated(const epoch_result& e) {
    epochs_.push_back(e);
    if (log_) log_->epoch(e);
    if (quiet_) return;
    const std::string worth = settings_.model == "transformer"
                                  ? fmt::format("perplexity {:.3f}, {:.3f} bits a character", std::exp(e.test_loss),
                                                e.test_loss / std::numbers::ln2)
                                  : fmt::format("{:.2f}% right", 100 * e.test_accuracy);
    fmt::print("after {}: loss {:.4f}, {}, weights {:016x} {}\n", counted(before_, "step"), e.test_loss, worth,
               e.weights_hash, words_of_weights(e));
}

void train_report::read(const std::vector<std::uint64_t>& reads) {
    line_.clear();
    std::uint64_t all = 0, clocks = 0;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        all += reads[i];
        clocks += reads[i] * i;
    }
    if (quiet_ || all == 0) return;
    fmt::print("weights as the first worker read them were {:.2f} clocks old on average, at most {}\n",
               static_cast<double>(clocks) / static_cast<double>(all), reads.size() - 1);
}

void train_report::step(std::size_t epoch, std::size_t steps, double loss) {
    const double seconds = std::chrono::duration<double>(now_() - begin_).count(),
                 waited = std::chrono::duration<double>(clock::now() - host_begin_).count();
    if (log_) log_->step(epoch, steps, loss, seconds);
    losses_.push_back(
        {static_cast<double>(epoch - 1) + static_cast<double>(steps) / static_cast<double>(steps_), loss});
    const std::size_t done = (epoch - 1) * steps_ + steps - before_;
    if (steps % 16 == 0)
        line_.show(fmt::format("epoch {} of {}, step {} of {}, loss {:.4f}, {:.0f} examples/s, {} left", epoch,
                               settings_.epochs, steps, steps_, loss,
                               static_cast<double>(done * settings_.batch) / seconds,
                               left_words(done, settings_.epochs * steps_ - before_, waited)));
}

void train_report::interrupted(std::size_t step) {
    line_.clear();
    if (log_) log_->interrupted(step);
    fmt::print(stderr, "interrupted after step {}{}\n", step,
               settings_.checkpoint.empty() ? "" : ", which " + settings_.checkpoint + " has");
}

void train_report::stuck(std::size_t step) {
    line_.clear();
    if (log_) log_->stuck(step);
    fmt::print(stderr, "the line search of step {} found no lower loss, and would find none again: the training ends\n",
               step);
}

void train_report::write_files() const {
    if (!settings_.json.empty() && settings_.json != "-") write_json();
    if (!settings_.html.empty() && settings_.html != "-") write_html();
}

void train_report::finish() {
    line_.clear();
    if (!settings_.json.empty()) write_json();
    if (!settings_.html.empty()) write_html();
    const bool is_wanted = settings_.curves != "off" && (settings_.curves != "auto" || isatty(STDOUT_FILENO) != 0);
    if (!quiet_ && is_wanted && !settings_.evaluate) draw_curves();
}

void train_report::write_html() const {
    write_whole(training_html(settings_, ranks_, epochs_, losses_), settings_.html);
}

void train_report::write_json() const {
    std::string text;
    for (const epoch_result& e : epochs_) text += (text.empty() ? "[" : ",\n") + json_of(settings_, ranks_, e).dump();
    write_whole((text.empty() ? "[" : text) + "\n]\n", settings_.json);
}

void train_report::draw_curves() const {
    const auto draw = [this](std::string_view title, std::vector<curve_point> points) {
        std::erase_if(points, [](const curve_point& p) { return !std::isfinite(p.y); });
        if (points.size() > 1) fmt::print("\n{}", curve(title, "epochs", points, style_of(settings_)));
    };
    const bool is_text = settings_.model == "transformer";
    std::vector<curve_point> tested;
    for (const epoch_result& e : epochs_)
        tested.push_back({static_cast<double>(e.epoch), is_text ? e.test_loss : 100 * e.test_accuracy});
    draw("loss of training, in nats", losses_);
    draw(is_text ? "loss of testing, in nats" : "accuracy of testing, in %", tested);
    std::fflush(stdout);
}

} // namespace tutti::tools
