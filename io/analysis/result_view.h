// SPDX-License-Identifier: GPL-2.0-only
/// A view of one result for the sections of the report: tables read in blocks, the fabric, and
/// names of links and tiers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/result/attribute_map.h"
#include "io/result/result_reader.h"
#include "topology/graph/graph.h"
#include "topology/graph/node_names.h"
#include "topology/paths/hop_numbers.h"

namespace heddle {

/// The tier of every port: that of its outgoing link.
class PortTiers {
 public:
  /// Takes the tiers of LinkTiers. `numbers`: of the ports of `graph`.
  PortTiers(const Graph& graph, const HopNumbers& numbers);
  /// Returns the tiers' names, in the order of LinkTiers.
  const std::vector<std::string>& names() const { return names_; }
  std::uint32_t Of(HopIndex hop) const { return tier_[hop]; }  ///< an index into names()
  /// Returns the number of directed links of a tier; a cable is two.
  std::uint32_t links(std::uint32_t tier) const { return links_[tier]; }

 private:
  std::vector<std::uint8_t> tier_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> links_;
};

class ReportSource {
 public:
  /// Throws UserError with the file's name if it is no result or lacks its topology.
  explicit ReportSource(const std::string& path);

  const std::string& path() const { return path_; }  ///< as given, for messages
  const ResultReader& reader() const { return reader_; }
  bool Has(const std::string& table) const;  ///< even without rows
  /// Whether the table exists and has rows.
  bool HasRows(const std::string& table) const {
    return Has(table) && reader_.CountRows(table) > 0;
  }
  /// Whether the table exists and has such a column. Reads the table's header from the file.
  bool HasColumn(const std::string& table, const std::string& column) const;

  const AttributeMap& root() const { return root_; }  ///< attributes of the file's root
  /// Returns the attributes of group /run, or of the root in older results.
  const AttributeMap& run() const { return run_; }

  /// Returns what carried the traffic: "packet", or another value of --backend.
  std::string backend() const { return root_.Text("backend").value_or("packet"); }
  /// Whether the result has flows and packets; the analytical backend carries collectives whole.
  bool carries_flows() const { return backend() != "analytical"; }

  const Graph& graph() const { return graph_; }           ///< the fabric of tables topology/*
  const HopNumbers& numbers() const { return numbers_; }  ///< of the ports of graph()
  const PortTiers& tiers() const { return tiers_; }
  /// Returns the number of a port. Throws UserError with the table's name if the fabric has no such
  /// port.
  HopIndex HopOf(const std::string& table, std::uint32_t node, std::uint32_t port) const;
  double RateOf(HopIndex hop) const;  ///< bit/s
  const NodeNames& names() const { return names_; }
  /// Returns names()'s name, or "node 812" for a number that the fabric does not have.
  std::string NodeName(std::uint32_t node) const;
  std::string PeerName(HopIndex hop) const;  ///< of the node at the other end of the link
  /// "leaf 2 -> server 0 / GPU 3", with the cable's number if several join the two.
  std::string LinkName(HopIndex hop) const;

  /// Returns the end of the simulation [ps]; without the attribute, the last end of a flow or a
  /// job; at least 1.
  std::int64_t end_ps() const { return end_ps_; }

 private:
  /// Returns simulated_ps, of an incomplete result until_ps, or the last end in tables "jobs" and
  /// "flows" [ps].
  std::int64_t FindEnd() const;

  std::string path_;
  ResultReader reader_;
  std::vector<std::string> tables_;
  AttributeMap root_, run_;
  Graph graph_;
  HopNumbers numbers_;
  PortTiers tiers_;
  NodeNames names_;
  std::int64_t end_ps_;
};

}  // namespace heddle
