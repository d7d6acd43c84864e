#pragma once

#include <string_view>

#include "core/base/shared.h"
#include "core/model/graph.h"

namespace tessera::model {

/// What the operators and tensors of a graph under construction share: equal texts, shapes and attributes are kept
/// once.
class GraphPool {
public:
    SharedText text(std::string_view text);
    SharedShape shape(const Shape& shape);
    Shared<Attributes> attributes(Attributes attributes);

private:
    SharedPool<SharedText> texts_;
    SharedPool<SharedShape> shapes_;
    SharedPool<Shared<Attributes>> attributes_;
};

}  // namespace tessera::model
