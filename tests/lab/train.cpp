// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/digits.hpp"

#include "../tools/command.hpp"
#include "sentences.hpp"

#include "support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

using Catch::Contains;
using namespace tutti::tools;
using tools_test::command;
using tools_test::occurrences;

namespace {

std::string last_line_but(const std::string& text, const std::string& ending) {
    std::string last;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);)
        if (line.size() >= ending.size() && line.substr(line.size() - ending.size()) == ending) last = line;
    return last;
}

// The hash of the weights after the last epoch: the only word of 16 hexadecimal digits.
std::string weights_of_epoch(const std::string& output) {
    std::istringstream words{last_line_but(output, "ranks")};
    for (std::string word; words >> word;)
        if (word.size() == 16 && word.find_first_not_of("0123456789abcdef") == word.npos) return word;
    return {};
}

void write_idx(const std::string& path, const std::string& header, const std::vector<std::uint8_t>& data) {
    std::ofstream out{path, std::ios::binary};
    out << header;
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
}

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

} // namespace

TEST_CASE("drawn digits are the same every time, and whoever draws them") {
    const dataset all = draw_digits(60, 1), again = draw_digits(60, 1), other = draw_digits(60, 2);
    CHECK(all.images == again.images);
    CHECK(all.labels == again.labels);
    CHECK(all.images != other.images);
    const dataset second = draw_digits(60, 1, {1, 3});
    REQUIRE(second.size() == 20);
    for (std::size_t i = 0; i < second.size(); ++i) {
        REQUIRE(second.labels[i] == all.labels[3 * i + 1]);
        REQUIRE(std::equal(second.image(i).begin(), second.image(i).end(), all.image(3 * i + 1).begin()));
    }
}

TEST_CASE("no two drawn digits are alike") {
    const dataset set = draw_digits(300, 1);
    for (std::size_t i = 1; i < set.size(); ++i)
        REQUIRE(!std::equal(set.image(i).begin(), set.image(i).end(), set.image(i - 1).begin()));
}

TEST_CASE("four ranks over TCP reach 95 % on drawn digits with bit-identical weights, in a minute") {
    const auto r = command("train --ranks 4 --data drawn --epochs 4");
    INFO(r.output);
    REQUIRE(r.status == 0);
    CHECK(r.seconds < 60);
    CHECK(occurrences(r.output, "bit-identical on all 4 ranks") == 4);
    std::istringstream last{last_line_but(r.output, "ranks")};
    double epoch = 0, loss = 0, train = 0, test = 0;
    char percent = 0;
    last >> epoch >> loss >> train >> percent >> test;
    CHECK(test >= 95);
}

TEST_CASE("equal settings give equal weights, over every transport") {
    const std::string settings =
        "train --ranks 3 --epochs 1 --pictures 1500 --hidden 32,16 --batch 50 --algorithm ring";
    const auto memory = command(settings + " --transport memory"), tcp = command(settings + " --transport tcp");
    CHECK(memory.status == 0);
    const std::string weights = weights_of_epoch(memory.output);
    CHECK(weights.size() == 16);
    CHECK_THAT(tcp.output, Contains(weights));
    const auto routed = command("run -n 3 --pretend-hosts 2 " + std::string(std::getenv("TUTTI_COMMAND")) + " " +
                                settings + " --transport routed");
    CHECK_THAT(routed.output, Contains(weights));
}

TEST_CASE("all modes give the same weights, over every transport") {
    const std::string settings = "train --ranks 3 --epochs 1 --pictures 400 --hidden 16,8 --batch 50 --algorithm ring "
                                 "--microbatches 2 --clip 1 --optimizer lars --bucket-bytes 3000 ";
    const auto first = command(settings + "--transport memory");
    INFO(first.output);
    REQUIRE(first.status == 0);
    const std::string weights = weights_of_epoch(first.output);
    REQUIRE(weights.size() == 16);
    for (const std::string other :
         {"--mode zero1 --transport memory", "--mode zero2 --transport tcp", "--mode zero2 --transport shared_memory",
          "--mode zero3 --transport memory", "--mode zero3 --transport tcp --progress by_waiters"})
        CHECK_THAT(command(settings + other).output, Contains(weights));
}

TEST_CASE("a transformer has the same weights in ddp and zero, and in a pipeline, over every transport") {
    const std::string settings = "train --model transformer --data " + sentences_file() +
                                 " --sequences 8 --batch 8 --epochs 2 --width 16 --layers 1 --context 8 "
                                 "--algorithm ring --microbatches 2 --clip 1 ";
    const auto first = command(settings + "--ranks 2 --transport memory");
    INFO(first.output);
    REQUIRE(first.status == 0);
    CHECK_THAT(first.output,
               Contains("8 sequences of 8 characters (" + sentences_file() + ")") && Contains("perplexity"));
    const std::string weights = weights_of_epoch(first.output);
    REQUIRE(weights.size() == 16);
    for (const std::string other :
         {"--ranks 2 --mode zero3 --bucket-bytes 3000 --transport tcp", "--ranks 2 --mode zero1 --transport memory",
          "--ranks 4 --mode pipeline --stages 2 --transport tcp",
          "--ranks 4 --mode pipeline --stages 2 --pipeline gpipe --transport shared_memory"})
        CHECK_THAT(command(settings + other).output, Contains(weights));
}

TEST_CASE("virtual time changes no bit of the weights, and is the same in every run") {
    const std::string settings =
        "train --data drawn --pictures 320 --hidden 16 --batch 32 --epochs 1 --algorithm ring ";
    const std::string slow = settings + "--virtual 8 --compute 'lognormal(100ms,0.3)' --stragglers 'slow(3,10x)'";
    const auto virtually = command(slow);
    INFO(virtually.output);
    REQUIRE(virtually.status == 0);
    const std::string weights = weights_of_epoch(virtually.output);
    REQUIRE(weights.size() == 16);
    for (const std::string real : {"--ranks 8 --transport memory", "--virtual 8 --mode zero2"})
        CHECK_THAT(command(settings + real).output, Contains(weights));
    const std::string time = last_line_but(virtually.output, " s");
    REQUIRE(time.starts_with("virtual time "));
    CHECK(std::stod(time.substr(13)) > 5); // ten steps, each of them as slow as rank 3
    CHECK(last_line_but(command(slow).output, " s") == time);
    CHECK(last_line_but(command(slow + " --seed 2").output, " s") != time);
}

TEST_CASE(
    "what is said of weights is so: threads that share one memory have no equal copies, and the slowest ends last") {
    const std::string small = " --data drawn --pictures 64 --hidden 8 --epochs 1";
    const auto shared = command("train --mode hogwild --transport memory --ranks 2" + small);
    CHECK_THAT(shared.output, Contains("in the one memory of 2 ranks") && !Contains("bit-identical"));
    const auto bounded = command("train --mode ssp --virtual 3" + small);
    CHECK_THAT(bounded.output, Contains(" s, until the slowest worker has made its own steps"));
}

TEST_CASE("virtual time is refused where it cannot be, in a sentence") {
    const std::string line = "train --pictures 64 --virtual 2 ";
    for (const std::string wrong :
         {"--compute soon", "--compute 'lognormal(1s)'", "--compute 'constant(1s,2)'", "--stragglers 'slow(1,2)'",
          "--stragglers 'random(2,5x)'", "--stragglers 'slow(2,10x)'", "--ranks 2", "--progress by_waiters"})
        CHECK(command(line + wrong).status == 2);
    CHECK_THAT(command(line + "--compute soon").output, Contains("'soon' is none of constant(100ms)"));
}

TEST_CASE("ways to communicate less are refused outside of their modes, in a sentence") {
    const std::string line = "train --pictures 64 --ranks 2 --transport memory ";
    for (const std::string wrong :
         {"--period 4", "--mode gossip --slow-momentum 0.5", "--graph torus", "--mode zero1 --compress sign",
          "--compress much", "--mode local --wire bfloat16", "--mode local --checkpoint x --resume",
          "--mode hogwild --optimizer adam", "--mode hogwild --checkpoint x", "--mode hogwild --algorithm ring",
          "--mode sandblaster --learning-rate 0.1", "--mode bsp --staleness 9", "--mode ssp --wire bfloat16"})
        CHECK(command(line + wrong).status == 2);
    CHECK_THAT(command(line + "--period 4").output, Contains("--period is for mode local"));
    CHECK_THAT(command("train --mode hogwild --ranks 2").output, Contains("say --transport memory"));
}

TEST_CASE("the average of weights is in a checkpoint, which tests as it did") {
    const std::string file = "/tmp/tutti-average-" + std::to_string(getpid());
    const std::string line = "train --pictures 256 --transport memory --optimizer sgd --checkpoint " + file;
    const auto made = command(line + " --mode local --period 3 --epochs 1 --ranks 4");
    const auto tested = command(line + " --evaluate --ranks 1");
    remove(file.c_str());
    INFO(made.output << tested.output);
    REQUIRE((made.status == 0 && tested.status == 0));
    const std::size_t at = tested.output.find("weights ");
    REQUIRE(at != std::string::npos);
    CHECK_THAT(made.output, Contains(tested.output.substr(at + 8, 16) + " average, "));
}

TEST_CASE("a model in parts goes on from its checkpoints, a file for each part") {
    const std::string file = "/tmp/tutti-parts-" + std::to_string(getpid());
    const std::string line = "train --transport memory --model transformer --data " + sentences_file() +
                             " --sequences 8 --batch 8 --width 16 --layers 1 --context 8 --mode 3d --ranks 4 "
                             "--schedule constant ";
    const auto whole = command(line + "--epochs 2");
    REQUIRE(whole.status == 0);
    CHECK(command(line + "--epochs 1 --checkpoint " + file).status == 0);
    const std::string torn = file + ".stage0.part1", earlier = file + ".earlier";
    std::filesystem::copy_file(torn, earlier);
    const auto rest = command(line + "--epochs 2 --resume --checkpoint " + file);
    INFO(rest.output);
    CHECK(weights_of_epoch(rest.output) == weights_of_epoch(whole.output));
    CHECK_THAT(rest.output, Contains("in parts on 1 x 2 x 2 ranks"));
    std::filesystem::rename(earlier, torn); // as after a job that has died while it saved
    const auto mixed = command(line + "--epochs 3 --resume --checkpoint " + file);
    CHECK(mixed.status == 1);
    CHECK_THAT(mixed.output, Contains("are of different steps, 1 to 2"));
    REQUIRE(truncate(torn.c_str(), 100) == 0);
    const auto lost = command(line + "--epochs 3 --resume --checkpoint " + file);
    CHECK(lost.status == 1);
    CHECK_THAT(lost.output, Contains("100 bytes where its header says"));
    CHECK_THAT(lost.output, Contains("the file of another part of " + file + " failed"));
    for (const std::string part : {".stage0.part0", ".stage0.part1", ".stage1.part0", ".stage1.part1"})
        CHECK(std::remove((file + part).c_str()) == 0);
}

TEST_CASE("settings that do not fit the ranks are refused in a sentence") {
    const std::string line = "train --transport memory --pictures 64 ";
    CHECK_THAT(command(line + "--ranks 3 --stages 2").output, Contains("--stages is for the modes pipeline and 3d"));
    CHECK_THAT(command(line + "--ranks 3 --mode pipeline --stages 2").output,
               Contains("3 ranks are not D times 2 stages"));
    CHECK_THAT(command(line + "--ranks 2 --mode pipeline --microbatches 3").output,
               Contains("a batch of 64 has no 3 equal microbatches on each of 1 replica"));
    CHECK_THAT(command("train --transport memory --model transformer --data /tmp").output,
               Contains("cannot read /tmp: Is a directory"));
    const tools_test::folder here;
    for (const std::string& few :
         {std::string(), std::string(640, 'a')}) // a tenth of 640 is no more than a context of 64
        CHECK_THAT(command("train --transport memory --model transformer --data " + here.write("few", few)).output,
                   Contains("few is too short: a tenth of it must have more than --context 64 characters"));
    CHECK_THAT(command(line + "--mode tensor --optimizer lars").output, Contains("lars needs the norms"));
    CHECK_THAT(command(line + "--ranks 8 --mode pipeline").output, Contains("a network of 5 layers has no 8 chunks"));
}

TEST_CASE("a training that goes on from a checkpoint in another mode has the weights of one without a break") {
    const std::string file = "/tmp/tutti-train-" + std::to_string(getpid());
    const std::string settings = "train --transport memory --pictures 200 --hidden 8 --batch 50 --algorithm ring "
                                 "--optimizer adam --schedule constant ";
    const std::string line = settings + "--ranks 2 ";
    const auto whole = command(line + "--epochs 3");
    REQUIRE(whole.status == 0);
    CHECK(command(line + "--mode zero3 --epochs 2 --checkpoint " + file).status == 0);
    const auto rest = command(line + "--epochs 3 --resume --checkpoint " + file);
    INFO(rest.output);
    CHECK(weights_of_epoch(rest.output) == weights_of_epoch(whole.output));
    CHECK(occurrences(rest.output, "bit-identical") == 1);
    CHECK(command(settings + "--mode zero2 --ranks 3 --epochs 5 --resume --checkpoint " + file).status == 0);
    CHECK_THAT(command(line + "--seed 2 --resume --checkpoint " + file).output, Contains("was made with --seed 1"));
    std::remove(file.c_str());
}

TEST_CASE("Ctrl-C ends all ranks after a step, with a checkpoint from which they go on") {
    const std::string file = "/tmp/tutti-interrupted-" + std::to_string(getpid());
    const std::string line =
        "train --ranks 2 --pictures 200 --hidden 8 --batch 20 --epochs 1000000 --checkpoint " + file;
    const std::string program = std::getenv("TUTTI_COMMAND");
    const auto r =
        tools_test::shell("env -u TUTTI_RANK timeout --preserve-status -k 5 -s INT 2 " + program + " " + line);
    INFO(r.output);
    CHECK(r.status == 130);
    CHECK_THAT(r.output, Contains("interrupted after step") && Contains("which " + file + " has"));
    CHECK(access(file.c_str(), R_OK) == 0);
    std::remove(file.c_str());
}

TEST_CASE("a batch smaller than the ranks is what it says, and what a pipeline leaves out is told") {
    const std::string line = "train --transport memory --pictures 100 --hidden 8 --epochs 1 --ranks 4 ";
    const auto small = command(line + "--batch 3");
    INFO(small.output);
    CHECK(small.status == 0);
    CHECK_THAT(small.output, Contains("34 steps an epoch, batches of 3") &&
                                 Contains("a batch of 3 has no example for each of 4 replicas"));
    CHECK_THAT(command(line + "--mode pipeline --batch 32 --stages 2").output,
               Contains("3 steps an epoch") && Contains("4 of 100 examples are left out of each epoch"));
}

TEST_CASE("numbers that are none are refused before anything starts") {
    const std::string line = "train --transport memory --pictures 64 --epochs 1 --ranks 2 ";
    for (const std::string wrong :
         {"--clip nan", "--warm-up nan", "--learning-rate nan", "--mode local --slow-momentum nan", "--clip inf",
          "--clip -1", "--learning-rate -1", "--mode bsp --silence nan", "--mode bsp --silence 0"})
        CHECK(command(line + wrong).status == 2);
    CHECK_THAT(command(line + "--clip nan").output, Contains("nan is no number"));
    CHECK(command("train --pictures 64 --virtual 2 --stragglers 'slow(1,infx)'").status == 2);
}

TEST_CASE("MNIST's files are read, and what is wrong with them is said") {
    char name[] = "/tmp/tutti-train-XXXXXX";
    const std::string directory = mkdtemp(name);
    const std::string line = "train --transport memory --ranks 2 --epochs 1 --batch 20 --data " + directory;
    CHECK(command(line).status == 1);
    CHECK_THAT(command(line).output, Contains("there is no " + directory + "/train-images-idx3-ubyte"));
    for (const std::string set : {"train", "t10k"}) {
        const dataset drawn = draw_digits(200, 5);
        write_idx(directory + "/" + set + "-images-idx3-ubyte",
                  big_endian(0x803) + big_endian(200) + big_endian(28) + big_endian(28), drawn.images);
        write_idx(directory + "/" + set + "-labels-idx1-ubyte", big_endian(0x801) + big_endian(200), drawn.labels);
    }
    const auto r = command(line);
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("200 training pictures (" + directory + ")"));
    REQUIRE(std::system(("gzip " + directory + "/train*").c_str()) == 0);
    CHECK_THAT(command(line).output, Contains(weights_of_epoch(r.output)));
    REQUIRE(truncate((directory + "/t10k-images-idx3-ubyte").c_str(), 1000) == 0);
    CHECK_THAT(command(line).output,
               Contains("t10k-images-idx3-ubyte: has 984 bytes of data where its header says 156800"));
    write_idx(directory + "/t10k-images-idx3-ubyte",
              big_endian(0x803) + big_endian(200) + big_endian(14) + big_endian(14),
              std::vector<std::uint8_t>(std::size_t{200} * 14 * 14));
    CHECK_THAT(command(line).output, Contains("training pictures have 784 pixels, and test pictures 196"));
    (void)!std::system(("rm -rf " + directory).c_str());
}

TEST_CASE("without --data it is Fashion-MNIST, where that is installed, and with --pictures drawn digits") {
    const std::string line = "train --transport memory --ranks 2 --epochs 1 --hidden 8 ";
    const bool installed = has_digits(fashion_mnist);
    if (!installed) WARN("dataset-fashion-mnist is not installed: tools/install-dependencies training");
    CHECK_THAT(command(line + "--batch 16000").output,
               Contains(installed ? std::string("60000 training pictures (") + fashion_mnist + ")"
                                  : std::string("16000 training pictures (drawn)")));
    CHECK_THAT(command(line + "--pictures 40 --batch 20").output, Contains("40 training pictures (drawn)"));
}
