// SPDX-License-Identifier: GPL-2.0-only
/// The object that a command prints with --json (docs/formats/json.md), and values in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "io/table/printed_table.h"

namespace heddle {

/// Returns the beginning of the object of "analyze step". `schema` rises when a key of that command
/// changes its meaning or goes; a new key does not raise it.
OrderedJson JsonDocument(const std::string& command, int schema);

/// Returns the text of an object, with its line end. Bytes that are no UTF-8 (names of files may
/// have them) become U+FFFD; numbers that JSON does not have (infinite, no number) become null.
std::string JsonText(const OrderedJson& document);

/// Returns a value, or null for a missing one.
template <class T>
OrderedJson OrNull(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

/// Returns a time or another number, or null for a negative one, which is missing.
inline OrderedJson NullIfNegative(std::int64_t value) {
  return value < 0 ? OrderedJson(nullptr) : OrderedJson(value);
}

/// Returns a text, or null for an empty one, which is missing.
inline OrderedJson NullIfEmpty(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

/// `value` where it is known.
inline OrderedJson NullUnless(bool known, OrderedJson value) {
  return known ? std::move(value) : OrderedJson(nullptr);
}

}  // namespace heddle
