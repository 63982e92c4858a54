// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/congestion_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/studies/congestion/queue_pair_split.h"
#include "core/patterns/level_patterns.h"

namespace heddle {

void AddArguments(CLI::App* app, CongestionArguments* given) {
  app->add_option(
         "NETWORK", given->network,
         "topology file, network in ORCS's DOT, or InfiniBand network as ibnetdiscover prints it "
         "(with its --tables)")
      ->required()
      ->type_name("FILE");
  app->add_option("--routing", given->routing.routing,
                  RoutingText() + "; instead of the network's own")
      ->capture_default_str()
      ->type_name("ROUTING");
  app->add_option(
         "--tables", given->routing.tables,
         "forwarding tables (heddle topo route), or for InfiniBand a subnet manager's dump "
         "(opensm.fdbs, dump_fts)")
      ->type_name("FILE");
  app->add_option(
         "-p,--pattern", given->pattern,
         fmt::format("who sends to whom, level by level: {}", fmt::join(LevelPatternNames(), ", ")))
      ->capture_default_str()
      ->type_name("PATTERN");
  app->add_option("-n,--runs", given->runs, "runs, each with ranks placed anew")
      ->capture_default_str()
      ->check(WholeNumber(1, 100'000'000));
  app->add_option("-s,--ranks", given->ranks, "ranks of the pattern; 0: as many as hosts, even");
  app->add_option("-z,--first-ranks", given->first_ranks,
                  "ranks of the first pattern of ptrnvsptrn, whose delay counts")
      ->capture_default_str();
  app->add_option("--seed", given->seed, "of placements and random patterns")
      ->capture_default_str();
  app->add_flag("--fixed-subset", given->fixed_subset,
                "draw the hosts once, and place ranks on them anew in each run");
  app->add_option("--placement", given->placement,
                  "where ranks are in each run: on hosts drawn one by one, on servers drawn whole, "
                  "or on the first hosts in their order")
      ->capture_default_str()
      ->type_name("random|servers|in-order");
  app->add_option("--mappings", given->mappings,
                  "names of hosts by rank, one run a line, instead of drawn ones")
      ->type_name("FILE");
  app->add_flag("--unit-links", given->unit_links,
                "count all cables as equally fast, as ORCS does");
  app->add_flag(
      "--checkinputfile", given->check_routes,
      "look for loops and for pairs of hosts without a way, and end: exit code 3 if there "
      "are any");
  app->add_flag("--routequal", given->route_quality,
                "print how evenly routes lie on inner cables if all pairs talk at once, and end");
  app->add_option("--queue-pairs", given->queue_pairs,
                  "divide each message over so many queue pairs with ports drawn in each run, all "
                  "messages at once: even parts against the best parts that there are")
      ->check(WholeNumber(1, kMostQueuePairs));
  app->add_option("-o,--output", given->output, "result (HDF5), for heddle report and Python")
      ->type_name("FILE");
  app->add_option("--dot", given->dot, "the network for Graphviz, coloured by load")
      ->type_name("FILE");
  app->add_option("--svg", given->svg, "the same, drawn")->type_name("FILE");
  app->add_option("--verify-with-packets", given->verify,
                  "simulate run 0 packet by packet as well, with messages of this size")
      ->type_name("SIZE")
      ->expected(0, 1)
      ->default_str("16MiB");
  app->add_option("--set", given->settings, "KEY=VALUE of heddle run, for the packets; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_flag("--force", given->force, "replace these files");
  AddJsonFlag(app, &given->json);
  app->add_option("--compat", "take ORCS's flags behind this word, and print its text")
      ->type_name("orcs-1.1|orcs-2.0");
  app->footer(
      Examples({"heddle congestion fabric.txt", "heddle congestion net.dot -p tree -n 10000",
                "heddle congestion ibnetdiscover.out --tables opensm.fdbs",
                "mpirun -n 4 heddle congestion fabric.txt -p ptrnvsptrn:tree::bisect -z 64",
                "heddle congestion --compat orcs-2.0 -i net.dot -p bruck -s 64"}));
}

std::string CommandLine(const CongestionArguments& given) {
  std::string text = fmt::format("heddle congestion {} -p {} -n {} --seed {}", given.network,
                                 given.pattern, given.runs, given.seed);
  if (given.ranks != 0) text += fmt::format(" -s {}", given.ranks);
  if (given.pattern.rfind("ptrnvsptrn", 0) == 0) text += fmt::format(" -z {}", given.first_ranks);
  if (given.queue_pairs > 0) text += fmt::format(" --queue-pairs {}", given.queue_pairs);
  if (given.mappings.empty()) {
    text += " --placement " + given.placement;
    if (given.fixed_subset) text += " --fixed-subset";
  } else {
    text += " --mappings " + given.mappings;
  }
  if (given.unit_links) text += " --unit-links";
  if (!given.routing.tables.empty()) return text + " --tables " + given.routing.tables;
  return given.routing.any() || given.names_routing ? text + " --routing " + given.routing.routing
                                                    : text;
}

}  // namespace heddle
