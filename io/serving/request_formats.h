// SPDX-License-Identifier: GPL-2.0-only
/// The parsers of single formats of request traces (io/serving/request_files.h describes them).
#pragma once

#include <string>
#include <string_view>

#include "io/serving/request_file.h"

namespace heddle {

/// Each takes a text with at least one line that is not blank, and the file's name for messages.
/// Throws UserError.
RequestFile ParseMooncakeRequests(std::string_view text, const std::string& name);
RequestFile ParseAzureRequests(std::string_view text, const std::string& name);
RequestFile ParseBurstGptRequests(std::string_view text, const std::string& name);

}  // namespace heddle
