// SPDX-License-Identifier: GPL-2.0-only
/// Abnormal ends of a run.
#pragma once

#include <string>

#include "core/app/run/output/json_log.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// Ends this process and all others without running destructors, because an orderly exit would
/// crash or hang.
[[noreturn]] void EndAtOnce(const Communicator& world, ExitCode code);

/// Writes the last lines of the log. If the log cannot be written, that error is ignored so that it
/// does not hide `error`.
void LogEnd(const Error& error, JsonLog* log);

/// A rank hangs, so that an orderly end is impossible: prints `message`, and ends all processes
/// with exit code 8.
[[noreturn]] void GiveUp(const std::string& message, JsonLog* log);

}  // namespace heddle
