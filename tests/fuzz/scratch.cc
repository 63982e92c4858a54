// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/scratch.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

std::filesystem::path InMemoryIfPossible() {
  const char* memory = "/dev/shm";
  std::error_code none;
  return std::filesystem::is_directory(memory, none) ? std::filesystem::path(memory)
                                                     : std::filesystem::temp_directory_path();
}

}  // namespace

const std::string& ScratchFolder() {
  static const TemporaryFolder folder(InMemoryIfPossible());
  static const std::string path = folder.path();
  return path;
}

void PutBytes(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    std::exit(1);
  }
}

std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace heddle
