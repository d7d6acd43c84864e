#pragma once

#include <string>

namespace tessera {

/// The name of the person whose account this process runs in: the full name, else the account's; empty where the system
/// knows neither.
std::string accountName();

}  // namespace tessera
