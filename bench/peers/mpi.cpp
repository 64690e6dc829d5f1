// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// The blocking collectives of an MPI: compiled once for Open MPI and once for MPICH.

#include "contest.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

namespace tutti::peers {
namespace {

/// As halo of `tutti bench`, by the types and the persistent messages that MPI has for it.
class halo {
public:
    halo(const job& what, const buffers& where)
        : side_(static_cast<int>(what.count)), square_((what.count + 2) * (what.count + 2)) {
        MPI_Type_vector(side_, 1, side_ + 2, MPI_FLOAT, &column_);
        MPI_Type_commit(&column_);
        int tag = 0;
        each_halo_message(what.rank, halo_grid(what.ranks), [&](int to, int from, bool by_rows) {
            if (tag == 0)
                add(where.input, to, where.output, from, side_, MPI_FLOAT, tag);
            else if (by_rows)
                add(at(1, 1), to, at(side_ + 1, 1), from, side_, MPI_FLOAT, tag);
            else
                add(at(1, tag == 2 ? side_ : 1), to, at(1, tag == 2 ? 0 : side_ + 1), from, 1, column_, tag);
            ++tag;
        });
    }
    void operator()() {
        MPI_Startall(static_cast<int>(all_.size()), all_.data());
        MPI_Waitall(static_cast<int>(all_.size()), all_.data(), MPI_STATUSES_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &largest_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }

private:
    void add(const void* out, int to, void* in, int from, int count, MPI_Datatype type, int tag) {
        MPI_Recv_init(in, count, type, from, tag, MPI_COMM_WORLD, &all_.emplace_back());
        MPI_Send_init(out, count, type, to, tag, MPI_COMM_WORLD, &all_.emplace_back());
    }
    [[nodiscard]] float* at(int r, int c) {
        return &square_[static_cast<std::size_t>(r) * static_cast<std::size_t>(side_ + 2) +
                        static_cast<std::size_t>(c)];
    }

    int side_;
    std::vector<float> square_;
    MPI_Datatype column_ = MPI_DATATYPE_NULL;
    std::vector<MPI_Request> all_;
    double largest_ = 0;
};

/// As bind_exchange() of `tutti bench`.
call bind_messages(const job& what, const buffers& where) {
    const int count = static_cast<int>(what.count), rank = what.rank, ranks = what.ranks;
    void* const to = where.output;
    const void* const from = where.input;
    if (*what.messages == exchange::sendrecv)
        return [=] {
            MPI_Sendrecv(from, count, MPI_FLOAT, (rank + 1) % ranks, 0, to, count, MPI_FLOAT,
                         (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        };
    if (*what.messages == exchange::halo) return [all = std::make_shared<halo>(what, where)] { (*all)(); };
    if (*what.messages != exchange::pingpong && *what.messages != exchange::stream)
        throw std::invalid_argument("not in this contest");
    const pairing pairs = what.pairs_of_ranks();
    const auto partner = pairs.partner_of(rank);
    if (!partner) return [] {};
    const int peer = *partner;
    const bool begins = pairs.begins(rank);
    if (*what.messages == exchange::pingpong)
        return [=] {
            if (begins) MPI_Send(from, count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(to, count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (!begins) MPI_Send(from, count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
        };
    return [=] {
        char last = 0;
        std::array<MPI_Request, stream_messages> all;
        for (MPI_Request& r : all)
            begins ? MPI_Isend(from, count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &r)
                   : MPI_Irecv(to, count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &r);
        MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
        // Open MPI may still have acknowledgements of long messages to send, which it does within calls alone: then the
        // sender would wait for this rank, and this rank for the sender at the barrier.
        constexpr int longest_eager = 1024;
        if (begins)
            MPI_Recv(&last, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            (count > longest_eager ? MPI_Ssend : MPI_Send)(&last, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    };
}

call bind(const job& what, const buffers& where) {
    if (what.messages) return bind_messages(what, where);
    const int count = static_cast<int>(what.count), root = what.root;
    void* const to = where.output;
    const void* const from = what.in_place ? MPI_IN_PLACE : where.input;
    switch (what.what) {
    case operation::allreduce: return [=] { MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
    case operation::reduce_scatter:
        return [=] { MPI_Reduce_scatter_block(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
    case operation::allgather:
        return [=] { MPI_Allgather(from, count, MPI_FLOAT, to, count, MPI_FLOAT, MPI_COMM_WORLD); };
    case operation::broadcast: return [=] { MPI_Bcast(to, count, MPI_FLOAT, root, MPI_COMM_WORLD); };
    case operation::reduce: return [=] { MPI_Reduce(from, to, count, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD); };
    case operation::gather:
        return [=] { MPI_Gather(from, count, MPI_FLOAT, to, count, MPI_FLOAT, root, MPI_COMM_WORLD); };
    case operation::scatter:
        return [=] { MPI_Scatter(from, count, MPI_FLOAT, to, count, MPI_FLOAT, root, MPI_COMM_WORLD); };
    case operation::scan: return [=] { MPI_Scan(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
    case operation::exscan: return [=] { MPI_Exscan(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
    case operation::alltoall:
        return [=] { MPI_Alltoall(from, count, MPI_FLOAT, to, count, MPI_FLOAT, MPI_COMM_WORLD); };
    default: throw std::invalid_argument("not in this contest");
    }
}

int main(int argc, char** argv) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return compete(contest_of(argc, argv), rank, ranks, [](auto&&...) { return bind; });
}

} // namespace
} // namespace tutti::peers

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int status = tutti::peers::told([&] { return tutti::peers::main(argc, argv); });
    if (status != 0) MPI_Abort(MPI_COMM_WORLD, status); // the other ranks may wait for this one for ever
    // MPICH over UCX may hang here. Everything is measured and written by now, which is what compare-peers looks at.
    alarm(3);
    MPI_Finalize();
}
