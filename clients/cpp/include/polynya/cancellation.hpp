/// @file
/// Whether a search is still wanted.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

namespace polynya {

/// Tells a search that its result is no longer wanted: the turn's time is over, the match has ended, or
/// the connection is lost.
///
/// It is cheap to ask and to copy, and any thread may hold one. (It is no std::stop_token, which not all
/// standard libraries have.)
class Cancellation {
 public:
  /// A moment of the steady clock.
  using TimePoint = std::chrono::steady_clock::time_point;

  /// One that is cancelled at this moment, if there is one, and not before.
  explicit Cancellation(std::optional<TimePoint> deadline = {}) : deadline_(deadline) {}

  /// Whether the search is to stop now.
  bool is_cancelled() const {
    return cancelled_->load(std::memory_order_relaxed) ||
           (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
  }

  /// Stop the searches that hold a copy of it.
  void cancel() const { cancelled_->store(true, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<TimePoint> deadline_;
};

}  // namespace polynya
