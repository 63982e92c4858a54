// SPDX-License-Identifier: GPL-2.0-only
/// Loaded before the C library (LD_PRELOAD). Records, in the order of the calls, which files a
/// program synchronises to disk, renames and deletes. SYNC_SPY_LOG names the log file; a line is
/// "sync PATH", "rename OLD NEW", "remove PATH".
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void Note(const std::string& line) {
  const char* log = std::getenv("SYNC_SPY_LOG");
  const int file = log == nullptr ? -1 : open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  const std::string text = line + "\n";
  if (write(file, text.data(), text.size()) < 0) std::abort();
  close(file);
}

std::string NameOf(int file) {
  char name[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return readlink(link.c_str(), name, sizeof name - 1) < 0 ? "?" : name;
}

template <class Call>
Call* Original(const char* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int fsync(int file) {
  Note("sync " + NameOf(file));
  return Original<int(int)>("fsync")(file);
}
int fdatasync(int file) {
  Note("sync " + NameOf(file));
  return Original<int(int)>("fdatasync")(file);
}
int rename(const char* from, const char* to) noexcept {
  Note(std::string("rename ") + from + " " + to);
  return Original<int(const char*, const char*)>("rename")(from, to);
}
int remove(const char* path) noexcept {
  Note(std::string("remove ") + path);
  return Original<int(const char*)>("remove")(path);
}
int unlink(const char* path) noexcept {
  Note(std::string("remove ") + path);
  return Original<int(const char*)>("unlink")(path);
}

}  // extern "C"
