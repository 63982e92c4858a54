// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/hardware/hardware_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr const char* kAutoWord = "auto";

double ParseFigure(const FigureRow& row, std::string_view text) {
  const std::string word(text);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !(value >= row.low && value <= row.high))
    throw UserError(fmt::format("expected auto, or a number from {:g} to {:g}", row.low, row.high));
  return value;
}

}  // namespace

HardwareOptions::HardwareOptions() {
  given_.fill(kAuto);
  Settle();
}

void HardwareOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"gpu", "what NCCL's kernels need on a generation of GPUs", "docs/models/hardware.md"});
  std::vector<std::string> words = NicKindWords();
  words.insert(words.begin(), kAutoWord);
  options->Add({"nic.kind", "",
                "kind of NICs, whose latencies collective.latency=hardware takes; auto: ib for a "
                "fabric read from InfiniBand's files, else roce",
                "", "heddle"},
               &nic_word_, words);
  for (std::size_t i = 0; i < kFigures; ++i) {
    const FigureRow& row = FigureRows()[i];
    Option option;
    option.key = row.key;
    option.help = fmt::format("{}, with collective.latency=hardware; auto: by {}", row.help,
                              i < kGpuFigures ? "generation of GPUs" : "nic.kind");
    option.unit = row.unit;
    option.range = fmt::format("auto, or {:g}..{:g}", row.low, row.high);
    option.source = "docs/models/hardware.md";
    option.set = [this, i](std::string_view text) {
      given_[i] = text == kAutoWord ? kAuto : ParseFigure(FigureRows()[i], text);
      Settle();
    };
    option.get = [this, i] {
      return given_[i] == kAuto ? std::string(kAutoWord) : fmt::format("{:g}", given_[i]);
    };
    options->Add(std::move(option));
  }
}

void HardwareOptions::FitTo(const FabricHardware& fabric) {
  fabric_ = fabric;
  why_nic_ = nic_word_ != kAutoWord ? "nic.kind"
             : fabric.infiniband    ? "read from InfiniBand's files"
                                    : "by default, nic.kind";
  Settle();
}

void HardwareOptions::Settle() {
  nic_kind_ = nic_word_ != kAutoWord ? ParseNicKind(nic_word_)
              : fabric_.infiniband   ? NicKind::kInfiniBand
                                     : NicKind::kRoce;
  figures_ = FiguresOf(GenerationOf(fabric_.gpu_type), nic_kind_);
  figures_.nvlinks = fabric_.nvlinks;
  figures_.nics = fabric_.nics;
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (given_[i] != kAuto) figures_.values[i] = given_[i];
  }
}

std::string HardwareOptions::Describe() const {
  std::string set;
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (given_[i] != kAuto) set += fmt::format(", {}={:g}", FigureRows()[i].key, given_[i]);
  }
  return fmt::format("{} ({}), NICs {} ({}){}", fabric_.gpu_type,
                     ToText(GenerationOf(fabric_.gpu_type)), ToText(nic_kind_), why_nic_, set);
}

}  // namespace heddle
