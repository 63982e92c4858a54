// SPDX-License-Identifier: GPL-2.0-only
/// What a file looks like by its beginning: for messages about a file given where another kind
/// belongs.
#pragma once

#include <string>
#include <string_view>

#include "core/base/check.h"
#include "io/input/known_kinds.h"

namespace heddle {

/// Returns the kind of a file that begins like this; a few kilobytes are enough.
FileKind KindOf(std::string_view beginning);
/// Returns the same of a plain file; kUnknown if it cannot be read.
FileKind KindOfFile(const std::string& path);

/// " (it looks like a result of heddle run: heddle report FILE)", or empty if the file's kind is
/// unknown, or is the expected one. Opens plain files only.
std::string LooksLike(const std::string& path, FileKind expected);

/// Returns what a reader said of a text file, with what the file looks like. If the file is not
/// text, its bytes are left out: "FILE: not plain text. Expected: ...".
std::string WithKind(const std::string& message, const std::string& path, FileKind expected);

/// Returns what `read` returns. To the message of its UserError it adds what the file looks like.
template <class Read>
auto ReadAs(FileKind expected, const std::string& path, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const UserError& error) {
    throw UserError(WithKind(error.what(), path, expected));
  }
}

}  // namespace heddle
