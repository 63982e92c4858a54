// SPDX-License-Identifier: GPL-2.0-only
/// Outputs that must not lie over an input or another output of the same command.
#ifndef HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_
#define HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_

#include <string>

#include "core/app/setup/run_arguments.h"

namespace heddle {

/// Whether two names lead to the same file, which need not be there yet. Compares the names alone
/// where the system does not tell.
bool IsSameFile(const std::string& a, const std::string& b);

/// Throws UserError if the output `path` of `flag` is another file of this run: an input, or the
/// output of another flag.
void CheckOwnFile(const std::string& flag, const std::string& path, const RunArguments& run);

/// Throws UserError if the output `path` is the file that it is made of. Empty and "-" are standard
/// output.
void CheckNotOverInput(const std::string& path, const std::string& input);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_
