#include <iostream>
#include <polynya/errors.hpp>

#include "warn.hpp"

namespace polynya {

std::string printable(std::string_view text) {
  constexpr std::size_t limit = 500;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string clean;
  for (const char character : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      clean += character;
    } else {
      clean += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return clean;
}

void warn(const std::string& text) { std::cerr << "polynya_client: " + text + "\n"; }

}  // namespace polynya
