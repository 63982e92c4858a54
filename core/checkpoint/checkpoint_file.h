// SPDX-License-Identifier: GPL-2.0-only
/// The files of a checkpoint: named pieces of bytes (the state of one domain each) spread over a
/// file a rank, and a manifest that tells where they are, made last and put in place as a whole
/// (docs/formats/checkpoint.md).
///
/// A reader believes nothing: sizes are bounded by the files that hold them before memory is asked
/// for; every piece, the manifest included, has a checksum (XXH3, 64 bits). It guards against
/// accidents, not against somebody who may write these files.
#ifndef HEDDLE_CORE_CHECKPOINT_CHECKPOINT_FILE_H_
#define HEDDLE_CORE_CHECKPOINT_CHECKPOINT_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Counts versions of the files and of what domains save. No version reads another's.
constexpr std::uint32_t kCheckpointFormat = 2;

/// What pieces are of. Part of the format.
enum class PieceKind : std::uint32_t {
  kDomain = 1,       ///< a domain of the fabric and its agent; number: the domain's
  kCollectives = 2,  ///< what the GPUs of one rank wrote down together; number: the rank's
  kFlows = 3,        ///< ended flows that one rank keeps for the summary; number: the rank's
  kRun = 4,          ///< the root's books of the run as a whole; number 0
};

/// Where a piece lies.
struct CheckpointPiece {
  PieceKind kind = PieceKind::kDomain;
  std::uint32_t number = 0;  ///< which one of its kind
  std::uint32_t file = 0;    ///< rank that wrote it
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t checksum = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& kind& number& file& offset& bytes& checksum;
  }
};

/// What is true of the whole checkpoint.
struct CheckpointManifest {
  std::uint64_t number = 0;  ///< of the checkpoint, from 1, restarts included
  std::uint32_t files = 0;   ///< of pieces, one a rank that wrote
  std::uint32_t cut_ranks =
      1;     ///< number of ranks that the cut into domains was made for (--grain auto)
  Time now;  ///< all events before it are done
  /// What must be the same for a run to go on from here, by name: the program's version, inputs,
  /// settings.
  std::vector<std::pair<std::string, std::string>> identity;
  std::vector<CheckpointPiece> pieces;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& number& files& cut_ranks& now& identity& pieces;
  }
};

/// RESULT.ckpt, the manifest; RESULT.ckpt.N.rankR, rank R's pieces of checkpoint N.
std::string ManifestPath(const std::string& result);
std::string PiecesPath(const std::string& result, std::uint64_t number, std::uint32_t rank);

/// Writes one rank's pieces. Functions throw FileError, after which the file is gone.
class PieceWriter final {
 public:
  /// Makes the file, mode 0666 less the umask; one that is there was never in a manifest and is
  /// replaced.
  PieceWriter(const std::string& result, std::uint64_t number, std::uint32_t rank);
  /// Deletes the file if it was not closed.
  ~PieceWriter();
  PieceWriter(const PieceWriter&) = delete;
  PieceWriter& operator=(const PieceWriter&) = delete;

  void Add(PieceKind kind, std::uint32_t number, const std::vector<char>& bytes);
  /// Everything is on the disk then, not just with the system: the checkpoint before this one is
  /// deleted next.
  void Close();

  const std::vector<CheckpointPiece>& pieces() const { return pieces_; }
  std::uint64_t bytes() const { return at_; }

 private:
  void Put(const void* data, std::size_t bytes);
  [[noreturn]] void Fail(const char* action);

  std::string path_;
  std::uint32_t rank_;
  int file_ = -1;
  std::uint64_t at_ = 0;
  std::vector<CheckpointPiece> pieces_;
};

/// Puts the manifest in place of the one before, all at once, and on the disk. Throws FileError;
/// the one before is whole then.
void WriteManifest(const std::string& result, const CheckpointManifest& manifest);
/// Throws UserError, saying what is wrong with it, if it is missing, damaged or of another version
/// of the format.
CheckpointManifest ReadManifest(const std::string& result);

/// Reads pieces of any rank's file. Functions throw UserError, naming the file and what is wrong
/// with it.
class PieceReader final {
 public:
  PieceReader(std::string result, std::uint64_t number)
      : result_(std::move(result)), number_(number) {}
  ~PieceReader();
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  std::vector<char> Read(const CheckpointPiece& piece);
  std::string PathOf(const CheckpointPiece& piece) const {
    return PiecesPath(result_, number_, piece.file);
  }

 private:
  struct Open {
    int file = -1;
    std::uint64_t bytes = 0;
  };
  const Open& FileOf(const CheckpointPiece& piece);

  std::string result_;
  std::uint64_t number_;
  std::map<std::uint32_t, Open> files_;  ///< by rank that wrote
};

/// Files of pieces beside `result`, of all checkpoints but `keep` (0: of all); what killed runs
/// left included.
std::vector<std::string> FindPieceFiles(const std::string& result, std::uint64_t keep);

/// Deletes all that belongs to checkpoints of `result`, the manifest first. What cannot be deleted
/// stays.
void RemoveCheckpoint(const std::string& result);

}  // namespace heddle

#endif  // HEDDLE_CORE_CHECKPOINT_CHECKPOINT_FILE_H_
