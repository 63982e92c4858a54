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
/// slice from each rank that it serves. Where pairs of ranks exchange different bytes, slices are
/// as large as a table says; pairs without bytes have messages too, of a byte.
#pragma once

#include <utility>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class PxnAllToAllSchedule final : public Schedule {
 public:
  /// `bytes`: a rank's whole buffer. `sizes`: of pairs that differ; null: all are alike. `shape`
  /// and `sizes` must outlive it. Throws UserError if servers times ranks exceed 32 bits.
  PxnAllToAllSchedule(std::int64_t bytes, const GroupShape& shape,
                      const PairSizes* sizes = nullptr);

  /// Counts messages of all three phases and those within servers.
  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return 1; }  ///< all messages are of channel 0
  /// Bounds the chunk numbers: S n + d, and 0 for direct messages.
  std::uint32_t chunk_count() const override { return shape_.servers() * shape_.ranks(); }
  /// Computes the counts from the number of servers of each size: in time O(different sizes).
  FlowCounts CountsOf(Participant p) const override;
  /// Appends by destination: direct messages, first phases, and, of a rank alone in its server, the
  /// messages between servers.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the message between servers after a first phase, and the last phase if the rank that
  /// received is not the destination.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Between servers: the other ranks of the server; last phase: 1; else 0.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the first phases of a message between servers, or the message between servers of a
  /// last phase.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Visits direct messages by source, then the bundles by server and destination.
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

  /// Returns the bundle of what the ranks of `server` have for `to`, which is in another server.
  Bundle BundleOf(std::uint32_t server, Participant to) const;
  /// Returns the bundle of a message that is not direct, from its chunk number.
  Bundle BundleOf(const GroupFlow& flow) const {
    return BundleOf(flow.chunk / shape_.ranks(), flow.chunk % shape_.ranks());
  }
  /// Makes a message for rank `part`, of this many bytes.
  GroupFlow Flow(Participant source, Participant destination, Connection connection,
                 std::uint32_t chunk, Participant part, std::int64_t bytes) const;
  /// Bytes of one rank's slice for another.
  std::int64_t BytesOf(Participant from, Participant to) const;
  /// Bytes of a whole bundle.
  std::int64_t BytesOf(const Bundle& bundle) const;
  /// Makes the message between two ranks of one server.
  GroupFlow Direct(Participant from, Participant to) const;
  /// Makes the first phase: the slice of `from`, which is not the proxy.
  GroupFlow Init(const Bundle& bundle, Participant from) const;
  /// Makes the message between servers: a slice of each rank of the server.
  GroupFlow Net(const Bundle& bundle) const;
  /// Makes the last phase, from the entry to the destination; they must differ.
  GroupFlow Final(const Bundle& bundle) const;
  /// Visits the bundle's messages: first phases, between servers, and the last if there is one.
  void VisitBundle(const Bundle& bundle, const std::function<void(const GroupFlow&)>& visit) const;

  std::int64_t bytes_;
  const GroupShape& shape_;
  const PairSizes* pairs_;  ///< null: all are alike
  /// For each number of ranks: how many servers have it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes_;
  std::uint64_t flow_count_ = 0;
};

}  // namespace heddle
