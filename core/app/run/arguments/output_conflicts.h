// SPDX-License-Identifier: GPL-2.0-only
/// The one rule for files that commands write: an existing file is replaced with --force only, and
/// a file that the same command reads or writes otherwise is never replaced.
///
/// Each command calls CheckOutputs() for all its outputs before it writes the first.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

/// Whether two names lead to the same file, by device and inode, so also through links. Compares
/// the names if one of the files does not exist. Character devices are shared by everybody: never
/// the same.
bool IsSameFile(const std::string& a, const std::string& b);

/// A file that a command is to write. Empty paths are outputs that were not asked for.
struct OutputFile {
  std::string flag, path;
  /// Text may go to standard output ("-") and to pipes and devices; a result is a new file.
  bool is_text = true;
};

/// Throws UserError (exit code 3) if an output, or a temporary file beside it (OUTPUT.part,
/// OUTPUT.ckpt and following), is one of `others` or another output, with `force` too. Then throws
/// FileError (exit code 6) for an output that exists, unless `force`, or cannot be created.
/// `others`: files that the command reads, and outputs checked before.
void CheckOutputs(const std::vector<OutputFile>& outputs, const std::vector<InputFile>& others,
                  bool force);

/// Checks likewise the outputs that the flags of `heddle run` name. With --restart an existing
/// result is left to the restart, the log is continued, and the profile of a run that had ended is
/// replaced. With --estimate only the log is written.
void CheckRunOutputs(const RunArguments& run);
/// Checks likewise the file that controller.log names, known when the options are.
void CheckPathLog(const std::string& path, const RunArguments& run);

}  // namespace heddle
