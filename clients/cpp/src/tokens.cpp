#include "tokens.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <polynya/errors.hpp>
#include <random>
#include <string_view>
#include <system_error>

namespace polynya {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view safe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

}  // namespace

fs::path token_path(const Address& server, const std::string& bot,
                    const Environment& environment) {
  if (std::string given = environment("POLYNYA_TOKEN_FILE"); !given.empty()) return given;
  fs::path state = environment("XDG_STATE_HOME");
  if (state.empty()) state = fs::path(environment("HOME")) / ".local" / "state";
  std::string name = server.host + "_" + std::to_string(server.port) + "_" + bot;
  const auto is_unsafe = [](char letter) { return safe.find(letter) == std::string_view::npos; };
  std::replace_if(name.begin(), name.end(), is_unsafe, '_');
  return state / "polynya" / "tokens" / name;
}

std::string read_token(const fs::path& path) {
  if (!fs::exists(path)) return "";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw BadSettings("the token in " + path.string() + " cannot be read");
  constexpr std::string_view around = " \t\r\n\xef\xbb\xbf";  // with a byte order mark
  const std::size_t first = text.find_first_not_of(around);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(around) - first + 1);
}

bool keep_token(const fs::path& path, const std::string& token) {
  std::error_code failure;
  if (path.has_parent_path()) {
    if (fs::create_directories(path.parent_path(), failure)) {
      fs::permissions(path.parent_path(), fs::perms::owner_all, failure);
    }
  }
  const fs::path unfinished = path.string() + "." + new_registration();
  std::ofstream file(unfinished);
  fs::permissions(unfinished, fs::perms::owner_read | fs::perms::owner_write, failure);
  if (failure) return false;
  file << token << "\n";
  file.close();
  if (!file) return false;
  fs::rename(unfinished, path, failure);
  return !failure;
}

std::string new_registration() {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr int length = 32;
  std::random_device random;
  std::string text;
  for (int i = 0; i < length; ++i) text += digits[random() % digits.size()];
  return text;
}

}  // namespace polynya
