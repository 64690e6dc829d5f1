// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Of transports included before, those that are compiled elsewhere: who includes membership.ipp has one of their own.

namespace tutti::engine {

template <class Transport>
class membership;

#if defined(TUTTI_OVER_MEMORY)
extern template class membership<transport::memory>;
#endif
#if defined(TUTTI_OVER_SHARED_MEMORY)
extern template class membership<transport::shared_memory>;
#endif
#if defined(TUTTI_OVER_SIMULATED)
extern template class membership<transport::simulated>;
#endif
#if defined(TUTTI_OVER_TCP)
extern template class membership<transport::tcp>;
#endif
#if defined(TUTTI_OVER_VERBS)
extern template class membership<transport::verbs>;
#endif
#if defined(TUTTI_OVER_ROUTED)
extern template class membership<transport::routed<transport::shared_memory, transport::tcp>>;
#endif

} // namespace tutti::engine
