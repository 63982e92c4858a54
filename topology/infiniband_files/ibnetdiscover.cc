// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/ibnetdiscover.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "core/base/check.h"
#include "topology/infiniband_files/discovered_blocks.h"
#include "topology/infiniband_files/discovered_ports.h"
#include "topology/infiniband_files/dump_lines.h"

namespace heddle {
namespace {

constexpr const char* kExpected = "the output of ibnetdiscover, with or without -p";

/// Whether one of the words stands at the beginning.
template <std::size_t n>
bool BeginsWith(const DumpLines& lines, const std::string_view (&words)[n]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return lines.At(word); });
}

bool IsBlocks(const DumpLines& lines) {
  constexpr std::string_view kWords[] = {"vendid=", "devid=",  "sysimgguid=", "switchguid=",
                                         "caguid=", "rtguid=", "Switch\t",    "Switch ",
                                         "Ca\t",    "Ca ",     "Hca\t",       "Hca ",
                                         "Rt\t",    "Rt ",     "Chassis ",    "Non-Chassis"};
  return BeginsWith(lines, kWords);
}

bool IsPorts(const DumpLines& lines) {
  constexpr std::string_view kWords[] = {"SW ", "CA ", "RT "};
  return BeginsWith(lines, kWords);
}

}  // namespace

bool IsIbnetdiscover(std::string_view text) {
  DumpLines lines(text, "");
  return lines.Next() && (IsBlocks(lines) || IsPorts(lines));
}

InfinibandNetwork ParseIbnetdiscover(std::string_view text, const std::string& name) {
  DumpLines lines(text, name);
  if (!lines.Next()) FailInput({name, 0}, "the file is empty", kExpected);
  if (IsBlocks(lines)) return ReadDiscoveredBlocks(text, name);
  if (IsPorts(lines)) return ReadDiscoveredPorts(text, name);
  lines.FailRest(kExpected);
}

}  // namespace heddle
