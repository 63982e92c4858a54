// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export WORKLOAD --chakra PREFIX`: a workload as a trace of Chakra.
#ifndef HEDDLE_CORE_APP_TRACES_CHAKRA_EXPORT_H_
#define HEDDLE_CORE_APP_TRACES_CHAKRA_EXPORT_H_

#include <string>
#include <vector>

namespace heddle {

/// Whether these arguments behind "export" ask for a trace of Chakra.
bool AsksForChakra(const std::vector<std::string>& arguments);

/// Writes PREFIX.RANK.et for each GPU of the fabric, and PREFIX.groups.json if there are groups.
/// Returns an exit code; throws UsageError, UserError and FileError.
int ExportChakra(const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_TRACES_CHAKRA_EXPORT_H_
