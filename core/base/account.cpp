#include "core/base/account.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

#include "core/base/text.h"

namespace tessera {

std::string accountName() {
    constexpr std::size_t kRoom = 16384;
    std::array<char, kRoom> room{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, room.data(), room.size(), &found) != 0 || found == nullptr) return "";
    const std::string facts = found->pw_gecos == nullptr ? "" : found->pw_gecos;
    const std::string full(trimmed(std::string_view(facts).substr(0, facts.find(','))));
    return full.empty() && found->pw_name != nullptr ? found->pw_name : full;
}

}  // namespace tessera
