// SPDX-License-Identifier: GPL-2.0-only
/// SimAI's environment variables (its entry.h, MockNcclGroup.cc and MockNcclLog.h; further ones
/// that only the description of SimAI's communication stack lists).
#ifndef HEDDLE_COLLECTIVES_CHOICE_SIMAI_ENVIRONMENT_H_
#define HEDDLE_COLLECTIVES_CHOICE_SIMAI_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "core/base/options.h"

namespace heddle {

/// Names and values, in the order in which messages are wanted.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// AS_SEND_LAT, AS_NVLS_ENABLE and AS_PXN_ENABLE set the options that bear these names; `echo` gets
/// a line for them and for each that SimAI knows but that has no effect here, with the reason.
/// Other names that begin with AS_ may be those of other programs: `warnings` gets a line with the
/// nearest known name. Throws UserError for bad values, naming the variable.
void ApplySimaiEnvironment(const Environment& environment, OptionSet* options,
                           std::vector<std::string>* echo, std::vector<std::string>* warnings);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_SIMAI_ENVIRONMENT_H_
