// SPDX-License-Identifier: GPL-2.0-only
/// Links and nodes that fail, come back or change their rate at given times.
///
/// A link works if it is up itself and both its nodes are up: a link that was taken down stays down
/// when its node comes back. Down and up are states, not counts: one up ends any number of downs of
/// the same link or node. Among changes at one time, the last one given applies.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"

namespace heddle {

/// A failure as the user gave it, with its place in the file.
struct FailureEvent {
  enum class What : std::uint8_t { kLinkDown, kLinkUp, kLinkRate, kNodeDown, kNodeUp };
  static constexpr std::uint32_t kAllCables = std::numeric_limits<std::uint32_t>::max();

  Time time;
  What what = What::kLinkDown;
  NodeId a;                          ///< the node, or one end of the link
  NodeId b;                          ///< the other end; none for a node
  std::uint32_t cable = kAllCables;  ///< of parallel cables, from 0 in the topology's order
  BitRate rate;                      ///< kLinkRate only, > 0
  SourceLine where;
  std::string a_name = {}, b_name = {};  ///< of an end that has no number yet; empty: it has
};

/// One change of one link at one time, of both directions unless it names a sender.
struct LinkEvent {
  enum class Kind : std::uint8_t { kDown, kUp, kRate };
  Time time;
  LinkId link;
  Kind kind = Kind::kDown;
  BitRate rate;     ///< kRate only
  NodeId sender{};  ///< kRate only: the end whose sending alone changes; invalid: both. No input
                    ///< file has it
};

/// Finds the nodes of events that give names, as messages and tables have them ("leaf 5"). Throws
/// UserError with file and line for a name that no node has, or several have.
void FindNamedNodes(const Graph& graph, std::vector<FailureEvent>* events);

/// Expands events into changes of links, sorted by (time, link, kind). Each is a real change: no
/// link goes down twice, and changes that are undone at the same time are omitted. A link that is
/// down can change its rate. Throws UserError with file and line: an unknown node or cable, no link
/// between a and b, a rate that is not above 0, a time below 0.
std::vector<LinkEvent> ExpandFailures(const Graph& graph, std::vector<FailureEvent> events);

/// Returns by link, of `links` links, whether it is down at a time, with the changes at that time;
/// `events` as ExpandFailures() gives them. Empty: none is down.
std::vector<bool> LinksDownAt(const std::vector<LinkEvent>& events, std::size_t links, Time time);

}  // namespace heddle
