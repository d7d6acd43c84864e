#include "ui/workspace/inspector_panel.h"

#include "ui/views/facts_view.h"
#include "ui/workspace/empty_hint.h"

namespace tessera::ui {

InspectorPanel::InspectorPanel(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Inspector"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(new EmptyHint(tr("Select something to see its facts here.")));
}

void InspectorPanel::setFacts(const Facts& facts) {
    if (facts_ == nullptr) {
        facts_ = new FactsView;
        setWidget(facts_);
    }
    facts_->setFacts(facts);
}

}  // namespace tessera::ui
