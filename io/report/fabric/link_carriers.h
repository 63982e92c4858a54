// SPDX-License-Identifier: GPL-2.0-only
/// Who used a drawn line when: flows between two nodes, with their job and collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/links/link_times.h"
#include "io/report/report_json.h"

namespace heddle {

/// Collects users of lines, and numbers them and their names.
class LinkCarriers {
 public:
  /// Users of a bin that are kept: those with most bytes.
  static constexpr std::size_t kMostAtOnce = 4;

  /// Both must outlive it. `bins`: equal parts of the run.
  LinkCarriers(const ReportSource& source, const LinkTimes& times, std::size_t bins);

  /// Returns the users of the links of one line together: [bin, flows, users, and for each of the
  /// most: its number and its bytes] for bins that have any, one after the other. `entries`: grows
  /// by the number of users that are kept.
  Json UsersOf(const std::vector<HopIndex>& links, std::size_t* entries);

  /// Users by number as [source, destination, kind]: indices of nodes() and kinds().
  const Json& users() const { return users_; }
  const Json& nodes() const { return nodes_; }  ///< names of users' ends
  /// Returns names such as "job 0: fwd ALLTOALL of EP, layer 3 moe"; "" for flows of traces.
  const Json& kinds() const { return kinds_; }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // source, destination, kind

  /// Names the operations of a pass of each job, if flows have operations.
  void ReadKinds();
  std::uint32_t KindOf(std::size_t row);     ///< of a row of flows(); 0: of a trace
  std::uint32_t NumberOf(const Key& key);    ///< an index of users(); adds a new one
  std::uint32_t NodeOf(std::uint32_t node);  ///< an index of nodes(); adds a new one

  const ReportSource& source_;
  const LinkTimes& times_;
  std::size_t bins_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> kind_of_operation_;  ///< by job
  std::map<Key, std::uint32_t> numbers_;
  std::map<std::uint32_t, std::uint32_t> node_numbers_;
  Json users_ = Json::array(), nodes_ = Json::array(), kinds_ = Json::array();
};

}  // namespace heddle
