// SPDX-License-Identifier: GPL-2.0-only
/// Words of the values of an enum: one table beside it, which parsers, printers and help read.
///
/// An enum with the values 0, 1, ... has its words, in this order, in a function of its namespace,
/// or in a friend of the struct that it is a member of:
///
///   enum class Ports : std::uint8_t { kHash, kRoundRobin };
///   friend constexpr auto WordsOf(Ports) { return std::array{"hash", "round-robin"}; }
///
/// OptionSet::Add() (core/options/options.h) binds a variable of such an enum.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// Whether a type is an enum with words.
template <class Enum, class = void>
struct HasWords : std::false_type {};
template <class Enum>
struct HasWords<Enum, std::void_t<decltype(WordsOf(Enum{}))>> : std::is_enum<Enum> {};

/// Returns the word of a value.
template <class Enum, std::enable_if_t<HasWords<Enum>::value, int> = 0>
const char* ToText(Enum value) {
  constexpr auto words = WordsOf(Enum{});
  const auto at = static_cast<std::size_t>(value);
  HEDDLE_EXPECT(at < words.size());
  return words[at];
}

/// Returns the value of a word; none for another word.
template <class Enum>
std::optional<Enum> FindWord(std::string_view word) {
  constexpr auto words = WordsOf(Enum{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word == words[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// Returns all words, in the order of the values.
template <class Enum>
std::vector<std::string> AllWords() {
  constexpr auto words = WordsOf(Enum{});
  return {words.begin(), words.end()};
}

}  // namespace heddle
