// SPDX-License-Identifier: GPL-2.0-only
/// A family of fabrics: its names, its options with their flags, and the plan made from them.
/// A family is one row of Families() (topology/shapes/families.h). Its FabricMaker has an options
/// struct of its own. Nodes, tiers and routing are in the plan (fabric_plan.h).
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "topology/generate/fabric_plan.h"
#include "topology/generate/flag_set.h"

namespace heddle {

struct WantedRatio {
  double ratio = 1;   ///< of the leaves; switches above them are to have 1 : 1
  std::string flags;  ///< "-psn, -npa"; empty: none does
};

/// Holds the options of one fabric and makes its plan.
class FabricMaker {
 public:
  virtual ~FabricMaker() = default;

  /// Binds every flag to the member that it sets.
  virtual void Declare(FlagSet* flags) = 0;

  /// Sets the options that follow from given ones, such as sizes from a number of GPUs. It is
  /// called once, before Plan(), with the flags that Declare() bound. Throws UsageError for flags
  /// that contradict each other; UserError, naming what is near, if no sizes fit.
  virtual void Settle(const FlagSet& /*flags*/) {}

  /// Throws UserError, naming the flag and the remedy, if the options do not make a fabric. `flags`
  /// are the ones that Declare() bound, for the checks of their ranges.
  virtual FabricPlan Plan(const FlagSet& flags) const = 0;

  /// Returns notes to the user about the fabric and about given flags that have no effect; often
  /// empty.
  virtual std::vector<std::string> Notes(const FlagSet& /*flags*/) const { return {}; }

  /// Returns the oversubscription that the user asked for, and the flags that change it, for a
  /// note.
  virtual WantedRatio wanted_ratio() const { return {}; }
};

/// A fabric's name and summary.
struct NamedFabric {
  std::string name;
  std::string summary;  ///< a few words
  std::function<std::unique_ptr<FabricMaker>()> make;
};

/// Words that select a fabric instead of its name; a family may have none.
struct FabricAliases {
  struct Toggle {
    std::string name;  ///< without dashes; takes no value
    std::string help;
  };
  struct Choice {
    std::string name;                    ///< one of the family's
    std::unique_ptr<FabricMaker> maker;  ///< null: these words name none
  };

  std::vector<std::string> words;  ///< words that select a fabric together with toggles
  std::vector<Toggle> toggles;
  std::string words_help;                 ///< end of the help line of -topo
  std::vector<std::string> toggles_help;  ///< lines of the help
  std::string unnamed_help;               ///< rule for the choice if no word is given
  /// Called with a word of `words`, or an empty one if none was given. Throws UsageError if toggles
  /// contradict each other.
  std::function<Choice(const std::string& word, const std::set<std::string>& toggles)> choose;
};

struct Family {
  std::string title;
  std::vector<NamedFabric> fabrics;  ///< with equal flags; defaults may differ
  FabricAliases aliases = {};
};

}  // namespace heddle
