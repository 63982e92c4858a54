// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/template_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// The words of a command line, sorted by kind.
struct Given {
  std::string topology;
  std::string output;
  bool force = false;
  std::set<std::string> toggles;
  std::vector<std::pair<std::string, std::string>> values;  ///< by flag, as it was written
};

/// The flags of a family, with the defaults of its first fabric.
std::vector<FlagSet::Flag> FlagsOf(const Family& family) {
  const std::unique_ptr<FabricMaker> maker = family.fabrics.front().make();
  FlagSet flags;
  maker->Declare(&flags);
  std::vector<FlagSet::Flag> unbound = flags.flags();
  for (FlagSet::Flag& flag : unbound) flag.number = nullptr, flag.text = nullptr;
  return unbound;
}

bool HasToggle(const Family& family, const std::string& name) {
  const auto& toggles = family.aliases.toggles;
  return std::any_of(toggles.begin(), toggles.end(),
                     [&](const FabricAliases::Toggle& toggle) { return toggle.name == name; });
}

/// `known`: the families whose flags are accepted.
[[noreturn]] void RefuseFlag(const std::string& word, const std::vector<Family>& known) {
  std::vector<std::string> names = {"topo", "topology"};
  for (const Family& family : known) {
    for (const FabricAliases::Toggle& toggle : family.aliases.toggles) names.push_back(toggle.name);
  }
  names.insert(names.end(), {"o", "output", "force"});
  for (const Family& family : known) {
    for (const FlagSet::Flag& flag : FlagsOf(family)) {
      names.insert(names.end(), {flag.about.brief, flag.about.name});
      if (!flag.about.also.empty()) names.push_back(flag.about.also);
    }
  }
  std::string nearest = Nearest(word, names);
  if (!nearest.empty()) {
    nearest = fmt::format(" Did you mean {}{}?", nearest.size() > 4 ? "--" : "-", nearest);
  }
  throw UsageError(fmt::format(
      "unknown flag {}.{} Expected: a flag of the fabric (heddle topo FABRIC --help lists them)",
      Printable(word), nearest));
}

class ArgumentReader {
 public:
  ArgumentReader(const std::vector<std::string>& args, const std::vector<Family>& families)
      : args_(args), families_(families) {
    for (const Family& family : families) {
      for (const FlagSet::Flag& flag : FlagsOf(family)) {
        value_flags_.insert({flag.about.brief, flag.about.name, flag.about.also});
      }
    }
  }

  Given Read() {
    for (; next_ < args_.size(); ++next_) {
      const std::string& word = args_[next_];
      if (word.size() < 2 || word[0] != '-') {
        TakeName(word);
      } else {
        TakeFlag(word[1] == '-' ? word.substr(2) : WithoutAttached(word.substr(1)));
      }
    }
    return std::move(given_);
  }

 private:
  /// "g64" as "g=64": a number may follow the short name of a flag at once. Of several names the
  /// longest counts.
  std::string WithoutAttached(const std::string& word) const {
    const std::size_t digit = word.find_first_of("0123456789");
    const std::size_t equals = word.find('=');
    if (digit == 0 || digit == std::string::npos || equals < digit) return word;
    const std::string name = word.substr(0, digit);
    return value_flags_.count(name) > 0 ? name + "=" + word.substr(digit) : word;
  }

  void TakeName(const std::string& word) {
    if (!given_.topology.empty()) {
      throw UsageError(fmt::format("found \"{}\" after template {}. Expected: a flag",
                                   Printable(word), Printable(given_.topology)));
    }
    given_.topology = word;
  }

  void TakeFlag(std::string name) {
    std::optional<std::string> value;
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (IsToggle(name) || name == "force") {
      if (value) {
        throw UsageError("--" + name + " takes no value");
      }
      if (name == "force") {
        given_.force = true;
      } else {
        given_.toggles.insert(name);
      }
    } else if (name == "topo" || name == "topology") {
      TakeName(Value(name, value));
    } else if (name == "o" || name == "output") {
      given_.output = Value(name, value);
    } else if (value_flags_.count(name) > 0) {
      given_.values.emplace_back(name, Value(name, value));
    } else {
      RefuseFlag(name, families_);
    }
  }

  bool IsToggle(const std::string& name) const {
    return std::any_of(families_.begin(), families_.end(),
                       [&](const Family& family) { return HasToggle(family, name); });
  }

  std::string Value(const std::string& name, const std::optional<std::string>& given) {
    const bool in_next = !given && next_ + 1 < args_.size() && args_[next_ + 1].rfind("--", 0) != 0;
    std::string value = given ? *given : in_next ? args_[++next_] : std::string();
    if (value.empty()) {
      throw UsageError(fmt::format("flag -{} has no value. Expected: one in the next word", name));
    }
    return value;
  }

  const std::vector<std::string>& args_;
  const std::vector<Family>& families_;
  std::set<std::string> value_flags_;  ///< both names of each flag that takes a value
  std::size_t next_ = 0;
  Given given_;
};

/// The word of the family that is equal to `word` but for case and hyphens; null if none is.
const std::string* AliasOf(const Family& family, const std::string& word) {
  static const std::string kNone;
  if (word.empty()) return &kNone;
  for (const std::string& alias : family.aliases.words) {
    if (IsSameFabric(alias, word)) return &alias;
  }
  return nullptr;
}

}  // namespace

ChosenFabric ChooseFabric(const std::string& name, const std::set<std::string>& toggles,
                          const std::vector<Family>& families) {
  for (const Family& family : families) {
    if (family.aliases.choose == nullptr) continue;
    const std::string* alias = AliasOf(family, name);
    if (alias == nullptr) continue;
    FabricAliases::Choice choice = family.aliases.choose(*alias, toggles);
    if (choice.maker != nullptr) return {&family, std::move(choice.name), std::move(choice.maker)};
  }
  const FoundFabric found = FindFabric(families, name);
  return {&found.family, found.fabric.name, found.fabric.make()};
}

ParsedTemplate ParseTemplateFlags(const std::vector<std::string>& args,
                                  const std::vector<Family>& families) {
  const Given given = ArgumentReader(args, families).Read();
  ChosenFabric found = ChooseFabric(given.topology, given.toggles, families);
  ParsedTemplate parsed{
      std::move(found.name), std::move(found.maker), {}, given.output, given.force};
  parsed.maker->Declare(&parsed.flags);
  for (const std::string& toggle : given.toggles) {
    if (!HasToggle(*found.family, toggle)) RefuseFlag(toggle, {*found.family});
  }
  for (const auto& [name, text] : given.values) {
    if (parsed.flags.Find(name) == nullptr) RefuseFlag(name, {*found.family});
    parsed.flags.Set(name, text);
  }
  parsed.maker->Settle(parsed.flags);
  return parsed;
}

std::vector<TemplateFlag> TemplateFlags(const std::vector<Family>& families) {
  std::vector<TemplateFlag> flags;
  std::set<std::string> seen;
  for (const Family& family : families) {
    for (const FabricAliases::Toggle& toggle : family.aliases.toggles) {
      if (seen.insert(toggle.name).second) flags.push_back({"", toggle.name, toggle.help, false});
    }
  }
  for (const Family& family : families) {
    for (const FlagSet::Flag& flag : FlagsOf(family)) {
      if (!seen.insert(flag.about.name).second) continue;
      flags.push_back({flag.about.brief, flag.about.name, flag.about.help});
    }
  }
  return flags;
}

std::vector<std::string> TemplateNames(const std::vector<Family>& families) {
  std::vector<std::string> names;
  for (const Family& family : families) {
    names.insert(names.end(), family.aliases.words.begin(), family.aliases.words.end());
  }
  for (const Family& family : families) {
    for (const NamedFabric& fabric : family.fabrics) names.push_back(fabric.name);
  }
  return names;
}

}  // namespace heddle
