// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "study.hpp"

#include "../../tutti/common/one_of.hpp"
#include "../../tutti/common/sections_page.hpp"
#include "../../tutti/common/text_output.hpp"
#include "../../tutti/run/launched.hpp"
#include "../../tutti/run/local_ranks.hpp"
#include "../commands.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// Each study is in here once.
constexpr std::array studies{
    study::entry{"large-batch", "test error by minibatch, with the linear scaling rule and warm-up",
                 study::large_batch},
    study::entry{"distbelief", "accuracy against time of SGD, Downpour SGD and Sandblaster L-BFGS, on many machines",
                 study::distbelief_methods},
    study::entry{"adacomm", "error against time where weights are averaged seldom", study::adacomm_study},
    study::entry{"compression", "time and accuracy with compressed gradients, by link", study::compression_study},
    study::entry{"hogwild", "speed and loss of threads that share weights", study::hogwild_study},
    study::entry{"pipeline", "idle time, memory, staleness, time and accuracy of four pipelines", study::pipelines},
    study::entry{"staleness", "steps a second, quality a step and time to accuracy by how far workers may be apart",
                 study::stale_workers},
};

constexpr auto study_description = "Reproduce a study of training, as one HTML page";

constexpr auto study_footer =
    R"(large-batch: test error against the minibatch, 32 to 16,384. One curve each for no rule, the linear scaling rule,
gradual warm-up too, and LARS; mean and two standard deviations over the seeds. Then the scaling efficiency of ResNet-50
on 8 to 256 GPUs, simulated.

pipeline: GPipe, 1F1B, interleaved 1F1B and PipeDream. Idle time against microbatches, out of the steps; what each stage
holds; the time of a step on real ranks beside its prediction, with 2 ranks that compute, and 2, 4 and 8 that sleep as
long; accuracy with old weights; a timeline of each. Times are right only on a host that does nothing else.

staleness: 16 workers of a parameter server in virtual time, bulk synchronous, with staleness bounded by 1 to 16, and
asynchronous, under three models of stragglers. Steps a second, accuracy by steps and by time, time to an accuracy, and
how old the weights were that workers read.

distbelief: test accuracy against virtual time, and the time to a fixed accuracy against machines and cores. SGD,
Downpour with a fixed rate and with Adagrad, and Sandblaster L-BFGS, with 4 to 200 replicas, without and with
stragglers. Gradients are real; only time is simulated, on nodes with 8 ranks and Ethernet of 25 Gbit/s.

adacomm: training loss and test error against virtual time, over slow links, where weights are averaged each 1, 4, 16
and 64 steps, by AdaComm, by post-local SGD, and with slow momentum. Then the loss against the period at several times.

compression: 64 ranks in virtual time. Training loss against time over a slow link and a fast one, by a plain allreduce,
top-k, random-k, QSGD, signs and PowerSGD. What the compressors cost the processor is measured and counts.

hogwild: logistic regression by 1, 2 and 4 threads without locks, with one lock, and in turn. A sparse problem, the
verses of the King James text by their words, for which it needs Debian's package bible-kjv-text, and a dense one,
pictures. Times are real: they are right only on a host that does nothing else.

Trainings run side by side, but for hogwild, each in a process on one core. Pictures are Fashion-MNIST where Debian's
package dataset-fashion-mnist is installed, else drawn digits. large-batch --quick draws digits, unless --data says.

Examples:
  tutti study large-batch
  tutti study large-batch --seeds 2 --out errors.html --json errors.json
  tutti study large-batch --quick
  tutti study adacomm --seeds 3
  tutti study pipeline --out pipelines.html
  tutti study staleness --seeds 3
  tutti study distbelief

Exit status:
  0  the page is written
  1  something failed
  2  the command line is wrong)";

/// So that nobody takes its figures for findings.
void mark_as_quick(study::outcome& made) {
    const std::string words = "A quick study: its few pictures and short trainings show what a page looks like, and "
                              "its figures are no findings.";
    made.page["title"] = "Quick: " + made.page["title"].get<std::string>();
    made.page["lead"] = words + " " + made.page["lead"].get<std::string>();
    made.text = words + "\n" + made.text;
    made.facts["quick"] = true;
}

int run_study(const study::settings& s) {
    if (!s.as_rank.empty())
        return as_rank([&s] {
            study::pipeline_rank(s);
            return 0;
        });
    require_no_launcher("a study starts its processes itself");
    const auto* const found = std::ranges::find(studies, s.name, &study::entry::name);
    const std::string out = s.out.empty() ? s.name + ".html" : s.out;
    const bool quiet = takes_standard_output({out, s.json}, "--out and --json");
    require_sections_page();
    for (const std::string& file : {out, s.json}) require_writable(file);
    progress_line line;
    study::outcome made = found->run(s, line);
    line.clear();
    if (s.quick) mark_as_quick(made);
    if (!quiet) fmt::print("{}\nThe page is {}\n", made.text, out);
    write_whole(sections_page(made.page), out);
    if (!s.json.empty()) write_whole(made.facts.dump(2) + "\n", s.json);
    return 0;
}

std::vector<std::string> names_of_studies() {
    std::vector<std::string> names;
    for (const study::entry& one : studies) names.emplace_back(one.name);
    return names;
}

} // namespace

void add_study(CLI::App& app, action& chosen) {
    auto s = std::make_shared<study::settings>();
    CLI::App* const c = app.add_subcommand("study", study_description);
    c->footer(study_footer);
    c->add_option("study", s->name, "The study")->required()->check(one_of(names_of_studies()))->type_name("NAME");
    c->add_option("--out", s->out, "Write the page to FILE; with - print nothing else [default: NAME.html]")
        ->type_name("FILE");
    c->add_option("--json", s->json, "Also write what was measured to FILE; with - print nothing else")
        ->type_name("FILE");
    c->add_option("--data", s->data, "Read MNIST's files from DIR; or drawn [default: what is installed, else drawn]")
        ->type_name("DIR");
    c->add_option("--seeds", s->seeds, "Runs of each kind of training, at least 2 [default: 5, of pipeline 3]")
        ->check(CLI::Range(2, 100))
        ->type_name("N");
    c->add_option("--epochs", s->epochs, "Passes over the pictures [default: 8, of pipeline 5, of staleness 4]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    c->add_option("--jobs", s->jobs, "Trainings at once [default: one a core]")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    c->add_flag("--quick", s->quick, "Few pictures and short trainings: to see what a page looks like");
    // Of ranks that a study starts.
    c->add_option("--as-rank", s->as_rank)->group("");
    c->add_option("--sleeps", s->sleeps)->expected(3)->group("");
    c->callback([s, &chosen] { chosen = [s] { return run_study(*s); }; });
}

} // namespace tutti::tools
