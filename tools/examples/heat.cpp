// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The heat equation on a square plate whose left edge is hot, by Jacobi's method. The ranks form a grid, and each has
// one rectangle of the plate with a border one point wide. Before each step neighbours exchange their edges (a halo
// exchange); all stop together when no point changes by more than a tolerance.
//
//   tutti run -n 4 -- heat 200
//
// Source: Gropp, Lusk and Skjellum, Using MPI, MIT Press, chapter 4.

#include <tutti/collectives/cartesian.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <vector>

using communicator = tutti::communicator<tutti::transport::tcp>;

namespace {

/// Consecutive points of one dimension of the plate.
struct interval {
    int first, count;
    static interval part(int points, int parts, int part) {
        const auto bound = [&](int p) { return static_cast<int>(static_cast<long long>(points) * p / parts); };
        return {bound(part), bound(part + 1) - bound(part)};
    }
};

/// A rectangle of the plate, with the points around it.
class patch {
public:
    patch(interval rows, interval columns) : rows_(rows), columns_(columns), points_(area(), 0.0) {
        if (columns.first == 0)
            for (int r = 0; r <= rows.count + 1; ++r) at(r, 0) = 1; // the hot edge
    }
    double& at(int row, int column) { return points_[static_cast<std::size_t>(row * (columns_.count + 2) + column)]; }
    [[nodiscard]] interval rows() const { return rows_; }
    [[nodiscard]] interval columns() const { return columns_; }
    tutti::strided<double> column(int c) {
        return {&at(1, c), static_cast<std::size_t>(rows_.count), static_cast<std::size_t>(columns_.count + 2)};
    }
    std::span<double> row(int r) { return {&at(r, 1), static_cast<std::size_t>(columns_.count)}; }

private:
    [[nodiscard]] std::size_t area() const {
        return static_cast<std::size_t>((rows_.count + 2) * (columns_.count + 2));
    }
    interval rows_, columns_;
    std::vector<double> points_;
};

/// Fills the border of a patch with its neighbours' edges, as often as one likes. All messages start before any is
/// waited for.
class border {
public:
    border(const communicator& world, const tutti::cartesian& ranks, patch& p) : messages_(world.group()) {
        enum side { above, below, left, right };
        const int last_row = p.rows().count, last_column = p.columns().count;
        const auto beside = [&](std::size_t dimension, int distance) {
            return ranks.shift(world.rank(), dimension, distance);
        };
        if (const auto up = beside(0, -1)) exchange(p.row(0), below, p.row(1), above, *up);
        if (const auto down = beside(0, 1)) exchange(p.row(last_row + 1), above, p.row(last_row), below, *down);
        if (const auto west = beside(1, -1)) exchange(p.column(0), right, p.column(1), left, *west);
        if (const auto east = beside(1, 1))
            exchange(p.column(last_column + 1), left, p.column(last_column), right, *east);
        messages_.wait();
    }
    void fill() {
        messages_.restart();
        messages_.wait();
    }

private:
    template <class Points>
    void exchange(Points ghosts, int theirs, Points edge, int ours, int with) {
        messages_.receive(ghosts, with, theirs);
        messages_.send(edge, with, ours);
    }
    tutti::message_group<communicator> messages_;
};

/// One step of Jacobi's method; returns the largest change of a point.
double step(patch& now, patch& next) {
    double largest = 0;
    for (int r = 1; r <= now.rows().count; ++r)
        for (int c = 1; c <= now.columns().count; ++c) {
            next.at(r, c) = (now.at(r - 1, c) + now.at(r + 1, c) + now.at(r, c - 1) + now.at(r, c + 1)) / 4;
            largest = std::max(largest, std::abs(next.at(r, c) - now.at(r, c)));
        }
    return largest;
}

/// Steps from one patch to the other and back, until `over_all` says that all change little; returns how many.
template <class Fill, class Largest>
int solve(std::array<patch, 2>& both, double tolerance, const Fill& fill, const Largest& over_all) {
    for (int steps = 0;; ++steps) {
        const auto now = static_cast<std::size_t>(steps % 2);
        fill(now);
        if (over_all(step(both[now], both[1 - now])) <= tolerance) return steps + 1;
    }
}

} // namespace

int main(int argc, char** argv) try {
    const int points = argc > 1 ? std::atoi(argv[1]) : 100;
    const double tolerance = 1e-4;
    communicator world{tutti::transport::tcp::from_environment()};
    const tutti::cartesian ranks(tutti::dims_create(world.size(), 2));
    const auto at = ranks.coordinates(world.rank());
    const int down = ranks.extents()[0], across = ranks.extents()[1];
    const patch start(interval::part(points, down, at[0]), interval::part(points, across, at[1]));
    std::array<patch, 2> mine{start, start};
    std::array<border, 2> borders{{{world, ranks, mine[0]}, {world, ranks, mine[1]}}};
    const int steps = solve(
        mine, tolerance, [&](std::size_t which) { borders[which].fill(); },
        [&](double change) { return world.allreduce(change, tutti::maximum); });

    // One process computes the whole plate, and each rank compares its part bit by bit.
    const patch plate({0, points}, {0, points});
    std::array<patch, 2> whole{plate, plate};
    const int serial = solve(
        whole, tolerance, [](std::size_t) {}, [](double change) { return change; });
    bool right = steps == serial;
    const auto last = static_cast<std::size_t>(steps % 2);
    for (int r = 1; r <= start.rows().count; ++r)
        for (int c = 1; c <= start.columns().count; ++c)
            right = right && mine[last].at(r, c) == whole[last].at(start.rows().first + r, start.columns().first + c);
    right = world.allreduce(static_cast<int>(right), tutti::minimum) != 0;
    if (world.rank() == 0)
        std::printf("%d x %d points on %d x %d ranks, %d steps: %s\n", points, points, down, across, steps,
                    right ? "the bits of one process" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
    std::fprintf(stderr, "heat: %s\n", e.what());
    return EXIT_FAILURE;
}
