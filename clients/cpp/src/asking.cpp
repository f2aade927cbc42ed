#include "asking.hpp"

#include <polynya/errors.hpp>
#include <utility>

#include "fields.hpp"

namespace polynya {

void Asking::begin(std::uint64_t number, const Cancellation& cancellation) {
  abandon("another turn is being asked for");
  const std::lock_guard lock(mutex_);
  asked_.emplace(Asked{number, cancellation, {}});
}

void Asking::abandon(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!asked_) return;
  asked_->cancellation.cancel();
  for (auto& question : asked_->questions) {
    question.set_exception(std::make_exception_ptr(TurnLost(why)));
  }
  asked_.reset();
}

bool Asking::is_asked(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return asked_ && asked_->number == number;
}

Legal Asking::ask(const std::string& match, std::uint64_t number, const Steps& steps) {
  std::future<Legal> answer;
  {
    const std::lock_guard in_order(sending_);
    {
      const std::lock_guard lock(mutex_);
      if (!asked_ || asked_->number != number) throw TurnLost("it is not asked for any more");
      answer = asked_->questions.emplace_back().get_future();
    }
    send({{"type", "steps"}, {"match", match}, {"turn", number}, {"steps", steps}});
  }
  if (answer.wait_for(connection_->patience()) != std::future_status::ready) {
    throw TurnLost("the server does not answer");
  }
  return answer.get();
}

bool Asking::answer(const Json& message) {
  const std::lock_guard lock(mutex_);
  if (!asked_ || asked_->questions.empty()) return false;
  const Json turn = message.value("turn", Json());
  const bool is_error = fields::kind(message) == "error";
  if (turn != asked_->number && !(is_error && turn.is_null())) return false;
  std::promise<Legal> question = std::move(asked_->questions.front());
  asked_->questions.pop_front();
  if (is_error) {
    const TurnLost refused(printable(fields::string(message, "message")));
    question.set_exception(std::make_exception_ptr(refused));
  } else {
    question.set_value(read_legal(message));
  }
  return true;
}

}  // namespace polynya
