// SPDX-License-Identifier: GPL-2.0-only
/// Gathers plain records of all ranks at the root.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/mpi/communicator.h"

namespace heddle {

/// Returns the records of all ranks at the root, in rank order; empty elsewhere. Collective. The
/// order depends on the number of ranks: sort the rows by a key of their own before they become a
/// table.
template <class Record>
std::vector<Record> GatherRecords(const Communicator& world, const std::vector<Record>& mine) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::vector<char> bytes(mine.size() * sizeof(Record));
  if (!mine.empty()) std::memcpy(bytes.data(), mine.data(), bytes.size());
  std::vector<Record> all;
  for (const std::vector<char>& part : world.Gather(bytes)) {
    const std::size_t count = part.size() / sizeof(Record);
    const std::size_t at = all.size();
    all.resize(at + count);
    if (count > 0) std::memcpy(static_cast<void*>(all.data() + at), part.data(), part.size());
  }
  return all;
}

}  // namespace heddle
