// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "server_job.hpp"

#include "support/catch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>

namespace tutti::test::stores {
namespace {

using training::checkpoint_error;
using training::checkpoint_flaw;

/// A folder that is gone afterwards.
struct scratch_folder {
    scratch_folder() : path(std::filesystem::temp_directory_path() / ("tutti-server-" + std::to_string(::getpid()))) {
        std::filesystem::create_directory(path);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path / name; }
    std::filesystem::path path;
};
std::vector<std::string> files_of(const std::string& prefix, int servers) {
    std::vector<std::string> all;
    for (int s = 0; s < servers; ++s) all.push_back(prefix + '.' + std::to_string(s));
    return all;
}

constexpr std::size_t saved_keys = 41;
constexpr int saved_segments = 7;

void push_steps(client& c, int first, int last) {
    for (int step = first; step < last; ++step) {
        c.push(0, some_values(saved_keys, static_cast<unsigned>(step)), 0.1 / (1 + step));
        c.tick();
    }
}

TEST_CASE("a store goes on from its checkpoint on any number of servers, with the same bits") {
    const scratch_folder at;
    const training::adam rule;
    std::vector<float> expected(saved_keys);
    run_store(apart(2, 1, saved_keys), rule, {}, [&](client& c, int) {
        push_steps(c, 0, 6);
        c.get(0, expected);
    });
    for (const auto how : {training::server::asynchronous, training::server::bulk_synchronous}) {
        const std::string prefix = at.file(how.is_bulk ? "bulk" : "free");
        run_store(apart(3, 1, saved_keys, 2, saved_segments), rule, {.how = how, .checkpoint = prefix},
                  [&](client& c, int) {
                      push_steps(c, 0, 3);
                      c.save();
                      push_steps(c, 3, 4); // is no part of it
                  });
        for (const int servers : {1, 2, 4})
            run_store(
                apart(servers, 1, saved_keys, 1, saved_segments), rule, {.how = how},
                [&](client& c, int) {
                    push_steps(c, 3, 6);
                    std::vector<float> got(saved_keys);
                    c.get(0, got);
                    expect(got == expected, "it goes on as if it had not stopped");
                },
                {}, files_of(prefix, 3));
    }
}

/// What is wrong with these files, for a store of one server.
template <class Rule>
checkpoint_flaw flaw_of(const std::vector<std::string>& files, std::uint64_t keys, int segments, Rule rule) {
    std::optional<checkpoint_flaw> flaw;
    run_new_world(2, [&](communicator& world) {
        const links by(world, apart(1, 1, keys, 1, segments));
        if (by.server() < 0) return;
        shard_server<Rule> own(by, rule);
        try {
            own.restore(files);
        } catch (const checkpoint_error& e) {
            flaw = e.flaw();
        }
    });
    expect(flaw.has_value(), "it is refused");
    return *flaw;
}

TEST_CASE("a file that is damaged, foreign, of another store or not there is refused") {
    const scratch_folder at;
    const std::string prefix = at.file("good");
    run_store(apart(2, 1, saved_keys, 1, saved_segments), training::momentum{}, {.checkpoint = prefix},
              [](client& c, int) {
                  push_steps(c, 0, 1);
                  c.save();
              });
    const auto good = files_of(prefix, 2);
    const auto flaw = [&](const std::vector<std::string>& files) {
        return flaw_of(files, saved_keys, saved_segments, training::momentum{});
    };
    CHECK(flaw({good[0]}) == checkpoint_flaw::other_model);
    CHECK(flaw({good[0], at.file("none")}) == checkpoint_flaw::unreadable);
    CHECK(flaw_of(good, saved_keys + 1, saved_segments, training::momentum{}) == checkpoint_flaw::other_model);
    CHECK(flaw_of(good, saved_keys, saved_segments + 1, training::momentum{}) == checkpoint_flaw::other_model);
    CHECK(flaw_of(good, saved_keys, saved_segments, training::adagrad{}) == checkpoint_flaw::other_model);
    std::string bytes;
    {
        std::ifstream from(good[0], std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(from), {});
    }
    const auto with = [&](std::string changed) {
        const std::string path = at.file("bad");
        std::ofstream(path, std::ios::binary) << changed;
        return flaw({path, good[1]});
    };
    for (std::size_t i = 8; i < bytes.size(); i += 37) {
        auto changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 4);
        CHECK(with(changed) == checkpoint_flaw::damaged);
    }
    CHECK(with("no checkpoint of a server, but longer than a header and a checksum of one are together") ==
          checkpoint_flaw::foreign);
    CHECK(with(bytes.substr(0, 20)) == checkpoint_flaw::truncated);
    CHECK(with(bytes.substr(0, bytes.size() - 8)) == checkpoint_flaw::damaged);
}

using stored = std::vector<std::string>; ///< the bytes of files
stored bytes_of(const std::vector<std::string>& files) {
    stored all;
    for (const auto& f : files) {
        std::ifstream from(f, std::ios::binary);
        all.emplace_back(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
    }
    return all;
}
void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// The first value of a store of two servers that is restored from these.
float restored_value(const std::vector<std::string>& files) {
    float got = 0;
    run_store(
        apart(2, 1, saved_keys, 1, saved_segments), training::sgd{}, {},
        [&](client& c, int) {
            std::vector<float> all(saved_keys);
            c.get(0, all);
            for (const float x : all) expect(x == all[0], "all are of one save");
            got = all[0];
        },
        {}, files);
    return got;
}
/// A store of two servers writes `saves` times, with values 1, 2 and so on. The second server has its own place.
void save_times(int saves, const std::string& prefix, const std::string& of_second) {
    run_new_world(3, [&](communicator& world) {
        const links by(world, apart(2, 1, saved_keys, 1, saved_segments));
        if (by.server() >= 0)
            return shard_server<training::sgd>(by, {}, {.checkpoint = by.server() == 0 ? prefix : of_second}).serve();
        client c(by);
        for (int i = 0; i < saves; ++i) {
            c.put(0, std::vector<float>(saved_keys, static_cast<float>(i + 1)));
            if (of_second == prefix)
                c.save();
            else
                expect(fault_of([&] { c.save(); }).peer == 1, "the second server cannot write");
        }
        c.close();
    });
}

TEST_CASE("a save that not all servers have finished leaves the one before it, and saves are not mixed") {
    const scratch_folder at;
    const std::string prefix = at.file("x");
    const auto files = files_of(prefix, 2);
    save_times(1, prefix, prefix);
    const auto first = bytes_of(files);
    save_times(2, prefix, "/no such folder/x");
    CHECK(restored_value(files) == 1);
    CHECK(bytes_of(files) == first);
    save_times(2, prefix, prefix);
    const auto second = bytes_of(files);
    CHECK(restored_value(files) == 2);
    CHECK(std::distance(std::filesystem::directory_iterator(at.path), {}) == 2); // nothing is left of failed ones

    write_file(files[1], first[1]); // it has not got the word that the second save is whole
    write_file(files[1] + ".99", second[1]);
    CHECK(restored_value(files) == 2);
    write_file(files[1] + ".99", second[1].substr(1)); // it has not finished to write
    const auto flaw = [&] { return flaw_of(files, saved_keys, saved_segments, training::sgd{}); };
    CHECK(flaw() == checkpoint_flaw::mixed);
    write_file(files[0] + ".98", first[0]);
    CHECK(restored_value(files) == 1);
    std::filesystem::remove(files[1]);
    CHECK(flaw() == checkpoint_flaw::unreadable);
}

TEST_CASE("a checkpoint is written while its server goes on, one after the other") {
    namespace wire = training::server::detail;
    using wire::answer;
    std::promise<void> released;
    const std::shared_future<void> release = released.get_future().share();
    wire::saver saver;
    const auto ask = [&](int worker, bool succeeds) {
        return saver.ask(worker, {.what = wire::action::save, .sequence = 5}, [&] {
            return [release, succeeds] {
                release.wait();
                return succeeds;
            };
        });
    };
    const auto end_of = [&](int worker, bool succeeds) {
        answer a = answer::later;
        while (a == answer::later) a = ask(worker, succeeds);
        return a;
    };
    CHECK(ask(0, true) == answer::later);
    CHECK(ask(1, false) == answer::later);
    released.set_value();
    CHECK(end_of(0, true) == answer::done);
    CHECK(end_of(1, false) == answer::failed);
    CHECK(ask(2, true) == answer::later);
    saver.forget(2);
    CHECK(end_of(3, true) == answer::done);
}

TEST_CASE("a link to a server's save stays while what it leads to is replaced, and what is no file is not") {
    const scratch_folder at;
    const std::string link = at.file("save.0"), folder = at.file("elsewhere");
    std::filesystem::create_directory(folder);
    std::filesystem::create_symlink("elsewhere/save", link);
    const auto saves = [&](int times) {
        run_store(apart(1, 1, 4), training::sgd{}, {.checkpoint = at.file("save")}, [&](client& c, int) {
            for (int i = 0; i < times; ++i) c.save();
        });
    };
    saves(2);
    CHECK(std::filesystem::is_symlink(link));
    CHECK(training::server::detail::has_save(folder + "/save", 1));
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
    const std::string pipe = at.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::ofstream(pipe + ".7") << "whatever";
    CHECK_FALSE(training::server::detail::keep_save(pipe, 7));
    CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a checkpoint that cannot be written, or has no place, is an error at the worker") {
    for (const char* const prefix : {"", "/no such folder/x"})
        run_store(apart(1, 1, 4), training::sgd{}, {.checkpoint = prefix}, [](client& c, int) {
            const fault f = fault_of([&] { c.save(); });
            expect(f.why == cause::invalid_argument && f.peer == 0, message_of(f));
        });
}

} // namespace
} // namespace tutti::test::stores
