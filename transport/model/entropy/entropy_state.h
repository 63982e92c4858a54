// SPDX-License-Identifier: GPL-2.0-only
/// What one queue pair remembers of its entropies: two words, and what the scheme needs, on the
/// heap if it is more than a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "core/containers/state_count.h"

namespace heddle {

namespace detail {

/// A value on the heap that is copied with its owner; in place if it is at most a word.
template <class T, bool InPlace = (sizeof(T) <= sizeof(void*))>
class Boxed {
 public:
  Boxed() : value_(std::make_unique<T>()) {}
  Boxed(const Boxed& from) : value_(std::make_unique<T>(*from)) {}
  Boxed(Boxed&& from) noexcept = default;
  Boxed& operator=(const Boxed& from) { return *this = Boxed(from); }
  Boxed& operator=(Boxed&& from) noexcept = default;
  ~Boxed() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  std::size_t memory() const { return sizeof(T) + value_->memory(); }  ///< allocated bytes

 private:
  std::unique_ptr<T> value_;
};

template <class T>
class Boxed<T, true> {
 public:
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  std::size_t memory() const { return value_.memory(); }  ///< bytes that the value allocated

 private:
  T value_;
};

}  // namespace detail

template <class Schemes>
class EntropyStateOf;

/// The state of one of several schemes. Until it is started it is that of the first one, which owns
/// nothing.
template <class... Scheme>
class EntropyStateOf<std::variant<Scheme...>> {
 public:
  /// Replaces what it held by a new state of scheme Own, and returns that.
  template <class Own>
  typename Own::State& Become() {
    return *held_.template emplace<detail::Boxed<typename Own::State>>();
  }
  /// Returns the state of scheme Own, which it must hold; throws std::bad_variant_access.
  template <class Own>
  typename Own::State& As() {
    return *std::get<detail::Boxed<typename Own::State>>(held_);
  }
  /// Returns the same for readers.
  template <class Own>
  const typename Own::State& As() const {
    return *std::get<detail::Boxed<typename Own::State>>(held_);
  }
  /// Whether it holds the state of scheme Own.
  template <class Own>
  bool Is() const {
    return std::holds_alternative<detail::Boxed<typename Own::State>>(held_);
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return std::visit([](const auto& held) { return held.memory(); }, held_);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    auto scheme = static_cast<std::uint8_t>(held_.index());
    archive& scheme;
    if constexpr (Archive::is_loading::value) {
      ExpectState(scheme < sizeof...(Scheme), "an unknown scheme of entropies");
      std::size_t at = 0;
      ((at++ == scheme ? static_cast<void>(Become<Scheme>()) : void()), ...);
    }
    std::visit([&archive](auto& held) { archive&(*held); }, held_);
  }

 private:
  std::variant<detail::Boxed<typename Scheme::State>...> held_;
};

}  // namespace heddle
