// SPDX-License-Identifier: GPL-2.0-only
/// Dumps of a small subnet, as the tools print them: switch 0xa (leaf1) with hosts 0xc0 and 0xc2,
/// switch 0xb (leaf2) with host 0xc4, and two cables between the switches.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace heddle::testing {

inline constexpr const char* kLeaf1 =
    "vendid=0x2c9\n"
    "devid=0xd2f0\n"
    "sysimgguid=0xa\n"
    "switchguid=0xa(a)\n"
    "Switch\t40 \"S-000000000000000a\"\t\t# \"MF0;leaf1:MQM8700/U1\" enhanced port 0 lid 1 lmc 0\n"
    "[1]\t\"H-00000000000000c0\"[1](c1) \t\t# \"node1 HCA-1\" lid 3 4xHDR\n"
    "[2]\t\"H-00000000000000c2\"[1](c3) \t\t# \"node2 HCA-1\" lid 4 4xHDR\n"
    "[21]\t\"S-000000000000000b\"[31]\t\t# \"MF0;leaf2:MQM8700/U1\" lid 2 4xHDR\n"
    "[22]\t\"S-000000000000000b\"[32]\t\t# \"MF0;leaf2:MQM8700/U1\" lid 2 4xHDR\n"
    "\n";
inline constexpr const char* kLeaf2 =
    "switchguid=0xb(b)\n"
    "Switch\t40 \"S-000000000000000b\"\t\t# \"MF0;leaf2:MQM8700/U1\" enhanced port 0 lid 2 lmc 0\n"
    "[31]\t\"S-000000000000000a\"[21]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR\n"
    "[32]\t\"S-000000000000000a\"[22]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR\n"
    "[1]\t\"H-00000000000000c4\"[1](c5) \t\t# \"node3 HCA-1\" lid 5 2xHDR\n"
    "\n";
inline constexpr const char* kHosts =
    "caguid=0xc0\n"
    "Ca\t1 \"H-00000000000000c0\"\t\t# \"node1 HCA-1\"\n"
    "[1](c1) \t\"S-000000000000000a\"[1]\t\t# lid 3 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR\n"
    "\n"
    "caguid=0xc2\n"
    "Ca\t1 \"H-00000000000000c2\"\t\t# \"node2 HCA-1\"\n"
    "[1](c3) \t\"S-000000000000000a\"[2]\t\t# lid 4 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR\n"
    "\n"
    "caguid=0xc4\n"
    "Ca\t1 \"H-00000000000000c4\"\t\t# \"node3 HCA-1\"\n"
    "[1](c5) \t\"S-000000000000000b\"[1]\t\t# lid 5 lmc 0 \"MF0;leaf2:MQM8700/U1\" lid 2 2xHDR\n";

inline std::string SmallBlocks() { return std::string(kLeaf1) + kLeaf2 + kHosts; }

/// The same as ibnetdiscover -p prints it.
inline constexpr const char* kSmallPorts =
    "SW     1  1 0x000000000000000a 4x HDR - CA     3  1 0x00000000000000c1 ( 'leaf1' - 'node1' )\n"
    "SW     1  2 0x000000000000000a 4x HDR - CA     4  1 0x00000000000000c3 ( 'leaf1' - 'node2' )\n"
    "SW     1 21 0x000000000000000a 4x HDR - SW     2 31 0x000000000000000b ( 'leaf1' - 'leaf2' )\n"
    "SW     1 22 0x000000000000000a 4x HDR - SW     2 32 0x000000000000000b ( 'leaf1' - 'leaf2' )\n"
    "SW     1 40 0x000000000000000a 4x SDR                                    'leaf1'\n"
    "SW     2 31 0x000000000000000b 4x HDR - SW     1 21 0x000000000000000a ( 'leaf2' - 'leaf1' )\n"
    "SW     2 32 0x000000000000000b 4x HDR - SW     1 22 0x000000000000000a ( 'leaf2' - 'leaf1' )\n"
    "SW     2  1 0x000000000000000b 2x HDR - CA     5  1 0x00000000000000c5 ( 'leaf2' - 'node3' )\n"
    "CA     3  1 0x00000000000000c1 4x HDR - SW     1  1 0x000000000000000a ( 'node1' - 'leaf1' )\n"
    "CA     4  1 0x00000000000000c3 4x HDR - SW     1  2 0x000000000000000a ( 'node2' - 'leaf1' )\n"
    "CA     0  2 0x00000000000000c9 ??? ???                                   'node2'\n"
    "CA     5  1 0x00000000000000c5 2x HDR - SW     2  1 0x000000000000000b ( 'node3' - 'leaf2' "
    ")\n";

/// Hosts 0xc1 and 0xc5 meet over the first cable, 0xc3 and 0xc5 over the second.
inline constexpr const char* kSmallRoutes =
    "dump_ucast_routes: Switch 0x000000000000000a\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0001 : 000  : 00   : yes\n"
    "0x0002 : 021  : 01   : yes\n"
    "0x0003 : 001  : 01   : yes\n"
    "0x0004 : 002  : 01   : yes\n"
    "0x0005 : 021  : 02   : No 1 hop possible!\n"
    "dump_ucast_routes: Switch 0x000000000000000b\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0001 : 031  : 01   : yes\n"
    "0x0002 : 000  : 00   : yes\n"
    "0x0003 : 031  : 02   : yes\n"
    "0x0004 : 032  : 02\n"
    "0x0005 : 001  : 01   : yes\n";

/// `text` with the first `from` replaced; the test fails if there is none.
inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << from << " is not in the text";
    return text;
  }
  return text.replace(at, from.size(), to);
}

}  // namespace heddle::testing
