// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/scratch.h"

#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle {
namespace {

struct Folder {
  std::string path;
  Folder() {
    const char* memory = "/dev/shm";
    std::error_code none;
    const bool there = std::filesystem::is_directory(memory, none);
    const std::filesystem::path base = there ? std::filesystem::path(memory) : std::filesystem::temp_directory_path();
    path = (base / "heddle_fuzz_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      std::fprintf(stderr, "no folder %s\n", path.c_str());
      std::exit(1);
    }
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

const std::string& ScratchFolder() {
  static const Folder folder;
  return folder.path;
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
