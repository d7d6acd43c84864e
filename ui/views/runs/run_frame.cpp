#include "ui/views/runs/run_frame.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

RunFrame::RunFrame(QWidget* parent)
    : RunView(parent),
      column_(new QVBoxLayout(this)),
      bar_(new QHBoxLayout),
      headline_(new HeadlineBar(this)),
      note_(new MessageBar(this)) {
    const int space = theme().spacing(3);
    column_->setContentsMargins(space, space, space, space);
    column_->setSpacing(theme().spacing());
    column_->addWidget(headline_);
    column_->addWidget(note_);
    bar_->setSpacing(theme().spacing(3));
    bar_->addStretch();
    column_->addLayout(bar_);
}

ChoiceBar* RunFrame::addChoices(const QString& name, int min) {
    auto* choices = new ChoiceBar(name, min, this);
    bar_->insertWidget(bar_->count() - 1, choices);
    return choices;
}

void RunFrame::addTool(QWidget* tool) {
    bar_->addWidget(tool);
}

void RunFrame::setPages(RunPages* pages) {
    column_->addWidget(pages, 1);
    connect(pages, &RunPages::troubled, this, [this](const QString& sentence) { emit messaged(sentence, QString()); });
    connect(pages, &RunPages::explainRequested, this, &RunFrame::explain);
}

void RunFrame::explain(const QString& path) {
    const std::shared_ptr<const study::Result> result = shownResult();
    if (const auto explanation = study::explain(*result, path.toStdString()))
        showExplanation(*explanation, *this);
    else
        emit messaged(tr("There is no explanation of this number."), QString());
}

std::function<std::optional<study::Explanation>()> explained(std::shared_ptr<const study::Result> result,
                                                             std::string path) {
    return [result = std::move(result), path = std::move(path)] { return study::explain(*result, path); };
}

}  // namespace tessera::ui
