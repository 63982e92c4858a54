// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/launch.h"

#include <cstdlib>
#include <utility>

namespace heddle {

std::optional<std::string> LaunchedRank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return std::nullopt;
}

QuickLoneStart::QuickLoneStart() {
  if (LaunchedRank()) return;
  constexpr std::pair<const char*, const char*> kParameters[] = {
      {"OMPI_MCA_ess_singleton_isolated", "1"},  // no daemon
      // No folder in TMPDIR: it would have the same name for all of a user's lone processes, and
      // the first that ends removes it, even while another creates it.
      {"OMPI_MCA_orte_create_session_dirs", "0"},
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_btl", "self"},
  };
  for (const auto& [name, value] : kParameters) {
    if (std::getenv(name) != nullptr) continue;
    setenv(name, value, 0);
    set_.push_back(name);
  }
}

QuickLoneStart::~QuickLoneStart() {
  for (const char* name : set_) unsetenv(name);
}

}  // namespace heddle
