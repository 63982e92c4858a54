// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run --memory-report`: the memory of a run by data structure and rank, compared with what
/// the operating system reports.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/setup/run_input.h"
#include "core/base/memory_account.h"
#include "core/mpi/communicator.h"
#include "core/system/process_memory.h"

namespace heddle {

/// Adds the memory that the inputs of a run have allocated.
void AddInputMemory(const RunInput& input, MemoryAccount* account);

/// One rank's memory at one moment. Plain bytes, to be gathered.
struct MemorySnapshot {
  MemoryAccount structures;
  ProcessMemory before;  ///< before any input was read
  ProcessMemory then;

  /// Returns the growth of resident memory since `before`.
  std::int64_t growth() const { return then.resident - before.resident; }
  /// Returns the share of the growth that the allocator holds unused [byte].
  std::int64_t freed() const;
  /// Returns the share in segments between processes, MPI's.
  std::int64_t shared() const { return then.shared - before.shared; }
  /// Returns the share of code and files that were read since `before`.
  std::int64_t code() const { return then.file - before.file; }
  /// Returns the growth that is accounted for: structures and the three shares above.
  std::int64_t named() const { return structures.total() + freed() + shared() + code(); }
};

/// Returns the report of all ranks' snapshots, lines with their ends: a column for each rank, or
/// minimum and maximum if there are many.
std::string DescribeMemory(const std::vector<MemorySnapshot>& ranks);

/// The largest of the snapshots that this rank took during a run.
class MemoryWatch {
 public:
  /// Make it at the program's start, before the input is read.
  MemoryWatch() : before_(ReadProcessMemory()) {}

  const ProcessMemory& before() const { return before_; }  ///< at the program's start
  /// `structures`: the current account.
  void Take(const MemoryAccount& structures);
  /// Gathers the snapshots of all ranks at the root; empty elsewhere. Collective.
  std::vector<MemorySnapshot> Gather(const Communicator& world) const;

 private:
  ProcessMemory before_;
  MemorySnapshot largest_;
};

}  // namespace heddle
