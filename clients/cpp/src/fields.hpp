// Looking up what a message must hold. All throw BadMessage if the value is absent or of another
// type.

#pragma once

#include <cstdint>
#include <optional>
#include <polynya/events.hpp>
#include <string>
#include <vector>

namespace polynya::fields {

std::string kind(const Json& message);
std::string string(const Json& message, const char* key);
bool boolean(const Json& message, const char* key);
double number(const Json& message, const char* key);
std::uint64_t count(const Json& message, const char* key);
std::size_t seat(const Json& message, const char* key);
std::vector<std::size_t> seats(const Json& message, const char* key);
const Json& map(const Json& message, const char* key);
Steps list(const Json& message, const char* key);
std::vector<std::int64_t> integers(const Json& message, const char* key);

// What read makes of this map if the key is there and not nil.
template <typename Read>
auto optional(const Json& message, const char* key, Read read)
    -> std::optional<decltype(read(message, key))> {
  const auto found = message.find(key);
  if (found == message.end() || found->is_null()) return {};
  return read(message, key);
}

}  // namespace polynya::fields
