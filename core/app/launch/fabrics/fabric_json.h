// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle compare-fabrics --json` prints.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/fabrics/fabric_text.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the figures of FabricTable(), fabric by fabric, and the verdicts. `notes`: what they
/// leave out; `page`: file.
OrderedJson FabricsJson(const std::vector<FabricResult>& results,
                        const std::vector<std::string>& notes, const std::string& page);

}  // namespace heddle
