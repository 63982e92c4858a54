// SPDX-License-Identifier: GPL-2.0-only
/// When links were busy: the times of the flows on them.
#ifndef HEDDLE_IO_LINKS_LINK_TIMES_H_
#define HEDDLE_IO_LINKS_LINK_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/analysis/result_view.h"
#include "io/collisions/link_users.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// Of a result with all flows, each on one path. A flow is on its links from its start to its
/// completion, and to the end of the run if it did not finish.
class LinkTimes {
 public:
  struct Use {
    std::int64_t busy_ps = 0;  ///< in which at least one flow was under way
    std::int64_t flows = 0;
    std::int64_t at_once = 0;  ///< most flows under way together
  };

  /// `at`: of flows that are under way then only. Throws UserError for tables that do not fit the
  /// topology.
  LinkTimes(const ReportSource& source, std::optional<Time> at);

  const Use& operator[](HopIndex link) const { return uses_[link]; }
  /// The flows on a link by pair of ends, the pairs with most bytes first.
  std::vector<LinkUser> UsersOf(HopIndex link, const NodeNames& names, std::size_t most) const;

 private:
  /// Rows of flows by link, each link's in order of their start.
  void Sort(const ReportSource& source, std::optional<Time> at);
  Use UseOf(std::size_t first, std::size_t last) const;

  Table flows_;
  std::int64_t end_ps_;
  std::vector<std::size_t> first_;  ///< by link: in rows_; and the end
  std::vector<std::uint32_t> rows_;
  std::vector<Use> uses_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_LINKS_LINK_TIMES_H_
