// SPDX-License-Identifier: GPL-2.0-only
/// A command with --restart whose result is complete already: an earlier start has finished it, or
/// died after the result had its name.
#pragma once

#include <string>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/recorder/run_identity.h"

namespace heddle {

/// Whether --restart is auto or names the result's own checkpoint, which need not exist any more,
/// and the result exists, is complete, and has this identity. With auto, a complete result of
/// another identity is to be replaced with --force; without, throws FileError (exit code 6) that
/// names a difference. For the root.
bool IsFinished(const RunArguments& run, const RunIdentity& identity);

/// Does what the earlier start had still to do after its result: writes the path log (if not empty)
/// unless it exists, deletes totals, row logs and checkpoint. Throws FileError. Then throws an
/// Error with exit code 4 if the finished run had stalled. For the root.
void EndFinishedRun(const RunArguments& run, const std::string& path_log);

}  // namespace heddle
