// SPDX-License-Identifier: GPL-2.0-only
/// Records of a rank's flows in the order of their rows, block by block, with their arrivals.
///
/// Domains are read one after the other, in the order of their sources, and only as many at once as
/// make a block. So records that have left the caches come back once, and the blocks of domains
/// whose sources do not overlap follow each other in order.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/units.h"
#include "core/containers/word_sort.h"
#include "transport/model/record/taken_flows.h"

namespace heddle {

class SortedFlows final {
 public:
  /// Reads the lists of each domain; what they point to must outlive this unchanged. A block has
  /// `block_rows` flows or fewer.
  SortedFlows(std::vector<FlowLists> lists, std::size_t block_rows);

  /// Replaces `block` by the next flows, sorted by source and number. `received` has the time from
  /// each flow's start to its earliest arrival in the lists, -1 for none. The last block has no
  /// flows, and all arrivals without a flow in the lists, sorted too. False if there was that block
  /// already.
  bool Next(FlowRecords* block);

 private:
  /// Collects and sorts the arrivals of all domains.
  void SortArrivals();
  /// Sorts the flows of the next domains.
  void FillBatch();
  /// Returns the earliest arrival of this flow, or -1; marks all its arrivals as found.
  Time TakeArrivals(std::uint64_t flow);

  std::vector<FlowLists> lists_;
  std::size_t block_rows_;
  std::size_t next_list_ = 0;
  std::vector<Worded<const FlowRecord*>> batch_;  ///< flows of some domains
  std::size_t next_flow_ = 0;                     ///< in the batch
  std::vector<Worded<Time>> arrivals_;            ///< of all domains; negative: found
  std::size_t next_arrival_ = 0;
  bool ended_ = false;
};

}  // namespace heddle
