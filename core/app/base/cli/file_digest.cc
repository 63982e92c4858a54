// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/file_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/check.h"

namespace heddle {

std::string BytesDigest(const void* data, std::size_t bytes) {
  return fmt::format("{:016x}", XXH3_64bits(data, bytes));
}

std::string FileDigest(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              &XXH3_freeState);
  if (!file) throw UserError(path + ": cannot be read (" + std::strerror(errno) + ")");
  std::vector<char> piece(kPiece);
  XXH3_64bits_reset(state.get());
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), file.get())) > 0;) {
    XXH3_64bits_update(state.get(), piece.data(), got);
  }
  if (std::ferror(file.get()) != 0)
    throw UserError(path + ": cannot be read (" + std::strerror(errno) + ")");
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

bool IsReadOnce(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status about = std::filesystem::status(path, ignored);
  return std::filesystem::is_fifo(about) || std::filesystem::is_socket(about) ||
         (std::filesystem::is_character_file(about) && path != "/dev/null");
}

std::string InputDigest(const std::string& path) {
  return IsReadOnce(path) ? "read once" : FileDigest(path);
}

}  // namespace heddle
