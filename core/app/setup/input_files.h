// SPDX-License-Identifier: GPL-2.0-only
/// The files that a run reads: the topology, what it sends, and what else its flags name.
#ifndef HEDDLE_CORE_APP_SETUP_INPUT_FILES_H_
#define HEDDLE_CORE_APP_SETUP_INPUT_FILES_H_

#include <string>
#include <vector>

#include "core/app/setup/run_arguments.h"

namespace heddle {

/// One of them.
struct InputFile {
  std::string flag, path;
  std::string digest;  ///< attribute with the digest of its bytes (docs/formats/result.md); empty:
                       ///< none, as it does not change what is simulated
};

/// Those that a command line names, in the order of a result's attributes. Throws UsageError for a
/// --job that cannot be read.
std::vector<InputFile> InputFiles(const RunArguments& run);

/// The flags whose value is the name of an input file and nothing else.
std::vector<std::string> InputFileFlags();

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_INPUT_FILES_H_
