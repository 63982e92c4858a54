// SPDX-License-Identifier: GPL-2.0-only
/// Permission to replay: a mechanism may be replayed only if its options say so.
///
/// A struct of options has either
///
///   static constexpr bool kMayBeReplayed = true;  // and why, in a comment
///   std::string WhyNoReplay() const;              // a reason for a run with these values; or
///   empty
///
/// A struct with neither switches off replays in all runs, and the reason names it: nobody has
/// thought yet about what an island's episodes would have to know of it (docs/extending.md, recipe
/// (n)).
#pragma once

#include <string>
#include <type_traits>
#include <utility>

namespace heddle {

/// Asks structs of options, one after another. The first reason counts.
class ReplayPermission {
 public:
  /// Returns why nothing can be replayed; empty if all that were asked permit it.
  const std::string& reason() const { return reason_; }

  /// Asks one struct of options; `name` is that of its group, for the reason.
  template <class Options>
  void Group(const char* name, const Options& options) {
    if (!reason_.empty()) return;
    if constexpr (HasReason<Options>::value) {
      reason_ = options.WhyNoReplay();
    } else if constexpr (!IsPermitted<Options>::value) {
      reason_ = std::string("the options ") + name + " do not say that they may be replayed";
    }
  }
  /// Takes members of options that the caller judges himself; asks nothing.
  template <class... Member>
  void Plain(const Member&... /*members*/) {}

 private:
  template <class Options, class = void>
  struct HasReason : std::false_type {};
  template <class Options>
  struct HasReason<Options, std::void_t<decltype(std::declval<const Options&>().WhyNoReplay())>>
      : std::true_type {};
  template <class Options, class = void>
  struct IsPermitted : std::false_type {};
  template <class Options>
  struct IsPermitted<Options, std::enable_if_t<Options::kMayBeReplayed>> : std::true_type {};

  std::string reason_;
};

}  // namespace heddle
