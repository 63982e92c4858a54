// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run --memory-report`: where the memory of a run is, by data structure and rank, against
/// what the system says.
#ifndef HEDDLE_CORE_APP_ESTIMATE_MEMORY_REPORT_H_
#define HEDDLE_CORE_APP_ESTIMATE_MEMORY_REPORT_H_

#include <string>
#include <vector>

#include "core/app/setup/run_input.h"
#include "core/base/memory_account.h"
#include "core/mpi/communicator.h"
#include "core/system/process_memory.h"

namespace heddle {

/// What the inputs of a run have allocated.
void AddInputMemory(const RunInput& input, MemoryAccount* account);

/// One rank's memory at one moment. Plain bytes, to be gathered.
struct MemorySnapshot {
  MemoryAccount structures;
  ProcessMemory before;  ///< when nothing had been read yet
  ProcessMemory then;

  /// More that was resident than before.
  std::int64_t growth() const { return then.resident - before.resident; }
  /// Of the growth, what the allocator holds that nobody uses; what MPI shares; code that was read
  /// since.
  std::int64_t freed() const;
  std::int64_t shared() const { return then.shared - before.shared; }
  std::int64_t code() const { return then.file - before.file; }
  /// The growth that has a name: structures and the three above.
  std::int64_t named() const { return structures.total() + freed() + shared() + code(); }
};

/// The report of all ranks' snapshots, lines with their ends. A column a rank, or the least and the
/// most of many.
std::string DescribeMemory(const std::vector<MemorySnapshot>& ranks);

/// The largest of the snapshots that this rank took during a run.
class MemoryWatch {
 public:
  /// At the program's start, before the input is read.
  MemoryWatch() : before_(ReadProcessMemory()) {}

  const ProcessMemory& before() const { return before_; }
  /// `structures` as they are now.
  void Take(const MemoryAccount& structures);
  /// All ranks' at the root; empty elsewhere. Collective.
  std::vector<MemorySnapshot> Gather(const Communicator& world) const;

 private:
  ProcessMemory before_;
  MemorySnapshot largest_;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ESTIMATE_MEMORY_REPORT_H_
