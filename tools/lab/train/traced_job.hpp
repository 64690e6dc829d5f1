// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step_trace.hpp"
#include "training_job.hpp"

#include <memory>

namespace tutti::tools {

/// A job that tells a trace when its calls came and how long they took. A step is from clear() to the end of step().
class traced_job final : public training_job {
public:
    /// The trace must outlive it.
    traced_job(std::unique_ptr<training_job> of, step_trace& trace) : of_(std::move(of)), trace_(trace) {}

    std::span<const float> weights(std::size_t i) override {
        const step_trace::slice timed(&trace_, "gather weights");
        return of_->weights(i);
    }
    void release(std::size_t i) override { of_->release(i); }
    std::span<float> gradient(std::size_t i) override { return of_->gradient(i); }
    void clear() override {
        trace_.begin_step(of_->steps());
        of_->clear();
    }
    void ready(std::size_t i) override {
        const step_trace::slice timed(&trace_, "move buckets");
        of_->ready(i);
    }
    void finish() override {
        {
            const step_trace::slice timed(&trace_, "wait for buckets");
            of_->finish();
        }
        if (reduces_) trace_.add(of_->activities());
    }
    void reduces(bool does) override {
        reduces_ = does;
        of_->reduces(does);
    }
    std::optional<training::bad_gradient> bad() override { return of_->bad(); }
    std::optional<bad_step> first_bad() override { return of_->first_bad(); }
    void leave_out() override {
        of_->leave_out();
        trace_.end_step();
    }
    void clip(double most) override {
        const step_trace::slice timed(&trace_, "clip");
        of_->clip(most);
    }
    void step(double rate, double loss) override {
        {
            const step_trace::slice timed(&trace_, "update");
            of_->step(rate, loss);
        }
        trace_.end_step();
    }
    bool meets() override { return of_->meets(); }
    std::optional<double> show_average() override { return of_->show_average(); }
    void show_own() override { of_->show_own(); }
    std::optional<training::compressed::traffic> sent() override { return of_->sent(); }
    std::size_t steps() override { return of_->steps(); }
    void save(const std::string& path, std::uint64_t seed) override { of_->save(path, seed); }
    std::uint64_t restore(const std::string& path) override { return of_->restore(path); }
    training::bytes_held bytes() override { return of_->bytes(); }
    std::chrono::nanoseconds exposed() const override { return of_->exposed(); }
    std::span<const training::activity> activities() const override { return of_->activities(); }

private:
    const std::unique_ptr<training_job> of_;
    step_trace& trace_;
    bool reduces_ = true;
};

} // namespace tutti::tools
