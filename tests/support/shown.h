#pragma once

#include <QLabel>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <utility>

#include "core/study/result.h"
#include "ui/views/runs/run_view.h"

/// What views of runs are shown, and what they show.
namespace tessera::test {

/// A run that ended with the result, without curves and history.
inline ui::FinishedRun finishedRun(study::Result result) {
    return {.result = std::make_shared<const study::Result>(std::move(result)),
            .curves = nullptr,
            .history = {},
            .kept = 0};
}

/// The texts of all labels that can be seen once the widget can, line by line.
inline QString visibleText(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisibleTo(&widget)) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

}  // namespace tessera::test
