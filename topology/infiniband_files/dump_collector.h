// SPDX-License-Identifier: GPL-2.0-only
/// Collects and checks the entries of a dump of forwarding tables, switch by switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "topology/infiniband/infiniband_network.h"
#include "topology/infiniband/lid_routes.h"
#include "topology/infiniband_files/dump_lines.h"

namespace heddle {

/// Memory is a few bytes an entry: a short file cannot ask for much. Errors are of the line that
/// the reader is at.
class DumpCollector {
 public:
  /// `has_ends`: each table ends with a line of its own.
  DumpCollector(const DumpLines* lines, const InfinibandNetwork& network, bool has_ends);

  /// Begins the table of this switch, and ends the one before. An unknown switch's is skipped.
  void Begin(std::uint64_t guid);
  /// Skips what follows: a private table of this switch, which is for other packets, and not
  /// wanted.
  void PassOver();
  /// Adds an entry of the open table. Throws UserError outside of a table, for a port that the
  /// switch does not have, and for a LID with two ports.
  void Add(LidRoute route);
  /// Ends the table. Throws UserError outside of a table.
  void End();
  /// Ends the last table and returns all, with warnings that count what was skipped. Call it once.
  ForwardingDump Finish();

 private:
  /// Where the entries go.
  enum class Target : std::uint8_t { kNone, kSwitch, kUnknownSwitch, kPrivateTable };

  /// Stores or counts the open table. Throws UserError if the switch had one already.
  void Close();
  /// Throws UserError unless the switch of the table has the port, as far as its number of ports is
  /// known.
  void CheckPort(std::uint8_t port) const;
  /// Adds a warning that begins with the file's name.
  void Warn(const std::string& text);

  const DumpLines* lines_;
  const InfinibandNetwork* network_;
  bool has_ends_;
  std::unordered_map<std::uint64_t, std::uint32_t> switch_of_guid_;
  std::unordered_map<std::uint64_t, std::int64_t> begun_;  ///< line by GUID
  ForwardingDump dump_;

  Target target_ = Target::kNone;
  std::uint64_t guid_ = 0;
  std::int64_t head_ = 0;  ///< line at which the table begins
  bool ended_ = false;
  std::uint64_t entries_ = 0;
  SwitchRoutes table_;
  std::vector<std::uint16_t> port_of_lid_;  ///< of the table

  std::size_t unknown_ = 0, private_ = 0, open_ = 0;
  std::uint64_t first_unknown_ = 0;
};

}  // namespace heddle
