// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/tree_steps.h"

namespace heddle {

std::uint32_t TreeSteps::After(std::uint32_t received, std::uint32_t* begin) const {
  const bool goes_up = !is_root() && received == children();
  *begin = goes_up ? 0 : 1;
  if (goes_up) return 1;
  return received == messages() ? children() : 0;
}

std::uint32_t TreeSteps::PeerOf(std::uint32_t number) const {
  if (number == 0) return tree_.Parent(member_);
  return number <= children() ? tree_.Child(member_, number - 1) : DoubleBinaryTree::kNone;
}

}  // namespace heddle
