// SPDX-License-Identifier: GPL-2.0-only
/// Text to a file that appears only when it is complete, or to standard output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace heddle {

/// Whether the path is "-" or one of the system's names of standard output.
bool IsStandardOutput(const std::string& path);
/// Whether the path is written directly: pipes, devices and names of open files (/dev/stderr,
/// /proc/self/fd/3) must not be replaced by a renamed file.
bool IsWrittenInPlace(const std::string& path);

/// Writes `text` to `path`, through a file beside it that is renamed at the end; "-" or empty is
/// standard output. On a terminal, control characters are escaped (core/base/printable.h). Throws
/// FileError naming the path and the reason; nothing is left half-written.
void WriteText(const std::string& path, const std::string& text);

/// Prints a text for people to standard output, with control characters escaped everywhere: it may
/// contain names of files, GPU types and layers. Throws FileError.
void PrintText(const std::string& text);

/// Prints the object of --json to standard output. Throws FileError.
void PrintJson(const nlohmann::ordered_json& document);

/// Prints what is said beside the result of a command: to standard output, as PrintText(), or with
/// `json`, where that is for the object, to standard error.
void PrintBeside(const std::string& text, bool json);

}  // namespace heddle
