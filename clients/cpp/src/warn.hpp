// Tells the bot's author, on standard error, what does not end the bot.

#pragma once

#include <string>

namespace polynya {

void warn(const std::string& text);

}  // namespace polynya
