// SPDX-License-Identifier: GPL-2.0-only
/// Checks that an output does not overwrite an input or another output of the same command.
#ifndef HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_
#define HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_

#include <string>

#include "core/app/setup/run_arguments.h"

namespace heddle {

/// Whether two names lead to the same file, which need not exist yet. Compares the names alone if
/// the system does not tell.
bool IsSameFile(const std::string& a, const std::string& b);

/// Throws UserError if `path`, the output of `flag`, is another file of this run: an input, or the
/// output of another flag.
void CheckOwnFile(const std::string& flag, const std::string& path, const RunArguments& run);

/// Throws UserError if the output `path` is the file `input`. Empty and "-" are standard output.
void CheckNotOverInput(const std::string& path, const std::string& input);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_OUTPUT_CONFLICTS_H_
