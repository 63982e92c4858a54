// SPDX-License-Identifier: GPL-2.0-only
/// Which flows a result has rows of.
#ifndef HEDDLE_IO_ANALYSIS_RECORDED_FLOWS_H_
#define HEDDLE_IO_ANALYSIS_RECORDED_FLOWS_H_

#include <string>

#include "io/result/result_reader.h"

namespace heddle {

/// "all", "sample:N" or "none" (of those that finished); "all" for a result that does not say.
std::string RecordedFlows(const ResultReader& result);

/// A line on standard error if `/flows` has not all flows: what is read from it holds for those
/// only.
void WarnOfMissingFlows(const std::string& file, const ResultReader& result);

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_RECORDED_FLOWS_H_
