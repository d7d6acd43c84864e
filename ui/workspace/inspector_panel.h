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
    void setFacts(const Facts& facts);

private:
    FactsView* facts_ = nullptr;
};

}  // namespace tessera::ui
