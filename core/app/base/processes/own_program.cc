// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/processes/own_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/check.h"

namespace heddle {

void BecomeProcess(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  std::fflush(stdout);
  execvp(words[0].c_str(), pointers.data());
  throw FileError(words[0] + ": cannot be started: " + std::strerror(errno));
}

std::string OwnPath() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw FileError("/proc/self/exe: cannot be read: " + error.message());
  return path.string();
}

}  // namespace heddle
