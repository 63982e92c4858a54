// SPDX-License-Identifier: GPL-2.0-only
/// How evenly queue pairs could load a network if each connection divided its bytes over its own
/// fixed paths as well as can be.
///
/// A connection sends one unit over its paths. The load of a cable is the units that cross it over
/// its rate; the largest load is the time that all need if they send at once. EvenSplit() is that
/// of equal parts, FindBestSplit() the least of all divisions: a linear program (maximum concurrent
/// flow on given paths), solved as a game between connections, who choose parts, and an opponent
/// who chooses a cable: both by optimistic multiplicative weights (Syrgkanis, Agarwal, Luo,
/// Schapire: "Fast Convergence of Regularized Learning in Games", NIPS 2015), averaged. Any weights
/// of the cables prove a lower bound, the sum over connections of their cheapest path's weight, so
/// that the answer comes with its tolerance.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

struct SplitProblem {
  using Path = std::vector<std::uint32_t>;  ///< cables, each once

  std::vector<double> rates;                   ///< by cable, > 0, in any unit
  std::vector<std::vector<Path>> connections;  ///< their paths; at least one each, none empty
};

/// Returns the largest load with equal parts on all paths of each connection; 0 without
/// connections.
double EvenSplit(const SplitProblem& problem);

struct BestSplit {
  std::vector<std::vector<double>> parts;  ///< by connection and path; sum to 1
  double load = 0;                         ///< the largest load with these parts
  double bound = 0;                        ///< no parts have a smaller largest load
};

/// Stops when load <= (1 + tolerance) bound, or after a limit of work, with what it has then.
BestSplit FindBestSplit(const SplitProblem& problem, double tolerance = 0.005);

}  // namespace heddle
