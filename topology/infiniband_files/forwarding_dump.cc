// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/forwarding_dump.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "topology/infiniband_files/dump_collector.h"
#include "topology/infiniband_files/dump_lines.h"

namespace heddle {
namespace {

constexpr const char* kFiles =
    "opensm.fdbs, ibdiagnet.fdbs, opensm-lfts.dump, or the output of dump_fts or ibroute";

bool IsRoutes(const DumpLines& lines) {
  return lines.At("dump_ucast_routes:") || lines.At("osm_ucast_mgr_dump_ucast_routes:");
}

bool IsLids(const DumpLines& lines) { return lines.At("Unicast lids "); }

std::uint16_t RequireLid(DumpLines* lines) {
  const std::uint64_t lid = lines->RequireHex("a LID");
  if (lid > kHighestLid)
    lines->Fail(fmt::format("LID {:#x}", lid), fmt::format("up to {:#x}", kHighestLid));
  return static_cast<std::uint16_t>(lid);
}

std::uint8_t RequirePort(DumpLines* lines) {
  return static_cast<std::uint8_t>(lines->RequireNumber("a port", 0, LidRoute::kUnreachable));
}

/// opensm.fdbs and ibdiagnet.fdbs.
void ReadRoutes(DumpLines* lines, DumpCollector* collector) {
  do {
    if (IsRoutes(*lines)) {
      lines->Take("osm_ucast_mgr_");
      lines->Require("dump_ucast_routes: Switch ", "dump_ucast_routes: Switch GUID");
      collector->Begin(lines->RequireHex("the GUID of a switch"));
    } else if (lines->At("0x")) {  // 0x0001 : 005  : 02   : yes, or 0x0001 : UNREACHABLE
      const std::uint16_t lid = RequireLid(lines);
      lines->SkipBlanks();
      lines->Require(":", "a colon behind the LID");
      lines->SkipBlanks();
      collector->Add(
          {lid, lines->Take("UNREACHABLE") ? LidRoute::kUnreachable : RequirePort(lines)});
    } else if (lines->Take("PLFT_NUM:")) {
      lines->SkipBlanks();
      if (lines->RequireNumber("the number of a private table", 0, 255) > 0) collector->PassOver();
    } else if (!lines->Take("LID ")) {
      lines->FailRest("LID : PORT, or dump_ucast_routes: Switch GUID");
    }
  } while (lines->Next());
}

/// `Unicast lids [0x0-0x18] of switch Lid 6 guid 0x0000000000200003 ('leaf3'):`
void ReadUnicastHead(DumpLines* lines, DumpCollector* collector) {
  constexpr std::string_view kGuid = " guid ";
  const std::size_t at = lines->rest().find(kGuid);
  if (at == std::string_view::npos) lines->FailRest("Unicast lids [FIRST-LAST] ... guid GUID");
  lines->Take(lines->rest().substr(0, at + kGuid.size()));
  collector->Begin(lines->RequireHex("the GUID of a switch"));
}

/// The output of ibroute and dump_fts, and opensm-lfts.dump.
void ReadLids(DumpLines* lines, DumpCollector* collector) {
  do {
    if (IsLids(*lines)) {
      ReadUnicastHead(lines, collector);
    } else if (lines->At("0x")) {  // 0x0001 005 : (Channel Adapter portguid ...)
      const std::uint16_t lid = RequireLid(lines);
      lines->Require(" ", "a blank behind the LID");
      lines->SkipBlanks();
      collector->Add({lid, RequirePort(lines)});
    } else if (lines->At("Multicast")) {
      lines->Fail("a multicast table", "tables of unicast only, as without -M");
    } else if (lines->rest().find(" dumped") != std::string_view::npos) {
      // The number before it is no check: OpenSM counts LIDs that it does not list, too.
      lines->RequireNumber("the number of LIDs", 0, 0x10000);
      collector->End();
    } else if (!lines->Take("Lid ") && !lines->Take("Port ")) {
      lines->FailRest("LID PORT, or Unicast lids [FIRST-LAST] of switch ... guid GUID");
    }
  } while (lines->Next());
}

}  // namespace

bool IsForwardingDump(std::string_view text) {
  DumpLines lines(text, "");
  return lines.Next() && (IsRoutes(lines) || IsLids(lines));
}

ForwardingDump ParseForwardingDump(std::string_view text, const std::string& name,
                                   const InfinibandNetwork& network) {
  DumpLines lines(text, name);
  if (!lines.Next()) FailInput({name, 0}, "the file is empty", kFiles);
  const bool has_ends = IsLids(lines);
  DumpCollector collector(&lines, network, has_ends);
  if (has_ends) {
    ReadLids(&lines, &collector);
  } else if (IsRoutes(lines)) {
    ReadRoutes(&lines, &collector);
  } else {
    lines.FailRest(kFiles);
  }
  return collector.Finish();
}

}  // namespace heddle
