// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/best_split.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr int kLooks = 50;     ///< rounds between two looks at the tolerance
constexpr int kPatience = 40;  ///< looks without a better answer before steps are halved
constexpr int kMostRounds = 200'000;

/// The problem with its paths in a row, and without cables that nobody uses.
class Game {
 public:
  explicit Game(const SplitProblem& problem) {
    std::vector<std::uint32_t> number(problem.rates.size(), ~0U);
    for (const auto& paths : problem.connections) {
      first_.push_back(static_cast<std::uint32_t>(ends_.size()));
      for (const SplitProblem::Path& path : paths) {
        for (const std::uint32_t cable : path) {
          if (number[cable] == ~0U) {
            number[cable] = static_cast<std::uint32_t>(rates_.size());
            rates_.push_back(problem.rates[cable]);
          }
          cables_.push_back(number[cable]);
        }
        ends_.push_back(static_cast<std::uint32_t>(cables_.size()));
      }
    }
    first_.push_back(static_cast<std::uint32_t>(ends_.size()));
  }

  std::size_t connections() const { return first_.size() - 1; }
  std::size_t paths() const { return ends_.size(); }
  std::size_t cables() const { return rates_.size(); }
  std::uint32_t first(std::size_t connection) const { return first_[connection]; }

  std::vector<double> Even() const {
    std::vector<double> parts(paths());
    for (std::size_t c = 0; c < connections(); ++c) {
      for (std::uint32_t path = first_[c]; path < first_[c + 1]; ++path)
        parts[path] = 1.0 / (first_[c + 1] - first_[c]);
    }
    return parts;
  }
  void Loads(const std::vector<double>& parts, std::vector<double>* loads) const {
    loads->assign(cables(), 0);
    for (std::size_t path = 0, at = 0; path < paths(); ++path) {
      for (; at < ends_[path]; ++at) (*loads)[cables_[at]] += parts[path];
    }
    for (std::size_t cable = 0; cable < cables(); ++cable) (*loads)[cable] /= rates_[cable];
  }
  void Costs(const std::vector<double>& weights, std::vector<double>* costs) const {
    costs->assign(paths(), 0);
    for (std::size_t path = 0, at = 0; path < paths(); ++path) {
      for (; at < ends_[path]; ++at) (*costs)[path] += weights[cables_[at]] / rates_[cables_[at]];
    }
  }
  /// What any parts load some cable with at least, by weights that sum to 1.
  double Bound(const std::vector<double>& weights, std::vector<double>* scratch) const {
    Costs(weights, scratch);
    double sum = 0;
    for (std::size_t c = 0; c < connections(); ++c)
      sum += *std::min_element(scratch->begin() + first_[c], scratch->begin() + first_[c + 1]);
    return sum;
  }

 private:
  std::vector<std::uint32_t> first_;  ///< path of each connection, and their number
  std::vector<std::uint32_t> ends_;   ///< of each path in cables_
  std::vector<std::uint32_t> cables_;
  std::vector<double> rates_;
};

double Largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Sets values[begin, end) in proportion to exp(scores), with sum 1.
void Exponentials(const std::vector<double>& scores, std::size_t begin, std::size_t end,
                  std::vector<double>* values) {
  const double most = *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                        scores.begin() + static_cast<std::ptrdiff_t>(end));
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += (*values)[i] = std::exp(scores[i] - most);
  for (std::size_t i = begin; i < end; ++i) (*values)[i] /= sum;
}

/// One course of the game with steps of one size; averages weigh later rounds more.
class Course {
 public:
  Course(const Game& game, double step) : game_(game) {
    game.Loads(game.Even(), &loads_);
    unit_ = Largest(loads_);
    Restart(step);
  }

  void Restart(double step) {
    step_ = step;
    round_ = 0;
    parts_ = game_.Even();
    weights_.assign(game_.cables(), 1.0 / static_cast<double>(game_.cables()));
    for (std::vector<double>* of_path : {&mean_parts_, &part_scores_, &past_costs_})
      of_path->assign(game_.paths(), 0);
    for (std::vector<double>* of_cable : {&mean_weights_, &weight_scores_, &past_loads_})
      of_cable->assign(game_.cables(), 0);
  }

  void Round() {
    ++round_;
    game_.Loads(parts_, &loads_);
    game_.Costs(weights_, &costs_);
    Learn(loads_, step_ / unit_, &past_loads_, &weight_scores_);
    Learn(costs_, -step_ * static_cast<double>(game_.connections()) / unit_, &past_costs_,
          &part_scores_);
    Average(parts_, &mean_parts_);
    Average(weights_, &mean_weights_);
    Exponentials(weight_scores_, 0, weights_.size(), &weights_);
    for (std::size_t c = 0; c < game_.connections(); ++c)
      Exponentials(part_scores_, game_.first(c), game_.first(c + 1), &parts_);
  }
  const std::vector<double>& parts() const { return mean_parts_; }
  const std::vector<double>& weights() const { return mean_weights_; }

 private:
  /// Scores follow the sum of what was seen, with the last time counted twice.
  static void Learn(const std::vector<double>& seen, double step, std::vector<double>* past,
                    std::vector<double>* scores) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      (*scores)[i] += step * (2 * seen[i] - (*past)[i]);
      (*past)[i] = seen[i];
    }
  }
  void Average(const std::vector<double>& now, std::vector<double>* mean) const {
    const double share = 2.0 / (round_ + 1);
    for (std::size_t i = 0; i < now.size(); ++i) (*mean)[i] += share * (now[i] - (*mean)[i]);
  }

  const Game& game_;
  double step_ = 1, unit_ = 1;
  int round_ = 0;
  std::vector<double> parts_, weights_, mean_parts_, mean_weights_;
  std::vector<double> part_scores_, weight_scores_;
  std::vector<double> loads_, costs_, past_loads_, past_costs_;
};

}  // namespace

double EvenSplit(const SplitProblem& problem) {
  const Game game(problem);
  std::vector<double> loads;
  game.Loads(game.Even(), &loads);
  return Largest(loads);
}

BestSplit FindBestSplit(const SplitProblem& problem, double tolerance) {
  const Game game(problem);
  BestSplit best;
  if (game.connections() == 0) return best;
  best.load = std::numeric_limits<double>::infinity();
  std::vector<double> found, scratch;
  double step = 1;
  Course course(game, step);
  int since_better = 0;
  for (int round = 1; round <= kMostRounds && best.load > (1 + tolerance) * best.bound; ++round) {
    course.Round();
    if (round % kLooks != 0) continue;
    game.Loads(course.parts(), &scratch);
    const double load = Largest(scratch);
    const double bound = game.Bound(course.weights(), &scratch);
    const double gap = best.load - best.bound;
    if (load < best.load) {
      best.load = load;
      found = course.parts();
    }
    best.bound = std::max(best.bound, bound);
    since_better = best.load - best.bound < 0.99 * gap ? 0 : since_better + 1;
    if (since_better < kPatience) continue;
    since_better = 0;
    step /= 2;
    course.Restart(step);
  }
  for (std::size_t c = 0; c < game.connections(); ++c)
    best.parts.emplace_back(found.begin() + game.first(c), found.begin() + game.first(c + 1));
  return best;
}

}  // namespace heddle
