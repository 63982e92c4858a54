// SPDX-License-Identifier: GPL-2.0-only
/// When links were busy: the times of the flows on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/analysis/result_view.h"
#include "io/collisions/link_users.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// Requires a result with all flows, each on one path. A flow is on its links from its start to its
/// completion, and to the end of the run if it did not finish. Flows that never started are on
/// none.
class LinkTimes {
 public:
  struct Use {
    std::int64_t busy_ps = 0;  ///< in which at least one flow was under way
    std::int64_t flows = 0;
    std::int64_t at_once = 0;  ///< most flows under way together
  };

  /// `at`: counts only flows that are under way then. Throws UserError for tables that do not fit
  /// the topology.
  LinkTimes(const ReportSource& source, std::optional<Time> at);

  const Use& operator[](HopIndex link) const { return uses_[link]; }  ///< over the run
  /// Payload on a link in each of `bins` equal parts of the run [byte]: that of a flow is spread
  /// evenly over its time. Adds up to the sizes of its flows, except flows that began after the
  /// end.
  std::vector<double> BytesOver(HopIndex link, std::size_t bins) const;
  /// Calls `visit(row, first bin, bytes by bin)` for the flows on a link as BytesOver() counts
  /// them; `row`: of flows().
  void ForEachFlow(
      HopIndex link, std::size_t bins,
      const std::function<void(std::size_t, std::size_t, const std::vector<double>&)>& visit) const;
  const Table& flows() const { return flows_; }  ///< table `flows`, read whole
  /// Returns the flows on a link by pair of ends, the pairs with most bytes first.
  std::vector<LinkUser> UsersOf(HopIndex link, const NodeNames& names, std::size_t most) const;

 private:
  /// Sorts rows of flows by link, each link's in order of their start.
  void Sort(const ReportSource& source, std::optional<Time> at);
  /// Sums up rows_[first] to rows_[last - 1], which must ascend by start.
  Use UseOf(std::size_t first, std::size_t last) const;

  Table flows_;
  std::int64_t end_ps_;
  std::vector<std::size_t> first_;  ///< by link: in rows_; and the end
  std::vector<std::uint32_t> rows_;
  std::vector<Use> uses_;
};

}  // namespace heddle
