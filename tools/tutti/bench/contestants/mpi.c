/* SPDX-FileCopyrightText: 2026 The tutti authors
 * SPDX-License-Identifier: MIT
 *
 * The blocking calls of an MPI: compiled once for Open MPI and once for MPICH. */

#include "calls.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

struct bound {
    struct contestant_call what;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    const void* from; /* or MPI_IN_PLACE */
    void* to;
    void (*run)(const struct bound*);
    MPI_Request* requests;
    int* counts; /* of parts of given lengths, and where they begin; alltoallv sends blocks as long as those it gets */
    int* begins;
};

#define ALL MPI_COMM_WORLD

static void barrier(const struct bound* b) {
    (void)b;
    MPI_Barrier(ALL);
}
static void allreduce(const struct bound* b) { MPI_Allreduce(b->from, b->to, b->count, b->type, b->op, ALL); }
static void scan(const struct bound* b) { MPI_Scan(b->from, b->to, b->count, b->type, b->op, ALL); }
static void exscan(const struct bound* b) { MPI_Exscan(b->from, b->to, b->count, b->type, b->op, ALL); }
static void reduce_scatter(const struct bound* b) {
    MPI_Reduce_scatter_block(b->from, b->to, b->count, b->type, b->op, ALL);
}
static void reduce(const struct bound* b) {
    MPI_Reduce(b->from, b->to, b->count, b->type, b->op, b->what.root, ALL);
}
static void broadcast(const struct bound* b) { MPI_Bcast(b->to, b->count, b->type, b->what.root, ALL); }
static void allgather(const struct bound* b) {
    MPI_Allgather(b->from, b->count, b->type, b->to, b->count, b->type, ALL);
}
static void alltoall(const struct bound* b) {
    MPI_Alltoall(b->from, b->count, b->type, b->to, b->count, b->type, ALL);
}
static void gather(const struct bound* b) {
    MPI_Gather(b->from, b->count, b->type, b->to, b->count, b->type, b->what.root, ALL);
}
static void scatter(const struct bound* b) {
    MPI_Scatter(b->from, b->count, b->type, b->to, b->count, b->type, b->what.root, ALL);
}
static void allgatherv(const struct bound* b) {
    MPI_Allgatherv(b->from, b->counts[b->what.rank], b->type, b->to, b->counts, b->begins, b->type, ALL);
}
static void alltoallv(const struct bound* b) {
    MPI_Alltoallv(b->from, b->counts, b->begins, b->type, b->to, b->counts, b->begins, b->type, ALL);
}
static void gatherv(const struct bound* b) {
    MPI_Gatherv(b->from, b->counts[b->what.rank], b->type, b->to, b->counts, b->begins, b->type, b->what.root, ALL);
}
static void scatterv(const struct bound* b) {
    MPI_Scatterv(b->from, b->counts, b->begins, b->type, b->to, b->counts[b->what.rank], b->type, b->what.root, ALL);
}
static void reduce_scatterv(const struct bound* b) {
    MPI_Reduce_scatter(b->from, b->to, b->counts, b->type, b->op, ALL);
}
static void sendrecv(const struct bound* b) {
    const int rank = b->what.rank, ranks = b->what.ranks;
    MPI_Sendrecv(b->from, b->count, b->type, (rank + 1) % ranks, 0, b->to, b->count, b->type,
                 (rank + ranks - 1) % ranks, 0, ALL, MPI_STATUS_IGNORE);
}
static void pingpong(const struct bound* b) {
    if (b->what.partner < 0) return;
    if (b->what.begins) MPI_Send(b->from, b->count, b->type, b->what.partner, 0, ALL);
    MPI_Recv(b->to, b->count, b->type, b->what.partner, 0, ALL, MPI_STATUS_IGNORE);
    if (!b->what.begins) MPI_Send(b->from, b->count, b->type, b->what.partner, 0, ALL);
}
static void bistream(const struct bound* b) {
    int i;
    const int n = b->what.messages;
    if (b->what.partner < 0) return;
    for (i = 0; i < n; ++i) MPI_Irecv(b->to, b->count, b->type, b->what.partner, 0, ALL, &b->requests[i]);
    for (i = 0; i < n; ++i) MPI_Isend(b->from, b->count, b->type, b->what.partner, 0, ALL, &b->requests[n + i]);
    MPI_Waitall(2 * n, b->requests, MPI_STATUSES_IGNORE);
}
static void stream(const struct bound* b) {
    int i, size = 0;
    char last = 0;
    if (b->what.partner < 0) return;
    for (i = 0; i < b->what.messages; ++i)
        if (b->what.begins)
            MPI_Isend(b->from, b->count, b->type, b->what.partner, 0, ALL, &b->requests[i]);
        else
            MPI_Irecv(b->to, b->count, b->type, b->what.partner, 0, ALL, &b->requests[i]);
    MPI_Waitall(b->what.messages, b->requests, MPI_STATUSES_IGNORE);
    if (b->what.begins)
        MPI_Recv(&last, 1, MPI_BYTE, b->what.partner, 0, ALL, MPI_STATUS_IGNORE);
    else if (MPI_Type_size(b->type, &size) == 0 && (double)size * b->count > 4096)
        /* Acknowledgements may wait for a further call, of which the bench's barrier is none. */
        MPI_Ssend(&last, 1, MPI_BYTE, b->what.partner, 0, ALL);
    else
        MPI_Send(&last, 1, MPI_BYTE, b->what.partner, 0, ALL);
}

enum { reduces = 1, in_place = 2, gathers = 4, scatters = 8 };
static const struct {
    const char* name;
    void (*run)(const struct bound*);
    int kind;
} operations[] = {{"allreduce", allreduce, reduces | in_place},
                  {"scan", scan, reduces | in_place},
                  {"exscan", exscan, reduces | in_place},
                  {"reduce_scatter", reduce_scatter, reduces}, /* in place MPI's result lies elsewhere than ours */
                  {"reduce", reduce, reduces | in_place | gathers},
                  {"broadcast", broadcast, in_place},
                  {"allgather", allgather, in_place},
                  {"alltoall", alltoall, in_place},
                  {"gather", gather, in_place | gathers},
                  {"scatter", scatter, in_place | scatters},
                  {"allgatherv", allgatherv, in_place},
                  {"alltoallv", alltoallv, 0},
                  {"gatherv", gatherv, in_place | gathers},
                  {"scatterv", scatterv, in_place | scatters},
                  {"reduce_scatterv", reduce_scatterv, reduces},
                  {"barrier", barrier, 0},
                  {"sendrecv", sendrecv, 0},
                  {"pingpong", pingpong, 0},
                  {"multi_latency", pingpong, 0},
                  {"stream", stream, 0},
                  {"message_rate", stream, 0},
                  {"bistream", bistream, 0}};

static MPI_Datatype type_of(const char* name) {
    const struct {
        const char* name;
        MPI_Datatype type;
    } all[] = {{"int8", MPI_INT8_T},    {"int16", MPI_INT16_T},   {"int32", MPI_INT32_T},   {"int64", MPI_INT64_T},
               {"uint8", MPI_UINT8_T},  {"uint16", MPI_UINT16_T}, {"uint32", MPI_UINT32_T}, {"uint64", MPI_UINT64_T},
               {"float32", MPI_FLOAT}, {"float64", MPI_DOUBLE}};
    size_t i;
    for (i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (strcmp(all[i].name, name) == 0) return all[i].type;
    return MPI_DATATYPE_NULL;
}

static MPI_Op op_of(const char* name, int is_float) {
    const struct {
        const char* name;
        MPI_Op op;
    } all[] = {{"sum", MPI_SUM},          {"product", MPI_PROD},    {"minimum", MPI_MIN},
               {"maximum", MPI_MAX},      {"bitwise_and", MPI_BAND}, {"bitwise_or", MPI_BOR},
               {"bitwise_xor", MPI_BXOR}, {"logical_and", MPI_LAND}, {"logical_or", MPI_LOR},
               {"logical_xor", MPI_LXOR}};
    size_t i;
    for (i = 0; i < (is_float ? 4 : sizeof all / sizeof all[0]); ++i) /* the others are of integers in MPI */
        if (strcmp(all[i].name, name) == 0) return all[i].op;
    return MPI_OP_NULL;
}

static int find(const struct contestant_call* what, struct bound* b) {
    size_t i;
    for (i = 0; i < sizeof operations / sizeof operations[0]; ++i)
        if (strcmp(operations[i].name, what->operation) == 0) break;
    if (i == sizeof operations / sizeof operations[0] || what->count > INT_MAX) return 0;
    if (what->parts && what->parts[what->ranks] > INT_MAX) return 0;
    if (what->in_place && !(operations[i].kind & in_place)) return 0;
    b->what = *what;
    b->count = (int)what->count;
    b->run = operations[i].run;
    b->type = type_of(what->type);
    b->op = operations[i].kind & reduces ? op_of(what->op, what->type[0] == 'f') : MPI_SUM;
    b->from = what->input;
    b->to = what->output;
    if (what->in_place && operations[i].kind & scatters) {
        b->from = what->output;
        if (what->rank == what->root) b->to = MPI_IN_PLACE;
    } else if (what->in_place) {
        /* Of a gather and a reduction the root alone can say so. */
        b->from = operations[i].kind & gathers && what->rank != what->root ? what->output : MPI_IN_PLACE;
    }
    return b->type != MPI_DATATYPE_NULL && b->op != MPI_OP_NULL;
}

const char* contestant_begin(int* rank, int* ranks, const char* folder) {
    (void)folder;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return "MPI_Init failed";
    MPI_Comm_rank(ALL, rank);
    MPI_Comm_size(ALL, ranks);
    return NULL;
}

int contestant_has(const struct contestant_call* what) {
    struct bound b;
    return find(what, &b);
}

static void count_parts(struct bound* b) {
    const int ranks = b->what.ranks, all_to_all = strcmp(b->what.operation, "alltoallv") == 0;
    const size_t* const parts = b->what.parts;
    int k, at = 0;
    b->counts = (int*)calloc(2 * (size_t)ranks, sizeof(int));
    if (!b->counts) abort();
    b->begins = b->counts + ranks;
    for (k = 0; k < ranks; at += b->counts[k++]) {
        const int part = all_to_all ? (b->what.rank + k) % ranks : k;
        b->begins[k] = at;
        b->counts[k] = (int)(parts[part + 1] - parts[part]);
    }
}

void* contestant_bind(const struct contestant_call* what) {
    struct bound* const b = (struct bound*)calloc(1, sizeof *b);
    if (!b || !find(what, b)) abort();
    b->requests = (MPI_Request*)calloc(2 * (size_t)what->messages + 1, sizeof *b->requests);
    if (what->parts) count_parts(b);
    return b;
}

void contestant_run(void* bound) {
    const struct bound* const b = (const struct bound*)bound;
    b->run(b);
}

void contestant_release(void* bound) {
    free(((struct bound*)bound)->requests);
    free(((struct bound*)bound)->counts);
    free(bound);
}

static void give_up(int number) {
    (void)number;
    _exit(0);
}

void contestant_end(void) {
    /* MPICH over UCX may hang here. All is measured and written by now. */
    signal(SIGALRM, give_up);
    alarm(3);
    MPI_Finalize();
    alarm(0);
}
