// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "fit/least_squares.hpp"
#include "fit/parameter.hpp"
#include "simulate.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model {

/// The measured time of a call, all of its ranks on one node.
struct sample {
    collective what;    ///< the call
    double seconds = 0; ///< its time
    double spread = 0;  ///< of the seconds, relative to them: 0.1 for 10 %
};

/// The evidence that the samples give for a parameter.
enum class knowledge : std::uint8_t {
    found,      ///< its value, and how far off it may be
    negligible, ///< less than it began with; they cannot tell it from nothing
    unknown,    ///< nothing: it has the value that it began with
};

/// A parameter as it was found.
struct estimate {
    parameter what;                       ///< which one
    double value = 0;                     ///< what was found, in the machine's unit
    double spread = 0;                    ///< standard error, relative to the value
    knowledge known = knowledge::unknown; ///< what is known of it
};

/// A machine as samples have it.
struct fitted {
    machine found;                    ///< the machine with these values
    std::vector<estimate> parameters; ///< in the order in which they were given
    std::vector<double> predicted_s;  ///< by sample
};

namespace detail {

/// Predicts the samples from a machine.
class fitting {
public:
    fitting(std::span<const sample> samples, const machine& start, std::span<const parameter> parameters)
        : samples_(samples), start_(start), parameters_(parameters), free_(parameters.size(), true),
          tested_(parameters.size(), false) {
        runs_.reserve(samples.size());
        for (const sample& s : samples) {
            if (!(s.seconds > 0)) reject("fit", "a sample took no time");
            runs_.emplace_back(s.what, s.what.size);
        }
        for (const parameter& p : parameters)
            if (!(p.value(start) > 0)) reject("fit", "a parameter must begin above 0: it is fitted by factors");
    }

    /// Fits all parameters. One that the samples hardly determine keeps its first value, if the fit is no worse.
    [[nodiscard]] fitted run() {
        solution best(*this);
        for (std::size_t tried = 0; tried < parameters_.size(); ++tried) {
            const std::size_t vague = vaguest(best);
            if (vague == parameters_.size()) break;
            tested_[vague] = true;
            free_[vague] = false;
            const solution without(*this);
            free_[vague] = without.loss() > best.loss() * (1 + worse / best.freedom());
            if (!free_[vague]) best = without;
        }
        return report(best);
    }

private:
    static constexpr double doubtful = 0.7;    ///< a standard error: may be twice as much, or half
    static constexpr double worse = 4;         ///< two standard errors: squares that many times their mean
    static constexpr double usual_error = 0.1; ///< of such a model

    struct residuals {
        const fitting* of;
        [[nodiscard]] std::vector<double> operator()(const std::vector<double>& logarithms) const {
            return of->residuals_at(logarithms);
        }
    };
    struct solution : least_squares<residuals> {
        explicit solution(const fitting& f) : least_squares(f.unknowns(), residuals{&f}, {}) {}
    };

    [[nodiscard]] std::size_t unknowns() const noexcept {
        return static_cast<std::size_t>(std::count(free_.begin(), free_.end(), true));
    }
    [[nodiscard]] machine at(const std::vector<double>& logarithms) const {
        machine m = start_;
        for (std::size_t i = 0, k = 0; i < parameters_.size(); ++i)
            parameters_[i].set(m, parameters_[i].value(start_) * (free_[i] ? std::exp(logarithms[k++]) : 1));
        m.far = m.near;
        return m;
    }
    [[nodiscard]] std::vector<double> predictions(const machine& m) const {
        std::vector<double> seconds;
        seconds.reserve(runs_.size());
        for (const simulation& s : runs_) seconds.push_back(s.run(m).finish_s);
        return seconds;
    }
    /// Errors are relative, so short and long calls count alike. Samples that scatter count less.
    [[nodiscard]] std::vector<double> residuals_at(const std::vector<double>& logarithms) const {
        std::vector<double> off = predictions(at(logarithms));
        for (std::size_t i = 0; i < off.size(); ++i)
            off[i] = std::log(off[i] / samples_[i].seconds) / std::hypot(1, samples_[i].spread / usual_error);
        return off;
    }

    /// Of the parameters that are not well known, and not yet tested, the one that is known least; or their number.
    [[nodiscard]] std::size_t vaguest(const solution& s) const {
        double most = doubtful;
        std::size_t found = parameters_.size();
        for (std::size_t i = 0, k = 0; i < parameters_.size(); ++i) {
            if (!free_[i]) continue;
            const double spread = s.standard_error(k++);
            if (tested_[i] || spread <= most) continue;
            most = spread;
            found = i;
        }
        return found;
    }

    [[nodiscard]] fitted report(const solution& best) const {
        fitted f{at(best.at()), {}, {}};
        for (std::size_t i = 0, k = 0; i < parameters_.size(); ++i) {
            estimate e{parameters_[i], parameters_[i].value(f.found)};
            if (free_[i]) {
                e.spread = best.standard_error(k);
                const bool gone = (e.spread > doubtful && best.at()[k] < 0) || best.at()[k] <= -best.bound();
                ++k;
                e.known = gone ? knowledge::negligible : knowledge::found;
            }
            f.parameters.push_back(e);
        }
        f.predicted_s = predictions(f.found);
        return f;
    }

    std::span<const sample> samples_;
    machine start_;
    std::span<const parameter> parameters_;
    std::vector<bool> free_;   ///< by parameter: not as it began
    std::vector<bool> tested_; ///< by parameter: whether the samples need it
    std::vector<simulation> runs_;
};

} // namespace detail

/// The machine whose predictions are closest to the samples: by the logarithm of predicted over measured, so that 10 %
/// of a microsecond weigh as much as 10 % of a second. Robust: a few samples that are far off move little. What the
/// samples do not identify stays as `start` has it, and is told so. Deterministic. Prices are for messages near by; the
/// ranks of each sample share one node. Costs a few hundred simulations of each sample.
/// Throws tutti::error(invalid_argument) where a sample took no time or a parameter begins at 0.
[[nodiscard]] inline fitted fit(std::span<const sample> samples, const machine& start,
                                std::span<const parameter> parameters) {
    return detail::fitting(samples, start, parameters).run();
}

} // namespace tutti::model
