/* SPDX-FileCopyrightText: 2026 The tutti authors
 * SPDX-License-Identifier: MIT
 *
 * What a library is to offer so that `tutti bench --contestant` measures it: a shared object of these functions. The
 * command compiles one where it runs, so this file is C and C++, and includes nothing of tutti. */
#ifndef TUTTI_BENCH_CONTESTANTS_CALLS_H
#define TUTTI_BENCH_CONTESTANTS_CALLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call as the columns of `tutti bench` name it. */
struct contestant_call {
    const char* operation;
    const char* type;
    const char* op;
    size_t count; /* elements: of one rank's part where ranks have parts */
    int in_place; /* then the data lie in output */
    int root;
    int rank, ranks;
    int partner, begins; /* of messages: -1 where this rank has none; whether it sends first */
    int messages;        /* of a stream: how many at once */
    const size_t* parts; /* of given lengths: where each begins, in elements, and where the last one ends; else NULL.
                          * To be read by contestant_bind alone */
    void* input;
    void* output;
};

/* Joins the others. NULL, or a sentence that says what is wrong. `folder` is a fresh one, which all ranks may write to. */
const char* contestant_begin(int* rank, int* ranks, const char* folder);
/* The same on all ranks. The buffers do not matter. */
int contestant_has(const struct contestant_call* what);
/* Made ready to be run again and again, until it is released. */
void* contestant_bind(const struct contestant_call* what);
void contestant_run(void* bound);
void contestant_release(void* bound);
void contestant_end(void);

#ifdef __cplusplus
}
#endif

#endif
