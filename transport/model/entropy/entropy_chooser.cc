// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/entropy_chooser.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "core/options/enum_words.h"

namespace heddle {
namespace {

template <std::size_t I = 0>
EntropySchemes Make(const EntropyOptions& options) {
  if constexpr (I < std::variant_size_v<EntropySchemes>) {
    using Scheme = std::variant_alternative_t<I, EntropySchemes>;
    if (options.scheme == Scheme::kScheme) return EntropySchemes(std::in_place_index<I>, options);
    return Make<I + 1>(options);
  } else {
    throw UserError(std::string("scheme of entropies '") + ToText(options.scheme) +
                    "' does not exist");
  }
}

}  // namespace

EntropyChooser::EntropyChooser(const EntropyOptions& options)
    : scheme_(Make(options)), sprays_(!std::holds_alternative<FlowEntropy>(scheme_)) {
  name_ = ToText(options.scheme);
}

void EntropyChooser::Start(EntropyState* state, std::uint64_t seed, FlowId flow,
                           std::uint16_t first, Time base_rtt) const {
  HEDDLE_EXPECT(EntropyStart::IsRtt(base_rtt));
  std::visit(
      [&](const auto& scheme) {
        using Scheme = std::decay_t<decltype(scheme)>;
        scheme.Start(&state->Become<Scheme>(), EntropyStart{seed, flow, first, base_rtt});
      },
      scheme_);
}

std::uint16_t EntropyChooser::Choose(EntropyState* state, Time now) const {
  return std::visit(
      [&](const auto& scheme) {
        return scheme.Next(&state->As<std::decay_t<decltype(scheme)>>(), now);
      },
      scheme_);
}

void EntropyChooser::Learn(EntropyState* state, std::uint16_t entropy, PathFeedback feedback,
                           Time now) const {
  std::visit(
      [&](const auto& scheme) {
        scheme.Heard(&state->As<std::decay_t<decltype(scheme)>>(), entropy, feedback, now);
      },
      scheme_);
}

void EntropyChooser::Idle(EntropyState* state, Time now) const {
  if (const auto* plb = std::get_if<PlbEntropy>(&scheme_)) plb->Idle(&state->As<PlbEntropy>(), now);
}

bool EntropyChooser::ProbeDue(EntropyState* state, Time now, std::uint16_t* entropy) const {
  const auto* mrc = std::get_if<MrcEntropy>(&scheme_);
  return mrc != nullptr && mrc->ProbeDue(&state->As<MrcEntropy>(), now, entropy);
}

Time EntropyChooser::NextProbe(const EntropyState& state) const {
  const auto* mrc = std::get_if<MrcEntropy>(&scheme_);
  return mrc != nullptr ? mrc->NextProbe(state.As<MrcEntropy>()) : Time::Max();
}

void EntropyChooser::Probed(EntropyState* state, std::uint16_t entropy, bool arrived,
                            Time /*now*/) const {
  if (const auto* mrc = std::get_if<MrcEntropy>(&scheme_))
    mrc->Probed(&state->As<MrcEntropy>(), entropy, arrived);
}

void EntropyChooser::Check(const EntropyState& state) const {
  std::visit(
      [&state](const auto& scheme) {
        using Scheme = std::decay_t<decltype(scheme)>;
        ExpectState(state.Is<Scheme>(), "entropies of another scheme");
        ExpectState(scheme.IsSound(state.As<Scheme>()), "entropies that no queue pair can have");
      },
      scheme_);
}

}  // namespace heddle
