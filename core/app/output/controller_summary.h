// SPDX-License-Identifier: GPL-2.0-only
/// What the central controller did, for people.
#ifndef HEDDLE_CORE_APP_OUTPUT_CONTROLLER_SUMMARY_H_
#define HEDDLE_CORE_APP_OUTPUT_CONTROLLER_SUMMARY_H_

#include <string>

#include "transport/controller/central_controller.h"

namespace heddle {

/// How it is set, in one line without a name or an end.
std::string DescribeController(const ControllerOptions& options);

/// Several lines, each ended.
std::string SummarizeController(const ControllerFigures& figures);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_CONTROLLER_SUMMARY_H_
