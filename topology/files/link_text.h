// SPDX-License-Identifier: GPL-2.0-only
/// Text of a link's rate, delay and error rate in topology files: one word each, with bounds.
///
/// The reader and the generator share these functions, so that the reader accepts what is
/// generated.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/units.h"

namespace heddle {

/// A longer delay is likely a wrong unit. Rates: kLinkRateRange (graph.h).
inline constexpr Time kLongestLinkDelay = MicroSeconds(1'000'000);
inline constexpr const char* kLinkDelayRange =
    "a delay from 0s to 1s with its unit, such as 0.0005ms";
inline constexpr const char* kErrorRateRange = "a packet error rate, 0 <= rate < 1";

/// Reads "400Gbps". Empty result if a file may not contain the word.
std::optional<BitRate> ReadLinkRate(std::string_view word);
/// Reads "0.0005ms". Empty result as above.
std::optional<Time> ReadLinkDelay(std::string_view word);
/// Reads "0" or "1e-5", the probability that a packet is lost. Empty result as above.
std::optional<double> ReadErrorRate(std::string_view word);

}  // namespace heddle
