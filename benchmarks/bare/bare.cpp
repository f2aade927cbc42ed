// Answers every so many bytes with so many others, and does nothing else.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int count, char** words) {
  if (count != 4) return 2;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int sock = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(sock, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
  const int yes = 1;
  setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  std::vector<char> turn(std::strtoul(words[2], nullptr, 10));
  std::vector<char> answer(std::strtoul(words[3], nullptr, 10));
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(answer.size() - 4));
  std::memcpy(answer.data(), &length, sizeof length);
  while (recv(sock, turn.data(), turn.size(), MSG_WAITALL) == static_cast<ssize_t>(turn.size())) {
    if (send(sock, answer.data(), answer.size(), 0) < 0) break;
  }
  return close(sock);
}
