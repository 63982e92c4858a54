// SPDX-License-Identifier: GPL-2.0-only
/// Makes a fabric from an options struct, and what the shapes of this folder share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "topology/generate/fabric_wish.h"
#include "topology/generate/family.h"
#include "topology/generate/plan_builder.h"
#include "topology/generate/server_options.h"
#include "topology/sizes/even_sizes.h"

namespace heddle {

/// `Options` has Declare(FlagSet*); Settle(name, flags) and Plan(name, flags), called with checked
/// counts and texts; Notes(name); and leaf_ratio(), the ratio that the leaves are to have.
template <class Options>
class ShapeMaker final : public FabricMaker {
 public:
  /// `name`: of the fabric, for messages.
  ShapeMaker(std::string name, Options options)
      : name_(std::move(name)), options_(std::move(options)) {}

  /// Binds the options' flags.
  void Declare(FlagSet* flags) override { options_.Declare(flags); }
  /// Checks all values, then lets the options settle their sizes.
  void Settle(const FlagSet& flags) override {
    flags.CheckCounts(name_);
    flags.CheckTexts(name_);
    options_.Settle(name_, flags);
  }
  /// Checks all values once more, as Settle() may have set some, then makes the plan.
  FabricPlan Plan(const FlagSet& flags) const override {
    flags.CheckCounts(name_);
    flags.CheckTexts(name_);
    return options_.Plan(name_, flags);
  }
  /// Returns the options' notes, which do not depend on the flags.
  std::vector<std::string> Notes(const FlagSet& /*flags*/) const override {
    return options_.Notes(name_);
  }
  /// Names no flags: the ratio is an option itself.
  WantedRatio wanted_ratio() const override { return {options_.leaf_ratio(), ""}; }

 private:
  std::string name_;
  Options options_;
};

/// Returns a fabric of these defaults.
template <class Options>
NamedFabric Shape(const std::string& name, const std::string& summary, const Options& defaults) {
  return {name, summary,
          [name, defaults] { return std::make_unique<ShapeMaker<Options>>(name, defaults); }};
}

/// Returns servers of one GPU without NVSwitches.
ServerOptions SingleGpuServers();

/// Returns the wish as the searches for sizes have it (topology/sizes).
SizeWish SizeWishOf(const FabricWish& wish, const ServerOptions& servers);

/// Binds the servers of a shape of routers with their GPUs: `per_router` is the flag of a router's
/// GPUs, which are a server unless -gps is given.
void DeclareRouters(std::uint32_t* gpus_per_router, ServerOptions* servers, FlagSet* flags,
                    const FlagSet::About& per_router);

/// Returns the servers with their number of GPUs. Throws UserError unless `gpus` are whole servers,
/// and for NVSwitches that would join one GPU; `per_router`: the short flag of a router's GPUs.
ServerOptions ServersOfRouters(const std::string& fabric, ServerOptions servers,
                               std::uint32_t gpus_per_router, double gpus,
                               const std::string& per_router);

/// Binds the rates of cables between switches; `help` says which they are.
void DeclareRates(std::string* rates, const std::string& help, FlagSet* flags);

/// Returns the rates given by -rates: `count` of them, or one for all, or kNoList for `otherwise`.
/// Throws UserError for another number; `parts` names what they belong to: "levels above the
/// first".
std::vector<std::string> RatesOf(const std::string& fabric, const std::string& rates,
                                 std::size_t count, const std::string& parts,
                                 const std::string& otherwise);

/// Throws UserError for NVSwitches that would join one GPU; `per_server`: the short flag of
/// gpus_per_server.
void CheckNvSwitches(const std::string& fabric, const ServerOptions& servers,
                     const std::string& per_server);

/// Links every GPU to its NVSwitches and to the switch number `gpu / gpus_per_switch`.
void AddServersInOrder(std::uint32_t gpus_per_switch, PlanBuilder* builder);

}  // namespace heddle
