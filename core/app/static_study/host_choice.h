// SPDX-License-Identifier: GPL-2.0-only
/// Which hosts have the ranks of a pattern, in each run of a study of static congestion.
#ifndef HEDDLE_CORE_APP_STATIC_STUDY_HOST_CHOICE_H_
#define HEDDLE_CORE_APP_STATIC_STUDY_HOST_CHOICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "topology/load/static_paths.h"

namespace heddle {

struct HostChoice {
  /// Hosts to choose from, in order of choice if they are not drawn; all of the network unless
  /// some are left out.
  std::vector<std::uint32_t> hosts;
  std::uint32_t ranks = 0;  ///< of the pattern; at most as many as hosts
  bool drawn = true;        ///< the hosts of each run are drawn; otherwise the first `ranks`
  /// Hosts are drawn and dealt in groups of so many neighbours (a server's GPUs), from host 0.
  std::uint32_t group = 1;
  bool fixed_subset = false;  ///< drawn once, for all runs
  bool shuffled = true;       ///< ranks are dealt to the hosts anew in each run
  /// The first so many ranks are dealt among their own hosts, the others among theirs, if not
  /// drawn.
  std::uint32_t first_part = 0;
  std::uint32_t in_place = 0;  ///< the first so many hosts keep their ranks, if not drawn
  /// Hosts by rank for each run, if given; the rest does not count then.
  std::vector<std::vector<std::uint32_t>> mappings;
  std::uint64_t seed = 1;
};

/// The host of each rank in run `run`. Depends on nothing but the arguments.
std::vector<std::uint32_t> MappingOf(const HostChoice& choice, std::uint64_t run);

/// Hosts by the number in their names behind the first letter, hexadecimal, as ORCS sorts
/// InfiniBand's GUIDs; names without one last.
std::vector<std::uint32_t> HostsByGuid(const StaticPaths& paths, bool ascending);

/// Puts the hosts of a text first, one name a line, '#' before comments; names of others are passed
/// over. Returns how many there are.
std::uint32_t PutFirst(const std::string& text, const StaticPaths& paths,
                       std::vector<std::uint32_t>* hosts);

/// One run a line: names of hosts by rank. Throws UserError that names `file` and line.
std::vector<std::vector<std::uint32_t>> ParseMappings(const std::string& text,
                                                      const std::string& file,
                                                      const StaticPaths& paths,
                                                      std::uint32_t ranks);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_STATIC_STUDY_HOST_CHOICE_H_
