// SPDX-License-Identifier: GPL-2.0-only
/// A law of requests as a command line has it:
/// "poisson,rate=10,count=1000,input=1024,output=uniform:64-256".
#pragma once

#include <string>

#include "core/serving/model/request_law.h"

namespace heddle {

/// Whether a text begins with the name of a law and a comma; else it is a file.
bool IsRequestLaw(const std::string& text);

/// Returns the text of a law with another rate [1/s].
std::string WithRate(const std::string& text, double rate);

/// Parses a law: rate [1/s], shape (of gamma), count, input and output; a length is N, uniform:A-B
/// or exponential:MEAN. Throws UserError that names the key.
RequestLaw ParseRequestLaw(const std::string& text);

}  // namespace heddle
