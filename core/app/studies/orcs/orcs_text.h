// SPDX-License-Identifier: GPL-2.0-only
/// What ORCS 1.1 and 2.0 print: the head with the arguments, and the result of each metric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/studies/orcs/orcs_arguments.h"
#include "core/app/studies/static_study/congestion_study.h"

namespace heddle {

/// Returns the lines from "Input File:" on, and the empty line after them.
std::string OrcsHead(const OrcsArguments& given);

/// Sizes of the network, as the head ends on the screen.
struct OrcsSizes {
  std::uint32_t ranks = 0, hosts = 0, nodes = 0, cables = 0;
};
/// Returns the lines of sizes in the form of the version.
std::string OrcsSizesText(const OrcsArguments& given, const OrcsSizes& sizes);

/// Returns the result of the metric but get_cable_cong on the screen, which is a graph. Throws
/// UserError where ORCS crashes or ends: a message of weight 0, no message for hist_acc_band.
std::string OrcsResult(const OrcsArguments& given, const CongestionStudy& study);

/// Sums of cables as shares of the largest, of 24 bits as ORCS prints them; all 0 without any.
std::vector<double> CableShares(const std::vector<std::uint64_t>& cables);

}  // namespace heddle
