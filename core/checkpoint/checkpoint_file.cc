// SPDX-License-Identifier: GPL-2.0-only
#include "core/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/checkpoint/state_archive.h"
#include "core/system/durable_file.h"
#include "core/system/new_file.h"

namespace heddle {
namespace {

constexpr char kManifestStart[8] = {'h', 'd', 'd', 'l', 'c', 'k', 'p', 't'};
constexpr char kPiecesStart[8] = {'h', 'd', 'd', 'l', 'p', 'i', 'e', 'c'};

/// First bytes of both kinds of file.
struct FileHead {
  char start[8];
  std::uint32_t format = kCheckpointFormat;
  std::uint32_t rank = 0;      ///< of a file of pieces: rank that wrote it
  std::uint64_t number = 0;    ///< number of the checkpoint; in a manifest: bytes that follow
  std::uint64_t checksum = 0;  ///< in a manifest: checksum of the bytes that follow
};
static_assert(sizeof(FileHead) == 32);

FileHead HeadOf(const char (&start)[8]) {
  FileHead head{};
  std::memcpy(head.start, start, sizeof head.start);
  head.format = kCheckpointFormat;
  return head;
}

[[noreturn]] void FailRead(const std::string& path, const std::string& what) {
  throw UserError(fmt::format(
      "{}: {}. Expected: a file of a checkpoint, as a run of this program left it", path, what));
}

/// Opens a file for reading; sets 0 bytes if it is not a regular file.
int OpenToRead(const std::string& path, std::uint64_t* bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) {
    const std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    FailRead(path, "cannot be read (" + why + ")");
  }
  *bytes = S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : 0;
  return file;
}

/// False if the file is too short or the read fails.
bool ReadAt(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(file, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Text about the error in the first bytes; empty if there is none.
std::string Wrong(const FileHead& head, const char (&start)[8]) {
  if (std::memcmp(head.start, start, sizeof head.start) != 0)
    return "is no file of a checkpoint of heddle";
  if (head.format != kCheckpointFormat) {
    return fmt::format("is of version {} of the format of checkpoints, this program reads {}",
                       head.format, kCheckpointFormat);
  }
  return "";
}

/// The checkpoint's number in "RESULT.ckpt.N.rankR"; 0 for other names.
std::uint64_t NumberIn(const std::string& name, const std::string& prefix) {
  if (name.compare(0, prefix.size(), prefix) != 0) return 0;
  const char* end = name.data() + name.size();
  std::uint64_t number = 0;
  std::uint32_t rank = 0;
  const auto first = std::from_chars(name.data() + prefix.size(), end, number);
  const std::string between = ".rank";
  if (first.ec != std::errc() || static_cast<std::size_t>(end - first.ptr) <= between.size() ||
      std::memcmp(first.ptr, between.data(), between.size()) != 0) {
    return 0;
  }
  const auto second = std::from_chars(first.ptr + between.size(), end, rank);
  return second.ec == std::errc() && second.ptr == end ? number : 0;
}

}  // namespace

std::string ManifestPath(const std::string& result) { return result + ".ckpt"; }

std::string PiecesPath(const std::string& result, std::uint64_t number, std::uint32_t rank) {
  return fmt::format("{}.ckpt.{}.rank{}", result, number, rank);
}

PieceWriter::PieceWriter(const std::string& result, std::uint64_t number, std::uint32_t rank)
    : path_(PiecesPath(result, number, rank)), rank_(rank) {
  file_ = MakeNewFile(path_);
  if (file_ < 0)
    throw FileError(fmt::format("{}: cannot be made ({})", path_, std::strerror(errno)));
  FileHead head = HeadOf(kPiecesStart);
  head.rank = rank;
  head.number = number;
  Put(&head, sizeof head);
}

PieceWriter::~PieceWriter() {
  if (file_ < 0) return;
  close(file_);
  std::remove(path_.c_str());
}

void PieceWriter::Add(PieceKind kind, std::uint32_t number, const std::vector<char>& bytes) {
  pieces_.push_back(
      {kind, number, rank_, at_, bytes.size(), XXH3_64bits(bytes.data(), bytes.size())});
  Put(bytes.data(), bytes.size());
}

void PieceWriter::Close() {
  if (fdatasync(file_) != 0) Fail("written");
  if (close(std::exchange(file_, -1)) != 0 && errno != EINTR) Fail("closed");
}

void PieceWriter::Put(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  at_ += bytes;
  while (bytes > 0) {
    const ssize_t written = write(file_, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) Fail("written");
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void PieceWriter::Fail(const char* action) {
  const std::string why = std::strerror(errno);
  if (file_ >= 0) close(std::exchange(file_, -1));
  std::remove(path_.c_str());
  throw FileError(fmt::format("{}: cannot be {} ({}). Check the free space, quotas and limits",
                              path_, action, why));
}

void WriteManifest(const std::string& result, const CheckpointManifest& manifest) {
  StateWriter body;
  body << manifest;
  FileHead head = HeadOf(kManifestStart);
  head.number = body.bytes().size();
  head.checksum = XXH3_64bits(body.bytes().data(), body.bytes().size());
  const std::string path = ManifestPath(result), fresh = path + ".new";
  std::FILE* file = MakeNewStream(fresh);
  bool good = file != nullptr && std::fwrite(&head, sizeof head, 1, file) == 1 &&
              std::fwrite(body.bytes().data(), body.bytes().size(), 1, file) == 1 &&
              std::fflush(file) == 0 && fdatasync(fileno(file)) == 0;
  int error = errno;
  if (file != nullptr && std::fclose(file) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && std::rename(fresh.c_str(), path.c_str()) == 0) return SyncFolderOf(path);
  if (good) error = errno;
  std::remove(fresh.c_str());
  throw FileError(fmt::format("{}: cannot be written ({}). Check the free space, quotas and limits",
                              path, std::strerror(error)));
}

CheckpointManifest ReadManifest(const std::string& result) {
  const std::string path = ManifestPath(result);
  std::uint64_t size = 0;
  const int file = OpenToRead(path, &size);
  FileHead head{};
  std::vector<char> body;
  std::string wrong;
  if (size < sizeof head || !ReadAt(file, 0, &head, sizeof head)) {
    wrong = "is shorter than its head";
  } else {
    wrong = Wrong(head, kManifestStart);
  }
  if (wrong.empty() && head.number != size - sizeof head) {
    wrong = fmt::format("has {} bytes behind its head, not the {} that it names",
                        size - sizeof head, head.number);
  }
  if (wrong.empty()) {
    body.resize(size - sizeof head);
    if (!ReadAt(file, sizeof head, body.data(), body.size())) wrong = "cannot be read to its end";
  }
  close(file);
  if (wrong.empty() && (head.rank != 0 || XXH3_64bits(body.data(), body.size()) != head.checksum))
    wrong = "is damaged: its checksum is wrong";
  if (!wrong.empty()) FailRead(path, wrong);
  CheckpointManifest manifest;
  try {
    StateReader reader(body);
    reader >> manifest;
    reader.ExpectEnd();
  } catch (const UserError& error) {
    FailRead(path, error.what());
  }
  return manifest;
}

PieceReader::~PieceReader() {
  for (const auto& [rank, open] : files_) close(open.file);
}

const PieceReader::Open& PieceReader::FileOf(const CheckpointPiece& piece) {
  const auto known = files_.find(piece.file);
  if (known != files_.end()) return known->second;
  const std::string path = PathOf(piece);
  Open opened;
  opened.file = OpenToRead(path, &opened.bytes);
  files_[piece.file] = opened;  // closed by the destructor, even if a check below fails
  FileHead head{};
  if (opened.bytes < sizeof head || !ReadAt(opened.file, 0, &head, sizeof head))
    FailRead(path, "is shorter than its head");
  const std::string wrong = Wrong(head, kPiecesStart);
  if (!wrong.empty()) FailRead(path, wrong);
  if (head.number != number_ || head.rank != piece.file || head.checksum != 0) {
    FailRead(path, fmt::format("belongs to checkpoint {}, rank {}, or is damaged", head.number,
                               head.rank));
  }
  return files_[piece.file];
}

std::vector<char> PieceReader::Read(const CheckpointPiece& piece) {
  const Open& open = FileOf(piece);
  // Checked before memory is allocated. The comparison cannot overflow.
  if (piece.offset > open.bytes || piece.bytes > open.bytes - piece.offset) {
    FailRead(PathOf(piece),
             fmt::format("is truncated: it has {} bytes, and a piece of {} lies at byte {}",
                         open.bytes, piece.bytes, piece.offset));
  }
  std::vector<char> bytes(piece.bytes);
  if (!ReadAt(open.file, piece.offset, bytes.data(), bytes.size()))
    FailRead(PathOf(piece), "cannot be read to its end");
  if (XXH3_64bits(bytes.data(), bytes.size()) != piece.checksum) {
    FailRead(PathOf(piece), fmt::format("is damaged: the checksum of {} bytes at byte {} is wrong",
                                        piece.bytes, piece.offset));
  }
  return bytes;
}

std::vector<std::string> FindPieceFiles(const std::string& result, std::uint64_t keep) {
  const std::filesystem::path path(ManifestPath(result));
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::uint64_t number =
        NumberIn(at->path().filename().string(), path.filename().string() + ".");
    if (number != 0 && number != keep) found.push_back(at->path().string());
  }
  return found;
}

void RemoveCheckpoint(const std::string& result) {
  std::remove(ManifestPath(result).c_str());
  std::remove((ManifestPath(result) + ".new").c_str());
  for (const std::string& path : FindPieceFiles(result, 0)) std::remove(path.c_str());
}

}  // namespace heddle
