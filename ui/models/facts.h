#pragma once

#include <QIcon>
#include <QString>
#include <QVector>
#include <functional>
#include <optional>

#include "core/study/explanation.h"

namespace tessera::ui {

/// Content of the Inspector for the selected thing: facts in sections, and actions.
struct Facts {
    struct Row {
        QString label;
        QString value;           ///< 3 to 4 significant digits, with its unit
        QString exact = {};      ///< full precision, put on the clipboard; empty = `value`
        QString whereFrom = {};  ///< source, small and grey below
        /// "Explain this number"; empty = none.
        std::function<std::optional<study::Explanation>()> explain = {};
    };
    struct Section {
        QString title;
        QVector<Row> rows;
    };
    struct Action {
        QString title;
        QString icon;
        std::function<void()> run;
    };
    QString title;
    QString subtitle = {};
    QString icon = {};
    QVector<Section> sections = {};
    QVector<Action> actions = {};
    QString note = {};
    bool ofWhole = false;  ///< nothing is selected: this belongs below what is known of the document as a whole
};

}  // namespace tessera::ui
