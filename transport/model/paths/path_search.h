// SPDX-License-Identifier: GPL-2.0-only
/// Finds a source port that leads a flow over links with room: the core of the central controller.
///
/// Source: the ECMP controller's specification, section 3.4: try the source ports 1, 2, 3, ... and
/// take the first whose path, traced with the hash of hosts and switches, meets no reserved hop;
/// the last hop, which no source port changes, does not count (section 5.3). Results equal those of
/// that search for every state of the fabric; only the cost differs (path_search.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"
#include "transport/model/paths/link_shares.h"

namespace heddle {

/// Whether source ports matter to this pair, so that the controller is asked: two GPUs of different
/// servers whose path crosses two or more switches (the ECMP controller's specification, section
/// 5.3).
bool HasChoiceOfPath(const Graph& graph, const Routes& routes, NodeId source, NodeId destination);

/// A source port and its path.
struct SearchedPath {
  std::uint16_t source_port = 0;
  std::uint32_t candidates = 0;  ///< source ports that a search from 1 upwards would have looked at
  BitRate demand;                ///< rate of the NIC that the path begins at
  /// Hops of switches (not of the source), the last one to the destination itself.
  std::vector<HopIndex> hops;
};

class PathSearch {
 public:
  static constexpr std::uint16_t kFirstPort = 1;
  static constexpr std::uint16_t kLastPort = 65534;

  /// Memory limit of the paths and next hops that a search remembers [byte]. Does not affect
  /// results.
  static constexpr std::size_t kMemoBytes = 32U << 20;

  /// Keeps all arguments, which must outlive it. `shares` may change between calls.
  PathSearch(const Graph& graph, const Routes& routes, const HopNumbers& numbers,
             const LinkShares& shares, std::size_t memo_bytes = kMemoBytes);
  ~PathSearch();
  PathSearch(const PathSearch&) = delete;
  PathSearch& operator=(const PathSearch&) = delete;

  /// Changes to other routes, and forgets the known paths.
  void UseRoutes(const Routes& routes);

  /// Finds the lowest source port whose path fits (LinkShares::Fits on every hop but the last).
  /// Returns false, with candidates = kLastPort, if no path fits or there is none. Requires two
  /// GPUs.
  bool FindFree(NodeId source, NodeId destination, std::uint16_t destination_port,
                SearchedPath* path);

  /// Finds the source port whose path has the smallest worst use (the largest LinkShares::UseWith
  /// of its hops but the last); among equals the lowest port. candidates = kLastPort. Returns false
  /// if there is no path.
  bool FindLeastLoaded(NodeId source, NodeId destination, std::uint16_t destination_port,
                       SearchedPath* path);

  /// Traces the path of this source port; candidates = 0. Returns false if there is no path.
  bool Trace(NodeId source, NodeId destination, std::uint16_t source_port,
             std::uint16_t destination_port, SearchedPath* path);

  /// Returns the number of source ports traced so far by searches and Trace(): a measure of cost.
  std::uint64_t traced() const;

 private:
  class Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace heddle
