// SPDX-License-Identifier: GPL-2.0-only
/// All ranks save a checkpoint together, and take one over together, on any number of ranks.
#ifndef HEDDLE_CORE_CHECKPOINT_CHECKPOINT_H_
#define HEDDLE_CORE_CHECKPOINT_CHECKPOINT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint_file.h"
#include "core/mpi/communicator.h"

namespace heddle {

class StateReader;

/// Every rank writes its pieces by `write`; when all are on the disk the root puts the manifest in
/// place (`manifest`: without pieces, the same on every rank) and deletes what belongs to other
/// checkpoints of `result`. Collective. Throws SharedError on all ranks if a file cannot be
/// written; the checkpoint before is whole then. Returns the bytes of all ranks.
std::int64_t SaveCheckpoint(const Communicator& world, const std::string& result,
                            CheckpointManifest manifest,
                            const std::function<void(PieceWriter*)>& write);

/// The root's manifest on every rank. Collective. Throws SharedError (exit code 3) if it cannot be
/// used.
CheckpointManifest ShareManifest(const Communicator& world, const std::string& result);

/// Finds pieces in a manifest, and reads them. Not collective.
class CheckpointPieces {
 public:
  /// `manifest` must outlive it. Throws UserError if it has a piece twice.
  CheckpointPieces(const std::string& result, const CheckpointManifest& manifest);

  /// Calls `load` with the bytes of a piece, which must read all of them. Throws UserError, naming
  /// the file, if there is no such piece, it is damaged, or `load` does not understand it.
  void Load(PieceKind kind, std::uint32_t number, const std::function<void(StateReader*)>& load);
  /// The same for the share of rank `here` of `ranks`, of all pieces of a kind that no rank has a
  /// claim to.
  void LoadShare(PieceKind kind, RankId here, std::uint32_t ranks,
                 const std::function<void(StateReader*)>& load);

 private:
  void LoadPiece(const CheckpointPiece& piece, const std::function<void(StateReader*)>& load);

  const CheckpointManifest& manifest_;
  std::map<std::pair<PieceKind, std::uint32_t>, const CheckpointPiece*>
      pieces_;  ///< by (kind, number)
  PieceReader reader_;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_CHECKPOINT_CHECKPOINT_H_
