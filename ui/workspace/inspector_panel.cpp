#include "ui/workspace/inspector_panel.h"

#include "ui/views/empty_state.h"
#include "ui/views/facts_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

InspectorPanel::InspectorPanel(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(u"Inspector"_s);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFacts({});
}

void InspectorPanel::setFacts(const Facts& facts) {
    shown_ = facts;
    if (facts.title.isEmpty() && facts.sections.isEmpty()) {
        facts_ = nullptr;
        setWidget(new EmptyState({}, u"Select something to see its facts here."_s));
        return;
    }
    if (facts_ == nullptr) {
        facts_ = new FactsView;
        // As wide as the pane, whatever is in it: nothing stands beyond its edge.
        facts_->setMinimumWidth(1);
        setWidget(facts_);
    }
    facts_->setFacts(facts);
}

}  // namespace tessera::ui
