// Where a contest's servers are: a list of addresses, which are tried in turn.

#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

namespace polynya {

// One server's.
struct Address {
  std::string host;
  int port;

  bool operator==(const Address&) const = default;
};

// The addresses in HOST,HOST:PORT,[IPV6]:PORT; `port` is that of those that name none, 0 if there is
// none. Throws BadSettings if one of them is no address, or has no port.
std::vector<Address> read_addresses(const std::string& text, int port);

// The addresses; the first is tried next. A server that is not there, has no room or says goodbye is
// followed by the next one; a connection that is lost in a session is made again with the same server
// first.
class Servers {
 public:
  explicit Servers(const std::vector<Address>& addresses)
      : addresses_(addresses.begin(), addresses.end()),
        patience_(std::count(addresses.begin(), addresses.end(), addresses.front()) ==
                          static_cast<std::ptrdiff_t>(addresses.size())
                      ? std::chrono::seconds(10)
                      : among_several) {}

  // How long a server may take to connect, and then to welcome the bot.
  std::chrono::seconds patience() const { return patience_; }

  const Address& next() const { return addresses_.front(); }
  std::size_t count() const { return addresses_.size(); }

  void move_on() {
    addresses_.push_back(addresses_.front());
    addresses_.pop_front();
  }

  // The present server has begun a session.
  void welcome() { is_welcome_ = true; }

  // The present server has ended it, or not begun it; `is_word` if it has said so.
  void after(bool is_word) {
    if (!is_welcome_ || is_word) move_on();
    is_welcome_ = false;
  }

 private:
  // A server that stands still accepts connections and says nothing: another one may play meanwhile.
  static constexpr std::chrono::seconds among_several{3};

  std::deque<Address> addresses_;
  std::chrono::seconds patience_;
  bool is_welcome_ = false;
};

}  // namespace polynya
