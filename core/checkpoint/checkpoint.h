// SPDX-License-Identifier: GPL-2.0-only
/// Saves and loads a checkpoint on all ranks together; the number of ranks may change in between.
#pragma once

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

/// Saves a checkpoint: every rank writes its pieces by `write`. When all are on the disk, the root
/// replaces the manifest (`manifest`: without pieces, the same on every rank) and deletes the files
/// of other checkpoints of `result`. Collective. Throws SharedError on all ranks if a file cannot
/// be written; the previous checkpoint then stays intact. Returns the bytes of all ranks.
std::int64_t SaveCheckpoint(const Communicator& world, const std::string& result,
                            CheckpointManifest manifest,
                            const std::function<void(PieceWriter*)>& write);

/// Reads the manifest at the root and returns it on every rank. Collective. Throws SharedError
/// (exit code 3) if the manifest is unusable.
CheckpointManifest ShareManifest(const Communicator& world, const std::string& result);

/// Finds pieces in a manifest and reads them. Not collective.
class CheckpointPieces {
 public:
  /// Indexes the pieces. `manifest` must outlive it. Throws UserError if the manifest has a piece
  /// twice.
  CheckpointPieces(const std::string& result, const CheckpointManifest& manifest);

  /// Calls `load` with the bytes of a piece; `load` must read all of them. Throws UserError with
  /// the file's name if the piece is missing, damaged, or not understood by `load`.
  void Load(PieceKind kind, std::uint32_t number, const std::function<void(StateReader*)>& load);
  /// Loads the share of rank `here` of `ranks`, for a kind whose pieces belong to no particular
  /// rank: every `ranks`th piece.
  void LoadShare(PieceKind kind, RankId here, std::uint32_t ranks,
                 const std::function<void(StateReader*)>& load);

 private:
  /// Reads a piece and calls `load`, whose errors it rethrows as UserError with the file's name.
  void LoadPiece(const CheckpointPiece& piece, const std::function<void(StateReader*)>& load);

  /// Pieces by (kind, number).
  std::map<std::pair<PieceKind, std::uint32_t>, const CheckpointPiece*> pieces_;
  PieceReader reader_;
};

}  // namespace heddle
