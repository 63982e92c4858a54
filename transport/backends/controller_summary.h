// SPDX-License-Identifier: GPL-2.0-only
/// Text for people about the central controller.
#ifndef HEDDLE_TRANSPORT_BACKENDS_CONTROLLER_SUMMARY_H_
#define HEDDLE_TRANSPORT_BACKENDS_CONTROLLER_SUMMARY_H_

#include <string>

#include "transport/controller/central_controller.h"

namespace heddle {

/// Describes the settings in one line, without the controller's name and without a line end.
std::string DescribeController(const ControllerOptions& options);

/// Summarises the figures in several whole lines.
std::string SummarizeController(const ControllerFigures& figures);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_BACKENDS_CONTROLLER_SUMMARY_H_
