// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl_log/nccl_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/check.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

std::vector<std::string> FindNcclLogs(const std::string& path) {
  if (!IsFolder(path)) return {path};
  std::vector<std::string> files;
  std::error_code error;
  for (auto at = fs::directory_iterator(path, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path().string());
  }
  if (files.empty())
    throw UserError(Printable(path, 200) +
                    ": a folder without files. Expected: logs of NCCL (NCCL_DEBUG_FILE)");
  std::sort(files.begin(), files.end());
  return files;
}

bool IsNcclLog(const std::string& path) {
  if (IsFolder(path)) return true;
  constexpr std::size_t kBeginning = std::size_t{1} << 16;
  std::string text(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::string_view read(text.data(), static_cast<std::size_t>(file.gcount()));
  return read.find(" NCCL INFO ") != std::string_view::npos ||
         read.find("NCCL version ") != std::string_view::npos;
}

NcclTrace ReadNcclLogs(const std::string& path) {
  NcclLogReader reader;
  for (const std::string& file : FindNcclLogs(path))
    reader.Read(ReadTextFile(file), Printable(file, file.size()));
  return reader.Take(Printable(path, path.size()));
}

}  // namespace heddle
