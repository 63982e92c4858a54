// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/file_seal.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace heddle {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr char kHdf5Mark[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

/// An open file, closed by the destructor; errno stays.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : file_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    const int error = errno;
    if (file_ >= 0) close(file_);
    errno = error;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool valid() const { return file_ >= 0; }
  /// Size of a plain file; -1 for others.
  std::int64_t size() const {
    struct stat about;
    if (fstat(file_, &about) != 0) return -1;
    if (S_ISREG(about.st_mode)) return about.st_size;
    errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    return -1;
  }
  bool Read(void* to, std::size_t bytes) const {
    for (char* at = static_cast<char*>(to); bytes > 0;) {
      const ssize_t got = read(file_, at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;  // the file became shorter
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  bool Append(const void* from, std::size_t bytes) const {
    for (const char* at = static_cast<const char*>(from); bytes > 0;) {
      const ssize_t put = write(file_, at, bytes);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      at += put;
      bytes -= static_cast<std::size_t>(put);
    }
    return true;
  }

 private:
  int file_;
};

/// Continues `crc` over the next `bytes` bytes; false if they cannot be read.
bool Sum(const Descriptor& file, std::uint64_t bytes, std::uint32_t* crc) {
  std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kBlock)));
  while (bytes > 0) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kBlock));
    if (!file.Read(block.data(), some)) return false;
    *crc = libdeflate_crc32(*crc, block.data(), some);
    bytes -= some;
  }
  return true;
}

std::vector<unsigned char> LittleEndian(std::uint32_t value) {
  std::vector<unsigned char> bytes;
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<unsigned char>(value >> shift));
  return bytes;
}

}  // namespace

SealState ReadSeal(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  const std::int64_t size = file.valid() ? file.size() : -1;
  if (size < 0) return SealState::kUnreadable;
  char start[sizeof kHdf5Mark] = {};
  const auto known = std::min<std::size_t>(sizeof start, static_cast<std::size_t>(size));
  if (!file.Read(start, known)) return SealState::kUnreadable;
  if (std::memcmp(start, kHdf5Mark, sizeof start) != 0) return SealState::kNoHdf5;
  if (static_cast<std::size_t>(size) < sizeof start + kSealBytes) return SealState::kMissing;
  std::uint32_t crc = libdeflate_crc32(0, start, sizeof start);
  char mark[sizeof kSealMark];
  unsigned char stored[4];
  if (!Sum(file, static_cast<std::uint64_t>(size) - sizeof start - kSealBytes, &crc) ||
      !file.Read(mark, sizeof mark) || !file.Read(stored, sizeof stored))
    return SealState::kUnreadable;
  if (std::memcmp(mark, kSealMark, sizeof mark) != 0) return SealState::kMissing;
  const std::vector<unsigned char> found = LittleEndian(libdeflate_crc32(crc, mark, sizeof mark));
  return std::equal(found.begin(), found.end(), stored) ? SealState::kSound : SealState::kBroken;
}

bool AppendSeal(const std::string& path) {
  const Descriptor file(path, O_RDWR | O_APPEND);
  const std::int64_t size = file.valid() ? file.size() : -1;
  std::uint32_t crc = 0;
  if (size < 0 || !Sum(file, static_cast<std::uint64_t>(size), &crc)) return false;
  crc = libdeflate_crc32(crc, kSealMark, sizeof kSealMark);
  std::vector<unsigned char> seal(kSealMark, kSealMark + sizeof kSealMark);
  for (const unsigned char byte : LittleEndian(crc)) seal.push_back(byte);
  return file.Append(seal.data(), seal.size());
}

}  // namespace heddle
