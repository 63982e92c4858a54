// SPDX-License-Identifier: GPL-2.0-only
/// Text to a file that appears only when it is complete, or to standard output.
#ifndef HEDDLE_CORE_APP_CLI_OUTPUT_TEXT_H_
#define HEDDLE_CORE_APP_CLI_OUTPUT_TEXT_H_

#include <string>

namespace heddle {

/// "-" and what the system calls it.
bool IsStandardOutput(const std::string& path);
/// Pipes, devices and names for open files (/dev/stderr, /proc/self/fd/3): what is there must not
/// be replaced.
bool IsWrittenInPlace(const std::string& path);

/// Writes `text` to `path`, through a file beside it that is renamed at the end; "-" or empty is
/// standard output. Throws FileError naming the path and the reason; nothing is left half-written.
void WriteText(const std::string& path, const std::string& text);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_CLI_OUTPUT_TEXT_H_
