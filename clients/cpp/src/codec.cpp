#include "codec.hpp"

#include <cstdint>
#include <limits>
#include <polynya/errors.hpp>

#include "strict.hpp"

namespace polynya {
namespace {

constexpr std::size_t length_bytes = 4;

void check_length(std::size_t length, std::size_t max_frame) {
  if (length == 0) throw BadFrame("malformed", "a frame has at least one byte");
  if (length > max_frame || length > std::numeric_limits<std::uint32_t>::max()) {
    throw BadFrame("too_large", "a frame of " + std::to_string(length) + " bytes, at most " +
                                    std::to_string(max_frame) + " are allowed");
  }
}

// Refuse what the library would send and the protocol does not have.
void check_sendable(const Json& value) {
  if (value.is_binary()) throw BadFrame("malformed", "a message has no binary values");
  if (value.is_string() && !is_utf8(value.get_ref<const std::string&>())) {
    throw BadFrame("malformed", "text in a message is UTF-8");
  }
  if (value.is_structured()) {
    for (const Json& child : value) check_sendable(child);
  }
}

}  // namespace

std::string encode(const Json& message, std::size_t max_frame) {
  check_sendable(message);
  std::string frame(length_bytes, '\0');
  Json::to_msgpack(message, frame);
  const std::size_t length = frame.size() - length_bytes;
  check_length(length, max_frame);
  for (std::size_t i = 0; i < length_bytes; ++i) {
    frame[i] = static_cast<char>(length >> 8 * (length_bytes - 1 - i) & 0xff);
  }
  return frame;
}

Json decode(std::string_view payload) {
  Json message = decode_strictly(payload);
  if (!message.is_object()) throw BadFrame("malformed", "a frame holds a map");
  const auto type = message.find("type");
  if (type == message.end() || !type->is_string()) {
    throw BadFrame("malformed", "the message has no type");
  }
  return message;
}

void FrameBuffer::add(std::string_view data) {
  bytes_.erase(0, taken_);
  taken_ = 0;
  bytes_ += data;
}

std::optional<std::string_view> FrameBuffer::take() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (rest.size() < length_bytes) return {};
  std::size_t length = 0;
  for (const char byte : rest.substr(0, length_bytes)) {
    length = length << 8 | static_cast<unsigned char>(byte);
  }
  check_length(length, max_frame_);
  if (rest.size() < length_bytes + length) return {};
  taken_ += length_bytes + length;
  return rest.substr(length_bytes, length);
}

}  // namespace polynya
