// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce, AllGather and ReduceScatter along rings.
///
/// Source: SimAI's MockNcclGroup.cc (genringchannels and the flows along them); NCCL's ring
/// algorithm. The buffer is divided into a slice for each of the n ranks, and each slice into a
/// piece for each ring. In step k every rank sends one piece on each ring to the next rank, which
/// forwards it in the next step. AllReduce: 2(n-1) steps, n-1 that reduce and n-1 that distribute;
/// AllGather and ReduceScatter: n-1. Division is exact to the byte; if n rings divides the bytes,
/// all messages have SimAI's size, bytes / n / rings.
#pragma once

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "collectives/schedule/rings.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class RingSchedule final : public Schedule {
 public:
  /// AllReduce, AllGather or ReduceScatter over a group of at least two; `shape` must outlive the
  /// schedule.
  RingSchedule(const CollectiveSpec& spec, const GroupShape& shape, bool pxn);

  /// Steps times legs of a step on all rings.
  std::uint64_t flow_count() const override { return steps_ * counts_.total(); }
  std::uint32_t channels() const override { return rings_.count(); }  ///< a channel is a ring
  std::uint32_t chunk_count() const override { return steps_; }       ///< chunk k is step k
  /// Counts the legs of all steps that `p` sends and receives; zero for NVSwitches.
  FlowCounts CountsOf(Participant p) const override;
  /// Appends the first leg of step 0 on each ring; nothing for an NVSwitch.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the second leg of a hop by PXN, or the receiver's hop in the next step; nothing after
  /// the last step.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Returns 0 for the first leg of step 0, else 1.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the first leg of the hop by PXN, or what arrived in the step before.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Visits by ring, step and sending rank.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits two bundles for each leg: the smaller pieces and those that are larger by a byte.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override { return sizeof(*this) + rings_.memory() + counts_.memory(); }

 private:
  /// The bytes that the rank at this place sends in a step.
  ByteRange PieceOf(std::uint32_t ring, std::uint32_t place, std::uint32_t step) const;
  /// Makes the message of `step` over leg 0 or 1 of `hop`. The first leg is marked reduced in steps
  /// 1 to n - 1, the last leg reduces in steps 0 to n - 2; none in an AllGather.
  GroupFlow Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t ring,
                 std::uint32_t step) const;
  /// Counts the larger pieces that the rank at this place of a ring sends.
  std::uint64_t CountLarge(std::uint32_t ring, std::uint32_t place) const;

  Operation operation_;
  std::int64_t bytes_;
  Rings rings_;
  Division shares_;  ///< of the buffer, by rank
  Division slices_;  ///< of a smallest share, by ring
  std::uint32_t steps_;
  LegCounts counts_;  ///< counts of one step
};

}  // namespace heddle
