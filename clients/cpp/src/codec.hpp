// Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys.
//
// The length is checked before anything is decoded, and a frame is decoded once and as a whole.

#pragma once

#include <cstddef>
#include <optional>
#include <polynya/events.hpp>
#include <string>
#include <string_view>

namespace polynya {

// What a server takes until its welcome says otherwise, in bytes.
constexpr std::size_t default_max_frame = 64 * 1024;
// The largest frame that servers send, in bytes.
constexpr std::size_t server_max_frame = 1024 * 1024;

// The frame of a message, its length in front. Throws BadFrame if the message is larger than
// max_frame bytes, or has text that is not UTF-8, or binary values.
std::string encode(const Json& message, std::size_t max_frame = default_max_frame);

// The message in a frame's payload (what follows the length). Throws BadFrame unless it is exactly
// one map with string keys, none of them twice, without bin and ext, at most 16 levels deep, with a
// string under "type".
Json decode(std::string_view payload);

// Bytes as they arrive in, payloads of whole frames out.
class FrameBuffer {
 public:
  explicit FrameBuffer(std::size_t max_frame = server_max_frame) : max_frame_(max_frame) {}

  // Append what has arrived.
  void add(std::string_view data);

  // The payload of the next frame, valid until the next call; nothing while it is not all there.
  // Throws BadFrame if the length is 0 or above the bound; nothing can be read after that.
  std::optional<std::string_view> take();

 private:
  std::size_t max_frame_;
  std::size_t taken_ = 0;
  std::string bytes_;
};

}  // namespace polynya
