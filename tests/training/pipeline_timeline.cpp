// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/pipeline/timeline.hpp>

#include <training/pipeline/all.hpp>

#include "support/catch.hpp"

#include <string_view>

using namespace tutti::training;

namespace {

pipeline::timeline timed(std::string_view name, pipeline::shape of, const pipeline::costs& c = {}) {
    return timeline_of(pipeline::by_name(name).write(of), c);
}

} // namespace

TEST_CASE("the bubbles of the flushed schedules come out of their steps as the papers state them") {
    for (int s = 1; s <= 16; ++s)
        for (int m = 1; m <= 16; ++m) {
            INFO(s << " stages, " << m << " microbatches");
            for (const char* name : {"gpipe", "one_f_one_b"}) {
                const auto t = timed(name, {s, m});
                CHECK(t.makespan_s == Approx(3. * (m + s - 1)));
                for (int w = 0; w < s; ++w) CHECK(t.bubble(w) == Approx((s - 1.) / (m + s - 1)).margin(1e-9));
            }
            for (int v = 1; v <= 4; ++v) {
                const auto t = timed("interleaved", {s, m, v});
                const double ideal = (s - 1.) / (v * m + s - 1);
                if (m % s == 0)
                    CHECK(t.bubble(s - 1) == Approx(ideal).margin(1e-9));
                else
                    CHECK(t.bubble(s - 1) >= ideal - 1e-9);
            }
        }
}

TEST_CASE("PipeDream has no bubble but at the start and the end") {
    for (const char* name : {"pipedream", "pipedream_vertical_sync", "pipedream_2bw"})
        for (int s = 1; s <= 8; ++s) {
            const auto t = timed(name, {s, 64});
            CHECK(t.makespan_s == Approx(3. * (64 + s - 1)));
        }
}

TEST_CASE("messages and updates take their time") {
    // One microbatch goes down and up 4 stages: 3 messages each way.
    for (const char* name : {"gpipe", "one_f_one_b", "pipedream"}) {
        pipeline::costs c{2, 5, 1, .5, .001, 1000};
        CHECK(timed(name, {4, 1}, c).makespan_s == Approx(4 * 7 + 6 * 1.5 + 1));
        c.eager = true;
        CHECK(timed(name, {4, 1}, c).makespan_s == Approx(4 * 7 + 6 * 1.5 + 1));
    }
    // An eager message travels while its receiver computes.
    pipeline::costs c{1, 1, 0, 1, 0, 0};
    const double waiting = timed("gpipe", {2, 8}, c).makespan_s;
    c.eager = true;
    CHECK(timed("gpipe", {2, 8}, c).makespan_s < waiting);
}

TEST_CASE("a message lasts from when both ends have started, and its receiver's forward follows it") {
    const auto p = pipeline::write<pipeline::gpipe>({2, 1});
    const auto t = timeline_of(p, {.forward_s = 2, .alpha_s = 3});
    CHECK(p.workers[0][1].what == pipeline::action::send_activation);
    CHECK(t.steps[0][1].begin_s == 2);
    CHECK(t.steps[0][1].end_s == 5);
    CHECK(t.steps[1][0].end_s == 5);
    CHECK(t.steps[1][1].begin_s == 5);
    CHECK(t.busy_s[1] == 4);
}
