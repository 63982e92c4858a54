// SPDX-License-Identifier: GPL-2.0-only
/// Selects an engine, and owns MPI from its start to its end.
#pragma once

#include "core/engine/engine.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// Selects ns-3's simulator implementation and starts MPI through ns-3; the destructor ends both.
/// Construct one at the start of main().
class Ns3Session {
 public:
  /// Starts both. MPI may remove its own words from the arguments.
  Ns3Session(EngineKind kind, int* argc, char*** argv);
  /// Destroys ns-3's simulator and ends MPI. Collective.
  ~Ns3Session();
  Ns3Session(const Ns3Session&) = delete;
  Ns3Session& operator=(const Ns3Session&) = delete;
};

/// Runs until no rank has an event left. Collective. Requires an Ns3Session of the same kind.
EngineReport RunEngine(EngineKind kind, const Communicator& world, const EngineSetup& setup);

}  // namespace heddle
