// SPDX-License-Identifier: GPL-2.0-only
/// Saved states of the tests of requests: whole, and with some bytes changed.
#pragma once

#include <boost/serialization/vector.hpp>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/checkpoint/state_archive.h"

namespace heddle::testing {

/// Saves `from` and loads it into `to`.
template <class T>
void Copy(const T& from, T* to) {
  StateWriter writer;
  writer << from;
  StateReader reader(writer.bytes());
  reader >> *to;
  reader.ExpectEnd();
}

/// The message with which loading refuses `state` after `value` was put over its bytes from
/// `offset` on; empty if it does not.
template <class T, class Value>
std::string RefusedWith(const T& state, std::size_t offset, Value value) {
  StateWriter writer;
  writer << state;
  std::vector<char> bytes = writer.bytes();
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  T loaded = state;
  try {
    StateReader reader(bytes);
    reader >> loaded;
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace heddle::testing
