// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/abnormal_end.h"

#include <cstdio>
#include <cstdlib>

#include "core/app/base/cli/terminal.h"

namespace heddle {

void EndAtOnce(const Communicator& world, ExitCode code) {
  std::fflush(nullptr);
  if (world.size() == 1) std::_Exit(static_cast<int>(code));
  Communicator::Abort(code);
}

void LogEnd(const Error& error, JsonLog* log) {
  try {
    log->Error(error.code(), error.what());
    log->End(error.code());
  } catch (const FileError& failure) {
    PrintError(failure.what());
  }
}

void GiveUp(const std::string& message, JsonLog* log) {
  PrintError(message);
  LogEnd(Error(ExitCode::kRankLost, message), log);
  std::fflush(nullptr);
  Communicator::Abort(ExitCode::kRankLost);
}

}  // namespace heddle
