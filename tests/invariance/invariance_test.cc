// SPDX-License-Identifier: GPL-2.0-only
/// Tests that no result depends on ranks, partitioner, grain or engine. Compares flows, drops,
/// ports, causes of pauses, statistics, monitors and books with those of the serial run. Run it
/// under mpirun.
///
/// invariance_test oracle
///     a line a case: name, digest of the serial run, proofs that it acts
/// invariance_test domain some|all [PREFIX]
///     every case whose name begins so, with some or all pairs of partitioner and grain; of some
///         on three and on four ranks every third case, not the same ones
/// invariance_test restart COUNT [PREFIX]
///     every case, COUNT times stopped at a random time, saved, and continued in new domains on
///         other ranks; stopped once on three ranks every third case
/// invariance_test ENGINE CASE PARTITIONER GRAIN
///     one run (ns-3's own engines can run once a process); the digest to expect is in
///     HEDDLE_EXPECTED_DIGEST
/// Exit 0 if every digest equals the serial one's and every proof holds, 1 otherwise.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/engine/engine_session.h"
#include "partition/partition.h"
#include "tests/invariance/case.h"
#include "tests/support/serving/simulate_serving.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace heddle;
using namespace heddle::invariance;
using heddle::testing::DigestAll;
using heddle::testing::DigestParts;

/// Every flow of this number ends a replay: none, some, each.
std::int64_t RefusedIn(const heddle::testing::RunPlan& plan) {
  if (plan.grain != 3) return 0;
  if (plan.partitioner == "pod") return 97;
  return plan.partitioner == "random" ? 7 : plan.partitioner == "metis" ? 1 : 0;
}

/// `replays`: what repeats on islands is not simulated again (engine.replay).
Results RunCase(const Case& c, const heddle::testing::RunPlan& plan, const Communicator& world,
                bool replays) {
  heddle::testing::Scenario scenario(c.options, plan, c.failures);
  scenario.plan.sample = c.sample;
  if (replays) {
    scenario.options.replay.replay = ReplayOptions::Replay::kOn;
    scenario.options.replay.refused = RefusedIn(plan);
  }
  scenario.collectives = c.collectives;
  if (!c.requests.empty()) {
    return heddle::testing::Join(
        world, heddle::testing::SimulateServing(c.graph, c.serving, c.requests, scenario, world));
  }
  if (!c.schedules.empty()) scenario.schedules = &c.schedules;
  return heddle::testing::Join(
      world, c.jobs.empty() && c.schedules.empty()
                 ? heddle::testing::Simulate(c.graph, c.flows, scenario, world)
                 : heddle::testing::SimulateJobs(c.graph, c.jobs, scenario, world));
}

Results RunSerially(const Case& c) { return RunCase(c, {}, Communicator::Serial(), false); }

/// If the case can be cut for every plan on four ranks, the most that a test has.
bool EnoughDomains(const Case& c) {
  const std::size_t domains = MakeDomains(c.graph, {Time{0}, 3}).nodes.size();
  if (domains >= 4) return true;
  std::printf("%-22s has %zu domains at grain 3 (MISSING: 4)\n", c.name.c_str(), domains);
  return false;
}

bool Prove(const Case& c, const Results& results) {
  bool all = EnoughDomains(c);
  std::printf("%-22s %016llx", c.name.c_str(), static_cast<unsigned long long>(DigestAll(results)));
  const char* separator = "  ";
  for (const Proof& proof : c.proofs) {
    const std::int64_t count = proof.count(results);
    std::printf("%s%lld %s%s", separator, static_cast<long long>(count), proof.what.c_str(),
                count > 0 ? "" : " (MISSING)");
    separator = ", ";
    all = all && count > 0;
  }
  std::printf("\n");
  return all;
}

bool Equals(const Case& c, const Results& results, std::uint64_t expected, const std::string& run) {
  const bool equal = DigestAll(results) == expected;
  std::printf("%-22s %s  %s\n", c.name.c_str(), run.c_str(), equal ? "equal" : "DIFFERENT");
  if (!equal) std::printf("  here  %s\n", DigestParts(results).c_str());
  return equal;
}

std::string RunText(std::uint32_t ranks, const heddle::testing::RunPlan& plan) {
  char text[160];
  std::snprintf(text, sizeof text, "%-8s %u ranks  %-6s grain %u%s%s%s", ToText(plan.engine), ranks,
                plan.partitioner.c_str(), plan.grain,
                plan.segment_domains > 0 ? ", whole segments" : "",
                plan.exchange == ExchangeKind::kSome ? ", batches to some" : "",
                plan.check_every >= 0 ? ", checked at every cut" : "");
  return text;
}

/// "all": the whole cross. Otherwise one plan a case, in turn by case and number of ranks; alone,
/// one domain besides, on several some in domains of whole segments.
std::vector<heddle::testing::RunPlan> Plans(bool all, std::size_t number, std::uint32_t ranks) {
  std::vector<heddle::testing::RunPlan> cross;
  for (const std::uint32_t grain : {1U, 3U}) {
    for (const char* partitioner : {"block", "pod", "metis", "random"})
      cross.push_back({partitioner, grain});
  }
  std::vector<heddle::testing::RunPlan> plans;
  for (std::size_t i = 0; i < cross.size(); ++i) {
    if (!all && (i + number + ranks) % 4 != i / 4) continue;
    if (!all && i / 4 != (number + ranks) / 4 % 2) continue;
    plans.push_back(cross[i]);
    if (i % 2 == 1)
      plans.back().exchange = ExchangeKind::kSome;  // auto is for more ranks than these
  }
  if (ranks == 1) plans.push_back({"block", 0});
  if (ranks > 1 && (all || (number + ranks) % 4 == 1)) {
    plans.push_back({});
    plans.back().segment_domains = ranks;
  }
  // Books balance at every window's edge, and monitors that are taken piece by piece have the same
  // rows.
  if (all || (number + ranks) % 4 == 0) plans.push_back({"metis", 1, 1, 0.0});
  return plans;
}

/// Prints the first row in which each column of each table differs.
void ShowDifference(const Results& here, const Results& alone) {
  for (std::size_t t = 0; t < std::min(here.tables.size(), alone.tables.size()); ++t) {
    const Table& table = here.tables[t];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto show = [&](const auto& values) {
        using Values = std::decay_t<decltype(values)>;
        const auto& others = std::get<Values>(alone.tables[t].columns[c].data);
        const auto first =
            std::mismatch(values.begin(), values.end(), others.begin(), others.end());
        if (first.first == values.end() || first.second == others.end()) return;
        std::ostringstream text;
        text << *first.first << ", alone " << *first.second;
        std::printf("  %s row %td %s: %s\n", table.name.c_str(), first.first - values.begin(),
                    table.columns[c].name.c_str(), text.str().c_str());
      };
      std::visit(show, table.columns[c].data);
    }
  }
}

/// What a case's serial run came to.
struct Oracle {
  std::uint64_t digest = 0;
  Time end;
};

/// The numbers of each `step`-th case from `first` on, if its name begins with `prefix`.
std::vector<std::size_t> Chosen(const std::vector<CaseMaker>& makers, const std::string& prefix,
                                std::size_t step, std::size_t first = 0) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = first; i < makers.size(); i += step) {
    if (makers[i].name.rfind(prefix, 0) == 0) numbers.push_back(i);
  }
  return numbers;
}

/// The serial runs of the chosen cases, by the number of the case. Each is run by one rank, in
/// turn, and known to all. Alone, their proofs are printed.
std::vector<Oracle> RunOracles(const Communicator& world, const std::vector<CaseMaker>& makers,
                               const std::vector<std::size_t>& chosen, bool* good) {
  std::vector<std::int64_t> digests(makers.size(), 0);
  std::vector<std::int64_t> ends(makers.size(), 0);
  std::size_t turn = 0;
  for (const std::size_t i : chosen) {
    if (turn++ % world.size() != world.rank().value) continue;
    const Case c = makers[i].make();
    const Results results = RunSerially(c);
    digests[i] = static_cast<std::int64_t>(DigestAll(results));
    ends[i] = results.end.ps;
    if (world.size() == 1) *good = Prove(c, results) && *good;
  }
  world.Sum(&digests);  // the others have zeros
  world.Sum(&ends);
  std::vector<Oracle> oracles(makers.size());
  for (std::size_t i = 0; i < makers.size(); ++i)
    oracles[i] = {static_cast<std::uint64_t>(digests[i]), Time{ends[i]}};
  return oracles;
}

void ShowDifferenceFromSerial(const Case& c, const Results& results) {
  const Results alone = RunSerially(c);
  std::printf("  alone %s\n", DigestParts(alone).c_str());
  ShowDifference(results, alone);
}

bool RunDomains(const Communicator& world, bool all, const std::string& prefix) {
  bool good = true;
  const std::vector<CaseMaker> makers = AllCases();
  const bool each = all || world.size() < 3;
  const std::vector<std::size_t> chosen =
      Chosen(makers, prefix, each ? 1 : 3, each || world.size() > 3 ? 0 : 1);
  const std::vector<Oracle> oracles = RunOracles(world, makers, chosen, &good);
  for (const std::size_t i : chosen) {
    const Case c = makers[i].make();
    for (const heddle::testing::RunPlan& plan : Plans(all, i, world.size())) {
      const Results results = RunCase(c, plan, world, plan.grain != 1 || plan.segment_domains > 0);
      if (!world.is_root()) continue;
      const bool equal = Equals(c, results, oracles[i].digest, RunText(world.size(), plan));
      if (!equal) ShowDifferenceFromSerial(c, results);
      good = good && equal;
    }
  }
  return good;
}

std::vector<Time> RandomTimes(std::size_t count, Time end, std::uint64_t seed) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  std::vector<Time> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(
        Time{static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(end.ps) + 1))});
  }
  std::sort(times.begin(), times.end());
  return times;
}

bool RunRestarts(const Communicator& world, std::size_t count, const std::string& prefix) {
  bool good = true;
  std::optional<TemporaryFolder> own;  // the root's, known to all ranks
  if (world.is_root()) own.emplace();
  const std::string folder = world.Broadcast(own ? own->path().string() : std::string());
  const std::vector<CaseMaker> makers = AllCases();
  const std::size_t step = count > 1 || world.size() < 3 ? 1 : 3;
  const std::vector<std::size_t> chosen = Chosen(makers, prefix, step);
  const std::vector<Oracle> oracles = RunOracles(world, makers, chosen, &good);
  for (const std::size_t i : chosen) {
    const Case c = makers[i].make();
    heddle::testing::RunPlan plan{"metis", i % 2 == 0 ? 1U : 3U};
    if (i % 3 == 0) plan.exchange = ExchangeKind::kSome;
    plan.stops = RandomTimes(count, oracles[i].end, i);
    plan.checkpoint = folder + "/" + c.name;
    const Results results = RunCase(c, plan, world, true);
    if (!world.is_root()) continue;
    const std::string run =
        std::to_string(world.size()) + " ranks, stopped " + std::to_string(count) + " times";
    const bool equal = Equals(c, results, oracles[i].digest, run);
    if (!equal) ShowDifferenceFromSerial(c, results);
    good = good && equal;
  }
  if (world.is_root())
    good = std::filesystem::is_empty(folder) && good;  // fails if a checkpoint was left
  return good;
}

bool RunOnce(const Communicator& world, const std::string& name,
             const heddle::testing::RunPlan& plan) {
  const char* expected = std::getenv("HEDDLE_EXPECTED_DIGEST");
  for (const CaseMaker& maker : AllCases()) {
    if (maker.name != name) continue;
    const Case c = maker.make();
    const Results results = RunCase(c, plan, world, true);
    return !world.is_root() ||
           Equals(c, results, expected == nullptr ? 0 : std::strtoull(expected, nullptr, 16),
                  RunText(world.size(), plan));
  }
  std::fprintf(stderr, "no case %s\n", name.c_str());
  return false;
}

bool RunOracle() {
  bool good = true;
  for (const CaseMaker& maker : AllCases()) {
    const Case c = maker.make();
    good = Prove(c, RunSerially(c)) && good;
  }
  return good;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep what they allocated until the process ends; that is not what leak checks are
/// for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool oracle = arguments.size() == 1 && arguments[0] == "oracle";
  if (!oracle && (arguments.size() < 2 || arguments.size() > 4)) {
    std::fprintf(stderr,
                 "usage: invariance_test oracle | domain some|all [PREFIX] | "
                 "restart COUNT [PREFIX] | ENGINE CASE PARTITIONER GRAIN\n");
    return 2;
  }
  const bool restart = arguments.size() > 1 && arguments[0] == "restart";
  const EngineKind kind = oracle || restart ? EngineKind::kDomain : ParseEngineKind(arguments[0]);
  int no_arguments = 0;
  char** none = nullptr;
  Ns3Session session(kind, &no_arguments, &none);
  const Communicator world = Communicator::World();
  bool good = true;
  if (oracle) {
    good = RunOracle();
  } else if (restart) {
    good = RunRestarts(world, std::stoul(arguments[1]), arguments.size() == 3 ? arguments[2] : "");
  } else if (arguments.size() < 4) {
    good = RunDomains(world, arguments[1] == "all", arguments.size() == 3 ? arguments[2] : "");
  } else {
    heddle::testing::RunPlan plan{arguments[2],
                                  static_cast<std::uint32_t>(std::stoul(arguments[3]))};
    plan.engine = kind;
    good = RunOnce(world, arguments[1], plan);
  }
  return world.Min(good ? 1 : 0) == 1 ? 0 : 1;
}
