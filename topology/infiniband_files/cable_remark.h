// SPDX-License-Identifier: GPL-2.0-only
/// What follows # on the lines of ibnetdiscover's blocks: descriptions, LIDs, and the speed of a
/// cable.
#pragma once

#include <cstdint>
#include <string_view>

#include "topology/infiniband_files/dump_lines.h"

namespace heddle {

struct LidWords {
  std::uint16_t lid = 0;
  std::uint8_t lmc = 0;
};

struct CableRemark {
  LidWords own;   ///< before the description: of the line's port, if it is a CA's
  LidWords peer;  ///< after the description: of the described node
  std::string_view description;
  std::uint8_t width = 0;  ///< 0: unknown
  std::string_view speed;
};

/// Reads `# lid 24 lmc 0 "leaf3" lid 6 4xSDR` from the blanks before it on, or nothing. The
/// description reaches from the first quotation mark to the last. Other words are skipped, such as
/// `base port 0`, and `s=4` of -f. Throws UserError for a LID or LMC out of range.
CableRemark ReadCableRemark(DumpLines* lines);

/// Returns the LID for a number of a dump: 0, and 65535, which some firmware reports for no LID,
/// become 0. Throws UserError if it is no unicast LID.
std::uint16_t CheckedLid(const DumpLines& lines, std::uint64_t number);

/// Returns the lanes of "4x"; 0 for any other text.
std::uint8_t LanesOf(std::string_view width);

}  // namespace heddle
