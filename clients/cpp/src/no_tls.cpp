// In place of tls.cpp where OpenSSL is not installed.

#include <polynya/errors.hpp>

#include "transport.hpp"

namespace polynya {

std::unique_ptr<Transport> encrypted(Socket&, const Address&, const std::string&) {
  throw BadSettings("this bot is built without TLS: install OpenSSL's headers and build it again");
}

}  // namespace polynya
