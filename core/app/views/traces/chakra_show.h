// SPDX-License-Identifier: GPL-2.0-only
/// `heddle trace show` of a trace of Chakra.
#pragma once

#include <string>

#include "io/chakra/chakra_reader.h"

namespace heddle {

/// Prints what the trace PREFIX consists of, as text or JSON. Throws UserError.
void ShowChakra(const std::string& prefix, const ChakraReading& how, bool json);
/// The same of logs of NCCL, a file or a folder.
void ShowNcclLog(const std::string& path, bool json);

}  // namespace heddle
