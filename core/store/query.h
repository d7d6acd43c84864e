#pragma once

#include <string>
#include <vector>

#include "core/store/store.h"

namespace tessera::store {

/// The statements by which a query finds its runs, so that a test can have SQLite explain its plan for each.
std::vector<std::string> statementsOf(const HistoryQuery& query);

}  // namespace tessera::store
