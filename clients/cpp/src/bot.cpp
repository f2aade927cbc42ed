#include <polynya/bot.hpp>

namespace polynya {

void Bot::match_start(Match&) {}

void Bot::moved(Match&, const Moved&) {}

void Bot::forfeited(Match&, const Forfeited&) {}

void Bot::match_over(Match&, const MatchOver&) {}

}  // namespace polynya
