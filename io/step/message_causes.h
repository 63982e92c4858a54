// SPDX-License-Identifier: GPL-2.0-only
/// Why a message took as long as it did.
///
/// Its time alone on the healthy fabric is in the result (ideal_ps). What it took beyond that went,
/// in this order, to timeouts; to other messages of its sender, as long as their bytes took on the
/// sender's link meanwhile; to the link of its path on which other flows sent the most, as long as
/// their bytes took there beyond that; to pauses, if ports of its path were paused; to the link
/// that its acknowledgements had to pass, if others kept it busy for at least half of the time; and
/// the rest to its sending rate. The time alone is that of line rate, but for what a link costs
/// that is slower than the fastest of its tier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/collisions/flow_paths.h"
#include "topology/graph/graph.h"
#include "topology/graph/link_tiers.h"
#include "topology/paths/hop_numbers.h"

namespace heddle {

enum class StepCause : std::uint8_t {
  kCompute,
  kAlone,       ///< a GPU computed while the others of a group waited for it
  kSoftware,    ///< latency of the software before messages
  kLineRate,    ///< messages at the rate of their paths
  kSlowLink,    ///< a link slower than others of its tier
  kCollision,   ///< others on a link between switches, or of an NVSwitch
  kOwnLink,     ///< other messages of the same sender on its own link
  kReceiver,    ///< others on the link to the receiver
  kTimeouts,    ///< waiting for retransmission timeouts
  kPauses,      ///< ports of the path were paused by PFC
  kAcks,        ///< acknowledgements waited in queues, and the window was full
  kRate,        ///< below line rate on free links: congestion control, losses, failures
  kCollective,  ///< collectives whose messages have no rows
  kOther,       ///< changes of state of the programs
};
constexpr int kStepCauses = 14;
/// "computing", "software latency", "messages at line rate", ...
const char* ToText(StepCause cause);

inline constexpr HopIndex kNoHop = ~HopIndex{0};

struct CausePart {
  StepCause cause = StepCause::kOther;
  HopIndex link = kNoHop;  ///< the link to blame, if there is one
  std::int64_t ps = 0;
};

/// Tables of one result. `recovery`, `ports` and `pause_causes` may be empty.
struct MessageTables {
  Table flows, recovery, ports, pause_causes;
  std::vector<HopIndex> own_ports;  ///< of the senders, by row of `flows`; may be empty
  bool received = false;            ///< a message is done when it has arrived (flow.completion)
};

class MessageCauses {
 public:
  /// `paths`: by row of `flows`, without the sender's port; null: they are not known, and no link
  /// is blamed. `acks`: the path of a row's acknowledgements; null: not known. Looks for the causes
  /// of the rows of `asked`. The arguments must outlive it, but for `acks`.
  using PathOfAcks = std::function<std::vector<HopIndex>(std::size_t row)>;
  MessageCauses(const Graph& graph, const MessageTables& tables, const PortLists* paths,
                const std::vector<std::size_t>& asked, const PathOfAcks& acks = nullptr);

  /// Returns the parts of the time of a row of `asked`; they sum to it exactly, and none is 0.
  std::vector<CausePart> Of(std::size_t row) const;
  /// Returns the other rows that sent over a link while this row was under way, with their bytes
  /// then, most bytes first.
  std::vector<std::pair<std::size_t, double>> BytesOn(HopIndex link, std::size_t row) const;

 private:
  static constexpr std::uint32_t kNoSlot = ~0U;
  struct Path {
    std::vector<HopIndex> hops;  ///< from the sender's port on
  };
  /// Returns the path with the sender's port; without hops if paths are not known.
  Path PathOf(std::size_t row) const;
  /// Returns the time until the message was done [ps]: had arrived, or was acknowledged.
  std::int64_t SpanOf(std::size_t row) const { return (received_ ? came_ : fct_)[row]; }
  /// Returns the bytes that `other` sent while `row` was under way, if it sent at a steady rate.
  double BytesDuring(std::size_t other, std::size_t row) const;
  double RateOf(HopIndex hop) const;  ///< [bit/s]
  /// Collects the rows on each link of the paths and acknowledgements of `asked`.
  void FindUsers(const std::vector<std::size_t>& asked);
  /// Returns the time that others took of a link while a row was under way [ps].
  double OthersTime(HopIndex hop, std::size_t row) const;
  /// Divides the time alone [ps] into line rate and what a link costs that is slower than its tier.
  void AddTimeAlone(std::size_t row, const Path& path, std::int64_t alone,
                    std::vector<CausePart>* parts) const;
  /// Divides what a row took beyond its time alone [ps], in the order of this file's first comment.
  void AddLoss(std::size_t row, const Path& path, std::int64_t loss,
               std::vector<CausePart>* parts) const;
  /// Takes what flows on the busiest link cost beyond the `own` time of the sender's messages [ps].
  template <class Take>
  void TakeShared(std::size_t row, const Path& path, double own, std::int64_t loss,
                  const Take& take) const;
  /// Names the cause of waiting for a link by its place: first, last, or between.
  StepCause KindOf(HopIndex hop, const Path& path) const;
  bool IsPaused(const Path& path) const;  ///< any port of it, over the run
  /// Returns the link that others kept busy most of the time while the row's acknowledgements
  /// passed it.
  HopIndex LinkOfAcks(std::size_t row) const;

  const Graph& graph_;
  const HopNumbers numbers_;
  const LinkTiers tiers_;
  std::vector<double> best_of_tier_;  ///< [bit/s]
  const PortLists* paths_;
  const std::vector<HopIndex>& own_ports_;  ///< empty: the first that leads to the path
  bool received_;
  const std::vector<std::uint32_t>&src_, &dst_;
  const std::vector<std::int64_t>&start_, &fct_, &came_, &ideal_, &size_;
  std::map<std::size_t, std::int64_t> waited_;         ///< by row: for timeouts [ps]
  std::vector<std::uint32_t> slot_;                    ///< by port: of users_, or kNoSlot
  std::vector<std::vector<std::uint32_t>> users_;      ///< rows, of the links that matter
  std::map<HopIndex, std::int64_t> paused_;            ///< by port
  std::map<std::size_t, std::vector<HopIndex>> acks_;  ///< by row: paths of acknowledgements
  HopIndex root_ = kNoHop;                             ///< of most pauses
};

}  // namespace heddle
