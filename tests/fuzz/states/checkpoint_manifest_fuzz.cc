// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of a checkpoint's manifest and of the pieces that it lists.
///
/// An input is a file; or, after kBody, the rest of a file, which gets a valid head with the right
/// checksum.
#include <xxhash.h>

#include <cstring>

#include "core/base/check.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/state_archive.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr char kBody = '+';
constexpr std::size_t kHeadBytes = 32;  ///< docs/formats/checkpoint.md

std::string Result() { return ScratchFolder() + "/fuzz.h5"; }

std::string WithHead(std::string_view body) {
  std::string file = "hddlckpt" + std::string(kHeadBytes - 8, '\0');
  const std::uint32_t format = kCheckpointFormat;
  const std::uint64_t size = body.size(), checksum = XXH3_64bits(body.data(), body.size());
  std::memcpy(file.data() + 8, &format, sizeof format);
  std::memcpy(file.data() + 16, &size, sizeof size);
  std::memcpy(file.data() + 24, &checksum, sizeof checksum);
  return file.append(body);
}

/// Reads every piece, which is either rejected or has its listed length.
void CheckPieces(const CheckpointManifest& manifest) {
  CheckpointPieces pieces(Result(), manifest);
  for (const CheckpointPiece& piece : manifest.pieces) {
    Accepts({Result(), false}, [&] {
      pieces.Load(piece.kind, piece.number, [&](StateReader* state) {
        if (state->left() != piece.bytes) Complain("a piece of another length");
        std::vector<char> all(state->left());
        state->load_binary(all.data(), all.size());
      });
    });
  }
}

bool Check(const std::string& input) {
  const bool body = !input.empty() && input[0] == kBody;
  PutBytes(ManifestPath(Result()), body ? WithHead(std::string_view(input).substr(1)) : input);
  CheckpointManifest manifest;
  if (!Accepts({ManifestPath(Result())}, [&] { manifest = ReadManifest(Result()); })) return false;
  const std::string before = BytesOf(ManifestPath(Result()));
  WriteManifest(Result(), manifest);
  if (BytesOf(ManifestPath(Result())) != before)
    Complain("a manifest that is not the same when it is read and written");
  Accepts({Result(), false}, [&] { CheckPieces(manifest); });
  return true;
}

/// Three pieces of two ranks.
CheckpointManifest Sound() {
  CheckpointManifest manifest;
  manifest.number = 1;
  manifest.files = 2;
  manifest.now = MicroSeconds(20);
  manifest.identity = {
      {"program", "heddle 0.1.0"}, {"seed", "1"}, {"option dcqcn.gain", "0.00390625"}};
  for (const std::uint32_t rank : {0U, 1U}) {
    PieceWriter writer(Result(), manifest.number, rank);
    writer.Add(PieceKind::kDomain, rank, std::vector<char>(100 + rank, 'd'));
    if (rank == 0) writer.Add(PieceKind::kRun, 0, std::vector<char>(8, 'r'));
    writer.Close();
    manifest.pieces.insert(manifest.pieces.end(), writer.pieces().begin(), writer.pieces().end());
  }
  return manifest;
}

std::string Make(Mutator* mutator) {
  std::string bytes = mutator->Binary();
  if (bytes.empty() || mutator->Chance(8)) return bytes;
  return bytes[0] == kBody ? bytes : kBody + bytes.substr(std::min(kHeadBytes, bytes.size()));
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "checkpoint_manifest";
  reader.check = &Check;
  reader.make = &Make;
  WriteManifest(Result(), Sound());
  const std::string file = BytesOf(ManifestPath(Result()));
  reader.seeds = {file, kBody + file.substr(kHeadBytes)};
  reader.words = {"hddlckpt", "hddlpiec", "program", std::string("\1\0\0\0", 4),
                  std::string("\x20\0\0\0\0\0\0\0", 8)};
  return reader;
}

}  // namespace heddle
