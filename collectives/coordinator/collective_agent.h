// SPDX-License-Identifier: GPL-2.0-only
/// The agent of a domain as the coordinator uses it. Each method of carrying out collectives
/// (collective_method.h) has one class of agents.
#pragma once

#include <cstddef>
#include <vector>

#include "core/traffic/flow_agent.h"

namespace heddle {

class DomainGpus;
struct ChunkStand;  // collectives/phased/chunk_deadlock.h

class CollectiveAgent : public FlowAgent {
 public:
  /// Returns the GPUs of jobs in the domain.
  virtual const DomainGpus& gpus() const = 0;
  /// Appends where the chunks stand that have begun; nothing where there are no chunks.
  virtual void AddStands(std::vector<ChunkStand>* /*to*/) const {}
  /// Returns the memory in bytes, itself included.
  virtual std::size_t memory() const = 0;
};

}  // namespace heddle
