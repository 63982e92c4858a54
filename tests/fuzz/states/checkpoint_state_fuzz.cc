// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the state in a checkpoint with valid checksums: invalid state is rejected, or loaded
/// and saved again unchanged; nothing crashes, and memory is in proportion to the input.
///
/// An input is two bytes and the state: which run it is from, and which of its domains (or
/// kCollectives, kFlows). Runs from loaded damaged state: damaged_states.cc.
#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <utility>

#include "core/base/check.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/state_archive.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/states/half_run.h"
#include "transport/run/fabric/flow_tables.h"

namespace heddle {
namespace {

constexpr unsigned char kCollectives = 254, kFlows = 255;

std::string Saved(const HalfCarrier& carrier, std::size_t domain) {
  StateWriter writer;
  carrier.Save(domain, &writer);
  return {writer.bytes().begin(), writer.bytes().end()};
}

/// Loaded state can be counted and saved, and loading it again gives the same.
void CheckDomain(const HalfRun& run, std::size_t domain, const std::string& state) {
  const HalfRun::Parts parts = run.Make();
  StateReader reader(state.data(), state.size());
  parts.carrier->Load(domain, &reader);
  const std::string saved = Saved(*parts.carrier, domain);
  MemoryAccount account;
  parts.carrier->AddMemory(&account);
  const HalfRun::Parts again = run.Make();
  StateReader second(saved.data(), saved.size());
  if (!Accepts({"", false}, [&] { again.carrier->Load(domain, &second); })) {
    Complain("saved state that is refused: " + LastRefusal());
  }
  if (Saved(*again.carrier, domain) != saved)
    Complain("state that is not the same when it is saved and taken over");
}

void CheckCollectives(const HalfRun& run, StateReader* state) {
  const HalfRun::Parts parts = run.Make();
  if (parts.coordinator == nullptr) throw UserError("a run without jobs");
  parts.coordinator->context().ForgetRecords();
  parts.coordinator->context().AddCollectives(state);
  state->ExpectEnd();
}

/// Treats exceptions of the standard library as CheckpointPieces does: as invalid state.
bool Check(const std::string& input) {
  if (input.size() < 2) return false;
  const HalfRun& run = HalfRuns()[static_cast<unsigned char>(input[0]) % HalfRuns().size()];
  const auto which = static_cast<unsigned char>(input[1]);
  const std::string state = input.substr(2);
  return Accepts({"", /*remedy=*/false}, [&] {
    StateReader reader(state.data(), state.size());
    try {
      if (which == kFlows) {
        FlowRecords kept;
        reader >> kept.flows >> kept.arrivals;
        reader.ExpectEnd();
      } else if (which == kCollectives) {
        CheckCollectives(run, &reader);
      } else {
        CheckDomain(run, which % run.Make().carrier->post_office().domains().size(), state);
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw UserError(error.what());
    }
  });
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (std::size_t run = 0; run < HalfRuns().size(); ++run) {
    for (const int microseconds : {0, 7, 12}) {
      const HalfRun::State state = HalfRuns()[run].RunUntil(MicroSeconds(microseconds));
      const auto add = [&](std::size_t which, const std::string& bytes) {
        seeds.push_back({static_cast<char>(run), static_cast<char>(which)});
        seeds.back() += bytes;
      };
      for (std::size_t i = 0; i < state.domains.size(); ++i) add(i, state.domains[i]);
      if (!state.collectives.empty()) add(kCollectives, state.collectives);
    }
  }
  seeds.push_back("\x01\xff" + std::string(16, '\0'));
  return seeds;
}

std::string Make(Mutator* mutator) {
  std::string bytes = mutator->Pick(mutator->corpus());
  std::string state = bytes.substr(std::min<std::size_t>(2, bytes.size()));
  const bool forged = mutator->Chance(2);
  for (std::size_t i = 1 + mutator->Below(3); i > 0; --i)
    forged ? mutator->Forge(&state) : mutator->Disturb(&state);
  return bytes.substr(0, 2) + state;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "checkpoint_state";
  reader.check = &Check;
  reader.make = &Make;
  reader.seeds = Seeds();
  for (const char number : {1, 2, 8, 63, 127})
    reader.words.push_back(number + std::string(7, '\0'));
  return reader;
}

}  // namespace heddle
