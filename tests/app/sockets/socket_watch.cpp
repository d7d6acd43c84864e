// Loaded before a program (LD_PRELOAD): writes a line into the file that TESSERA_SOCKETS names for every socket that is
// not of this machine alone, and for every address that one is bound or connected to.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace {

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void note(const std::string& line) {
    const char* path = std::getenv("TESSERA_SOCKETS");
    const int file = path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) return;
    if (write(file, line.data(), line.size()) < 0) _exit(1);
    close(file);
}

void noteAddress(const char* what, const sockaddr* address) {
    if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    inet_ntop(address->sa_family, bytes, text.data(), text.size());
    note(std::string(what) + " " + text.data() + "\n");
}

}  // namespace

extern "C" int socket(int domain, int type, int protocol) {
    if (domain != AF_UNIX && domain != AF_NETLINK) note("socket " + std::to_string(domain) + "\n");
    return next<int(int, int, int)>("socket")(domain, type, protocol);
}

extern "C" int bind(int file, const sockaddr* address, socklen_t size) {
    noteAddress("bind", address);
    return next<int(int, const sockaddr*, socklen_t)>("bind")(file, address, size);
}

extern "C" int connect(int file, const sockaddr* address, socklen_t size) {
    noteAddress("connect", address);
    return next<int(int, const sockaddr*, socklen_t)>("connect")(file, address, size);
}
