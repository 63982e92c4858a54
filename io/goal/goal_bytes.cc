// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/check.h"

namespace heddle {

GoalBytes::GoalBytes(const std::string& path) : name_(Printable(path, path.size())) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) Fail(std::strerror(errno));
  struct stat about;
  if (fstat(file_, &about) != 0) Fail(std::strerror(errno));
  if (S_ISDIR(about.st_mode)) Fail(std::strerror(EISDIR));
  if (S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
  } else {
    Copy();
  }
}

GoalBytes::GoalBytes(std::string_view bytes, const std::string& name)
    : name_(name), bytes_(bytes), size_(bytes.size()) {}

GoalBytes::~GoalBytes() {
  if (file_ >= 0) close(file_);
}

void GoalBytes::Fail(const std::string& why) const {
  throw UserError(
      fmt::format("{}: cannot be read ({}). Expected: a readable schedule in GOAL", name_, why));
}

void GoalBytes::Copy() {
  copy_ = std::make_unique<SpillFile>();
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = read(file_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(std::strerror(errno));
    if (got == 0) break;
    copy_->Append(buffer.data(), static_cast<std::size_t>(got));
  }
  size_ = static_cast<std::uint64_t>(copy_->size());
}

std::string_view GoalBytes::Read(std::uint64_t at, std::size_t size) {
  if (in_memory()) return bytes_.substr(at, size);
  part_.resize(size);
  if (copy_ != nullptr) {
    copy_->Read(static_cast<std::int64_t>(at), part_.data(), size);
    return part_;
  }
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        pread(file_, part_.data() + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(std::strerror(errno));
    if (got == 0) Fail("it became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  return part_;
}

}  // namespace heddle
