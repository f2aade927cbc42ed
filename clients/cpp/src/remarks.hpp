// Remarks never cost a match: what cannot be sent as a whole is left out, and the move is sent.

#pragma once

#include <polynya/events.hpp>
#include <string>

namespace polynya {

// What is wrong with remarks, in a sentence; empty if they can be sent.
std::string unsendable(const Json& info);

}  // namespace polynya
