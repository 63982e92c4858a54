// SPDX-License-Identifier: GPL-2.0-only
/// A folder of a test's own.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace heddle {

/// A new empty folder with a unique name; deleted with its contents by the destructor.
class TemporaryFolder {
 public:
  /// `base`: parent of the folder. Throws std::filesystem::filesystem_error if it cannot be
  /// created.
  explicit TemporaryFolder(
      const std::filesystem::path& base = std::filesystem::temp_directory_path()) {
    std::string name = base / "heddle_test_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::filesystem::filesystem_error("no folder for a test", name,
                                              std::error_code(errno, std::generic_category()));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string In(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle
