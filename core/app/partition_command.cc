// SPDX-License-Identifier: GPL-2.0-only
/// `heddle partition`: how a topology would be cut for so many ranks, before a run.
#include "core/app/output_text.h"
#include "core/app/parse_arguments.h"
#include "partition/report.h"
#include "topology/simai_topology.h"

namespace heddle {

int PartitionCommand(const std::vector<std::string>& arguments) {
  std::string file;
  std::string partitioner = "block";
  std::string lookahead = "0ns";
  std::string grain = "auto";
  std::uint32_t ranks = 1;
  DomainOptions options;
  std::uint64_t seed = 1;
  CLI::App app("Report the cut of a topology: domains, links between ranks, load, predicted efficiency.", "partition");
  app.add_option("FILE", file, "topology file")->required()->type_name("FILE");
  app.add_option("-r,--ranks", ranks, "number of ranks")->required();
  app.add_option("--partition", partitioner, "where domains go")->capture_default_str()->type_name("block|pod|metis|random");
  app.add_option("--grain", grain, "neighbouring domains grouped into one: auto, 0 (all) or a number")->capture_default_str();
  app.add_option("--lookahead", lookahead, "contract links faster than this; 0ns: automatic")->capture_default_str();
  app.add_option("--seed", seed, "seed of the random partitioner")->capture_default_str();
  app.footer(Examples({"heddle partition fabric.txt -r 4", "heddle partition fabric.txt -r 16 --partition metis"}));
  if (!ParseArguments(&app, arguments)) return 0;
  if (ranks == 0) throw UsageError("--ranks: found 0. Expected: 1 or more");
  CheckPartitioner(partitioner);
  options.lookahead = ParseTimeFlag("--lookahead", lookahead);
  options.grain = ParseGrain(grain);
  const Graph graph = ReadSimaiTopology(file);
  const Domains domains = MakeDomains(graph, options);
  const Assignment assignment = AssignDomains(graph, domains, ranks, partitioner, seed);
  WriteText("-", ToText(AnalysePartition(graph, domains, assignment, ranks)));
  return 0;
}

}  // namespace heddle
