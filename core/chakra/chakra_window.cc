// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_window.h"

#include "core/options/options.h"

namespace heddle {

void ChakraWindow::Declare(OptionSet* options) {
  options->Add({"chakra.window", "",
                "of a trace with more nodes a process holds so many; the others are in a file "
                "without a name in TMPDIR. 0: it holds all",
                "nodes", ""},
               &nodes, 0, std::int64_t{1} << 40);
}

}  // namespace heddle
