#include "strict.hpp"

#include <cstdint>
#include <polynya/errors.hpp>
#include <vector>

namespace polynya {
namespace {

// Maps and arrays inside each other, the message itself included.
constexpr std::size_t max_nesting = 16;

// Builds a value from the library's events; false, the first time something is wrong, ends it.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  Json value;
  std::string wrong;

  bool null() override { return put(nullptr); }
  bool boolean(bool flag) override { return put(flag); }
  bool number_integer(std::int64_t number) override { return put(number); }
  bool number_unsigned(std::uint64_t number) override { return put(number); }
  bool number_float(double number, const std::string&) override { return put(number); }
  bool binary(Json::binary_t&) override { return refuse("bin and ext are not used"); }

  bool string(std::string& text) override {
    return is_utf8(text) ? put(std::move(text)) : refuse("a string is not UTF-8");
  }

  bool key(std::string& text) override {
    if (!is_utf8(text)) return refuse("a key is not UTF-8");
    const auto [place, is_new] = open_.back()->emplace(std::move(text), nullptr);
    slot_ = &*place;
    return is_new || refuse("a key occurs twice in a map");
  }

  bool start_object(std::size_t) override { return enter(Json::object()); }
  bool start_array(std::size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    return refuse(error.what());
  }

 private:
  bool refuse(const char* reason) {
    if (wrong.empty()) wrong = reason;
    return false;
  }

  bool put(Json child) {
    place(std::move(child));
    return true;
  }

  bool enter(Json container) {
    if (open_.size() == max_nesting) return refuse("maps and arrays are nested too deep");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  // Put a child where it belongs: at the end of the array, under the map's last key, or on top. The
  // places of open containers stay valid, since nothing is added beside one before it is closed.
  Json* place(Json child) {
    if (open_.empty()) return &(value = std::move(child));
    if (open_.back()->is_object()) return &(*slot_ = std::move(child));
    return &open_.back()->emplace_back(std::move(child));
  }

  std::vector<Json*> open_;
  Json* slot_ = nullptr;
};

// How many bytes follow the first one of a character, and the bounds of the first of these.
struct Continuation {
  int count;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
};

Continuation continuation(unsigned char first) {
  if (first < 0x80) return {0};
  if (first >= 0xc2 && first <= 0xdf) return {1};
  if (first == 0xe0) return {2, 0xa0};
  if (first == 0xed) return {2, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {2};
  if (first == 0xf0) return {3, 0x90};
  if (first >= 0xf1 && first <= 0xf3) return {3};
  if (first == 0xf4) return {3, 0x80, 0x8f};
  return {-1};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    auto [count, low, high] = continuation(static_cast<unsigned char>(text[at++]));
    if (count < 0) return false;
    for (; count > 0; --count, low = 0x80, high = 0xbf) {
      if (at == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[at++]);
      if (byte < low || byte > high) return false;
    }
  }
  return true;
}

Json decode_strictly(std::string_view payload) {
  StrictBuilder builder;
  if (!Json::sax_parse(payload, &builder, Json::input_format_t::msgpack)) {
    throw BadFrame("malformed", "not one msgpack map: " + builder.wrong);
  }
  return std::move(builder.value);
}

}  // namespace polynya
