// SPDX-License-Identifier: GPL-2.0-only
/// AllToAll with PXN: one message between servers carries what all ranks of a server send to a rank
/// of another server.
///
/// Source: NCCL 2.12's PXN ("Doubling all2all performance with NCCL 2.12", NVIDIA 2022); its three
/// phases in the description of SimAI's communication stack. For rank d, in place m of its server's
/// ranks, the proxy in a server S of L ranks is the rank in place m mod L. Every other rank of S
/// sends its slice for d to the proxy over NVLink (kPxnInit). When all have arrived, the proxy
/// sends them with its own to the rank of its own place in d's server (kPxnNet). That rank is d;
/// or, if d's server has more ranks than S, it forwards them to d (kPxnFinal). Within a server:
/// kDirect.
///
/// Proxies are found by place, so messages between servers stay on a rail if the group has the same
/// rails in all servers. Chunk numbers distinguish messages of different (server, destination): S n
/// + d; direct messages have chunk 0. The offset of a message is that of slice d; it carries one
/// slice from each rank that it serves.
#pragma once

#include <utility>

#include "collectives/schedule/schedule.h"

namespace heddle {

class PxnAllToAllSchedule final : public Schedule {
 public:
  /// `bytes`: a rank's whole buffer. `shape` must outlive it. Throws UserError if servers times
  /// ranks exceed 32 bits.
  PxnAllToAllSchedule(std::int64_t bytes, const GroupShape& shape);

  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return 1; }
  std::uint32_t chunk_count() const override { return shape_.servers() * shape_.ranks(); }
  FlowCounts CountsOf(Participant p) const override;
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override {
    return sizeof(*this) + sizes_.capacity() * sizeof(sizes_[0]);
  }

 private:
  /// Data of the ranks of `server` for rank `to` of another server.
  struct Bundle {
    std::uint32_t server = 0;
    /// Between the servers, `proxy` sends it and `entry` receives it.
    Participant to = 0, proxy = 0, entry = 0;
  };

  Bundle BundleOf(std::uint32_t server, Participant to) const;
  Bundle BundleOf(const GroupFlow& flow) const {
    return BundleOf(flow.chunk / shape_.ranks(), flow.chunk % shape_.ranks());
  }
  GroupFlow Flow(Participant source, Participant destination, Connection connection,
                 std::uint32_t chunk, Participant part, std::uint32_t copies) const;
  GroupFlow Direct(Participant from, Participant to) const;
  GroupFlow Init(const Bundle& bundle, Participant from) const;
  GroupFlow Net(const Bundle& bundle) const;
  GroupFlow Final(const Bundle& bundle) const;
  void VisitBundle(const Bundle& bundle, const std::function<void(const GroupFlow&)>& visit) const;

  std::int64_t bytes_;
  const GroupShape& shape_;
  /// For each number of ranks: how many servers have it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes_;
  std::uint64_t flow_count_ = 0;
};

}  // namespace heddle
