// SPDX-License-Identifier: GPL-2.0-only
/// All results of a run, of all ranks, in canonical order, with one digest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/mpi/communicator.h"
#include "tests/support/simulate.h"

namespace heddle::testing {

struct Results {
  std::vector<Table> tables;  ///< flows, drops, ports, pause_causes, statistics, then the monitors
  DomainBooks books;
  std::string deadlock;
  Time end;

  const Table& table(const std::string& name) const;
};

/// Joins the monitors of all ranks at the root, rows in order of their key columns (as in the
/// result file). Collective.
Results Join(const Communicator& world, const Observed& outcome);

/// Digest of all tables; and the digests of each, "flows 1234 drops 5678 ...", to show which one
/// differs.
std::uint64_t DigestAll(const Results& results);
std::string DigestParts(const Results& results);

std::size_t RowCount(const Table& table);

}  // namespace heddle::testing
