// SPDX-License-Identifier: GPL-2.0-only
/// A domain's samples: which are due, what has changed since the one before, and the rows until
/// somebody takes them.
///
/// Nothing is scheduled for a sample (transport/model/record/monitor_records.h); rows are written
/// for what has changed since the sample before (SimAI: its monitors' rule).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "core/containers/slot_pool.h"
#include "transport/domain/state/domain_ports.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/record/monitor_options.h"
#include "transport/model/record/monitor_records.h"

namespace heddle {

class Sampler {
 public:
  /// `options` must outlive it.
  explicit Sampler(const MonitorOptions& options);

  /// Makes room for the queues of this many ports. Called once, when the domain has all its ports.
  void CountPorts(std::size_t ports);
  /// Returns when the next sample is due; Time::Max() if none is.
  Time next() const { return next_; }
  /// Takes the samples that are due before `before`.
  void TakeSamples(DomainPorts& ports, SlotPool<QueuePair>* pairs, Time before);
  /// Takes the samples up to `end`, and then the last of each kind at `end`, whether one is due or
  /// not: nothing is sent later. No sample is due afterwards.
  void TakeLast(DomainPorts& ports, SlotPool<QueuePair>* pairs, Time end);
  /// Whether queues are sampled at every change instead of on a grid.
  bool watches_queues() const { return watches_queues_; }
  /// Whether rates of queue pairs are sampled at every change.
  bool watches_rates() const { return watches_rates_; }
  /// Whether CNPs of queue pairs are sampled at every change.
  bool watches_cnps() const { return watches_cnps_; }
  /// Adds a row of one queue's bytes if they differ from the sample before. `port`: within the
  /// domain.
  void SampleQueue(const DomainPorts& ports, Time time, std::uint32_t port, int queue);
  /// Adds a row if the queue pair's rate differs from the one sampled before.
  void SampleRate(Time time, QueuePair* pair);
  /// Adds a row if the queue pair has had CNPs since the one sampled before.
  void SampleCnps(Time time, QueuePair* pair);
  /// Samples rate and CNPs, as far as the options ask for them. Called at a queue pair's end too,
  /// so that one that ends between two samples is not forgotten.
  void SamplePair(Time time, QueuePair* pair);
  /// Adds a pause or resume that changed something, if the options ask for them.
  void AddPause(const PauseRecord& pause);
  /// Adds a row of CAST's weights, if the options ask for them.
  void AddWeight(const WeightSample& sample);
  /// Returns all rows since the last call, without samples at `end` or later. `end`: of the traffic
  /// so far, on any rank; Time::Max() after TakeLast(). Samples after it stay here, as TakeLast()
  /// moves them to the end if nothing is sent any more. Those at `end` stay with them, so that rows
  /// of one time are taken together and keep their order.
  MonitorRecords Take(Time end);

  /// Adds the bytes of what was seen to Structure::kDomains, and those of the rows to kRecords.
  void AddMemory(MemoryAccount* account) const;
  /// Checks a loaded sampler against the options and the number of ports. Throws UserError "the
  /// saved state has ...".
  void Check(std::size_t ports) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& next_& next_queue_& next_link_& next_pair_& seen_queues_;
    archive& taken_.queues& taken_.links& taken_.rates& taken_.cnps;
  }

 private:
  /// Samples every queue of every port that is not a GPU's.
  void SampleQueues(const DomainPorts& ports, Time time);
  /// Adds a row of the bytes sent since the sample before, for each port that sent any.
  void SampleLinks(DomainPorts& ports, Time time);
  /// Samples the live queue pairs, in order of their flows.
  void SamplePairs(SlotPool<QueuePair>* pairs, Time time);

  const MonitorOptions& options_;
  const bool watches_queues_, watches_rates_, watches_cnps_;
  Time next_;  ///< earliest of the three below
  Time next_queue_, next_link_, next_pair_;
  std::vector<std::uint32_t> seen_queues_;  ///< bytes by port and priority at the last sample
  MonitorRecords taken_;
};

/// Returns the slots of the live queue pairs, in order of their flows.
std::vector<std::uint32_t> LiveQueuePairs(const SlotPool<QueuePair>& pairs);

}  // namespace heddle
