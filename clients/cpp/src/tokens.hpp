// Where a bot's token is kept from one start to the next: a file that only its owner may read.

#pragma once

#include <filesystem>
#include <polynya/settings.hpp>
#include <string>

#include "addresses.hpp"

namespace polynya {

// The file that POLYNYA_TOKEN_FILE names, or one for a server and name in the user's state folder.
std::filesystem::path token_path(const Address& server, const std::string& bot,
                                 const Environment& environment);

// The token in a file, empty if there is none yet. Throws BadSettings if it cannot be read.
std::string read_token(const std::filesystem::path& path);

// Keep a token, whole or not at all; whether it could be written.
bool keep_token(const std::filesystem::path& path, const std::string& token);

// A text that is ours alone: a bot without a token, whose welcome was lost, proves with it that the
// name is its own.
std::string new_registration();

}  // namespace polynya
