// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/output_path.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/check.h"

namespace heddle {

void CheckOutputPath(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.empty()) throw FileError("the output path is empty. Give the name of a file");
  if (path == "-")
    throw FileError(
        "-: standard output cannot be an HDF5 file. Give the name of a file (./- for this one)");
  if (fs::is_directory(path, ignored)) {
    throw FileError(fmt::format("{}: is a directory. Give the name of a file", path));
  }
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw FileError(fmt::format("{}: is not a plain file. Give the name of a file", path));
  }
  if (!force && fs::exists(path, ignored)) {
    throw FileError(fmt::format("{}: exists. Give another path, or --force to replace it", path));
  }
  const fs::path parent = fs::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(directory, ignored)) {
    throw FileError(
        fmt::format("{}: {} is not a directory. Create it, or give another path", path, directory));
  }
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    throw FileError(fmt::format("{}: the directory {} cannot be written ({}). Give another path",
                                path, directory, std::strerror(errno)));
  }
}

void CheckRoom(const std::string& path, std::uint64_t bytes) {
  const std::string parent = std::filesystem::path(path).parent_path();
  struct statvfs disk {};
  if (statvfs(parent.empty() ? "." : parent.c_str(), &disk) != 0)
    return;  // writing will show the error
  const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  if (room >= bytes) return;
  throw FileError(fmt::format("{}: No space left on device: {} bytes are needed, {} are free", path,
                              bytes, room));
}

}  // namespace heddle
