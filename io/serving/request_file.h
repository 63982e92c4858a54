// SPDX-License-Identifier: GPL-2.0-only
/// The requests of a trace.
#pragma once

#include <string>
#include <vector>

#include "core/serving/model/serving_request.h"

namespace heddle {

struct RequestFile {
  ServingRequests requests;
  std::string format;  ///< "Mooncake", "Azure" or "BurstGPT"
  std::vector<std::string> warnings;
};

}  // namespace heddle
