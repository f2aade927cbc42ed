// One msgpack value, read without the liberties that the library takes: in this protocol there is
// no bin and no ext, keys are distinct, text is UTF-8, and nesting is bounded.

#pragma once

#include <polynya/events.hpp>
#include <string>
#include <string_view>

namespace polynya {

// The value that is all of the payload. Throws BadFrame.
Json decode_strictly(std::string_view payload);

// Whether bytes are UTF-8, without surrogates and without longer forms than needed.
bool is_utf8(std::string_view text);

}  // namespace polynya
