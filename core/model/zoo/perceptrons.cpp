#include <utility>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

Graph mlp(Network net) {
    std::string x = net.input("input", {784});
    x = net.relu(net.fc(x, "fc1", 512));
    x = net.relu(net.fc(x, "fc2", 256));
    x = net.fc(x, "fc3", 10);
    return std::move(net).finish(x);
}

}  // namespace tessera::model::zoo
