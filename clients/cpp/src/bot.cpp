#include <polynya/bot.hpp>
#include <utility>

namespace polynya {
namespace {

// A function as a bot.
class FunctionBot : public Bot {
 public:
  explicit FunctionBot(Choose choose) : choose_(std::move(choose)) {}
  Steps turn(Turn& turn) override { return choose_(turn); }

 private:
  Choose choose_;
};

}  // namespace

void Bot::match_start(Match&) {}

void Bot::ponder(Match&, const Cancellation&) {}

void Bot::moved(Match&, const Moved&) {}

void Bot::forfeited(Match&, const Forfeited&) {}

void Bot::match_over(Match&, const MatchOver&) {}

void Bot::connected(const std::string&) {}

void Bot::disconnected(const std::string&) {}

std::unique_ptr<Bot> make_bot(Choose choose) {
  return std::make_unique<FunctionBot>(std::move(choose));
}

}  // namespace polynya
