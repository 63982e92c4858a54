// SPDX-License-Identifier: GPL-2.0-only
/// `heddle trace show`: what a schedule in GOAL or a trace of Chakra consists of, and what is odd
/// in it.
#ifndef HEDDLE_CORE_APP_TRACES_TRACE_SHOW_H_
#define HEDDLE_CORE_APP_TRACES_TRACE_SHOW_H_

#include <string>
#include <vector>

namespace heddle {

/// `arguments` behind "trace show". Returns an exit code; throws UsageError and UserError.
int ShowTrace(const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_TRACES_TRACE_SHOW_H_
