// SPDX-License-Identifier: GPL-2.0-only
/// All that a run found, of all ranks, in canonical order; and one digest of it.
#ifndef HEDDLE_TESTS_INVARIANCE_RESULTS_H_
#define HEDDLE_TESTS_INVARIANCE_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/mpi/communicator.h"
#include "tests/support/simulate.h"

namespace heddle::invariance {

struct Results {
  std::vector<Table> tables;  ///< flows, drops, ports, pause_causes, statistics, then the monitors
  DomainBooks books;
  std::string deadlock;
  Time end;

  const Table& table(const std::string& name) const;
};

/// The monitors of all ranks joined at the root, rows in order of their key columns (as in the
/// result file). Collective.
Results Join(const Communicator& world, const testing::Outcome& outcome);

/// Digest of everything above; and of its parts, "flows 1234 drops 5678 ...", to tell which one
/// differs.
std::uint64_t DigestAll(const Results& results);
std::string DigestParts(const Results& results);

std::size_t RowCount(const Table& table);

}  // namespace heddle::invariance

#endif  // HEDDLE_TESTS_INVARIANCE_RESULTS_H_
