// SPDX-License-Identifier: GPL-2.0-only
/// Loaded before the C library (LD_PRELOAD). Watches the calls by which a program changes files:
/// those that create, write, cut, synchronise, close, rename and delete. Environment:
///   FILE_SPY_LOG     where to record them, one line a call: "open PATH", "write PATH", "flush
///                    PATH", "cut PATH", "sync PATH", "close PATH", "rename OLD NEW", "remove PATH"
///   FILE_SPY_FOLDER  count only files in this folder, which is also the working folder
///   FILE_SPY_RANK    count and record only in this MPI rank (default: every process)
///   FILE_SPY_KILL    kill the process (SIGKILL) before this call, counted from 1
///   FILE_SPY_WITHIN  if set and that call writes, kill the process after half of the bytes
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <class Call>
Call* Original(const char* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}
using OpenCall = int(const char*, int, ...);
using WriteCall = ssize_t(int, const void*, size_t);
using StreamWriteCall = size_t(const void*, size_t, size_t, std::FILE*);

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void Record(const std::string& line) {
  const std::string log = Setting("FILE_SPY_LOG");
  if (log.empty()) return;
  const int file =
      Original<OpenCall>("open")(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  const std::string text = line + "\n";
  if (Original<WriteCall>("write")(file, text.data(), text.size()) < 0) std::abort();
  close(file);
}

bool Counts(const std::string& path) {
  const std::string folder = Setting("FILE_SPY_FOLDER"), rank = Setting("FILE_SPY_RANK");
  if (path.empty() || path.find(":[") != std::string::npos) return false;  // "pipe:[1234]"
  if (!rank.empty() && Setting("OMPI_COMM_WORLD_RANK") != rank) return false;
  return folder.empty() || path[0] != '/' || path.rfind(folder + "/", 0) == 0 || path == folder;
}

[[noreturn]] void Die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/// Returns whether the process is to be killed within this call.
bool Watch(const std::string& kind, const std::string& path, const std::string& more = "") {
  static long calls = 0;
  if (!Counts(path)) return false;
  Record(kind + " " + path + more);
  if (++calls != std::atol(Setting("FILE_SPY_KILL").c_str())) return false;
  if (kind != "write" || Setting("FILE_SPY_WITHIN").empty()) Die();
  return true;
}

std::string NameOf(int file) {
  char name[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return readlink(link.c_str(), name, sizeof name - 1) < 0 ? "" : name;
}

int Open(const char* call, const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY) Watch("open", path);
  return Original<OpenCall>(call)(path, flags, mode);
}

ssize_t WriteAt(const char* call, int file, const void* data, size_t bytes, off_t at) {
  const auto write_at = Original<ssize_t(int, const void*, size_t, off_t)>(call);
  if (Watch("write", NameOf(file))) {
    write_at(file, data, bytes / 2, at);
    Die();
  }
  return write_at(file, data, bytes, at);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Open("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Open("open64", path, flags, mode);
}
ssize_t write(int file, const void* data, size_t bytes) {
  const auto write_all = Original<WriteCall>("write");
  if (Watch("write", NameOf(file))) {
    write_all(file, data, bytes / 2);
    Die();
  }
  return write_all(file, data, bytes);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  return WriteAt("pwrite", file, data, bytes, at);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  return WriteAt("pwrite64", file, data, bytes, at);
}
int ftruncate(int file, off_t bytes) noexcept {
  Watch("cut", NameOf(file));
  return Original<int(int, off_t)>("ftruncate")(file, bytes);
}
int ftruncate64(int file, off64_t bytes) noexcept {
  Watch("cut", NameOf(file));
  return Original<int(int, off64_t)>("ftruncate64")(file, bytes);
}
/// A stream writes within it, or keeps the bytes until it is flushed or closed.
size_t fwrite(const void* data, size_t bytes, size_t items, std::FILE* file) {
  const auto write_all = Original<StreamWriteCall>("fwrite");
  if (Watch("write", NameOf(fileno(file)))) {
    write_all(data, 1, bytes * items / 2, file);
    Original<int(std::FILE*)>("fflush")(file);
    Die();
  }
  return write_all(data, bytes, items, file);
}
int fflush(std::FILE* file) {
  if (file != nullptr) Watch("flush", NameOf(fileno(file)));
  return Original<int(std::FILE*)>("fflush")(file);
}
/// Writes what a stream still holds.
int fclose(std::FILE* file) {
  Watch("close", NameOf(fileno(file)));
  return Original<int(std::FILE*)>("fclose")(file);
}
int fsync(int file) {
  Watch("sync", NameOf(file));
  return Original<int(int)>("fsync")(file);
}
int fdatasync(int file) {
  Watch("sync", NameOf(file));
  return Original<int(int)>("fdatasync")(file);
}
int rename(const char* from, const char* to) noexcept {
  Watch("rename", from, std::string(" ") + to);
  return Original<int(const char*, const char*)>("rename")(from, to);
}
int remove(const char* path) noexcept {
  Watch("remove", path);
  return Original<int(const char*)>("remove")(path);
}
int unlink(const char* path) noexcept {
  Watch("remove", path);
  return Original<int(const char*)>("unlink")(path);
}

}  // extern "C"
