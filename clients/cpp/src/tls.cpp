// TLS with OpenSSL.

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <csignal>
#include <polynya/errors.hpp>

#include "transport.hpp"

namespace polynya {
namespace {

template <auto function>
struct With {
  template <typename T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};
using Context = std::unique_ptr<SSL_CTX, With<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, With<SSL_free>>;

std::string reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* text = ERR_reason_error_string(code);
  return text == nullptr ? "the connection broke" : text;
}

class Tls : public Transport {
 public:
  Tls(Socket& socket, Session session) : Transport(socket), session_(std::move(session)) {}

  void write(std::string_view data) override {
    std::size_t count = 0;
    if (SSL_write_ex(session_.get(), data.data(), data.size(), &count) != 1) {
      throw ConnectionLost("the connection broke while sending: " + reason());
    }
  }

  // All that is decrypted, so that the socket tells whether there is more.
  std::string read() override {
    std::string data;
    do {
      char chunk[16 * 1024];
      std::size_t count = 0;
      if (SSL_read_ex(session_.get(), chunk, sizeof chunk, &count) == 1) {
        data.append(chunk, count);
      } else if (SSL_get_error(session_.get(), 0) == SSL_ERROR_ZERO_RETURN) {
        return data;
      } else {
        throw ConnectionLost("the connection broke while receiving: " + reason());
      }
    } while (SSL_pending(session_.get()) > 0);
    return data;
  }

 private:
  Session session_;
};

Context trusting(const std::string& ca_file) {
  Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) throw BadSettings("TLS cannot be used: " + reason());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (SSL_CTX_load_verify_file(context.get(), ca_file.c_str()) != 1) {
    throw BadSettings("cannot read the certificates in " + ca_file + ": " + reason());
  }
  return context;
}

// Whose certificate it has to be: an address, or a name.
bool expect(SSL* session, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1) return true;
  return SSL_set1_host(session, host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

}  // namespace

std::unique_ptr<Transport> encrypted(Socket& socket, const Address& server,
                                     const std::string& ca_file) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
#endif
  const Context context = trusting(ca_file);
  Session session(SSL_new(context.get()));
  if (session == nullptr || !expect(session.get(), server.host) ||
      SSL_set_fd(session.get(), static_cast<int>(socket.handle())) != 1) {
    throw BadSettings("no certificate can be for " + server.host + ": " + reason());
  }
  if (SSL_connect(session.get()) != 1) {
    throw ConnectionLost("cannot connect to " + server.host + ":" +
                         std::to_string(server.port) + ": " + reason());
  }
  return std::make_unique<Tls>(socket, std::move(session));
}

}  // namespace polynya
