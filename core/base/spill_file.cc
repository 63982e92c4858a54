// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string SpillFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

[[noreturn]] void FailToSpill(const char* what) {
  throw Error(ExitCode::kInputOutput,
              fmt::format("a file in {} for what does not stay in memory: {}: {}. Expected: "
                          "room there, TMPDIR=FOLDER, or chakra.window=0 and goal.window=0",
                          Printable(SpillFolder(), 200), what, std::strerror(errno)));
}

}  // namespace

SpillFile::SpillFile() {
  std::string path = SpillFolder() + "/heddle-XXXXXX";
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) FailToSpill("it cannot be made");
  unlink(path.c_str());
}

SpillFile::~SpillFile() { close(file_); }

std::int64_t SpillFile::Append(const void* bytes, std::size_t size) {
  const std::int64_t begin = size_;
  for (std::size_t done = 0; done < size;) {
    const ssize_t wrote = pwrite(file_, static_cast<const char*>(bytes) + done, size - done,
                                 begin + static_cast<std::int64_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) FailToSpill("it cannot be written");
    done += static_cast<std::size_t>(wrote);
  }
  size_ += static_cast<std::int64_t>(size);
  return begin;
}

void SpillFile::Read(std::int64_t from, void* bytes, std::size_t size) const {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = pread(file_, static_cast<char*>(bytes) + done, size - done,
                              from + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) FailToSpill("it cannot be read");
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace heddle
