// SPDX-License-Identifier: GPL-2.0-only
#include "core/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdio>
#include <exception>
#include <memory>

#include "core/checkpoint/state_archive.h"
#include "core/mpi/gather_records.h"

namespace heddle {

std::int64_t SaveCheckpoint(const Communicator& world, const std::string& result,
                            CheckpointManifest manifest,
                            const std::function<void(PieceWriter*)>& write) {
  std::unique_ptr<PieceWriter> writer;
  try {
    AgreeOnErrors(world, [&] {
      writer = std::make_unique<PieceWriter>(result, manifest.number, world.rank().value);
      write(writer.get());
      writer->Close();
    });
    manifest.files = world.size();
    manifest.pieces = GatherRecords(world, writer->pieces());
    AgreeOnErrors(world, [&] {
      if (world.is_root()) WriteManifest(result, manifest);
    });
  } catch (const SharedError&) {
    // Deletes complete pieces too: they would occupy space that another rank lacked.
    std::remove(PiecesPath(result, manifest.number, world.rank().value).c_str());
    throw;
  }
  if (world.is_root()) {
    for (const std::string& path : FindPieceFiles(result, manifest.number))
      std::remove(path.c_str());
  }
  return world.Sum(static_cast<std::int64_t>(writer->bytes()));
}

CheckpointManifest ShareManifest(const Communicator& world, const std::string& result) {
  CheckpointManifest manifest;
  AgreeOnErrors(world, [&] {
    if (world.is_root()) manifest = ReadManifest(result);
  });
  StateWriter text;
  if (world.is_root()) text << manifest;
  const std::string shared = world.Broadcast({text.bytes().begin(), text.bytes().end()});
  StateReader(shared.data(), shared.size()) >> manifest;
  return manifest;
}

CheckpointPieces::CheckpointPieces(const std::string& result, const CheckpointManifest& manifest)
    : reader_(result, manifest.number) {
  for (const CheckpointPiece& piece : manifest.pieces) {
    if (!pieces_.try_emplace({piece.kind, piece.number}, &piece).second) {
      throw UserError(fmt::format("{}: has piece {} of kind {} twice", ManifestPath(result),
                                  piece.number, static_cast<int>(piece.kind)));
    }
  }
}

void CheckpointPieces::Load(PieceKind kind, std::uint32_t number,
                            const std::function<void(StateReader*)>& load) {
  const auto found = pieces_.find({kind, number});
  if (found == pieces_.end()) {
    throw UserError(
        fmt::format("the checkpoint has no piece {} of kind {}. Expected: one that a run of the "
                    "same inputs and "
                    "options left",
                    number, static_cast<int>(kind)));
  }
  LoadPiece(*found->second, load);
}

void CheckpointPieces::LoadShare(PieceKind kind, RankId here, std::uint32_t ranks,
                                 const std::function<void(StateReader*)>& load) {
  std::uint32_t turn = 0;
  for (const auto& [key, piece] : pieces_) {
    if (key.first == kind && turn++ % ranks == here.value) LoadPiece(*piece, load);
  }
}

void CheckpointPieces::LoadPiece(const CheckpointPiece& piece,
                                 const std::function<void(StateReader*)>& load) {
  const std::vector<char> bytes = reader_.Read(piece);
  try {
    StateReader reader(bytes);
    load(&reader);
    reader.ExpectEnd();
  } catch (const Error& error) {
    throw UserError(fmt::format("{}: piece {} of kind {}: {}", reader_.PathOf(piece), piece.number,
                                static_cast<int>(piece.kind), error.what()));
  } catch (const std::exception&) {  // thrown by Boost for an index or a size that no program wrote
    throw UserError(
        fmt::format("{}: piece {} of kind {} holds what no run of these inputs can have written",
                    reader_.PathOf(piece), piece.number, static_cast<int>(piece.kind)));
  }
}

}  // namespace heddle
