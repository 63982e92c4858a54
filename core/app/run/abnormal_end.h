// SPDX-License-Identifier: GPL-2.0-only
/// Ends of a run that are not in order.
#ifndef HEDDLE_CORE_APP_RUN_ABNORMAL_END_H_
#define HEDDLE_CORE_APP_RUN_ABNORMAL_END_H_

#include <string>

#include "core/app/output/json_log.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// Ends this process and all others without their last words, as something would crash in an end in
/// order.
[[noreturn]] void EndAtOnce(const Communicator& world, ExitCode code);

/// The log's last lines. A log that cannot be written must not hide the error that it should tell
/// of.
void LogEnd(const Error& error, JsonLog* log);

/// A rank hangs, so that no end in order is left: tells the user, and ends all with exit code 8.
[[noreturn]] void GiveUp(const std::string& message, JsonLog* log);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_ABNORMAL_END_H_
