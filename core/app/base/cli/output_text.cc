// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/output_text.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/system/new_file.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

[[noreturn]] void Fail(const std::string& path, const char* what) {
  throw FileError(path + ": " + what + ": " + std::strerror(errno));
}

void WriteInPlace(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) Fail(path, "cannot be opened");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) Fail(path, "cannot be written");
}

}  // namespace

bool IsStandardOutput(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool IsWrittenInPlace(const std::string& path) {
  // These names stand for open files; their target may be a plain file.
  if (path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0) return true;
  std::error_code ignored;
  const std::filesystem::file_status about = std::filesystem::status(path, ignored);
  return std::filesystem::exists(about) && !std::filesystem::is_regular_file(about) &&
         !std::filesystem::is_directory(about);
}

void WriteText(const std::string& path, const std::string& text) {
  if (path.empty() || IsStandardOutput(path)) {
    if (IsTerminal(STDOUT_FILENO) && PrintableLines(text) != text)
      return WriteText(path, PrintableLines(text));
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
      Fail("standard output", "cannot be written");
    }
    return;
  }
  if (IsWrittenInPlace(path)) return WriteInPlace(path, text);
  const std::string part = path + ".part";
  std::FILE* file = MakeNewStream(part);
  if (file == nullptr) Fail(path, "cannot be created");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(part.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(part.c_str());
    errno = reason;
    Fail(path, "cannot be written");
  }
}

void PrintText(const std::string& text) { WriteText("-", PrintableLines(text)); }

void PrintJson(const OrderedJson& document) { WriteText("-", JsonText(document)); }

void PrintBeside(const std::string& text, bool json) {
  if (!json) return PrintText(text);
  std::fputs(PrintableLines(text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace heddle
