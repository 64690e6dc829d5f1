// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/checkpoint.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace tutti::test::checkpoints {
namespace {

using training::checkpoint_flaw;
using training::parameter;
using training::stage;
using trainer = training::sharded<communicator, training::adam>;

const std::vector<parameter> layers{{"a", 30}, {"b", 7}, {"c", 101}, {"d", 1}};
const training::bucket_options options{.bytes = {.first = 200, .most = 200}, .how = algorithm::ring{}};

/// A folder of one case, which goes with it.
struct folder {
    folder() : path(std::filesystem::temp_directory_path() / ("tutti-checkpoint-" + std::to_string(::getpid()))) {
        std::filesystem::create_directory(path);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { std::filesystem::remove_all(path); }
    [[nodiscard]] std::string file() const { return path / "job"; }
    std::filesystem::path path;
};

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void put(const std::string& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

/// The same on every rank and any number of ranks, so that jobs of different sizes can be compared.
void one_step(trainer& t, std::size_t step) {
    std::mt19937 random(static_cast<unsigned>(step));
    for (std::size_t i = layers.size(); i-- > 0;) {
        for (float& g : t.gradient(i)) g = static_cast<float>(random() % 64);
        t.ready(i);
    }
    t.finish();
    t.step(0.1);
}
std::vector<float> weights_of(trainer& t) {
    std::vector<float> all;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto w = t.weights(i);
        all.insert(all.end(), w.begin(), w.end());
        t.release(i);
    }
    return all;
}

/// A job of that many ranks that goes on from a file, or begins, makes some steps and is saved.
std::vector<float> job(int ranks, stage s, std::size_t from, std::size_t to, const std::string& path) {
    std::vector<float> result;
    run_world(ranks, [&](const communicator& world) {
        trainer t(world, layers, s, {}, std::vector<float>(139, 1), options);
        static_cast<void>(weights_of(t)); // which restoring must not keep
        if (from > 0) expect(restore(world, path, t) == 77, "the seed");
        expect(t.own_optimizer().steps() == from, "the step");
        for (std::size_t step = from; step < to; ++step) one_step(t, step);
        save(world, path, t, 77);
        const auto all = weights_of(t);
        if (world.rank() == 0) result = all;
    });
    return result;
}

/// What restoring says on every rank of two.
void expect_flaw(const std::string& path, checkpoint_flaw flaw, const std::string& words,
                 const std::vector<parameter>& of = layers) {
    run_world(2, [&](const communicator& world) {
        const training::bucket_plan plan(of, options.bytes);
        std::vector<float> weights(plan.elements(), 5);
        training::optimizer<training::adam> optimizer(of, {});
        try {
            restore(world, path, plan, std::span(weights), optimizer);
        } catch (const training::checkpoint_error& e) {
            expect(e.flaw() == flaw && has(e.what(), words) && has(e.what(), path), e.what());
            expect(e.why() == cause::file && has(e.what(), "tutti: file error in restore: " + path), e.what());
            expect(std::count(weights.begin(), weights.end(), 5) == static_cast<std::ptrdiff_t>(weights.size()),
                   "nothing has changed");
            return world.barrier();
        }
        expect(false, "an error: " + words);
    });
}

/// 80 bytes with a right checksum, whose header sums up to them modulo 2^64.
std::string of_lengths_that_wrap() {
    training::detail::checkpoint_header h;
    h.text_bytes = std::uint64_t{1} << 63;
    h.elements = 1;
    h.arrays = (std::uint64_t{1} << 61) + 2;
    std::string bytes(sizeof h, ' ');
    std::memcpy(bytes.data(), &h, sizeof h);
    bytes += "8 bytes.";
    training::detail::checksum all;
    all.add(std::as_bytes(std::span(bytes)));
    const std::uint64_t sum = all.value();
    return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

} // namespace

TEST_CASE(
    "a job goes on from its checkpoint on any number of ranks, in any stage, to the bits of one that never ended") {
    const folder f;
    const auto straight = job(2, stage::states, 0, 4, f.file());
    // A power of two of equal gradients gives an average without rounding.
    for (const auto& [ranks, s] : {std::pair{1, stage::states}, std::pair{4, stage::parameters},
                                   std::pair{2, stage::gradients}, std::pair{8, stage::parameters}}) {
        job(2, stage::parameters, 0, 2, f.file());
        CHECK(job(ranks, s, 2, 4, f.file()) == straight);
    }
}

TEST_CASE("a job whose ranks have all goes on from a sharded one, and back; the file is the same") {
    const folder f;
    job(4, stage::parameters, 0, 3, f.file());
    const auto before = content_of(f.file());
    for (const int size : {1, 3})
        run_world(size, [&](const communicator& world) {
            const training::bucket_plan plan(layers, {});
            std::vector<float> weights(139);
            training::optimizer<training::adam> optimizer(layers, {});
            const auto seed = restore(world, f.file(), plan, std::span(weights), optimizer);
            world.barrier();
            save(world, f.file(), plan, std::span(weights), optimizer, seed);
        });
    CHECK(content_of(f.file()) == before);
    CHECK(std::distance(std::filesystem::directory_iterator(f.path), {}) == 1); // nothing is left beside it
}

TEST_CASE("every flaw of a file is told on all ranks by its kind, and changes nothing") {
    const folder f;
    const std::string path = f.file();
    expect_flaw(path, checkpoint_flaw::unreadable, "No such file");
    job(2, stage::states, 0, 1, path);
    const std::string good = content_of(path);
    put(path, good.substr(0, good.size() - 1));
    expect_flaw(path, checkpoint_flaw::truncated, "where its header says");
    put(path, good + "x");
    expect_flaw(path, checkpoint_flaw::truncated, "where its header says");
    put(path, good.substr(0, 20));
    expect_flaw(path, checkpoint_flaw::truncated, "20 bytes, no header");
    for (std::size_t at = 40; at < good.size(); at += 97) {
        auto bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 4);
        put(path, bad);
        expect_flaw(path, checkpoint_flaw::damaged, "checksum");
    }
    put(path, std::string(good.size(), 'x'));
    expect_flaw(path, checkpoint_flaw::foreign, "no checkpoint");
    auto newer = good;
    newer[8] = 2;
    put(path, newer);
    expect_flaw(path, checkpoint_flaw::version, "version 2, not 1");
    put(path, of_lengths_that_wrap());
    expect_flaw(path, checkpoint_flaw::truncated, "has 80 bytes where its header says");
    put(path, good);
    auto other = layers;
    other[2].elements = 100;
    expect_flaw(path, checkpoint_flaw::other_model, "has \"c, 101 elements\" where this one has \"c, 100 elements\"",
                other);
}

TEST_CASE("weights or an optimizer of other parameters are refused, before anything is read or written") {
    const folder f;
    run_world(2, [&](const communicator& world) {
        const training::bucket_plan plan(layers, options.bytes);
        std::vector<float> weights(139);
        training::optimizer<training::adam> whole(layers, {}), shard(layers, {}, {{0, 0, 30}});
        const auto few = std::span(weights).first(138);
        expect(has(fault_of([&] { save(world, f.file(), plan, few, whole, 1); }).detail,
                   "138 elements, not the 139 of all parameters"),
               "few weights");
        expect(has(fault_of([&] { restore(world, f.file(), plan, std::span(weights), shard); }).detail, "30 elements"),
               "the state of a part");
    });
    CHECK(std::filesystem::is_empty(f.path));
}

TEST_CASE("a link to a checkpoint stays while its file is replaced, and devices and pipes are written to") {
    const folder f;
    const std::string target = f.path / "the latest", pipe = f.path / "pipe", device = f.path / "null";
    std::filesystem::create_symlink("the latest", f.file());
    job(2, stage::gradients, 0, 1, f.file());
    std::ifstream before(target, std::ios::binary);
    const std::string first = content_of(target);
    job(2, stage::gradients, 1, 2, f.file());
    CHECK(std::filesystem::is_symlink(f.file()));
    CHECK(std::string{std::istreambuf_iterator<char>(before), {}} == first); // it was not written into
    const std::string second = content_of(target);
    CHECK((second.size() == first.size() && second != first));

    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    job(2, stage::gradients, 0, 1, pipe);
    std::string read(first.size() + 1, ' '); // a pipe holds more
    const ssize_t bytes = ::read(reader, read.data(), read.size());
    ::close(reader);
    REQUIRE(bytes == static_cast<ssize_t>(first.size()));
    CHECK(read.substr(0, first.size()) == first);
    CHECK(std::filesystem::is_fifo(pipe));
    if (::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) == 0) { // few may do that
        job(2, stage::gradients, 0, 1, device);
        CHECK(std::filesystem::is_character_file(device));
    }
    CHECK(std::distance(std::filesystem::directory_iterator(f.path), {}) <= 4); // nothing is left beside them
}

TEST_CASE("a checkpoint that cannot be written is told on all ranks") {
    const folder f;
    run_world(3, [&](const communicator& world) {
        trainer t(world, layers, stage::gradients, {}, std::vector<float>(139), options);
        try {
            save(world, f.file() + "/below/a/file", t, 1);
        } catch (const training::checkpoint_error& e) {
            expect(e.flaw() == checkpoint_flaw::unwritable && has(e.what(), "cannot be created"), e.what());
            return world.barrier();
        }
        expect(false, "an error");
    });
}

TEST_CASE("a checkpoint keeps the permissions of its file; a pipe without a reader and a long file are errors") {
    const folder f;
    job(1, stage::gradients, 0, 1, f.file());
    REQUIRE(::chmod(f.file().c_str(), 0600) == 0);
    job(1, stage::gradients, 1, 2, f.file());
    CHECK(std::filesystem::status(f.file()).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

    const auto words_of = [](const std::string& path) {
        training::detail::checkpoint_writer out(path);
        out.write(std::vector<std::byte>(2000));
        out.place();
        return std::string(out.fault()->what());
    };
    const std::string pipe = f.path / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(has(words_of(pipe), "nobody reads it"));

    rlimit usual{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
    const rlimit least{1000, usual.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &least) == 0);
    const std::string words = words_of(f.file());
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
    CHECK(has(words, "file size limit"));
}

} // namespace tutti::test::checkpoints
