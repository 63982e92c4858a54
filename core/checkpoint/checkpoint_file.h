// SPDX-License-Identifier: GPL-2.0-only
/// The files of a checkpoint: pieces of bytes (each the state of one domain, for example), one file
/// for each rank, and a manifest with their positions, which is written last and replaced
/// atomically (docs/formats/checkpoint.md).
///
/// A reader trusts nothing: it bounds sizes by the files that hold them before it allocates memory,
/// and every piece, the manifest included, has a checksum (XXH3, 64 bits). This guards against
/// accidents, not against an attacker who can write these files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Version of the files and of the state that domains save. A version reads only its own files.
constexpr std::uint32_t kCheckpointFormat = 17;

/// Content of a piece. The values are part of the format.
enum class PieceKind : std::uint32_t {
  kDomain = 1,       ///< collective records of the GPUs of one rank; number: the rank's
  kCollectives = 2,  ///< what the GPUs of one rank wrote down together; number: the rank's
  kFlows = 3,        ///< finished flows that one rank keeps for the summary; number: the rank's
  kRun = 4,          ///< the root's record of the run as a whole; number 0
};

/// The location of a piece.
struct CheckpointPiece {
  PieceKind kind = PieceKind::kDomain;
  std::uint32_t number = 0;  ///< number within its kind
  std::uint32_t file = 0;    ///< rank that wrote it
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t checksum = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& kind& number& file& offset& bytes& checksum;
  }
};

/// Data of the whole checkpoint.
struct CheckpointManifest {
  std::uint64_t number = 0;  ///< number of the checkpoint, from 1, restarts included
  std::uint32_t files = 0;   ///< number of files of pieces, one for each rank that wrote
  /// Number of ranks for which the domains were chosen (--grain auto).
  std::uint32_t grouping_ranks = 1;
  std::uint32_t segment_domains = 0;  ///< and DomainOptions::segment_domains
  Time now;                           ///< all events before this time are done
  /// Names and values that must be equal for a run to continue from here: the program's version,
  /// inputs, settings.
  std::vector<std::pair<std::string, std::string>> identity;
  std::vector<CheckpointPiece> pieces;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& number& files& grouping_ranks& segment_domains& now& identity& pieces;
  }
};

/// Returns RESULT.ckpt, the path of the manifest.
std::string ManifestPath(const std::string& result);
/// Returns RESULT.ckpt.N.rankR, the path of rank R's pieces of checkpoint N.
std::string PiecesPath(const std::string& result, std::uint64_t number, std::uint32_t rank);

/// Writes one rank's pieces. Functions throw FileError, after which the file is deleted.
class PieceWriter final {
 public:
  /// Creates the file, mode 0666 less the umask. An existing file was never in a manifest and is
  /// replaced.
  PieceWriter(const std::string& result, std::uint64_t number, std::uint32_t rank);
  /// Deletes the file if Close() was not called.
  ~PieceWriter();
  PieceWriter(const PieceWriter&) = delete;
  PieceWriter& operator=(const PieceWriter&) = delete;

  /// Appends a piece with its checksum. Each (kind, number) may occur once in a checkpoint.
  void Add(PieceKind kind, std::uint32_t number, const std::vector<char>& bytes);
  /// Waits until the data are on the disk, because the previous checkpoint is deleted next.
  void Close();

  /// Returns the places of the pieces so far, for the manifest.
  const std::vector<CheckpointPiece>& pieces() const { return pieces_; }
  /// Returns the size of the file so far, its head included.
  std::uint64_t bytes() const { return at_; }

 private:
  /// Writes all bytes at the end of the file.
  void Put(const void* data, std::size_t bytes);
  /// Closes and deletes the file, and throws FileError "cannot be `action`" with the system's
  /// reason.
  [[noreturn]] void Fail(const char* action);

  std::string path_;
  std::uint32_t rank_;
  int file_ = -1;
  std::uint64_t at_ = 0;
  std::vector<CheckpointPiece> pieces_;
};

/// Replaces the manifest atomically and waits until it is on the disk. Throws FileError; the
/// previous manifest then stays intact.
void WriteManifest(const std::string& result, const CheckpointManifest& manifest);
/// Reads the manifest. Throws UserError with the reason if it is missing, damaged or of another
/// version of the format.
CheckpointManifest ReadManifest(const std::string& result);

/// Reads pieces of any rank's file. Functions throw UserError with the file's name and the reason.
class PieceReader final {
 public:
  /// Opens no file yet: each is opened at its first piece.
  PieceReader(std::string result, std::uint64_t number)
      : result_(std::move(result)), number_(number) {}
  /// Closes the files.
  ~PieceReader();
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  /// Returns the bytes of a piece, after a check of its place, the file's head and the checksum.
  std::vector<char> Read(const CheckpointPiece& piece);
  /// Returns the path of the file that holds a piece.
  std::string PathOf(const CheckpointPiece& piece) const {
    return PiecesPath(result_, number_, piece.file);
  }

 private:
  struct Open {
    int file = -1;
    std::uint64_t bytes = 0;
  };
  /// Returns the file of a piece, open and with its head checked.
  const Open& FileOf(const CheckpointPiece& piece);

  std::string result_;
  std::uint64_t number_;
  std::map<std::uint32_t, Open> files_;  ///< by the rank that wrote the file
};

/// Returns the files of pieces beside `result`, of all checkpoints except `keep` (0: of all),
/// including those of killed runs.
std::vector<std::string> FindPieceFiles(const std::string& result, std::uint64_t keep);

/// Deletes all files of `result`'s checkpoints, the manifest first. Ignores files that cannot be
/// deleted.
void RemoveCheckpoint(const std::string& result);

}  // namespace heddle
