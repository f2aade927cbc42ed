// The C interface of the C++ SDK: no exception leaves it, and texts are JSON.

#include <polynya.h>

#include <algorithm>
#include <any>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <polynya/client.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using polynya::Cancellation;
using polynya::Json;
using polynya::Match;
using polynya::Steps;
using polynya::Turn;

namespace {

thread_local std::string last_error;

// A result that a function of the bot has given, and is not POLYNYA_OK.
class BotFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

int failed(int result, const char* sentence) {
  last_error = sentence;
  return result;
}

// What doing this comes to; an exception becomes an error.
template <typename Action>
int guarded(Action action) {
  try {
    action();
    last_error.clear();
    return POLYNYA_OK;
  } catch (const polynya::TurnLost& lost) {
    return failed(POLYNYA_TURN_LOST, lost.what());
  } catch (const std::exception& error) {
    return failed(POLYNYA_FAILED, error.what());
  } catch (...) {
    return failed(POLYNYA_FAILED, "an exception that is none of the standard library's");
  }
}

std::chrono::milliseconds in_ms(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

}  // namespace

struct polynya_cancellation {
  Cancellation cancellation;
};

struct polynya_match {
  Match* match = nullptr;  // of the event being told
  void* memory = nullptr;
  std::string message;
};

struct polynya_turn {
  Turn& turn;
  polynya_match* match;
  polynya_cancellation cancellation{turn.cancellation()};
  Steps chosen = {};
  std::optional<Steps> choices = {};  // nothing until they are asked for
  bool over = false;
  std::string message = {};
  std::string state = {};
  std::string choice = {};
};

namespace {

// The match as C knows it: it is kept in the match's memory.
polynya_match* known(Match& match) {
  if (!match.memory.has_value()) match.memory = polynya_match();
  auto* known = std::any_cast<polynya_match>(&match.memory);
  known->match = &match;
  return known;
}

const Steps& choices(polynya_turn& turn) {
  if (!turn.choices) turn.choices = turn.turn.legal();
  return *turn.choices;
}

// What a function of the bot has given. Throws if it was not POLYNYA_OK.
void check(int result) {
  if (result == POLYNYA_OK) return;
  const std::string why = last_error.empty() ? "the bot's function gave " + std::to_string(result)
                                             : last_error;
  if (result == POLYNYA_TURN_LOST) throw polynya::TurnLost(why);
  throw BotFailed(why);
}

class CBot : public polynya::Bot {
 public:
  explicit CBot(const polynya_bot& bot) { std::memcpy(&bot_, &bot, bot.size); }

  Steps turn(Turn& turn) override {
    polynya_turn asked{turn, known(turn.match)};
    last_error.clear();
    check(bot_.turn(bot_.user, &asked));
    return asked.chosen;
  }

  void match_start(Match& match) override { call(bot_.match_start, known(match)); }

  void ponder(Match& match, const Cancellation& until) override {
    const polynya_cancellation cancellation{until};
    call(bot_.ponder, known(match), &cancellation);
  }

  void moved(Match& match, const polynya::Moved& moved) override {
    call(bot_.moved, known(match), moved.message.dump().c_str());
  }

  void forfeited(Match& match, const polynya::Forfeited& forfeited) override {
    call(bot_.forfeited, known(match), forfeited.message.dump().c_str());
  }

  void match_over(Match& match, const polynya::MatchOver& over) override {
    call(bot_.match_over, known(match), over.message.dump().c_str());
  }

  void connected(const std::string& name) override { call(bot_.connected, name.c_str()); }

  void disconnected(const std::string& reason) override {
    call(bot_.disconnected, reason.c_str());
  }

 private:
  template <typename Function, typename... Arguments>
  void call(Function function, Arguments... arguments) {
    last_error.clear();
    if (function != nullptr) check(function(bot_.user, arguments...));
  }

  polynya_bot bot_ = {};  // members that the program's version does not have stay empty
};

// The size of polynya_bot in the first version of this library.
constexpr std::size_t first_bot_size = offsetof(polynya_bot, connected);

std::vector<std::string> split(const char* text) {
  std::vector<std::string> items;
  std::istringstream rest(text);
  for (std::string item; std::getline(rest, item, ',');) {
    const std::size_t first = item.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    items.push_back(item.substr(first, item.find_last_not_of(' ') - first + 1));
  }
  return items;
}

polynya::Settings read(const polynya_settings& given) {
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  polynya::Settings settings;
  settings.name = text(given.name);
  if (given.games != nullptr) settings.games = split(given.games);
  if (given.wants != nullptr) settings.wants = split(given.wants);
  settings.concurrency = given.concurrency;
  if (given.host != nullptr) settings.host = given.host;
  settings.port = given.port;
  settings.token = text(given.token);
  if (given.software_name != nullptr) settings.software["name"] = given.software_name;
  if (given.software_version != nullptr) settings.software["version"] = given.software_version;
  settings.tls = given.tls != 0;
  settings.ca_file = text(given.ca_file);
  settings.log = text(given.log);
  settings.reconnect = in_ms(std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(given.reconnect_s)));
  return settings;
}

// The exit code of playing; a bot without a turn, or structs of an unknown size, end it at once.
template <typename Play>
int run(const polynya_bot* bot, const polynya_settings* settings, Play play) {
  int code = 1;
  const int result = guarded([&] {
    if (bot == nullptr || settings == nullptr || bot->size < first_bot_size ||
        bot->size > sizeof *bot || settings->size != sizeof *settings || bot->turn == nullptr) {
      throw std::invalid_argument(
          "fill the structs with polynya_bot_init and polynya_settings_init, and set turn");
    }
    code = play(read(*settings));
  });
  if (result != POLYNYA_OK) std::fprintf(stderr, "polynya_client: %s\n", last_error.c_str());
  return code;
}

}  // namespace

// In parentheses: the header's macro of this name is for programs in C.
void(polynya_bot_init)(polynya_bot* bot) { polynya_bot_init_sized(bot, first_bot_size); }

void polynya_bot_init_sized(polynya_bot* bot, size_t size) {
  std::memset(bot, 0, size);
  bot->size = size;
}

void polynya_settings_init(polynya_settings* settings) {
  *settings = {};
  settings->size = sizeof *settings;
  settings->wants = "state,legal";
  settings->concurrency = 1;
  settings->reconnect_s = 60;
}

int polynya_run(const polynya_bot* bot, const polynya_settings* settings) {
  return run(bot, settings, [&](const polynya::Settings& read) {
    CBot own(*bot);
    return polynya::run(own, read);
  });
}

int polynya_run_each(const polynya_bot* bot, const polynya_settings* settings) {
  return run(bot, settings, [&](const polynya::Settings& read) {
    return polynya::run_each([&] { return std::make_unique<CBot>(*bot); }, read);
  });
}

const char* polynya_error(void) { return last_error.c_str(); }

const char* polynya_match_id(const polynya_match* match) { return match->match->id.c_str(); }

const char* polynya_match_game(const polynya_match* match) { return match->match->game.c_str(); }

size_t polynya_match_seat(const polynya_match* match) { return match->match->seat; }

size_t polynya_match_players(const polynya_match* match) { return match->match->players.size(); }

int polynya_match_is_view(const polynya_match* match) { return match->match->is_view; }

int polynya_match_is_joint(const polynya_match* match) { return match->match->is_joint; }

int polynya_match_is_acting(const polynya_match* match, size_t seat) {
  const auto& acting = match->match->acting;
  return acting && std::find(acting->begin(), acting->end(), seat) != acting->end();
}

const char* polynya_match_message(polynya_match* match) {
  if (match->message.empty()) match->message = match->match->message.dump();
  return match->message.c_str();
}

void polynya_match_set_memory(polynya_match* match, void* memory) { match->memory = memory; }

void* polynya_match_memory(const polynya_match* match) { return match->memory; }

int polynya_match_resign(polynya_match* match) {
  return guarded([&] { match->match->resign(); });
}

polynya_match* polynya_turn_match(polynya_turn* turn) { return turn->match; }

uint64_t polynya_turn_number(const polynya_turn* turn) { return turn->turn.number; }

const char* polynya_turn_message(polynya_turn* turn) {
  if (turn->message.empty()) turn->message = turn->turn.message.dump();
  return turn->message.c_str();
}

const char* polynya_turn_state(polynya_turn* turn) {
  const int result = guarded([&] {
    if (turn->state.empty()) turn->state = turn->turn.state().dump();
  });
  return result == POLYNYA_OK ? turn->state.c_str() : nullptr;
}

size_t polynya_turn_choices(polynya_turn* turn) {
  size_t count = 0;
  guarded([&] { count = choices(*turn).size(); });
  return count;
}

const char* polynya_turn_choice(polynya_turn* turn, size_t index) {
  const int result = guarded([&] { turn->choice = choices(*turn).at(index).dump(); });
  return result == POLYNYA_OK ? turn->choice.c_str() : nullptr;
}

int polynya_turn_choose(polynya_turn* turn, size_t index) {
  return guarded([&] {
    turn->chosen.push_back(choices(*turn).at(index));
    polynya::Legal next = turn->turn.legal_after(turn->chosen);
    turn->choices = std::move(next.steps);
    turn->over = next.turn_over;
  });
}

int polynya_turn_is_over(const polynya_turn* turn) { return turn->over; }

int polynya_turn_play(polynya_turn* turn, const char* steps) {
  return guarded([&] {
    const Json read = Json::parse(steps);
    if (!read.is_array()) throw std::invalid_argument("steps are a JSON array of arrays");
    turn->chosen = read.get<Steps>();
    turn->over = true;
  });
}

int polynya_turn_info(polynya_turn* turn, const char* remarks) {
  return guarded([&] {
    Json read = Json::parse(remarks);
    if (!read.is_object()) throw std::invalid_argument("remarks are a JSON object");
    turn->turn.info = std::move(read);
  });
}

int64_t polynya_turn_time_left_ms(const polynya_turn* turn) {
  return in_ms(turn->turn.time_left()).count();
}

int64_t polynya_turn_think_ms(const polynya_turn* turn, int turns_left, int margin_ms) {
  const auto until = turn->turn.think_until(turns_left, std::chrono::milliseconds(margin_ms));
  const auto time = in_ms(until - std::chrono::steady_clock::now());
  return time.count() < 0 ? 0 : time.count();
}

const polynya_cancellation* polynya_turn_cancellation(const polynya_turn* turn) {
  return &turn->cancellation;
}

int polynya_is_cancelled(const polynya_cancellation* cancellation) {
  return cancellation->cancellation.is_cancelled();
}
