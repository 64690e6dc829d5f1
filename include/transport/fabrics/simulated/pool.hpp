// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

template <class Item>
class pool;

/// Of an item: who uses it.
template <class Item>
struct pool_uses {
    unsigned number = 0;
    pool<Item>* home = nullptr;
};

/// A pointer that keeps an item of a pool in use. The pool must outlive it.
template <class Item>
class pooled {
public:
    pooled() = default;
    explicit pooled(Item& it) noexcept : it_(&it) { ++it.uses.number; }
    pooled(const pooled& other) noexcept : it_(other.it_) {
        if (it_) ++it_->uses.number;
    }
    pooled(pooled&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
    pooled& operator=(pooled other) noexcept {
        std::swap(it_, other.it_);
        return *this;
    }
    ~pooled() {
        if (it_ && --it_->uses.number == 0) it_->uses.home->take_back(*it_);
    }

    explicit operator bool() const noexcept { return it_; }
    [[nodiscard]] Item* get() const noexcept { return it_; }
    [[nodiscard]] Item& operator*() const noexcept { return *it_; }
    [[nodiscard]] Item* operator->() const noexcept { return it_; }
    friend bool operator==(const pooled&, const pooled&) = default;

private:
    Item* it_ = nullptr;
};

/// Items that are made once and used again and again. One thread has them, so they are counted without atomics. An Item
/// has `uses`, a pool_uses, and clear(), which makes it like new.
template <class Item>
class pool {
public:
    pool() = default;
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// One that nobody uses.
    [[nodiscard]] pooled<Item> take() {
        if (free_.empty()) {
            Item& made = all_.emplace_back();
            made.uses.home = this;
            if (free_.capacity() < all_.size()) free_.reserve(2 * all_.size()); // so that taking back cannot fail
            return pooled(made);
        }
        Item& used_before = *free_.back();
        free_.pop_back();
        return pooled(used_before);
    }

private:
    friend class pooled<Item>;
    void take_back(Item& it) noexcept {
        it.clear();
        free_.push_back(&it);
    }

    std::deque<Item> all_; // they keep their places
    std::vector<Item*> free_;
};

/// Pooled items, first in first out, linked through their own `next`: one that is in a chain is in no other.
template <class Item>
class chain {
public:
    chain() = default;
    chain(const chain&) = delete;
    chain& operator=(const chain&) = delete;
    ~chain() { clear(); }

    [[nodiscard]] bool empty() const noexcept { return !first_; }
    [[nodiscard]] Item& front() const noexcept { return *first_; }
    void push(pooled<Item> p) noexcept {
        Item* const added = p.get();
        (last_ ? last_->next : first_) = std::move(p);
        last_ = added;
    }
    pooled<Item> pop() noexcept {
        pooled<Item> p = std::move(first_);
        first_ = std::move(p->next);
        if (!first_) last_ = nullptr;
        return p;
    }
    /// One by one: a chain may be longer than the stack is deep.
    void clear() noexcept {
        while (first_) pop();
    }

private:
    pooled<Item> first_;
    Item* last_ = nullptr;
};

} // namespace tutti::transport::detail
