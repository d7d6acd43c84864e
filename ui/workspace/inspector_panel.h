#pragma once

#include <QScrollArea>

#include "ui/models/facts.h"

namespace tessera::ui {

class FactsView;

/// The Inspector dock: facts about whatever is selected, and what can be done with it.
class InspectorPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit InspectorPanel(QWidget* parent = nullptr);
    /// Shows facts; those without a title and sections mean that nothing is selected.
    void setFacts(const Facts& facts);
    const Facts& facts() const { return shown_; }

private:
    Facts shown_;
    FactsView* facts_ = nullptr;
};

}  // namespace tessera::ui
