// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/scale_up/scale_up_options.h"

#include "core/options/options.h"

namespace heddle {

void ScaleUpOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"scale_up", "links of scale-up fabrics (NVLink, tori)", "docs/models/scale-up.md"});
  options->Add({"scale_up.credits", "",
                "packets leave only when the far end has a buffer for them; false: buffers without "
                "limit",
                "", "heddle"},
               &credits);
  options->Add(
      {"scale_up.congestion", "",
       "a link carries one packet after the other; false: messages do not meet, each takes "
       "its time on a link and the delays of its way",
       "", "ASTRA-sim 2: congestion aware and unaware"},
      &congestion);
  options->Add({"scale_up.trains", "",
                "packets of a message that nothing can part are simulated as one event, with the "
                "same times; false: each by itself",
                "", "heddle"},
               &trains);
}

}  // namespace heddle
