#include "ui/views/runs/result_exports.h"

#include <utility>

namespace tessera::ui::exports {

Exportable document(const QString& name, std::shared_ptr<const study::Result> result) {
    return {.name = name,
            .json =
                [result = std::move(result)] {
                    std::string text;
                    study::writeJson(*result, [&](std::string_view part) { text += part; });
                    return text;
                },
            .jsonTitle = QObject::tr("Result (JSON)")};
}

}  // namespace tessera::ui::exports
