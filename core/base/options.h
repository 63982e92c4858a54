// SPDX-License-Identifier: GPL-2.0-only
/// Options declared once, beside their model: key, alias of SimAI, type, unit, default, range,
/// source.
///
/// The same record feeds `--set`, SimAI.conf, `heddle options`, docs/options.md, the configuration
/// echo and the result's header. A model has a plain options struct; its Declare(OptionSet&) binds
/// every field.
#ifndef HEDDLE_CORE_BASE_OPTIONS_H_
#define HEDDLE_CORE_BASE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"

namespace heddle {

/// One option as users see it.
struct Option {
  std::string key;        ///< "transport.window"
  std::string simai_key;  ///< "HAS_WIN", or empty
  std::string help;       ///< one sentence, with the unit
  std::string unit;       ///< "ns", "bytes", "" for a switch or a name
  std::string range;      ///< "1..65000", "true or false"
  std::string source;     ///< the paper, section or file that the default comes from
  std::string default_text;
  std::vector<std::string> variables;  ///< environment variables that set it, such as "NCCL_ALGO"
  std::vector<std::string>
      choices;  ///< for switches, names and lists of names: those that there are
  std::function<void(std::string_view)> set;  ///< throws UserError("expected ...") on a bad value
  std::function<std::string()> get;           ///< the value in force, as text
  bool set_by_user = false;
};

/// Why a known key of SimAI's has no effect here; shown by `heddle options` and listed in the echo
/// when it is given.
struct UnusedKey {
  std::string simai_key;
  std::string reason;
};

/// What the keys of one prefix ("dcqcn" of dcqcn.gain) are about; shown by `heddle explain`.
struct OptionGroup {
  std::string prefix;
  std::string title;  ///< a few words
  std::string page;   ///< where the model is described: a file below the repository's root
};

/// All options of a run. Keys are unique; setting an unknown one is an error that names the nearest
/// known key.
class OptionSet {
 public:
  /// What help, unit and origin an option has; the rest follows from the bound variable.
  struct About {
    std::string key, simai_key, help, unit, source;
    std::vector<std::string> variables = {};
  };

  /// Bind a variable; its value now is the default. Ranges are inclusive.
  void Add(const About& about, bool* value);
  void Add(const About& about, std::int64_t* value, std::int64_t low, std::int64_t high);
  void Add(const About& about, double* value, double low, double high);
  /// `bare_unit` is what a number without a unit means ("us"); empty: a unit is required.
  void Add(const About& about, Time* value, Time low, Time high, const std::string& bare_unit);
  /// Rates always carry a unit.
  void Add(const About& about, BitRate* value, BitRate low, BitRate high);
  void Add(const About& about, std::string* value, const std::vector<std::string>& allowed);
  void Add(Option option);
  void AddUnused(UnusedKey key);
  /// Say what the keys of a prefix are about; once a prefix.
  void AddGroup(OptionGroup group);

  /// Set by either name. Throws UserError, prefixed by `where` if given.
  void Set(std::string_view key, std::string_view value, const SourceLine& where = {});
  /// Whether a key (own or SimAI's, used or not) is known.
  bool Knows(std::string_view key) const;

  const std::vector<Option>& options() const { return options_; }
  const std::vector<UnusedKey>& unused_keys() const { return unused_; }
  const std::vector<OptionGroup>& groups() const { return groups_; }
  /// The options that have this name: own, SimAI's or an environment variable's, which may set
  /// several.
  std::vector<const Option*> FindByName(std::string_view name) const;
  /// Keys that the user gave and nothing here uses, in the order given.
  const std::vector<std::string>& given_but_unused() const { return given_but_unused_; }

 private:
  Option* Find(std::string_view key);
  std::string NearestKey(std::string_view key) const;

  std::vector<Option> options_;
  std::vector<UnusedKey> unused_;
  std::vector<OptionGroup> groups_;
  std::vector<std::string> given_but_unused_;
};

/// What stands before the first dot of a key: its group.
std::string PrefixOf(std::string_view key);

}  // namespace heddle

#endif  // HEDDLE_CORE_BASE_OPTIONS_H_
