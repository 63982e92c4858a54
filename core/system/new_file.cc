// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace heddle {

bool RemoveLeftOver(const std::string& path) {
  struct stat about;
  if (lstat(path.c_str(), &about) != 0) return errno == ENOENT;
  if (S_ISREG(about.st_mode) || S_ISLNK(about.st_mode))
    return unlink(path.c_str()) == 0 || errno == ENOENT;
  // A pipe, a device: no run has left these.
  errno = S_ISDIR(about.st_mode) ? EISDIR : EEXIST;
  return false;
}

int MakeNewFile(const std::string& path) {
  struct stat about;
  const bool device =
      lstat(path.c_str(), &about) == 0 && S_ISCHR(about.st_mode);  // only root can make one
  if (!device && !RemoveLeftOver(path)) return -1;
  const int how = device ? 0 : O_CREAT | O_EXCL;
  for (;;) {
    const int file = open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | how, 0666);
    if (file >= 0 || errno != EINTR) return file;
  }
}

std::FILE* MakeNewStream(const std::string& path) { return StreamOf(MakeNewFile(path), "wb"); }

std::FILE* StreamOf(int file, const char* mode) {
  if (file < 0) return nullptr;
  std::FILE* stream = fdopen(file, mode);
  if (stream == nullptr) {
    const int reason = errno;
    close(file);
    errno = reason;
  }
  return stream;
}

}  // namespace heddle
