// SPDX-License-Identifier: GPL-2.0-only
/// Rate, delay and error rate of a link as a topology file has them: one word each, within bounds.
///
/// The reader and the generator share them, so that what one writes the other takes.
#ifndef HEDDLE_TOPOLOGY_FILES_LINK_TEXT_H_
#define HEDDLE_TOPOLOGY_FILES_LINK_TEXT_H_

#include <optional>
#include <string_view>

#include "core/base/units.h"

namespace heddle {

/// A longer delay is a slip of a unit, not a link. Rates: kLinkRateRange (graph.h).
inline constexpr Time kLongestLinkDelay = MicroSeconds(1'000'000);
inline constexpr const char* kLinkDelayRange =
    "a delay from 0s to 1s with its unit, such as 0.0005ms";
inline constexpr const char* kErrorRateRange = "a packet error rate, 0 <= rate < 1";

/// "400Gbps". Nothing if a file may not have it.
std::optional<BitRate> ReadLinkRate(std::string_view word);
/// "0.0005ms". The same.
std::optional<Time> ReadLinkDelay(std::string_view word);
/// "0", "1e-5": the probability that a packet is lost. The same.
std::optional<double> ReadErrorRate(std::string_view word);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_FILES_LINK_TEXT_H_
