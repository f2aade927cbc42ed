#include "remarks.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "strict.hpp"

namespace polynya {
namespace {

constexpr std::size_t max_info_bytes = 1024;
constexpr int max_nesting = 15;  // the message itself is one more

std::string wrong_with(const Json& value, int levels) {
  if (value.is_binary() || value.is_discarded()) return "it holds what is no JSON";
  if (value.is_string() && !is_utf8(value.get_ref<const std::string&>())) {
    return "it holds text that is no UTF-8";
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    return "it holds a number that is not finite";
  }
  if (!value.is_structured()) return "";
  if (levels == 0) return "it is nested too deep";
  for (const auto& item : value.items()) {
    if (value.is_object() && !is_utf8(item.key())) return "it has a key that is no UTF-8";
    if (std::string wrong = wrong_with(item.value(), levels - 1); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string unsendable(const Json& info) {
  if (!info.is_object()) return "it is no object";
  if (std::string wrong = wrong_with(info, max_nesting); !wrong.empty()) return wrong;
  const std::size_t size = Json::to_msgpack(info).size();
  if (size <= max_info_bytes) return "";
  return "it has " + std::to_string(size) + " bytes, over the limit of 1,024";
}

}  // namespace polynya
