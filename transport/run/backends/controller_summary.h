// SPDX-License-Identifier: GPL-2.0-only
/// Text for people about the central controller.
#pragma once

#include <string>

#include "transport/run/controller/central_controller.h"

namespace heddle {

/// Describes the settings in one line, without the controller's name and without a line end.
std::string DescribeController(const ControllerOptions& options);

/// Summarises the figures in several whole lines.
std::string SummarizeController(const ControllerFigures& figures);

}  // namespace heddle
