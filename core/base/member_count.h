// SPDX-License-Identifier: GPL-2.0-only
/// Counts the members of a plain record, so that a list of them can be held against it when it is
/// compiled.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace heddle {
namespace member_count {

/// Stands for the value of any member.
struct Anything {
  /// Has no body: only its type counts.
  template <class T>
  constexpr operator T() const noexcept;  // NOLINT(google-explicit-constructor)
};

/// Whether a Record can be made of so many values; this form is tried first.
template <class Record, std::size_t... I>
constexpr auto Takes(std::index_sequence<I...> /*values*/, int /*preferred*/)
    -> decltype(Record{(static_cast<void>(I), Anything{})...}, true) {
  return true;
}
/// Says false where the form above does not compile.
template <class Record, class Values>
constexpr bool Takes(Values /*values*/, long /*otherwise*/) {
  return false;
}

/// Returns the largest number of values, from Count on, that a Record can be made of.
template <class Record, std::size_t Count>
constexpr std::size_t CountFrom() {
  if constexpr (Takes<Record>(std::make_index_sequence<Count + 1>(), 0)) {
    return CountFrom<Record, Count + 1>();
  } else {
    return Count;
  }
}

}  // namespace member_count

/// Returns the number of members of an aggregate without base classes; those of an array count one
/// by one.
template <class Record>
constexpr std::size_t MemberCount() {
  static_assert(std::is_aggregate_v<Record>, "its members can be counted if they are all public");
  return member_count::CountFrom<Record, 0>();
}

}  // namespace heddle
