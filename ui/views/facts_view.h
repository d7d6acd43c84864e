#pragma once

#include <QWidget>

#include "ui/models/facts.h"

class QVBoxLayout;

namespace tessera::ui {

/// Facts as the Inspector shows them: title, sections of label and value with where each comes from, actions. A click
/// (or Enter) on a value copies it at full precision; "?" explains it. Put it into a scroll area.
class FactsView : public QWidget {
    Q_OBJECT

public:
    explicit FactsView(QWidget* parent = nullptr);
    void setFacts(const Facts& facts);

signals:
    void copied(const QString& label);

private:
    void addTitle(QVBoxLayout& column, const Facts& facts);
    void addSection(QVBoxLayout& column, const Facts::Section& section);
    void addActions(QVBoxLayout& column, const QVector<Facts::Action>& actions);

    QWidget* page_ = nullptr;
};

}  // namespace tessera::ui
