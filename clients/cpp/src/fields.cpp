#include "fields.hpp"

#include <algorithm>
#include <polynya/errors.hpp>

namespace polynya::fields {
namespace {

const Json& require(const Json& message, const char* key, const char* type,
                    bool (*is)(const Json&)) {
  if (message.is_object()) {
    const auto found = message.find(key);
    if (found != message.end() && is(*found)) return *found;
  }
  throw BadMessage("the server's " + printable(kind(message)) + " has no " + type + " under '" +
                   key + "'");
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() ||
         (value.is_number_integer() && value.get<std::int64_t>() >= 0);
}

}  // namespace

std::string kind(const Json& message) {
  if (!message.is_object()) return "value";
  const auto type = message.find("type");
  return type != message.end() && type->is_string() ? type->get<std::string>() : "map";
}

std::string string(const Json& message, const char* key) {
  return require(message, key, "string", [](const Json& v) { return v.is_string(); });
}

bool boolean(const Json& message, const char* key) {
  return require(message, key, "boolean", [](const Json& v) { return v.is_boolean(); });
}

double number(const Json& message, const char* key) {
  return require(message, key, "number", [](const Json& v) { return v.is_number(); });
}

std::uint64_t count(const Json& message, const char* key) {
  return require(message, key, "integer from 0", is_count);
}

std::size_t seat(const Json& message, const char* key) { return count(message, key); }

std::vector<std::size_t> seats(const Json& message, const char* key) {
  const auto are_seats = [](const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_count);
  };
  return require(message, key, "array of seats", are_seats);
}

const Json& map(const Json& message, const char* key) {
  return require(message, key, "map", [](const Json& v) { return v.is_object(); });
}

Steps list(const Json& message, const char* key) {
  return require(message, key, "array", [](const Json& v) { return v.is_array(); });
}

std::vector<std::int64_t> integers(const Json& message, const char* key) {
  const auto are_integers = [](const Json& value) {
    if (!value.is_array()) return false;
    for (const Json& entry : value) {
      if (!entry.is_number_integer()) return false;
    }
    return true;
  };
  return require(message, key, "array of integers", are_integers);
}

}  // namespace polynya::fields
