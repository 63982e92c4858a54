// SPDX-License-Identifier: GPL-2.0-only
/// Writes a result whose chunks are compressed by all ranks, so that runs on different numbers of
/// ranks can be compared, and checks that after an error at the root the other ranks continue.
/// Usage: pool_result RESULT    (under mpirun)
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine_session.h"
#include "core/mpi/communicator.h"
#include "io/hdf5/chunk_pool.h"
#include "io/result/result_writer.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// More chunks than the pool's window holds, in columns that take different times, with text
/// columns between them.
Table MakeTable(const std::string& name, std::size_t rows) {
  std::vector<std::int64_t> hard(rows), easy(rows);
  std::vector<std::uint16_t> small(rows);
  std::vector<std::string> text(rows);
  std::uint64_t state = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    hard[i] = static_cast<std::int64_t>(state);
    easy[i] = static_cast<std::int64_t>(i / 100);
    small[i] = static_cast<std::uint16_t>(state >> 60);
    if (i % 5000 == 0) text[i] = std::to_string(state);
  }
  return {name,
          "",
          {{"hard", "1", "", std::move(hard)},
           {"text", "1", "", std::move(text)},
           {"easy", "1", "", std::move(easy)},
           {"small", "1", "", std::move(small)}}};
}

void Write(const std::string& path, ChunkPool* pool) {
  ResultWriter writer(path, true, pool);
  writer.Write(MakeTable("many", 900'000));
  writer.Write(MakeTable("none", 0));
  writer.Write(MakeTable("few", 70'000));
  writer.Close();
}

int Main(int argc, char** argv) {
  Ns3Session session(EngineKind::kDomain, &argc, &argv);
  const Communicator world = Communicator::World();
  ChunkPool pool(world);
  // An error in the middle of a table: chunks are under way to other ranks and back.
  std::string error;
  try {
    AgreeOnErrors(world, [&] {
      pool.Share([&] {
        ResultWriter writer(std::string(argv[1]) + ".none", true, &pool);
        int blocks = 0;
        const Table block = MakeTable("half", 300'000);
        writer.WriteBlocks(block, 3'000'000, LongestTexts(block), [&] {
          if (++blocks == 3) throw FileError("no room");
          return block;
        });
      });
    });
  } catch (const SharedError& shared) {
    error = shared.what();
  }
  if (error != "no room") {
    std::fprintf(stderr, "rank %u: the root's error was not seen, but '%s'\n", world.rank().value,
                 error.c_str());
    return 1;
  }
  AgreeOnErrors(world, [&] { pool.Share([&] { Write(argv[1], &pool); }); });
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::Main(argc, argv); }
