// SPDX-License-Identifier: GPL-2.0-only
/// AllToAll with PXN: what the ranks of one server send to a rank of another goes in one message
/// between the servers.
///
/// Source: NCCL 2.12's PXN ("Doubling all2all performance with NCCL 2.12", NVIDIA 2022); its three
/// phases in the description of SimAI's communication stack. A rank d, in place m of its server's
/// ranks, is served from a server S of L ranks by the proxy in place m mod L of S: every other rank
/// of S sends it d's part over NVLink (kPxnInit); when all have come, the proxy sends them with its
/// own to the rank of its own place in d's server (kPxnNet), which is d, or, if d's server has more
/// ranks than S, hands them on to d (kPxnFinal). Within a server: kDirect.
///
/// Proxies are found by place, so messages between servers stay on a rail where groups have the
/// same rails in all servers. Chunk numbers tell messages of different (server, destination) apart:
/// S n + d; direct messages have chunk 0. The offset of a message is that of part d; it carries one
/// copy from each rank that it stands for.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_PXN_ALL_TO_ALL_SCHEDULE_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_PXN_ALL_TO_ALL_SCHEDULE_H_

#include <utility>

#include "collectives/schedule/schedule.h"

namespace heddle {

class PxnAllToAllSchedule final : public Schedule {
 public:
  /// `bytes`: of a rank's buffer of all parts. `shape` must outlive it. Throws UserError if servers
  /// times ranks exceed 32 bits.
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
  /// What the ranks of `server` have for rank `to` of another one.
  struct Bundle {
    std::uint32_t server = 0;
    Participant to = 0, proxy = 0,
                entry = 0;  ///< proxy sends it, entry gets it between the servers
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      sizes_;  ///< ranks of a server, servers of this size
  std::uint64_t flow_count_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_PXN_ALL_TO_ALL_SCHEDULE_H_
